"""Points that are run together: their keys, their results, and their rows of the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from slcache import frame
from slcache.documents import gains
from slcache.errors import ConfigError, one_line
from slcache.execute import given
from slcache.execute.engine import Engine
from slcache.execute.run import Run, beside
from slcache.execute.tasks import Done, Values
from slcache.metrics import GAIN_SHARE
from slcache.sweep.axes import Value, plain
from slcache.sweep.points import Point, told
from slcache.sweep.study import Study, StudyError

if TYPE_CHECKING:
    import polars as pl

#: A search stops points after a beginning of the trace.
Status = Literal["done", "failed", "impossible", "stopped"]

#: Columns in front of what is varied, and behind it.
_BEFORE = ("trace", "device", "scheme", "seed", "draw")
_BEHIND = ("key", "status", "reason")
_COSTS = ("key", "wall_s", "cpu_s", "peak_rss_bytes")


@dataclass(frozen=True)
class Row:
    """A point and what became of it."""

    point: Point
    key: str | None
    status: Status
    reason: str | None
    values: Values
    costs: Mapping[str, float]
    #: Why there is no run without a cache to hold it against, where one was asked for.
    no_reference: str | None = None


def check_names(study: Study) -> None:
    """Raise StudyError for a varied key that would take the place of another column."""
    for key in study.keys:
        if key in (*_BEFORE, *_BEHIND, *frame.FIGURES):
            raise StudyError(f"{key}: cannot be varied: it is a column of the table already")


def points(study: Study, rows: Sequence[Row]) -> pl.DataFrame:
    """Return the table, in the order of the points."""
    columns = [*_BEFORE, *study.keys, *_BEHIND, *frame.FIGURES]
    return frame.of_rows([_record(row) for row in rows], columns).with_columns(
        **{key: _column([row.point.varied.get(key) for row in rows]) for key in study.keys}
    )


def costs(rows: Sequence[Row]) -> pl.DataFrame:
    """Return what each run took, which no other file of a sweep tells."""
    done = [{"key": row.key, **row.costs} for row in rows if row.status == "done"]
    return frame.of_rows(done, _COSTS)


def _record(row: Row) -> dict[str, Any]:
    point = row.point
    return {
        "trace": given.label(point.trace),
        "device": given.label(point.device),
        "scheme": point.scheme,
        "seed": point.run_seed,
        "draw": point.draw,
        "key": row.key,
        "status": row.status,
        "reason": row.reason,
        **row.values,
    }


def _column(values: Sequence[Value | None]) -> pl.Series:
    """Return the values of a key in the narrowest type that holds them; others as texts."""
    import polars as pl

    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return pl.Series(values, dtype=pl.Boolean)
    if kinds == {int} and all(abs(v) < 2**63 for v in values if isinstance(v, int)):
        return pl.Series(values, dtype=pl.Int64)
    if kinds and kinds <= {int, float}:
        return pl.Series(values, dtype=pl.Float64)
    return pl.Series([None if v is None else plain(v) for v in values], dtype=pl.String)


@dataclass(frozen=True)
class _Reference:
    """The run without a cache that a point is held against."""

    scheme: str
    #: Where there is none, there is a reason.
    key: str | None
    why: str = "does not fit into memory"


class Batch:
    """The points of a study, or some that a search asks for, on an engine.

    With `gain_share` among the metrics each is held against the same run without a cache.
    """

    def __init__(self, points: list[Point], engine: Engine, metrics: Sequence[str] = ()) -> None:
        self._points, self._engine = points, engine
        self._runs: dict[str, Run] = {}
        possible = {point.index: point.run for point in points if point.reason is None}
        #: By the index of a point: the key of its result, and what it is held against.
        self._keys = {index: self._key(run) for index, run in possible.items()}
        asked = set(self._runs)
        self._against: dict[int, _Reference] = {}
        _check_named_once(possible.values(), engine)
        if GAIN_SHARE in metrics:
            self._add_references(possible)
        self._known = engine.known(self._runs)
        #: How many results of points were there before.
        self.kept = len(asked & self._known.keys())

    def _key(self, run: Run) -> str:
        key = self._engine.key(run)
        self._runs.setdefault(key, run)
        return key

    def _add_references(self, runs: Mapping[int, Run]) -> None:
        known: dict[str, Mapping[str, Any] | str] = {}
        for index, run in runs.items():
            other = beside(run)
            if other.device not in known:
                try:
                    known[other.device] = other.config
                except ConfigError as error:
                    known[other.device] = one_line(error)
            config = known[other.device]
            self._against[index] = (
                _Reference(other.scheme, None, config)
                if isinstance(config, str)
                else _Reference(other.scheme, self._key(replace(other, resolved=config)))
            )

    @property
    def todo(self) -> dict[str, Run]:
        """A run for every key of which there is no result."""
        return {key: run for key, run in self._runs.items() if key not in self._known}

    def check_room(self, *, skip_impossible: bool) -> None:
        """Tell points that are to run here, and do not fit into memory, as impossible ones.

        Raises StudyError where there may be none. What was run elsewhere is a result as any other.
        """
        reasons = self._engine.short(self.todo)
        found = {i: why for i, key in self._keys.items() if (why := reasons.get(key)) is not None}
        self._points = [replace(p, reason=found.get(p.index, p.reason)) for p in self._points]
        refused = [point for point in self._points if point.index in found]
        if refused and not skip_impossible:
            raise StudyError("\n".join(told(refused)))
        self._runs = {key: run for key, run in self._runs.items() if key not in reasons}

    def rows(self, *, fail_fast: bool = False) -> list[Row]:
        """Run what is left, and return the rows of the table, in the order of the points."""
        done = self._engine.outcomes(self.todo, self.kept, fail_fast=fail_fast)
        results = {**self._known, **done}
        return [self._row(point, results) for point in self._points]

    def _row(self, point: Point, results: Mapping[str, Done]) -> Row:
        if point.reason is not None:
            return Row(point, None, "impossible", point.reason, {}, {})
        key = self._keys[point.index]
        done = results[key]
        status: Status = "done" if done.error is None else "failed"
        against = self._against.get(point.index)
        if against is None or not done.values:
            return Row(point, key, status, done.error, done.values, done.costs)
        other = results.get(against.key or "", Done("", error=against.why))
        least = done.values["dense_least_bytes"]
        share = gains.share_of(done.values["dense_bytes"], least, other.values.get("dense_bytes"))
        alone = None if other.error is None else f"{against.scheme}: {other.error}"
        values = {**done.values, GAIN_SHARE: share}
        return Row(point, key, status, None, values, done.costs, alone)


def _check_named_once(runs: Iterable[Run], engine: Engine) -> None:
    """Raise StudyError for a trace under two names: it would count twice in comparisons."""
    named: dict[tuple[object, ...], str] = {}
    for run in runs:
        read = engine.fingerprint(run.trace, run.trace_options)
        first = named.setdefault((read, *run.trace_options), run.trace)
        if first != run.trace:
            both = f"{given.label(first)} and {given.label(run.trace)}"
            raise StudyError(f"trace: {both} are the same trace; give it once")
