"""What the catalogue says of knobs and signals, on no device and on one."""

from __future__ import annotations

import json
import re
from typing import Any

from slcache import catalogue
from support import slcache


def knobs(entries: list[dict[str, Any]], scheme: str) -> dict[str, dict[str, Any]]:
    """Return the knobs of a scheme by name."""
    entry = next(entry for entry in entries if entry["name"] == scheme)
    return {knob["name"]: knob for knob in entry["knobs"]}


def test_every_scheme_tells_its_knobs_and_signals() -> None:
    entries = json.loads(slcache("schemes", "--json").stdout)
    for entry in entries:
        for knob in entry["knobs"]:
            assert set(knob) == {"name", "unit", "summary"}
        for signal in entry["signals"]:
            assert set(signal) == {"name", "unit", "min", "max", "summary"}
            assert signal["min"] < signal["max"]
    assert not knobs(entries, "ips")
    assert set(knobs(entries, "sa")) == {"slc.start_free_ratio", "merge.timeout_ns"}
    words = set(slcache("schemes").stdout.decode().split())
    summaries = [knob["summary"] for entry in entries for knob in entry["knobs"]]
    assert all(words >= set(summary.split()) for summary in summaries)


def test_a_device_says_which_values_a_knob_may_have_there() -> None:
    entries = json.loads(slcache("schemes", "--device", "tiny", "--json").stdout)
    config = catalogue.resolve(device="tiny", scheme="turbo-write")["scheme"]["turbo-write"]
    blocks = config["slc_blocks"]
    knob = knobs(entries, "turbo-write")["slc_blocks"]
    assert (knob["value"], knob["steps"]) == (blocks, {"min": 1, "max": blocks, "step": 1})
    ratio = knobs(entries, "baseline")["slc.start_free_ratio"]
    assert ratio["value"] in ratio["ladder"]
    assert ratio["ladder"] == sorted(ratio["ladder"])
    table = slcache("schemes", "--device", "tiny").stdout.decode()
    assert f"1 to {blocks} by 1" in table


def test_a_scheme_that_the_device_cannot_run_says_why() -> None:
    done = slcache("schemes", "--device", "rl-32g")
    assert done.returncode == 0
    assert re.search(rb"note: ips\b.* do not run on rl-32g: .*reprogram", done.stderr)
    entries = json.loads(slcache("schemes", "--device", "rl-32g", "--json").stdout)
    problems = {entry["name"]: entry["problem"] for entry in entries if "problem" in entry}
    assert "reprogram" in problems["ips"]
