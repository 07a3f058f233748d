"""Result documents as Arrow tables: one row per window, operation kind or latency point."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from slcache.errors import RunError
from slcache.metrics import METRICS, PARTS

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

#: Columns that hold words and whole numbers, in every table; all others are fractions.
_WORDS = ("scheme", "pool", "kind", "mode", "cause", "side", "state")
_WHOLE = ("count", "pages", "bytes", "t_ns")


def _table(rows: Sequence[Mapping[str, Any]], *columns: str) -> pa.Table:
    """Return the table of rows; each column has the same type wherever it stands."""
    types = dict.fromkeys(_WORDS, pa.string()) | dict.fromkeys(_WHOLE, pa.int64())
    schema = pa.schema([(name, types.get(name, pa.float64())) for name in columns])
    return pa.Table.from_pylist(rows, schema=schema)


def figures(document: Mapping[str, Any], label: str) -> pa.Table:
    """Return what a run is judged by, as one row."""
    found = document["figures"]
    data = {
        "scheme": pa.array([label], pa.string()),
        "device": pa.array([document["config"]["device"]["name"]], pa.string()),
        "seed": pa.array([document["provenance"]["seed"]], pa.int64()),
    }
    for name, metric in (METRICS | PARTS).items():
        if name in found:
            kind = pa.int64() if metric.whole else pa.float64()
            data[name] = pa.array([found[name]], kind)
    return pa.table(data)


def series(document: Mapping[str, Any], label: str) -> pa.Table:
    """Return the time series, one row per window."""
    columns = document["series"]["columns"]
    rows = len(columns["t_ns"])
    data = {"scheme": pa.array([label] * rows, pa.string())}
    data |= {name: pa.array(values, pa.int64()) for name, values in columns.items()}
    return pa.table(data)


def ops(document: Mapping[str, Any], label: str) -> pa.Table:
    """Return the flash operations, one row per pool, kind, mode and cause."""
    rows = [{"scheme": label, **op} for op in document["flash"]["ops"]]
    names = ("scheme", "pool", "kind", "mode", "cause", "count", "pages", "bytes", "time_us")
    return _table(rows, *names)


def disk(document: Mapping[str, Any], label: str) -> pa.Table:
    """Return the disk's operations, one row per kind and cause; no rows without a disk."""
    found = document.get("disk")
    rows = [{"scheme": label, **op} for op in found["ops"]] if found else []
    times = ("seek_us", "rotation_us", "transfer_us", "time_us")
    return _table(rows, "scheme", "kind", "cause", "count", "bytes", *times)


def power(document: Mapping[str, Any], label: str) -> pa.Table:
    """Return the share of each window that the disk was in each state; no rows without a disk."""
    found = [document["disk"]["series"]] if document.get("disk") else []
    rows = [
        {"scheme": label, "t_ns": i * series["window_ns"], "state": state, "share": share}
        for series in found
        for state, shares in series["states"].items()
        for i, share in enumerate(shares)
    ]
    return _table(rows, "scheme", "t_ns", "state", "share")


def latency(document: Mapping[str, Any], label: str) -> pa.Table:
    """Return the latency distributions: the fraction of requests at or below each latency."""
    rows = [
        {"scheme": label, "side": side, "latency_us": point, "fraction": fraction}
        for side in ("read", "write")
        for point, fraction in document["host"][side]["cdf"]
    ]
    return _table(rows, "scheme", "side", "latency_us", "fraction")


def stack(tables: list[pa.Table]) -> pa.Table:
    """Return tables one after another; a column that one of them lacks is null there."""
    return pa.concat_tables(tables, promote_options="default")


def parquet(table: pa.Table) -> bytes:
    """Return a table as the bytes of a Parquet file."""
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """Return a table as a pandas frame; RunError says what to install."""
    _need("pandas")
    return table.to_pandas()


def to_polars(table: pa.Table) -> pl.DataFrame:
    """Return a table as a Polars frame; RunError says what to install."""
    _need("polars")
    import polars

    frame = polars.from_arrow(table)
    assert isinstance(frame, polars.DataFrame)
    return frame


def _need(package: str) -> None:
    if importlib.util.find_spec(package) is None:
        raise RunError(f"{package} is not installed: pip install 'slcache[{package}]'")
