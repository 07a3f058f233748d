"""Searches: over functions whose best points are known, and on the simulator beside a sweep."""

from __future__ import annotations

import json
import math
import random
import tomllib
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import slcache as package
from slcache.search import SAMPLERS, MetricBound, Sampler, Search, tune
from slcache.search.space import Known, Space, key_of
from slcache.search.strategies import BATCH, Batch, PointOutcome, SamplerSearch, TriedPoint
from slcache.search.tuning import FILES, Tuning
from slcache.study import fronts, sweep
from slcache.study.axes import StudyAxis, Value
from support import json_of, mixed, slcache, validator, workers, write_trace

pytest.importorskip("optuna")


#: Room for SLC blocks from 3 to 6; with 7 the device is too small.
SETTINGS = {"trace.address": "wrap", "device.user_bytes": 2 << 20}
SPACE: dict[str, Any] = {
    "scheme.baseline.slc_blocks": "3..7",
    "scheme.baseline.slc.victim": ["greedy", "fifo"],
    "host.time_scale": [0.1, 1.0, 10.0],
}
#: The same as the command line has it.
LISTED = {**SPACE, "scheme.baseline.slc_blocks": ["3..7"]}
GOALS = ("write_p99_ns", "waf")


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("tune") / "mixed.csv", mixed(600))


def search(trace: Path, **how: Any) -> Tuning:  # noqa: ANN401
    own: dict[str, Any] = {"device": "tiny", "scheme": "baseline", "vary": SPACE}
    own |= {"settings": SETTINGS}
    own |= {} if "jobs" in how else {"executor": workers()}
    return tune(trace, **{**own, **how})


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of the space, for all that do not ask what is run."""
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def found(trace: Path, store: Path) -> Tuning:
    return search(trace, points=24, store=store)


def settings(found: Tuning) -> list[dict[str, Any]]:
    return [dict(each.settings) for each in found.tried]


def figures(found: Tuning) -> list[Any]:
    return [(each.found.status, dict(each.found.figures)) for each in found.tried]


#: A hundred points, of which the device refuses twenty.
HUNDRED: dict[str, Any] = {
    "scheme.baseline.slc_blocks": "3..7",
    "scheme.baseline.slc.start_free_ratio": [0.1, 0.3, 0.5, 0.7, 0.9],
    "scheme.baseline.slc.victim": ["greedy", "fifo"],
    "scheme.baseline.dense.victim": ["greedy", "fifo"],
}


@pytest.mark.long
def test_the_front_is_that_of_an_exhaustive_sweep(tmp_path: Path) -> None:
    """A sweep runs every point; the search reaches the same fronts with less than half of them."""
    trace = write_trace(tmp_path / "short.csv", mixed(300))
    rows = sweep(
        trace,
        device="tiny",
        scheme="baseline",
        vary=HUNDRED,
        settings=SETTINGS,
        skip_impossible=True,
        store=tmp_path / "store",
    ).table.to_dicts()
    done = [row for row in rows if row["status"] == "done"]
    assert (len(rows), len(done)) == (100, 80)
    for goals in (GOALS, ("write_mean_ns", "waf", "slc_bytes")):
        points = [[row[name] for name in goals] for row in done]
        front = {tuple(points[i]) for i in fronts.front(points, ["min"] * len(goals))}
        assert len(front) > 1
        found = search(trace, vary=HUNDRED, minimise=goals, points=48, store=tmp_path / "store")
        assert {
            tuple(found.goals.values(each.found.figures) or ()) for each in found.front
        } == front
        # The sweep's results are found in its store.
        assert found.kept == found.counts()["done"] < 48


def test_any_workers_try_the_same_and_nothing_twice(
    trace: Path, found: Tuning, tmp_path: Path
) -> None:
    one = search(trace, points=24, jobs=1)
    assert settings(one) == settings(found)
    assert figures(one) == figures(found)
    assert one.table.drop("key").equals(found.table.drop("key"))
    first = search(trace, points=8, out=tmp_path)
    assert first.kept == 0
    again = search(trace, points=16, out=tmp_path)
    assert again.kept == first.counts()["done"]
    assert settings(again)[:8] == settings(first)


def test_impossible_points_are_counted_and_the_search_goes_on(trace: Path, found: Tuning) -> None:
    refused = [each for each in found.tried if each.found.status == "impossible"]
    assert {each.settings["scheme.baseline.slc_blocks"] for each in refused} == {7}
    assert "user_bytes" in str(refused[0].found.reason)
    assert found.counts()["impossible"] == len(refused)
    # A batch of nothing else.
    vary = {"scheme.baseline.slc_blocks": "1..2", "host.time_scale": [0.5, 1.0]}
    most = search(trace, scheme=["tlc-only", "baseline"], vary=vary, points=6)
    assert most.counts() == {"done": 2, "failed": 0, "impossible": 4, "stopped": 0}
    assert most.best is not None
    assert most.best.settings["scheme"] == "tlc-only"


def test_a_best_point_whose_cache_never_filled_says_so(tmp_path: Path) -> None:
    """As a comparison does: what it comes to later is not in its figures."""
    told = "Its SLC cache was never full here: a longer run, or a fuller device, may reverse"
    vary = {"scheme.baseline.slc_blocks": [3, 6]}
    for requests, filled in ((30, False), (3000, True)):
        trace = write_trace(tmp_path / f"{requests}.csv", mixed(requests))
        for goals in ({"minimise": ["waf"]}, {"least": next(iter(vary)), "such_that": "waf<=9"}):
            found = search(trace, vary=vary, points=2 if "minimise" in goals else None, **goals)
            full = found.table["cache_full_ns"].is_not_null()
            assert [not each["unfilled"] for each in found.to_dict()["points"]] == [filled, filled]
            assert full.all() if filled else not full.any()
            assert (told in " ".join(found.told())) is not filled


def test_reasons_count_points_and_not_their_runs(tmp_path: Path) -> None:
    load = tmp_path / "load.toml"
    load.write_text(
        'requests = 60\nfootprint_bytes = "256KiB"\n[global]\nrw = "randwrite"\nbs = "4k"\n'
    )
    found = search(load, vary={"scheme.baseline.slc_blocks": "5..8"}, points=4, seeds=2)
    counts = [(status, count) for status, _, count in found.reasons() if status == "impossible"]
    assert sum(count for _, count in counts) == found.counts()["impossible"] == 2
    assert found.table.height == 8


def test_the_document_is_what_its_schema_says(found: Tuning, trace: Path) -> None:
    schema = validator("tune")
    vary = {"host.time_scale": [0.5, 1.0]}
    others = [
        search(trace, vary=vary, minimise=["waf"], prefixes=True, points=2),
        search(trace, scheme="baseline,tlc-only", vary={}, such_that=["waf<=0.1"], minutes=1.0),
        search(trace, vary={"scheme.baseline.slc_blocks": [2, 3]}, points=2),
    ]
    for each in (found, *others):
        document = json.loads(each.to_json())
        schema.validate(document)
        for key in document["asked"]:
            assert not schema.is_valid(document | {"asked": {key: document["asked"][key]}})


def test_a_point_is_what_a_run_gives(trace: Path, found: Tuning) -> None:
    """The best configuration's file, run by itself, has the figures that the search says."""
    assert found.best is not None
    config = tomllib.loads(found.config(found.best))
    result = package.run(trace, device="tiny", scheme="baseline", settings=config).to_dict()
    assert result["waf"]["total"] == found.best.found.figures["waf"]
    p99 = result["host"]["write"]["latency_us"]["p99"]
    assert round(p99 * 1000) == found.best.found.figures["write_p99_ns"]
    found = search(trace, minutes=0.0)
    assert len(found.tried) == 8


def test_prefixes_are_no_figures_of_the_whole(trace: Path, store: Path) -> None:
    found = search(trace, points=24, prefixes=True, minimise=["write_mean_ns"])
    counts = found.counts()
    assert min(counts["stopped"], counts["done"]) > 3
    rows = found.table.to_dicts()
    assert {row["write_mean_ns"] for row in rows if row["status"] == "stopped"} == {None}
    assert {row["trace"] for row in rows} == {str(trace)}
    plain = {tuple(t.settings.items()): t for t in search(trace, points=30, store=store).tried}
    for each in found.tried:
        whole = plain[tuple(each.settings.items())].found.figures
        if each.found.status == "done":
            assert each.found.figures == whole
            assert each.prefixes[0][1] != whole["write_mean_ns"]


#: What a seed draws beside a recording.
WORN = {**SETTINGS, "precondition.fill": 0.5, "precondition.overwrite": 0.1}


def test_several_schemes_have_their_own_keys(trace: Path) -> None:
    vary = {"scheme.baseline.slc_blocks": "3..5", "host.time_scale": "0.1..10@log"}
    found = search(trace, scheme="baseline,tlc-only", vary=vary, points=16, seeds=2, settings=WORN)
    assert {str(each.settings["scheme"]) for each in found.tried} == {"baseline", "tlc-only"}
    for each in found.tried:
        own = "scheme.baseline.slc_blocks" in each.settings
        assert own == (each.settings["scheme"] == "baseline")
    assert found.table.height == 32
    assert found.report()


def test_a_best_point_is_one_that_a_device_can_be(trace: Path, store: Path) -> None:
    vary = {"dense.separation": ["none", "oracle"]}
    how: dict[str, Any] = {"vary": vary, "points": 4, "store": store, "minimise": ["waf"]}
    how |= {"settings": {**SETTINGS, "device.pool.0.blocks": 192}}
    found = search(trace, scheme="baseline,bypass-oracle", **how)
    built = {"scheme": "baseline", "dense.separation": "none"}
    assert [dict(each.settings) for each in found.front] == [built]
    assert found.best is found.front[0]
    assert [dict(each.settings) for each in found.analysis.front.best] == [built]
    assert len(found.analysis.front.configurations) == 4
    assert found.analysis.front.broken == 0
    # Where all knew it, one of them is the answer.
    alone = search(trace, scheme="bypass-oracle", **how)
    assert alone.best in alone.good


def test_bounds_are_kept_by_the_front(trace: Path, store: Path) -> None:
    how: dict[str, Any] = {"minimise": ["waf"], "store": store}
    found = search(trace, points=30, such_that=["slc_bytes<=512KiB"], **how)
    assert found.best is not None
    assert found.best.found.figures["slc_bytes"] == 512 << 10
    free = search(trace, points=30, **how)
    assert free.best is not None
    assert (free.best.found.figures["slc_bytes"] or 0) > 512 << 10
    assert found.analysis.front.broken > 0
    # A metric may have a goal and bounds.
    both = search(trace, points=4, such_that=["waf<=1000", "waf>=1"], **how)
    assert both.analysis.metrics == ["waf"]
    assert "keep waf&lt;=1000 and waf&gt;=1" in both.report()


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"vary": {"host.time_scale": "3..1"}}, "host.time_scale = 3..1"),
        ({"vary": {}}, "at least one key"),
        ({"minimise": ["wav"]}, "did you mean waf"),
        ({"such_that": ["waf<2"]}, "METRIC<=VALUE"),
        ({"prefixes": True}, "by one metric"),
        ({"prefixes": True, "minimise": ["waf"], "sampler": "nsga2"}, "samplers tpe and random"),
        ({"points": 0}, "points = 0"),
        ({"vary": {"waf": "1,2"}}, "waf"),
        ({"trace": ["zipf-4k", "zipf-4k"]}, "of one trace, and 2 are given"),
        # What only the first batch tells.
        ({"minimise": ["read_p99_ns"], "points": 9}, "read_p99_ns: none of the first"),
        ({"minimise": ["energy"]}, "energy_j: none .*only devices with a disk"),
        ({"minimise": ["read_errors"]}, "read_errors: none .*only devices with .device.cells"),
        ({"such_that": ["read_errors<=1"]}, "read_errors: none .*only devices with .device.cells"),
    ],
    ids=lambda value: None if isinstance(value, str) else "-".join(value),
)
def test_what_cannot_be_searched_is_told(how: dict[str, Any], told: str, tmp_path: Path) -> None:
    writes = write_trace(tmp_path / "writes.csv", mixed(50, write_share=1.0))
    with pytest.raises(package.Error, match=told):
        search(**{"trace": writes, **how})


def test_the_command_line_writes_what_is_found(trace: Path, found: Tuning, tmp_path: Path) -> None:
    out = tmp_path / "a folder"
    words = ("tune", trace, "--device", "tiny", "--scheme", "baseline", "--address", "wrap")
    given = ("--set", "device.user_bytes=2097152", "--points", "24", "--out", out, "--json")
    vary = [f"--vary={key}={','.join(map(str, values))}" for key, values in LISTED.items()]
    document = json_of(*words, *given, *vary)
    assert document == json.loads((out / "tune.json").read_text())
    assert document["points"] == json.loads(found.to_json())["points"]
    assert sorted(p.name for p in out.iterdir()) == sorted([*FILES, "store"])
    assert pl.read_parquet(out / "points.parquet").height == 24
    assert "main effects" in slcache("sweep", "show", out, "--explain").stdout.decode()


def test_a_search_keeps_the_folder_of_another(tmp_path: Path) -> None:
    trace, out = write_trace(tmp_path / "t.csv", mixed(80)), tmp_path / "out"
    common: list[str | Path] = [trace, "--device", "tiny", "--scheme", "sa"]
    common += ["--vary", "host.time_scale=1,2,4", "--out", out, "--jobs", "1"]
    for points in ("2", "3"):
        done = slcache("tune", *common, "--points", points)
        assert (done.returncode, done.stderr) == (0, b"")
    before = {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()}
    for words, told in (
        (["tune", *common, "--points", "2", "--minimise", "waf"], "a search with another goals"),
        (["tune", *common, "--points", "2", "--set", "buffer.bytes=64KiB"], "another set"),
        (["sweep", *common], "has the results of a search"),
        (["sweep", *common, "--config", out / "best.toml"], "has the results of a search"),
    ):
        done = slcache(*words)
        said = " ".join(done.stderr.decode().split())
        assert done.returncode == 2
        assert told in said
        assert str(out) in said
    assert before == {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()}
    (out / "tune.json").write_text("{}")
    done = slcache("tune", *common, "--points", "2")
    assert (done.returncode, b"cannot be read" in done.stderr) == (2, True)


def test_odd_names_stay_what_they_are(trace: Path, tmp_path: Path) -> None:
    odd = tmp_path / "a $x <b>\n[device]\n.csv"
    odd.write_bytes(trace.read_bytes())
    found = search(odd, points=4, out=tmp_path / "o ut")
    config = tomllib.loads((tmp_path / "o ut" / "best.toml").read_text())
    assert set(config) == {"trace", "device", "scheme", "host"}
    assert config["device"] == {"user_bytes": 2 << 20}
    assert "<b>" not in (tmp_path / "o ut" / "report.html").read_text()
    assert found.table["trace"].to_list() == [str(odd)] * 4


Figures = Mapping[str, float | None]
WHOLE = Fraction(1)


def space(*axes: str, schemes: Sequence[str] = ("s",)) -> Space:
    return Space(schemes, [StudyAxis.read(*text.split("=")) for text in axes])


def run(
    search: SamplerSearch, evaluate: Callable[[Batch], Sequence[PointOutcome]]
) -> list[TriedPoint]:
    """Return the points that a search tries, told what `evaluate` makes of each batch."""
    batches = search.batches()
    batch = next(batches)
    try:
        while True:
            batch = batches.send(evaluate(batch))
    except StopIteration as end:
        tried: list[TriedPoint] = end.value
        return tried


def searched(
    search: SamplerSearch, figures: Callable[[Mapping[str, Any]], Figures | str]
) -> list[TriedPoint]:
    """Search with points that have figures, or are impossible for a reason."""

    def evaluate(batch: Batch) -> list[PointOutcome]:
        found = [figures(point) for point in batch.points]
        return [
            PointOutcome("impossible", one)
            if isinstance(one, str)
            else PointOutcome("done", None, one)
            for one in found
        ]

    return run(search, evaluate)


SMALL = space("scheme.a.x=1..12", "scheme.b.k=p,q,r", "t=1,2,4,8", schemes=("a", "b"))


def trade(point: Mapping[str, Any]) -> Figures:
    if point["scheme"] == "b":
        size = {"p": 3.0, "q": 40.0, "r": 9.0}[point["scheme.b.k"]]
    else:
        size = float(point["scheme.a.x"])
    return {"write_p99_ns": 1000 / size + point["t"], "waf": size + abs(point["t"] - 4)}


def front_of(points: Sequence[Mapping[str, Any]]) -> set[Any]:
    values = [list(trade(point).values()) for point in points]
    return {key_of(points[i]) for i in fronts.front(values, ["min", "min"])}  # type: ignore[arg-type]


def every() -> list[dict[str, Value]]:
    """Return all points, in the order of the grid."""
    found: list[dict[str, Value]] = [
        {"scheme": "a", "scheme.a.x": x, "t": t} for x in range(1, 13) for t in (1, 2, 4, 8)
    ]
    return found + [{"scheme": "b", "scheme.b.k": k, "t": t} for k in "pqr" for t in (1, 2, 4, 8)]


@pytest.mark.long
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_finite_space_is_tried_to_the_end_and_no_point_twice(sampler: Sampler) -> None:
    points = [t.settings for t in searched(SamplerSearch(SMALL, Search(sampler=sampler)), trade)]
    assert len(points) == SMALL.size == 60
    assert {key_of(point) for point in points} == {key_of(point) for point in every()}
    assert front_of(points) == front_of(every())


def test_draws_are_among_all_points_that_are_left() -> None:
    """As if those were listed, in the order of the grid, and one of the list chosen."""
    left = every()
    known, rng, chooser = Known(SMALL), random.Random(7), random.Random(7)
    while left:
        drawn = known.another(rng)
        assert drawn == chooser.choice(left)
        assert list(drawn) == list(left[left.index(drawn)])
        known.add(drawn)
        left.remove(drawn)
    assert known.another(rng) is None


@pytest.mark.long
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_the_same_seed_tries_the_same_points_in_the_same_batches(sampler: Sampler) -> None:
    """However many workers there are; more points begin with the same."""
    searches = [
        SamplerSearch(SMALL, Search(sampler=sampler, sampler_seed=seed, points=points))
        for seed, points in ((1, 24), (1, 20), (2, 24))
    ]
    one, fewer, other = ([key_of(t.settings) for t in searched(s, trade)] for s in searches)
    assert one[:20] == fewer
    assert one != other
    assert len(one) == 24
    batches: list[int] = []

    def evaluate(batch: Batch) -> list[PointOutcome]:
        batches.append(len(batch.points))
        return [PointOutcome("done", None, trade(point)) for point in batch.points]

    run(SamplerSearch(SMALL, Search(sampler=sampler, points=20)), evaluate)
    assert batches == [BATCH, BATCH, 4]


WIDE = space("x=0..1000", "y=0.01..100@log", "k=a,b,c")


def bowl(point: Mapping[str, Any]) -> Figures:
    far = abs(point["x"] - 700) / 100 + abs(math.log10(point["y"]) - 1) * 3
    return {"waf": far + (0.0 if point["k"] == "b" else 4.0), "slc_bytes": point["x"]}


@pytest.mark.long
@pytest.mark.parametrize("goal", ["min", pytest.param("max", marks=pytest.mark.slow)])
def test_learning_beats_chance(goal: str) -> None:
    """TPE comes nearer to the best of 3 million points than as many draws by chance."""
    sign = 1 if goal == "min" else -1

    def best(sampler: Sampler, seed: int) -> float:
        how: dict[str, Any] = {"minimise" if goal == "min" else "maximise": "waf"}
        search = Search(**how, sampler=sampler, sampler_seed=seed, points=80)
        tried = searched(
            SamplerSearch(WIDE, search), lambda p: {"waf": sign * (bowl(p)["waf"] or 0)}
        )
        return min(sign * (each.found.figures["waf"] or 0) for each in tried)

    seeds = range(3)
    assert sum(best("tpe", s) for s in seeds) < 0.6 * sum(best("random", s) for s in seeds)


@pytest.mark.parametrize(
    ("how", "refused", "late", "share"),
    [
        # By chance, 70 % would be impossible; the best lie at the border.
        ({}, range(301, 1001), 40, 0.5),
        # Before anything has run there is no worst figure to tell of what cannot run.
        ({"sampler_seed": 2, "points": 64}, range(900), 24, 0.3),
        ({"such_that": "slc_bytes<=300"}, range(0), 40, 0.5),
    ],
    ids=["impossible", "impossible first", "bounds"],
)
def test_samplers_learn_what_is_impossible_and_what_keeps_bounds(
    how: dict[str, Any], refused: Sequence[int], late: int, share: float
) -> None:
    goals = Search(minimise="waf", **{"points": 80, **how})
    tried = searched(
        SamplerSearch(WIDE, goals), lambda p: "beyond" if p["x"] in refused else bowl(p)
    )
    good = [each.found.status == "done" and goals.kept(each.found.figures) for each in tried]
    assert any(good[:BATCH]) == (refused != range(900))
    assert share * len(good[late:]) < sum(good[late:])
    assert not all(good)


def prefixed(seed: int = 1) -> tuple[list[TriedPoint], list[tuple[Fraction, int]]]:
    ran: list[tuple[Fraction, int]] = []

    def evaluate(batch: Batch) -> list[PointOutcome]:
        share, points = batch.share, batch.points
        ran.append((share, len(points)))
        # A beginning shows twice what the whole does.
        return [
            PointOutcome(
                "done", None, {"waf": (bowl(p)["waf"] or 0) * (1 if share == WHOLE else 2)}
            )
            for p in points
        ]

    search = SamplerSearch(
        WIDE, Search(minimise="waf", sampler_seed=seed, points=60, prefixes=True)
    )
    return run(search, evaluate), ran


def test_prefixes_stop_most_points_and_keep_the_good_whose_figures_are_of_the_whole() -> None:
    tried, ran = prefixed()
    of = {share: sum(n for s, n in ran if s == share) for share, _ in ran}
    assert of[Fraction(1, 9)] == 60
    assert of[Fraction(1, 9)] > of[Fraction(1, 3)] > of[WHOLE] > 5
    # Within a batch too: the best are judged first, and others held against them.
    assert [each.found.status for each in tried[:BATCH]].count("stopped") >= 3
    stopped = [each for each in tried if each.found.status == "stopped"]
    done = [each for each in tried if each.found.status == "done"]
    assert len(done) == of[WHOLE]
    assert min(bowl(t.settings)["waf"] or 0 for t in tried) == min(
        bowl(t.settings)["waf"] or 0 for t in done
    )
    mean = [sum(bowl(t.settings)["waf"] or 0 for t in g) / len(g) for g in (stopped, done)]
    assert mean[1] < mean[0]
    for each in tried:
        if each.found.status == "stopped":
            assert each.found.figures == {}
            assert each.found.reason in ("after 1/9 of the trace", "after 1/3 of the trace")
        else:
            assert each.found.figures == {"waf": bowl(each.settings)["waf"]}
        assert each.prefixes[0] == (Fraction(1, 9), 2 * (bowl(each.settings)["waf"] or 0))
    assert prefixed()[0] == tried


@pytest.mark.parametrize(
    ("text", "figures", "kept"),
    [
        ("waf<=2", {"waf": 2.0}, True),
        ("waf <= 2", {"waf": 2.1}, False),
        ("waf>=2", {"waf": 2.1}, True),
        ("slc_bytes<=4KiB", {"slc_bytes": 4097}, False),
        ("read_p99_ns<=1.5us", {"read_p99_ns": 1500}, True),
        ("read_p99_ns<=1500", {"read_p99_ns": 1501}, False),
        ("waf<=2", {"waf": None}, False),
    ],
)
def test_bounds_are_read_with_units(text: str, figures: Figures, kept: bool) -> None:
    assert (MetricBound.read(text).broken(figures) <= 0) == kept


def test_broken_bounds_are_told_and_goals_named_once() -> None:
    for text, told in {
        "waf<2": "METRIC<=VALUE",
        "waff<=2": "did you mean waf",
        "waf<=x": "waf: 'x' is not a number",
        "waf<=1_000": "waf: '1_000' is not a number",
        "waf<=1.2.3": "waf: '1.2.3' is not a number",
        "iops>=10k": "iops: '10k' is not a number of 1/s",
        "read_p99<=1..2": "read_p99_ns: '1..2' is not a number",
        "slc_bytes<=4.5": "slc_bytes: '4.5' is not a whole number of bytes",
        "waf<=1e400": r"its value must be a number, at most 1e\+100",
        "slc_bytes<=4 apples": "slc_bytes: '4 apples' is not a size",
    }.items():
        with pytest.raises(ValueError, match=told):
            MetricBound.read(text)
    assert Search().metrics == {"write_p99_ns": "min", "waf": "min"}
    assert Search(maximise="iops").metrics == {"iops": "max"}
    assert Search(maximise="waf").against == ["waf"]
    with pytest.raises(ValueError, match="waf is given twice"):
        Search(minimise="waf", maximise="waf").check()
    with pytest.raises(ValueError, match="is no metric"):
        Search(minimise="speed").check()
