"""The points of an evaluation: what the runs of a part come to by trace, setting and seed."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeVar

from annotated_types import Len
from pydantic import Field
from typing_extensions import TypedDict

from slcache.documents import figures
from slcache.documents.figures import BITS, densest, planes, slc_block_bytes
from slcache.documents.schemata import shape
from slcache.reproduce.equations import nvc_lifespan
from slcache.reproduce.measures import AbsentError, present, value
from slcache.reproduce.notation import Call, Keywords, Term, evaluate
from slcache.reproduce.parts import Grid, Lifespans, Optima, Yardstick

#: Workload, scheme and seed.
Key = tuple[str, str, int]
#: Figures by setting; a scheme that is no grid has one, at 0.
Curve = dict[float, float]
Curves = dict[str, Curve]


class PointTable:
    """Results by (workload, scheme, seed)."""

    def __init__(
        self,
        documents: Mapping[Key, Mapping[str, Any]],
        reference: str,
        workloads: Sequence[str],
        grids: Sequence[Grid] = (),
        wanted: Sequence[str] | None = None,
    ) -> None:
        """Hold results; `wanted` are the traces that claims are of, None in a study of some."""
        self.documents = documents
        self.reference = reference
        self._grids = {grid.name: grid for grid in grids}
        self._wanted = wanted
        held = {workload for workload, _, _ in documents}
        self.workloads = [name for name in workloads if name in held]
        self.schemes = list(dict.fromkeys(scheme for _, scheme, _ in documents))
        self.seeds = sorted({seed for _, _, seed in documents})

    def run_of(self, names: Sequence[str]) -> list[str]:
        """Return the workloads named that were run; all that were where none is named."""
        return [name for name in names or self.workloads if name in self.workloads]

    def missing(self, named: Sequence[str], *, others: bool = False) -> list[str]:
        """Return the workloads that were not run, of those named or of all (`others`)."""
        if self._wanted is None:
            return []
        wanted = [*named, *self._wanted] if others or not named else named
        return [name for name in dict.fromkeys(wanted) if name not in self.workloads]

    def is_grid(self, name: str) -> bool:
        """Return whether it is a grid, and no one scheme."""
        return name in self._grids

    def get(self, measure: str, workload: str, scheme: str, seed: int) -> float | None:
        """Return one figure; None where it was not measured."""
        document = self.documents.get((workload, scheme, seed))
        return None if document is None else value(measure, document)

    def figure(self, column: Term, workload: str, scheme: str, seed: int) -> float | None:
        """Return what a column comes to in one run; None where it was not measured."""
        try:
            of = evaluate(column, lambda name: present(self.get(name, workload, scheme, seed)))
        except (AbsentError, ZeroDivisionError):
            return None
        return float(of)

    def values(
        self, column: Term, scheme: str, workload: str, seed: int | None = None
    ) -> list[float]:
        """Return a column for every seed that has it, or for one."""
        every = [
            self.figure(column, workload, scheme, each)
            for each in (self.seeds if seed is None else [seed])
        ]
        return [figure for figure in every if figure is not None]

    def mean(
        self, column: Term, scheme: str, workload: str, seed: int | None = None
    ) -> float | None:
        """Return a column's mean over the seeds, or that of one seed."""
        figures = self.values(column, scheme, workload, seed)
        return statistics.fmean(figures) if figures else None

    def curve(self, column: Term, name: str, workload: str, seed: int | None = None) -> Curve:
        """Return a column over a grid of one setting, by its value: a seed's, or the means."""
        points = {0.0: name}
        if self.is_grid(name):
            points = {float(each.point[0]): each.name for each in self._grids[name].variants}
        figures = {at: self.mean(column, each, workload, seed) for at, each in points.items()}
        return {at: figure for at, figure in figures.items() if figure is not None}

    def ratios(
        self, column: Term, scheme: str, rival: str, workload: str, seed: int | None = None
    ) -> Curve:
        """Return a scheme's or grid's curve over a rival's: a grid's own, or one scheme's."""
        own = self.curve(column, scheme, workload, seed)
        other = self.curve(column, rival, workload, seed)
        if not self.is_grid(rival):
            other = dict.fromkeys(own, other[0.0]) if other else {}
        return {at: own[at] / other[at] for at in own if other.get(at)}

    def relative(
        self, column: Term, scheme: str, workload: str, seed: int | None = None
    ) -> float | None:
        """Return a figure relative to the reference scheme's on the same workload."""
        return self.ratios(column, scheme, self.reference, workload, seed).get(0.0)

    def relative_means(self, column: Term, names: Sequence[str] = ()) -> dict[str, float]:
        """Return every scheme's mean over workloads, each relative to the reference."""
        means = {}
        for scheme in self.schemes:
            ratios = [self.relative(column, scheme, name) for name in names or self.workloads]
            known = [ratio for ratio in ratios if ratio is not None]
            if known:
                means[scheme] = statistics.fmean(known)
        return means


@dataclass(frozen=True)
class PointSelection:
    """The points that a function is of: a column by trace, setting and seed."""

    call: Call
    table: PointTable

    @property
    def more(self) -> Keywords:
        """What is said beside the column and the schemes."""
        return self.call.more

    @property
    def scheme(self) -> str:
        """The scheme, or grid, that it is about."""
        return self.call.schemes[0]

    @property
    def rivals(self) -> Sequence[str]:
        """The schemes that it is held against."""
        return self.call.schemes[1:]

    @property
    def is_grid(self) -> bool:
        """Judge whether it is of a grid."""
        return self.table.is_grid(self.scheme)

    @property
    def traces(self) -> list[str]:
        """The traces that it is of, of those that were run."""
        return [name for name in self.table.workloads if not self.more.on or name in self.more.on]

    def without(self, key: str) -> PointSelection:
        """Return the points of everything that a keyword leaves out, too."""
        return replace(self, call=replace(self.call, more=self.more.model_copy(update={key: []})))

    def mean(self, scheme: str, trace: str) -> float | None:
        """Return the column's mean over the seeds."""
        return self.table.mean(self.call.column, scheme, trace)

    def figures(self, seed: int | None = None, scheme: str = "") -> Curves:
        """Return the column by trace and setting: the means over the seeds, or one seed's."""
        name = scheme or self.scheme
        return self._at({w: self.table.curve(self.call.column, name, w, seed) for w in self.traces})

    def changes(self, seed: int | None = None, rival: str = "") -> Curves:
        """Return scheme / rival - 1 in percent: a seed's, or the means over those that have it."""
        rival = rival or self.rivals[0]
        found: Curves = {}
        for name in self.traces:
            every: dict[float, list[float]] = {}
            for each in self.table.seeds if seed is None else [seed]:
                ratios = self.table.ratios(self.call.column, self.scheme, rival, name, each)
                for at, ratio in ratios.items():
                    every.setdefault(at, []).append(100 * (ratio - 1))
            found[name] = {at: statistics.fmean(of) for at, of in every.items()}
        return self._at(found)

    def curves(self) -> Curves:
        """Return the changes against the rival where there is one, else the column."""
        return self.changes() if self.rivals else self.figures()

    def _at(self, curves: Curves) -> Curves:
        at = self.more.at
        found = {n: {x: y for x, y in c.items() if not at or x in at} for n, c in curves.items()}
        return {name: curve for name, curve in found.items() if curve}


def means(curves: Curves) -> dict[str, float]:
    """Return each trace's mean over the settings."""
    return {name: statistics.fmean(of.values()) for name, of in curves.items()}


K = TypeVar("K")
#: Lowest and highest.
Range = Annotated[list[float], Len(2, 2)]
#: Settings whose figure is at most this part away from the best one's are as good for a user.
NEAR = 0.05
#: What is said of learning against the best constant.
BEATS, TIES, LOSES = "beats", "as good as", "below"


@shape
class Optimum(TypedDict):
    """Where a setting is best on a trace of a part."""

    part: str
    workload: str
    measure: str
    paper: float | None
    """The paper's best setting."""
    ours: float
    spread: Range
    """The lowest and highest of the seeds' own."""
    near: Range
    """Settings at most 5 % worse."""
    paper_worse: float | None
    """How much worse the paper's setting is than ours, as a part of ours."""
    predicted: float | None
    """The model's optimum, on average."""
    chosen: float | None
    """The setting that the adaptive scheme had on average."""
    adaptive_worse: float | None


@shape
class Learned(TypedDict):
    """A learned scheme beside the best constant setting on a trace."""

    workload: str
    learned: float
    spread: Range
    random: float | None
    best: float
    best_is: str
    worst: float
    share: float | None
    """Part of the way from the worst to the best constant, where these are apart; above 1 learning
    is better than both."""
    random_share: float | None
    verdict: Annotated[str, Field(json_schema_extra={"enum": [BEATS, TIES, LOSES]})]


def optimum(curve: Mapping[K, float], which: str) -> K:
    """Return the setting, or name, with the least or the most of a measure, the first of equals."""
    order = max if which == "most" else min
    return order(curve, key=lambda at: curve[at])


def optima_of(specs: Sequence[Optima], tables: Mapping[str, PointTable]) -> list[Optimum]:
    """Return a row for every part and trace that has the figures."""
    every = (
        (spec, part, name)
        for spec in specs
        for part in spec.parts
        for name in tables[part].workloads
    )
    return [
        row for spec, part, name in every for row in _optimum_of(spec, part, tables[part], name)
    ]


def _optimum_of(spec: Optima, part: str, table: PointTable, workload: str) -> Iterator[Optimum]:
    curve = table.curve(spec.measure, spec.scheme, workload)
    if not curve:
        return
    best = optimum(curve, spec.which)
    sign = 1 if spec.which == "least" else -1

    def worse(figure: float | None) -> float | None:
        return None if figure is None or not curve[best] else sign * (figure / curve[best] - 1)

    near = [at for at, figure in curve.items() if (worse(figure) or 0.0) <= NEAR]
    seeds = [table.curve(spec.measure, spec.scheme, workload, seed) for seed in table.seeds]
    each = [optimum(seed, spec.which) for seed in seeds if seed]
    paper = spec.paper.get(part, {}).get(workload)
    # The model's optimum: every run of the grid has its own, from what it counted.
    predicted = table.curve(spec.predicted, spec.scheme, workload)
    yield {
        "part": part,
        "workload": workload,
        "measure": spec.measure,
        "paper": paper,
        "ours": best,
        "spread": [min(each), max(each)],
        "near": [min(near), max(near)],
        "paper_worse": None if paper is None else worse(curve.get(paper)),
        "predicted": statistics.fmean(predicted.values()) if predicted else None,
        "chosen": table.mean(spec.chosen, spec.adaptive, workload),
        "adaptive_worse": worse(table.mean(spec.measure, spec.adaptive, workload)),
    }


def learned_of(spec: Yardstick | None, tables: Mapping[str, PointTable]) -> list[Learned]:
    """Return a row for every trace that has the figures, all of the yardstick's measure."""
    if spec is None:
        return []
    table = tables[spec.part]
    return [row for name in table.workloads for row in _learned(spec, table, name)]


def _learned(spec: Yardstick, table: PointTable, workload: str) -> Iterator[Learned]:
    learned = table.values(spec.measure, spec.scheme, workload)
    best, worst, random = (
        table.mean(spec.measure, scheme, workload)
        for scheme in (spec.best, spec.worst, spec.random)
    )
    if not learned or best is None or worst is None:
        return
    mean = statistics.fmean(learned)

    def share(figure: float | None) -> float | None:
        apart = figure is not None and not figures.equal(best, worst)
        return (figure - worst) / (best - worst) if figure is not None and apart else None

    yield {
        "workload": workload,
        "learned": mean,
        "spread": [min(learned), max(learned)],
        "random": random,
        "best": best,
        "best_is": table.documents[workload, spec.best, table.seeds[0]]["picked"],
        "worst": worst,
        "share": share(mean),
        "random_share": share(random),
        "verdict": TIES if figures.equal(mean, best) else BEATS if mean > best else LOSES,
    }


def sentence(rows: Sequence[Learned]) -> str:
    """Say plainly whether learning beats the best constant."""
    count = {v: [r["workload"] for r in rows if r["verdict"] == v] for v in (BEATS, TIES, LOSES)}
    shares = [row["share"] for row in rows if row["share"] is not None]
    mean = ""
    if shares:
        mean = f" On average it goes {100 * statistics.fmean(shares):.0f} % of the way"
        mean += " from the worst constant to the best."
    told = [f"{len(names)} {v} it ({', '.join(names)})" for v, names in count.items() if names]
    return f"Learning against the best constant, {len(rows)} traces: {'; '.join(told)}.{mean}"


Document = Mapping[str, Any]
Documents = dict[Key, Any]

#: Bytes of a pass that the model takes: of which run (a point's own, that of SLC or of dense blocks
#: alone), and by which measure.
_VOLUMES = {
    "host_bytes": (0, "host_bytes"),
    "slc_bytes": (0, "slc_bytes"),
    "dense_bytes": (0, "dense_bytes"),
    "slc_only_bytes": (1, "slc_bytes"),
    "dense_only_bytes": (2, "dense_bytes"),
}


def add_lifespans(
    spec: Lifespans, of_parts: Mapping[str, Documents], grids: Sequence[Grid]
) -> None:
    """Put a lifespan beside the result of every point that has the runs it takes.

    Once as the model has it, where the last region works alone at its own size, and once as if it
    then were the whole chip: the paper does not say which of the two it measures.
    """
    names = {grid.name: {v.point[0]: v.name for v in grid.variants} for grid in grids}
    slc, dense = names[spec.slc_alone], names[spec.dense_alone]
    passes = [of_parts[part] for part in (spec.part, spec.less) if part in of_parts]
    shown: Documents = {}
    for share, name in (point for grid in spec.grids for point in names[grid].items()):
        readings = {"own": (slc.get(share), dense.get(1 - share)), "full_chip": (slc[1], dense[1])}
        for key in [key for key in passes[0] if key[1] == name]:
            told = {
                reading: _lifespan(share, key, (name, *alone), passes)
                for reading, alone in readings.items()
            }
            shown[key] = {**passes[0][key], "lifespan": told}
    passes[0].update(shown)


def _lifespan(
    share: float, key: Key, names: Sequence[str | None], passes: Sequence[Documents]
) -> dict[str, Any] | None:
    """Return what the model says of a point; None where a run that it needs is missing."""
    workload, _, seed = key
    every = [[of.get((workload, str(name), seed)) for name in names] for of in passes]
    # A region that does not exist needs no run, and programs nothing.
    needed = (True, share > 0, share < 1)
    endures = chip(passes[0][key])
    if endures is None or any(
        run is None and need for runs in every for run, need in zip(runs, needed, strict=True)
    ):
        return None
    first, *less = (
        {
            key: (value(name, run) or 0.0) if (run := runs[i]) else 0.0
            for key, (i, name) in _VOLUMES.items()
        }
        for runs in every
    )
    volumes = {name: of - sum(each[name] for each in less) for name, of in first.items()}
    found = nvc_lifespan(endures, slc_share=share, volumes=volumes)
    return {"host_bytes": found.host_bytes, "passes": found.passes, "first": found.first}


def chip(document: Document) -> dict[str, float] | None:
    """Return what a run's flash endures; None where its cycles are not known."""
    (pool,) = document["config"]["device"]["pool"]
    dense = densest(pool)
    cycles = pool["slc"]["endurance_cycles"], pool[dense]["endurance_cycles"]
    if None in cycles:
        return None
    return {
        "slc_cycles": cycles[0],
        "dense_cycles": cycles[1],
        "slc_block_bytes": slc_block_bytes(pool),
        "dense_bits": BITS[dense],
        "blocks": planes(pool) * pool["blocks"],
    }
