"""A comparison repeated with seeds or draws: means with intervals, and what is inside the noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from rich.text import Text

from slcache import metrics
from slcache.documents import figures
from slcache.documents.figures import gain_share
from slcache.names import few
from slcache.results import means
from slcache.results.comparison import Comparison
from slcache.results.intervals import LEVEL, Figure, Paired, against
from slcache.results.result import Result
from slcache.sentences import gains, life, notes, verdict
from slcache.tables import grid
from slcache.tables.grid import Column, Show
from slcache.tables.table import Cells

_SIDES = ("write", "read")
#: Columns of which a sentence says who differs; of a pace one figure is enough.
_TOLD = ("read_p99_ns", "write_p99_ns", "write_p99_9_ns", "waf", "erases", "iops")


class SeededComparison(Comparison):
    """A comparison repeated with several seeds, or draws of a recording.

    Its tables, figures and runs are the first's; beside draws that is the recording itself.

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
        draws = [figures.draw(each.documents[0]) for each in comparisons]
        #: Whether each seed is a draw of the recording as well.
        self.draws = len(set(draws)) > 1
        #: The recording itself, beside its draws; older results have none.
        self.recording = first if self.draws and draws[0] is None else None
        self.comparisons = list(comparisons[self.recording is not None :])
        self.seeds = [int(c.documents[0]["provenance"]["seed"]) for c in self.comparisons]
        self._beside: dict[str, Mapping[str, Paired]] = {}
        if len(self.comparisons) < 2:
            raise ValueError("one draw has no spread: at least two are needed")
        if len(set(self.seeds)) != len(self.seeds):
            raise ValueError(f"seeds used twice: {few(self.seeds)}")

    @property
    def marked(self) -> dict[str, Comparison]:
        """The comparison of the recording, if there is one, and that of each seed or draw."""
        own = {} if self.recording is None else {"recording": self.recording}
        seeds = zip(self.seeds, self.comparisons, strict=True)
        word = "draw" if self.draws else "seed"
        return {**own, **{f"{word} {seed}": each for seed, each in seeds}}

    @property
    def parts(self) -> list[Comparison]:
        """The same without what marks them."""
        return list(self.marked.values())

    @property
    def every_run(self) -> list[Result]:
        """The runs of all seeds, seed by seed; those of the recording first."""
        return [run for comparison in self.parts for run in comparison.runs]

    @property
    def references(self) -> list[Mapping[str, Any]]:
        """What each of the runs is held against, which is of its own seed."""
        return [document for part in self.parts for document in part.references]

    def figure(self, label: str, metric: str) -> Figure:
        """Return a metric (see `slcache.metrics`) of one scheme over the seeds."""
        values = [self._value(each, label, metric) for each in self.comparisons]
        own = None if self.recording is None else self._value(self.recording, label, metric)
        return Figure(values, self.draws, own)

    def _figures(self, metric: str) -> dict[str, Figure]:
        return {label: self.figure(label, metric) for label in self.labels}

    @property
    def _repeated(self) -> str:
        return "draws" if self.draws else "seeds"

    def _document(self, each: Comparison, label: str) -> Mapping[str, Any]:
        return each.documents[self.labels.index(label)]

    def _value(self, each: Comparison, label: str, metric: str) -> float | None:
        """Return a metric of one seed; the reference has no share of the gain over itself."""
        document = self._document(each, label)
        if metric != metrics.GAIN_SHARE:
            return metrics.named(metric).value(document)
        if label == self.reference:
            return None
        return gain_share(document, self._document(each, self.reference))

    def against(self, label: str, metric: str) -> Paired:
        """Return a scheme's metric as a factor of the reference's; of itself that is 1."""
        return self._against(metric)[label]

    def _against(self, metric: str) -> Mapping[str, Paired]:
        if metric not in self._beside:
            figures = self._figures(metric)
            own = figures[self.reference]
            itself = {self.reference: own.beside(own)}
            self._beside[metric] = itself | against(figures, self.reference)
        return self._beside[metric]

    def to_dict(self) -> dict[str, Any]:
        """Return the first seed's document with `seeds`: means, intervals and the other runs."""
        told = {
            "seeds": self.seeds,
            "confidence": LEVEL,
            "method": means.METHOD_OF_DRAWS if self.draws else means.METHOD,
            "schemes": self._of_all(self.figure),
            "against": {"to": self.reference, "schemes": self._of_all(self.against)},
            "others": [each.to_dict() for each in self.parts[1:]],
        }
        return {**super().to_dict(), "seeds": told}

    def _of_all(self, of: Callable[[str, str], Figure | Paired]) -> dict[str, dict[str, Any]]:
        return {
            label: {name: of(label, name).to_dict() for name in metrics.of_runs(self.documents)}
            for label in self.labels
        }

    def tables(self) -> list[Cells]:
        """Return the table of means: the reference in units, the others as factors of it.

        Of draws each scheme has a second row: a figure of the recording, the mean of its draws.
        """
        columns, to = means.COLUMNS, self.reference
        ends = [self.figure(to, each.metric).estimate for each in columns]
        shows = grid.in_one_unit(columns, [None if e is None else e.centre for e in ends])
        told = {"": means.text} | ({"  mean of draws": means.drawn} if self.recording else {})

        def cell(column: Column, show: Show, label: str, mark: str) -> str:
            mean = self.figure(label, column.metric).estimate
            beside = None if label == to else self.against(label, column.metric)
            thin = any(self._is_thin(each, column) for each in (label, to))
            text = told[mark](show, mean, beside)
            return text + grid.THIN * (mean is not None and thin and not mark)

        rows = [
            [
                grid.named(mark or label, "=1" * (label == to and not mark)),
                *(cell(*each, label, mark) for each in zip(columns, shows, strict=True)),
            ]
            for label in self.labels
            for mark in told
        ]
        titles = ["scheme", *(column.title.replace(" ", "\n") for column in columns)]
        return [Cells(titles, rows, caption=grid.note(rows))]

    def lives(self) -> list[Cells]:
        """Return the table of mean lives over the seeds; none where no run tells."""
        places = range(len(self.labels))
        runs = [[each.documents[place] for each in self.comparisons] for place in places]
        return life.table(self.labels, self.documents, self.gb_per_day, runs)

    def gains(self) -> list[Cells]:
        """Return the means of the table of dense programs beside the least; none if not counted.

        Intervals are in units of the figures; those of a share in percentage points.
        """
        return [
            Cells(first.columns, map(self._gain_row, self.labels, first.rows))
            for first in super().gains()
        ]

    def _gain_row(self, label: str, row: Sequence[Text]) -> list[Text | str]:
        name, room, *others = row
        return [name, room, *map(partial(self._gain_cell, label), means.GAINS, others)]

    def _gain_cell(self, label: str, column: Column, cell: Text) -> Text | str:
        found = self.figure(label, column.metric).estimate
        # Whether the first run's share would say nothing.
        first = self._document(self, label), self._document(self, self.reference)
        if column.metric == metrics.GAIN_SHARE and (found is None or gains.without_share(*first)):
            return cell
        if found is None:
            return "–"
        half = f" ±{column.show(found.half)}" if found.half else ""
        return column.show(found.centre) + half

    def gain_lines(self) -> list[str]:
        """Return the sentences on that table: who is not bound and why."""
        return list(gains.unbound(self.labels, self.documents, self.reference))

    def _is_thin(self, label: str, column: Column) -> bool:
        """Return whether too few requests carry a percentile under any of the seeds."""
        documents = (self._document(each, label) for each in self.comparisons)
        return any(figures.is_thin(document, column.metric) for document in documents)

    def verdict(self) -> list[str]:
        """Return who wins over the seeds, what differs and what is noise, in sentences."""
        over = f"over {len(self.seeds)} {self._repeated}"
        sides = [
            means.winner(
                f"{side.capitalize()}s, {over}", self._figures(f"{side}_mean_ns"), self.reference
            )
            for side in _SIDES
        ]
        if not any(sides):
            return [verdict.NOTHING]
        others = []
        for column in means.COLUMNS:
            if column.metric in _TOLD and (found := self._told_of(column)):
                title = f"{column.words[0].upper()}{column.words[1:]}, {over}"
                most = metrics.named(column.metric).goal == "max"
                others.append(means.differing(title, found, self.reference, most=most))
        first, *rest = filter(None, [*sides, *others])
        pairs = [(run.label, run.documents[0]) for run in self.every_run]
        return [notes.unfilled(pairs) + first, *rest]

    def _told_of(self, column: Column) -> dict[str, Paired]:
        """Return the schemes beside the reference, but for what too few requests carry."""
        others = [label for label in self.labels if label != self.reference]
        thin = any(self._is_thin(label, column) for label in self.labels)
        return {} if thin else {label: self.against(label, column.metric) for label in others}

    def notes(self) -> list[str]:
        """Return what to keep in mind while reading the table, in sentences."""
        of = f"{self._repeated} {self.seeds[0]} to {self.seeds[-1]}"
        own = [means.meant(of, recording=self.recording is not None)]
        own.append(means.together(len(self.labels) - 1))
        if self.draws:
            columns = means.COLUMNS
            found = {column.metric: self._figures(column.metric) for column in columns}
            return [*own, means.DRAWN, *means.off(columns, found), *super().notes()]
        same = len({each.documents[0]["trace"]["sha256"] for each in self.comparisons}) == 1
        alike = [means.of_recording(self.documents)] if same else []
        return [*own, means.of_counts(len(self.seeds)), *alike, *super().notes()]

    def report(self) -> str:
        """Return the report: means over seeds, then everything about the first seed's runs."""
        from slcache.report import html

        first = f"{self._repeated[:-1]} {self.seeds[0]}"
        if self.recording is not None:
            first = "the recording itself"
        head = html.Seeds(self.tables(), [*self.notes(), *self.verdict()], first)
        runs = (self.labels, self.documents, self.reference)
        return html.render(*runs, head, self.bounds, self.gb_per_day)

    def __repr__(self) -> str:
        count = f"{len(self.seeds)} {self._repeated}"
        return f"<slcache.SeededComparison of {', '.join(self.labels)}: {count}>"
