"""Charts as files, drawn without a browser, in notebooks, and on pages with what draws them."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from slcache import files
from slcache.charts import layout, spec
from slcache.charts.spec import Spec
from slcache.errors import UsageError, about
from slcache.files import Transaction, check_addresses, inputs
from slcache.names import printable

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
    from slcache.charts import trace
    from slcache.tables.trace_sections import sections

    title, drawn = trace_title(info), trace.draw(info)
    if kind != ".html":
        return written(layout.noted(drawn, None, title), kind)
    shown = chart(drawn, title)
    return page("trace.html.j2", title=title, sections=sections(info), chart=shown).encode()


#: What draws the charts of a page: it fits their panels to the width that there is, and has
#: expressions interpreted, since the page's policy allows no code made from text.
_BEGIN = """
const theme = JSON.parse(document.getElementById("theme").textContent);
for (const place of document.querySelectorAll("[data-chart]")) {
  const chart = JSON.parse(place.querySelector("script").textContent);
  const { columns, room, entry } = chart.usermeta;
  const across = `max(1, min(${columns}, floor(containerSize()[0] / 290)))`;
  const sized = (name, update) => ({ name, update, on: [{ events: "window:resize", update }] });
  const fitted = (vega) => {
    const each = `containerSize()[0] / (${across}) - ${room} - 12`;
    vega.layout.columns = { signal: across };
    // Panels below each other have the picture's width, others one that they share.
    const name = vega.width ? "width" : "childWidth";
    delete vega.width;
    vega.signals = vega.signals.filter((each) => each.name !== name);
    vega.signals.unshift(sized(name, `max(120, ${each})`));
    const keys = [vega, ...vega.marks].flatMap((each) => each.legends ?? []);
    const entries = `max(1, floor(containerSize()[0] / ${entry}))`;
    for (const key of keys) key.columns = { signal: entries };
    return vega;
  };
  vegaEmbed(place, chart, {
    ast: true, renderer: "svg", patch: fitted, config: theme,
    actions: { export: true, source: false, compiled: false, editor: false },
  });
}
"""


#: Where a page's contents and its script go.
_CONTENTS, _SCRIPT = "<!-- contents -->", "/* script */"


def page(template: str, **values: object) -> str:
    """Return the page; a value that the template misses is an error.

    A browser runs the library of charts and what begins it alone, and fetches nothing.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("slcache"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_plain,
    )
    script = _library()
    text = environment.get_template(template).render(
        **values,
        script=Markup(_SCRIPT),
        theme=_json(layout.theme("currentColor")),
        policy=_policy(script),
        contents=Markup(_CONTENTS),
    )
    # A name may read as the script's place does, which stands behind all names.
    before, _, behind = _with_contents(text).rpartition(_SCRIPT)
    return before + script + behind


def chart(picture: Spec, described: str) -> Markup:
    """Return a picture's place on a page, with its specification as data."""
    return Markup(
        '<div data-chart role="img" aria-label="{}">'
        '<script type="application/json">{}</script></div>'
    ).format(printable(described), _json(layout.plain(picture)))


def _with_contents(text: str) -> str:
    """Return a page with a link to each of its parts, where it has more than a few."""
    links: list[str] = []

    def named(head: re.Match[str]) -> str:
        links.append(f'<a href="#part-{len(links) + 1}">{head[1]}</a>')
        return f'<h2 id="part-{len(links)}">{head[1]}</h2>'

    text = re.sub(r"<h2>(.*?)</h2>", named, text)
    shown = f'<nav aria-label="Contents">{"".join(links)}</nav>' if len(links) > 2 else ""
    return text.replace(_CONTENTS, shown, 1)


def _json(told: Mapping[str, Any]) -> Markup:
    """Return JSON that is safe inside a page: a name must not end the element it stands in."""
    text = json.dumps(told, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return Markup(text.replace("<", "\\u003c"))


def check_room() -> None:
    """Raise RunError where the script of pages is yet to be made, and there is no room for that."""
    if _kept() is None:
        drawer()


@cache
def _library() -> str:
    """Return the script of pages, which takes seconds to bundle: once for each installation.

    It is kept in the user's cache: the wheel is made without vl-convert, and what is bundled
    must fit the version that is installed.
    """
    kept = _kept()
    if kept is not None:
        return kept
    # A tag's end inside the script would end the element that it stands in.
    text = str(drawer().javascript_bundle(_BEGIN)).replace("</script", "<\\/script")
    _keep(_script_name(), f"{text}\n//{hashlib.sha256(text.encode()).hexdigest()}")
    return text


def _kept() -> str | None:
    """Return the script that is kept; None where there is none, or it is damaged."""
    try:
        text, sum_ = files.text_of(_cache_folder() / _script_name()).rsplit("\n//", 1)
    except (OSError, ValueError, RuntimeError):
        return None
    return text if sum_ == hashlib.sha256(text.encode()).hexdigest() else None


def _script_name() -> str:
    from importlib.metadata import version

    digest = hashlib.sha256(_BEGIN.encode()).hexdigest()[:12]
    return f"charts-{version('vl-convert-python')}-{digest}.js"


def _keep(name: str, text: str) -> None:
    """Write a file of the cache whole or not at all; where nothing can be kept, nothing is."""
    try:
        folder = _cache_folder()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as beside:
            part = Path(beside) / name
            part.write_text(text, encoding="utf-8")
            part.replace(folder / name)
    except (OSError, RuntimeError):
        return


def _cache_folder() -> Path:
    """Return the folder that the platform has for what can be made again.

    Raises RuntimeError for a user without a home.
    """
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "slcache"
    name = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME"
    given = Path(os.environ.get(name, ""))
    # By the rules of XDG a folder that depends on where one stands is none.
    return (given if given.is_absolute() else Path.home() / ".cache") / "slcache"


def _policy(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _plain(value: object) -> object:
    """Return a text without characters that hide or turn others; pages' own parts as they are."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value
