"""Lists of commands, studies and tables: time in proportion to them, or a limit that is said."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import proportion
import slcache
from slcache.cli.app import execute
from slcache.documents.saved import differences
from slcache.search.goals import Goals
from slcache.search.space import Known, Space
from slcache.study import fronts, wording
from slcache.study.effects import main_effects
from slcache.study.outcome import PARAMETERS_MAX, Outcome, Setting
from slcache.sweep.axes import Axis
from slcache.traces.api import OPTIONS_MAX

TINY: dict[str, Any] = {"trace": "zipf-4k", "device": "tiny"}


def names(count: int) -> list[str]:
    return [f"s{i}" for i in range(count)]


def refused(function: Callable[..., object], **arguments: Any) -> None:  # noqa: ANN401
    with pytest.raises(slcache.ConfigError, match="is not a scheme"):
        function(**TINY, **arguments)


def schemes_compared(count: int) -> None:
    settings = {f"scheme.{name}.x": 1 for name in names(count)}
    refused(slcache.compare, schemes=names(count), settings=settings)


def schemes_of_a_study(count: int) -> None:
    refused(slcache.sweep, scheme=names(4 * count))


def seeds_and_workloads_of_a_paper(count: int) -> None:
    seeds, workloads = map(str, range(8 * count)), names(8 * count)
    words = ["--seeds", ",".join(seeds), "--workloads", ",".join([*workloads, ""])]
    assert execute(["reproduce", "hierarchy", *words]) == 2


def names_of_files(count: int) -> None:
    assert wording.files([f"a/{name}/t.csv" for name in names(count)])["a/s1/t.csv"] == "s1/t.csv"


def traces_of_a_table(count: int) -> None:
    columns = {"trace": names(count), "device": "d", "scheme": "s", "seed": 1, "status": "done"}
    table = pl.DataFrame({k: v if k == "trace" else [v] * count for k, v in columns.items()})
    assert len(Outcome.of(table).by_load()) == count


def levels_of_a_parameter(count: int) -> None:
    (effect,) = main_effects({"k": range(count)}, range(count))
    assert len(effect.levels) == count


def levels_of_a_study_that_is_no_grid(count: int) -> None:
    points = [(f"t{i}", k) for i in range(count) for k in (1, 2)][1:]
    columns: dict[str, list[Setting]] = {"t": [t for t, _ in points], "k": [k for _, k in points]}
    found = main_effects(columns, [int(t[1:]) + k for t, k in points])
    assert [effect.balanced for effect in found] == [False, False]


def points_of_a_front(count: int) -> None:
    points = [(i, i) for i in range(8 * count, 0, -1)]
    assert fronts.front(points, ["max", "max"]) == [0]


def keys_of_runs_that_differ(count: int) -> None:
    documents = [{"config": {"host": {"queue_depth": i}}} for i in range(2 * count)]
    assert "host.queue_depth" in str(differences(names(2 * count), documents))


def bounds_of_a_search(count: int) -> None:
    with pytest.raises(ValueError, match="is given twice"):
        Goals.read(such_that=[f"waf<={i}" for i in range(count)])


def traces_of_one(count: int) -> None:
    # Of files that are not there, so that none has to be open.
    with pytest.raises(slcache.TraceError, match="s0: cannot be opened"):
        slcache.trace.convert(names(4 * count), "one.parquet")


def points_of_a_study(count: int) -> None:
    points = [{"k": i} for i in [*range(4 * count), 0]]
    with pytest.raises(slcache.ConfigError, match="is point 1 again"):
        slcache.sweep(**TINY, scheme="baseline", points=points)


def draws_of_a_search(count: int) -> None:
    known, rng = Known(Space(["baseline"], [Axis.read("k", f"1..{count}")])), random.Random(1)
    while (point := known.another(rng)) is not None:
        known.add(point)
    assert all({"scheme": "baseline", "k": k} in known for k in (1, count))


@pytest.mark.slow
@pytest.mark.parametrize(
    "work",
    [
        *(schemes_compared, schemes_of_a_study, seeds_and_workloads_of_a_paper, names_of_files),
        *(traces_of_a_table, levels_of_a_parameter, points_of_a_front, keys_of_runs_that_differ),
        *(bounds_of_a_search, points_of_a_study, draws_of_a_search),
        *(levels_of_a_study_that_is_no_grid, traces_of_one),
    ],
)
def test_twice_the_list_takes_twice_as_long(work: Callable[[int], None]) -> None:
    proportion.check(work)


def test_an_axis_is_put_in_order_once(monkeypatch: pytest.MonkeyPatch) -> None:
    class Trial:
        """Suggests the last of whatever it is asked for."""

        def suggest_int(self, _: str, low: int, high: int) -> int:
            assert low == 0
            return high

    sorts = []

    def counted(*arguments: Any, by: Callable[..., list[Any]] = sorted, **how: Any) -> list[Any]:  # noqa: ANN401
        sorts.append(1)
        return by(*arguments, **how)

    monkeypatch.setattr("builtins.sorted", counted)
    axis = Axis.read("k", "1..100")
    space = Space(["baseline"], [axis])
    points = [space.draw(Trial()) for _ in range(50)]  # type: ignore[arg-type]
    assert len(sorts) == 1
    assert points[0]["k"] == 100
    assert space.parameters(points[0]) == {"k": 99}


def test_options_have_a_limit() -> None:
    many = {f"k{i}": "1" for i in range(OPTIONS_MAX + 1)}
    with pytest.raises(
        slcache.ConfigError, match=r"option k1000 = 1: the 1,001st .* at most 1,000"
    ):
        slcache.run(**TINY, scheme="baseline", trace_options=many)
    with pytest.raises(slcache.ConfigError, match=r"workload key k1000 = 1: .* at most 1,000"):
        slcache.workload("zipf-4k", many)


def test_varied_keys_have_a_limit() -> None:
    many = {f"k{i}": [1, 2] for i in range(PARAMETERS_MAX + 1)}
    with pytest.raises(slcache.ConfigError, match="101 keys are varied; at most 100 may be"):
        slcache.sweep(**TINY, scheme="baseline", vary=many)
    columns = {"trace": "t", "device": "d", "scheme": "s", "seed": 1, "status": "done"}
    table = pl.DataFrame({**{k: [v] * 2 for k, v in columns.items()}, **many})
    with pytest.raises(ValueError, match="column k100: 101 columns vary; at most 100 may"):
        Outcome.of(table)


def test_a_long_option_is_told_in_short(tmp_path: Path) -> None:
    many = {f"k{i}": "y" * 10_000 for i in range(OPTIONS_MAX + 1)}
    with pytest.raises(slcache.ConfigError) as caught:
        slcache.Trace(tmp_path / "t.csv", options=many)
    assert len(str(caught.value)) < 200
