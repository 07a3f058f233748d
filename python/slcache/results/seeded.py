"""A comparison repeated with seeds or draws: means with intervals, and what is inside the noise."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from rich.text import Text

from slcache import metrics, units
from slcache.documents import Document, figures
from slcache.documents.figures import gain_share
from slcache.names import few, joined
from slcache.results.comparison import Comparison
from slcache.results.intervals import LEVEL, Estimate, Paired, RepeatedFigure, against
from slcache.results.result import Result
from slcache.sentences import endurance, notes, verdict
from slcache.tables import grid
from slcache.tables.grid import Column, Show
from slcache.tables.table import Cells

#: Columns of which a sentence says who differs; of a pace one figure is enough.
_TOLD = ("read_p99_ns", "write_p99_ns", "write_p99_9_ns", "flush_p99_ns", "waf", "erases", "iops")


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
        #: The comparison of the recording, if there is one, and that of each seed or draw.
        self.parts = list(comparisons)
        self.comparisons = self.parts[self.recording is not None :]
        self.seeds = [int(c.documents[0]["provenance"]["seed"]) for c in self.comparisons]
        self._repeated = "draws" if self.draws else "seeds"
        self._beside: dict[str, Mapping[str, Paired]] = {}
        if len(self.comparisons) < 2:
            raise ValueError("one draw has no spread: at least two are needed")
        if len(set(self.seeds)) != len(self.seeds):
            raise ValueError(f"seeds used twice: {few(self.seeds)}")

    @property
    def marked(self) -> dict[str, Comparison]:
        """The same by what marks them."""
        own = [] if self.recording is None else ["recording"]
        marks = [*own, *(f"{self._repeated[:-1]} {seed}" for seed in self.seeds)]
        return dict(zip(marks, self.parts, strict=True))

    @property
    def _every_run(self) -> list[Result]:
        """The runs of all seeds, seed by seed; those of the recording first."""
        return [run for comparison in self.parts for run in comparison.runs]

    @property
    def references(self) -> list[Mapping[str, Any]]:
        """What each of the runs is held against, which is of its own seed."""
        return [document for part in self.parts for document in part.references]

    def figure(self, label: str, metric: str) -> RepeatedFigure:
        """Return a metric (see `slcache.metrics`) of one scheme over the seeds."""
        values = [self._value(each, label, metric) for each in self.comparisons]
        own = None if self.recording is None else self._value(self.recording, label, metric)
        return RepeatedFigure(values, self.draws, own)

    def _figures(self, metric: str) -> dict[str, RepeatedFigure]:
        return {label: self.figure(label, metric) for label in self.labels}

    def _value(self, each: Comparison, label: str, metric: str) -> float | None:
        """Return a metric of one seed; the reference has no share of the gain over itself."""
        if metric != metrics.GAIN_SHARE:
            return each[label][metric]
        if label == self.reference:
            return None
        return gain_share(each[label].documents[0], each[self.reference].documents[0])

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
            "method": METHOD_OF_DRAWS if self.draws else METHOD,
            "schemes": self._of_all(self.figure),
            "against": {"to": self.reference, "schemes": self._of_all(self.against)},
            "others": [each.to_dict() for each in self.parts[1:]],
        }
        return {**super().to_dict(), "seeds": told}

    def _of_all(
        self, of: Callable[[str, str], RepeatedFigure | Paired]
    ) -> dict[str, dict[str, Any]]:
        return {
            label: {name: of(label, name).to_dict() for name in metrics.of_runs(self.documents)}
            for label in self.labels
        }

    @property
    def _columns(self) -> list[Column]:
        """Those of the tables of one seed that are better or worse, in the reference's units."""
        every = (*grid.columns(self.documents), *grid.PACE_COLUMNS)
        columns = [column.of_means for column in every if column.is_judged]
        ends = [self.figure(self.reference, each.metric).estimate for each in columns]
        shows = grid.in_one_unit(columns, [None if e is None else e.centre for e in ends])
        return [replace(each, show=show) for each, show in zip(columns, shows, strict=True)]

    def tables(self) -> list[Cells]:
        """Return the table of means: the reference in units, the others as factors of it.

        Of draws each scheme has a second row: a figure of the recording, the mean of its draws.
        """
        columns, to = self._columns, self.reference
        told = {"": mean_cell} | ({"  mean of draws": draw_cell} if self.recording else {})

        def cell(column: Column, label: str, mark: str) -> str:
            mean = self.figure(label, column.metric).estimate
            beside = None if label == to else self.against(label, column.metric)
            thin = any(self._is_thin(each, column) for each in (label, to))
            text = told[mark](column.show, mean, beside)
            return text + grid.THIN * (mean is not None and thin and not mark)

        rows = [
            [
                grid.named(mark or label, "=1" * (label == to and not mark)),
                *(cell(column, label, mark) for column in columns),
            ]
            for label in self.labels
            for mark in told
        ]
        titles = ["scheme", *(column.title.replace(" ", "\n") for column in columns)]
        return [Cells(titles, rows, caption=legend(rows, len(self.labels) - 1))]

    @property
    def _of_seeds(self) -> endurance.Repeated:
        return {
            label: [each[label].documents[0] for each in self.comparisons] for label in self.labels
        }

    def gains(self) -> list[Cells]:
        """Return the means of the table of dense programs beside the least; none if not counted.

        Intervals are in units of the figures; those of a share in percentage points.
        """
        return [
            Cells(
                first.columns,
                (
                    [name, room, *map(partial(self._gain_cell, label), GAINS, others)]
                    for label, (name, room, *others) in zip(self.labels, first.rows, strict=True)
                ),
            )
            for first in super().gains()
        ]

    def _gain_cell(self, label: str, column: Column, cell: Text) -> Text | str:
        found = self.figure(label, column.metric).estimate
        # Whether the first run's share would say nothing.
        first = self[label].documents[0], self[self.reference].documents[0]
        if column.metric == metrics.GAIN_SHARE and (
            found is None or endurance.without_share(*first)
        ):
            return cell
        if found is None:
            return "–"
        half = f" ±{column.show(found.half)}" if found.half else ""
        return column.show(found.centre) + half

    def gain_lines(self) -> list[str]:
        """Return the sentences on that table: who is not bound and why."""
        return list(endurance.unbound(*self._compared))

    def _is_thin(self, label: str, column: Column) -> bool:
        """Return whether too few requests carry a percentile under any of the seeds."""
        documents = (each[label].documents[0] for each in self.comparisons)
        return any(figures.is_thin(document, column.metric) for document in documents)

    def verdict(self) -> list[str]:
        """Return who wins over the seeds, what differs and what is noise, in sentences."""
        over = f"over {len(self.seeds)} {self._repeated}"
        sides = [
            winner(
                f"{many.capitalize()}, {over}",
                self._figures(f"{kind}_mean_ns"),
                self.reference,
                figures.buildable(self._compared[0]),
            )
            for kind, many in verdict.kinds_of(self.documents).items()
        ]
        if not any(sides):
            return [verdict.NOTHING]
        others = []
        for column in self._columns:
            thin = any(self._is_thin(label, column) for label in self.labels)
            if column.metric in _TOLD and not thin:
                beside = self._against(column.metric)
                found = {name: beside[name] for name in self.labels if name != self.reference}
                title = f"{column.words[0].upper()}{column.words[1:]}, {over}"
                most = metrics.metric_of(column.metric).goal == "max"
                others.append(differing(title, found, self.reference, most=most))
        first, *rest = filter(None, [*sides, *others])
        return [notes.untested(self.labelled) + first, *rest]

    def notes(self) -> list[str]:
        """Return what to keep in mind while reading the table, in sentences."""
        of = f"{self._repeated} {self.seeds[0]} to {self.seeds[-1]}"
        recording = self.recording is not None
        own = [meant(of, recording=recording), OVER_METRICS]
        if self.draws:
            found = {column.metric: self._figures(column.metric) for column in self._columns}
            return [*own, DRAWN, *off(self._columns, found), *super().notes()]
        same = len({each.documents[0]["trace"]["sha256"] for each in self.comparisons}) == 1
        alike = [of_recording(self.documents)] if same else []
        return [*own, of_counts(len(self.seeds)), *alike, *super().notes()]

    def report(self) -> str:
        """Return the report: means over seeds, then everything about the first seed's runs."""
        from slcache.results import report

        first = "the recording itself" if self.recording else next(iter(self.marked))
        said = [*self.notes(), *self.verdict()]
        head = {"tables": self.tables(), "notes": said, "first": first}
        return report.render(*self._compared, head, self.bounds, self.gb_per_day)

    def __repr__(self) -> str:
        count = f"{len(self.seeds)} {self._repeated}"
        return f"<slcache.SeededComparison of {', '.join(self.labels)}: {count}>"


#: Marks a difference that seeds do not tell from none.
NOISE = "≈"
#: Marks a mean of draws within whose interval the recording's own figure is not.
OFF = "!"


#: The table of dense programs beside the least, behind the size of the cache.
GAINS = (
    Column("dense", "dense_bytes", lambda value: units.size(round(value))),
    Column("at least", "dense_least_bytes", lambda value: units.size(round(value))),
    Column("dense / least", "dense_over_least", units.significant),
    Column("share of the gain", metrics.GAIN_SHARE, units.percent),
)


def mean_cell(show: Show, mean: Estimate | None, beside: Paired | None) -> str:
    """Return a figure as a factor of the reference's; in its unit where it is the reference's."""
    if mean is None:
        return "–"
    if beside is None:
        half = mean.half / abs(mean.centre) if mean.half and mean.centre else None
        return show(mean.centre) + (f" ±{_about(half)}" if half else "")
    told = show(mean.centre) if beside.factor is None else factor(beside)
    return f"{told} {NOISE}" if beside.inside_noise else told


def _about(half: float) -> str:
    """Return half an interval's share of a mean, as closely as it says anything."""
    if half < 1e-3:
        return "<0.1 %"
    return ">100 %" if half > 1 else units.percent(half)


def draw_cell(show: Show, mean: Estimate | None, beside: Paired | None) -> str:
    """Return the mean of the draws in the same way, marked where the recording is not near it."""
    if mean is None:
        return "–"
    if beside is None or beside.mean is None:
        return show(mean.mean) + (f" {OFF}" if mean.is_off else "")
    return units.factor(beside.mean) + (f" {OFF}" if beside.is_off else "")


def factor(found: Paired) -> str:
    """Return a factor with its interval, as in `0.60× [0.57, 0.63]`; empty where there is none."""
    if found.factor is None:
        return ""
    text = units.factor(found.factor)
    if found.low is None or found.high is None:
        return text
    low, high = (units.factor(end) for end in (found.low, found.high))
    return text if low == high else f"{text} [{low[:-1]}, {high[:-1]}]"


#: More schemes than these are not told one by one.
FEW = 3
_RATIOS = (
    "beside the reference on the logarithms of the ratios of equal {0}: a factor is {1}; "
    "inside_noise by Holm's correction over the schemes, each metric by itself"
)
#: How intervals are made.
METHOD = "Student's t on the means of seeds; " + _RATIOS.format("seeds", "their geometric mean")
METHOD_OF_DRAWS = (
    "the recording's own figure, and Student's t times the standard deviation of draws by the "
    "stationary bootstrap; " + _RATIOS.format("draws", "the recording's own ratio")
)
#: How the intervals of draws are meant.
DRAWN = (
    "A draw is the recording's time in stretches of random order. The interval is for another "
    "recording of the same length: more draws make it surer, not narrower. Draws are of one "
    "recording: that all of them agree is no test."
)

Figures = Mapping[str, RepeatedFigure]


def winner(title: str, every: Figures, to: str, built: Collection[str]) -> str:
    """Say who has the lowest mean of a side, who cannot be told from it, and the others.

    What knew the trace is told beside them.
    """
    ahead = {name for name in every if name not in built and name != to}
    of = {name: each for name, each in every.items() if name not in ahead}
    told = _lowest(title, of, to)
    beside = {name: each for name, each in against(every, to).items() if name in ahead}
    return f"{told} With the trace known: {_few(beside, to)}." if beside else told


def _lowest(title: str, of: Figures, to: str) -> str:
    """Say the same of those that may win."""
    found = {name: each.estimate for name, each in of.items()}
    known = {name: each.centre for name, each in found.items() if each is not None}
    if not known:
        return ""
    best = min(known, key=lambda name: known[name])
    rivals = against({name: of[name] for name in known}, best)
    beside = against(of, to)
    alike = {name: each for name, each in rivals.items() if each.inside_noise}
    if best != to and to in known and beside[best].inside_noise:
        # What the table marks as noise the verdict does not tell apart.
        alike[to] = rivals[to]
    if rivals and len(alike) == len(rivals):
        return f"{title}: mean latencies are not told apart ({_few(alike, best)})."
    near = [n for n in rivals if n not in alike and figures.equal(known[n], known[best])]
    text = f"{title}: {best} has the lowest mean latency"
    if best != to and to in known and to not in alike:
        text += f", {_than(beside[best], to)}"
    if near:
        text += f"; {joined(near)} {'is' if len(near) == 1 else 'are'} within 1 % of it"
    if alike:
        text += f"; not told from it: {_few(alike, best)}"
    others = {name: beside[name] for name in rivals if name not in (*alike, *near, to)}
    return f"{text}. Others: {_few(others, to)}." if others else f"{text}."


def differing(title: str, found: Mapping[str, Paired], to: str, *, most: bool = False) -> str:
    """Say in which schemes a metric differs from the reference's by more than noise; or nothing.

    The best is told first: the least, unless the `most` is best.
    """
    apart = [name for name, each in found.items() if each.inside_noise is False]
    apart.sort(key=lambda name: found[name].factor or 0.0, reverse=most)
    if not apart:
        return ""
    noise = sum(bool(each.inside_noise) for each in found.values())
    rest = f"; {noise} not told apart" if noise else ""
    return f"{title}: {_few({name: found[name] for name in apart}, to)}{rest}."


def _few(found: Mapping[str, Paired], to: str) -> str:
    """Tell the first of schemes beside another, equal ones together, and how many are left."""
    groups: dict[str, list[str]] = {}
    for name, each in found.items():
        groups.setdefault(_than(each, to), []).append(name)
    first = list(groups.items())[:FEW]
    more = len(found) - sum(len(names) for _, names in first)
    told = [f"{joined(names)} {words}" for words, names in first]
    return "; ".join([*told, *([f"{more} more"] if more else [])])


def _than(one: Paired, to: str) -> str:
    """Return a factor of another scheme's figure, and how many pairs say so."""
    if one.pairs and not one.agreeing:
        return f"equal to {to} in all {one.pairs}"
    times = f"{factor(one)} that of {to}, " if one.factor is not None else ""
    though = "though " if one.inside_noise and one.agreeing == one.pairs > 1 else ""
    return f"{times}{though}{counted(one)}" + ("" if times else f" than that of {to}")


def counted(found: Paired) -> str:
    """Return in how many pairs a figure is on which side, as in `lower in 9 of 10`."""
    if not found.pairs:
        return "of which there is nothing to compare"
    side = "lower" if found.less > found.more else "higher"
    return f"{side} in {found.agreeing} of {found.pairs}"


def off(columns: Sequence[Column], figures: Mapping[str, Figures]) -> list[str]:
    """Say where the recording's own figure is not within the interval of its draws, and why.

    `figures` are by metric.
    """
    found = [
        (column, name, told)
        for column in columns
        for name, each in figures[column.metric].items()
        if (told := each.estimate) is not None and told.is_off
    ]
    if not found:
        return []
    named = []
    for column, name, told in found[:FEW]:
        ends = (told.mean, *(told.mean + sign * (told.half or 0.0) for sign in (-1, 1)))
        mean, low, high = map(column.show, ends)
        own = column.show(told.centre)
        named.append(f"{column.words} of {name}, {own} against {mean} [{low}, {high}]")
    more = f", and {len(found) - FEW} more" if len(found) > FEW else ""
    return [
        f"{OFF} Draws lie off the recording: {'; '.join(named)}{more}. A stretch meets a device "
        "that another one left, and order across joints is lost. So trust the recording's figures, "
        "and try longer stretches (--resample-block)."
    ]


def meant(of: str, *, recording: bool) -> str:
    """Say what the table's figures and intervals are; `of` names the seeds or draws."""
    level, word = f"{100 * LEVEL:.0f} %", of.split()[0]
    first = f"Means over {of}, ± half their {level} interval."
    if recording:
        first = (
            f"The recording's own figures, ± half the {level} interval from its draws; below them "
            f"the means over {of}."
        )
    return (
        f"{first} Factors have the {level} interval [low, high] of the ratios of equal {word}, on "
        "logarithms (Student's t)."
    )


def legend(rows: Sequence[Sequence[object]], others: int) -> str:
    """Return what is said below of marks, where a cell has one."""
    cells = [str(cell) for _, *row in rows for cell in row]
    said = [grid.note([cells])]
    if any(NOISE in cell for cell in cells):
        by = "" if others < 2 else f", judged among {others} schemes (Holm), as intervals are not"
        said.append(f"{NOISE} no significant difference{by}")
    if any(cell.endswith(OFF) for cell in cells):
        said.append(f"{OFF} the recording lies outside the interval around the mean of its draws")
    return "\n".join(filter(None, said))


#: What is not corrected for.
OVER_METRICS = (
    "There is no correction over metrics: of twenty equal ones, one differs significantly by "
    "chance."
)


def of_counts(seeds: int) -> str:
    """Say what can be concluded of the number of seeds that agree."""
    p = 2.0 ** (1 - seeds)
    if p > 1 - LEVEL:
        return (
            f"That all {seeds} seeds agree is not significant by itself (sign test: p = {p:.2g})."
        )
    return f"That all {seeds} seeds agree is significant by itself (sign test: p = {p:.2g})."


def of_recording(documents: Sequence[Document]) -> str:
    """Say that seeds draw no other trace, and what they change."""
    settings = dict.fromkeys(each for d in documents for each in figures.by_seed(d["config"]))
    what = f"only what is drawn differs ({', '.join(settings)})"
    if not settings:
        what = "nothing is drawn here, and no figure has an interval. All seeds gave the same"
    return f"The trace is a recording, the same for every seed: {what}."
