"""What a paper has for a claim, what the runs found, and the verdicts that follow."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field

from slcache.documents import figures
from slcache.documents.schemata import CLOSED

REPRODUCED = "reproduced"
#: The paper gives a limit, and ours keeps it: less than a figure that comes out.
CONSISTENT = "consistent"
SAME_DIRECTION = "same direction"
NOT_REPRODUCED = "not reproduced"
CANNOT_HOLD = "cannot hold"
NOT_SIMULABLE = "cannot be simulated"
#: A figure of some of the traces that the claim is of: it is shown, and says nothing of all.
NOT_JUDGED = "not judged"
NOT_RUN = "no data"
#: What runs can say of a claim that they can tell of.
JUDGED = (REPRODUCED, CONSISTENT, SAME_DIRECTION, NOT_REPRODUCED)
VERDICTS = (*JUDGED, CANNOT_HOLD, NOT_SIMULABLE, NOT_JUDGED, NOT_RUN)
Verdict = Annotated[str, Field(json_schema_extra={"enum": [*VERDICTS]})]

#: A change of at most so many percent has no direction.
NO_CHANGE = 100 * figures.TIE
#: How many times as large, or as small, as the paper's a figure of the same direction may be:
#: +81 % is no likeness of +30 %.
LIMIT = 2


_NUMBER = r"-?\d+(?:\.\d+)?"
#: A figure of a paper, such as `at most 15 % of the time` or `-47 ± 3 %`.
_FIGURE = re.compile(
    rf"(?P<limit>at most )?(?P<low>{_NUMBER})(?: to (?P<high>{_NUMBER}))?"
    rf"(?: ± (?P<tolerance>{_NUMBER}))?(?: (?P<unit>\S.*?))??(?: or (?P<better>above|below))?"
)


@dataclass(frozen=True)
class Expected:
    """What the paper has: one of six forms, which say how a claim is judged."""

    #: "number", "limit", "range", "direction", "order" or "words".
    form: str
    paper: Any
    tolerance: float = 0.0
    unit: str = ""
    #: Where ours is further than the paper's on this side of it, "above" or "below", ours is
    #: better, and no less the claim.
    better: str = ""


def expected(said: object) -> Expected:
    """Return what a claim's `paper` says; raises ValueError."""
    if isinstance(said, list) and said and all(isinstance(each, str) for each in said):
        return Expected("order", said)
    if isinstance(said, int | float) and not isinstance(said, bool):
        if not math.isfinite(said):
            raise ValueError("it is not finite")
        return Expected("number", said)
    if not isinstance(said, str) or not said:
        raise ValueError("it is a number, a text or a list of schemes")
    if said in ("above", "below"):
        return Expected("direction", said)
    found = _FIGURE.fullmatch(said)
    if found is None:
        return Expected("words", said)
    low, high = _number(found["low"]), found["high"]
    if high and _number(high) < low:
        raise ValueError("the range ends below its beginning")
    if (found["tolerance"] or "").startswith("-"):
        raise ValueError("the tolerance must be 0 or more")
    form = "limit" if found["limit"] else "range" if high else "number"
    paper = [low, _number(high)] if high else low
    tolerance, unit, better = (found[key] or "" for key in ("tolerance", "unit", "better"))
    return Expected(form, paper, _number(tolerance or "0"), unit, better)


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


@dataclass(frozen=True)
class Finding:
    """What the runs say about a claim."""

    ours: Any
    """In the claim's unit; null without data."""
    spread: list[Any] | None = None
    """Lowest and highest over the seeds."""
    distance: float | None = None
    same_sign: bool | None = None
    same_order: bool | None = None
    verdict: Verdict = NOT_RUN
    detail: Mapping[str, Any] = field(default_factory=dict)
    """What the figure was made of."""
    missing: list[str] = field(default_factory=list)
    """Traces that the claim is of and that were not run."""

    __pydantic_config__ = CLOSED


def sign(percent: float) -> int:
    """Return -1, 0 or 1; a change too small to have a direction is 0."""
    return 0 if abs(percent) <= NO_CHANGE else int(math.copysign(1, percent))


def alike(ours: float, paper: float) -> bool:
    """Return whether a change has the paper's direction, and half to twice its size."""
    size, limit = abs(ours), abs(paper)
    same = sign(ours) == sign(paper) != 0
    return same and limit <= LIMIT * size and size <= LIMIT * limit


def when(holds: bool, likeness: bool = False) -> str:
    """Return the verdict on what holds, is like it at least, or does not hold."""
    return REPRODUCED if holds else SAME_DIRECTION if likeness else NOT_REPRODUCED
