"""Charts as files and as Altair's: drawn without a browser, the same every time."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

import slcache
from slcache.charts import files, run, spec
from slcache.charts.spec import Axis

FIGURES = ("attribution", "writes", "series", "windows", "latency", "wear", "bars")


def simple() -> spec.Spec:
    curve: dict[str, spec.Curve] = {
        "<b>a": ([1.0, 2.0], [3.0, None]),
        "b": ([1.0, 2.0], [1.0, 4.0]),
    }
    lines = spec.lines(curve, Axis("x"), Axis("y", "time", log=True), spec.colours(curve))
    return spec.picture([spec.panel(lines, title="a panel")])


@pytest.mark.parametrize(
    ("kind", "head"), [(".png", b"\x89PNG"), (".svg", b"<svg"), (".pdf", b"%PDF")]
)
def test_files_are_drawn_without_a_browser_and_the_same_every_time(kind: str, head: bytes) -> None:
    drawn = files.written(simple(), kind)
    assert drawn.startswith(head)
    if kind != ".pdf":
        assert files.written(simple(), kind) == drawn


def test_an_svg_shows_names_as_text() -> None:
    root = ElementTree.fromstring(files.written(simple(), ".svg"))
    said = {each.text for each in root.iter() if each.tag.endswith("text")}
    assert {"<b>a", "b", "a panel", "3 µs"} & said >= {"<b>a", "b", "a panel"}
    assert not [each for each in root.iter() if each.tag.endswith(("script", "image", "}a"))]


@pytest.mark.parametrize("name", FIGURES)
def test_a_notebook_gets_altair_s_chart(comparison: slcache.Comparison, name: str) -> None:
    import altair

    drawn = getattr(comparison, f"plot_{name}")()
    assert isinstance(drawn, altair.ConcatChart)


def test_altair_takes_every_chart_of_a_run(comparison: slcache.Comparison, tmp_path: Path) -> None:
    """What it checks its own charts by says that these are Vega-Lite."""
    for name in FIGURES:
        getattr(comparison, f"plot_{name}")().to_dict(validate=True)
    comparison.plot_writes().save(str(tmp_path / "writes.svg"))
    ElementTree.parse(tmp_path / "writes.svg")


def test_what_there_is_nothing_of_says_so() -> None:
    document = {"config": {"device": {"mu_bytes": 4096}}, "flash": {"ops": [], "slots": []}}
    drawn = run.writes(["a"], [document])
    assert "nothing was programmed" in files.written(drawn, ".svg").decode()


def test_the_lowest_panel_of_each_column_tells_the_time() -> None:
    """Where a row has fewer panels than others, the one above its end is the lowest."""
    curve: dict[str, spec.Curve] = {"a": ([1.0, 2.0], [3.0, 4.0])}
    looks = spec.colours(curve)

    def line() -> spec.Spec:
        return spec.panel(spec.lines(curve, Axis("time"), Axis("y"), looks))

    blank = spec.panel(spec.blank())
    drawn = spec.picture([line(), line(), line(), blank], columns=2, linked=True)["concat"]
    told = [each["layer"][0].get("encoding", {}).get("x", {}).get("title") for each in drawn]
    assert told == [None, "time", "time", None]


def test_a_short_panel_has_no_band_of_lines_for_each_power_of_ten() -> None:
    curve: dict[str, spec.Curve] = {"a": ([1.0, 2.0], [30.0, 12_000.0])}
    up = Axis("y", "time", log=True)
    grids = []
    for height in (42, 200):
        line = spec.lines(curve, Axis("x"), up, spec.colours(curve))
        (panel,) = spec.picture([spec.panel(line, height=height)])["concat"]
        grids.append(panel["layer"][0]["encoding"]["y"]["axis"]["grid"])
    assert grids == [False, True]
