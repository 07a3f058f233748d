"""Runs the batches of a search: points of its study, over the trace or a beginning of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from slcache import _core, catalogue
from slcache.errors import ConfigError
from slcache.execute import store
from slcache.execute.engine import Engine
from slcache.search import batches
from slcache.search.batches import WHOLE, Found, Tried
from slcache.search.space import SCHEME, key_of
from slcache.sweep import points as sweep_points
from slcache.sweep.axes import Value
from slcache.sweep.batch import Batch, Row
from slcache.sweep.study import Study
from slcache.traces.api import Progress, Trace, cut, reader_options


class Prefixes:
    """The beginnings of one trace, written once and kept."""

    def __init__(
        self, trace: str, options: Mapping[str, str], folder: Path, progress: Progress | None = None
    ) -> None:
        self._trace = Trace(trace, options=options)
        self._options = reader_options(None, options)
        self._folder, self._progress = folder, progress
        self._requests: int | None = None
        self._known: set[Path] = set()

    def path(self, share: Fraction) -> Path:
        """Return the file with the first requests of the trace; raises TraceError."""
        read = _core.fingerprint(
            self._trace.path, trace_options=self._options, progress=self._progress
        )
        name = store.key({"trace": read, "options": self._options, "first": str(share)})
        path = self._folder / f"{name}.parquet"
        if path not in self._known and not store.sound(path):
            with store.making(path) as made:
                cut(self._trace, made, take=self.requests(share), on_progress=self._progress)
        self._known.add(path)
        return path

    def requests(self, share: Fraction) -> int:
        """Return how many requests a share of the trace has, one at least."""
        if self._requests is None:
            self._requests = int(self._trace.info(self._progress)["requests"])
        return max(1, int(self._requests * share))


def of_scheme(whole: Study, scheme: str, listed: Sequence[Mapping[str, Any]]) -> Study:
    """Return points of one of the schemes of a study as a study."""
    own = catalogue.settings_for(whole.settings, scheme, whole.schemes)
    points = {"listed": tuple(listed), "vary": {}}
    return whole.model_copy(update={"schemes": (scheme,), "settings": own, **points})


class Points:
    """The points of a search, and the rows of the table that came of them."""

    def __init__(self, study: Study, engine: Engine, prefixes: Prefixes | None = None) -> None:
        self._study, self._engine, self._prefixes = study, engine, prefixes
        #: What the device or the scheme refuses, resolved once.
        self._impossible: dict[str, ConfigError] = {}
        #: Rows by point, in the order of the seeds: of the run over most of the trace.
        self._rows: dict[tuple[tuple[str, Any], ...], list[Row]] = {}
        #: Results that were in the store before.
        self.kept = 0

    def refused(self, key: str, values: Sequence[Value]) -> list[bool]:
        """Return which values of a key the device or the only scheme refuses."""
        listed = [{key: value} for value in values]
        # A value is refused or not whatever the seed.
        study = of_scheme(self._study, self._study.schemes[0], listed)
        alone = study.model_copy(update={"seeds": 1, "resample": None, "resample_block": None})
        found = sweep_points.points(alone, self._impossible)
        return [point.reason is not None for point in found]

    def run(self, batch: batches.Batch) -> list[Found]:
        """Return what became of the points of a batch."""
        places: list[int] = []
        points: list[sweep_points.Point] = []
        for scheme in self._study.schemes:
            own = [i for i, point in enumerate(batch.points) if point[SCHEME] == scheme]
            if own:
                listed = [{k: v for k, v in batch.points[i].items() if k != SCHEME} for i in own]
                study = self._over(of_scheme(self._study, scheme, listed), batch.share)
                points += sweep_points.points(study, self._impossible)
                places += own
        points = [replace(point, index=index) for index, point in enumerate(points)]
        run = Batch(points, self._engine, self._study.judged_by)
        run.check_room(skip_impossible=True)
        rows = run.rows()
        self.kept += run.kept if batch.share == WHOLE else 0
        each = len(rows) // len(places) if places else 0
        found: dict[int, Found] = {}
        for number, place in enumerate(places):
            own_rows = rows[number * each : (number + 1) * each]
            # Whatever was run, the table is of the whole trace.
            self._rows[key_of(batch.points[place])] = [
                replace(row, point=replace(row.point, trace=self._study.traces[0]))
                for row in own_rows
            ]
            found[place] = _found(own_rows)
        return [found[place] for place in range(len(batch.points))]

    def _over(self, study: Study, share: Fraction) -> Study:
        """Return a study of points over a share of the trace."""
        if share == WHOLE:
            return study
        assert self._prefixes is not None
        # How the trace is read is in the file already; one seed is enough to judge by.
        path = str(self._prefixes.path(share))
        alone = {"seeds": 1, "resample": None, "resample_block": None}
        return study.model_copy(update={**alone, "traces": (path,), "trace_options": {}})

    def rows_of(self, tried: Tried, first: int) -> list[Row]:
        """Return a point's rows of the table, numbered from `first`."""
        found = self._rows[key_of(tried.settings)]
        if tried.found.status == "stopped":
            # What was measured over a beginning of the trace is no figure of the whole.
            row = replace(found[0], key=None, values={}, costs={})
            found = [replace(row, status="stopped", reason=tried.found.reason)]
        return [
            replace(row, point=replace(row.point, index=first + i)) for i, row in enumerate(found)
        ]


def _found(rows: Sequence[Row]) -> Found:
    """Return what became of a point with several seeds: all must be done for it to be."""
    for status in ("impossible", "failed"):
        reason = next((row.reason for row in rows if row.status == status), None)
        if reason is not None:
            return Found(status, reason)
    names = rows[0].values
    return Found("done", None, {name: _mean([row.values[name] for row in rows]) for name in names})


def _mean(values: Sequence[float | int | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) else None
