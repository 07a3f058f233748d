"""Draws of a recording: the stationary bootstrap in comparisons and studies, and its intervals."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

import slcache
from slcache.metrics import named
from slcache.results import intervals
from slcache.results import means as told_of
from slcache.results.intervals import Figure
from slcache.results.seeded import SeededComparison
from slcache.study import show
from slcache.tables.grid import Column
from support import mixed, write_trace
from support import slcache as command

SCHEMES = ["tlc-only", "baseline"]
HOW: dict[str, Any] = {"device": "tiny", "schemes": SCHEMES, "address": "wrap"}
DRAWS = 5


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("draws") / "r.csv", mixed(400, write_share=0.6))


@pytest.fixture(scope="module")
def drawn(recording: Path) -> SeededComparison:
    found = slcache.compare(recording, **HOW, resample=DRAWS)
    assert isinstance(found, SeededComparison)
    return found


def test_every_draw_is_a_run_that_anybody_can_repeat(
    recording: Path, drawn: SeededComparison
) -> None:
    assert drawn.seeds == [1, 2, 3, 4, 5]
    for number, each in enumerate(drawn.comparisons, 1):
        one, other = each.documents
        assert one["trace"]["options"]["resample"] == str(number)
        assert one["trace"] == other["trace"]
        how: dict[str, Any] = {"seed": number, "trace_options": {"resample": str(number)}}
        alone = slcache.run(recording, **{**HOW, "schemes": "baseline"}, **how)
        assert alone.documents[0]["host"] == other["host"]
    means = drawn.figure("baseline", "write_mean_ns").known
    assert len(set(means)) == DRAWS


def test_an_interval_is_that_of_one_recording(recording: Path, drawn: SeededComparison) -> None:
    """It lies around the recording's own figure, as wide as draws lie apart."""
    figure = drawn.figure("baseline", "write_mean_ns")
    mean = sum(figure.known) / DRAWS
    deviation = math.sqrt(sum((value - mean) ** 2 for value in figure.known) / (DRAWS - 1))
    half = stats.t.ppf(0.975, DRAWS - 1) * deviation
    alone = slcache.run(recording, device="tiny", scheme="baseline", address="wrap").documents[0]
    own = named("write_mean_ns").value(alone)
    found = figure.estimate
    assert found is not None
    assert found.own == own
    assert found.mean == pytest.approx(mean)
    assert found.half == pytest.approx(half)
    told = figure.to_dict()
    assert (told["recording"], told["low"]) == (own, pytest.approx(own - half))
    assert drawn.recording is not None
    assert drawn.documents[1]["host"] == alone["host"]


def test_more_draws_do_not_narrow_an_interval_as_more_seeds_do() -> None:
    few, many = [1.0, 3.0], [1.0, 3.0] * 50
    as_draws, as_seeds = intervals.estimate(many, draws=True), intervals.estimate(many)
    assert as_draws.half is not None
    assert as_seeds.half is not None
    assert as_draws.half == pytest.approx(10 * as_seeds.half)
    more = [1.1, 2.9] * 50
    assert intervals.told_apart([intervals.paired(more, few * 50)]) == [True]
    assert intervals.told_apart([intervals.paired(more, few * 50, draws=True)]) == [False]


@pytest.mark.parametrize("own", [587.0, 577.0])
def test_draws_that_lie_off_the_recording_are_told(own: float) -> None:
    values = [577.0, 575.5, 578.2, 576.1, 579.0, 577.7]
    found = Figure([1e3 * v for v in values], True, 1e3 * own)
    column = Column("write mean", "write_mean_ns")
    lines = told_of.off([column], {column.metric: {"baseline": found}})
    assert bool(lines) is (own == 587.0)
    for line in lines:
        assert "write mean of baseline, 587 µs against 577 µs [574 µs, 581 µs]" in line
        assert "--resample-block" in line
    estimate = found.estimate
    assert ("!" in told_of.drawn(column.show, estimate, None)) is (own == 587.0)


def test_it_is_said_what_repeats_a_comparison(drawn: SeededComparison, tmp_path: Path) -> None:
    told = drawn.summary()
    assert "The recording's own figures" in told
    assert "means over draws 1 to 5" in " ".join(told.split())
    assert drawn.to_dict()["seeds"]["method"].startswith("the recording's own figure")
    drawn.save(tmp_path / "out")
    again = slcache.load(tmp_path / "out")
    assert isinstance(again, SeededComparison)
    assert again.draws
    assert again.summary() == told
    page = drawn.report()
    for row in drawn.seed_rows():
        for cell in row.cells:
            assert "".join(cell.marked.split()) in "".join(page.split())


def test_draws_are_compared_repeated_and_told_from_the_recording(
    drawn: SeededComparison, tmp_path: Path
) -> None:
    drawn.save(tmp_path / "out")
    found = slcache.rerun(tmp_path / "out")
    assert found.equal
    marks = ["recording", *(f"seed {number}" for number in range(1, DRAWS + 1))]
    assert [run.labels[0] for run in found.difference.runs] == [
        f"{name} ({mark})" for mark in marks for name in SCHEMES
    ]
    older = SeededComparison(drawn.comparisons)
    assert (older.draws, older.recording) == (True, None)
    assert len(older.seed_rows()) == len(drawn.seed_rows()) / 2


def test_a_study_knows_draws_from_seeds(recording: Path) -> None:
    asked: dict[str, Any] = {"device": "tiny", "settings": {"trace.address": "wrap"}}
    asked["scheme"] = SCHEMES
    how: dict[str, Any] = {"resample": 4, "resample_block": "20ms"}
    found = slcache.sweep(recording, **asked, **how)
    assert found.table["draw"].to_list() == [1, 2, 3, 4] * 2
    spreads = found.analysis(["write_mean_ns"]).judged[0].spreads["write_mean_ns"]
    for each, estimate in zip(spreads.configurations, spreads.estimates, strict=True):
        assert estimate == intervals.estimate(each.values("write_mean_ns"), draws=True)
    analysis = found.analysis(["write_mean_ns"])
    told = " ".join(show.seeds(analysis, analysis.judged[0]))
    assert "draw" in told
    assert "seed" not in told
    seeds = slcache.sweep(recording, **asked, seeds=2)
    assert seeds.table["draw"].to_list() == [None] * 4
    again = slcache.compare(recording, **HOW, **how)
    assert isinstance(again, SeededComparison)
    assert again.figure("baseline", "waf").known == found.table["waf"].to_list()[4:]


def test_what_means_nothing_is_refused(recording: Path, tmp_path: Path) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"resample": 1}, "resample = 1: must be between 2 and 100,000"),
        ({"resample": 3, "seeds": 2}, "resample = 3: every draw has a seed of its own"),
        ({"resample_block": "2s"}, "resample_block = 2s: is the length of a draw's stretches"),
        ({"resample": 3, "resample_block": "2"}, "resample_block: '2' is not a time"),
        ({"resample": 3, "resample_block": "1h"}, 'resample_block_ns: "3600000000000"'),
    ]
    for said, told in cases:
        with pytest.raises(slcache.Error, match="resample") as caught:
            slcache.compare(recording, **HOW, **said)
        assert told in str(caught.value)
    with pytest.raises(slcache.UsageError, match="a workload is drawn anew by seeds"):
        slcache.compare("hierarchy-web_0", device="tiny", schemes=SCHEMES, resample=3)
    still = write_trace(tmp_path / "still.csv", mixed(2, write_share=1.0)[:1])
    with pytest.raises(slcache.Error, match="with requests at two times or more"):
        slcache.compare(still, **HOW, resample=2)


@pytest.mark.parametrize("key", ["resample", "resample_block_ns"])
def test_no_draw_is_said_twice(key: str, recording: Path) -> None:
    how: dict[str, Any] = {"device": "tiny", "scheme": SCHEMES, "resample": 3}
    how["resample_block"] = "20ms"
    twice: dict[str, Any] = {"trace_options": {key: "2000000"}}
    vary = {"vary": {"host.queue_depth": [1, 2]}}
    for function, more in (
        (slcache.compare, twice),
        *((study, {**vary, **twice}) for study in (slcache.sweep, slcache.tune)),
        (slcache.sweep, {"vary": {f"reader.{key}": [2_000_000, 3_000_000]}}),
    ):
        with pytest.raises(slcache.UsageError, match=f"the reader's option {key} of every draw"):
            function(recording, **how, **more)


@pytest.mark.parametrize("verb", ["compare", "tune", "bisection"])
def test_seeds_of_a_recording_of_which_nothing_is_drawn_are_refused(
    verb: str, recording: Path
) -> None:
    """In every verb by the same words; where a corner of the space draws, seeds may be."""

    def asked(key: str, values: str, settings: dict[str, float]) -> None:
        how: dict[str, Any] = {"device": "tiny", "seeds": 2, "scheme": "baseline"}
        how["settings"] = {"trace.address": "wrap", **settings}
        if verb == "compare":
            slcache.compare(recording, **how)
            return
        more = {"points": 2} if verb == "tune" else {"least": key, "such_that": "waf<=99"}
        slcache.tune(recording, vary={key: values}, **how, **more)

    sizes = ("scheme.baseline.slc_blocks", "3..4")
    with pytest.raises(slcache.UsageError, match="seeds = 2: the trace is a recording, and nothi"):
        asked(*sizes, {})
    asked(*sizes, {"precondition.fill": 0.5, "precondition.overwrite": 0.1})
    if verb != "compare":
        asked("precondition.overwrite", "0..0.1/2", {"precondition.fill": 0.5})


HOT = """about = "random reads and writes, most of them to a tenth"
footprint_bytes = "3MiB"
[global]
rw = "randrw"
rwmixread = 40
bs = "4k"
random_distribution = "hotcold:90/10"
[arrivals]
process = "poisson"
rate_iops = 500
"""
WORKLOADS = ["mixed-oltp", "zipf-4k", "hot.toml"]
METRICS = ["read_mean_ns", "write_mean_ns", "waf"]
HELD: dict[str, Any] = {
    "device": "tiny",
    "schemes": ["baseline"],
    "address": "wrap",
    "replay": "closed:4",
    "settings": {"run.bound": False},
}


def true_means(workload: str, options: dict[str, str], seeds: int) -> dict[str, float]:
    found = slcache.compare(workload, seed=1000, seeds=seeds, trace_options=options, **HELD)
    assert isinstance(found, SeededComparison)
    estimates = {metric: found.figure("baseline", metric).estimate for metric in METRICS}
    return {metric: each.mean for metric, each in estimates.items() if each is not None}


def figures(workload: str, requests: int, seed: int, draws: int, folder: Path) -> dict[str, Figure]:
    """Take one seed's requests for a recording, and draw it anew."""
    trace = folder / f"{seed}.parquet"
    size = f"requests={requests}"
    done = command(
        *("trace", "generate", workload, "-o", trace, "--seed", str(seed), "--workload", size)
    )
    assert done.returncode == 0, done.stderr
    found = slcache.compare(trace, resample=draws, **HELD)
    assert isinstance(found, SeededComparison)
    return {metric: found.figure("baseline", metric) for metric in METRICS}


def covered(
    workload: str, requests: int, recordings: int, draws: int, folder: Path
) -> list[dict[str, float]]:
    """Return in which share of recordings an interval holds the truth, and one of draws alone."""
    (folder / "hot.toml").write_text(HOT)
    workload = str(folder / workload) if workload.endswith(".toml") else workload
    truth = true_means(workload, {"workload.requests": str(requests)}, 3 * recordings)
    every = [figures(workload, requests, seed, draws, folder) for seed in range(1, recordings + 1)]
    alone = [{m: Figure(each[m].values, True) for m in METRICS} for each in every]

    def holds(figure: Figure, metric: str) -> bool:
        found = figure.to_dict()
        return bool(found["low"] <= truth[metric] <= found["high"])

    return [
        {m: sum(holds(each[m], m) for each in found) / recordings for m in METRICS}
        for found in (every, alone)
    ]


def test_an_interval_holds_the_truth_in_most_recordings(tmp_path: Path) -> None:
    """Of eight recordings of each workload; around the mean of draws it holds that of few."""
    found = [covered(name, 1500, 8, 5, tmp_path) for name in WORKLOADS]
    own, before = ([s for each in found for s in each[i].values()] for i in (0, 1))
    assert sum(own) / len(own) >= 0.85
    assert min(own) >= 0.6
    # What joints do to writes is more than draws tell of themselves.
    assert min(before) <= 0.4
    assert sum(own) > sum(before) + 1


@pytest.mark.slow
@pytest.mark.parametrize("workload", WORKLOADS)
def test_long_recordings_are_covered_as_well(workload: str, tmp_path: Path) -> None:
    own, _ = covered(workload, 3000, 40, 20, tmp_path)
    assert sum(own.values()) / len(own) >= 0.85
    # Nominal is 0.95: writes of zipf-4k are held in 33 of 40.
    assert min(own.values()) >= 0.75
