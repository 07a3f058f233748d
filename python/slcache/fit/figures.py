"""Figures of tests as reviews print them: CSV with a row for each test, cells empty if unknown."""

from __future__ import annotations

import re

import numpy as np

from slcache.fit import lines, measured
from slcache.fit.evidence import Told
from slcache.fit.lines import Rows, Source, refuse
from slcache.fit.measured import Measured

COLUMNS = ["rw", "bytes", "depth", "iops", "p50_us", "p99_us", "p99_9_us"]
_KINDS = ("randread", "randwrite", "read", "write", "erased")
_NUMBER = re.compile(r"\d{1,12}(\.\d{1,9})?")
_WHOLE = {"bytes": (512, 16 << 20), "depth": (1, 65536)}
_MOST = {"iops": 1e8, "p50_us": 1e8, "p99_us": 1e8, "p99_9_us": 1e8}
#: A test of which no length is printed has so many requests.
_REQUESTS = 100_000


def is_one(rows: Rows) -> bool:
    """Return whether a text is of this form: its first line has one of the columns."""
    return bool({cell.lower() for cell in rows[0][1]} & set(COLUMNS))


def read(source: Source, rows: Rows) -> list[Measured]:
    """Return the tests of the rows; TraceError where one is none."""
    heading = [cell.lower() for cell in rows[0][1]]
    if heading != COLUMNS:
        refuse(source.path, f"must have the columns {','.join(COLUMNS)}, in this order", rows[0][0])
    if len(rows) == 1:
        refuse(source.path, "has no row")
    return [_test(source, line, cells) for line, cells in rows[1:]]


def _test(source: Source, line: int, cells: list[str]) -> Measured:
    path = source.path
    if len(cells) != len(COLUMNS):
        refuse(path, f"{len(cells)} columns, {len(COLUMNS)} in the first line", line)
    said = dict(zip(COLUMNS, cells, strict=True))
    rw = said["rw"]
    if rw not in _KINDS:
        refuse(path, f"rw = {lines.shown(rw)}: must be one of {', '.join(_KINDS)}", line)
    size, depth = (_whole(source, line, name, said[name]) for name in _WHOLE)
    printed = {name: _number(source, line, name, said[name]) for name in _MOST if said[name]}
    figures = {name.removesuffix("_us"): value for name, value in printed.items()}
    if "p50" not in figures:
        if "iops" not in figures:
            refuse(path, "neither iops nor p50_us", line)
        # Where no median is printed the mean is that of the rate.
        figures["mean"] = depth / figures["iops"] * 1e6
    if size % 512:
        refuse(path, f"bytes = {size}: must be a multiple of 512", line)
    ordered = [figures[name] for name in ("p50", "p99", "p99_9") if name in figures]
    if ordered != sorted(ordered):
        refuse(path, "p50_us, p99_us and p99_9_us must rise", line)
    name, kind = rw, "randread" if rw == "erased" else rw
    middle = 1e3 * figures.get("p50", figures.get("mean", 0.0))
    half = 500.0 * 10.0 ** -len(said["p50_us"].partition(".")[2])
    samples = np.array([middle])
    return Measured(
        source=source,
        name=f"line {line}",
        role=measured.role_of(name, kind, synced=False, flushed=False),
        rw=kind,
        reads=100 * kind.endswith("read"),
        block_bytes=size,
        depth=depth,
        count=_REQUESTS,
        fitted=samples,
        draws=(samples - half, samples + half),
        turnaround=_turnaround(source, figures) if depth == 1 else None,
        figures={"read" if kind.endswith("read") else "write": figures},
    )


def _turnaround(source: Source, figures: dict[str, float]) -> Told | None:
    """Return what the host takes beside the median, where both that and a rate are printed."""
    if not {"iops", "p50"} <= figures.keys():
        return None
    between = max(0.0, 1e9 / figures["iops"] - 1e3 * figures["p50"])
    return Told((between,), (), source.name)


def _whole(source: Source, line: int, name: str, cell: str) -> int:
    low, high = _WHOLE[name]
    if not re.fullmatch(r"\d{1,9}", cell) or not low <= int(cell) <= high:
        told = f"{name} = {lines.shown(cell)}: must be a whole number from {low} to {high}"
        refuse(source.path, told, line)
    return int(cell)


def _number(source: Source, line: int, name: str, cell: str) -> float:
    if not _NUMBER.fullmatch(cell) or not 0.001 <= float(cell) <= _MOST[name]:
        told = f"{name} = {lines.shown(cell)}: must be a number from 0.001 to {_MOST[name]:,.0f}"
        refuse(source.path, told, line)
    return float(cell)
