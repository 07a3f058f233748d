"""Sizes, times and states of a device as people write them, read exactly."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from slcache.errors import UsageError, about

_PREFIXES = "kMGT"
#: `KB` is missing: it is read both ways.
_SIZES = {
    "": 1,
    "B": 1,
    **{prefix: 1024**n for n, prefix in enumerate(_PREFIXES, 1)},
    **{prefix.swapcase(): 1024**n for n, prefix in enumerate(_PREFIXES, 1)},
    **{f"{prefix.upper()}iB": 1024**n for n, prefix in enumerate(_PREFIXES, 1)},
    **{f"{prefix}B": 1000**n for n, prefix in enumerate(_PREFIXES, 1)},
}
_TIMES = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}
_TIMES["d"] = 24 * _TIMES["h"]
#: Keys of schemes that count SLC blocks per plane and take a size too.
SIZED = ("slc_blocks", "static_blocks", "initial_slc_blocks", "slc_blocks_min", "slc_step_blocks")
_WRITTEN = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-zµ]*)")


def size_bytes(text: str) -> int:
    """Return a size as bytes: `4096`, `4k`, `4KiB`, `1.5G`; raises ValueError.

    `k`, `M`, `G`, `T` and the forms with `iB` count 1024, `kB`, `MB`, `GB` and `TB` 1000.
    """
    number, unit = _split(text)
    factor = _SIZES.get(unit)
    if factor is None:
        known = "bytes, or a number with k, M, G, T, KiB, MiB, GiB, TiB (1024) or kB, MB, GB, TB"
        raise ValueError(f"{text!r} is not a size; expected {known} (1000)")
    return _whole(text, number * factor, "bytes")


def counts_blocks(key: str) -> bool:
    """Return whether a scheme's key, whole or by its last word, is one of these."""
    return key.rpartition(".")[2] in SIZED


def size_text(size: int) -> str:
    """Return a size as `size_bytes` takes it back, whole, in the largest unit that it has."""
    units = ((f"{prefix}iB", 1024**n) for n, prefix in enumerate("KMGT", 1))
    found = [(name, factor) for name, factor in units if size and size % factor == 0]
    name, factor = found[-1] if found else ("B", 1)
    return f"{size // factor}{name}"


def time_ns(text: str) -> int:
    """Return a time as nanoseconds: `10us`, `1.5ms`, `2h`; raises ValueError."""
    number, unit = _split(text)
    factor = _TIMES.get(unit.replace("µ", "u"))
    if factor is None:
        raise ValueError(
            f"{text!r} is not a time; expected a number with one of {', '.join(_TIMES)}"
        )
    return _whole(text, number * factor, "nanoseconds")


def _split(text: str) -> tuple[Fraction, str]:
    match = _WRITTEN.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a number with a unit")
    return Fraction(match[1]), match[2]


def _whole(text: str, value: Fraction, unit: str) -> int:
    if value.denominator != 1:
        raise ValueError(f"{text!r} is not a whole number of {unit}")
    return value.numerator


#: How many bytes are some.
SOME_BYTES = (1, 2**50)


def some_bytes(text: str) -> int:
    """Return `4k`, `20GiB` or `1048576` in bytes; ValueError for none above 0."""
    return _above_zero(text, size_bytes, "128k, 20GiB or 1048576", SOME_BYTES[1])


def some_time_ns(text: str) -> int:
    """Return `500ms`, `30s` or `10m` in nanoseconds; ValueError for none above 0."""
    minutes = re.sub(r"(?<=[\d ])m$", "min", text.strip())
    return _above_zero(minutes, time_ns, "500ms, 30s or 10m", 10**18)


def _above_zero(text: str, read: Callable[[str], int], example: str, most: int) -> int:
    try:
        value = read(text)
    except ValueError as error:
        raise ValueError(f"{error}, such as {example}") from error
    if not 1 <= value <= most:
        raise ValueError(f"{text!r}: must be above 0 and at most {most}, such as {example}")
    return value


#: A device that people have used: most of it full, and overwritten at random.
WORN = "worn=0.9,0.3"
#: What `steady` fills.
_STEADY_FULL = 0.9
#: What a state is made of: these keys, and no others.
KEYS = ("precondition.fill", "precondition.overwrite", "precondition.steady")
FORMS = "empty|full=SHARE|worn=SHARE,TIMES|steady"
#: How many numbers each form has.
_NUMBERS = {"empty": 0, "full": 1, "worn": 2, "steady": 0}


def keys_of(state: str) -> dict[str, Any]:
    """Return the keys that a state stands for; ValueError where it is none."""
    name, equals, text = state.partition("=")
    wanted = _NUMBERS.get(name)
    if wanted is None or bool(equals) != (wanted > 0):
        raise ValueError(f"state = {state!r}: is none of {FORMS}")
    numbers = [_number(state, part) for part in text.split(",")] if equals else []
    if len(numbers) != wanted:
        raise ValueError(f"state = {state!r}: is none of {FORMS}")
    if numbers and not 0 < numbers[0] <= 1:
        raise ValueError(f"state = {state!r}: SHARE must be above 0 and at most 1")
    if wanted == 2 and not 0 < numbers[1] <= 100:
        raise ValueError(f"state = {state!r}: TIMES must be above 0 and at most 100")
    full, times = (*numbers, 0.0, 0.0)[:2]
    steady = name == "steady"
    return dict(zip(KEYS, (_STEADY_FULL if steady else full, times, steady), strict=True))


def _number(state: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"state = {state!r}: {text!r} is no number") from None


def begun(state: str | None, beside: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys that a state stands for, if there is one; settings may not say them too."""
    if state is None:
        return {}
    try:
        found = keys_of(state)
    except ValueError as error:
        raise about(UsageError(str(error)), "state") from error
    for key in KEYS:
        if key in beside:
            told = f"state = {state} stands for {key} too, which is set to {beside[key]}"
            raise about(UsageError(f"{told}; leave one of the two out"), "state")
    return found


def check_not_loaded(state: str | None, load_state: object) -> None:
    """Raise UsageError where a state is said of a device whose state is loaded."""
    if state is not None and load_state is not None:
        told = f"state = {state} has no effect on a saved state; leave one of the two out"
        raise about(UsageError(told), "state")
