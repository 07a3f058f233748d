"""Every figure of a study is drawn for few and many points and parameters, of numbers and words."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from charted import panels, rows
from slcache.charts import files
from slcache.charts import study as charts
from slcache.charts.spec import Spec
from slcache.metrics import Goal
from slcache.study import effects, fronts, spread, wording
from slcache.study.effects import main_effects
from slcache.study.outcome import Outcome
from studies import row, table_of

GOALS: dict[str, Goal] = {
    "read_p99_ns": "min",
    "waf": "min",
    "slc_bytes": "min",
    "lifetime_host_bytes": "max",
}


def drawn(count: int, parameters: int, kinds: str) -> Outcome:
    """Return a study of points drawn at random, with numbers (n) and words (w) in turn."""
    rng = random.Random(4)
    rows = []
    for _ in range(count):
        settings: dict[str, Any] = {}
        for i in range(parameters):
            numeric = kinds[i % len(kinds)] == "n"
            settings[f"part.p{i}"] = 10 ** rng.uniform(0, 3) if numeric else rng.choice("$ab")
        figures = {
            "read_p99_ns": 10 ** rng.uniform(3, 8),
            "waf": rng.uniform(1, 2),
            "slc_bytes": rng.randrange(1, 64) << 20,
            "lifetime_host_bytes": rng.uniform(1, 9) * 1e12,
        }
        rows.append(row(settings, figures, seed=rng.randrange(3)))
    return Outcome.of(table_of(rows))


def text_of(chart: Spec) -> str:
    """Return the chart as it is drawn."""
    return files.written(chart, ".svg").decode()


@pytest.mark.parametrize(
    ("parameters", "count", "kinds"),
    [
        pytest.param(
            *shape, kinds, marks=[] if shape == (3, 200) or kinds == "nw" else pytest.mark.slow
        )
        for shape in ((1, 200), (2, 2), (3, 200), (6, 2), (6, 200))
        for kinds in ("n", "w", "nw")
    ],
)
def test_effects_show_every_parameter(count: int, parameters: int, kinds: str) -> None:
    found = drawn(count, parameters, kinds)
    columns = {n: [c.settings[n] for c in found.configurations] for n in found.factors}
    values = [c.mean("waf") or 0.0 for c in found.configurations]
    effects = main_effects(columns, values)
    text = text_of(charts.effects("waf", effects, wording.short_names(found.factors)))
    assert all(f">p{name[-1]}" in text for name in found.factors)


@pytest.mark.parametrize(("kinds", "count"), [("n", 2), ("n", 200), ("w", 200), ("nw", 200)])
def test_maps_are_drawn(kinds: str, count: int) -> None:
    found = drawn(count, 3, kinds).configurations
    columns: list[Sequence[Any]] = [[c.settings[f"part.p{i}"] for c in found] for i in range(3)]
    for metric in GOALS if kinds == "nw" else ["waf"]:
        values = [c.mean(metric) or 0.0 for c in found]
        groups = [str(value > 30.0 if kinds[0] == "n" else value) for value in columns[2]]
        panels = effects.over(columns[0], columns[1], values, groups)
        assert sum(int(each.counts.sum()) for each in panels.values()) == len(found)
        text = text_of(charts.heat_map(metric, "part.p0", "part.p1", panels))
        assert all(f">{name}" in text for name in panels)


@pytest.mark.parametrize("count", [0, 1, 2, 200])
@pytest.mark.parametrize("metrics", [1, 2, 3, 4])
def test_fronts_are_drawn(count: int, metrics: int) -> None:
    goals = dict(list(GOALS.items())[:metrics])
    found = drawn(count or 1, 1, "n").configurations if count else []
    points = [[c.mean(name) or 0.0 for name in goals] for c in found]
    places = fronts.front(points, list(goals.values()))
    text = text_of(charts.front(list(goals), list(goals.values()), points, places))
    assert ("no front" in text) == (count == 0)


@pytest.mark.parametrize("count", [1, 5, 200])
def test_spreads_are_drawn(count: int) -> None:
    found = drawn(count, 1, "w")
    one = spread.of_metric(found.configurations, "waf", "min")
    names = [wording.configuration(c, {"part.p0": "$x"}) for c in one.configurations]
    assert ">waf<" in text_of(charts.spread(one, names))


def test_files_of_one_folder_keep_names_apart() -> None:
    folder = "a/long/way/to/the/traces"
    values = [f"{folder}/web.csv", f"{folder}/db.csv"]
    found = main_effects({"trace": values}, [1.0, 2.0])
    text = text_of(charts.effects("waf", found, {"trace": "trace"}))
    assert ">web.csv<" in text
    assert ">db.csv<" in text


def test_points_of_a_search_tell_their_place_and_value() -> None:
    tried = {"write_p99_ns": [3e6, None, 1e6, 2e6], "waf": [1.5, None, 2.0, 1.25]}
    drawn = panels(charts.progress({"write_p99_ns": "min", "waf": "max"}, tried))
    told = [row["told"] for row in rows(drawn["write_p99_ns"]) if "told" in row]
    assert told == ["point 1: 3.00 ms", "point 3: 1.00 ms", "point 4: 2.00 ms"]
    best = [row["y"] for row in rows(drawn["waf"]) if row["key"] == "best so far"]
    assert best == [1.5, 2, 2]


def test_levels_tell_their_mean_and_reach() -> None:
    columns: dict[str, list[Any]] = {"a.blocks": [1, 1, 2, 2], "a.victim": ["x", "y", "x", "y"]}
    found = main_effects(columns, [1e6, 2e6, 5e6, 8e6])
    short = {"a.blocks": "blocks", "a.victim": "victim"}
    drawn = panels(charts.effects("read_p99_ns", found, short))
    assert dict.fromkeys((r["row"], r["told"]) for r in rows(drawn["blocks"])) == dict.fromkeys(
        [
            ("1", "mean 1.50 ms, 2 points from 1.00 ms to 2.00 ms"),
            ("2", "mean 6.50 ms, 2 points from 5.00 ms to 8.00 ms"),
        ]
    )


def test_sizes_tell_their_metrics_and_the_chosen_one_too() -> None:
    values = {"waf": [2.5, None, 1.5]}
    drawn = charts.bisection("blocks", [4, 6, 8], values, {"waf": [2.0]}, chosen=8, word="least")
    (panel,) = panels(drawn).values()
    told = {row["key"]: row["told"] for row in rows(panel) if "told" in row}
    assert told == {
        "simulated": "blocks=4: 2.500",
        "least that keeps the bounds": "blocks=8: 1.500",
    }


def test_configurations_of_one_name_keep_rows_of_their_own() -> None:
    found = spread.of_metric(drawn(9, 1, "w").configurations, "waf", "min")
    shown = panels(charts.spread(found, ["alike"] * len(found.estimates)))[""]
    names = {row["row"] for row in rows(shown)}
    assert len(names) == len(found.estimates)
