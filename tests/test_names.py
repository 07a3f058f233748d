"""Names that people give are text everywhere, and points of a page tell what repeats them."""

from __future__ import annotations

import copy
import html
import json
import re
import shlex
import unicodedata
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import slcache
from charted import Page, charts, rows
from slcache import names
from slcache.bandwidth import curves
from slcache.charts import layout, performance, pictures
from slcache.cli import console
from slcache.metrics import METRICS
from slcache.results.result import heading, run_table, runs_of
from slcache.sentences.verdict import FEW
from slcache.study import page as pages
from slcache.study import sweep
from slcache.study.analysis import Analysis
from slcache.study.outcome import Outcome
from slcache.study.run import Sweep
from slcache.trace import Trace
from studies import grid, table_of
from support import json_of, mixed, write_trace
from support import slcache as command

MARKUP = [
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
TOGETHER = ["$\\foo$", "".join(MARKUP[::2])[:600], "".join(MARKUP[1::2])]


def hostile(run: slcache.Result, name: str) -> slcache.Result:
    """Return a run all of whose names are this one."""
    document = run.to_dict()
    document["trace"] |= {"path": name, "label": name, "steps": [name], "format": name}
    document["trace"]["skipped"] = [{"reason": name, "count": 1}]
    document["config"]["device"]["name"] = name
    document["scheme"]["figures"][name] = name
    for tables in (document["wear"]["pools"], document["flash"]["ops"]):
        for row in tables:
            row["pool"] = name
    return slcache.Result(document, label=name)


@pytest.fixture(scope="module")
def comparisons(comparison: slcache.Comparison) -> list[slcache.Comparison]:
    """Comparisons of few and of many, and all hostile names somewhere."""
    found = []
    for group in (MARKUP[:FEW], MARKUP[FEW:]):
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
    info = Trace(trace).info()
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
        done = command("trace", "info", path, "--picture", tmp_path / "p.html")
        assert done.returncode == 0, done.stderr
        assert b"\x1b" not in done.stdout
        assert names.printable(name) in done.stdout.decode()
        check_page((tmp_path / "p.html").read_text(), name)
        done = command("trace", "info", tmp_path / name)
        assert done.returncode != 0
        assert harmless(done.stderr.decode())
        assert names.printable(name) in done.stderr.decode()
    written = {"write_bytes": [1 << 30] * 20, "write_requests": [8192] * 20}
    written["write_latency_ns_max"] = [0] * 20
    document = {
        "config": {},
        "series": {"window_ns": 10**9, "columns": written},
        "host": {"duration_ns": 20 * 10**9},
    }
    curve = curves.sustained(document)
    drawn = performance.cliff(dict.fromkeys(MARKUP[:9], curve), 1, MARKUP[0])
    root = ElementTree.fromstring(pictures.written(drawn, ".svg"))
    assert not [each for each in root.iter() if each.tag.endswith(("script", "image"))]
    assert names.printable(MARKUP[0]) in {each.text for each in root.iter()}


def harmless(text: str) -> bool:
    return not any(unicodedata.category(c) in ("Cc", "Cf", "Cs") for c in text if c != "\n")


def test_json_for_a_terminal_means_the_same(
    capsys: pytest.CaptureFixture[str], comparisons: list[slcache.Comparison]
) -> None:
    console.emit(console.json_of(MARKUP))
    shown = capsys.readouterr().out
    assert harmless(shown)
    assert json.loads(shown) == MARKUP
    for each in comparisons:
        label = heading(runs_of(each))
        console.show(*label, each.tables()[0], *each.verdict())
        console.show(run_table(each.labels[0], each.documents[0]))
        console.note(each.labels[0])
        out, err = capsys.readouterr()
        assert harmless(out)
        assert harmless(err)
        for name in each.labels:
            assert names.printable(name) in out
        assert harmless(each.summary())


def test_every_page_escapes() -> None:
    for name in MARKUP:
        chart = pictures.chart(layout.empty(name), name)
        made = pictures.page("trace.html.j2", title=name, sections=[], chart=chart)
        check_page(made, name)
        assert list(charts(made)) == [names.printable(name)]
    folder = resources.files("slcache") / "templates"
    templates = [path for path in folder.iterdir() if path.name.endswith(".j2")]
    assert len(templates) >= 3
    for path in templates:
        assert not re.search(r"\|\s*safe|autoescape\s+false", path.read_text())


HOSTILE = "</script><b>\"'&$(x)<!--"
WORKLOAD = """
requests = 300
footprint_bytes = "1MiB"
global.rw = "randrw"
global.bs = "4k"
arrivals = { process = "constant", mean_gap_ns = 100000 }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace with an odd name, a workload and a configuration file."""
    made = tmp_path_factory.mktemp("points")
    write_trace(made / "an odd, 'näme' = [1].csv", mixed(80))
    write_trace(made / "plain.csv", mixed(90, seed=5))
    (made / "drawn.toml").write_text(WORKLOAD)
    (made / "keys.toml").write_text("[host]\ntime_scale = 0.25\n")
    return made


ODD = "an odd, 'näme' = [1].csv"
ROOM = {"device.user_bytes": "2MiB", "trace.address": "wrap"}
SA = {"scheme.sa.slc_blocks": [3, 4]}
STUDIES: dict[str, tuple[list[str], dict[str, Any]]] = {
    "schemes": (
        [ODD],
        {"scheme": ["tlc-only", "sa"], "vary": {**SA, "host.time_scale": [0.5, 1.0]}},
    ),
    "traces": ([ODD, "plain.csv"], {"vary": SA, "replay": "closed:2"}),
    "seeds": (["drawn.toml"], {"vary": {"workload.requests": [200, 300], **SA}}),
    "draws": (["plain.csv"], {"vary": SA, "resample": 2}),
    "reader": (["plain.csv"], {"vary": {"reader.unsorted": ["error", "sort:9"], **SA}}),
    "config": (["plain.csv"], {"vary": SA, "config": "keys.toml"}),
    "metrics": (["plain.csv"], {"vary": SA, "metrics": ["dense_bytes", "waf"]}),
}


def study(folder: Path, name: str) -> Sweep:
    traces, asked = STUDIES[name]
    own = {"config": folder / asked["config"]} if "config" in asked else {}
    seeds = {"seeds": 2, "seed": 5} if name == "seeds" else {}
    return sweep(
        [str(folder / trace) for trace in traces],
        device="tiny",
        settings=ROOM,
        jobs=1,
        **{"scheme": "sa", **asked, **own, **seeds},
    )


def told(page: str) -> dict[int, dict[str, str | None]]:
    """Return what a page tells of its points, by number."""
    found = {}
    for number, inside in re.findall(r'<div id="point-(\d+)">(.*?)</div>', page, re.DOTALL):
        command = re.search(r'<pre class="command">(.*?)</pre>', inside, re.DOTALL)
        (figures,) = re.findall(r'<p class="soft">(.*?)</p>', inside, re.DOTALL)
        (name,) = re.findall(r"</a>: (.*?)</p>", inside, re.DOTALL)
        found[int(number)] = {
            "name": html.unescape(name),
            "figures": html.unescape(figures),
            "command": html.unescape(command[1]) if command else None,
        }
    return found


def check_commands(page: str, table: list[dict[str, Any]]) -> int:
    """Check that commands give the figures of their points, and return how many there are."""
    given = told(page)
    for number, point in given.items():
        words = shlex.split(point["command"] or "")
        assert words[:2] == ["slcache", "run"]
        document = json_of(*words[1:], "--json")
        row = table[number - 1]
        for metric, known in METRICS.items():
            # What is held against other runs is no figure of this one.
            if row.get(metric) is not None and metric != "gain_share":
                assert known.value(document) == pytest.approx(row[metric]), metric
        figures = (point["figures"] or "").split(", ")
        assert all(figure.partition(" ")[0] in METRICS for figure in figures)
    return len(given)


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("name", STUDIES)
def test_a_point_s_command_gives_its_figures(folder: Path, name: str) -> None:
    found = study(folder, name)
    page = found.report()
    assert check_commands(page, found.table.to_dicts())
    assert ("the command runs the first" in page) == (name in ("seeds", "draws"))


def test_every_point_of_the_picture_is_told(folder: Path) -> None:
    found = study(folder, "traces")
    page = found.report()
    given = told(page)
    fronts = {t: chart for t, chart in charts(page).items() if t.startswith("Pareto front")}
    shown = {row["href"]: row["name"] for chart in fronts.values() for row in rows(chart)}
    assert shown == {f"#point-{number}": point["name"] for number, point in given.items()}
    assert len(given) == sum(
        len(each.outcome.configurations) for each in found.analysis().judged if each.front.metrics
    )
    made = write_trace(folder / (HOSTILE.replace("/", "") + ".csv"), mixed(60))
    found = sweep(str(made), device="tiny", scheme="sa", vary=SA, settings=ROOM, jobs=1)
    page = found.report()
    assert "<b>" not in page
    assert page.count("<script") == 2 + len(charts(page))
    assert shlex.split(next(iter(told(page).values()))["command"] or "")[2] == str(made)


def test_a_mark_s_number_is_of_the_point_that_it_shows() -> None:
    """By the order of one metric along an axis, on a made-up table."""
    blocks = [8, 1, 4, 2, 9, 5]
    table = grid({"s.blocks": blocks}, lambda n, _: {"waf": 1.0 + n, "slc_bytes": 50.0 - n * n})
    page = pages.render(Analysis.of(Outcome.of(table), ("waf", "slc_bytes")), "made up")
    marks = {row["href"]: row["x"] for row in rows(charts(page)["Pareto front"]) if "href" in row}
    ordered = sorted(marks, key=lambda link: marks[link])
    numbers = [int(link.removeprefix("#point-")) for link in ordered]
    assert [blocks[number - 1] for number in numbers] == sorted(blocks)
    assert all(point["command"] is None for point in told(page).values())


@pytest.mark.usefixtures("undrawn")
def test_what_no_command_can_say_has_none(folder: Path, tmp_path: Path) -> None:
    """Nor has any point of a study that cannot be read."""
    found = study(folder, "schemes")
    row = dict(found.table.to_dicts()[0])
    assert pages.of_row(found.study, row) is not None
    assert pages.of_row(found.study, {**row, "trace": "another"}) is None
    table = table_of([{**row, "no.such.key": n, "waf": 1.0 + n} for n in (1, 2)])
    page = pages.render(Analysis.of(Outcome.of(table), ("waf",)), "edited", study=found.study)
    assert [point["command"] for point in told(page).values()] == [None, None]
    for name, content in found.files().items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "study.toml").write_text("trace = 3\n")
    html = tmp_path / "page.html"
    for metrics, said in (([], "judged by the default"), (["--metric", "waf"], "without commands")):
        done = command("sweep", "show", tmp_path, *metrics, "--html", html)
        assert done.returncode == 0, done.stderr
        assert said in " ".join(done.stderr.decode().split())
        assert {point["command"] for point in told(html.read_text()).values()} == {None}


@pytest.mark.usefixtures("undrawn")
def test_a_search_s_points_have_commands(folder: Path) -> None:
    pytest.importorskip("optuna")
    from slcache.search import tune

    found = tune(
        folder / "plain.csv", device="tiny", scheme=["tlc-only", "sa"], points=4, jobs=1,
        vary={**SA, "host.time_scale": [0.5, 1.0]},
        settings={**ROOM, "scheme.sa.slc.victim": "fifo"},
    )  # fmt: skip
    assert check_commands(found.report(), found.table.to_dicts())
