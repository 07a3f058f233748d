"""`fit`: phases and latencies become a device, and what cannot be known is not told."""

from __future__ import annotations

import copy
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import example_logs
import fio_documents
from example_logs import DRIVE
from hidden_drives import (
    KINDS,
    THREE,
    Drive,
    Parts,
    a_log,
    drive,
    emptied,
    filled,
    fio_log,
    waits,
    windows,
)
from slcache import fit
from slcache.errors import TraceError
from slcache.fit import simulation
from slcache.fit.device import FillKind

pytestmark = pytest.mark.long


def test_a_log_that_is_too_noisy_ends_in_words(tmp_path: Path) -> None:
    written = windows(THREE)
    written *= np.exp(1.2 * np.random.default_rng(5).standard_normal(len(written)))
    path = tmp_path / "one.log"
    path.write_text(fio_log(written / written.sum() * 1e12, 500, 1, 0.0))
    with pytest.raises(TraceError, match=r"too noisy: \d+ of 200 resamples .*not identifiable"):
        fit.fill(path, 1_000_000_000_000)


def fitted(path: Path, bits: int, user_bytes: int) -> fit.Fitted:
    """Return the fit of a log."""
    return fit.fitted(*fit.fill(path, user_bytes), bits, user_bytes)


def not_known(found: fit.Fitted) -> set[str]:
    """Return what a log does not tell."""
    return {key for key, each in found.values.items() if "not identifiable" in each.mark}


PROGRAMS = {"slc.program_ns", "dense.program_ns", "fold.program_ns"}


@pytest.mark.parametrize("bits", [3, 4])
def test_three_phases_give_every_parameter_with_its_interval(tmp_path: Path, bits: int) -> None:
    found = fitted(a_log(tmp_path, THREE), bits, 1_000_000_000_000)
    assert found.found.cache == pytest.approx(110e9, rel=0.02)
    assert found.found.usable == pytest.approx(790e9 + (bits - 1) * 110e9, rel=0.02)
    # Any number of planes with as much faster programs has the same log.
    assert not_known(found) == PROGRAMS
    for key in ("cache", "usable", "slc speed", "dense speed", "fold speed"):
        ((low, high),) = found.values[key].ranges
        assert 0.9 * high < low <= found.values[key].value * 1.005, key
        assert found.values[key].value * 0.995 <= high, key
        assert found.values[key].mark == "fitted"
    for key in PROGRAMS:
        assert found.values[key].ranges == ()
    assert tomllib.loads(found.text)["device"]["user_bytes"] == pytest.approx(1e12, abs=16384)


@pytest.mark.parametrize(
    ("parts", "reading", "unknown"),
    [
        ([(2.1, 3000.0), (6.0, 500.0)], FillKind.whole, set()),
        ([(0.3, 2000.0), (6.0, 500.0)], FillKind.direct, {"usable"}),
    ],
)
def test_two_speeds_say_what_they_do_not_tell_and_still_give_the_log_again(
    tmp_path: Path, parts: Parts, reading: FillKind, unknown: set[str]
) -> None:
    path = a_log(tmp_path, parts, ms=8)
    found = fitted(path, 3, 6_000_000_000)
    assert found.found.reading == reading
    assert not_known(found) == unknown | PROGRAMS
    (first, fast), (last, slow) = parts
    seconds = first / fast + (last - first) / slow
    shown = fit.judge(found, *fit.fill(path, 6_000_000_000)[:2])
    assert shown.curve.average_gb_s * 1e3 == pytest.approx(last / seconds, rel=0.05)
    assert shown.off == []


def logged(hidden: Drive, seed: int, folder: Path) -> tuple[Path, float]:
    """Return the log of a drive's fill, and its average speed."""
    written, average = filled(hidden.device, hidden.user_bytes, hidden.window_ms)
    path = folder / f"{seed}.log"
    path.write_text(fio_log(written, hidden.window_ms, seed))
    return path, average


def refilled(hidden: Drive, found: fit.Fitted, folder: Path) -> float:
    """Return the average speed of the device that was fitted."""
    device = folder / "fitted.toml"
    device.write_text(found.text)
    return filled(device, hidden.user_bytes, hidden.window_ms)[1]


def near(got: dict[str, float], truth: dict[str, float]) -> None:
    """Assert that all quantities are within a twentieth."""
    off = {key: got[key] / value - 1 for key, value in truth.items()}
    assert {key: error for key, error in off.items() if abs(error) > 0.05} == {}


#: Drives of a kind; the first twenty have their size.
DRIVES = 60
#: Seeds of drives, and the scale of their blocks. One that stands still while it folds is tried
#: always, `make slow` tries all.
HIDDEN = [
    (24, 0.5),
    *(
        pytest.param(seed, 1.0 if seed < 20 else 0.5, marks=pytest.mark.slow)
        for seed in range(DRIVES)
        if seed != 24
    ),
]


@pytest.mark.parametrize(("seed", "scale"), HIDDEN)
def test_a_hidden_drive_is_found(tmp_path: Path, seed: int, scale: float) -> None:
    hidden = drive(seed, scale)
    path, average = logged(hidden, seed, tmp_path)
    read, shown, again = fit.fill(path, hidden.user_bytes)
    found = fit.fitted(read, shown, again, hidden.bits, hidden.user_bytes)
    assert found.found.reading == FillKind.three
    speeds = {f"v{i}": p.mean_mb_per_s * 1e6 for i, p in enumerate(shown.phases, 1)}
    got = {"cap": found.found.cache, "N'": found.found.usable, **speeds}
    truth = {f"v{i}": speed for i, speed in enumerate(hidden.speeds, 1)}
    truth |= {"cap": hidden.cache, "N'": hidden.usable, "average": average}
    near({**got, "average": refilled(hidden, found, tmp_path)}, truth)


@pytest.mark.few(DRIVES)
@pytest.mark.parametrize("seed", range(DRIVES))
def test_a_drive_that_empties_its_cache_meanwhile_is_found(tmp_path: Path, seed: int) -> None:
    hidden, ratio, meanwhile = emptied(seed)
    path, average = logged(hidden, seed, tmp_path)
    found = fitted(path, hidden.bits, hidden.user_bytes)
    assert found.found.reading == FillKind.emptied
    assert not_known(found) == PROGRAMS | {"usable"}
    got = {"cap": found.found.cache, "busy": found.values["busy"].value, "v1": found.found.slc}
    truth = {"cap": hidden.cache, "busy": ratio, "v1": hidden.speeds[0], "v2": meanwhile}
    got |= {"v2": float(found.found.dense or 0), "average": refilled(hidden, found, tmp_path)}
    near(got, truth | {"average": average})


def timed(seed: int) -> tuple[Drive, list[float]]:
    """Return a drive whose times only the seed knows, and those of its dense reads."""
    random, found = np.random.default_rng(500 + seed), drive(seed, 0.5)
    pool = found.device["device"]["pool"][0]
    mode = "tlc" if "tlc" in pool else "qlc"
    pool["bus"] = {"ps_per_byte": int(random.choice([500, 625, 833]))}
    read = float(random.uniform(40e3, 120e3))
    kinds = np.linspace(0.7, 1.3, found.bits) if random.random() < 0.5 else np.ones(1)
    pool[mode]["read_ns"] = [round(read * each) for each in kinds]
    found.device["buffer"]["write_back"] = "at-once"
    own = {f"{op}_ns": int(random.uniform(4e3, 20e3)) for op in ("read", "write")}
    found.device["device"] |= {"mu_bytes": 4096, "plp": False, "controller": own}
    return found, pool[mode]["read_ns"]


@pytest.mark.parametrize(
    "seed", [7, *(pytest.param(n, marks=pytest.mark.slow) for n in range(DRIVES + 1) if n != 7)]
)
def test_times_and_planes_of_a_hidden_drive_are_found(tmp_path: Path, seed: int) -> None:
    hidden, reads = timed(seed)
    path, _ = logged(hidden, seed, tmp_path)
    logs = [tmp_path / f"{kind}_lat.log" for kind in KINDS]
    for log, kind in zip(logs, KINDS, strict=True):
        log.write_text(waits(hidden.device, kind, seed))
    tests = fit.tests_of(logs)
    fill = fit.fill(path, hidden.user_bytes)
    told = fit.fitted(*fill, hidden.bits, hidden.user_bytes, None, tests)
    given, pool = told.given.told, hidden.device["device"]["pool"][0]
    own, mode = hidden.device["device"]["controller"], "tlc" if "tlc" in pool else "qlc"
    assert len(given["read_ns"].values) == len(reads)
    truth = {f"read {i}": float(ns) for i, ns in enumerate(reads)}
    got = {f"read {i}": ns for i, ns in enumerate(given["read_ns"].values)}
    of = {"planes": pool["channels"] * pool["planes"], "host.turnaround_ns": 7_000}
    of |= {f"controller.{key}": ns for key, ns in own.items()}
    got |= {key: given[key].values[0] for key in of}
    programs = {"slc": pool["slc"]["program_ns"][0], "dense": pool[mode]["program_ns"][0]}
    got |= {key: told.values[f"{key}.program_ns"].value for key in programs}
    assert not_known(told) & {f"{key}.program_ns" for key in programs} == set()
    near(got, truth | of | programs)
    # The tail of a log is its own; without it the device is as near as published figures must be.
    far = [(t.title, r) for t, rows in fit.near(told, tests) for r in rows if not r.holds]
    assert [place for place in far if place[1].figure != "p99_9"] == []


#: Drives beside the one of the examples: what is changed, and what a fit is to find by key.
CHANGED: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, float]]] = {
    "no stripes": ({}, {}, {"controller.read_ns": 6000, "controller.write_ns": 9000, "planes": 64}),
    "stripes": (
        {"stripe_planes": 32, "stripes_in_flight": 2, "run_overhead_ns": 7_000},
        {},
        {"planes": 64, "buffer.stripes_in_flight": 2, "buffer.stripe_planes": 32},
    ),
    "a rate": (
        {},
        {"commands_per_s": 250_000},
        {"controller.commands_per_s": 250_000, "planes": 64},
    ),
    "flushes": ({}, {"flush_ns": 3_000_000}, {"controller.flush_ns": 3_000_000}),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("name", CHANGED)
def test_what_a_drive_is_made_of_is_found_in_fios_documents(name: str, tmp_path: Path) -> None:
    buffer, controller, wanted = CHANGED[name]
    hidden, user = copy.deepcopy(DRIVE), 32_000_000_000
    hidden["buffer"] = {"bytes": 6 << 20, "write_back": "at-once", **buffer}
    hidden["device"]["controller"] |= controller
    path, log = tmp_path / "tests.json", tmp_path / "fill_bw.1.log"
    path.write_text(fio_documents.document(hidden, list(fio_documents.sections())))
    log.write_text(example_logs.fill(hidden))
    tests = fit.read_file(path)
    found = fit.fitted(*fit.fill(log, user), 3, user, None, tests)
    told = {key: each.values[0] for key, each in found.given.told.items()}
    assert {key: told[key] for key in wanted} == pytest.approx(wanted, rel=0.1)
    assert ("buffer.stripe_planes" in told) == bool(buffer)
    assert ("controller.commands_per_s" in told) == ("commands_per_s" in controller)
    rows = {
        test.title: simulation.rows_of(test, simulation.device_of(found.text)) for test in tests
    }
    assert [(title, row) for title, of in rows.items() for row in of if not row.holds] == []
