"""How a device wears, by cell mode and in years, as results and reports tell it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import slcache
import support
from slcache.sentences import life

DEVICE = ("--device", "tiny", "--address", "wrap")
SPAN = 3328 << 10
#: Schemes whose regions share blocks, then those that keep them apart.
SHARED = ("client", "dwa", "rl", "ust")
APART = ("tlc-only", "baseline")
DAY_MS = 86_400_000


def writes(folder: Path, count: int, *, size: int = 128 << 10, gap_ms: int = 0) -> Path:
    """Return a trace of so many writes, one behind the other over and over."""
    rows = [(i * gap_ms, "Write", i * size % SPAN, size) for i in range(count)]
    return support.write_trace(folder / f"{count}-{size}-{gap_ms}.csv", rows)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("life")
    trace = writes(folder, 4000, size=4096, gap_ms=1)
    done = support.slcache("run", trace, *DEVICE, "--scheme", "baseline", "--out", folder / "out")
    assert done.returncode == 0, done.stderr
    return folder / "out"


def document(result: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((result / "result.json").read_text())
    return found


def words(text: bytes | str) -> str:
    return " ".join((text.decode() if isinstance(text, bytes) else text).split())


def test_parts_by_mode_add_up_and_what_wears_first_is_named(result: Path) -> None:
    told = document(result)
    waf, wear = told["waf"], told["wear"]
    assert set(waf["by_mode"]) == {"slc", "tlc"}
    assert sum(waf["by_mode"].values()) == pytest.approx(waf["total"], rel=1e-12)
    rows = {row["mode"]: row for row in wear["pools"]}
    cycles = {mode: row["cycles"] / row["blocks"] for mode, row in rows.items()}
    used = {m: 100 * cycles[m] / row["endurance_cycles"] for m, row in rows.items()}
    assert {m: each["percent_used"] for m, each in wear["by_mode"].items()} == pytest.approx(used)
    first = max(used, key=lambda mode: used[mode])
    damage = wear["damage"]
    assert (damage["pool"], damage["modes"]) == ("nand", [first])
    assert (damage["blocks"], damage["cycles"]) == (rows[first]["blocks"], cycles[first])
    assert damage["mean"] <= damage["max"]
    written = told["host"]["write"]["bytes"]
    assert wear["lifetime_host_bytes"] == pytest.approx(written * 100 / used[first])
    assert wear["lifetime_most_worn_host_bytes"] == pytest.approx(written / damage["max"])


def test_years_are_at_the_traces_own_rate(result: Path) -> None:
    told = document(result)
    days = 3999 / DAY_MS
    rate = told["trace"]["write_bytes_per_day"]
    assert rate == pytest.approx(4000 * 4096 / days)
    lifetime = told["wear"]["lifetime_host_bytes"]
    assert told["wear"]["years"] == pytest.approx(lifetime / rate / 365)
    daily = lifetime / SPAN / (5 * 365)
    assert told["wear"]["drive_writes_per_day"] == pytest.approx(daily)


def test_the_rate_is_the_traces_whatever_the_replay(tmp_path: Path) -> None:
    trace = writes(tmp_path, 200, gap_ms=1000)
    cases: list[tuple[dict[str, Any], int]] = [
        ({}, 1),
        ({"replay": "closed:4"}, 1),
        ({"settings": {"host.time_scale": 2}}, 2),
    ]
    for options, factor in cases:
        told = slcache.run(trace, device="tiny", scheme="tlc-only", **options).to_dict()
        days = 199 * 1000 * factor / DAY_MS
        assert told["trace"]["write_bytes_per_day"] == pytest.approx((200 << 17) / days)


def test_a_trace_without_times_tells_no_years(tmp_path: Path) -> None:
    told = slcache.run(writes(tmp_path, 100), device="tiny", scheme="tlc-only").to_dict()
    assert (told["wear"]["years"], told["trace"]["write_bytes_per_day"]) == (None, None)
    assert told["wear"]["lifetime_host_bytes"] > 0
    assert dict(life.rows(told))["years (the trace has no times)"] == "–"


def test_years_fall_with_what_is_written_a_day(result: Path) -> None:
    told = document(result)
    told["wear"]["lifetime_host_bytes"] = 365 * 50e9 * 3
    years = {gb: dict(life.rows(told, gb))[f"years at {gb:.1f} GB a day"] for gb in (25.0, 50.0)}
    assert years == {25: "6.00", 50: "3.00"}
    assert life.Life.of(told, 100).years == 1.5
    told["wear"]["lifetime_host_bytes"] = None
    assert dict(life.rows(told))["estimated lifetime"] == "–"


# What `rl` does changes as it learns.
@pytest.mark.parametrize("scheme", [each for each in (*SHARED, *APART) if each != "rl"])
def test_a_life_does_not_hang_on_the_length_of_a_run(tmp_path: Path, scheme: str) -> None:
    lives = {}
    for passes in (6, 96):
        trace = writes(tmp_path, 26 * passes, gap_ms=1)
        wear = slcache.run(trace, device="tiny", scheme=scheme).to_dict()["wear"]
        assert wear["damage"]["cycles"] > 3
        assert wear["note"] is None
        lives[passes] = wear["lifetime_host_bytes"]
        if scheme in SHARED:
            used = sum(each["percent_used"] for each in wear["by_mode"].values())
            assert used == pytest.approx(100 * wear["damage"]["mean"])
    assert lives[6] == pytest.approx(lives[96], rel=0.05)


@pytest.mark.few(3)
@pytest.mark.parametrize("scheme", [*SHARED, *APART])
def test_short_runs_say_that_a_life_is_a_guess(tmp_path: Path, scheme: str) -> None:
    short = slcache.run(writes(tmp_path, 8, gap_ms=1), device="tiny", scheme=scheme)
    told = short.to_dict()["wear"]
    assert 0 < told["damage"]["cycles"] < 3
    assert "is a guess" in told["note"]
    for shown in (short.summary(), short.report()):
        assert told["note"] in words(shown)
    page = writes(tmp_path, 1, size=4096)
    none = slcache.run(page, device="tiny", scheme=scheme)
    told = none.to_dict()["wear"]
    assert (told["damage"], told["lifetime_host_bytes"]) == (None, None)
    assert "less than a block" in words(none.summary())


@pytest.mark.parametrize("verb", ["run", "compare", "report", "draws"])
def test_every_output_tells_lives_at_the_rate_that_is_asked_for(
    result: Path, tmp_path: Path, verb: str
) -> None:
    trace, out = writes(tmp_path, 400, size=4096, gap_ms=1), tmp_path / "out"
    names = ("--schemes", "tlc-only,baseline", "--explain")
    begin = {
        "run": ("run", trace, *DEVICE, "--scheme", "baseline"),
        "compare": ("compare", trace, *DEVICE, *names),
        "draws": ("compare", trace, *DEVICE, *names, "--resample", "2"),
        "report": ("report", result),
    }[verb]
    # Unless one is asked for it is the trace's own.
    count = 4000 if verb == "report" else 400
    own = f"{count * 4096 / ((count - 1) / DAY_MS) / 1e9:.0f} GB a day (the trace's own)"
    for rate, title in (((), own), (("--gb-per-day", "20"), "20.0 GB a day")):
        done = support.slcache(*begin, *rate, "--out", out)
        assert done.returncode == 0, done.stderr
        for shown in (done.stdout, (out / "report.html").read_text()):
            told = words(shown).replace("&#39;", "'")
            assert all(part in told for part in ("TBW", "drive writes a day", title))
