"""A comparison repeated with seeds or draws: means with intervals, and what is inside the noise."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from slcache import metrics
from slcache.documents import normalise
from slcache.documents.gains import share
from slcache.results.comparison import Comparison
from slcache.results.result import Result
from slcache.sentences import gains, wording
from slcache.study.spread import LEVEL, Estimate, estimate, told_apart
from slcache.tables import grid
from slcache.words import units
from slcache.words.few import few

if TYPE_CHECKING:
    from slcache.tables.tabular import Table

#: How intervals are made.
METHOD = (
    "Student's t on the means of seeds; against the reference on the differences of equal seeds"
)
_SIDES = ("write", "read")
METHOD_OF_DRAWS = (
    "Student's t on draws of the recording by the stationary bootstrap; against the reference on "
    "the differences of equal draws"
)
_DRAWN = (
    "A draw is the recording's time in stretches of random order. The interval is for another "
    "recording of the same length: more draws make it surer, not narrower."
)
#: Marks a difference that seeds do not tell from none.
NOISE = "≈"


@dataclass(frozen=True)
class Figure:
    """One metric of one scheme over the seeds, None where a seed's run has no such thing."""

    values: Sequence[float | None]
    #: Whether the values are of draws of a recording.
    draws: bool = False

    @property
    def known(self) -> list[float]:
        """The values that there are."""
        return [value for value in self.values if value is not None]

    @property
    def estimate(self) -> Estimate | None:
        """The mean and half its interval; None without values."""
        return estimate(self.known, draws=self.draws) if self.known else None

    def by_seed(self) -> dict[Any, float | None]:
        """Return the values by the seed's place."""
        return dict(enumerate(self.values))

    def to_dict(self) -> dict[str, Any]:
        """Return values, mean and interval as plain data."""
        found = self.estimate
        half = None if found is None else found.half
        return {
            "values": list(self.values),
            "mean": None if found is None else found.mean,
            "low": None if found is None or half is None else found.mean - half,
            "high": None if found is None or half is None else found.mean + half,
        }


@dataclass(frozen=True)
class Against:
    """One metric of a scheme as a factor of the reference's, and its interval."""

    factor: float | None
    half: float | None
    #: None where nobody knows: fewer than two seeds have both.
    inside_noise: bool | None

    @classmethod
    def of(cls, mine: Figure, reference: Figure) -> Against:
        """Hold a scheme against the reference: equal seeds mean equal draws for both."""
        pairs = [
            (a, b)
            for a, b in zip(mine.values, reference.values, strict=True)
            if a is not None and b is not None
        ]
        if not pairs:
            return cls(None, None, None)
        base = sum(b for _, b in pairs) / len(pairs)
        if not base:
            return cls(None, None, None)
        apart = estimate([a - b for a, b in pairs], draws=mine.draws)
        known = told_apart(mine.by_seed(), reference.by_seed(), draws=mine.draws)
        half = None if apart.half is None else apart.half / abs(base)
        return cls(1 + apart.mean / base, half, None if known is None else not known)

    def to_dict(self) -> dict[str, Any]:
        """Return factor and interval as plain data."""
        ends = self.factor is not None and self.half is not None
        return {
            "factor": self.factor,
            "low": (self.factor or 0.0) - (self.half or 0.0) if ends else None,
            "high": (self.factor or 0.0) + (self.half or 0.0) if ends else None,
            "inside_noise": self.inside_noise,
        }


class SeededComparison(Comparison):
    """A comparison repeated with several seeds, or draws of a recording.

    Its tables, figures and runs are the first's.

    Summary, verdict and the head of the report are of all seeds.
    """

    def __init__(self, comparisons: Sequence[Comparison]) -> None:
        first = comparisons[0]
        if len(comparisons) < 2:
            raise ValueError("one seed has no spread: at least two comparisons are needed")
        for other in comparisons[1:]:
            if other.labels != first.labels or other.reference != first.reference:
                raise ValueError("seeds of different comparisons: the schemes are not the same")
        super().__init__(first.runs, first.reference, first.bounds)
        self.comparisons = list(comparisons)
        self.seeds = [int(each.documents[0]["provenance"]["seed"]) for each in comparisons]
        #: Whether each seed is a draw of the recording as well.
        self.draws = len({_options(each).get("resample") for each in comparisons}) > 1
        if len(set(self.seeds)) != len(self.seeds):
            raise ValueError(f"seeds used twice: {few(self.seeds)}")

    @property
    def every_run(self) -> list[Result]:
        """The runs of all seeds, seed by seed."""
        return [run for comparison in self.comparisons for run in comparison.runs]

    @property
    def inputs(self) -> Sequence[str | os.PathLike[str]]:
        """The files of the traces and the device."""
        return [path for run in self.every_run for path in run.inputs]

    def figure(self, label: str, metric: str) -> Figure:
        """Return a metric (see `slcache.metrics`) of one scheme over the seeds."""
        place = self.labels.index(label)
        if metric == metrics.GAIN_SHARE:
            return Figure(self._shares(place), self.draws)
        read = metrics.named(metric).value
        return Figure([read(each.documents[place]) for each in self.comparisons], self.draws)

    @property
    def _repeated(self) -> str:
        return "draws" if self.draws else "seeds"

    def _shares(self, place: int) -> list[float | None]:
        """Return one scheme's share of the gain over the reference, by seed; none of itself."""
        other = self.labels.index(self.reference)
        if place == other:
            return [None] * len(self.comparisons)
        pairs = ((each.documents[place], each.documents[other]) for each in self.comparisons)
        return [share(document, reference) for document, reference in pairs]

    def against(self, label: str, metric: str) -> Against:
        """Return a scheme's metric as a factor of the reference's."""
        return Against.of(self.figure(label, metric), self.figure(self.reference, metric))

    def to_dict(self) -> dict[str, Any]:
        """Return the first seed's document with `seeds`: means, intervals and the other runs."""
        return {**super().to_dict(), "seeds": self._over_seeds()}

    def _over_seeds(self) -> dict[str, Any]:
        names = list(metrics.METRICS)
        return {
            "seeds": self.seeds,
            "confidence": LEVEL,
            "method": METHOD_OF_DRAWS if self.draws else METHOD,
            "schemes": {
                label: {name: self.figure(label, name).to_dict() for name in names}
                for label in self.labels
            },
            "against": {
                "to": self.reference,
                "schemes": {
                    label: {name: self.against(label, name).to_dict() for name in names}
                    for label in self.labels
                },
            },
            "others": [each.to_dict() for each in self.comparisons[1:]],
        }

    def seed_rows(self) -> list[grid.Row]:
        """Return the table of means: the reference in units, the others as factors of it."""
        return [
            grid.Row(
                label,
                label == self.reference,
                [self._cell(column, label) for column in _COLUMNS],
                "",
            )
            for label in self.labels
        ]

    def gain_rows(self) -> list[gains.Row]:
        """Return the means of the table of dense programs beside the least; empty if not counted.

        Intervals are in units of the figures; those of a share in percentage points.
        """
        rows = super().gain_rows()
        return [
            replace(row, cells=[row.cells[0], *(self._gain_cell(row, each) for each in _GAINS)])
            for row in rows
        ]

    def _gain_cell(self, row: gains.Row, column: _Column) -> str:
        found = self.figure(row.label, column.metric).estimate
        if found is None:
            return row.cells[-1] if column.metric == metrics.GAIN_SHARE else "–"
        half = f" ±{column.show(found.half)}" if found.half else ""
        return column.show(found.mean) + half

    def gain_lines(self) -> list[str]:
        """Return the sentences on that table: who is not bound and why."""
        return list(gains.unbound(self.labels, self.documents, self.reference))

    def _cell(self, column: _Column, label: str) -> grid.Cell:
        values = {name: self.figure(name, column.metric).estimate for name in self.labels}
        mine = values[label]
        if mine is None:
            return grid.Cell(column.title, "–", best=False)
        if label == self.reference:
            text = column.show(mine.mean) + _within(mine.half, mine.mean)
            return grid.Cell(column.title, text, best=False, thin=self._is_thin(label, column))
        thin = self._is_thin(label, column) or self._is_thin(self.reference, column)
        against = self.against(label, column.metric)
        if against.factor is None:
            return grid.Cell(column.title, column.show(mine.mean), best=False, thin=thin)
        text = units.factor(against.factor) + _within(against.half, against.factor)
        mark = f" {NOISE}" if against.inside_noise else ""
        return grid.Cell(column.title, text + mark, best=False, thin=thin)

    def _is_thin(self, label: str, column: _Column) -> bool:
        """Return whether too few requests carry a percentile under any of the seeds."""
        side, _, key = column.metric.removesuffix("_ns").partition("_")
        place = self.labels.index(label)
        return side in _SIDES and any(
            normalise.is_thin(each.documents[place], side, key) for each in self.comparisons
        )

    def verdict(self) -> list[str]:
        """Return who wins over the seeds, and what is inside the noise, in sentences."""
        lines = [line for side in _SIDES if (line := self._winner(side))]
        return lines or ["The trace has neither reads nor writes: there is nothing to compare."]

    def _winner(self, side: str) -> str:
        """Say who has the lowest mean latency of a side, and who cannot be told from it."""
        metric = f"{side}_mean_ns"
        found = {label: self.figure(label, metric) for label in self.labels}
        means = {label: each.estimate for label, each in found.items()}
        known = {label: mean for label, mean in means.items() if mean is not None}
        if not known:
            return ""
        best = min(known, key=lambda label: known[label].mean)
        rivals = [label for label in known if label != best]
        alike = [name for name in rivals if _is_alike(found[best], found[name])]
        title = f"{side.capitalize()}s, over {len(self.seeds)} {self._repeated}"
        if rivals and len(alike) == len(rivals):
            return f"{title}: the differences in mean latency are inside the noise."
        text = f"{title}: {best} has the lowest mean latency{self._factor(best, metric)}"
        if alike:
            verb = "is" if len(alike) == 1 else "are"
            text += f"; {wording.listed(alike)} {verb} inside the noise of it"
        others = [name for name in rivals if name not in alike and name != self.reference]
        told = [f"{name} has{self._factor(name, metric).lstrip(',')}" for name in others]
        return text + (f". {wording.listed(told)}." if told else ".")

    def _factor(self, label: str, metric: str) -> str:
        """Say what part of the reference's a metric is, empty for the reference."""
        against = self.against(label, metric)
        if label == self.reference or against.factor is None:
            return ""
        text = f", {units.factor(against.factor)} that of {self.reference}"
        if against.half is None:
            return text
        ends = [units.factor(against.factor + sign * against.half) for sign in (-1, 1)]
        return text if ends[0] == ends[1] else f"{text} ({ends[0]} to {ends[1]})"

    def notes(self) -> list[str]:
        """Return what to keep in mind while reading the table, in sentences."""
        own = [
            f"Means over {self._repeated} {self.seeds[0]} to {self.seeds[-1]}, ± half the "
            f"{100 * LEVEL:.0f} % interval (Student's t; factors by the differences of equal "
            f"{self._repeated}). {NOISE} marks a difference inside the noise."
        ]
        if self.draws:
            own.append(_DRAWN)
        elif len({each.documents[0]["trace"]["sha256"] for each in self.comparisons}) == 1:
            told = (
                "nothing is drawn here, and no figure has an interval. All seeds gave the same."
                if self._is_drawn_from_nothing()
                else "only the random choices of the device and the schemes differ."
            )
            own.append(f"The trace is a recording, the same for every seed: {told}")
        return own + super().notes()

    def _is_drawn_from_nothing(self) -> bool:
        """Return whether no seed changes a figure of any scheme."""
        figures = (self.figure(label, each.metric) for label in self.labels for each in _COLUMNS)
        return all(len(set(figure.values)) == 1 for figure in figures)

    def summary(self) -> str:
        """Return the table of means and its verdict as text."""
        from slcache.report import terminal

        table, lines = self._told()
        beside = terminal.gain_tables(self.gain_rows(), self.gain_lines(), self.documents)
        return terminal.text(*terminal.label_line(self.documents), table, *lines, *beside)

    def _told(self) -> tuple[Table, list[str]]:
        from slcache.report import terminal

        return terminal.seeds_table(self.seed_rows()), [*self.notes(), *self.verdict()]

    def report(self) -> str:
        """Return the report: means over seeds, then everything about the first seed's runs."""
        from slcache.report import html

        first = f"{self._repeated[:-1]} {self.seeds[0]}"
        told = html.Seeds(self.seed_rows(), [*self.notes(), *self.verdict()], first)
        return html.render(
            self.labels, self.documents, self.reference, told, self.bounds, self.timelines
        )

    def __repr__(self) -> str:
        count = f"{len(self.seeds)} {self._repeated}"
        return f"<slcache.SeededComparison of {', '.join(self.labels)}: {count}>"


@dataclass(frozen=True)
class _Column:
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


_COLUMNS = (
    _Column("read mean", "read_mean_ns"),
    _Column("read p99", "read_p99_ns"),
    _Column("write mean", "write_mean_ns"),
    _Column("write p99", "write_p99_ns"),
    _Column("write p99.9", "write_p99_9_ns"),
    _Column("WAF", "waf"),
    _Column("erases", "erases"),
    _Column("IOPS", "iops"),
    _Column("MB/s", "bytes_per_s"),
    _Column("run time", "duration_ns"),
)
#: The table of dense programs beside the least, behind the size of the cache.
_GAINS = (
    _Column("dense", "dense_bytes"),
    _Column("at least", "dense_least_bytes"),
    _Column("dense / least", "dense_over_least"),
    _Column("share of the gain", metrics.GAIN_SHARE),
)


def _options(comparison: Comparison) -> dict[str, str]:
    """Return how the trace was read; older results do not say."""
    return comparison.documents[0]["trace"].get("options") or {}


def _is_alike(best: Figure, other: Figure) -> bool:
    """Return whether seeds do not tell two schemes apart, or they are equal within the tie."""
    one, two = best.estimate, other.estimate
    if one is None or two is None:
        return False
    apart = told_apart(best.by_seed(), other.by_seed(), draws=best.draws)
    return apart is False or normalise.equal(one.mean, two.mean)


def _within(half: float | None, mean: float) -> str:
    """Return an interval's half as a part of the mean; nothing where all seeds gave one figure."""
    return "" if not half or not mean else f" ±{units.percent(half / abs(mean))}"
