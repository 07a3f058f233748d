"""What can be said of a claim: the verdicts, and what the runs found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

REPRODUCED = "reproduced"
SAME_DIRECTION = "same direction"
NOT_REPRODUCED = "not reproduced"
CANNOT_HOLD = "cannot hold"
NOT_RUN = "no data"
VERDICTS = (REPRODUCED, SAME_DIRECTION, NOT_REPRODUCED, CANNOT_HOLD, NOT_RUN)


class Known(Protocol):
    """A claim that has been judged."""

    ours: Any
    spread: list[Any] | None


@dataclass(frozen=True)
class Finding:
    """What the runs say about a claim."""

    ours: Any
    spread: list[Any] | None = None
    distance: float | None = None
    same_sign: bool | None = None
    same_order: bool | None = None
    verdict: str = NOT_RUN
    detail: dict[str, Any] = field(default_factory=dict)
