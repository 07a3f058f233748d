"""What a study's table holds, and every figure that is drawn of it."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest

from charted import panels, rows
from slcache.charts import pictures
from slcache.charts import study as charts
from slcache.charts.spec import Spec
from slcache.metrics import Goal
from slcache.study import analysis, fronts
from slcache.study.analysis import main_effects
from slcache.study.outcome import Outcome, settings_text, short_names
from slcache.tables.table import Table
from studies import grid, row, table_of


def test_parameters_are_told_from_inputs_and_points_without_a_figure_are_counted() -> None:
    found = Outcome.of(grid({"s.slc_blocks": [1, 2], "host.time_scale": [0.5]}, lambda *_: {}))
    assert found.factors == ["s.slc_blocks"]
    assert (found.fixed["host.time_scale"], found.fixed["device"]) == (0.5, "tiny")
    with pytest.raises(ValueError, match="device, scheme, seed, status"):
        Outcome.of(pl.DataFrame({"trace": ["t"]}))
    impossible = {"status": "impossible", "reason": "too many"}
    none = {"waf": None, "read_mean_ns": None}
    rows = [
        row({"a": 1}, {"waf": 1.0, "read_mean_ns": None}),
        row({"a": 2}, {"waf": 2.0, "read_mean_ns": 5.0}),
        row({"a": 3}, none, status="failed", reason="full"),
        *(row({"a": a}, none, **impossible) for a in (4, 5)),
    ]
    found = Outcome.of(table_of(rows))
    assert found.counts == {"done": 2, "failed": 1, "impossible": 2}
    assert found.missing("read_mean_ns") == 1
    assert len(found.with_metric("waf", "read_mean_ns")) == 1
    assert list(found.reasons()) == [("impossible", "too many", 2), ("failed", "full", 1)]


def slow_front(points: Sequence[Sequence[float]]) -> list[int]:
    """The definition, pair by pair, for figures of which less is better."""
    return [
        i
        for i, one in enumerate(points)
        if not any(
            all(x <= y for x, y in zip(other, one, strict=True)) and other != one
            for other in points
        )
    ]


def test_fronts_are_those_of_the_definition_and_the_compromise_is_nearest_to_the_best() -> None:
    rng = random.Random(2)
    for size, count in itertools.product((1, 2, 3, 4), (0, 1, 120)):
        points = [tuple(float(rng.randrange(6)) for _ in range(size)) for _ in range(count)]
        on = slow_front(points)
        assert fronts.front(points, ["min"] * size) == on
        most = [(*others, -last) for *others, last in points]
        assert fronts.front(most, [*["min"] * (size - 1), "max"]) == on  # type: ignore[list-item]
    points = [(1.0, 900.0), (2.0, 200.0), (9.0, 100.0), (2.0, 1000.0)]
    assert fronts.compromise(points, ["min", "min"]) == 1
    assert fronts.compromise([(a, -b) for a, b in points], ["min", "max"]) == 1
    assert fronts.compromise([(3.0,), (2.0,)], ["min"]) == 1


def test_a_front_leaves_out_what_tells_nothing_and_counts_what_it_cannot_judge() -> None:
    figures = [(1.0, 5.0), (2.0, 4.0), (3.0, 6.0), (1.0, None)]
    rows = [
        row({"a": a}, {"waf": waf, "read_p99_ns": ns, "slc_bytes": 7.0, "energy_j": None})
        for a, (waf, ns) in enumerate(figures, 1)
    ]
    goals: dict[str, Goal] = dict.fromkeys(("waf", "read_p99_ns", "slc_bytes", "energy_j"), "min")
    found = fronts.of_outcome(Outcome.of(table_of(rows)), goals)
    assert found.metrics == ["waf", "read_p99_ns"]
    assert found.without == ["slc_bytes", "energy_j"]
    assert [c.settings["a"] for c in found.best] == [1, 2]
    assert found.left_out == 1


def test_a_map_has_the_mean_of_each_pair_and_of_drawn_points_in_ranges() -> None:
    pairs = list(itertools.product((1, 2, 3), ("x", "y"), (0.0, 10.0)))
    across, up = [a for a, _, _ in pairs], [b for _, b, _ in pairs]
    found = analysis.means_over(across, up, [100 * a + c for a, _, c in pairs])[""]
    assert found.means.tolist() == [[105.0, 205.0, 305.0]] * 2
    assert found.counts.tolist() == [[2, 2, 2]] * 2
    each = analysis.means_over(
        across, up, [100 * a + c for a, _, c in pairs], [f"{c}" for *_, c in pairs]
    )
    assert each["10.0"].means.tolist() == [[110.0, 210.0, 310.0]] * 2
    assert np.isnan(analysis.means_over([1, 2], [1, 2], [1.0, 2.0])[""].means[0, 1])
    rng = np.random.default_rng(1)
    a, b = rng.random(200), rng.random(200)
    found = analysis.means_over(a.tolist(), b.tolist(), (a + b).tolist())[""]
    assert found.counts.sum() == 200
    assert len(found.across) < 200
    centres = np.add.outer(found.up.places, found.across.places)
    full = found.counts > 2
    assert full.sum() > 10
    assert np.abs(found.means - centres)[full].max() < 0.15


def seeded(differ: float, noise: float) -> Outcome:
    """Two configurations, 1 and 2, `differ` apart, whose seeds add the same noise to both."""
    draws = [0.0, 1.0, -1.0, 2.0, -2.0]

    def metric(a: int, seed: int) -> dict[str, float]:
        return {"waf": 10.0 + differ * a + noise * draws[seed] * (1 if a == 1 else -1)}

    return Outcome.of(grid({"a": [1, 2]}, metric, seeds=range(5)))


def test_seeds_tell_a_large_difference_and_not_a_small_one_and_are_seen_to_change_nothing() -> None:
    for differ, alike in ((0.1, [1]), (9.0, [])):
        found = fronts.spread(seeded(differ, 1.0).configurations, "waf", "min")
        assert (found.best, found.alike, found.repeated) == (0, alike, 2)
    found = fronts.spread(seeded(1.0, 0.0).configurations, "waf", "max")
    assert (found.still, found.best, found.alike) == (True, 1, [])

    # What a seed does to both alike does not hide a small difference.
    def metric(a: int, seed: int) -> dict[str, float]:
        return {"waf": 100.0 * (seed + 1) * (1 + 0.01 * a) + 0.01 * a * seed}

    table = Outcome.of(grid({"a": [1, 2]}, metric, seeds=range(5)))
    assert fronts.spread(table.configurations, "waf", "min").alike == []


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


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("count", "parameters", "kinds"),
    [(200, 6, "nw"), (2, 6, "n"), (200, 3, "w"), (1, 3, "n"), (200, 3, "n"), (2, 3, "nw")],
)
def test_whatever_points_there_are_is_drawn(count: int, parameters: int, kinds: str) -> None:
    """Effects with every parameter, a map of all points, fronts of 1 to 4 metrics, and spreads."""
    found = drawn(count, parameters, kinds)
    points = found.configurations
    columns = {name: [each.settings[name] for each in points] for name in found.factors}
    values = [each.mean("waf") or 0.0 for each in points]

    def text_of(chart: Spec) -> str:
        return pictures.written(chart, ".svg").decode()

    names = short_names(found.factors)
    text = text_of(charts.effects("waf", main_effects(columns, values), names))
    assert all(f">p{name[-1]}" in text for name in found.factors)
    if len(points) > 2:
        shown: list[list[Any]] = [
            [each.settings[f"part.p{i}"] for each in points] for i in range(3)
        ]
        groups = [str(value > 30.0 if kinds[0] == "n" else value) for value in shown[2]]
        maps = analysis.means_over(shown[0], shown[1], values, groups)
        assert sum(int(each.counts.sum()) for each in maps.values()) == len(points)
        text = text_of(charts.heat_map("waf", "part.p0", "part.p1", maps))
        assert all(f">{name}" in text for name in maps)
    for metrics, of in itertools.product(range(1, 5), ([], points)):
        goals = dict(list(GOALS.items())[:metrics])
        figures = [[each.mean(name) or 0.0 for name in goals] for each in of]
        places = fronts.front(figures, list(goals.values()))
        text = text_of(charts.front(list(goals), list(goals.values()), figures, places))
        assert ("no front" in text) == (not of)
    spread = fronts.spread(points, "waf", "min")
    labels = [
        settings_text(each.settings, {**names, "part.p0": "$x"}) for each in spread.configurations
    ]
    assert ">waf<" in text_of(charts.spread(spread, labels))


def test_points_levels_and_sizes_tell_what_they_are() -> None:
    tried = {"write_p99_ns": [3e6, None, 1e6, 2e6], "waf": [1.5, None, 2.0, 1.25]}
    shown = panels(charts.progress({"write_p99_ns": "min", "waf": "max"}, tried))
    told = [row["told"] for row in rows(shown["write_p99_ns"]) if "told" in row]
    assert told == ["point 1: 3.00 ms", "point 3: 1.00 ms", "point 4: 2.00 ms"]
    assert [row["y"] for row in rows(shown["waf"]) if row["key"] == "best so far"] == [1.5, 2, 2]
    # Points and the line through the best of them have the same digits.
    (panel,) = panels(charts.progress({"waf": "min"}, {"waf": [2.0364372469] * 2})).values()
    assert {row["y"] for row in rows(panel)} == {2.0364}
    columns: dict[str, list[Any]] = {"a.blocks": [1, 1, 2, 2], "a.victim": ["x", "y", "x", "y"]}
    found = main_effects(columns, [1e6, 2e6, 5e6, 8e6])
    shown = panels(charts.effects("read_p99_ns", found, {"a.blocks": "blocks", "a.victim": "v"}))
    assert {(r["row"], r["told"]) for r in rows(shown["blocks"])} == {
        ("1", "mean 1.50 ms, 2 points from 1.00 ms to 2.00 ms"),
        ("2", "mean 6.50 ms, 2 points from 5.00 ms to 8.00 ms"),
    }
    values = {"waf": [2.5, None, 1.5]}
    found_at = charts.bisection("blocks", [4, 6, 8], values, {"waf": [2.0]}, chosen=8, word="least")
    (panel,) = panels(found_at).values()
    levels = {row["key"]: row["told"] for row in rows(panel) if "told" in row}
    chosen = {"least that keeps the bounds": "blocks=8: 1.500"}
    assert levels == {"simulated": "blocks=4: 2.500", **chosen}
    spread = fronts.spread(drawn(9, 1, "w").configurations, "waf", "min")
    alike = panels(charts.spread(spread, ["alike"] * len(spread.estimates)))[""]
    assert len({row["row"] for row in rows(alike)}) == len(spread.estimates)


@pytest.mark.parametrize(("value", "title"), [(8, "slc_blocks [blocks]"), ("16MiB", "slc_blocks")])
def test_what_has_its_own_unit_has_none_in_the_title(value: int | str, title: str) -> None:
    assert Table([{"slc_blocks": value}, {}]).header() == [title]
