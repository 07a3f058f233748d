"""The dense mode is the densest that a device offers, and results are called after it."""

from __future__ import annotations

from pathlib import Path

import pytest

import slcache

WITHOUT_A_DISK = slcache.fitting(device="tiny")[0]
CLEAN_LESS = "dense.start_free_ratio = 0.0"
DEVICE = f"""
[device]
name = "one dense mode"
user_bytes = "2MiB"
[[device.pool]]
name = "nand"
channels = 2
chips = 1
dies = 1
planes = 2
blocks = 16
wordlines = 8
page_bytes = 4096
[device.pool.bus]
ps_per_byte = 1250
[device.pool.slc]
read_ns = [20_000]
program_ns = [200_000]
erase_ns = 2_000_000
[device.pool.DENSE]
read_ns = [66_000]
program_ns = [1_000_000]
erase_ns = 3_000_000
[device.pool.reprogram]
program_ns = 1_000_000
[scheme-defaults]
baseline = {{ slc_blocks = 3, {CLEAN_LESS} }}
sa = {{ slc_blocks = 3, {CLEAN_LESS} }}
sector = {{ slc_blocks = 3, {CLEAN_LESS} }}
hierarchy = {{ slc_blocks = 3, slc.start_free_blocks = 1, {CLEAN_LESS} }}
turbo-write = {{ slc_blocks = 3 }}
clairvoyant = {{ slc_blocks = 3 }}
ips-coop = {{ slc_blocks = 3 }}
hyssd = {{ fast_blocks = 5, separate_frontier = false }}
hyssd-static = {{ fast_blocks = 5, separate_frontier = false }}
"""


@pytest.mark.parametrize("mode", ["mlc", "tlc", "qlc"])
def test_every_scheme_runs_on_a_device_with_one_dense_mode(tmp_path: Path, mode: str) -> None:
    device = tmp_path / f"{mode}.toml"
    device.write_text(DEVICE.replace("DENSE", mode))
    load = {"workload.requests": "300", "workload.footprint_bytes": "1MiB"}
    compared = slcache.compare(
        "uniform-4k", device=device, schemes=WITHOUT_A_DISK, normalise="tlc-only",
        trace_options=load, replay="closed:4",
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
