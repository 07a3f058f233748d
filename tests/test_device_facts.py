"""What is told of a device is complete and agrees with runs, with a buffer and without."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import slcache
from hidden_drives import SMALL, small
from slcache.drives import fills
from slcache.sentences import notes
from support import QUICK, write_trace
from support import slcache as command


@pytest.mark.parametrize("device", ["nvc-hdd", "hyssd-st", "wd-sn580-1tb-like"])
def test_a_device_is_shown(device: str) -> None:
    done = command("devices", "show", device)
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    facts = slcache.device_facts(device)
    assert json.loads(command("devices", "show", device, "--json").stdout) == facts
    for pool in facts["pools"]:
        assert f"{pool['name']}: {pool['channels']} channels" in text
        assert all(f"{mode['mode']} read" in text for mode in pool["modes"])
    if facts["link_mb_per_s"] is not None:
        assert f"{facts['link_mb_per_s']:,.0f} MB/s" in text
    assert {entry["scheme"] for entry in facts["schemes"]} == {s["name"] for s in slcache.schemes()}
    fit, _ = slcache.fitting(device=device)
    assert [e["scheme"] for e in facts["schemes"] if "problem" not in e] == fit
    assert all(f"warning: {line}" in text.replace("\n", " ") for line in facts["warnings"])


def test_a_single_request_takes_what_is_told(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "two.csv", [(0, "Write", 0, 4096), (1000, "Read", 0, 4096)])
    (pool,) = slcache.device_facts("tiny")["pools"]
    told = {mode["mode"]: mode for mode in pool["modes"]}
    run = slcache.run(trace, device="tiny", scheme="baseline", settings={"trace.prefill": "none"})
    host = run.to_dict()["host"]
    for side in ("read", "write"):
        parts = told["slc"][side]
        assert host[side]["latency_us"]["max"] * 1000 == parts["ns"]
        assert sum(part["ns"] for part in parts["parts"]) == parts["ns"]


@pytest.mark.few(5)
@pytest.mark.parametrize("device", [entry["name"] for entry in slcache.devices()])
def test_a_link_carries_what_its_lanes_do_less_the_headers(device: str) -> None:
    link = slcache.resolve(device=device, scheme=slcache.fitting(device=device)[0][0])["host"][
        "link"
    ]
    told = slcache.device_facts(device)["link_mb_per_s"]
    if link is None:
        assert told is None
        return
    wire = (link["payload_bytes"] + link["header_bytes"]) / link["payload_bytes"]
    assert told == pytest.approx(link["lanes"] * link["lane_mb_per_s"] / wire, rel=1e-3)


def test_a_mapping_cache_is_told_with_what_it_maps() -> None:
    assert slcache.device_facts("tiny")["map"] is None
    facts = slcache.device_facts("wd-sn580-1tb-like")
    # 4 bytes for 4 KiB, of which a unit of 16 KiB has four.
    assert facts["map"]["cache_bytes"] == 64 << 20
    assert facts["map"]["covered_bytes"] == 64 << 30
    assert facts["map"]["map_bytes"] == pytest.approx(facts["user_bytes"] / 1024, abs=4096)
    slc = next(mode for mode in facts["pools"][0]["modes"] if mode["mode"] == "slc")
    for side in ("read", "write"):
        assert {"part": "map", "ns": 1000} in slc[side]["parts"]


PAGE, WORDLINES, ROWS, SIZE = 16384, 16, 20, 128 << 10
MODES = {3: ("tlc", 2_000_000), 4: ("qlc", 6_000_000)}
#: Channels, planes of a die, and whether they program together.
CHIPS = [(4, 4, "multi-plane"), (16, 4, "multi-plane"), (16, 4, "independent")]
DEPTHS = [1, 32] if QUICK else [1, 4, 8, 32]


def device(channels: int, planes: int, parallelism: str, bits: int) -> dict[str, Any]:
    """Return a device with a cache of 20 blocks of each plane, and no buffer."""
    bare, (mode, program_ns) = small(), MODES[bits]
    row = channels * planes * WORDLINES * PAGE
    pool = bare["device"]["pool"][0] | {"channels": channels, "planes": planes, "blocks": 64}
    pool |= {"plane_parallelism": parallelism, mode: pool.pop("tlc") | {"program_ns": [program_ns]}}
    bare["device"] |= {"user_bytes": 40 * bits * row, "pool": [pool]}
    client = {**SMALL, "dynamic": {"rule": "table", "table": [[0.0, ROWS * row]]}}
    return {"device": bare["device"], "scheme-defaults": {"client": client}}


def told(config: dict[str, Any]) -> dict[str, tuple[float, float]]:
    """Return what is told of each mode: what writes reach, and the peak."""
    found = " ".join(notes.of_runs(["client"], [{"config": config}]))
    said = re.findall(r"(slc|tlc|qlc) (\d+) of (\d+) MB/s", found)
    return {mode: (float(most), float(peak)) for mode, most, peak in said}


@pytest.mark.parametrize("bits", MODES)
@pytest.mark.parametrize("chips", CHIPS, ids=str)
def test_what_is_told_is_what_the_simulation_does(chips: tuple[int, int, str], bits: int) -> None:
    bare, mode = device(*chips, bits), MODES[bits][0]
    cache = chips[0] * chips[1] * WORDLINES * PAGE * ROWS / 1e9
    peaks = told(slcache.resolve(device=bare, scheme="client", replay="closed:1"))
    for depth in DEPTHS:
        run = fills.writes_of("bare", bare, SIZE, depth)
        curve = fills.filled(fills.done([run], 1, None)[0].documents[0], 1).passes[0]
        ours = {"slc": curve.between(0.2 * cache, 0.8 * cache)}
        ours[mode] = curve.between(1.5 * cache, 3 * cache)
        config = slcache.resolve(device=bare, scheme="client", replay=f"closed:{depth}")
        said = told(config)
        for name, (_, peak) in peaks.items():
            # What is not told is within a tenth of the peak.
            most = said.get(name, (peak, peak))[0]
            # Eight pages are no whole wordlines of TLC: which writes share one is not foreseen.
            near = (0.6, 1.3) if name == "tlc" and depth > 1 else (0.88, 1.03)
            assert near[0] <= ours[name] * 1e3 / most <= near[1], (name, depth, said)


VERBS = {
    "run": ["run", "T", "--scheme", "client", "--address", "wrap"],
    "compare": ["compare", "T", "--schemes", "client,qlc-only", "--address", "wrap"],
    "cliff": ["cliff", "--schemes", "client", "--amount", "64MiB", "--iodepth", "1"],
    "like": ["cliff", "--like", "techpowerup", "--format", "json"],
    "pauses": ["cliff", "--like", "recovery"],
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_that_runs_it_says_so(verb: str, tmp_path: Path, trace: Path) -> None:
    bare, path = device(16, 4, "multi-plane", 3), tmp_path / "drive.json"
    arguments = [str(trace) if word == "T" else word for word in VERBS[verb]]
    for buffer in ({}, {"buffer": {"bytes": 16 << 20, "write_back": "at-once"}}):
        path.write_text(json.dumps({**bare, **buffer}))
        told = "\n".join(slcache.device_facts(path)["warnings"])
        assert ("without [buffer] writes wait for their programs" in told) == (not buffer)
        done = command(*arguments, "--device", path)
        assert done.returncode == 0, done.stderr
        words = b" ".join((done.stdout + done.stderr).split())
        assert (b"the device has no [buffer], as drives have" in words) == (not buffer)
