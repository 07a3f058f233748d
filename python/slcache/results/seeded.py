"""A comparison repeated with seeds or draws: means with intervals, and what is inside the noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from slcache import metrics
from slcache.documents import drawn, normalise
from slcache.documents.gains import share
from slcache.results import mean_cells
from slcache.results.comparison import Comparison
from slcache.results.means import Against, Figure, is_alike
from slcache.results.result import Result
from slcache.sentences import gains, wording
from slcache.study.pairs import LEVEL
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
        # Older results do not say how the trace was read.
        options = [each.documents[0]["trace"].get("options") or {} for each in comparisons]
        #: Whether each seed is a draw of the recording as well.
        self.draws = len({each.get("resample") for each in options}) > 1
        if len(set(self.seeds)) != len(self.seeds):
            raise ValueError(f"seeds used twice: {few(self.seeds)}")

    @property
    def every_run(self) -> list[Result]:
        """The runs of all seeds, seed by seed."""
        return [run for comparison in self.comparisons for run in comparison.runs]

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
        return {
            "seeds": self.seeds,
            "confidence": LEVEL,
            "method": METHOD_OF_DRAWS if self.draws else METHOD,
            "schemes": self._of_all(self.figure),
            "against": {"to": self.reference, "schemes": self._of_all(self.against)},
            "others": [each.to_dict() for each in self.comparisons[1:]],
        }

    def _of_all(self, of: Callable[[str, str], Figure | Against]) -> dict[str, dict[str, Any]]:
        return {
            label: {name: of(label, name).to_dict() for name in metrics.METRICS}
            for label in self.labels
        }

    def seed_rows(self) -> list[grid.Row]:
        """Return the table of means: the reference in units, the others as factors of it."""
        return [
            grid.Row(
                label,
                label == self.reference,
                [self._cell(column, label) for column in mean_cells.COLUMNS],
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
            replace(
                row,
                cells=[row.cells[0], *(self._gain_cell(row, each) for each in mean_cells.GAINS)],
            )
            for row in rows
        ]

    def _gain_cell(self, row: gains.Row, column: mean_cells.Column) -> str:
        found = self.figure(row.label, column.metric).estimate
        if found is None:
            return row.cells[-1] if column.metric == metrics.GAIN_SHARE else "–"
        half = f" ±{column.show(found.half)}" if found.half else ""
        return column.show(found.mean) + half

    def gain_lines(self) -> list[str]:
        """Return the sentences on that table: who is not bound and why."""
        return list(gains.unbound(self.labels, self.documents, self.reference))

    def _cell(self, column: mean_cells.Column, label: str) -> grid.Cell:
        mean = self.figure(label, column.metric).estimate
        divided = label != self.reference
        against = self.against(label, column.metric) if divided else None
        thin = self._is_thin(label, column) or (divided and self._is_thin(self.reference, column))
        return mean_cells.cell(column, mean, against, thin=mean is not None and thin)

    def _is_thin(self, label: str, column: mean_cells.Column) -> bool:
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
        alike = [name for name in rivals if is_alike(found[best], found[name])]
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
            f"{self._repeated}). {mean_cells.NOISE} marks a difference inside the noise."
        ]
        if self.draws:
            own.append(_DRAWN)
        elif len({each.documents[0]["trace"]["sha256"] for each in self.comparisons}) == 1:
            found = (drawn.by_seed(each["config"]) for each in self.documents)
            settings = dict.fromkeys(setting for each in found for setting in each)
            told = f"only what is drawn differs ({', '.join(settings)})"
            if not settings:
                told = (
                    "nothing is drawn here, and no figure has an interval. All seeds gave the same"
                )
            own.append(f"The trace is a recording, the same for every seed: {told}.")
        return own + super().notes()

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
