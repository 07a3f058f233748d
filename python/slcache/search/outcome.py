"""What a search has found: the points tried, the front, the best, and the files of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from slcache import _core, frame
from slcache.execute import given
from slcache.search import config_file, sentences
from slcache.search.answer import Answer
from slcache.search.batches import Tried
from slcache.search.sized import Sized
from slcache.study.analysis import Analysis
from slcache.study.outcome import Configuration, Outcome
from slcache.sweep import table
from slcache.sweep.axes import Axis

if TYPE_CHECKING:
    import polars as pl
    from altair import ConcatChart as Chart

    from slcache.sweep.table import Row

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
        return table.points(self.study, self.rows)

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
        return config_file.of(self.study, one.settings, "best.toml", sentences.figures(self, one))

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
            "vary": {axis.key: sentences.axis(axis) for axis in self.axes},
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
        from slcache.sweep import of_traces

        return of_traces.front_chart(self.analysis.judged[0])

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
            sentences.title(self),
            json.dumps(self._asked(), indent=2, ensure_ascii=False),
            notes=sentences.told(self),
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
