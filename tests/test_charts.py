"""Charts as figures, files and pages: they show what the documents hold, and run no other code."""

from __future__ import annotations

import base64
import copy
import hashlib
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import slcache
from charted import axis, charts, colours, keys, only, panels, rows, texts
from figured import figured
from slcache import units
from slcache.charts import device, layout, performance, pictures, scheme, spec
from slcache.charts.spec import Axis
from slcache.documents import figures, saved
from slcache.results import report
from slcache.results.result import runs_of
from support import mixed, write_trace


def simple() -> spec.Spec:
    curve: dict[str, spec.Curve] = {
        "<b>a": ([1.0, 2.0], [3.0, None]),
        "b": ([1.0, 2.0], [1.0, 4.0]),
    }
    lines = spec.lines(curve, Axis("x"), Axis("y", "time", log=True), spec.colours(curve))
    return layout.picture([layout.panel(lines, title="a panel")])


def test_files_are_drawn_without_a_browser_and_the_same_every_time() -> None:
    for kind, head in ((".png", b"\x89PNG"), (".svg", b"<svg"), (".pdf", b"%PDF")):
        drawn = pictures.written(simple(), kind)
        assert drawn.startswith(head)
        assert kind == ".pdf" or pictures.written(simple(), kind) == drawn


@pytest.mark.long
def test_altair_takes_every_chart_of_a_run(comparison: slcache.Comparison, tmp_path: Path) -> None:
    """What it checks its own charts by says that these are Vega-Lite."""
    for name in ("attribution", "writes", "series", "windows", "latency", "wear", "bars"):
        getattr(comparison, f"plot_{name}")().to_dict(validate=True)
    comparison.plot_writes().save(str(tmp_path / "writes.svg"))
    ElementTree.parse(tmp_path / "writes.svg")


def test_what_there_is_nothing_of_says_so() -> None:
    document = {"config": {"device": {"mu_bytes": 4096}}, "flash": {"ops": [], "slots": []}}
    drawn = device.writes({"a": document})
    assert "nothing was programmed" in pictures.written(drawn, ".svg").decode()
    curve: dict[str, spec.Curve] = {"a": ([1.0, 2.0], [3.0, 4.0])}
    looks = spec.colours(curve)

    def line() -> spec.Spec:
        return layout.panel(spec.lines(curve, Axis("time"), Axis("y"), looks))

    blank = layout.panel(layout.blank())
    drawn = layout.picture([line(), line(), line(), blank], columns=2, linked=True)["concat"]
    told = [each["layer"][0].get("encoding", {}).get("x", {}).get("title") for each in drawn]
    assert told == [None, "time", "time", None]


@pytest.fixture(scope="module")
def nine(tmp_path_factory: pytest.TempPathFactory) -> slcache.Comparison:
    """Every scheme on a filled device; pages hold four mapping units, and writes may be shorter."""
    made = [(ms, op, at // 4, size // 4) for ms, op, at, size in mixed(1500)]
    path = write_trace(tmp_path_factory.mktemp("figures") / "mixed.csv", made)
    fit, _ = slcache.fitting(device="tiny")
    settings = {"precondition.fill": 0.6, "device.mu_bytes": 1024}
    return slcache.compare(path, device="tiny", schemes=fit, settings=settings)


def test_what_was_programmed_adds_up_to_write_amplification(nine: slcache.Comparison) -> None:
    causes = set()
    for document in nine.documents:
        host, waf = document["host"]["write"]["bytes"], document["waf"]
        stack = device.programmed(document)
        stored = [op for op in document["flash"]["ops"] if "program" in op["kind"]]
        assert sum(stack.values()) == sum(op["bytes"] for op in stored)
        assert sum(stack.values()) == pytest.approx(waf["total"] * host)
        assert sum(waf["by_cause"].values()) == pytest.approx(waf["total"])
        for cause in {cause for _, cause in stack} | waf["by_cause"].keys():
            mine = sum(size for (_, name), size in stack.items() if name == cause)
            assert mine == pytest.approx(waf["by_cause"].get(cause, 0.0) * host), cause
        assert waf["by_cause"]["host"] == pytest.approx(1.0, abs=0.02)
        causes |= waf["by_cause"].keys()
    assert {"host", "rmw", "migration", "gc", "pad"} <= causes
    figures = nine.normalised["schemes"]
    drawn = performance.relative(runs_of(nine), nine.labels[0])
    for panel, side in zip(panels(drawn).values(), ("read", "write"), strict=True):
        found = rows(panel)
        for name in nine.labels:
            own = [row for row in found if row.get("row") == name]
            (mean,) = [row for row in own if row.get("key") == "mean"]
            assert mean["x"] == pytest.approx(figures[name][f"{side}_mean"])
            # The row ends where a percentile may be: what stands there is the mean's, and says so.
            assert f"mean {units.factor(mean['x'])}" in [row.get("text") for row in own]


def test_a_log_axis_of_factors_has_two_labels_however_short_it_is() -> None:
    low = np.geomspace(1e-3, 1e3, 200)
    for start, end in ((a, a * by) for a in low for by in (1.3, 1.5, 2.0, 4.0, 100.0)):
        found = spec.short_ticks(start, end)
        parts = [p * 10.0**n for n in range(-4, 7) for p in (1, 2, 3, 5)]
        told = [each for each in found or parts if start <= each <= end]
        assert len(told) >= 2
        assert found is None or len(told) == len(found) <= 11
    label = Axis(kind="factor", log=True, ticks=[0.8, 1.0]).channel("x")["axis"]
    assert label["values"] == [0.8, 1.0]
    assert "indexof" not in label["labelExpr"]


def test_parts_of_the_mean_latency_add_up_to_it(nine: slcache.Comparison) -> None:
    drawn = performance.attribution(runs_of(nine))
    for panel, side in zip(panels(drawn).values(), ("read", "write"), strict=True):
        for label, document in runs_of(nine).items():
            parts = [r for r in rows(panel) if r["row"] == label and "key" in r]
            whole = figures.attribution(document, side)
            assert max(r["end"] for r in parts) == pytest.approx(sum(whole.values()))
            assert sum(r["told"] == units.duration(whole["service array"]) for r in parts) >= 1
    for times, scale in ((9.0, None), (11.0, "log")):
        documents = [copy.deepcopy(dict(nine.documents[0])) for _ in range(3)]
        documents[2]["host"]["write"]["latency_us"]["mean"] *= times
        figured(documents[2])
        read, write = panels(
            performance.attribution(dict(zip("abc", documents, strict=True)))
        ).values()
        assert axis(write, "x")["scale"].get("type") == scale
        assert "log" not in str(read["layer"])


def test_a_new_kind_of_waiting_just_appears(nine: slcache.Comparison) -> None:
    documents = [each.to_dict() for each in nine.runs[:2]]
    for document in documents:
        document["host"]["write"]["attribution_us"]["wait"] |= {"zeal": 5.0, "ardour": 9.0}
        figured(document)
    colours = [kind.colour for kind in performance.components(documents).values()]
    assert len(set(colours)) == len(colours)
    assert len({spec.colour(place) for place in range(300)}) == 300
    assert {"wait zeal", "wait ardour"} <= set(
        keys(performance.attribution(dict(zip("ab", documents, strict=True))))
    )
    assert "wait zeal is waiting behind zeal" in performance.attribution_caption(documents)


def test_no_two_things_in_a_picture_have_one_colour(nine: slcache.Comparison) -> None:
    """Whatever pictures a page has: the bound too, among more schemes than are named by hand."""
    drawn = charts(nine.report())
    assert {"How large a cache is worth", "Where the mean latency comes from"} <= drawn.keys()
    for title, chart in drawn.items():
        found = colours(chart)
        assert len(set(found.values())) == len(found), (title, found)


def test_every_erase_count_and_distribution_is_told(nine: slcache.Comparison) -> None:
    drawn = rows(device.wear(runs_of(nine)))
    for label, document in runs_of(nine).items():
        counted = sum(n for pool in document["wear"]["pools"] for _, n in pool["histogram"])
        assert sum(row["y"] for row in drawn if row["key"] == label) == counted
    found = panels(performance.latency(runs_of(nine)))
    for side in ("read", "write"):
        for label, document in runs_of(nine).items():
            shown = [(r["x"], r["y"]) for r in rows(found[f"{side}s"]) if r["key"] == label]
            for (x, y), (us, share) in zip(shown[1:], document["host"][side]["cdf"], strict=True):
                assert y == pytest.approx(share)
                assert x == pytest.approx(us) or us < 0.1
    assert axis(found["writes, the tail"], "y")["scale"]["type"] == "log"


COMPUTED = [[0.05, 9e6], [0.5, 2e6], [0.6, 2e6], [0.97, 2e7]]


def document(computed: list[list[float]], measured: list[list[float]]) -> dict[str, Any]:
    curve = {"name": "cost", "x": "utilisation", "y": "ns per unit access"}
    return {"scheme": {"curves": [{**curve, "computed": computed, "measured": measured}]}}


def points(panel: Any, key: str) -> list[list[float]]:  # noqa: ANN401
    return [[row["x"], row["y"]] for row in rows(panel) if row["key"] == key]


def test_the_first_least_point_is_marked_and_the_measured_ones_lie_beside() -> None:
    panel = only(scheme.curve({"a": document(COMPUTED, [[0.4, 3e6]])}, "cost"))
    assert points(panel, "computed") == [[x, y / 1e3] for x, y in COMPUTED]
    assert points(panel, "least computed") == [[0.5, 2e3]]
    assert points(panel, "measured in a window") == [[0.4, 3e3]]
    assert "2.00 ms at utilisation 50.0 %" in [row["told"] for row in rows(panel) if "told" in row]
    assert axis(panel, "y")["title"] == "per unit access"
    assert axis(panel, "y")["scale"]["type"] == "log"
    measured = [[0.2, 1e6 + i] for i in range(30)] + [[0.8, 5e6 + i] for i in range(30)]
    panel = only(scheme.curve({"a": document([], measured)}, "cost"))
    assert points(panel, "mean of windows") == [
        pytest.approx([0.2, 1e3 + 14.5e-3]),
        pytest.approx([0.8, 5e3 + 14.5e-3]),
    ]


def test_each_scheme_with_a_curve_has_a_panel_of_the_same_scale() -> None:
    runs: list[dict[str, Any]] = [
        document(COMPUTED, []),
        {"scheme": {}},
        document([], [[0.9, 5e7]]),
        document([], []),
    ]
    assert scheme.names(runs, "curves") == ["cost"]
    drawn = panels(scheme.curve(dict(zip(("a", "none", "b", "empty"), runs, strict=True)), "cost"))
    assert list(drawn) == ["a", "b"]
    for way in ("x", "y"):
        ends = [axis(each, way)["scale"] for each in drawn.values()]
        assert ends[0]["domainMax"] == ends[1]["domainMax"]
        assert ends[0]["domainMin"] == ends[1]["domainMin"]
    assert axis(drawn["a"], "y")["scale"]["domainMax"] >= 5e4
    panel = only(scheme.curve({"a": document([[0.1, 0.0], [0.2, 3e3]], [])}, "cost"))
    assert "type" not in axis(panel, "y")["scale"]
    other = document([[1.0, 5.0]], [])
    other["scheme"]["curves"][0] |= {"x": "blocks", "y": "hits"}
    panel = only(scheme.curve({"a": other}, "cost"))
    assert axis(panel, "y")["title"] == "hits"
    assert points(panel, "computed") == [[1.0, 5.0]]


def test_the_report_shows_it(comparison: Any) -> None:  # noqa: ANN401
    made = comparison.runs[0].to_dict()
    made["scheme"] |= document(COMPUTED, [[0.4, 3e6]])["scheme"]
    saved.current(made)
    page = report.render({"a": made}, None)
    assert page.count(">Computed and measured: cost</h2>") == 1
    assert "what one window of the run really took" in page
    made["scheme"]["curves"][0]["measured"] = [[0.4]]
    with pytest.raises(slcache.ResultError, match=r"scheme\.curves"):
        saved.current(made)


STEP = 65536
SETTINGS = {"scheme.rl.step_bytes": STEP, "scheme.dwa.window_bytes": STEP}


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> slcache.Comparison:
    """A scheme without windows, one that changes sizes and one that learns."""
    # Enough writes for more windows than a moving mean takes.
    trace = write_trace(tmp_path_factory.mktemp("windows") / "mixed.csv", mixed(1200))
    schemes = ["tlc-only", "dwa", "rl"]
    return slcache.compare(trace, device="tiny", schemes=schemes, settings=SETTINGS)


def series(document: Any, name: str) -> dict[str, Any]:  # noqa: ANN401
    return next(each for each in document["scheme"]["series"] if each["name"] == name)


def test_lines_are_of_the_schemes_that_have_windows(three: slcache.Comparison) -> None:
    drawn = three.plot_windows()
    assert keys(drawn) == ["dwa", "rl"]
    title, panel = next(iter(panels(drawn).items()))
    assert title == "size of the SLC region (blocks)"
    found = rows(panel)
    for run in three.runs[1:]:
        values = series(run.documents[0], "slc_blocks")["values"]
        own = [row for row in found if row["key"] == run.label]
        assert [row["y"] for row in own][1:] == values
        assert own[-1]["x"] * 2**20 == pytest.approx(len(values) * STEP)
    documents = copy.deepcopy([run.to_dict() for run in three.runs[1:]])
    for each in documents[0]["scheme"]["series"]:
        each["writes_per_value"] = each.pop("write_bytes_per_value")
    found = scheme.windows(dict(zip("ab", documents, strict=True)))["concat"]
    sizes = [each for each in found if each["title"] == "size of the SLC region (blocks)"]
    assert [axis(each, "x")["title"] for each in sizes] == [
        *("written by the host (MiB)", "write requests")
    ]


def test_a_moving_mean_is_that_of_the_last_values_known() -> None:
    for count, over in ((1, 1), (7, 3), (100, 2), (5, 5)):
        values = np.sin(np.arange(count, dtype=np.float64))
        wanted = [values[max(0, i - over + 1) : i + 1].mean() for i in range(count)]
        assert scheme._moving_mean(values, over) == pytest.approx(wanted)
    gap = scheme._moving_mean(np.array([np.nan, 2.0, 4.0]), 2)
    assert gap == pytest.approx([np.nan, 2.0, 3.0], nan_ok=True)

    def entry(name: str, values: list[float | None]) -> dict[str, Any]:
        return {"name": name, "writes_per_value": 10, "values": values}

    cost = entry("predicted_cost_ns", [None, 2e6, None, 4e6])
    document = {"scheme": {"series": [entry("lifetime_dense", [None]), cost]}}
    panel = only(scheme.windows({"a": document}))
    assert [row["y"] for row in rows(panel)] == [None, 2000, None, 4000]
    assert "' ms'" in axis(panel, "y")["axis"]["labelExpr"]


def counted(document: Any, name: str) -> tuple[list[int], list[int]]:  # noqa: ANN401
    """Return what a histogram counted, and how many bins each of its axes has."""
    found = next(each for each in document["scheme"]["histograms"] if each["name"] == name)
    return found["counts"], [len(each["bins"]) for each in found["axes"]]


def test_choices_are_drawn_as_cells_and_as_bars_of_each_axis(three: slcache.Comparison) -> None:
    """Cells are shares of the most frequent; bars of an axis sum over the others."""
    learner = three.runs[2].to_dict()
    actions, _ = counted(learner, "actions")
    states, sides = counted(learner, "states")
    assert sum(actions) == sum(states) == learner["scheme"]["figures"]["steps"]
    drawn = panels(three.plot_histogram("actions"))
    assert list(drawn) == ["rl"]
    shown = [row["value"] for row in rows(drawn["rl"])]
    assert shown == pytest.approx([count / max(actions) for count in actions])
    bars = list(panels(three.plot_histogram("states")).items())
    table = np.array(states).reshape(sides)
    for number, (_, panel) in enumerate(bars[: len(sides)]):
        others = tuple(i for i in range(table.ndim) if i != number)
        wanted = list(table.sum(axis=others) / table.sum())
        assert [row["y"] for row in rows(panel)] == pytest.approx(wanted)
    assert sum([row["y"] for row in rows(dict(bars)["how often each occurred"])]) == table.sum()
    axes = [{"name": "colour", "bins": ["red", "green"]}]
    document: dict[str, Any] = {
        "scheme": {"histograms": [{"name": "x", "axes": axes, "counts": [1, 3]}]}
    }
    found = rows(only(scheme.histogram({"a": document}, "x")))
    assert [row["y"] for row in found] == [0.25, 0.75]
    assert [row["told"] for row in found] == ["25.0 %, 1 of 4", "75.0 %, 3 of 4"]
    assert scheme.names([document], "histograms") == ["x"]


def test_the_report_shows_what_there_is(three: slcache.Comparison) -> None:
    page = three.report()
    for title in ("What schemes changed", "How often: actions", "How often: states"):
        assert page.count(f">{title}</h2>") == 1
    assert "What schemes changed" not in three.runs[0].report()
    assert texts(three.runs[0].plot_windows()) == ["no scheme with windows"]
    for plot in (three.runs[0].plot_histogram, three.runs[0].plot_curve):
        with pytest.raises(slcache.UsageError, match=r"'actions': no .* there are: none"):
            plot("actions")
    with pytest.raises(slcache.UsageError, match=r"'action': no .* there are: .*actions"):
        three.plot_histogram("action")


@pytest.mark.parametrize(("least", "scale"), [(0.5, "log"), (-0.1, None)])
def test_lifetimes_are_on_a_log_axis_while_there_is_any(least: float, scale: str | None) -> None:
    left = {"name": "lifetime_fast", "writes_per_value": 10, "values": [1e6, 1e3, least]}
    panel = only(scheme.windows({"a": {"scheme": {"series": [left]}}}))
    assert axis(panel, "y")["scale"].get("type") == scale


@pytest.fixture(scope="module")
def text(comparison: slcache.Comparison) -> str:
    return comparison.report()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of its own, of which nothing is remembered, for a library that is made at once."""
    drawer = SimpleNamespace(javascript_bundle=lambda begin: f'{begin}"</script>"')
    monkeypatch.setattr(pictures, "drawer", lambda: drawer)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    pictures._library.cache_clear()
    yield tmp_path / "slcache"
    pictures._library.cache_clear()


def test_only_the_library_may_run(text: str, comparison: slcache.Comparison) -> None:
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    rules = dict(rule.split(" ", 1) for rule in unescape(policy).split("; "))
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert "[data-chart]" in script
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert rules["script-src"] == f"'sha256-{digest}'"
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data:"
    assert "unsafe-eval" not in policy
    drawn = panels(charts(text)["Over time"])
    for label, run in zip(comparison.labels, comparison.runs, strict=True):
        document = run.to_dict()
        columns, window_ns = document["series"]["columns"], document["series"]["window_ns"]
        rates = [r for r in rows(drawn["writes completed, MB/s"]) if r["key"] == label]
        each = -(-len(columns["t_ns"]) // len(rates))
        written = sum(row["y"] for row in rates) * each * window_ns / 1e9 * 1e6
        assert written == pytest.approx(sum(columns["write_bytes"]), rel=1e-3)
        for side in ("read", "write"):
            requests, sums = columns[f"{side}_requests"], columns[f"{side}_latency_ns_sum"]
            means = [r["y"] for r in rows(drawn[f"mean {side} latency"]) if r["key"] == label]
            for at, mean in enumerate(means):
                part = slice(at * each, (at + 1) * each)
                if mean is None:
                    assert sum(sums[part]) == 0
                else:
                    expected_us = sum(sums[part]) / sum(requests[part]) / 1e3
                    assert mean == pytest.approx(expected_us, rel=1e-3)
    assert axis(drawn["mean write latency"], "y")["scale"]["type"] == "log"


def test_a_name_is_not_taken_for_the_place_of_the_script(comparison: slcache.Comparison) -> None:
    document = comparison.runs[0].to_dict()
    document["trace"]["path"] = "/* script */"
    text = slcache.Result(document, label="/* script */").report()
    assert text.endswith(f"<script>{pictures._library()}</script></body>\n</html>")


def test_the_library_is_bundled_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it cannot be kept nothing is left of it."""
    first = pictures._library()
    assert "[data-chart]" in first
    assert "</script" not in first
    (kept,) = cache.iterdir()
    pictures._library.cache_clear()
    assert pictures._library() == first
    kept.write_text(first[:1000])
    pictures._library.cache_clear()
    assert pictures._library() == first
    assert kept.read_text().startswith(first)
    kept.unlink()
    kept.mkdir()
    kept.joinpath("in the way").touch()
    pictures._library.cache_clear()
    assert pictures._library() == first
    assert [each.name for each in cache.iterdir()] == [kept.name]

    def none() -> Path:
        raise RuntimeError("Could not determine home directory.")

    pictures._library.cache_clear()
    stand = cache.parent / "stand"
    stand.mkdir()
    monkeypatch.chdir(stand)
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    monkeypatch.setattr(Path, "home", none)
    assert "[data-chart]" in pictures._library()
    assert not list(stand.iterdir())
