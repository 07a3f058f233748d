"""A figure as a file: PNG, SVG, PDF, or an HTML page with tables beside it."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slcache.errors import UsageError, about
from slcache.files import Transaction, inputs
from slcache.words import labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Pictures, and the page with tables.
FLAT = (".png", ".svg", ".pdf")
KINDS = (*FLAT, ".html")
_DOTS_PER_INCH = 200


def check(path: str | os.PathLike[str], kinds: Sequence[str] = KINDS) -> None:
    """Raise UsageError unless the name says what kind of picture it is."""
    if Path(path).suffix.lower() not in kinds:
        told = f"{os.fspath(path)!r} does not end in one of {', '.join(kinds)}"
        raise about(UsageError(told), file=os.fspath(path))


def trace_title(info: Mapping[str, Any]) -> str:
    """Return what a trace is, in a line."""
    label = labels.of_info(info)
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
    from slcache.plots import bound

    title = Path(document["file"]).name
    read = [document["file"], *([document["device"]] if "device" in document else [])]
    _save(path, read, lambda kind: _drawn(bound.draw(document, title), kind), FLAT)


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
    from slcache.plots import trace

    title = trace_title(info)
    if kind != ".html":
        return _drawn(trace.draw(info, title), kind)
    from slcache.plots import images
    from slcache.report import pages
    from slcache.tables.trace_sections import sections

    svg = images.svg(trace.draw(info), "trace", title)
    page = pages.render("trace.html.j2", title=title, sections=sections(info), svg=svg)
    return page.encode()


def _drawn(figure: Figure, kind: str) -> bytes:
    """Return a figure in a file format, the same bytes every time."""
    import matplotlib as mpl

    from slcache.plots import marks

    sink = io.BytesIO()
    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with mpl.rc_context({"svg.hashsalt": "slcache", "pdf.fonttype": 42}):
        figure.savefig(
            sink, format=kind.removeprefix("."), dpi=_DOTS_PER_INCH, metadata=undated.get(kind)
        )
    if kind == ".svg":
        held = marks.Held(figure)
        return held.told(held.taken(sink.getvalue().decode())).encode()
    return sink.getvalue()
