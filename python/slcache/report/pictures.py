"""A chart as a file: PNG, SVG, PDF, or an HTML page with tables beside it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from slcache.charts import files as charts
from slcache.errors import UsageError, about
from slcache.files import Transaction, inputs

#: Pictures, and the page with tables.
FLAT = charts.FLAT
KINDS = (*FLAT, ".html")


def check(path: str | os.PathLike[str], kinds: Sequence[str] = KINDS) -> None:
    """Raise UsageError unless the name says what kind of picture it is."""
    if Path(path).suffix.lower() not in kinds:
        told = f"{os.fspath(path)!r} does not end in one of {', '.join(kinds)}"
        raise about(UsageError(told), file=os.fspath(path))


def trace_title(info: Mapping[str, Any]) -> str:
    """Return what a trace is, in a line."""
    label = info["summary"]["label"]
    name = f"{Path(info['file']).name} ({info['format']})"
    return name if label is None else f"{name}, {label}"


def save_trace(
    info: Mapping[str, Any], path: str | os.PathLike[str], others: Sequence[str] = ()
) -> None:
    """Write the picture of a trace's `info` document; raises ValueError for an unknown kind.

    It takes the place neither of the trace nor of `others`.
    """
    _save(path, [info["file"], *others], lambda kind: _trace(info, kind))


def save_bound(document: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write the picture of a trace's bound, as PNG, SVG or PDF."""
    from slcache.charts import bound, layout

    title = Path(document["file"]).name
    read = [document["file"], *([document["device"]] if "device" in document else [])]
    picture = layout.noted(bound.trace_bound(document), None, title)
    _save(path, read, lambda kind: charts.written(picture, kind), FLAT)


def _save(
    path: str | os.PathLike[str],
    read: Sequence[str],
    draw: Callable[[str], bytes],
    kinds: Sequence[str] = KINDS,
) -> None:
    check(path, kinds)
    file = Path(path)
    taken = [each for name in read for each in inputs(name)]
    with Transaction(file.parent, [file.name], taken) as files:
        files.write(file.name, draw(file.suffix.lower()))


def _trace(info: Mapping[str, Any], kind: str) -> bytes:
    from slcache.charts import layout, trace

    title = trace_title(info)
    if kind != ".html":
        return charts.written(layout.noted(trace.draw(info), None, title), kind)
    from slcache.charts import page
    from slcache.tables.trace_sections import sections

    chart = page.chart(trace.draw(info), title)
    whole = page.render("trace.html.j2", title=title, sections=sections(info), chart=chart)
    return whole.encode()
