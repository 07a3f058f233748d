"""What the catalogue says of knobs and signals, on no device and on one."""

from __future__ import annotations

import json

from slcache import catalogue
from support import slcache


def test_every_scheme_tells_its_knobs_and_signals() -> None:
    entries = {entry["name"]: entry for entry in json.loads(slcache("schemes", "--json").stdout)}
    for entry in entries.values():
        assert all(signal["min"] < signal["max"] for signal in entry["signals"])
    assert entries["ips"]["knobs"] == []
    of_sa = {knob["name"] for knob in entries["sa"]["knobs"]}
    assert of_sa == {"slc.start_free_ratio", "merge.timeout_ns"}
    words = set(slcache("schemes").stdout.decode().split())
    summaries = [knob["summary"] for entry in entries.values() for knob in entry["knobs"]]
    assert all(words >= set(summary.split()) for summary in summaries)


def test_a_device_says_which_values_a_knob_may_have_there() -> None:
    entries = json.loads(slcache("schemes", "--device", "tiny", "--json").stdout)
    knobs = {(entry["name"], knob["name"]): knob for entry in entries for knob in entry["knobs"]}
    config = catalogue.resolve(device="tiny", scheme="turbo-write")["scheme"]["turbo-write"]
    blocks = config["slc_blocks"]
    knob = knobs["turbo-write", "slc_blocks"]
    assert (knob["value"], knob["steps"]) == (blocks, {"min": 1, "max": blocks, "step": 1})
    ratio = knobs["baseline", "slc.start_free_ratio"]
    assert ratio["value"] in ratio["ladder"]
    assert ratio["ladder"] == sorted(ratio["ladder"])
    table = slcache("schemes", "--device", "tiny").stdout.decode()
    assert f"1 to {blocks} by 1" in table


def test_a_scheme_that_the_device_cannot_run_says_why() -> None:
    done = slcache("schemes", "--device", "rl-32g", "--json")
    problems = {entry["name"]: entry.get("problem", "") for entry in json.loads(done.stdout)}
    assert "reprogram" in problems["ips"]
    assert b"do not run on rl-32g" in slcache("schemes", "--device", "rl-32g").stderr
