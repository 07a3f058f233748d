"""Published latencies beside those of presets: the data, the loads, the states and the verdicts."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from hidden_drives import SMALL, small
from slcache.drives import latency, published, trials
from slcache.drives.fills import SCHEME
from slcache.drives.published import Trial
from slcache.execute.engine import Engine
from slcache.words.names import leaves

TRIALS = {trial.name: trial for trial in published.trials()}
PERCENTILES = ("p50", "p90", "p95", "p99", "p99_9", "p99_99", "max")
#: What a microsecond, a request a second, and 10^6 bytes a second of a drive may be.
RANGES = {"iops": (100, 2e6), "mb_s": (1, 15_000), "gb": (0.1, 1000)}
LATENCY_US = (1, 200_000)


@pytest.mark.parametrize("trial", TRIALS.values(), ids=TRIALS)
def test_a_test_has_figures_in_their_range_and_a_source(trial: Trial) -> None:
    source = published.sources()[trial.source]
    assert source["url"].startswith(("https://", "http://"))
    assert source["name"]
    assert source.get("licence", "MIT") in ("MIT", "CC-BY-4.0")
    assert trial.figures
    assert trial.size in (4096, 8192, 128 << 10, 1 << 20)
    for side in trial.figures.values():
        for name, value in side.items():
            low, high = RANGES.get(name, LATENCY_US)
            assert low <= value <= high, (name, value)
        ordered = [side[name] for name in PERCENTILES if name in side]
        assert ordered == sorted(ordered)
        if {"iops", "mb_s"} <= side.keys():
            assert side["mb_s"] == pytest.approx(side["iops"] * trial.size / 1e6, rel=0.01)
    if latency.unsimulated(trial) is None:
        assert trial.state is not None
        assert trial.kind in published.KINDS


def test_the_time_of_a_host_is_that_of_the_tests_to_calibrate_by() -> None:
    for name, source in published.sources().items():
        spare = [
            trial.depths[0] * 1e6 / side["iops"] - side["mean"]
            for trial in TRIALS.values()
            if (trial.source, trial.use) == (name, "calibrate")
            for side in trial.figures.values()
            if {"iops", "mean", "p50"} <= side.keys()
        ]
        if spare and name != "kyber":
            assert source["host_us"] == pytest.approx(sum(spare) / len(spare), abs=0.06)


def test_no_test_is_dropped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every trial has the same result here: one request of a microsecond on each side."""
    waits = dict.fromkeys(("p50", "p99", "p99_9", "mean"), 1.0)
    sides = {key: {"requests": 1, "latency_us": waits} for key in ("read", "write", "flush")}
    document = {"host": {**sides, "duration_ns": 1}}
    monkeypatch.setattr(Engine, "results", lambda _, runs: [document for _ in runs])
    with Engine(tmp_path) as engine:
        found = latency.make(engine)
    assert len(published.trials()) == len(TRIALS) == 88
    judged = {figure.trial for figure in found.judged}
    assert judged | found.unjudged.keys() == TRIALS.keys()
    assert not judged & found.unjudged.keys()
    assert all(found.unjudged.values())
    simulated = {trial.name for trial in TRIALS.values() if latency.unsimulated(trial) is None}
    assert {figure.trial for figure in found.figures} == simulated
    assert all(figure.reason for figure in found.figures if not figure.holds)
    assert all(figure.source.startswith("http") for figure in found.figures)


def test_figures_are_counted_by_use_and_kind_of_figure() -> None:
    figures = [
        latency.Judged("t", "d", "flush", "sync", name, "us", 1, 1, use, 1, verdict, "", "")
        for name, use, verdict in (
            ("p50", "held-out", published.REPRODUCED),
            ("dsync_mean", "held-out", published.FAILED),
            ("iops", "calibrate", published.REPRODUCED),
            ("p99", "context", published.SHOWN),
        )
    ]
    assert latency.Latency(tuple(figures), {}, {}, {}).counts() == {
        "held-out": {"p50": {"reproduced": 1, "judged": 2}},
        "calibrate": {"iops": {"reproduced": 1, "judged": 1}},
    }


def test_reasons_are_of_trials_and_kinds_that_there_are() -> None:
    names = TRIALS.keys() | {trial.drive.name for trial in TRIALS.values()}
    places = [place.partition(": ") for place in published.reasons("latency")]
    assert {name for name, _, _ in places} <= names
    assert {figure for _, _, figure in places} <= {"", *latency.NEAR}
    kinds = {f"{trial.kind}, {side}" for trial in TRIALS.values() for side in trial.figures}
    assert {of.rpartition(", ")[0] for of in published.reasons("kind")} <= kinds
    assert {of.rpartition(", ")[2] for of in published.reasons("kind")} == {"above", "below"}


@pytest.mark.parametrize(
    ("figure", "low", "high"),
    [
        ("p50", 0.75, 1.25),
        ("mean", 0.75, 1.25),
        ("iops", 0.75, 1.25),
        ("p99", 1 / 1.5, 1.5),
        ("p99_9", 0.5, 2),
    ],
)
def test_a_figure_holds_up_to_its_tolerance(figure: str, low: float, high: float) -> None:
    assert (
        latency.verdict_of(figure, low) == latency.verdict_of(figure, high) == published.REPRODUCED
    )
    for beyond in (low * 0.999, high * 1.001, None):
        assert latency.verdict_of(figure, beyond) == published.FAILED


READ_NS, WRITE_NS, FLUSH_NS, DENSE_READ_NS, PS = 7_000, 11_000, 300_000, 50_000, 833


def timed() -> dict[str, Any]:
    """Return the small device with times of its own, a wider buffer and no host link."""
    device = small()
    del device["host"]
    pool = device["device"]["pool"][0] | {"chips": 2, "planes": 2}
    device["device"] |= {
        "plp": False,
        "controller": {"read_ns": READ_NS, "write_ns": WRITE_NS, "flush_ns": FLUSH_NS},
        "pool": [pool],
    }
    del device["device"]["mu_bytes"]
    device["scheme-defaults"][SCHEME] = {**SMALL, "fold": {"keep_blocks": 4, "parallel": 8}}
    device["buffer"]["stripe_planes"] = 4
    return device


def ours(trial: Trial, device: dict[str, Any]) -> dict[tuple[str, str], float | None]:
    """Return what is found for a trial on a device, by side and figure."""
    planned = trials.plan(trial, device)
    with Engine(None) as engine:
        documents = engine.results(planned.runs)
    return {(f.side, f.figure): f.ours for f in latency.judged(trial, documents)}


def shortened(name: str, **changed: Any) -> Trial:  # noqa: ANN401
    """Return a trial over 64 MiB that lasts 20 ms, without time of its host."""
    of = {"span_bytes": 64 << 20, "seconds": 0.02, "host_us": 0.0, "closed": False, **changed}
    return dataclasses.replace(TRIALS[name], **of)


def test_a_write_takes_the_controller_and_a_read_the_cells_and_the_channel_too() -> None:
    found = ours(shortened("pm981a-512-mix0-q1"), timed())
    assert found["write", "p50"] == WRITE_NS / 1e3
    assert found["write", "iops"] == pytest.approx(1e9 / WRITE_NS, rel=0.01)
    # The host takes its time between requests, and in none.
    found = ours(shortened("pm981a-512-mix0-q1", host_us=2.7), timed())
    assert found["write", "p50"] == WRITE_NS / 1e3
    assert found["write", "iops"] == pytest.approx(1e9 / (WRITE_NS + 2700), rel=0.01)
    found = ours(shortened("pm981a-512-mix100-q1"), timed())
    # Percentiles are exact to a thousandth.
    expected = READ_NS + DENSE_READ_NS + 4096 * PS / 1000
    assert found["read", "p50"] == pytest.approx(expected / 1e3, rel=0.002)
    assert found["read", "iops"] == pytest.approx(1e9 / expected, rel=0.01)


def test_a_write_and_its_flush_are_told_together_where_they_are_printed_so() -> None:
    found = ours(shortened("e970-plain-dsync-fdatasync", span_bytes=8 << 20), timed())
    program_ns = 16384 * PS / 1000 + 200_000
    together = (WRITE_NS + FLUSH_NS + program_ns) / 1e3
    assert found["sync", "fdatasync_mean"] == pytest.approx(together, rel=0.05)
    assert found["sync", "dsync_mean"] == found["sync", "fdatasync_mean"]
    assert found["write", "iops"] == pytest.approx(1e9 / WRITE_NS, rel=0.01)


def test_half_a_drive_has_half_the_planes_and_the_same_controller() -> None:
    half, whole = (
        trials.device(dataclasses.replace(TRIALS["pm981a-256-rr-q1"].drive, planes=planes))
        for planes in (Fraction(1, 2), Fraction(1))
    )
    pools = half["device"]["pool"][0], whole["device"]["pool"][0]
    assert pools[0]["chips"] * 2 == pools[1]["chips"]
    assert {**pools[0], "chips": 0} == {**pools[1], "chips": 0}
    for key in ("controller", "mu_bytes", "plp"):
        assert half["device"].get(key) == whole["device"].get(key)
    sizes = [2 * half["device"]["user_bytes"], whole["device"]["user_bytes"]]
    assert sizes[0] == pytest.approx(sizes[1], rel=1e-3)
    clients = half["scheme-defaults"][SCHEME], whole["scheme-defaults"][SCHEME]
    for table in ("dense", "fold"):
        assert clients[0][table]["parallel"] == clients[1][table]["parallel"] // 2
    assert clients[0]["dynamic"]["table"][0][1] == clients[1]["dynamic"]["table"][0][1] // 2
    # The maker prints one size of the static region for both: twice the blocks of half the planes.
    assert clients[0]["static_blocks"] == 2 * clients[1]["static_blocks"]


def test_a_closed_cache_takes_nothing_and_a_full_state_is_written_in_order() -> None:
    device, found = trials.device(TRIALS["pm981a-256-mix0-q32"].drive), {}
    for closed in (False, "dynamic", True):
        (run,) = trials.plan(shortened("pm981a-256-mix0-q32", closed=closed), device).runs
        client = run.config["scheme"]["client"]
        found[closed] = client["static_blocks"], client["dynamic"]["rule"]
    # A closed dynamic part leaves the static region.
    blocks = device["scheme-defaults"][SCHEME]["static_blocks"]
    assert blocks > 0
    assert found == {False: (blocks, "table"), "dynamic": (blocks, "none"), True: (0, "none")}
    trial = shortened("pm981a-512-mix0-q1", closed=True, state="full=0.5")
    planned = trials.plan(trial, timed())
    assert planned.runs[0].settings["precondition.fill"] == 0.5
    assert planned.runs[0].settings["precondition.overwrite"] == 0.0
    with Engine(None) as engine:
        (document,) = engine.results(planned.runs)
    assert document["state"]["cache"]["peak_bytes"] == 0
    assert document["state"]["full_share"] == pytest.approx(0.5, rel=0.01)


def test_a_test_over_much_is_run_on_a_part_and_a_long_one_is_cut() -> None:
    whole = trials.device(TRIALS["sn530-rw-q8"].drive)
    planned = trials.plan(TRIALS["sn530-rw-q8"], whole)
    load = json.loads(planned.runs[0].trace[1:])
    assert load["footprint_bytes"] == (16 << 30) // trials.PART
    assert load["requests"] == int(102_668 * 120 / trials.PART)
    assert planned.runs[0].replay == "closed:8"
    trial = TRIALS["pm981a-256-sw128-q1"]
    planned = trials.plan(trial, trials.device(trial.drive))
    load = json.loads(planned.runs[0].trace[1:])
    most = trials.MOST_UNITS * trials.UNIT // (128 << 10)
    assert load == {"requests": most, "footprint_bytes": 8 << 30,
                    "global": {"rw": "write", "bs": "131072"}}  # fmt: skip
    assert planned.share == pytest.approx(most / (13_607 * 30))


def test_a_reader_beside_writers_is_a_probe_of_its_own_stream() -> None:
    (name, load, depth), *rest = trials.loads(TRIALS["980pro-l1-t1x128"], 1000)
    # Eight drives share 128 writers.
    assert (name, depth, rest) == ("probe", 16, [])
    weights = {stream["stream"]: stream["weight"] for stream in load["stream"]}
    assert weights == {0: 1, 1: trials.WRITES_OF_PROBE}


def test_all_writers_beside_a_reader_have_a_request_outstanding() -> None:
    trial = shortened("980pro-r1-w256", seconds=0.2)
    with Engine(None) as engine:
        (document,) = engine.results(trials.plan(trial, timed()).runs)
    write = document["host"]["write"]
    outstanding = (
        write["requests"] * write["latency_us"]["mean"] * 1e3 / document["host"]["duration_ns"]
    )
    assert 0.9 * 256 < outstanding <= 256


def test_each_mechanism_is_taken_out_alone() -> None:
    device = timed()
    device["device"]["map"] = {"cache_bytes": 1 << 20}
    device["device"]["pool"][0]["tlc"]["read_ns"] = [40_000, 60_000]
    device["device"]["pool"][0]["page_bytes"] = 2 * trials.PAGE_BYTES
    device["device"]["pool"][0]["tlc"]["program_variation"] = 0.1
    for mode in ("slc", "tlc"):
        device["device"]["pool"][0][mode]["endurance_cycles"] = 1_000
    device["scheme-defaults"][SCHEME]["dense"] = {"parallel": 4, "clean_ahead": True}
    device["scheme-defaults"][SCHEME]["placement"] = "striped"
    device["device"]["controller"]["jitter_ns"] = 1_000
    before = json.dumps(device)

    def flat(content: dict[str, Any]) -> set[tuple[str, str]]:
        return {(name, json.dumps(value)) for name, value in leaves(content)}

    client, pool, start = "scheme-defaults.client", "device.pool[0]", "device.cells.start"
    both = [(mode, key) for mode in ("slc", "tlc") for key in ("cycles", "days")]
    expected: dict[str, set[str]] = {
        "cells that never err": set(),
        "cells and data that are new": {f"{start}.{mode}.{key}" for mode, key in both},
        "controller": {
            f"device.controller.{key}_ns" for key in ("read", "write", "flush", "jitter")
        },
        "jitter of commands": {"device.controller.jitter_ns"},
        "stripes": {f"{client}.placement"},
        "page types": {f"{pool}.tlc.read_ns"},
        "planes of a die as one": {
            *(f"{pool}.planes", f"{pool}.page_bytes"),
            *(f"{client}.dense.parallel", f"{client}.fold.parallel"),
        },
        "variation of programs": {f"{pool}.tlc.program_variation"},
        "cleaning ahead": {f"{client}.dense.clean_ahead"},
        "map cache": {"device.map.cache_bytes"},
    }
    assert trials.MECHANISMS.keys() == expected.keys()
    for name, off in trials.MECHANISMS.items():
        gone = flat(json.loads(before)) ^ flat(off(json.loads(before)))
        assert {key for key, _ in gone} == expected[name], name
