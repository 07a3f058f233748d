"""What the catalogue says of knobs, and schemes on devices with one dense mode."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import slcache
from slcache import catalogue
from support import slcache as command

WITHOUT_A_DISK = slcache.fitting(device="tiny")[0]
TINY = Path(__file__).parents[1] / "presets/devices/tiny.toml"
#: Room for data of two bits a cell: less is cleaned ahead, and more is fast.
LESS = {
    "device.user_bytes": "2MiB",
    **{
        f"scheme.{name}.dense.start_free_ratio": 0.0
        for name in ("baseline", "sa", "sector", "hierarchy")
    },
    **{f"scheme.{name}.fast_blocks": 5 for name in ("hyssd", "hyssd-static")},
}


@pytest.mark.parametrize("mode", ["mlc", "tlc", "qlc"])
def test_every_scheme_runs_on_a_device_with_one_dense_mode(tmp_path: Path, mode: str) -> None:
    device = tmp_path / f"{mode}.toml"
    text = TINY.read_text().replace("[device.pool.tlc]", f"[device.pool.{mode}]")
    device.write_text(text.replace('[scheme-defaults.tlc-only]\nmode = "tlc"\n', ""))
    load = {"workload.requests": "300", "workload.footprint_bytes": "1MiB"}
    compared = slcache.compare(
        "uniform-4k", device=device, schemes=WITHOUT_A_DISK, normalise="tlc-only",
        trace_options=load, replay="closed:4", settings=LESS,
    )  # fmt: skip
    reference = "tlc-only mode=qlc" if mode == "qlc" else f"{mode}-only"
    assert compared.labels == [reference, *WITHOUT_A_DISK[1:]]
    assert compared.reference == reference
    for label, document in zip(compared.labels, compared.documents, strict=True):
        assert document["scheme"]["name"] == label
        config = document["config"]
        options = next(iter(config["scheme"].values()))
        chosen = options.get("mode", options.get("dense_mode", mode))
        assert (chosen, config["device"]["pool"][0]["reprogram"]["mode"]) == (mode, mode)
        assert {row["mode"] for row in document["flash"]["ops"]} <= {"slc", mode}


@pytest.mark.parametrize(("name", "device"), [("slc-only", "tiny"), ("mlc-only", "gc-8g")])
def test_a_name_with_another_mode_is_that_mode(name: str, device: str) -> None:
    settings = {"device.user_bytes": "1MiB"}
    resolved = slcache.resolve(device=device, scheme=name, settings=settings)
    assert resolved["scheme"]["tlc-only"]["mode"] == name.removesuffix("-only")
    settings["scheme.tlc-only.mode"] = "tlc"
    with pytest.raises(slcache.ConfigError, match=f"scheme {name} sets"):
        slcache.resolve(device=device, scheme=name, settings=settings)


def test_settings_of_the_reference_reach_it_under_every_name() -> None:
    settings = {"scheme.tlc-only.clean.victim": "fifo"}
    for scheme, kept in (("slc-only", settings), ("baseline", {})):
        assert slcache.catalogue.settings_for(settings, scheme, ["slc-only", "baseline"]) == kept


def test_every_scheme_tells_its_knobs_and_signals() -> None:
    entries = {entry["name"]: entry for entry in json.loads(command("schemes", "--json").stdout)}
    for entry in entries.values():
        assert all(signal["min"] < signal["max"] for signal in entry["signals"])
    assert entries["ips"]["knobs"] == []
    of_sa = {knob["name"] for knob in entries["sa"]["knobs"]}
    assert of_sa == {"slc.start_free_ratio", "merge.timeout_ns"}
    words = set(command("schemes").stdout.decode().split())
    summaries = [knob["summary"] for entry in entries.values() for knob in entry["knobs"]]
    assert all(words >= set(summary.split()) for summary in summaries)


def test_a_device_says_which_values_a_knob_may_have_there() -> None:
    entries = json.loads(command("schemes", "--device", "tiny", "--json").stdout)
    knobs = {(entry["name"], knob["name"]): knob for entry in entries for knob in entry["knobs"]}
    config = catalogue.resolve(device="tiny", scheme="turbo-write")["scheme"]["turbo-write"]
    blocks = config["slc_blocks"]
    knob = knobs["turbo-write", "slc_blocks"]
    assert (knob["value"], knob["steps"]) == (blocks, {"min": 1, "max": blocks, "step": 1})
    ratio = knobs["baseline", "slc.start_free_ratio"]
    assert ratio["value"] in ratio["ladder"]
    assert ratio["ladder"] == sorted(ratio["ladder"])
    table = command("schemes", "--device", "tiny").stdout.decode()
    assert f"1 to {blocks} by 1" in table


def test_a_scheme_that_the_device_cannot_run_says_why() -> None:
    done = command("schemes", "--device", "rl-32g", "--json")
    problems = {entry["name"]: entry.get("problem", "") for entry in json.loads(done.stdout)}
    assert "reprogram" in problems["ips"]
    assert b"do not run on rl-32g" in command("schemes", "--device", "rl-32g").stderr
