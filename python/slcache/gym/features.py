"""What is known of every host write of a trace before it is placed: a table made in one pass."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slcache import frame
from slcache.files import scratch
from slcache.gym.rules import overrides
from slcache.traces.api import Trace, generate, is_workload

#: The columns, each a number; -1 where there is none before.
NAMES = (
    "bytes",  # of the request
    "sequential",  # 1 where it begins at the sector where the stream's last request ended
    "gap_ns",  # since the request before
    "age_ns",  # since the first page was last accessed
    "rewrite_ns",  # since the first page was last written
    "accesses",  # of the first page before
    "writes",  # of the first page before
    "stream",
)
#: The operations of a table of requests.
_READ, _WRITE = 0, 1
_SECTOR = 512


def of_writes(
    trace: str, seed: int, options: list[tuple[str, str]], page_bytes: int
) -> NDArray[np.float64]:
    """Return a row for each write of a trace, or of a workload drawn with `seed`, in its order."""
    with scratch() as folder:
        table = folder / "requests.parquet"
        if is_workload(trace):
            generate(trace, table, seed=seed, overrides=overrides(dict(options)))
        else:
            Trace(trace, options=dict(options)).convert(table)
        columns = frame.read(table)
    number = {name: columns[name].to_numpy().astype(np.int64) for name in columns.columns[:5]}
    return _features(number, page_bytes)


def _features(of: dict[str, NDArray[np.int64]], page_bytes: int) -> NDArray[np.float64]:
    is_write = of["op"] == _WRITE
    is_access = is_write | (of["op"] == _READ)
    ends = of["sector"] + of["sectors"]
    last_end, _ = _before(of["stream"], ends, is_access, difference=False)
    rows, page, own = _used(of["sector"] * _SECTOR, ends * _SECTOR, is_access, is_write, page_bytes)
    at_ns, everything = of["at_ns"][rows], np.ones(len(rows), bool)
    age, accesses = _before(page, at_ns, everything)
    rewrite, writes = _before(page, at_ns, is_write[rows])
    of_request = [
        of["sectors"] * _SECTOR,
        last_end == of["sector"],
        np.diff(of["at_ns"], prepend=of["at_ns"][:1]),
    ]
    columns = [
        *(column[is_write] for column in of_request),
        *(column[own] for column in (age, rewrite, accesses, writes)),
        of["stream"][is_write],
    ]
    return np.column_stack(columns).astype(np.float64)


def _used(
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    is_access: NDArray[np.bool_],
    is_write: NDArray[np.bool_],
    page_bytes: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return a row for each page that a request uses: the request, the page, and writes' own rows.

    Only pages that a write begins with are asked about; others are left out.
    """
    first = start // page_bytes
    asked = np.unique(first[is_write])
    low = np.searchsorted(asked, first)
    high = np.searchsorted(asked, (end - 1) // page_bytes, side="right")
    count = np.where(is_access, high - low, 0)
    begins = np.cumsum(count) - count
    rows = np.repeat(np.arange(len(first)), count)
    return rows, low[rows] + np.arange(len(rows)) - begins[rows], begins[is_write]


def _before(
    key: NDArray[np.int64],
    value: NDArray[np.int64],
    counts: NDArray[np.bool_],
    *,
    difference: bool = True,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, of each row, the value of the last row of its key that counts, and how many do.

    With `difference` the value is what lies between both; -1 where there is no such row.
    """
    found, count = np.full(len(key), -1, np.int64), np.zeros(len(key), np.int64)
    rows = np.flatnonzero(counts)
    order = rows[np.argsort(key[rows], kind="stable")]
    same = np.zeros(len(order), bool)
    same[1:] = key[order][1:] == key[order][:-1]
    before = np.roll(order, 1)
    between = value[order] - value[before] if difference else value[before]
    found[order[same]] = between[same]
    # How far each is behind the first of its key.
    place = np.arange(len(order))
    first = np.maximum.accumulate(np.where(same, 0, place))
    count[order] = place - first
    return found, count
