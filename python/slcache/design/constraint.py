"""What is asked of a lifespan: a number of bytes, or a multiple of the dense chip's."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from slcache import quantity
from slcache.errors import UsageError, about

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
        if not 0 < value < math.inf:
            told = f"lifespan = {asked}: must be above 0, such as 2x or 50T"
            raise about(UsageError(told), "lifespan")
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
            f"lifespan = {asked!r}: must be a multiple of what a chip of dense blocks lasts, such "
            "as 2x, or bytes of host writes, such as 50T"
        )
        raise about(UsageError(told), "lifespan") from error
