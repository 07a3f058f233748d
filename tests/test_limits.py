"""Long lists take time in proportion; what has no end is refused."""

from __future__ import annotations

import json
import random
import re
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import proportion
import slcache
from slcache.cli.app import execute
from slcache.documents.saved import differences
from slcache.search.goals import Search
from slcache.search.space import Known, Space
from slcache.study import fronts, wording
from slcache.study.axes import GRID_MAX, POINTS_MAX, Axis, Sampling
from slcache.study.effects import main_effects
from slcache.study.outcome import PARAMETERS_MAX, Outcome, Setting
from slcache.traces.api import OPTIONS_MAX

TINY = Path(__file__).parents[1] / "presets" / "devices" / "tiny.toml"


def unknown(count: int) -> dict[str, int]:
    return {f"k{i}": 1 for i in range(count)}


def resolve(settings: object, device: object = "tiny") -> None:
    with pytest.raises(slcache.ConfigError) as caught:
        slcache.resolve(device=device, scheme="baseline", settings=settings)  # type: ignore[arg-type]
    assert len(str(caught.value).splitlines()) <= 101


def settings(count: int, _: Path) -> None:
    resolve(unknown(count))


def of_another_scheme(count: int, _: Path) -> None:
    resolve({f"scheme.ips.{key}": 1 for key in unknown(count)})


def toml(count: int, file: Path) -> None:
    file = file.with_suffix(".toml")
    file.write_text("".join(f"{key} = 1\n" for key in unknown(count)))
    resolve(file)


def in_json(count: int, file: Path) -> None:
    file = file.with_suffix(".json")
    file.write_text(json.dumps(unknown(count)))
    resolve(file)


def device(count: int, file: Path) -> None:
    file = file.with_suffix(".toml")
    file.write_text("".join(f"{key} = 1\n" for key in unknown(count)) + TINY.read_text())
    resolve({}, file)


def pools(count: int, file: Path) -> None:
    file = file.with_suffix(".toml")
    head, pool = TINY.read_text().split("[[device.pool]]", 1)
    # Whole ones: what is missing in a part would be told, and repaired, for each of them.
    one = re.split(r"\n\[(?!device\.pool)", pool, maxsplit=1)[0]
    file.write_text(head + count * f"[[device.pool]]{one}\n")
    resolve({}, file)


def values(count: int, _: Path) -> None:
    Axis.read("slc_blocks", list(range(8 * count)))
    Axis.read("slc_blocks", ",".join(map(str, range(count))))


def repeated_values(count: int, _: Path) -> None:
    with pytest.raises(ValueError, match=r"given twice: .* and [\d,]+ more$"):
        Axis.read("slc_blocks", 2 * list(range(8 * count)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "work",
    [settings, of_another_scheme, toml, in_json, device, pools, values, repeated_values],
)
def test_twice_as_much_takes_twice_as_long(
    work: Callable[[int, Path], None], tmp_path: Path
) -> None:
    proportion.check(lambda count: work(count, tmp_path / "list"))


def test_a_long_list_of_wrong_keys_is_told_in_short() -> None:
    with pytest.raises(slcache.ConfigError) as caught:
        slcache.resolve(device="tiny", scheme="baseline", settings=unknown(20_000))
    lines = str(caught.value).splitlines()
    assert len(lines) == 101
    assert lines[-1] == "more is wrong; the first 100 errors are told"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("random:1000000000", "at most 100,000 points"),
        ("random:100001", "at most 100,000 points"),
        (f"latin-hypercube:{'9' * 5000}", "at most 100,000 points"),
    ],
)
def test_draws_have_a_limit(said: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Sampling.read(said)
    assert Sampling.read(f"random:{POINTS_MAX}").count == POINTS_MAX


def test_a_grid_and_a_study_have_a_limit() -> None:
    axes = [Axis.read(f"k{i}", "1..100") for i in range(5)]
    with pytest.raises(ValueError, match=f"10,000,000,000 points; at most {GRID_MAX:,}"):
        Sampling().points(axes)
    with pytest.raises(slcache.ConfigError, match="too many points; at most 100,000"):
        slcache.sweep(
            "zipf-4k",
            device="tiny",
            scheme="baseline",
            vary={"host.time_scale": "0.01..1/1001", "slc_blocks": "1..100"},
        )


@pytest.mark.parametrize(
    "verb",
    [
        ["run", "/dev/zero", "--device", "tiny", "--scheme", "baseline"],
        ["compare", "/dev/zero", "--device", "tiny", "--schemes", "baseline,tlc-only"],
        ["trace", "info", "/dev/zero"],
        ["trace", "lint", "/dev/zero"],
        ["run", "zipf-4k", "--device", "tiny", "--scheme", "baseline", "--config", "/dev/zero"],
        ["sweep", "zipf-4k", "--device", "tiny", "--scheme", "baseline", "--points", "/dev/zero"],
        ["report", "/dev/zero"],
        ["diff", "/dev/zero", "/dev/zero"],
        ["fit", "/dev/zero", "--out", "fitted.toml"],
        ["diff", "--rerun", "/dev/zero"],
        ["why", "/dev/zero"],
    ],
    ids=lambda verb: " ".join(verb[:2]),
)
def test_what_has_no_end_is_refused(verb: list[str]) -> None:
    limits = (4 << 30, 4 << 30)
    done = subprocess.run(
        [sys.executable, "-m", "slcache", *verb],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limits),
    )
    is_trace = verb[0] in {"trace", "fit"} or (
        verb[0] in {"run", "compare"} and "--config" not in verb
    )
    assert done.returncode in ({4} if is_trace else {1, 2, 3}), done.stderr
    assert "/dev/zero" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("kind", ["parquet", "tencent"])
@pytest.mark.parametrize("volume", ["error", "none of them"])
def test_a_long_list_of_volumes_is_told_in_short(kind: str, volume: str, tmp_path: Path) -> None:
    text = tmp_path / "t.csv"
    text.write_text("".join(f"1538323199,0,8,0,{number}\n" for number in range(1000)))
    file = text
    if kind == "parquet":
        file = tmp_path / "t.parquet"
        slcache.Trace(text, format="tencent", options={"volume": "each"}).convert(file)
    with pytest.raises(slcache.TraceError) as caught:
        slcache.Trace(file, format=kind, options={"volume": volume}).info()
    assert "and 988 more" in str(caught.value)
    assert len(str(caught.value)) < 600 + len(str(tmp_path))


TINY_LISTS: dict[str, Any] = {"trace": "zipf-4k", "device": "tiny"}


def names(count: int) -> list[str]:
    return [f"s{i}" for i in range(count)]


def refused(function: Callable[..., object], **arguments: Any) -> None:  # noqa: ANN401
    with pytest.raises(slcache.ConfigError, match="is not a scheme"):
        function(**TINY_LISTS, **arguments)


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
        Search(such_that=[f"waf<={i}" for i in range(count)])


def traces_of_one(count: int) -> None:
    # Of files that are not there, so that none has to be open.
    with pytest.raises(slcache.TraceError, match="s0: cannot be opened"):
        slcache.trace.convert(names(4 * count), "one.parquet")


def points_of_a_study(count: int) -> None:
    points = [{"k": i} for i in [*range(4 * count), 0]]
    with pytest.raises(slcache.ConfigError, match="is point 1 again"):
        slcache.sweep(**TINY_LISTS, scheme="baseline", points=points)


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
        slcache.run(**TINY_LISTS, scheme="baseline", trace_options=many)
    with pytest.raises(slcache.ConfigError, match=r"workload key k1000 = 1: .* at most 1,000"):
        slcache.workload("zipf-4k", many)


def test_varied_keys_have_a_limit() -> None:
    many = {f"k{i}": [1, 2] for i in range(PARAMETERS_MAX + 1)}
    with pytest.raises(slcache.ConfigError, match="101 keys are varied; at most 100 may be"):
        slcache.sweep(**TINY_LISTS, scheme="baseline", vary=many)
    columns = {"trace": "t", "device": "d", "scheme": "s", "seed": 1, "status": "done"}
    table = pl.DataFrame({**{k: [v] * 2 for k, v in columns.items()}, **many})
    with pytest.raises(ValueError, match="column k100: 101 columns vary; at most 100 may"):
        Outcome.of(table)


def test_a_long_option_is_told_in_short(tmp_path: Path) -> None:
    many = {f"k{i}": "y" * 10_000 for i in range(OPTIONS_MAX + 1)}
    with pytest.raises(slcache.ConfigError) as caught:
        slcache.Trace(tmp_path / "t.csv", options=many)
    assert len(str(caught.value)) < 200
