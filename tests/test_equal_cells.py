"""What the room that schemes clean with alone makes of their write amplification."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest

import slcache
from disks import DEVICE
from slcache.results import comparison as comparing

MIB = 1 << 20
#: Two planes of 512 blocks of 16 wordlines.
FLASH = re.sub(r"(?s)\[device.disk\].*?(?=\[\[device.pool)", "", DEVICE)
FLASH = FLASH.replace("planes = 1", "planes = 2").replace("blocks = 32", "blocks = 512")
FLASH = FLASH.replace("wordlines = 64", "wordlines = 16").replace("256MiB", "90MiB")
LOAD = {"workload.requests": "400000", "workload.footprint_bytes": str(90 * MIB)}


def fifo(used: float) -> float:
    """Return the write amplification of cleaning first-in first-out (Desnoyers 2012)."""
    low, high = 1e-9, 1.0 - 1e-9
    for _ in range(100):
        live = (low + high) / 2
        low, high = (live, high) if (live - 1) / math.log(live) < used else (low, live)
    return 1 / (1 - low)


@pytest.fixture
def device(tmp_path: Path) -> Path:
    path = tmp_path / "flash.toml"
    path.write_text(FLASH)
    return path


def compared(device: Path, *, equal_cells: bool) -> slcache.Comparison:
    settings = {
        "precondition.fill": 1,
        "precondition.overwrite": 2,
        "scheme.tlc-only.clean.victim": "fifo",
        "scheme.baseline.slc_blocks": 64,
    }
    how: dict[str, Any] = {"trace_options": LOAD, "settings": settings, "replay": "closed:4"}
    schemes = ["tlc-only", "baseline"]
    return slcache.compare(
        "uniform-4k", device=device, schemes=schemes, equal_cells=equal_cells, **how
    )


def test_the_room_to_clean_with_follows_the_closed_form_and_is_told(device: Path) -> None:
    found = {equal: compared(device, equal_cells=equal) for equal in (False, True)}
    for equal, blocks in ((False, 512), (True, 448)):
        document = found[equal].documents[0]
        assert document["config"]["device"]["pool"][0]["blocks"] == blocks
        block_bytes = 2 * 16 * 4096
        used = 90 * MIB / (2 * blocks * block_bytes)
        assert document["waf"]["total"] == pytest.approx(fifo(used), rel=0.05)
    told = "mlc-only has 512 dense blocks per plane and baseline 448"
    assert any(told in note for note in found[False].notes())
    assert not any("dense blocks per plane" in note for note in found[True].notes())


def test_schemes_with_more_room_are_listed(comparison: slcache.Comparison) -> None:
    plain, cached = comparison.documents
    for names in (["one"], ["one", "two"], ["one", "two", "three"]):
        documents = [*[plain] * len(names), cached]
        told = comparing.unequal([*names, "cached"], documents)
        listed = {1: "one has", 2: "one and two have", 3: "one, two and three have"}[len(names)]
        wanted = f"For garbage collection, {listed} 16 dense blocks per plane and cached 13"
        assert told.startswith(wanted)
