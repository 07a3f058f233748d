"""The table of a sweep: a row per point, its parameters, what became of it and its figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from slcache.execute import given
from slcache.execute.tasks import Values
from slcache.metrics import METRICS, PARTS
from slcache.sweep.axes import plain
from slcache.sweep.points import Point
from slcache.sweep.study import Study, StudyError

if TYPE_CHECKING:
    import pyarrow as pa

#: A search stops points after a beginning of the trace.
Status = Literal["done", "failed", "impossible", "stopped"]

#: Columns and their types, by Arrow's names: in front of what is varied, and behind it.
_BEFORE = {
    "trace": "string",
    "device": "string",
    "scheme": "string",
    "seed": "int64",
    "draw": "int64",
}
_BEHIND = {"key": "string", "status": "string", "reason": "string"}
_COSTS = {"key": "string", "wall_s": "double", "cpu_s": "double", "peak_rss_bytes": "int64"}


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
        if key in _BEFORE | _BEHIND | METRICS | PARTS:
            raise StudyError(f"{key}: cannot be varied: it is a column of the table already")


def points(study: Study, rows: Sequence[Row]) -> pa.Table:
    """Return the table, in the order of the points."""
    import pyarrow as pa

    varied = {key: _kind([row.point.varied.get(key) for row in rows]) for key in study.keys}
    fields = _fields(_BEFORE | varied | _BEHIND)
    for name, metric in (METRICS | PARTS).items():
        told = {"unit": metric.unit, "goal": metric.goal or "", "summary": metric.summary}
        fields.append(pa.field(name, pa.int64() if metric.whole else pa.float64(), metadata=told))
    return pa.Table.from_pylist([_record(row, varied) for row in rows], schema=pa.schema(fields))


def costs(rows: Sequence[Row]) -> pa.Table:
    """Return what each run took, which no other file of a sweep tells."""
    import pyarrow as pa

    records = [{"key": row.key, **row.costs} for row in rows if row.status == "done"]
    return pa.Table.from_pylist(records, schema=pa.schema(_fields(_COSTS)))


def _fields(kinds: Mapping[str, str]) -> list[pa.Field]:
    import pyarrow as pa

    return [pa.field(name, pa.type_for_alias(kind)) for name, kind in kinds.items()]


def _record(row: Row, varied: Mapping[str, str]) -> dict[str, Any]:
    point = row.point
    own = {
        key: plain(value) if kind == "string" and value is not None else value
        for key, kind in varied.items()
        for value in [point.varied.get(key)]
    }
    return {
        "trace": given.label(point.trace),
        "device": given.label(point.device),
        "scheme": point.scheme,
        "seed": point.run_seed,
        "draw": point.draw,
        **own,
        "key": row.key,
        "status": row.status,
        "reason": row.reason,
        **row.values,
    }


def _kind(values: Sequence[object]) -> str:
    """Return the name of the narrowest type that holds these values."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return "bool"
    if kinds == {int} and all(abs(v) < 2**63 for v in values if isinstance(v, int)):
        return "int64"
    if kinds and kinds <= {int, float}:
        return "double"
    return "string"
