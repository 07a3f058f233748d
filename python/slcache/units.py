"""Numbers as people read them: three significant digits and a unit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from string import Formatter
from typing import Any

from slcache import names

#: How much of the least or plain unit is in a unit, and its name.
Scale = tuple[float, str]
#: Units by what they are of, largest first.
TIMES = ((1e6, "s"), (1e3, "ms"), (1.0, "µs"), (1e-3, "ns"))
_YEAR = 365 * 86_400e6
_LONG_TIMES = ((_YEAR, "years"), (86_400e6, "d"), (3_600e6, "h"))
ENERGIES = ((1e6, "MJ"), (1e3, "kJ"), (1.0, "J"), (1e-3, "mJ"))
SIZES = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))
#: The same as vendors count them.
_DECIMAL_SIZES = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "B"))
#: Years that say as much as any more of them.
_LONG_LIFE = 1000
#: A number with more zeros in front of its digits is told as a power of ten.
_SMALL = 1e-3


def significant(value: float, digits: int = 3) -> str:
    """Return a number with so many significant digits; very small ones with an exponent."""
    if value == 0:
        return "0"
    if abs(value) < _SMALL:
        return re.sub("e-0?", "e-", f"{value:.{digits - 1}e}")
    magnitude = f"{abs(value):.{digits - 1}e}"
    exponent = int(magnitude.split("e")[1])
    return f"{value:,.{max(0, digits - 1 - exponent)}f}"


def scale(value: float, scales: Sequence[Scale]) -> Scale:
    """Return the unit that suits a value, the largest that is not larger."""
    return next((each for each in scales if abs(value) >= each[0]), scales[-1])


def _scaled(value: float, scales: Sequence[Scale]) -> str:
    factor, name = scale(value, scales)
    return f"{significant(value / factor)} {name}"


def duration(microseconds: float, *, trim: bool = False) -> str:
    """Return a time given in microseconds, as in `1.25 ms`; `trim` drops trailing zeros."""
    if microseconds == 0:
        return "0 µs"
    factor, name = scale(microseconds, TIMES)
    number = significant(microseconds / factor)
    return f"{trimmed(number) if trim else number} {name}"


def in_one_unit(microseconds: Iterable[float | None]) -> Callable[[float], str]:
    """Return what prints times that are compared in one unit."""
    return _alike(microseconds, TIMES, duration)


def figures(values: Iterable[float | None], unit: str) -> Callable[[float], str]:
    """Return what prints figures that are compared, such as those of a column, in one unit."""
    match unit:
        case "ns":
            times = in_one_unit(None if value is None else value / 1e3 for value in values)
            return lambda value: times(value / 1e3)
        case "bytes":
            return _alike(values, SIZES, size)
        case "J":
            return _alike(values, ENERGIES, energy)
    return lambda value: figure(value, unit)


#: Less than this of a unit is no figure that anybody reads.
_FAR = 1e-3


def _alike(
    values: Iterable[float | None],
    scales: Sequence[Scale],
    alone: Callable[[float], str],
) -> Callable[[float], str]:
    """Return what prints figures in the unit of the least, or each in its own if far apart.

    That is a larger one where the largest would have five digits, or six if the least is too
    small in that one.
    """
    known = [abs(each) for each in values if each]
    if not known:
        return alone
    own = scale(min(known), scales)
    for most in (1e4, 1e5):
        enough = (each for each in reversed(scales) if max(known) < most * each[0])
        factor, name = max(own, next(enough, scales[0]))
        if min(known) >= _FAR * factor:
            break
    else:
        return alone
    if name == "B":
        return lambda value: f"{value:,.0f} B"
    return lambda value: f"{significant(value / factor)} {name}"


def bandwidth(bytes_per_s: float) -> str:
    """Return a bandwidth, as in `541.8 MB/s`."""
    return f"{significant(bytes_per_s / 1e6)} MB/s"


def span(microseconds: float) -> str:
    """Return how long something lasts, in hours, days or years where it is that long."""
    if microseconds < _LONG_TIMES[-1][0]:
        return duration(microseconds)
    return _scaled(microseconds, _LONG_TIMES)


def life(years: float) -> str:
    """Return how long a device lives, given in years of 365 days; nobody waits for thousands."""
    return span(years * _YEAR) if years < _LONG_LIFE else f"over {count(_LONG_LIFE)} years"


def written(host_bytes: float) -> str:
    """Return what is written in a life, in the decimal units of vendors."""
    return _scaled(host_bytes, _DECIMAL_SIZES)


def trimmed(number: str) -> str:
    """Return a number's text without trailing zeros behind its point."""
    return number.rstrip("0").rstrip(".") if "." in number else number


def percent(share: float) -> str:
    """Return a share from 0 to 1, as in `70.1 %`."""
    value = 100 * share
    if 0 < value < _SMALL:
        return f"<{_SMALL} %"
    return f"{value:.1f} %" if value >= 0.1 or value == 0 else f"{significant(value, 2)} %"


def size(value: float) -> str:
    """Return a size given in bytes, as in `4.00 GiB`."""
    return f"{value:,.0f} B" if abs(value) < 1 << 10 else _scaled(value, SIZES)


def energy(joules: float) -> str:
    """Return an energy given in joules, as in `1.25 kJ`."""
    return "0 J" if joules == 0 else _scaled(joules, ENERGIES)


def count(value: float) -> str:
    """Return a whole number with thousands separated."""
    return f"{value:,.0f}"


def factor(value: float) -> str:
    """Return a ratio, as in `0.31×`; two decimals near one, fewer further off."""
    if value != 0 and abs(value) < 0.1:
        return f"{significant(value, 2)}×"
    if abs(value) >= 10:
        return f"{significant(value, 3)}×"
    return f"{value:.2f}×"


def number(value: float) -> str:
    """Return a plain number: whole ones whole, others with three or more digits."""
    if value == round(value) and abs(value) < 1e15:
        return count(value)
    return significant(value, 4 if 1 <= abs(value) < 10 else 3)


def figure(value: float, unit: str) -> str:
    """Return a figure in its unit as people read it, as in `1.25 ms` of 1250000 `ns`."""
    if (told := _TOLD.get(unit)) is not None:
        return told(value)
    return f"{trimmed(significant(value, 4))} {unit}"


#: How figures are told whose unit is another one in words.
_TOLD: dict[str, Callable[[float], str]] = {
    "ns": lambda value: span(value / 1e3),
    "µs": span,
    "s": lambda value: span(value * 1e6),
    "bytes": size,
    "bytes/s": bandwidth,
    "bytes/day": lambda value: f"{written(value)} a day",
    "J": energy,
    "1/s": lambda value: f"{number(value)}/s",
    "1": number,
}


#: What a key's last word ends in, and the unit that says.
_UNITS = {
    "mb_per_s": "MB/s",
    "bytes_per_s": "bytes/s",
    "bytes_per_day": "bytes/day",
    "_per_s": "1/s",
    "_ns": "ns",
    "_us": "µs",
    "_s": "s",
    "_bytes": "bytes",
    "_blocks": "blocks",
    "_mw": "mW",
    "_mj": "mJ",
    "_j": "J",
    "_w": "W",
    "_ratio": "1",
    "_share": "1",
    "ps_per_byte": "ps per byte",
    "iops": "1/s",
    "rpm": "turns per minute",
}


def unit_of(name: str) -> str:
    """Return the unit that a key's name says; empty where it says none."""
    last = name.rpartition(".")[2].removesuffix("[]")
    if ".latency_us" in name or ".attribution_us" in name:
        return "µs"
    return next((unit for end, unit in _UNITS.items() if f"_{last}".endswith(end)), "")


def shown(key: str, value: object) -> str:
    """Return a value as people read it, in the unit that its key says."""
    unit = unit_of(key)
    if unit in _TOLD and isinstance(value, int | float) and not isinstance(value, bool):
        return percent(value) if _is_part(key, value) else figure(value, unit)
    return trimmed(number(value)) if isinstance(value, float) else names.shown(value)


def _is_part(key: str, value: float) -> bool:
    """Return whether a value is how much of something it is, of which a ratio may also be more."""
    last = f"_{key.rpartition('.')[2]}"
    return last.endswith("_share") or (last.endswith("_ratio") and abs(value) <= 1)


def told(text: str, values: Mapping[str, Any]) -> str:
    """Return a text with values in the place of their keys, as in `{read_bytes} read`."""
    keys = (key for _, key, _, _ in Formatter().parse(text) if key)
    return text.format_map({key: shown(key, values[key]) for key in keys})
