"""What a search has found: in plain data, in sentences, as a page and as files."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from slcache import catalogue, frame, names
from slcache.documents import JsonDocument, figures, provenance
from slcache.names import joined, printable
from slcache.options import content
from slcache.options.content import one_name
from slcache.search import MetricBound, Search
from slcache.search.space import Settings, Space
from slcache.search.strategies import TriedPoint
from slcache.study import fronts, page, points
from slcache.study.analysis import Analysis
from slcache.study.axes import Value, amount, plain
from slcache.study.model import Study
from slcache.study.outcome import Outcome, choices, figure_text, value_text
from slcache.study.points import READER, SCHEME, WORKLOAD, StudyPoint

if TYPE_CHECKING:
    import polars as pl
    from altair import ConcatChart as Chart

#: How the value that is wanted is called, the other end, and what may be better than the answer.
_WORDS = {"min": ("least", "most", "a smaller one"), "max": ("most", "least", "a larger one")}


@dataclass(frozen=True)
class Sizing:
    """The values of a key that were tried, the smallest first, and what the bounds make of them."""

    search: Search
    #: Points of each value, of which some may not be tried.
    values: Sequence[Value]
    tried: Sequence[TriedPoint]

    @property
    def key(self) -> str:
        """The key whose value is wanted."""
        key, _ = self.search.wanted or ("", "min")
        return key

    @property
    def words(self) -> tuple[str, str, str]:
        """How the value that is wanted is called, the other end, and what may be better."""
        return _WORDS["min" if self.search.least is not None else "max"]

    def value(self, one: TriedPoint) -> Value:
        """Return the key's value of a point."""
        return one.settings[self.key]

    @cached_property
    def run(self) -> list[TriedPoint]:
        """The values that the device and the scheme take."""
        return [each for each in self.tried if each.found.status != "impossible"]

    @cached_property
    def best(self) -> TriedPoint | None:
        """The answer; None where no value that was tried keeps the bounds."""
        good = [each for each in self.run if self.keeps(each)]
        return None if not good else good[0 if self.search.least is not None else -1]

    @property
    def nearest(self) -> TriedPoint:
        """The value that comes nearest to the bounds."""
        return max(self.run, key=lambda each: each.within(self.search.bounds))

    def keeps(self, one: TriedPoint) -> bool:
        """Return whether a value keeps all bounds."""
        return one.within(self.search.bounds) >= 0

    @property
    def possible(self) -> list[Value]:
        """The values that are not refused."""
        refused = [self.value(each) for each in self.tried if each not in self.run]
        return [value for value in self.values if value not in refused]

    @property
    def neighbours(self) -> list[TriedPoint]:
        """The values that are next to the answer."""
        if self.best is None:
            return []
        place = self.possible.index(self.value(self.best))
        beside = self.possible[max(0, place - 1) : place + 2]
        return [t for t in self.run if self.value(t) in beside and t is not self.best]

    def turns(self, metric: str) -> list[Value]:
        """Return the values at which a metric stops rising or falling; none where it does not.

        Figures within the tie margin are equal.
        """
        known: list[tuple[Value, float]] = []
        for each in self.run:
            figure = each.found.figures.get(metric)
            if figure is None:
                continue
            if known and figures.equal(known[-1][1], figure):
                figure = known.pop()[1]
            known.append((self.value(each), figure))
        steps = [(a[0], b[1] > a[1]) for a, b in pairwise(known)]
        return [b[0] for a, b in pairwise(steps) if a[1] != b[1]]

    def picture(self) -> dict[str, Any]:
        """Draw the metrics that have bounds over the values."""
        from slcache.charts import study

        bounds = self.search.bounds
        return study.bisection(
            self.key,
            [float(amount(self.value(each))) for each in self.run],
            {n: [each.found.figures.get(n) for each in self.run] for n in self.search.names},
            {n: [bound.value for bound in bounds if bound.metric == n] for n in self.search.names},
            chosen=None if self.best is None else float(amount(self.value(self.best))),
            word=self.words[0],
        )

    def sentences(self) -> Iterator[str]:
        """Yield what was found, what stands beside it and what weakens it."""
        wanted, other, better = self.words
        asked = " and ".join(map(_bound, self.search.bounds))
        ends = "; ".join(map(self._line, (self.run[0], self.run[-1])))
        if self.best is None:
            yield f"No {self.key} that was tried keeps {asked}. At both ends: {ends}."
            yield f"The nearest is {self._line(self.nearest)}; {self._missed(self.nearest)}."
        else:
            yield f"The {wanted} {self.key} that keeps {asked} is {self._line(self.best)}."
            if self.neighbours:
                beside = (
                    self._line(t) + ("" if self.keeps(t) else f" ({self._missed(t)})")
                    for t in self.neighbours
                )
                yield f"Beside it: {'; '.join(beside)}."
            end = self.possible[0 if wanted == "least" else -1]
            if self.value(self.best) == end and len(self.possible) > 1:
                yield (
                    f"It is the {wanted} of all that can be: beyond the range there may be better "
                    f"ones. Where the bounds set the other end, ask for the {other}."
                )
        for each in self.run:
            if each.found.status != "done":
                value = value_text(self.value(each))
                yield f"{self.key} = {value} {each.found.status}: {each.found.reason}"
        # Bisection is sure of what only rises or falls.
        turning = {name: turns for name in self.search.names if (turns := self.turns(name))}
        for name, turns in turning.items():
            where = joined(list(map(value_text, turns)))
            yield f"{name} is not monotone in {self.key}: it turns at {where}."
        if turning and len(self.possible) > len(self.run):
            tried = f"{len(self.run):,} of {len(self.possible):,} values were tried"
            which = "one" if self.best is None else better
            yield f"{tried}: among the others there may be {which} that does."

    def _missed(self, one: TriedPoint) -> str:
        """Return which bounds a value breaks, and by how much."""
        if one.found.status != "done":
            return "it did not run"
        shares = {_bound(each): each.broken(one.found.figures) for each in self.search.bounds}
        missed = (f"{n} is missed by {100 * by:.3g} %" for n, by in shares.items() if by > 0)
        return "; ".join(missed)

    def _line(self, one: TriedPoint) -> str:
        """Return a value with the metrics that have bounds."""
        found = one.found
        told = figures_line(self.search, one) if found.status == "done" else found.status
        return f"{value_text(self.value(one))}: {told}"


def _bound(one: MetricBound) -> str:
    """Return a bound with its value in a unit."""
    return f"{one.side}{figure_text(one.metric, one.value)}"


def figures_line(search: Search, one: TriedPoint) -> str:
    """Return a point's metrics in a line."""
    shown = one.found.figures
    return ", ".join(f"{name} {figure_text(name, shown[name])}" for name in search.names)


_BARE = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
#: Keys that are no part of the configuration: options of the trace's reader and of a workload.
_OTHERS = (READER, WORKLOAD)
_VERSION = 2
#: What a search is written as, beside its store.
FILES = ("tune.json", "points.parquet", "best.toml", "front.svg", "front.png", "report.html")


@dataclass(frozen=True)
class Tuning(JsonDocument):
    """A search that has ended: the points that were tried, what is best of them, and their runs."""

    study: Study
    #: What was searched for.
    goals: Search
    space: Space
    tried: Sequence[TriedPoint]
    #: How many results were in the store before.
    kept: int
    rows: Sequence[StudyPoint]

    def _values(self, found: Sequence[TriedPoint]) -> list[list[float]]:
        return [self.goals.values(each.found.figures) or [] for each in found]

    @cached_property
    def good(self) -> list[TriedPoint]:
        """The points that are done, have all metrics and keep all bounds."""
        return [
            each
            for each in self._done
            if self.goals.values(each.found.figures) is not None
            and self.goals.kept(each.found.figures)
        ]

    @property
    def _done(self) -> list[TriedPoint]:
        return [each for each in self.tried if each.found.status == "done"]

    @cached_property
    def sized(self) -> Sizing | None:
        """What the search for a key's least or most value found; None of one by metrics."""
        if self.goals.wanted is None:
            return None
        (axis,) = self.space.axes
        return Sizing(self.goals, axis.values, self.tried)

    @cached_property
    def front(self) -> list[TriedPoint]:
        """The points that no other dominates; of one metric or key, the best.

        Those that knew the trace are not on it, unless all did.
        """
        if self.sized is not None:
            return [] if self.sized.best is None else [self.sized.best]
        built = set(map(id, choices(self._done)))
        good = [each for each in self.good if id(each) in built]
        values = self._values(good)
        places = fronts.front(values, list(self.goals.metrics.values()))
        return [good[i] for i in sorted(places, key=lambda i: values[i])]

    @property
    def distinct(self) -> list[tuple[TriedPoint, int]]:
        """The points of the front that differ in their figures, and how many have the same."""
        groups: dict[tuple[float, ...], list[TriedPoint]] = {}
        for each, values in zip(self.front, self._values(self.front), strict=True):
            groups.setdefault(tuple(values), []).append(each)
        return [
            (self.best if self.best in same else same[0], len(same))
            for same in groups.values()
            if self.best is not None
        ]

    @cached_property
    def best(self) -> TriedPoint | None:
        """The best point; of several metrics the one of the front nearest to the best of each."""
        if not self.front or self.sized is not None:
            return self.front[0] if self.front else None
        ways = list(self.goals.metrics.values())
        return self.front[fronts.compromise(self._values(self.front), ways)]

    def counts(self) -> dict[str, int]:
        """Return how many points there are of each status."""
        status = [each.found.status for each in self.tried]
        return {name: status.count(name) for name in ("done", "failed", "impossible", "stopped")}

    @cached_property
    def table(self) -> pl.DataFrame:
        """A row per point and seed, as a sweep has it; the status of some is `stopped`."""
        return points.table(self.study, self.rows)

    @cached_property
    def analysis(self) -> Analysis:
        """Effects, front and spread of the metrics that were searched by."""
        bounds = self.goals.bounds
        ways: fronts.Goals = {b.metric: "min" if b.most else "max" for b in bounds}
        return Analysis.of(
            Outcome.of(self.table),
            self.goals.names,
            self.goals.metrics or ways,
            lambda one: self.goals.kept(one.means([b.metric for b in bounds])),
        )

    def told(self) -> Iterator[str]:
        """Yield how many points were tried, of how many, and which is the best."""
        counts, size, goals = self.counts(), self.space.size, self.goals
        others = "".join(
            f", {counts[name]:,} {name}{then}"
            for name, then in (
                ("failed", ""),
                ("impossible", ""),
                ("stopped", " after a beginning of the trace"),
            )
            if counts[name]
        )
        of = "" if size is None else f" of {size:,}"
        kept = f"; {self.kept:,} results were there before" if self.kept else ""
        yield f"{len(self.tried):,}{of} points tried: {counts['done']:,} done{others}{kept}."
        if self.sized is not None:
            yield from self.sized.sentences()
            yield from self._weak()
            return
        for name in goals.against:
            better = "less" if goals.metrics[name] == "max" else "more"
            yield (
                f"{name} is better the {better} of it there is, but was searched the other way, "
                "as asked."
            )
        if goals.bounds:
            bounds = " and ".join(map(str, goals.bounds))
            done = f"{len(self.good):,} of {counts['done']:,} points that are done"
            yield f"{done} keep {bounds}."
        if self.best is None:
            yield "No point is done, has all metrics and keeps all bounds: there is no best."
            return
        which = "The best"
        if len(goals.metrics) > 1:
            which = f"Of {len(self.front):,} on the front, the nearest to the best of each metric"
        settings = self.best.settings.items()
        point = ", ".join(f"{key}={value_text(value)}" for key, value in settings)
        yield f"{which}: {point}: {figures_line(goals, self.best)}."
        yield from self._weak()

    def _weak(self) -> Iterator[str]:
        """Yield why the best point may not be the best."""
        if self.best is not None and self.best.found.is_unfilled:
            yield (
                "Its SLC cache was never full here: a longer run, or a fuller device, may reverse "
                "the result."
            )

    def reasons(self) -> Iterator[tuple[str, str, int]]:
        """Yield status, reason and number of the points that have one; most come first."""
        every = Counter((t.found.status, told) for t in self.tried for told in t.found.reasons)
        yield from ((*each, count) for each, count in every.most_common())

    def config(self, one: TriedPoint) -> str:
        """Return a point as a TOML file that `run --config` takes, below how to run it."""
        study, point, scheme = self.study, one.settings, str(one.settings[SCHEME])
        others = {k: v for k, v in point.items() if k.startswith(_OTHERS)}
        own = {k.removeprefix(READER): plain(v) for k, v in others.items()}
        again = page.command(
            content.label(study.traces[0]),
            content.label(study.devices[0]),
            scheme,
            config="best.toml",
            options={**study.reader(), **own},
            replay=study.replay,
            seed=study.seed if study.seeds == 1 else study.seed or 1,
        )
        chosen = {k: v for k, v in point.items() if k != SCHEME and k not in others}
        told = (figures_line(self.goals, one), again)
        return text(chosen, _fixed(study, scheme, point), told)

    def to_dict(self) -> dict[str, Any]:
        """Return the search as one document."""
        numbers = {id(each): number for number, each in enumerate(self.tried)}
        sized = None
        if self.sized is not None:
            sized = {
                "nearest": numbers[id(self.sized.nearest)],
                "neighbours": [numbers[id(each)] for each in self.sized.neighbours],
                "monotone": {name: not self.sized.turns(name) for name in self.goals.names},
            }
        return {
            "schema_version": _VERSION,
            "asked": self.asked,
            "counts": {**self.counts(), "kept": self.kept},
            "points": [self._point(each) for each in self.tried],
            "front": [numbers[id(each)] for each in self.front],
            "best": None if self.best is None else numbers[id(self.best)],
            "sized": sized,
            "provenance": provenance(),
        }

    @property
    def asked(self) -> dict[str, Any]:
        """What was asked, as the document has it."""
        study, goals = self.study, self.goals
        drawn = {"resample": study.resample, "resample_block": study.resample_block}
        return {
            "trace": content.content_of(study.traces[0]),
            "device": content.content_of(study.devices[0]),
            "config": study.keys_file,
            "schemes": list(study.schemes),
            "vary": {axis.key: axis.told for axis in self.space.axes},
            "set": dict(study.fixed),
            "trace_options": study.reader(),
            "replay": study.replay,
            "seeds": study.seeds,
            "seed": study.seed,
            **{key: value for key, value in drawn.items() if value is not None},
            "goals": self._goals,
            "bounds": list(map(str, goals.bounds)),
            "sampler": goals.suggested_by,
            "sampler_seed": goals.sampler_seed,
            "points": goals.points_most,
            "prefixes": list(map(str, goals.shares)),
        }

    @property
    def _goals(self) -> dict[str, str]:
        wanted = self.goals.wanted
        return dict(self.goals.metrics if wanted is None else [wanted])

    def _point(self, each: TriedPoint) -> dict[str, Any]:
        found = each.found
        return {
            "settings": dict(each.settings),
            "status": found.status,
            "reason": found.reason,
            "metrics": {name: found.figures.get(name) for name in self.goals.names},
            "in_bounds": self.goals.kept(found.figures) if found.status == "done" else None,
            "unfilled": found.is_unfilled,
            # What was seen over a beginning of the trace is no figure of the whole.
            "prefixes": [{"share": str(s), "value": value} for s, value in each.prefixes],
        }

    def plot_front(self) -> Chart:
        """Draw the points tried and those that no other dominates; of a key, its bounds over it."""
        from slcache.charts import pictures

        return pictures.notebook(self._front())

    def plot_progress(self) -> Chart:
        """Draw each metric in the order in which points were tried, and the best so far."""
        from slcache.charts import pictures

        return pictures.notebook(self._progress())

    def _front(self) -> dict[str, Any]:
        if self.sized is not None:
            return self.sized.picture()
        return page.front_chart(self.analysis.judged[0])

    def _progress(self) -> dict[str, Any]:
        from slcache.charts import study

        good = {id(each) for each in self.good}
        values = {
            name: [
                float(each.found.figures[name] or 0) if id(each) in good else None
                for each in self.tried
            ]
            for name in self.goals.metrics
        }
        return study.progress(self.goals.metrics, values)

    def report(self) -> str:
        """Return the report as one self-contained HTML page."""
        if self.sized is not None:
            title = f"Metrics over {self.sized.key}"
            told = "Values that were tried; the dashed lines are the bounds."
            picture = page.figure(2, title, self._front(), told)
        else:
            told = (
                "Points in the order in which they were tried; the line is the best so far, of "
                "those that keep all bounds."
            )
            picture = page.figure(2, "How the search went", self._progress(), told)
        names = (f"{'least' if way == 'min' else 'most'} {n}" for n, way in self._goals.items())
        study = self.study
        where = f"{' or '.join(study.schemes)} on {content.label(study.devices[0])}"
        return page.render(
            self.analysis,
            f"{where}: {' and '.join(names)}",
            json.dumps(self.asked, indent=2, ensure_ascii=False),
            notes=list(self.told()),
            first=[picture],
            study=study,
        )

    def files(self) -> dict[str, bytes]:
        """Return the contents of `FILES`; without a best point there is no best.toml."""
        from slcache.charts import pictures

        drawn = self._front()
        found = {
            "tune.json": (self.to_json() + "\n").encode(),
            "points.parquet": frame.parquet(self.table),
            "front.svg": pictures.written(drawn, ".svg"),
            "front.png": pictures.written(drawn, ".png"),
            "report.html": self.report().encode(),
        }
        if self.best is not None:
            found["best.toml"] = self.config(self.best).encode()
        return found

    def __repr__(self) -> str:
        return f"<slcache.Tuning: {len(self.tried)} points, {len(self.front)} on the front>"


def _fixed(study: Study, scheme: str, chosen: Iterable[str]) -> dict[str, Any]:
    """Return what is fixed for the points of a scheme, with what the file says below that."""
    own = catalogue.settings_for(study.fixed, scheme, study.schemes)
    above = {one_name(key, scheme) for key in (*own, *chosen)}
    below = catalogue.settings_for(study.of_config(), scheme, study.schemes).items()
    return {k: v for k, v in below if one_name(k, scheme) not in above} | own


def text(chosen: Settings, fixed: Mapping[str, Any], told: Sequence[str]) -> str:
    """Return a file of what was chosen and what was fixed, below lines of what is `told`."""
    # A name may hold a line's end, behind which no comment goes on.
    lines = [f"# {part}" for line in told for part in printable(line).split("\n")]
    for key, value in {**fixed, **chosen}.items():
        name = key if _BARE.fullmatch(key) else json.dumps(key)
        # Fixed values come as `--set` spells them, in text.
        lines.append(f"{name} = {_literal(value) if isinstance(value, str) else names.text(value)}")
    return "\n".join(lines) + "\n"


def _literal(value: str) -> str:
    """Return a text as TOML has it; one that `--set` would read as a number is one."""
    try:
        if len(value.splitlines()) != 1:
            raise tomllib.TOMLDecodeError
        tomllib.loads(f"x = {value}")
    except tomllib.TOMLDecodeError:
        return names.text(value)
    return value
