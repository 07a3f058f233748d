"""Bars of what has parts: their axis, and how colours get paler."""

from __future__ import annotations

from collections.abc import Sequence

from slcache.charts import spec
from slcache.charts.spec import Axis

#: A total that is so many times any other would leave nothing to see of the others.
_FAR = 10.0

#: Sizes by two words, such as a cell mode and a cause.
Stack = dict[tuple[str, str], float]


def lengths(totals: Sequence[float], kind: str, title: str = "") -> Axis:
    """Return the axis of bars: of logarithms where one is so many times any other."""
    ranked = sorted((total for total in totals if total > 0), reverse=True)
    if len(ranked) > 1 and ranked[0] >= _FAR * ranked[1]:
        return Axis(title, kind, log=True, low=ranked[-1] / _FAR, high=4 * ranked[0])
    most = 1.2 * max(ranked, default=1.0)
    if kind == "size":
        return spec.sized(title, most, low=0, high=most)
    return Axis(title, kind, low=0, high=most)


def pale(colour: str, share: float) -> str:
    """Return a colour mixed with so much of a light grey."""
    parts = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(part + (0xE4 - part) * share):02X}" for part in parts)
