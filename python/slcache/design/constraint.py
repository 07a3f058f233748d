"""What is asked of a lifespan: a number of bytes, or a multiple of the dense chip's."""

from __future__ import annotations

import re
from dataclasses import dataclass

from slcache.errors import UsageError, about
from slcache.given import quantity

#: Bytes, or times what the dense chip lasts: more than any flash, and a float all the same.
_MOST = 1 << 63
_TIMES = re.compile(r"(\d+(?:\.\d+)?)\s*[x×]")


@dataclass(frozen=True)
class Constraint:
    """The least lifespan: so many bytes of host writes, or so many times the dense chip's."""

    times: float | None = None
    host_bytes: int | None = None

    @classmethod
    def read(cls, asked: str | int) -> Constraint:
        """Return what `2x`, `50T` or a number of bytes means; raises ValueError."""
        found = _TIMES.fullmatch(asked.strip()) if isinstance(asked, str) else None
        value = float(found[1]) if found else _bytes(asked)
        if not 0 < value <= _MOST:
            told = f"lifespan = {_short(asked)}: must be above 0 and at most 8388608T"
            raise about(UsageError(f"{told}, such as 2x or 50T"), "lifespan")
        return cls(times=value) if found else cls(host_bytes=int(value))

    def least_bytes(self, dense_only_bytes: float) -> float:
        """Return the least lifespan in bytes, where a chip of dense blocks lasts so many."""
        if self.times is not None:
            return self.times * dense_only_bytes
        assert self.host_bytes is not None
        return float(self.host_bytes)


def _bytes(asked: str | int) -> int:
    try:
        return quantity.size_bytes(asked) if isinstance(asked, str) else asked
    except ValueError as error:
        told = (
            f"lifespan = {_short(asked)!r}: must be a multiple of what a chip of dense blocks "
            "lasts, such as 2x, or bytes of host writes, such as 50T, without an exponent"
        )
        raise about(UsageError(told), "lifespan") from error


def _short(asked: str | int) -> str:
    """Return what was asked; of thousands of digits the first."""
    if isinstance(asked, int) and abs(asked) > 10**40:
        # Python does not print whole numbers that are very long.
        return "a number of more than 40 digits"
    text = str(asked)
    return text if len(text) <= 60 else f"{text[:60]}..."
