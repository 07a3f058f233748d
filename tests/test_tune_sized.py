"""`tune --least`: bisection finds the answer of running every value; closed forms, what is told."""

from __future__ import annotations

import json
import operator
import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import slcache as package
from executors import Here
from slcache.search import Search, tune
from slcache.search.strategies import (
    Measuring,
    PointOutcome,
    TriedPoint,
    grid,
    smallest,
    steps_most,
)
from slcache.search.tuning import FILES, Sizing, Tuning
from slcache.study import sweep
from support import mixed, stdout, validator, workers, write_trace

KEY = "device.user_bytes"
BLOCKS = "scheme.baseline.slc_blocks"
SIZES = list(range(1 << 20, (2 << 20) + 1, 64 << 10))
WRAP = {"trace.address": "wrap"}
#: Room for SLC blocks from 3 to 6; with 7 the device is too small.
SMALL = {**WRAP, KEY: 2 << 20}


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("design") / "mixed.csv", mixed(1500))


@pytest.fixture(scope="module")
def every(trace: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[int, dict[str, Any]]:
    """The figures of every size, by a sweep."""
    store = tmp_path_factory.mktemp("every")
    found = sweep(
        trace, device="tiny", scheme="baseline", vary={KEY: SIZES}, settings=WRAP, store=store
    )
    return {row[KEY]: row for row in found.table.to_dicts()}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of sizes that were tried, for all questions: other ones than those of the sweep."""
    return tmp_path_factory.mktemp("tried")


def asked(trace: Path | str, keep: str | list[str], **how: Any) -> Tuning:  # noqa: ANN401
    own: dict[str, Any] = {"device": "tiny", "scheme": "baseline", "settings": WRAP}
    own |= {} if "jobs" in how else {"executor": workers()}
    own["vary"] = {KEY: f"{SIZES[0]}..{SIZES[-1]}:{64 << 10}"}
    own |= how
    if "least" not in own and "most" not in own:
        own["least"] = next(iter(own["vary"]), KEY)
    return tune(trace, such_that=keep, **own)


def best(found: Tuning) -> Any:  # noqa: ANN401
    """Return the value that is the answer; None where there is none."""
    assert found.sized is not None
    return None if found.best is None else found.best.settings[found.sized.key]


@pytest.mark.long
@pytest.mark.few(3)
@pytest.mark.parametrize("find", ["least", "most"])
@pytest.mark.parametrize("metric", ["waf", "erases", "write_mean_ns", "slc_bytes"])
def test_the_answer_is_that_of_running_every_size(
    metric: str, find: str, trace: Path, every: dict[int, dict[str, Any]], store: Path
) -> None:
    """Bounds at figures of some sizes, from both sides; exact where one side of a size does."""
    values = [every[size][metric] for size in SIZES]
    exact = 0
    for way in ("<=", ">="):
        for value in (values[0], values[5], sorted(values)[9], values[-1]):
            keeps = operator.le if way == "<=" else operator.ge
            good = [size for size in SIZES if keeps(every[size][metric], value)]
            found = asked(trace, f"{metric}{way}{value}", store=store, **{find: KEY})
            assert found.sized is not None
            tried = {int(point.settings[KEY]): point for point in found.tried}
            for size, point in tried.items():
                assert found.sized.keeps(point) == (size in good)
                assert point.found.figures[metric] == every[size][metric]
            wanted = (min if find == "least" else max)(good)
            if sum((a in good) != (b in good) for a, b in pairwise(SIZES)) <= 1:
                assert best(found) == wanted
                exact += 1
            # What is beside the answer in the wanted direction was tried, and does not do.
            place = SIZES.index(best(found)) + (-1 if find == "least" else 1)
            if 0 <= place < len(SIZES):
                assert SIZES[place] not in good
                assert SIZES[place] in tried
            assert len(tried) <= 5 + 3 + 1
    assert exact >= 4


def test_closed_form(trace: Path, store: Path) -> None:
    """The cache takes its blocks: the smallest and the largest number follow from a division."""
    (pool,) = package.resolve(device="tiny", scheme="baseline")["device"]["pool"]
    planes = pool["channels"] * pool["chips"] * pool["dies"] * pool["planes"]
    block = planes * pool["wordlines"] * pool["page_bytes"]
    on: dict[str, Any] = {"vary": {BLOCKS: "0..9"}, "settings": SMALL, "store": store}
    for bytes_ in (4 * block - 1, 4 * block, 4 * block + 1):
        assert best(asked(trace, f"slc_bytes>={bytes_}", **on)) == -(-bytes_ // block)
        at_most = asked(trace, f"slc_bytes<={bytes_}", most=BLOCKS, **on)
        assert best(at_most) == bytes_ // block
    # Two bounds at once: exactly four.
    assert best(asked(trace, [f"slc_bytes>={4 * block}", f"slc_bytes<={4 * block}"], **on)) == 4
    refused = [t for t in at_most.tried if t.found.status == "impossible"]
    assert [each.settings[BLOCKS] for each in refused] == [0, 1, 2, 7, 8, 9]
    assert "must be between 3 and" in str(refused[0].found.reason)
    assert [row["status"] for row in at_most.table.to_dicts()].count("impossible") == 6


def test_sizes_may_be_texts_shares_and_several_seeds(trace: Path, tmp_path: Path) -> None:
    sizes = asked(trace, "waf<=1e9", vary={KEY: "2MiB,1MiB,1536KiB"})
    assert [each.settings[KEY] for each in sizes.tried] == [1 << 20, 3 << 19, 2 << 20]
    assert best(sizes) == 1 << 20
    share = {"scheme.baseline.slc.start_free_ratio": "0.1..0.9/9"}
    worn = {**WRAP, "precondition.fill": 0.5, "precondition.overwrite": 0.1}
    found = asked(trace, "waf<=1e9", vary=share, most=next(iter(share)), seeds=2, settings=worn)
    assert best(found) == 0.9
    document = json.loads(found.to_json())
    validator("tune").validate(document)
    assert document["asked"]["seeds"] == 2
    assert best(asked(trace, "waf<=1e9", vary={KEY: [1 << 20]})) == 1 << 20
    writes = write_trace(tmp_path / "writes.csv", mixed(50, write_share=1.0))
    with pytest.raises(package.RunError, match="read_p99_ns: none of the"):
        asked(writes, keep="read_p99<=1ms")


def test_bounds_that_no_size_keeps_are_an_answer(trace: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    how = ("--device", "tiny", "--scheme", "baseline", "--address", "wrap")
    done = stdout(
        *("tune", trace, *how, "--vary", f"{KEY}=1MiB..2MiB:128KiB", "--least", KEY),
        *("--such-that", "waf<=0.5", "--out", out),
    )
    text = done
    assert "No device.user_bytes that was tried keeps waf<=0.500. At both ends: 1048576: " in text
    assert "waf<=0.500 is missed by" in text
    document = json.loads((out / "tune.json").read_text())
    validator("tune").validate(document)
    assert (document["best"], document["front"]) == (None, [])
    assert document["points"][document["sized"]["nearest"]]["status"] == "done"
    assert {p.name for p in out.iterdir()} == {*FILES, "store"} - {"best.toml"}
    assert "Metrics over device.user_bytes" in (out / "report.html").read_text()


def test_what_was_run_is_not_run_again(trace: Path, tmp_path: Path) -> None:
    def stopping(phase: str, done: int, total: int) -> bool:
        assert done <= total
        return not phase.startswith("points") or done < 3

    with pytest.raises(KeyboardInterrupt):
        asked(trace, keep="erases<=366", out=tmp_path, on_progress=stopping, jobs=2)
    kept = len(list(tmp_path.rglob("*.json.gz")))
    assert 0 < kept < 8
    assert not (tmp_path / "tune.json").exists()
    executor = Here()
    first = asked(trace, keep="erases<=366", out=tmp_path, executor=executor)
    assert len(executor.tasks) == len(first.tried) - kept
    again = asked(trace, keep="erases<=366", store=tmp_path / "store", executor=executor)
    assert len(executor.tasks) == len(first.tried) - kept
    alone = asked(trace, keep="erases<=366", jobs=1)
    assert again.table.equals(first.table)
    assert alone.table.equals(first.table)
    assert best(again) == best(alone) == best(first)


def curve(values: Sequence[float | None], bound: str, among: int = 9) -> Sizing:
    """Return what was found where values 1, 2, 3 ... have these figures; None is one that fails."""
    tried = [
        TriedPoint(
            {"size": i},
            PointOutcome("failed", "broken")
            if v is None
            else PointOutcome("done", None, {"waf": v}),
        )
        for i, v in enumerate(values, 1)
    ]
    return Sizing(Search(such_that=[bound], least="size"), range(1, among + 1), tried)


def test_turns_failures_and_ends_of_the_range_are_told() -> None:
    found = curve([5.0, 3.0, 4.0, 4.0, 2.0], "waf<=3.5")
    assert found.turns("waf") == [2, 4]
    told = " ".join(found.sentences())
    assert "waf is not monotone in size: it turns at 2 and 4." in told
    assert "5 of 9 values were tried: among the others there may be a smaller one" in told
    # Where every value was tried, nothing is left to be found.
    whole = " ".join(curve([5.0, 3.0, 4.0], "waf<=3", among=3).sentences())
    assert "turns at 2" in whole
    assert "among the others" not in whole
    # What differs within the tie margin does not turn.
    for steady in ([1.0, 2.0, 2.0, 3.0], [3.0, 2.0, 2.0], [1.0, 1.0], [3.0, 2.408, 2.407, 2.41]):
        assert curve(steady, "waf<=2").turns("waf") == []
    found = curve([None, 3.0, 2.0], "waf<=3")
    assert found.best is not None
    assert found.best.settings["size"] == 2
    told = " ".join(found.sentences())
    assert "size = 1 failed: broken" in told
    assert "Beside it: 1: failed (it did not run); 3: waf 2." in told
    told = " ".join(curve([1.0, 2.0, 3.0], "waf<=2").sentences())
    assert "It is the least of all that can be" in told
    assert "ask for the most" in told


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"vary": {KEY: "1MiB..2MiB@log"}}, "which values are there?"),
        ({"vary": {KEY: "0.5..1.5"}}, "which values are there?"),
        ({"vary": {KEY: ["small", "large"]}}, "small: is no number and no size"),
        ({"vary": {KEY: [True, False]}}, "is no number and no size"),
        ({"vary": {"scheme.baseline.slc.victim": ["greedy", "fifo"]}}, "greedy: is no number"),
        ({"vary": {"scheme.baseline.slc.victim": "1..3"}}, "victim: must be one of"),
        ({"vary": {KEY: "1..20000"}}, "20,000 values; at most 10,000"),
        ({"vary": {}}, "at least one key"),
        ({"vary": {KEY: "1..2", "host.queue_depth": "1..2"}}, "vary this key and no other"),
        ({"scheme": "all"}, "under one scheme"),
        ({"vary": {"scheme.baseline.slc_blocks": "90..99"}}, "must be between 3 and"),
        ({"keep": []}, "needs a bound"),
        ({"most": KEY, "least": KEY}, "least and most: a search has one of them"),
        ({"minimise": ["waf"]}, "least and minimise: a search has one of them"),
        ({"least": "host.queue_depth"}, "vary this key and no other"),
        ({"points": 5}, "points = 5: is of a sampler"),
        ({"prefixes": True}, "prefixes = True: is of a sampler"),
        ({"sampler": "tpe"}, "sampler = tpe: is of a sampler"),
        ({"vary": {BLOCKS: ["4", "512KiB"]}}, "has sizes and numbers of blocks"),
        ({"vary": {BLOCKS: "4,512KiB"}}, "has sizes and numbers of blocks"),
    ],
    ids=lambda value: None if isinstance(value, str) else "-".join(map(str, value)),
)
def test_what_cannot_be_searched_is_told_before_anything_runs(
    trace: Path, how: dict[str, Any], told: str, tmp_path: Path
) -> None:
    # Values that a device cannot have are of its configuration.
    kind = package.ConfigError if "must be" in told else package.UsageError
    with pytest.raises(kind, match=told):
        asked(trace, **{"keep": "waf<=2", "out": tmp_path / "out", **how})
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("way", ["least", "most"])
def test_a_key_is_itself_in_full_and_without_its_scheme(trace: Path, store: Path, way: str) -> None:
    short, full = "slc_blocks", "scheme.baseline.slc_blocks"
    for varied, wanted in ((short, full), (full, short)):
        how: dict[str, Any] = {"vary": {varied: "3..4"}, way: wanted, "settings": SMALL}
        how["store"] = store
        found = asked(trace, "waf<=9", **how)
        assert best(found) == (3 if way == "least" else 4)
        assert any(f"The {way} {varied} that keeps waf<=9" in line for line in found.told())


@pytest.mark.parametrize(
    "said", ["384KiB..768KiB:128KiB", "768KiB,512KiB,640KiB,384KiB", "384KiB..768KiB/4"]
)
def test_sizes_of_blocks_stay_sizes(trace: Path, store: Path, said: str) -> None:
    on: dict[str, Any] = {"vary": {BLOCKS: said}, "settings": SMALL, "store": store}
    found = asked(trace, f"slc_bytes>={4 * 128 * 1024}", **on)
    assert found.sized is not None
    assert found.sized.best is not None
    assert found.sized.best.settings[BLOCKS] == "512KiB"
    how: dict[str, Any] = {"device": "tiny", "scheme": "baseline", **on}
    drawn = tune(trace, **how, minimise="slc_bytes")
    assert drawn.best is not None
    assert drawn.best.settings[BLOCKS] == "384KiB"
    assert len(drawn.tried) == 4


Curve = Callable[[int], float]


class Measured:
    """A curve that remembers what was asked of it."""

    def __init__(self, curve: Curve) -> None:
        self.curve = curve
        self.asked: list[int] = []

    def __call__(self, places: Sequence[int]) -> dict[int, float]:
        """Return the curve at places that were not asked for before."""
        assert not set(places) & set(self.asked), "nothing is measured twice"
        self.asked += places
        return {place: self.curve(place) for place in places}


def bisected(curve: Curve, needed: float, last: int = 32) -> tuple[int | None, set[int]]:
    """Return what is found and what was measured."""
    measured = Measured(lambda place: curve(place) - needed)

    def measure(places: Sequence[int]) -> Measuring:
        yield
        return measured(places)

    steps = smallest(last, measure)
    try:
        while True:
            next(steps)
    except StopIteration as end:
        return end.value, set(measured.asked)


def test_curves_are_searched_exactly_and_fast_wherever_they_are_highest() -> None:
    ranges = [(last, answer) for last in (1, 2, 3, 4, 7, 32, 33, 100) for answer in range(last + 1)]
    for last, answer in ranges:
        found, asked = bisected(float, answer - 0.5, last)
        assert found == answer
        assert len(asked) <= steps_most(last)
        assert {answer - 1, answer + 1} & set(range(last + 1)) <= asked, "both neighbours"
    assert (grid(32), grid(6), grid(1)) == ([0, 8, 16, 24, 32], [0, 2, 3, 5, 6], [0, 1])
    assert steps_most(32) == 5 + 3 + 1

    def hill(place: int) -> float:
        return 10.0 - abs(place - 13)

    found, asked = bisected(hill, 9.5)
    assert found == 13
    assert {12, 14} <= asked
    # No point of the grid suffices: the search climbs to the top and down its left side.
    assert bisected(hill, 8.0)[0] == 11
    assert bisected(hill, -3.0)[0] == 0
    found, asked = bisected(hill, 10.5)
    assert found is None
    assert {12, 13, 14} <= asked, "the best candidate and both neighbours"
    rng = random.Random(14)
    for _ in range(300):
        last = rng.randint(1, 40)
        figures = [rng.random() + rng.choice([0, 0.05]) * i for i in range(last + 1)]
        needed = rng.random() * 1.5
        found, asked = bisected(figures.__getitem__, needed, last)
        if found is None:
            assert all(figures[place] < needed for place in asked)
            best = max(asked, key=lambda place: (figures[place], -place))
            beside = {best - 1, best + 1} & set(range(last + 1))
            assert beside <= asked
        else:
            assert figures[found] >= needed
            assert found == 0 or figures[found - 1] < needed
            assert {found - 1, found + 1} & set(range(last + 1)) <= asked
