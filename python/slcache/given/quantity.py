"""Sizes and times as people write them, read exactly."""

from __future__ import annotations

import re
from fractions import Fraction

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
