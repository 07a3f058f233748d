"""What is told of a device is complete, for presets and files, and agrees with runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import slcache
from support import slcache as command
from support import write_trace


@pytest.mark.parametrize("device", ["tiny", "nvc-hdd", "hyssd-st", "ips-384g"])
def test_a_device_is_shown(device: str) -> None:
    done = command("devices", "show", device)
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    facts = slcache.device_facts(device)
    assert json.loads(command("devices", "show", device, "--json").stdout) == facts
    for pool in facts["pools"]:
        assert f"{pool['name']}: {pool['channels']} channels" in text
        assert all(f"{mode['mode']} read" in text for mode in pool["modes"])
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


def test_a_broken_device_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "odd näme.toml"
    file.write_text('[device]\nname = "x"\nuser_bytes = "1MiB"\npool = 7\n')
    done = command("devices", "show", file)
    assert done.returncode == 3
    assert f"{file}:4: device.pool = 7" in done.stderr.decode()
    assert command("devices", "show", "tinny").returncode == 3


def test_a_key_tells_where_a_device_says_it() -> None:
    done = command("explain", "wordlines", "--device", "tiny")
    text = done.stdout.decode()
    assert "device.pool[0].wordlines = 8" in text
    assert "preset tiny:" in text
    assert "8 SLC pages or 24 TLC pages per block" in text
    (found,) = json.loads(
        command("explain", "scheme.baseline.slc_blocks", "--device", "tiny", "--json").stdout
    )
    assert found["here"]["value"] == 3
    assert found["here"]["line"].startswith("slc_blocks = 3")


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
    shown = command("devices", "show", device).stdout.decode()
    assert f"{told:,.0f} MB/s" in shown


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
    shown = command("devices", "show", "wd-sn580-1tb-like").stdout
    assert b"maps 64.0 GiB; the whole map takes 931 MiB" in shown
