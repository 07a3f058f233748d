"""What figures of a paper have in common: a panel for each workload, and ranges over the seeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from slcache.plots import style
from slcache.reproduce.table import Table


def of_workloads(
    names: Sequence[str],
    table: Table,
    height: float,
    *,
    across: str,
    label: str,
    **options: Any,  # noqa: ANN401
) -> tuple[Figure, dict[str, Axes]]:
    """Return a figure and its panels by workload: those named that were run, else all."""
    shown = table.run_of(names)
    figure, panels = style.panels(1, len(shown), height, **options)
    for axes, name in zip(panels, shown, strict=True):
        style.title(axes, name)
        axes.set_xlabel(across)
    panels[0].set_ylabel(label)
    return figure, dict(zip(shown, panels, strict=True))


def band(
    axes: Axes, places: Sequence[float], figures: Sequence[Sequence[float]], colour: str
) -> None:
    """Show how far the seeds are apart; every place has their figures."""
    least, most = [min(each) for each in figures], [max(each) for each in figures]
    axes.fill_between(places, least, most, color=colour, alpha=0.2, lw=0)
