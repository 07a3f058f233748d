"""What a search has found: in plain data, in sentences, as a page and as files."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from slcache import catalogue, frame, names
from slcache.documents import JsonDocument, provenance
from slcache.names import printable
from slcache.options import content
from slcache.options.content import one_name
from slcache.search.batches import Tried
from slcache.search.goals import Search
from slcache.search.sized import Sized, figures
from slcache.search.space import Settings, Space
from slcache.study import fronts, page, points, wording
from slcache.study.analysis import Analysis
from slcache.study.axes import Axis, plain
from slcache.study.model import Study
from slcache.study.outcome import Outcome
from slcache.study.points import READER, SCHEME, WORKLOAD, Point

if TYPE_CHECKING:
    import polars as pl
    from altair import ConcatChart as Chart

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
    tried: Sequence[Tried]
    #: How many results were in the store before.
    kept: int
    rows: Sequence[Point]

    @property
    def axes(self) -> Sequence[Axis]:
        """What was varied."""
        return self.space.axes

    def _values(self, found: Sequence[Tried]) -> list[list[float]]:
        return [self.goals.values(each.found.figures) or [] for each in found]

    @cached_property
    def good(self) -> list[Tried]:
        """The points that are done, have all metrics and keep all bounds."""
        done = (each for each in self.tried if each.found.status == "done")
        return [
            each
            for each in done
            if self.goals.values(each.found.figures) is not None
            and self.goals.kept(each.found.figures)
        ]

    @cached_property
    def sized(self) -> Sized | None:
        """What the search for a key's least or most value found; None of one by metrics."""
        if self.goals.wanted is None:
            return None
        (axis,) = self.space.axes
        return Sized(self.goals, axis.values, self.tried)

    @cached_property
    def front(self) -> list[Tried]:
        """The points that no other dominates; of one metric or key, the best."""
        if self.sized is not None:
            return [] if self.sized.best is None else [self.sized.best]
        values = self._values(self.good)
        places = fronts.front(values, list(self.goals.metrics.values()))
        return [self.good[i] for i in sorted(places, key=lambda i: values[i])]

    @property
    def distinct(self) -> list[tuple[Tried, int]]:
        """The points of the front that differ in their figures, and how many have the same."""
        groups: dict[tuple[float, ...], list[Tried]] = {}
        for each, values in zip(self.front, self._values(self.front), strict=True):
            groups.setdefault(tuple(values), []).append(each)
        return [
            (self.best if self.best in same else same[0], len(same))
            for same in groups.values()
            if self.best is not None
        ]

    @cached_property
    def best(self) -> Tried | None:
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
        point = ", ".join(f"{key}={wording.setting(value)}" for key, value in settings)
        yield f"{which}: {point}: {figures(goals, self.best)}."

    def config(self, one: Tried) -> str:
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
        told = (figures(self.goals, one), again)
        return text(chosen, _fixed(study, scheme, point), told)

    def to_dict(self) -> dict[str, Any]:
        """Return the search as one document."""
        numbers = {id(each): number for number, each in enumerate(self.tried)}
        sized = None
        if self.sized is not None:
            sized = {
                "nearest": numbers[id(self.sized.nearest)],
                "neighbours": [numbers[id(each)] for each in self.sized.neighbours],
                "monotone": {name: not self.sized.turns(name) for name in self.sized.metrics},
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
            "vary": {axis.key: axis.told for axis in self.axes},
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

    def _point(self, each: Tried) -> dict[str, Any]:
        found = each.found
        return {
            "settings": dict(each.settings),
            "status": found.status,
            "reason": found.reason,
            "metrics": {name: found.figures.get(name) for name in self.goals.names},
            "in_bounds": self.goals.kept(found.figures) if found.status == "done" else None,
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
