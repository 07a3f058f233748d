"""What a search has found: its document, table, pictures and files."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from slcache import _core, catalogue, frame
from slcache.execute import given
from slcache.given.once import one_name
from slcache.search import answer
from slcache.search.answer import Answer, Sized
from slcache.search.batches import Tried
from slcache.search.space import SCHEME, Settings
from slcache.study.analysis import Analysis
from slcache.study.outcome import Configuration, Outcome
from slcache.sweep import batch, report
from slcache.sweep.axes import Axis, plain
from slcache.sweep.points import READER, WORKLOAD
from slcache.sweep.study import Study
from slcache.words import names
from slcache.words.names import printable

if TYPE_CHECKING:
    import polars as pl
    from altair import ConcatChart as Chart

    from slcache.sweep.batch import Row

_BARE = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
#: Keys that are no part of the configuration: options of the trace's reader and of a workload.
_OTHERS = (READER, WORKLOAD)


def of(study: Study, point: Settings, name: str, told: str) -> str:
    """Return a point as a TOML file `name`, with what is `told` of it and how to run it."""
    seed = study.seed if study.seeds == 1 else study.seed or 1
    again = command(
        point,
        trace=given.label(study.traces[0]),
        device=given.label(study.devices[0]),
        config=name,
        options=study.trace_options,
        replay=study.replay,
        seed=seed,
    )
    return text(point, _fixed(study, str(point[SCHEME]), point), [told, again])


def _fixed(study: Study, scheme: str, chosen: Iterable[str]) -> dict[str, Any]:
    """Return what is fixed for the points of a scheme, with what the file says below that."""
    own = catalogue.settings_for(study.settings, scheme, study.schemes)
    above = {one_name(key, scheme) for key in (*own, *chosen)}
    below = catalogue.settings_for(study.of_config(), scheme, study.schemes).items()
    return {k: v for k, v in below if one_name(k, scheme) not in above} | own


def text(point: Settings, fixed: Mapping[str, Any], told: Sequence[str]) -> str:
    """Return the file: what was chosen and what was fixed, below lines of what is `told`."""
    # A name may hold a line's end, behind which no comment goes on.
    lines = [f"# {part}" for line in told for part in printable(line).split("\n")]
    others = [key for key in point if key.startswith(_OTHERS)]
    settings = {k: v for k, v in point.items() if k != SCHEME and k not in others}
    # Fixed values come as `--set` spells them, in text.
    return "\n".join([*lines, *(_line(*each) for each in {**fixed, **settings}.items())]) + "\n"


def _line(key: str, value: Any) -> str:  # noqa: ANN401
    """Return a line of TOML; text that `--set` would read as a number is one."""
    name = key if _BARE.fullmatch(key) else json.dumps(key)
    return f"{name} = {_literal(value) if isinstance(value, str) else names.text(value)}"


def _literal(value: str) -> str:
    try:
        if len(value.splitlines()) != 1:
            raise tomllib.TOMLDecodeError
        tomllib.loads(f"x = {value}")
    except tomllib.TOMLDecodeError:
        return names.text(value)
    return value


def command(
    point: Settings,
    *,
    trace: str,
    device: str,
    config: str,
    options: Mapping[str, str],
    replay: str | None,
    seed: int | None,
) -> str:
    """Return the command that runs a point again."""
    words = ["slcache", "run", trace, "--device", device, "--scheme", str(point[SCHEME])]
    words += ["--config", config]
    own = {k.removeprefix(READER): plain(v) for k, v in point.items() if k.startswith(_OTHERS)}
    words += report.of_options({**options, **own})
    words += [] if replay is None else ["--replay", replay]
    words += [] if seed is None else ["--seed", str(seed)]
    return shlex.join(words)


_VERSION = 2
#: What a search is written as, beside its store.
FILES = ("tune.json", "points.parquet", "best.toml", "front.svg", "front.png", "report.html")


@dataclass(frozen=True)
class Tuning(Answer):
    """A search that has ended, with the table of its runs."""

    rows: Sequence[Row]

    @property
    def axes(self) -> Sequence[Axis]:
        """What was varied."""
        return self.space.axes

    @cached_property
    def table(self) -> pl.DataFrame:
        """A row per point and seed, as a sweep has it; the status of some is `stopped`."""
        return batch.points(self.study, self.rows)

    @cached_property
    def analysis(self) -> Analysis:
        """Effects, front and spread of the metrics that were searched by."""
        table = Outcome.of(self.table)
        goals = self.goals.metrics or {b.metric: b.way for b in self.goals.bounds}
        return Analysis.of(table, self.goals.names, goals, self._kept)

    def _kept(self, one: Configuration) -> bool:
        return self.goals.kept({b.metric: one.mean(b.metric) for b in self.goals.bounds})

    def config(self, one: Tried) -> str:
        """Return a point as a TOML file that `run --config` takes."""
        return of(self.study, one.settings, "best.toml", answer.figures(self, one))

    def to_dict(self) -> dict[str, Any]:
        """Return the search as one document."""
        numbers = {id(each): number for number, each in enumerate(self.tried)}
        return {
            "schema_version": _VERSION,
            "asked": self._asked(),
            "counts": {**self.counts(), "kept": self.kept},
            "points": [self._point(each) for each in self.tried],
            "front": [numbers[id(each)] for each in self.front],
            "best": None if self.best is None else numbers[id(self.best)],
            "sized": None if self.sized is None else self._sized(self.sized, numbers),
            "provenance": {"version": _core.version(), "commit": _core.commit()},
        }

    def _sized(self, found: Sized, numbers: Mapping[int, int]) -> dict[str, Any]:
        return {
            "nearest": numbers[id(found.nearest)],
            "neighbours": [numbers[id(each)] for each in found.neighbours],
            "monotone": {name: not found.turns(name) for name in found.metrics},
        }

    def _asked(self) -> dict[str, Any]:
        study = self.study
        drawn = {"resample": study.resample, "resample_block": study.resample_block}
        return {
            "trace": given.content_of(study.traces[0]),
            "device": given.content_of(study.devices[0]),
            "config": study.config,
            "schemes": list(study.schemes),
            "vary": {axis.key: answer.axis(axis) for axis in self.axes},
            "set": dict(study.settings),
            "trace_options": dict(study.trace_options),
            "replay": study.replay,
            "seeds": study.seeds,
            "seed": study.seed,
            **{key: value for key, value in drawn.items() if value is not None},
            "goals": dict(self.goals.metrics) if self.sized is None else dict([self.goals.wanted]),
            "bounds": [str(bound) for bound in self.goals.bounds],
            "sampler": self.search.suggested_by,
            "sampler_seed": self.search.sampler_seed,
            "points": self.search.points_most,
            "prefixes": [str(share) for share in self.search.shares],
        }

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

    def to_json(self) -> str:
        """Return the document as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def plot_front(self) -> Chart:
        """Draw the points tried and those that no other dominates; of a key, its bounds over it."""
        from slcache.charts import files

        return files.notebook(self._front())

    def plot_progress(self) -> Chart:
        """Draw each metric in the order in which points were tried, and the best so far."""
        from slcache.charts import files, study

        return files.notebook(study.progress(self.goals.metrics, self._progress()))

    def _front(self) -> dict[str, Any]:
        if self.sized is not None:
            return self.sized.picture()
        from slcache.sweep import report

        return report.front_chart(self.analysis.judged[0])

    def _progress(self) -> Mapping[str, Sequence[float | None]]:
        good = {id(each) for each in self.good}
        return {
            name: [
                None if id(each) not in good else float(each.found.figures[name] or 0)
                for each in self.tried
            ]
            for name in self.goals.metrics
        }

    def report(self) -> str:
        """Return the report as one self-contained HTML page."""
        from slcache.charts import page, study
        from slcache.report.figures import Picture
        from slcache.sweep import report

        if self.sized is not None:
            title = f"Metrics over {self.sized.key}"
            told = "Values that were tried; the dashed lines are the bounds."
            drawn = self._front()
        else:
            title = "How the search went"
            told = (
                "Points in the order in which they were tried; the line is the best so far, of "
                "those that keep all bounds."
            )
            drawn = study.progress(self.goals.metrics, self._progress())
        picture = Picture(title, page.chart(drawn, title), told)
        return report.render(
            self.analysis,
            answer.title(self),
            json.dumps(self._asked(), indent=2, ensure_ascii=False),
            notes=answer.told(self),
            first=[picture],
            study=self.study,
        )

    def files(self) -> dict[str, bytes]:
        """Return the contents of `FILES`; without a best point there is no best.toml."""
        from slcache.charts import files

        drawn = self._front()
        found = {
            "tune.json": (self.to_json() + "\n").encode(),
            "points.parquet": frame.parquet(self.table),
            "front.svg": files.written(drawn, ".svg"),
            "front.png": files.written(drawn, ".png"),
            "report.html": self.report().encode(),
        }
        if self.best is not None:
            found["best.toml"] = self.config(self.best).encode()
        return found

    def __repr__(self) -> str:
        return f"<slcache.Tuning: {len(self.tried)} points, {len(self.front)} on the front>"
