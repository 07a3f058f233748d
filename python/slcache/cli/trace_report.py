"""What a verb that writes a trace did, as lines for a reader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.text import Text

from slcache.words import units

Report = Mapping[str, Any]


def lines(report: Report) -> list[Text]:
    """Return what was read, done, written and lost, a line each."""
    return [Text(line, overflow="fold") for line in _lines(report)]


def _lines(report: Report) -> Iterator[str]:
    if report["label"]:
        yield str(report["label"])
    for source in report["inputs"]:
        summary = source["summary"]
        yield f"read {source['file']} ({source['format']}): {_taken(summary)}"
        for skipped in summary["skipped"]:
            yield f"  left out: {skipped['reason']}: {units.count(skipped['count'])}"
    for step in report["steps"]:
        counts = ", ".join(f"{name} {units.count(n)}" for name, n in step["counts"].items())
        yield f"{step['step']}{': ' if counts else ''}{counts}"
    for written in report["outputs"]:
        count, size = units.count(written["requests"]), units.size(written["bytes"])
        yield f"wrote {written['file']} ({written['format']}): {count} requests, {size}"
        for what, number in written["lost"].items():
            yield f"  lost: {what}, of {units.count(number)} requests"


def _taken(summary: Mapping[str, Any]) -> str:
    counts = ((kind, summary[kind]) for kind in ("reads", "writes", "flushes", "trims"))
    return ", ".join(f"{units.count(number)} {kind}" for kind, number in counts if number)
