# ruff: noqa: E501 - texts
"""On what each key of a preset that is like a drive stands: kind and source."""

from __future__ import annotations

from typing import Any

from drive_models import CONZONE, KEPT, PARTS, SPARE, Model
from slcache.drives import published


def evidence(model: Model, content: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Return on what each key stands: kind and source."""
    template, drive, pool = model.template, model.drive, "device.pool[0]"
    dense = {3: "tlc", 4: "qlc"}[model.bits]
    page = published.url(drive.phases[0].source)
    printed = "; ".join(f"{bar.to_gb:g} GB at {bar.value:g} GB/s" for bar in drive.phases)
    chips = (
        template.nand.said if template.own_nand else f"another drive's chips: {template.nand.said}"
    )
    kind = "known" if template.own_nand else "assumed"
    client, cap = content["scheme-defaults"]["client"], "scheme-defaults.client.dynamic"
    marks = {
        "device.user_bytes": ("known", f"{drive.user_gb:g} GB, rounded down so that --scale can divide it"),
        "device.mu_bytes": ("assumed", "4 KiB, as drives people own have"),
        "device.plp": ("assumed", "drives people own have no power-loss protection"),
        f"{pool}.name": ("assumed", "a word for the report"),
        f"{pool}.channels": ("assumed", "as drives of this class have"),
        f"{pool}.chips": ("assumed", "only the number of planes counts for writes"),
        f"{pool}.dies": ("assumed", "only the number of planes counts for writes"),
        f"{pool}.planes": ("assumed", _why_joined(model)),
        f"{pool}.blocks": ("derived", _why_blocks(model)),
        f"{pool}.wordlines": ("assumed", "of an order with chips of this age"),
        f"{pool}.page_bytes": ("assumed", "16 KiB, as chips of this age have" + (f", of {template.joined} planes" if template.joined > 1 else "")),
        f"{pool}.bus": ("assumed", f"{template.mega_transfers} MT/s"),
        f"{pool}.slc.read_ns": ("known", CONZONE),
        f"{pool}.slc.erase_ns": ("known", CONZONE),
        f"{pool}.slc.endurance_cycles": ("assumed", "as papers assume"),
        f"{pool}.{dense}.read_ns": ("calibrated", f"{DEPTH[drive.name]}; {KINDS}") if template.reads_us else (kind, f"{chips}; {KINDS}"),
        f"{pool}.slc.program_variation": ("assumed", VARIES),
        f"{pool}.{dense}.program_variation": ("assumed", VARIES),
        f"{pool}.{dense}.erase_ns": ("known", CONZONE),
        f"{pool}.{dense}.endurance_cycles": ("assumed", "as papers assume"),
        f"{pool}.{dense}.program": ("assumed", "chips of this age program a wordline at once"),
        f"{pool}.{dense}.program_ns": (kind, chips),
        "scheme-defaults.client.dense.parallel": _why_planes(model, f"{page}: {printed}"),
        "scheme-defaults.client.dense.clean_ahead": ("assumed", "any firmware cleans beside writes, in small steps"),
        "scheme-defaults.client.fold.parallel": _why_folding(model, f"{page}: {printed}"),
        f"{cap}.rule": ("derived", "from the kind of cache that the phases show"),
        "scheme-defaults.client.fold.keep_blocks": ("assumed", "the room above what is published"),
        "host.link": ("assumed", "recalled, the maker's interface"),
        "buffer": ("assumed", "16 MiB, written back as pages come; what fills none waits 10 ms"),
        "device.stage_timeout_ns": ("assumed", "what fills no wordline waits 10 ms without a write of the host"),
        "scheme-defaults.client.placement": ("assumed", "neighbouring pages lie in neighbouring planes: a read of 128 KiB at depth 1 takes little longer than one of 4 KiB (pm981a-256-sr128-q1)"),
    }  # fmt: skip
    if "clean_ahead" not in client["dense"]:
        del marks["scheme-defaults.client.dense.clean_ahead"]
    marks |= _why_controller(model)
    if "map" in content["device"]:
        marks |= _why_map(drive.map, content["device"]["map"])
    marks |= _why_first_speed(model, content, page)
    size = f"to the end of the first phase of {page}: {model.cache_gb:g} GB"
    for key in ("share", "table"):
        if key in client["dynamic"]:
            marks[f"{cap}.{key}"] = ("calibrated", size + _why_falling(model))
    for key, source in {
        "static_blocks": "a few GB of the cache stay SLC: recalled; the sum is calibrated",
        "full": "two phases only: the drive has no second speed of its own",
        "reopen": "no second burst is printed",
    }.items():
        if key in client:
            marks[f"scheme-defaults.client.{key}"] = ("assumed", source)
    if "overhead_ns" in client["fold"]:
        marks["scheme-defaults.client.fold.overhead_ns"] = ("calibrated",
            f"to the last speed of {page}: {model.last:g} GB/s")  # fmt: skip
    if "flush" in client:
        source = (
            "one value for three drives of the maker, chosen after a look at their averages"
            if template.busy
            else "data stay in SLC until room is needed (anandtech.com/show/13078)"
        )
        marks["scheme-defaults.client.flush"] = ("assumed", source)
    return marks


def _why_blocks(model: Model) -> str:
    if model.boundary_gb:
        how = f"the third phase begins at {model.boundary_gb:g} GB (law 1)"
    elif model.template.rule == "whole" and not model.template.through:
        how = "all of the drive is SLC at first"
    elif model.template.rule == "table":
        how = "1,024 GiB for each TB"
    else:
        how = "the user's data"
    return f"{how}, at least the user's data and {SPARE} blocks; a multiple of {PARTS}, and {KEPT} kept"


def _why_first_speed(
    model: Model, content: dict[str, Any], page: str
) -> dict[str, tuple[str, str]]:
    speed = f"to the first speed of {page}: {model.first:.3g} GB/s"
    slc, rated = "device.pool[0].slc.program_ns", model.template.rated
    if model.drive.link == "sata":
        marks = {slc: ("assumed", "the link limits the speed in the cache")}
    elif rated:
        marks = {slc: ("derived", f"from {rated[0]:g} GB/s, {rated[1]}")}
    else:
        marks = {slc: ("calibrated", speed)}
    if "turnaround_ps_per_byte" in content["host"]:
        marks["host.turnaround_ps_per_byte"] = ("calibrated", speed + ", of one writer")
    return marks


def _row(name: str) -> str:
    """Return a test of `latency.toml` with its page."""
    source = next(trial.source for trial in published.trials() if trial.name == name)
    return f"{name}, {published.sources()[source]['url']}"


#: What is calibrated to a test of `latency.toml`.
KINDS = f"the slower pages 1.28 times as long: calibrated to {_row('980pro-rr-q1-spdk')}"


#: Reads at a depth tell the time of the chips, that at depth 1 less it the controller's.
DEPTH = {
    "samsung-970-evo-500gb": f"to {_row('pm981a-512-mix100-q1')} and {_row('pm981a-256-rr-q64')}",
    "samsung-970-evo-plus-500gb": f"to {_row('pm981a-512-mix100-q1')} and {_row('pm981a-256-rr-q64')}",
    "samsung-980-pro-1tb": f"to {_row('980pro-rr-q1-spdk')} and {_row('980pro-rr-q256-spdk')}",
}
VARIES = "programs of chips differ; planes get out of step by 5 % as by 30 %"


def _why_joined(model: Model) -> str:
    template = model.template
    if template.joined == 1:
        return f"{template.planes} planes in all"
    return f"{template.planes} planes in all; the {template.joined} of a die read and program together, as one with larger pages: reads at a depth show no more"


def _why_controller(model: Model) -> dict[str, tuple[str, str]]:
    both = " and ".join(map(_row, ("pm981a-512-mix0-q1", "980pro-rr-q1-spdk")))
    own = ("calibrated", f"to {both}, for all drives with PCIe")
    if model.drive.link == "sata":
        own = ("assumed", "twice that of PCIe: no row of a SATA drive is nearer")
    marks = {f"device.controller.{op}_ns": own for op in ("read", "write")}
    tail = ("calibrated", f"to p99 less p50 of {_row('pm981a-512-mix0-q1')}, which is the mean times ln 50, for all drives")  # fmt: skip
    marks["device.controller.jitter_ns"] = tail
    if model.template.commands:
        marks["device.controller.commands_per_s"] = ("known", f"rated by the maker, the larger of reads and writes, as printed at {model.template.commands[1]}")  # fmt: skip
    if "flush" in model.controller_us:
        marks["device.controller.flush_ns"] = ("calibrated", f"to {_row('980-fsync-q1')}, for all of the maker")  # fmt: skip
    if model.template.reads_us:
        marks["device.controller.read_ns"] = ("calibrated", DEPTH[model.drive.name])
    return marks


def _why_map(where: str, table: dict[str, Any]) -> dict[str, tuple[str, str]]:
    size = f"recalled: {table['cache_bytes'] >> 20} MiB of "
    cache = {
        "hmb-64mb": size + "host memory",
        "hmb": size + "host memory, as the Samsung 980 has",
        "dram-reduced": size + "DRAM, a quarter of the map",
    }
    return {
        "device.map.cache_bytes": ("assumed", cache[where]),
        "device.map.entry_bytes": ("derived", "4 bytes for each unit of 4 KiB"),
        "device.map.access_ns": (
            "assumed",
            "DRAM" if where == "dram-reduced" else "a read over PCIe",
        ),
    }


def _why_planes(model: Model, printed: str) -> tuple[str, str]:
    if model.folds_at_once:
        return "assumed", "as many as fold; this drive's cache takes what the host writes"
    return (
        "calibrated",
        f"to the speed past the cache, {printed}; a controller feeds so many planes",
    )


def _why_folding(model: Model, printed: str) -> tuple[str, str]:
    if model.folds_at_once:
        return "calibrated", f"to the last speed of {printed}; a controller feeds so many planes"
    return (
        "derived",
        "as many as write past the cache, or more, so that all planes fold in whole rounds",
    )


def _why_falling(model: Model) -> str:
    if model.template.rule == "table":
        return "; from where free room of the user ends it falls to none: derived"
    if model.template.rule != "falling":
        return ""
    own = model.drive.name == "intel-660p-1tb"
    return "; 12 GB at 80 % full are " + ("printed" if own else "borrowed from the Intel 660p")
