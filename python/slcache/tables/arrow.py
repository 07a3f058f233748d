"""Result documents as Arrow tables: one row per window, operation kind or latency point."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from slcache.errors import RunError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

_OPS = pa.schema(
    [
        ("scheme", pa.string()),
        ("pool", pa.string()),
        ("kind", pa.string()),
        ("mode", pa.string()),
        ("cause", pa.string()),
        ("count", pa.int64()),
        ("pages", pa.int64()),
        ("bytes", pa.int64()),
        ("time_us", pa.float64()),
    ]
)
_LATENCY = pa.schema(
    [
        ("scheme", pa.string()),
        ("side", pa.string()),
        ("latency_us", pa.float64()),
        ("fraction", pa.float64()),
    ]
)
_DISK = pa.schema(
    [
        ("scheme", pa.string()),
        ("kind", pa.string()),
        ("cause", pa.string()),
        ("count", pa.int64()),
        ("bytes", pa.int64()),
        ("seek_us", pa.float64()),
        ("rotation_us", pa.float64()),
        ("transfer_us", pa.float64()),
        ("time_us", pa.float64()),
    ]
)
_POWER = pa.schema(
    [
        ("scheme", pa.string()),
        ("t_ns", pa.int64()),
        ("state", pa.string()),
        ("share", pa.float64()),
    ]
)


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
    return pa.Table.from_pylist(rows, schema=_OPS)


def disk(document: Mapping[str, Any], label: str) -> pa.Table:
    """Return the disk's operations, one row per kind and cause; no rows without a disk."""
    found = document.get("disk")
    rows = [{"scheme": label, **op} for op in found["ops"]] if found else []
    return pa.Table.from_pylist(rows, schema=_DISK)


def power(document: Mapping[str, Any], label: str) -> pa.Table:
    """Return the share of each window that the disk was in each state; no rows without a disk."""
    found = [document["disk"]["series"]] if document.get("disk") else []
    rows = [
        {"scheme": label, "t_ns": i * series["window_ns"], "state": state, "share": share}
        for series in found
        for state, shares in series["states"].items()
        for i, share in enumerate(shares)
    ]
    return pa.Table.from_pylist(rows, schema=_POWER)


def latency(document: Mapping[str, Any], label: str) -> pa.Table:
    """Return the latency distributions: the fraction of requests at or below each latency."""
    rows = [
        {"scheme": label, "side": side, "latency_us": point, "fraction": fraction}
        for side in ("read", "write")
        for point, fraction in document["host"][side]["cdf"]
    ]
    return pa.Table.from_pylist(rows, schema=_LATENCY)


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
