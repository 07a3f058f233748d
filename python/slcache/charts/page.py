"""Pages: the library that draws their charts, the charts themselves, and what may run in them."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from slcache import files
from slcache.charts import layout, pictures
from slcache.charts.spec import Spec
from slcache.names import printable

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


def render(template: str, **values: object) -> str:
    """Return the page; a value that the template misses is an error.

    A browser runs the library of charts and what begins it alone, and fetches nothing.
    """
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
        pictures.drawer()


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
    text = str(pictures.drawer().javascript_bundle(_BEGIN)).replace("</script", "<\\/script")
    _keep(_name(), f"{text}\n//{hashlib.sha256(text.encode()).hexdigest()}")
    return text


def _kept() -> str | None:
    """Return the script that is kept; None where there is none, or it is damaged."""
    try:
        text, sum_ = files.text_of(_cache() / _name()).rsplit("\n//", 1)
    except (OSError, ValueError, RuntimeError):
        return None
    return text if sum_ == hashlib.sha256(text.encode()).hexdigest() else None


def _name() -> str:
    digest = hashlib.sha256(_BEGIN.encode()).hexdigest()[:12]
    return f"charts-{version('vl-convert-python')}-{digest}.js"


def _keep(name: str, text: str) -> None:
    """Write a file of the cache whole or not at all; where nothing can be kept, nothing is."""
    try:
        folder = _cache()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as beside:
            part = Path(beside) / name
            part.write_text(text, encoding="utf-8")
            part.replace(folder / name)
    except (OSError, RuntimeError):
        return


def _cache() -> Path:
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
