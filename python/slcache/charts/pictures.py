"""Charts as files, drawn without a browser, and as Altair's charts for notebooks."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slcache.charts import layout, spec
from slcache.charts.spec import Spec
from slcache.errors import UsageError, about
from slcache.files import Transaction, check_addresses, inputs

if TYPE_CHECKING:
    from types import ModuleType

    import altair


#: Kinds of pictures.
FLAT = (".png", ".svg", ".pdf")
_SCALE = 2.0
#: The engine reserves so many addresses, few of which it uses; 40 GiB are too few.
_ADDRESSES = 80 << 30
_TAG = re.compile(r"<[^>]+>")
#: A part's number goes on from picture to picture in one process.
_NUMBERED = re.compile(r'((?:id="|url\(#)[a-z]+_?)(\d+)')


def drawer() -> ModuleType:
    """Return the library that draws; raises RunError where it has no room for its engine."""
    check_addresses(_ADDRESSES, "pictures")
    import vl_convert

    return vl_convert


def written(picture: Spec, kind: str) -> bytes:
    """Return a picture in a file format, `.png`, `.svg` or `.pdf`; raises RunError.

    The first two are the same bytes every time.
    """
    draw = drawer()
    # What a picture names is text: nothing is fetched for it.
    svg = _renumbered(draw.vegalite_to_svg(_still(layout.themed(picture)), allowed_base_urls=[]))
    if kind == ".svg":
        return svg.encode()
    found: bytes = draw.svg_to_pdf(svg) if kind == ".pdf" else draw.svg_to_png(svg, _SCALE)
    return found


def _renumbered(svg: str) -> str:
    """Return a picture whose parts that others refer to are counted from its own first one."""
    numbers: dict[str, int] = {}

    def own(part: re.Match[str]) -> str:
        return f"{part[1]}{numbers.setdefault(part[2], len(numbers))}"

    return _TAG.sub(lambda tag: _NUMBERED.sub(own, tag[0]), svg)


def notebook(picture: Spec) -> altair.ConcatChart:
    """Return a picture as Altair's chart, which a notebook shows."""
    import altair

    return altair.ConcatChart.from_dict(layout.themed(picture), validate=False)


def _still(value: Any) -> Any:  # noqa: ANN401
    """Return a picture without what only a pointer finds, which takes most of the time to draw."""
    if isinstance(value, dict):
        kept = {name: each for name, each in value.items() if name != "tooltip"}
        return {name: each if name == "data" else _still(each) for name, each in kept.items()}
    if isinstance(value, list):
        return [_still(each) for each in value if not spec.is_unseen(each)]
    return value


#: Pictures, and the page with tables.
KINDS = (*FLAT, ".html")


def check_name(path: str | os.PathLike[str], kinds: Sequence[str] = KINDS) -> None:
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
    from slcache.charts import device, layout

    title = Path(document["file"]).name
    read = [document["file"], *([document["device"]] if "device" in document else [])]
    picture = layout.noted(device.trace_bound(document), None, title)
    _save(path, read, lambda kind: written(picture, kind), FLAT)


def _save(
    path: str | os.PathLike[str],
    read: Sequence[str],
    draw: Callable[[str], bytes],
    kinds: Sequence[str] = KINDS,
) -> None:
    check_name(path, kinds)
    file = Path(path)
    taken = [each for name in read for each in inputs(name)]
    with Transaction(file.parent, [file.name], taken) as files:
        files.write(file.name, draw(file.suffix.lower()))


def _trace(info: Mapping[str, Any], kind: str) -> bytes:
    from slcache.charts import layout, trace

    title = trace_title(info)
    if kind != ".html":
        return written(layout.noted(trace.draw(info), None, title), kind)
    from slcache.charts import page
    from slcache.tables.trace_sections import sections

    chart = page.chart(trace.draw(info), title)
    whole = page.render("trace.html.j2", title=title, sections=sections(info), chart=chart)
    return whole.encode()
