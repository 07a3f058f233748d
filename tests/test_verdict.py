"""What the verdict says of figures: who wins, by how much, and what is told from noise."""

from __future__ import annotations

import copy
import json
import math
import re
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy

import slcache
from figured import figured
from slcache import units
from slcache.documents.figures import winners
from slcache.results import seeded
from slcache.results.intervals import (
    LEVEL,
    Paired,
    RepeatedFigure,
    against,
    paired,
    quantile,
    told_apart,
)
from slcache.sentences import verdict
from support import cases, mixed, write_trace

KEYS = ("mean", "min", "p50", "p90", "p95", "p99", "p99_9", "p99_99", "max")
BEYOND = ("p50", "p90", "p95", "p99", "p99_9", "p99_99")


def side(mean: float, p99: float, wait: dict[str, float], requests: int = 10) -> dict[str, Any]:
    """Return one direction's part of a document; array service takes what waiting leaves."""
    latencies = dict.fromkeys(KEYS, p99) | {"mean": mean} if requests else dict.fromkeys(KEYS)
    service = {"array": mean - sum(wait.values()), "transfer": 0.0, "link": 0.0, "buffer": 0.0}
    return {
        "requests": requests,
        "bytes": requests * 4096,
        "latency_us": latencies,
        "requests_beyond": dict.fromkeys(BEYOND, requests),
        "attribution_us": {"total": mean, "service": service, "wait": wait},
        "cdf": [[mean, 0.5], [max(mean, p99), 1.0]] if requests else [],
    }


def run(
    name: str, read: dict[str, Any], write: dict[str, Any], waf: dict[str, float], erases: int = 0
) -> slcache.Result:
    """Return a result made of the parts that verdict and table read."""
    op = {"pool": "nand", "mode": "tlc", "cause": "gc", "pages": 0, "bytes": 0, "time_us": 1.0}
    document = json.loads(whole())
    document["host"] |= {"read": copy.deepcopy(read), "write": copy.deepcopy(write)}
    document["flash"] |= {"ops": [{**op, "kind": "erase", "count": erases}], "slots": []}
    total = sum(waf.values())
    document["waf"] |= {"total": total, "by_cause": waf, "by_mode": {"tlc": total}}
    document["scheme"]["name"] = name
    return slcache.Result.made(figured(document), None, ())


@cache
def whole() -> str:
    """Return a document that has every part."""
    with tempfile.TemporaryDirectory() as folder:
        trace = write_trace(Path(folder) / "mixed.csv", mixed(20))
        return slcache.run(trace, device="tiny", scheme="tlc-only").to_json()


NONE = side(0.0, 0.0, {}, requests=0)
FAST = side(100.0, 300.0, {"gc": 20.0})
SLOW = side(400.0, 900.0, {"gc": 300.0})


def compared(
    **sides: tuple[dict[str, Any], dict[str, Any], dict[str, float]],
) -> slcache.Comparison:
    """Compare runs by their names, given as reads, writes and write amplification."""
    return slcache.Comparison([run(name, *parts) for name, parts in sides.items()])


def test_each_side_has_its_winner_and_reason() -> None:
    waf = {"host": 1.0, "migration": 0.5}
    headline, why = compared(a=(FAST, SLOW, {"host": 1.0}), b=(SLOW, FAST, waf)).verdict()
    assert headline == (
        "Writes: b wins with the lowest mean latency, 0.25× that of a; "
        "reads: a wins with the lowest mean latency; b takes 4.00× as long."
    )
    assert "of the 300 µs less per write, waiting behind garbage collection makes 280 µs" in why
    assert "of the 300 µs more per read, waiting behind garbage collection makes 280 µs" in why
    assert "Write amplification is 1.50 against 1.00, above all through migration (0.50 " in why
    close = side(100.9, 300.0, {"gc": 20.0})
    both = compared(a=(FAST, FAST, {"host": 1.0}), b=(close, close, {"host": 1.005}))
    headline, why = both.verdict()
    assert headline == (
        "Writes: equal within 1 % on mean latency; reads: equal within 1 % on mean latency."
    )
    assert "as long as on a on average (within 1 %)" in why
    assert "Write amplification is as on a" in why
    assert not any("bold" in str(cell.style) for row in both.tables()[0].rows for cell in row)
    both = slcache.Comparison(
        [run(name, FAST, FAST, {"host": 1.0}, erases=n) for name, n in (("a", 0), ("b", 1234))]
    )
    assert [row[-2].plain for row in both.tables()[0].rows] == ["0", "1,234"]
    assert both.normalised["schemes"]["b"]["erases"] is None


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (SLOW, side(200.0, 500.0, {"migration": 180.0}), "ction makes 300 µs and flash array time"),
        (SLOW, side(200.0, 500.0, {"migration": 180.0}), "while waiting behind migration adds 180"),
        (
            FAST,
            side(400.0, 900.0, {"gc": 170.0, "migration": 150.0}),
            "garbage collection makes 150 µs and waiting behind migration 150 µs",
        ),
        (FAST, side(50.0, 1200.0, {"gc": 20.0}), "but its 99th percentile is 4.00× as long"),
    ],
)
def test_components_are_told(first: dict[str, Any], second: dict[str, Any], told: str) -> None:
    both = compared(a=(NONE, first, {"host": 1.0}), b=(NONE, second, {"host": 1.0}))
    assert told in both.verdict()[1]
    assert "reads" not in " ".join(both.verdict()).lower()


def test_tied_winners_share_the_win() -> None:
    waf = {"host": 1.0}
    tied = compared(a=(NONE, SLOW, waf), b=(NONE, FAST, waf), c=(NONE, FAST, waf))
    assert tied.verdict()[0].startswith(
        "Writes: b and c tie (within 1 %) with the lowest mean latency, 0.25"
    )
    alone = compared(a=(FAST, FAST, {"host": 1.0}))
    assert alone.verdict() == ["Only a was run: there is nothing to compare it with."]
    assert compared(a=(NONE, NONE, {}), b=(NONE, NONE, {})).verdict() == [
        "Neither reads nor writes were served: there is nothing to compare.",
        "b: nothing to compare.",
    ]


def test_winners_and_numbers_read_well() -> None:
    cases: list[tuple[list[float | None], set[int]]] = [
        ([], set()),
        ([1.0], set()),
        ([1.0, 2.0], {0}),
        ([2.0, None, 1.0], {2}),
        ([1.0, 1.009, 2.0], {0, 1}),
        ([1.0, 1.009], set()),
        ([0.0, 0.0], set()),
        ([0.0, 1.0], {0}),
    ]
    for values, best in cases:
        assert winners(values) == best
    for show, told in (
        (
            units.duration,
            {0: "0 µs", 0.25: "250 ns", 999.6: "1,000 µs", 1234.5: "1.23 ms", 2.5e6: "2.50 s"},
        ),
        (units.size, {0: "0 B", 512: "512 B", 4096: "4.00 KiB", 44 << 30: "44.0 GiB"}),
        (units.factor, {0.314: "0.31×", 0.0123: "0.012×", 123.4: "123×", 0: "0.00×"}),
        (units.percent, {0.000036: "0.0036 %", 3.6e-6: "<0.001 %", 0: "0.0 %", 1: "100.0 %"}),
        (units.significant, {0.00123: "0.00123", 0.000123: "1.23e-4", -1.2e-12: "-1.20e-12"}),
        (lambda each: units.in_one_unit([356, each])(each), {6249: "6,249 µs", 62489: "62.5 ms"}),
    ):
        assert {value: show(value) for value in told} == told


@pytest.mark.parametrize("count", [2, 5])
def test_sentences_are_in_the_unit_of_the_table(count: int) -> None:
    waf = {"host": 1.0}
    writes = [side(3083.0 * (1 + i), 9000.0, {"gc": 2000.0 * (1 + i)}) for i in range(count)]
    reads = [side(0.9 * (1 + i), 300.0, {"gc": 0.5}) for i in range(count)]
    runs = {chr(97 + i): (reads[i], writes[i], waf) for i in range(count)}
    both = compared(**runs)
    table = both.tables()[0].rows[0]
    said = " ".join(both.verdict())
    assert {cell.plain.partition(" ")[2] for cell in table[1:6]} == {"µs"}
    assert set(re.findall(r"[\d.,]+ (ns|µs|ms|s)\b", said)) == {"µs"}


#: Prints times that are in this unit in a table.
MICROSECONDS = units.in_one_unit([10.0, 1210.0])


def document(sums: list[int | None], requests: list[int]) -> dict[str, Any]:
    """Return as much of a document as is asked."""
    mean = sum(each or 0 for each in sums) / sum(requests) / 1e3
    columns = {"write_latency_ns_sum": sums, "write_requests": requests}
    quiet = {"read_latency_ns_sum": [0] * len(sums), "read_requests": [0] * len(sums)}
    return {
        "series": {"window_ns": 10**9, "columns": {**columns, **quiet}},
        "host": {"write": {"latency_us": {"mean": mean}}},
    }


def test_stretches_are_told_with_the_mean_without_them() -> None:
    slow = {10, 11, 50}
    two = document([400_000_000 if i in slow else 100_000 for i in range(100)], [10] * 100)
    assert verdict.of_stretches({"slow": two}, MICROSECONDS) == [
        "slow: 99.2 % of the time that writes took lies in 2 stretches, 3.00 s of 100 s, from "
        "10.0 s and 50.0 s on; without, the mean is 10.0 µs, not 1,210 µs."
    ]
    found = verdict.stretches(two, "write")
    assert found is not None
    assert found.places == [(10, 12), (50, 51)]
    assert found.share == pytest.approx(1.2e9 / (1.2e9 + 97e5))
    assert found.rest_ns == pytest.approx(10_000)
    alone = document([*([0] * 99), 10**9], [0] * 99 + [5])
    assert verdict.of_stretches({"x": alone}, MICROSECONDS)[0].endswith(
        "there are no other writes."
    )
    own = run("a", FAST, FAST, {"host": 1.0})
    alias = slcache.Result.made(own.to_dict(), "alias", ())
    both = slcache.Comparison([own, alias], normalise_to="alias")
    assert list(both.normalised["schemes"]) == ["a", "alias"]
    with pytest.raises(ValueError, match="twice"):
        slcache.Comparison([alias, alias])
    with pytest.raises(ValueError, match="normalise"):
        slcache.Comparison([alias], normalise_to="b")


@pytest.mark.parametrize(
    "sums",
    [
        # Even, few, scattered, and nothing at all.
        [100_000] * 100,
        [*([0] * 20), 10**9],
        [10**9 if i % 16 == 0 else 0 for i in range(100)],
        [None] * 100,
    ],
)
def test_what_is_no_stretch_is_not_told(sums: list[int | None]) -> None:
    of = document(sums, [1] * len(sums))
    assert (
        verdict.stretches(of, "write") is None
        or verdict.of_stretches({"x": of}, MICROSECONDS) == []
    )


def lognormal(seed: int, count: int, factor: float, sigma: float) -> tuple[list[float], ...]:
    """Pairs of seeds whose requests weigh on both, each with heavy tails of its own."""
    random = np.random.default_rng(seed)
    common = 2 * random.standard_normal(count)
    mine, other = (
        list(1e6 * times * np.exp(common + sigma * random.standard_normal(count)))
        for times in (factor, 1.0)
    )
    return mine, other


@pytest.mark.parametrize("count", [5, 10, 20])
def test_an_interval_covers_what_it_says(count: int) -> None:
    """The interval of 95 % holds the true factor in 93 to 97 of 100 tries."""
    tries = 1500
    covered = 0
    for seed in range(tries):
        found = paired(*lognormal(seed, count, 1.7, 1.5))
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 1.7 <= found.high
    assert 0.93 <= covered / tries <= 0.97


@pytest.mark.parametrize("count", [3, 5, 6, 8, 10, 20])
@pytest.mark.parametrize("tails", ["normal", "t3", "cauchy"])
def test_equals_are_seldom_told_apart(count: int, tails: str) -> None:
    """Student's t and the sign test together err in 1 of 20 tries, or hardly more."""
    random = np.random.default_rng(count)
    freedom = {"normal": 1e9, "t3": 3.0, "cauchy": 1.0}[tails]
    tries = 1500
    wrong = 0
    for _ in range(tries):
        mine = np.exp(np.clip(random.standard_t(freedom, count), -300, 300))
        wrong += told_apart([paired(list(mine), [1.0] * count)]) == [True]
    assert wrong / tries <= 0.065


def test_many_equals_are_judged_together() -> None:
    """That one of twenty schemes that are equal is told apart is as seldom as for a single one."""
    tries, schemes = 150, 20
    wrong = 0
    for seed in range(tries):
        found = [paired(*lognormal(schemes * seed + i, 8, 1.0, 1.0)) for i in range(schemes)]
        wrong += any(told_apart(found))
    assert wrong / tries <= 0.08


@pytest.mark.parametrize("seed", range(cases(60)))
def test_pairs_have_no_direction_and_no_unit(seed: int) -> None:
    random = np.random.default_rng(seed)
    count = int(random.integers(2, 12))
    mine, other = lognormal(seed, count, float(random.uniform(0.3, 3)), float(random.uniform(0, 2)))
    draws = bool(seed % 2)
    own = [mine[0] * 1.1, other[0]] if draws and seed % 4 == 1 else []
    one = paired(mine, other, draws=draws, own=own)
    back = paired(other, mine, draws=draws, own=own[::-1])
    assert (one.less, one.more) == (back.more, back.less)
    assert one.p == pytest.approx(back.p, rel=1e-6, abs=1e-12)
    for here, there in ((one.factor, back.factor), (one.low, back.high), (one.high, back.low)):
        assert here is not None
        assert there is not None
        assert here * there == pytest.approx(1)
    unit = float(random.uniform(1e-9, 1e9))
    mine_scaled, other_scaled, own_scaled = ([unit * v for v in of] for of in (mine, other, own))
    scaled = paired(mine_scaled, other_scaled, draws=draws, own=own_scaled)
    assert (scaled.less, scaled.more) == (one.less, one.more)
    assert scaled.factor == pytest.approx(one.factor)
    assert scaled.low == pytest.approx(one.low)
    # The counts are those of the data, and the order of seeds says nothing.
    assert one.less == sum(a < b for a, b in zip(mine, other, strict=True))
    assert one.more == count - one.less
    order = random.permutation(count)
    again = paired([mine[i] for i in order], [other[i] for i in order], draws=draws, own=own)
    assert again.factor == pytest.approx(one.factor)
    assert again.p == pytest.approx(one.p)


@pytest.mark.parametrize(("seeds", "sure"), [(4, False), (5, False), (6, True), (10, True)])
def test_seeds_that_all_agree_tell_from_six_on(seeds: int, sure: bool) -> None:
    """However much the sizes vary: 5 of 5 have p = 0.06, 6 of 6 have 0.03."""
    mine = [*[1.001] * (seeds - 1), 1e6]
    found = paired(mine, [1.0] * seeds)
    assert (found.less, found.more) == (0, seeds)
    assert found.p is not None
    assert found.p <= 2 * 0.5**seeds
    assert told_apart([found]) == [sure]
    assert ("not significant" in seeded.of_counts(seeds)) is not sure
    # Draws are of one recording: their count is no test.
    assert told_apart([paired(mine, [1.0] * seeds, draws=True)]) == [False]


def test_schemes_that_are_equal_are_told_together() -> None:
    """The best first: the least, or where that is better the most; of many how many more."""
    values = dict(zip(("base", *"abcdefg"), (10.0, 20, 20, 5, 5, 10, 30, 40), strict=True))
    noise = [1.0, 1.01, 0.99, 1.02, 1.0, 0.98]
    figures = {name: RepeatedFigure([value * n for n in noise]) for name, value in values.items()}
    title = "Writes"
    text = seeded.winner(title, figures, "base", figures)
    assert text == (
        "Writes: c has the lowest mean latency, 0.50× that of base, lower in 6 of 6; not told from "
        "it: d equal to c in all 6. Others: a and b 2.00× that of base, higher in 6 of 6; e equal "
        "to base in all 6; f 3.00× that of base, higher in 6 of 6; 1 more."
    )
    found = against(figures, "base")
    assert seeded.differing("IOPS", found, "base", most=True).startswith(
        "IOPS: g 4.00× that of base"
    )
    assert seeded.differing("WAF", found, "base").startswith("WAF: c and d 0.50× that of base")
    assert "; 1 not told apart." in seeded.differing("WAF", found, "base")
    # Ratios of 1.1 to 11.1 vary by nearly their mean: all are more than 1, which is no noise.
    ratios = [1.10, 1.15, 1.20, 1.20, 1.25, 1.30, 1.40, 1.50, 2.0, 11.1]
    wide = against({"slow": RepeatedFigure(ratios), "base": RepeatedFigure([1.0] * 10)}, "base")
    told = "IOPS: slow 1.64× [1.00, 2.69] that of base, higher in 10 of 10."
    assert seeded.differing("IOPS", wide, "base") == told


def test_the_verdict_tells_nothing_apart_that_the_table_does_not() -> None:
    """The best beside the reference is one difference, whomever the others are held against."""
    random = np.random.default_rng(5)
    for _ in range(60):
        base = np.exp(random.standard_normal(5))
        figures = {
            name: RepeatedFigure(
                list(base * np.exp(0.1 * random.standard_normal(5) - 0.1 * (name == "a")))
            )
            for name in "abcdefgh"
        }
        averages = {name: float(np.mean(each.known)) for name, each in figures.items()}
        best = min(averages, key=lambda name: averages[name])
        text = seeded.winner("Writes", figures, "h", figures)
        if best != "h" and against(figures, "h")[best].inside_noise:
            assert "lowest mean latency, " not in text
            assert "not told" in text


@pytest.mark.parametrize(
    ("mine", "other", "want"),
    [
        ([0.0, 0.0], [0.0, 0.0], Paired(pairs=2, less=0, more=0, p=1.0)),
        ([0.0, 0.0, 0.0], [4.0, 4.0, 4.0], Paired(pairs=3, less=3, more=0, p=0.0)),
        ([None, 2.0], [1.0, None], Paired(pairs=0, less=0, more=0)),
        ([None, 2.0], [1.0, 1.0], Paired(pairs=1, less=0, more=1, factor=2.0, mean=2.0)),
        ([-1.0, -1.0], [1.0, 1.0], Paired(pairs=2, less=2, more=0, p=0.0)),
        ([], [], Paired(pairs=0, less=0, more=0)),
    ],
)
def test_none_is_divided(mine: list[float | None], other: list[float | None], want: Paired) -> None:
    """Where a figure is 0 there is no factor, and the differences are judged."""
    assert paired(mine, other) == want
    assert told_apart([want]) == [None if want.p is None else want.p < 1 - LEVEL]
    assert seeded.counted(want).startswith("of which there is nothing") is (want.pairs == 0)
    for size in (1e-300, 1e300):
        found = paired([size, 2 * size, 1.0], [1.0, 1.0, 1.0])
        assert all(v is None or math.isfinite(v) for v in (found.low, found.high, found.p))


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 10, 99, 999])
def test_students_quantile_is_that_of_a_library(freedom: int) -> None:
    assert quantile(freedom) == pytest.approx(
        scipy.special.stdtrit(freedom, 0.5 + LEVEL / 2), rel=1e-12
    )
