"""Measures of a disk with flash in front of it: energy, rest, lifespan."""

from __future__ import annotations

from slcache.documents.pools import BITS, densest, slc_block_bytes
from slcache.reproduce.readers import Document, Reader, at, figure


def state_share(*names: str) -> Reader:
    """Return a reader of the share of the run that the disk was in some states."""

    def read(document: Document) -> float | None:
        states = (document.get("disk") or {}).get("states", [])
        whole = sum(state["time_s"] for state in states)
        chosen = sum(state["time_s"] for state in states if state["state"] in names)
        return chosen / whole if whole else None

    return read


def disk_busy(document: Document) -> float | None:
    """Return the share of the time up to the last operation that the disk served some."""
    told, until_ns = document.get("disk"), document["flash"].get("ops_until_ns")
    if told is None or not until_ns:
        return None
    return float(sum(op["time_us"] for op in told["ops"]) * 1000 / until_ns)


def moved_in_flash(document: Document) -> float | None:
    """Return the share of the service time of flash and disk that moves take in flash alone.

    What leaves for the disk is written there at another cost: `gc_time_share` has both.
    """
    told = document.get("disk")
    if told is None:
        return None
    flash = document["flash"]["ops"]
    moved = sum(op["time_us"] for op in flash if op["cause"] in ("gc", "migration"))
    whole = sum(op["time_us"] for op in [*flash, *told["ops"]])
    return float(moved / whole) if whole else None


def miss_rate(document: Document) -> float | None:
    """Return the misses among the reads that reach the flash."""
    missed, dram = figure("miss_rate")(document), figure("dram_hit_rate")(document)
    return None if missed is None or dram is None or dram >= 1 else missed / (1 - dram)


def programmed(document: Document) -> float | None:
    """Return the bytes programmed in both regions."""
    slc, dense = figure("slc_bytes")(document), figure("dense_bytes")(document)
    return None if slc is None or dense is None else slc + dense


def capacity_bytes(document: Document) -> float | None:
    """Return what the two regions of a chip hold together."""
    scheme = document["config"]["scheme"].get("nvc")
    pool = document["config"]["device"]["pool"][0]
    slc = scheme and scheme["slc_blocks"]
    if slc is None:
        return None
    return float(slc_block_bytes(pool) * (slc + BITS[densest(pool)] * (pool["blocks"] - slc)))


def slc_to_dense_blocks(document: Document) -> float | None:
    """Return SLC blocks per dense block."""
    scheme = document["config"]["scheme"].get("nvc")
    blocks = document["config"]["device"]["pool"][0]["blocks"]
    slc = scheme and scheme["slc_blocks"]
    return float(slc / (blocks - slc)) if slc and slc < blocks else None


MEASURES: dict[str, Reader] = {
    "disk_energy_j": at("disk", "energy_j"),
    "disk_power_w": at("disk", "mean_power_w"),
    "disk_spin_ups": at("disk", "spin_ups"),
    "disk_standby_share": state_share("standby"),
    "disk_busy_share": disk_busy,
    "flash_gc_time_share": moved_in_flash,
    "lifespan_bytes": at("lifespan", "own", "host_bytes"),
    "lifespan_full_chip_bytes": at("lifespan", "full_chip", "host_bytes"),
    "lifespan_tb": at("lifespan", "own", "host_bytes", per=1e12),
    "lifespan_full_chip_tb": at("lifespan", "full_chip", "host_bytes", per=1e12),
    "nvc_miss_rate": miss_rate,
    "programmed_bytes": programmed,
    "nvc_capacity_bytes": capacity_bytes,
    "slc_to_dense_blocks": slc_to_dense_blocks,
}
