"""Where a measure has its optimum over a grid of one setting."""

from __future__ import annotations

from collections.abc import Mapping


def optimum(curve: Mapping[float, float], which: str) -> float:
    """Return the setting with the least or the most of a measure, the first of equals."""
    order = max if which == "most" else min
    return order(curve, key=lambda at: curve[at])
