"""What no SLC cache can keep, of a trace and on a device: figures by hand and bad input."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache import bounds
from support import slcache as verb
from support import write_trace
from test_gains import hot

DEMO = "examples/linkbench-40s.blkparse.zst"


@pytest.fixture(scope="module")
def rewritten(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a trace that writes two units ten times in turn, and another once."""
    rows = [(i, "Write", 4096 * (i % 2), 4096) for i in range(20)]
    file = tmp_path_factory.mktemp("bound") / "t.csv"
    return write_trace(file, [*rows, (20, "Write", 8192, 4096), (21, "Read", 0, 8192)])


def test_sizes_keep_what_can_be_counted_by_hand(rewritten: Path) -> None:
    found = bounds.of_trace(rewritten, [0, 4096, 8192, 12288])
    assert (found["versions"], found["units"], found["alive_max"]) == (21, 3, 3)
    kept = [(row["kept"], row["kept_died"]) for row in found["sizes"]]
    # With one slot: one of the two units' versions, and the last one of all.
    assert kept == [(0, 0), (10, 9), (20, 18), (21, 18)]
    assert [row["least"] for row in found["sizes"]] == [21, 11, 1, 0]
    found = bounds.of_trace(DEMO)
    sizes = [row["bytes"] for row in found["sizes"]]
    assert sizes == [1 << (20 + i) for i in range(len(sizes))]
    assert [row["kept"] == found["versions"] for row in found["sizes"]].index(True) == (
        len(sizes) - 1
    )
    assert sizes[-2] < found["alive_max"] * 4096 <= sizes[-1]
    assert bounds.reached(found, 1.0) == sizes[-1]
    assert bounds.reached({**found, "sizes": found["sizes"][:1]}, 0.5) is None
    large = bounds.of_trace(DEMO, [1 << 25], unit_bytes=16384)
    assert large["versions"] < found["versions"]
    assert large["alive_max"] * 4 >= found["alive_max"]


def test_the_verb_tells_the_same_in_every_form(rewritten: Path, tmp_path: Path) -> None:
    picture = tmp_path / "bound.svg"
    told = verb("bound", rewritten, "--sizes", "4KiB..16KiB*2", "--picture", picture)
    assert "At most 12.0 KiB are alive" in told.stdout.decode()
    assert picture.read_text().startswith("<svg")
    found = json.loads(verb("bound", rewritten, "--sizes", "4KiB,8KiB,16KiB", "--json").stdout)
    assert found == bounds.of_trace(str(rewritten), [4096, 8192, 16384])
    csv = verb("bound", rewritten, "--sizes", "4KiB", "--format", "csv").stdout.decode()
    assert csv.splitlines()[1].split(",")[0] == "4096"
    on = ("bound", rewritten, "--device")
    document = json.loads(verb(*on, "tiny", "--json").stdout)
    assert document == bounds.on_device(str(rewritten), device="tiny")
    assert b"Wear is in lives of a block" in verb(*on, "tiny", "--picture", picture).stdout
    # Of some cells no endurance is known.
    assert b"The endurance of the cells is not known" in verb(*on, "hierarchy-44g").stdout


#: A block of each of tiny's four planes, in SLC mode.
STEP = 4 * 8 * 4096


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("device") / "hot.csv", hot(1500))


def test_units_and_sizes_are_the_device_s(trace: Path) -> None:
    found = bounds.on_device(trace, device="tiny")
    sizes = [row["bytes"] for row in found["sizes"]]
    assert sizes == [STEP << power for power in range(len(sizes))]
    assert [row["blocks_per_plane"] for row in found["sizes"]] == [
        1 << power for power in range(len(sizes))
    ]
    alone = bounds.of_trace(trace, sizes)
    assert found["versions"] == alone["versions"]
    for row, other in zip(found["sizes"], alone["sizes"], strict=True):
        for key in ("kept", "kept_died", "least", "least_drained"):
            assert row[key] == other[key]


def test_time_and_wear_by_hand(tmp_path: Path) -> None:
    rows = [(i, "Write", 4096 * (i % 2), 4096) for i in range(20)]
    trace = write_trace(tmp_path / "t.csv", rows)
    found = bounds.on_device(trace, device="tiny", sizes_bytes=[4096, 8192])
    assert found["unit_program_ns"] == {"slc": 200_000, "dense": 1_000_000}
    for row, kept in zip(found["sizes"], (10, 20), strict=True):
        assert row["kept"] == kept
        assert row["program_ns_least"] == 200_000 * kept + 1_000_000 * (20 - kept)
        # Blocks of 8 wordlines: 8 units for 1000 cycles, or 24 for 100.
        assert row["block_lives_least"] == pytest.approx(kept / 8000 + (20 - kept) / 2400)
    buffer = {"buffer.bytes": 4096}
    held = bounds.on_device(trace, device="tiny", sizes_bytes=[4096], settings=buffer)
    (row,) = held["sizes"]
    assert (held["buffer_slots"], row["kept"]) == (1, 20)
    # Half of the versions die in the buffer, which is never programmed.
    assert row["program_ns_least"] == 200_000 * 10
    file = write_trace(tmp_path / "reads.csv", [(0, "Read", 0, 4096)])
    none = verb("bound", file)
    assert none.returncode == 4
    assert "has no writes" in none.stderr.decode()
    config = slcache.resolve(device="tiny", scheme="tlc-only")
    config["device"]["pool"][0]["slc"] = None
    with pytest.raises(slcache.ConfigError, match="none offers slc"):
        bounds.Flash.of(config)


@pytest.mark.parametrize("scheme", ["baseline", "sector", "turbo-write", "clairvoyant"])
def test_no_run_takes_less(trace: Path, scheme: str) -> None:
    run = slcache.run(trace, device="tiny", scheme=scheme, settings={"run.bound": True})
    document = run.to_dict()
    size = document["bound"]["capacity_slots"] * 4096
    (least,) = bounds.on_device(trace, device="tiny", sizes_bytes=[size])["sizes"]
    assert document["bound"]["counted"] >= least["least"]
    programs = [op for op in document["flash"]["ops"] if op["kind"] == "program"]
    assert sum(op["time_us"] for op in programs) * 1e3 >= least["program_ns_least"]
    lives = {"slc": 1 / 8000, "tlc": 1 / 2400}
    worn = sum(lives[op["mode"]] * op["count"] for op in programs)
    assert worn >= least["block_lives_least"]


def test_one_shot_and_planes_together_take_the_least() -> None:
    def cells(mode: str, **more: Any) -> bounds.Cells:  # noqa: ANN401
        own = {"program": "per-page", "program_ns": [3000, 9000], "endurance_cycles": None}
        pool: Mapping[str, Any] = {
            "page_bytes": 16384,
            "planes": 2,
            "wordlines": 4,
            "plane_parallelism": "independent",
            mode: own,
            **more,
        }
        return bounds.Cells.of(pool, mode, 4096)

    assert cells("tlc") == bounds.Cells(750, None)
    assert cells("tlc", plane_parallelism="multi-plane").program_ns == 375
    shot = {"program": "one-shot", "program_ns": [9000], "endurance_cycles": 10}
    assert cells("tlc", tlc=shot) == bounds.Cells(750, 1 / (4 * 4 * 3 * 10))
    folds = {**shot, "fold": {"program_ns": 6000}, "copyback_ns": 2800}
    assert cells("tlc", tlc=folds).program_ns == 500
    assert cells("tlc", tlc={**folds, "copyback_ns": 1600}).program_ns == 400
