"""Latencies beside a fill, whatever form their files have."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from slcache.fit import figures, fio_json, latency, lines
from slcache.fit.lines import refuse
from slcache.fit.measured import Measured


def read(path: Path) -> list[Measured]:
    """Return the tests that a file holds; raises TraceError."""
    source, text = lines.text(path)
    if fio_json.is_one(text):
        return fio_json.read(source, text)
    rows = lines.cells(path, text)
    if figures.is_one(rows):
        return figures.read(source, rows)
    return [latency.read(source, rows)]


def several(paths: Sequence[Path]) -> list[Measured]:
    """Return the tests of several files; TraceError where two are of the same."""
    found: dict[str, Measured] = {}
    for each in (test for path in paths for test in read(path)):
        if each.title in found:
            other = found[each.title].source.path
            refuse(each.source.path, f"{each.title}, as in {other}: give one of them")
        found[each.title] = each
    return list(found.values())
