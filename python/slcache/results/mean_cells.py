"""The columns of the tables of means over seeds, and how their cells are printed."""

from __future__ import annotations

from dataclasses import dataclass

from slcache import metrics
from slcache.results.means import Against
from slcache.study.pairs import Paired
from slcache.study.spread import Estimate
from slcache.tables import grid
from slcache.words import units

#: Marks a difference that seeds do not tell from none.
NOISE = "≈"
#: Marks a mean of draws within whose interval the recording's own figure is not.
OFF = "!"


@dataclass(frozen=True)
class Column:
    """A metric of the table, and how to print it."""

    title: str
    metric: str

    def show(self, value: float) -> str:
        """Return a mean in its unit."""
        unit = metrics.named(self.metric).unit
        if unit == "ns":
            return units.duration(value / 1e3)
        if unit == "bytes/s":
            return units.significant(value / 1e6)
        if unit == "bytes":
            return units.size(round(value))
        if self.metric == metrics.GAIN_SHARE:
            return units.percent(value)
        return units.significant(value)


#: Those of the tables of one seed that are better or worse.
COLUMNS = tuple(
    Column(each.title, each.metric)
    for each in (*grid.COLUMNS, *grid.PACE_COLUMNS)
    if metrics.METRICS[each.metric].goal is not None
)
#: The table of dense programs beside the least, behind the size of the cache.
GAINS = (
    Column("dense", "dense_bytes"),
    Column("at least", "dense_least_bytes"),
    Column("dense / least", "dense_over_least"),
    Column("share of the gain", metrics.GAIN_SHARE),
)


def cell(
    column: Column, mean: Estimate | None, against: Against | None, *, thin: bool
) -> grid.Cell:
    """Return a figure as a factor of the reference's; in its unit where it is the reference's."""
    return grid.Cell(column.title, _text(column, mean, against), best=False, thin=thin)


def of_draws(column: Column, mean: Estimate | None, against: Against | None) -> grid.Cell:
    """Return the mean of the draws in the same way, marked where the recording is not near it."""
    return grid.Cell(column.title, _drawn(column, mean, against), best=False)


def _text(column: Column, mean: Estimate | None, against: Against | None) -> str:
    if mean is None:
        return "–"
    if against is None:
        return column.show(mean.centre) + _within(mean.half, mean.centre)
    mark = f" {NOISE}" if against.inside_noise else ""
    if against.paired.factor is None:
        return column.show(mean.centre) + mark
    return factor(against.paired) + mark


def _drawn(column: Column, mean: Estimate | None, against: Against | None) -> str:
    if mean is None:
        return "–"
    if against is None or against.paired.mean is None:
        return column.show(mean.mean) + (f" {OFF}" if mean.is_off else "")
    return units.factor(against.paired.mean) + (f" {OFF}" if against.paired.is_off else "")


def factor(found: Paired) -> str:
    """Return a factor with its interval, as in `0.60× [0.57, 0.63]`; empty where there is none."""
    if found.factor is None:
        return ""
    text = units.factor(found.factor)
    if found.low is None or found.high is None:
        return text
    low, high = (units.factor(end) for end in (found.low, found.high))
    return text if low == high else f"{text} [{low[:-1]}, {high[:-1]}]"


def _within(half: float | None, mean: float) -> str:
    """Return an interval's half as a part of the mean; nothing where all seeds gave one figure."""
    return "" if not half or not mean else f" ±{units.percent(half / abs(mean))}"
