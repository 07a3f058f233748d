"""What charts say: panels, rows of data and axes, read off pages and specifications."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

Spec = dict[str, Any]
_CHART = re.compile(
    r'<div data-chart role="img" aria-label="([^"]*)">'
    r'<script type="application/json">(.*?)</script>',
    re.DOTALL,
)


def charts(page: str) -> dict[str, Spec]:
    """Return the charts of a page by their titles."""
    return {html.unescape(title): json.loads(text) for title, text in _CHART.findall(page)}


def panels(chart: Any) -> dict[str, Spec]:  # noqa: ANN401
    """Return the panels of a chart, a specification or Altair's, by their titles."""
    spec = chart if isinstance(chart, dict) else chart.to_dict(validate=False)
    return {_title(each): each for each in spec["concat"]}


def only(chart: Any) -> Spec:  # noqa: ANN401
    """Return a chart's one panel."""
    (panel,) = panels(chart).values()
    return panel


def _title(panel: Spec) -> str:
    title = panel.get("title", "")
    return str(title["text"] if isinstance(title, dict) else title)


def nodes(spec: Spec) -> Iterator[Spec]:
    """Yield a specification and all layers and panels in it."""
    yield spec
    for each in (*spec.get("layer", ()), *spec.get("concat", ())):
        yield from nodes(each)


def rows(spec: Spec) -> list[dict[str, Any]]:
    """Return all rows of data, a row for each value where columns are held as lists."""
    found = []
    for node in nodes(spec):
        for row in node.get("data", {"values": []})["values"]:
            lists = {name: value for name, value in row.items() if isinstance(value, list)}
            rest = {name: value for name, value in row.items() if name not in lists}
            many = [
                dict(zip(lists, each, strict=True)) for each in zip(*lists.values(), strict=True)
            ]
            found += [{**rest, **each} for each in (many if lists else [{}])]
    return found


def axis(panel: Spec, way: str) -> Spec:
    """Return the first encoding of a panel along a side."""
    return next(
        node["encoding"][way]
        for node in nodes(panel)
        if "axis" in node.get("encoding", {}).get(way, {})
    )


def keys(spec: Any) -> list[str]:  # noqa: ANN401
    """Return what the key of a chart names."""
    whole = spec if isinstance(spec, dict) else spec.to_dict(validate=False)
    for node in nodes(whole):
        colour = node.get("encoding", {}).get("color", {})
        if colour.get("legend"):
            return list(colour["scale"]["domain"])
    return []


def colours(spec: Spec) -> dict[str, str]:
    """Return every name that a chart has a colour for, and the colour."""
    found: dict[str, str] = {}
    for node in nodes(spec):
        scale = node.get("encoding", {}).get("color", {}).get("scale", {})
        names = scale.get("domain", ()) if isinstance(scale.get("range"), list) else ()
        found |= dict(zip(names, scale.get("range", ()), strict=False))
    return {name: colour for name, colour in found.items() if isinstance(name, str)}


def texts(spec: Any) -> list[str]:  # noqa: ANN401
    """Return the texts that a chart only says."""
    whole = spec if isinstance(spec, dict) else spec.to_dict(validate=False)
    marks = [node.get("mark") for node in nodes(whole)]
    return [mark["text"] for mark in marks if isinstance(mark, dict) and "text" in mark]


VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """What a page says and refers to; its elements close in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.said = ""
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    @property
    def ids(self) -> list[str]:
        """The names of its elements."""
        return [value for name, value in self.attributes if name == "id"]

    @property
    def references(self) -> list[str]:
        """What it refers to."""
        kinds = ("src", "href", "xlink:href", "data", "srcset")
        return [value for name, value in self.attributes if name in kinds]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element and its attributes."""
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost element, which may be one that closes itself."""
        assert tag in VOID or self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Note what is said; what scripts hold is looked at by itself."""
        if "script" not in self._open:
            self.said += data
