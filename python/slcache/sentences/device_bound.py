"""The bound of a trace on a device: a table over the size of its cache, and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from slcache.tables.tabular import Table
from slcache.words import units


def lines(found: Mapping[str, Any]) -> Iterator[Table | str]:
    """Yield the table and what to know of it."""
    unit, versions = found["unit_bytes"], found["versions"]
    table = Table(
        "SLC cache",
        [
            "blocks per plane",
            "dense at least",
            "emptied at the end",
            "kept",
            "program time",
            "wear",
        ],
        title=f"{found['file']} on {found['device']}: {units.size(versions * unit)} written in "
        f"units of {units.size(unit)}",
    )
    for row in found["sizes"]:
        wear = row["block_lives_least"]
        table.add(
            units.size(row["bytes"]),
            units.significant(row["blocks_per_plane"]),
            units.size(row["least"] * unit),
            units.size(row["least_drained"] * unit),
            units.percent(row["kept"] / versions),
            units.duration(row["program_ns_least"] / 1e3),
            "–" if wear is None else f"{units.significant(wear)} lives",
        )
    yield table
    yield from _meant(found)


def _meant(found: Mapping[str, Any]) -> Iterator[str]:
    yield (
        "Every figure is the least of any scheme with a cache so large, but for ips, ips-agc and "
        "ips-coop; no one scheme need reach several at once."
    )
    if found["buffer_slots"]:
        size = units.size(found["buffer_slots"] * found["unit_bytes"])
        yield f"The DRAM buffer of {size} counts as cache beside the size."
    slc, dense = (found["unit_program_ns"][key] for key in ("slc", "dense"))
    if slc >= dense:
        yield (
            f"A cache saves no program time here: a unit takes {units.duration(slc / 1e3)} in SLC "
            f"cells and {units.duration(dense / 1e3)} in dense ones."
        )
    if all(row["block_lives_least"] is None for row in found["sizes"]):
        yield "The endurance of the cells is not known, so neither is the wear."
    else:
        yield "Wear is in lives of a block, summed over all blocks."
