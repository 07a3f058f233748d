"""The table of a sweep: a row per point, its parameters, what became of it and its figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from slcache import frame
from slcache.execute import given
from slcache.execute.tasks import Values
from slcache.sweep.axes import Value, plain
from slcache.sweep.points import Point
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
