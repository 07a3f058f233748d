"""`fit`: logs are read or refused, phases become a device, and what cannot be known is not told."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

from hidden_drives import THREE, Parts, a_log, drive, emptied, filled, fio_log, windows
from slcache import fit
from slcache.errors import TraceError
from slcache.fit.device import Reading

pytestmark = pytest.mark.long


def test_a_log_that_is_too_noisy_ends_in_words(tmp_path: Path) -> None:
    written = windows(THREE) * np.exp(
        1.2 * np.random.default_rng(5).standard_normal(len(windows(THREE)))
    )
    path = tmp_path / "one.log"
    path.write_text(fio_log(written / written.sum() * 1e12, 500, 1, 0.0))
    with pytest.raises(TraceError, match=r"too noisy: \d+ of 200 resamples .*not identifiable"):
        fit.fill(path, 1_000_000_000_000)


def fitted(path: Path, bits: int, user_bytes: int) -> fit.Fitted:
    """Return the fit of a log."""
    return fit.fitted(*fit.fill(path, user_bytes), bits, user_bytes)


@pytest.mark.parametrize("bits", [3, 4])
def test_three_phases_give_every_parameter_with_its_interval(tmp_path: Path, bits: int) -> None:
    found = fitted(a_log(tmp_path, THREE), bits, 1_000_000_000_000)
    assert found.found.cache == pytest.approx(110e9, rel=0.02)
    assert found.found.usable == pytest.approx(790e9 + (bits - 1) * 110e9, rel=0.02)
    for key in ("cache", "usable", "slc.program_ns", "dense.program_ns", "fold.program_ns"):
        ((low, high),) = found.values[key].ranges
        assert 0.9 * high < low <= found.values[key].value * 1.005, key
        assert found.values[key].value * 0.995 <= high, key
        assert found.values[key].mark == "fitted"
    content = tomllib.loads(found.text)
    assert content["device"]["user_bytes"] == pytest.approx(1e12, abs=16384)


@pytest.mark.parametrize(
    ("parts", "reading", "unknown"),
    [
        ([(2.1, 3000.0), (6.0, 500.0)], Reading.whole, ["dense.program_ns"]),
        ([(0.3, 2000.0), (6.0, 500.0)], Reading.direct, ["usable", "fold.program_ns"]),
    ],
)
def test_two_speeds_say_what_they_do_not_tell_and_still_give_the_log_again(
    tmp_path: Path, parts: Parts, reading: Reading, unknown: list[str]
) -> None:
    path = a_log(tmp_path, parts, ms=8)
    found = fitted(path, 3, 6_000_000_000)
    assert found.found.reading == reading
    marks = {key for key, each in found.values.items() if "not identifiable" in each.mark}
    assert marks == set(unknown)
    seconds = sum(
        (end - begin) / speed
        for (end, speed), begin in zip(parts, [0.0, *(end for end, _ in parts)], strict=False)
    )
    shown = fit.judge(found, *fit.fill(path, 6_000_000_000)[:2])
    assert shown.curve.average_gb_s * 1e3 == pytest.approx(parts[-1][0] / seconds, rel=0.05)
    assert shown.off == []


def errors(seed: int, scale: float, folder: Path) -> dict[str, float]:
    """Return how far the fit of a hidden drive is off, by quantity."""
    hidden = drive(seed, scale)
    written, average = filled(hidden.device, hidden.user_bytes, hidden.window_ms)
    path = folder / f"{seed}.log"
    path.write_text(fio_log(written, hidden.window_ms, seed))
    read, shown, again = fit.fill(path, hidden.user_bytes)
    found = fit.fitted(read, shown, again, hidden.bits, hidden.user_bytes)
    assert found.found.reading == Reading.three
    device = folder / f"{seed}.toml"
    device.write_text(found.text)
    _, predicted = filled(device, hidden.user_bytes, hidden.window_ms)
    speeds = {f"v{i}": p.mean_mb_per_s * 1e6 for i, p in enumerate(shown.phases, 1)}
    truth = {f"v{i}": speed for i, speed in enumerate(hidden.speeds, 1)}
    got = {"cap": found.found.cache, "N'": found.found.usable, **speeds, "average": predicted}
    truth |= {"cap": hidden.cache, "N'": hidden.usable, "average": average}
    return {key: value / truth[key] - 1 for key, value in got.items()}


#: Seeds of drives, and the scale of their blocks; `make slow` tries twenty at their size.
HIDDEN = [(0, 0.5), *(pytest.param(seed, 1.0, marks=pytest.mark.slow) for seed in range(20))]
EMPTIED = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 20))]


@pytest.mark.parametrize(("seed", "scale"), HIDDEN)
def test_a_hidden_drive_is_found(tmp_path: Path, seed: int, scale: float) -> None:
    off = errors(seed, scale, tmp_path)
    assert {key: error for key, error in off.items() if abs(error) > 0.05} == {}


def busy_errors(seed: int, folder: Path) -> dict[str, float]:
    """Return how far the fit of a hidden drive is off that empties its cache beside the writes."""
    hidden, ratio, meanwhile = emptied(seed)
    written, average = filled(hidden.device, hidden.user_bytes, hidden.window_ms)
    path = folder / f"{seed}.log"
    path.write_text(fio_log(written, hidden.window_ms, seed))
    found = fitted(path, hidden.bits, hidden.user_bytes)
    assert found.found.reading == Reading.emptied
    assert {"dense.program_ns", "fold.program_ns", "usable"} == {
        key for key, each in found.values.items() if "not identifiable" in each.mark
    }
    device = folder / f"{seed}.toml"
    device.write_text(found.text)
    _, predicted = filled(device, hidden.user_bytes, hidden.window_ms)
    got = (found.found.cache, found.values["busy"].value, found.found.slc, found.found.dense)
    truth = (hidden.cache, ratio, hidden.speeds[0], meanwhile)
    pairs = zip(("cap", "busy", "v1", "v2"), got, truth, strict=True)
    return {"average": predicted / average - 1} | {k: float(a or 0) / b - 1 for k, a, b in pairs}


@pytest.mark.parametrize("seed", EMPTIED)
def test_a_drive_that_empties_its_cache_meanwhile_is_found(tmp_path: Path, seed: int) -> None:
    off = busy_errors(seed, tmp_path)
    assert {key: error for key, error in off.items() if abs(error) > 0.05} == {}
