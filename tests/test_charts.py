"""Charts as files and figures: they show what the documents hold, on axes that can be read."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import slcache
from charted import axis, keys, only, panels, rows
from figured import figured
from slcache.charts import files, flash, latency, layout, scheme, spec
from slcache.charts.spec import Axis
from slcache.documents import normalise, saved
from slcache.report import html
from slcache.words import units
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
        drawn = files.written(simple(), kind)
        assert drawn.startswith(head)
        assert kind == ".pdf" or files.written(simple(), kind) == drawn


def test_altair_takes_every_chart_of_a_run(comparison: slcache.Comparison, tmp_path: Path) -> None:
    """What it checks its own charts by says that these are Vega-Lite."""
    for name in ("attribution", "writes", "series", "windows", "latency", "wear", "bars"):
        getattr(comparison, f"plot_{name}")().to_dict(validate=True)
    comparison.plot_writes().save(str(tmp_path / "writes.svg"))
    ElementTree.parse(tmp_path / "writes.svg")


def test_what_there_is_nothing_of_says_so() -> None:
    document = {"config": {"device": {"mu_bytes": 4096}}, "flash": {"ops": [], "slots": []}}
    drawn = flash.writes(["a"], [document])
    assert "nothing was programmed" in files.written(drawn, ".svg").decode()


def test_the_lowest_panel_of_each_column_tells_the_time() -> None:
    """Where a row has fewer panels than others, the one above its end is the lowest."""
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
        stack = flash.programmed(document)
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


def test_bars_end_at_the_write_amplification(nine: slcache.Comparison) -> None:
    found = rows(only(flash.writes(nine.labels, nine.documents)))
    for label, document in zip(nine.labels, nine.documents, strict=True):
        own = [row for row in found if row["row"] == label]
        end = max(row["end"] for row in own if "end" in row)
        (host,) = [row["x"] for row in own if "end" not in row and "text" not in row]
        assert end / host == pytest.approx(document["waf"]["total"])


def test_factors_are_those_of_the_comparison(nine: slcache.Comparison) -> None:
    figures = nine.normalised["schemes"]
    drawn = latency.relative(nine.labels, nine.documents, nine.labels[0])
    for panel, side in zip(panels(drawn).values(), ("read", "write"), strict=True):
        found = rows(panel)
        for name in nine.labels:
            own = [row for row in found if row.get("row") == name]
            (mean,) = [row for row in own if row.get("key") == "mean"]
            assert mean["x"] == pytest.approx(figures[name][f"{side}_mean"])
            assert units.factor(mean["x"]) in [row.get("text") for row in own]


def test_parts_of_the_mean_latency_add_up_to_it(nine: slcache.Comparison) -> None:
    drawn = latency.attribution(nine.labels, nine.documents)
    for panel, side in zip(panels(drawn).values(), ("read", "write"), strict=True):
        for label, document in zip(nine.labels, nine.documents, strict=True):
            parts = [r for r in rows(panel) if r["row"] == label and "key" in r]
            whole = normalise.attribution(document, side)
            assert max(r["end"] for r in parts) == pytest.approx(sum(whole.values()))
            assert sum(r["told"] == units.duration(whole["service array"]) for r in parts) >= 1


def test_one_that_is_ten_times_the_rest_has_a_log_axis(nine: slcache.Comparison) -> None:
    for times, scale in ((9.0, None), (11.0, "log")):
        documents = [copy.deepcopy(dict(nine.documents[0])) for _ in range(3)]
        documents[2]["host"]["write"]["latency_us"]["mean"] *= times
        figured(documents[2])
        read, write = panels(latency.attribution(["a", "b", "c"], documents)).values()
        assert axis(write, "x")["scale"].get("type") == scale
        assert "log" not in str(read["layer"])


def test_a_new_kind_of_waiting_just_appears(nine: slcache.Comparison) -> None:
    documents = [each.to_dict() for each in nine.runs[:2]]
    for document in documents:
        document["host"]["write"]["attribution_us"]["wait"] |= {"zeal": 5.0, "ardour": 9.0}
        figured(document)
    colours = [kind.colour for kind in latency.components(documents).values()]
    assert len(set(colours)) == len(colours)
    assert len({spec.colour(place) for place in range(300)}) == 300
    assert {"wait zeal", "wait ardour"} <= set(keys(latency.attribution(["a", "b"], documents)))
    assert "wait zeal is waiting behind zeal" in latency.attribution_caption(documents)


def test_every_erase_count_is_told(nine: slcache.Comparison) -> None:
    drawn = rows(flash.wear(nine.labels, nine.documents))
    for label, document in zip(nine.labels, nine.documents, strict=True):
        pools = document["wear"]["pools"]
        counted = sum(n for pool in pools for _, n in pool["histogram"])
        assert sum(row["y"] for row in drawn if row["key"] == label) == counted


def test_distributions_are_the_documents(nine: slcache.Comparison) -> None:
    drawn = panels(latency.latency(nine.labels, nine.documents))
    for side in ("read", "write"):
        for label, document in zip(nine.labels, nine.documents, strict=True):
            shown = [(r["x"], r["y"]) for r in rows(drawn[f"{side}s"]) if r["key"] == label]
            for (x, y), (us, share) in zip(shown[1:], document["host"][side]["cdf"], strict=True):
                assert y == pytest.approx(share)
                assert x == pytest.approx(us) or us < 0.1
    assert axis(drawn["writes, the tail"], "y")["scale"]["type"] == "log"


COMPUTED = [[0.05, 9e6], [0.5, 2e6], [0.6, 2e6], [0.97, 2e7]]


def document(computed: list[list[float]], measured: list[list[float]]) -> dict[str, Any]:
    curve = {"name": "cost", "x": "utilisation", "y": "ns per unit access"}
    return {"scheme": {"curves": [{**curve, "computed": computed, "measured": measured}]}}


def points(panel: Any, key: str) -> list[list[float]]:  # noqa: ANN401
    return [[row["x"], row["y"]] for row in rows(panel) if row["key"] == key]


def test_the_first_least_point_is_marked_and_the_measured_ones_lie_beside() -> None:
    panel = only(scheme.curve(["a"], [document(COMPUTED, [[0.4, 3e6]])], "cost"))
    assert points(panel, "computed") == [[x, y / 1e3] for x, y in COMPUTED]
    assert points(panel, "least computed") == [[0.5, 2e3]]
    assert points(panel, "measured in a window") == [[0.4, 3e3]]
    told = [row["told"] for row in rows(panel) if "told" in row]
    assert "2.00 ms at utilisation 50.0 %" in told
    assert axis(panel, "y")["title"] == "per unit access"
    assert axis(panel, "y")["scale"]["type"] == "log"


def test_many_measured_points_have_their_means_by_utilisation() -> None:
    measured = [[0.2, 1e6 + i] for i in range(30)] + [[0.8, 5e6 + i] for i in range(30)]
    panel = only(scheme.curve(["a"], [document([], measured)], "cost"))
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
    assert scheme.curve_names(runs) == ["cost"]
    drawn = panels(scheme.curve(["a", "none", "b", "empty"], runs, "cost"))
    assert list(drawn) == ["a", "b"]
    for way in ("x", "y"):
        ends = [axis(each, way)["scale"] for each in drawn.values()]
        assert ends[0]["domainMax"] == ends[1]["domainMax"]
        assert ends[0]["domainMin"] == ends[1]["domainMin"]
    assert axis(drawn["a"], "y")["scale"]["domainMax"] >= 5e4


def test_times_of_zero_and_other_quantities_are_drawn_too() -> None:
    panel = only(scheme.curve(["a"], [document([[0.1, 0.0], [0.2, 3e3]], [])], "cost"))
    assert "type" not in axis(panel, "y")["scale"]
    other = document([[1.0, 5.0]], [])
    other["scheme"]["curves"][0] |= {"x": "blocks", "y": "hits"}
    panel = only(scheme.curve(["a"], [other], "cost"))
    assert axis(panel, "y")["title"] == "hits"
    assert points(panel, "computed") == [[1.0, 5.0]]


def test_the_report_shows_it(comparison: Any) -> None:  # noqa: ANN401
    made = comparison.runs[0].to_dict()
    made["scheme"] |= document(COMPUTED, [[0.4, 3e6]])["scheme"]
    saved.current(made)
    page = html.render(["a"], [made], None)
    assert page.count(">Computed and measured: cost</h2>") == 1
    assert "what one window of the run really took" in page
    made["scheme"]["curves"][0]["measured"] = [[0.4]]
    with pytest.raises(slcache.ResultError, match=r"scheme\.curves"):
        saved.current(made)
