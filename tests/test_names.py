"""Names are text: nothing in them acts on a page, a picture or a terminal."""

from __future__ import annotations

import copy
import json
import re
import unicodedata
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import slcache
from charted import Page, charts
from slcache import api
from slcache.bandwidth import curves
from slcache.charts import bandwidth, files, layout, page
from slcache.cli import console
from slcache.report import pictures, terminal
from slcache.sentences.verdict import FEW
from slcache.words import names
from support import mixed, write_trace
from support import slcache as run_slcache

HOSTILE = [
    '"><script>alert(1)</script>',
    "$\\foo$",
    "$x_{1}",
    "[red]not red[/red] [/]",
    "\x1b[31mred\x1b]0;title\x07",
    "{{ 7 * 7 }}{% endraw %}",
    "</svg><b onload='x'>&amp;",
    "turned\u202e round\u2066",
    'id="axes_1" url(#clip) #101112 1.23456789',
    "<!-- -- --> :smile:",
    "\x00\x7f\x9b2J\xad",
    "long " * 60,
    "e\u0301 漢字 🙂",
]
#: The same in few names, for what takes its time.
TOGETHER = ["$\\foo$", "".join(HOSTILE[::2])[:600], "".join(HOSTILE[1::2])]


def hostile(run: slcache.Result, name: str) -> slcache.Result:
    """Return a run all of whose names are this one."""
    document = run.to_dict()
    document["trace"] |= {"path": name, "label": name, "steps": [name], "format": name}
    document["trace"]["skipped"] = [{"reason": name, "count": 1}]
    document["config"]["device"]["name"] = name
    document["scheme"]["figures"][name] = name
    for rows in (document["wear"]["pools"], document["flash"]["ops"]):
        for row in rows:
            row["pool"] = name
    return slcache.Result(document, label=name)


@pytest.fixture(scope="module")
def comparisons(comparison: slcache.Comparison) -> list[slcache.Comparison]:
    """Comparisons of few and of many, and all hostile names somewhere."""
    found = []
    for group in (HOSTILE[:FEW], HOSTILE[FEW:]):
        document = hostile(comparison.runs[0], group[0]).to_dict()
        found.append(slcache.Comparison([slcache.Result(document, label) for label in group]))
    return found


def check_page(text: str, said: str | None) -> None:
    found = Page(text)
    assert not {"b", "img", "iframe"} & set(found.tags)
    # Those of charts are data; the last is the page's own.
    assert text.count("<script") == 2 + len(charts(text))
    assert not [name for name, _ in found.attributes if name.startswith("on")]
    assert {ref[1:] for ref in found.references if ref.startswith("#")} <= set(found.ids)
    assert not any(unicodedata.category(c) in ("Cc", "Cf") for c in found.said if c != "\n")
    for chart in charts(text).values():
        assert all(map(harmless, strings(chart)))
    if said is not None:
        assert names.printable(said) in found.said


def strings(value: Any) -> Iterator[str]:  # noqa: ANN401
    """Yield all texts of a specification."""
    if isinstance(value, dict):
        for each in value.values():
            yield from strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)
    elif isinstance(value, str):
        yield value


def expressions(value: Any) -> Iterator[str]:  # noqa: ANN401
    """Yield what a specification has evaluated, and the fields that it names."""
    if isinstance(value, dict):
        for name, each in value.items():
            if name in ("calculate", "filter", "test", "labelExpr", "expr", "signal", "field"):
                yield from strings(each)
            elif name != "values":
                yield from expressions(each)
    elif isinstance(value, list):
        for each in value:
            yield from expressions(each)


def test_reports_and_charts_show_names_as_they_are(comparisons: list[slcache.Comparison]) -> None:
    for each in comparisons:
        text = each.report()
        check_page(text, each.labels[0])
        found = charts(text)
        shown = set(map(names.printable, each.labels))
        # A chart of wear names pools too.
        assert len(found) >= 6
        for title in ("Where the mean latency comes from", "Latency distributions"):
            assert shown <= set(strings(found[title]))
        assert f"Latency relative to {names.printable(each.labels[0])}" in found
        for chart in found.values():
            evaluated = "".join(expressions(chart))
            assert not any(name in evaluated for name in shown)


@pytest.mark.parametrize("kind", [".html", ".svg"])
def test_pictures_of_a_trace_take_any_name(kind: str, trace: Path, tmp_path: Path) -> None:
    """Those of other kinds are drawn from what the SVG says."""
    info = api.Trace(trace).info()
    # A page has all that a drawing has.
    for name in TOGETHER if kind == ".html" else TOGETHER[1:]:
        document: dict[str, Any] = copy.deepcopy(info)
        document["file"] = f"/tmp/{name.replace('/', '|')}"
        document["summary"] |= {"label": name, "steps": [name]}
        document["streams"] = [{**info["streams"][0], "volume": name}] * 2
        path = tmp_path / f"picture{kind}"
        pictures.save_trace(document, path)
        if kind == ".html":
            check_page(path.read_text(), name)
        else:
            ElementTree.fromstring(path.read_bytes())


def test_file_names_do_not_act_on_pages_and_terminals(tmp_path: Path) -> None:
    for name in ('"><script>$\\foo$[red]', "\x1b[31mred"):
        path = write_trace(tmp_path / f"{name}.csv", mixed(40))
        done = run_slcache("trace", "info", path, "--picture", tmp_path / "p.html")
        assert done.returncode == 0, done.stderr
        assert b"\x1b" not in done.stdout
        assert names.printable(name) in done.stdout.decode()
        check_page((tmp_path / "p.html").read_text(), name)
        done = run_slcache("trace", "info", tmp_path / name)
        assert done.returncode != 0
        assert harmless(done.stderr.decode())
        assert names.printable(name) in done.stderr.decode()
    written = {"write_bytes": [1 << 30] * 20, "write_latency_ns_max": [0] * 20}
    document = {
        "series": {"window_ns": 10**9, "columns": written},
        "host": {"duration_ns": 20 * 10**9},
    }
    curve = curves.sustained(document)
    drawn = bandwidth.cliff(dict.fromkeys(HOSTILE[:9], curve), 1, HOSTILE[0])
    root = ElementTree.fromstring(files.written(drawn, ".svg"))
    assert not [each for each in root.iter() if each.tag.endswith(("script", "image"))]
    assert names.printable(HOSTILE[0]) in {each.text for each in root.iter()}


def harmless(text: str) -> bool:
    return not any(unicodedata.category(c) in ("Cc", "Cf", "Cs") for c in text if c != "\n")


def test_json_for_a_terminal_means_the_same(
    capsys: pytest.CaptureFixture[str], comparisons: list[slcache.Comparison]
) -> None:
    console.emit_json(HOSTILE)
    shown = capsys.readouterr().out
    assert harmless(shown)
    assert json.loads(shown) == HOSTILE
    for each in comparisons:
        label = terminal.label_line(each.labels, each.documents)
        console.show(*label, each.tables()[0], *each.verdict())
        console.show(terminal.run_table(each.labels[0], each.documents[0]))
        console.note(each.labels[0])
        out, err = capsys.readouterr()
        assert harmless(out)
        assert harmless(err)
        for name in each.labels:
            assert names.printable(name) in out
        assert harmless(each.summary())


def test_every_page_escapes() -> None:
    for name in HOSTILE:
        chart = page.chart(layout.empty(name), name)
        made = page.render("trace.html.j2", title=name, sections=[], chart=chart)
        check_page(made, name)
        assert list(charts(made)) == [names.printable(name)]
    folder = resources.files("slcache") / "templates"
    templates = [path for path in folder.iterdir() if path.name.endswith(".j2")]
    assert len(templates) >= 3
    for path in templates:
        assert not re.search(r"\|\s*safe|autoescape\s+false", path.read_text())
