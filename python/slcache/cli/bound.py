"""The verb `bound`: what no SLC cache can keep from dense programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slcache import bounds, units
from slcache.charts import pictures
from slcache.cli import console
from slcache.cli import options as opt
from slcache.options import option
from slcache.tables.table import Columns, Table


@dataclass(frozen=True, kw_only=True)
class BoundOptions(opt.OutputOptions, bounds.DeviceBoundArguments):
    """A bound, printed and drawn."""

    picture: Path | None = option(
        "FILE.png|svg|pdf",
        "Draw the bound over the cache size.",
        check=opt.checked_picture(*pictures.FLAT),
    )


@opt.verb
def bound(asked: BoundOptions) -> None:
    """Compute the least dense writes of any scheme, by the size of its SLC cache.

    A version of a mapping unit lives from its write to the next write or trim. Without
    a dense write, the cache must hold the version all that time. So a cache of a
    given size can hold only some versions; all others are dense writes, whatever
    the scheme does. The bound is their least number: exact for a cache of single
    units, lower than a real scheme with whole blocks can reach. It does not cover
    latency or garbage collection among dense blocks.

    The controller's memory (write buffer, merge buffer) counts as cache. The bound does
    not hold for schemes that turn SLC pages dense in place (ips, ips-agc,
    ips-coop).

    With --device, units, sizes and the DRAM buffer are the device's. The table then
    also has the least program time of the flash arrays, and the least wear.

    Examples:
      slcache bound web.csv.gz
      slcache bound web.csv.gz --sizes 64MiB..4GiB*2 --picture bound.svg
      slcache bound web.csv.gz --sizes 256MiB,1GiB --unit 16KiB --json
      slcache bound web.csv.gz --device hierarchy-44g --address compact

    """
    if asked.device is not None:
        found = bounds.on_device.of(asked)
    else:
        opt.refuse(asked, ("settings", "address"), "is for a device: give --device")
        found = bounds.of_trace.of(asked)
    if asked.picture is not None:
        pictures.save_bound(found, asked.picture)
    drawn = console.written("drawn", asked.picture)
    of = f"{found['device']}: no run" if "device" in found else "no device and no run"
    state = f"{of}: a bound of whatever scheme, in whatever state"
    console.answer(asked.form, found, [state, *_lines(found), *drawn])


def _columns(found: Mapping[str, Any]) -> Columns:
    """Return the columns of a bound; some are of a device alone."""
    unit, written = found["unit_bytes"], found["versions"]
    columns: Columns = {
        "SLC cache": "bytes",
        "blocks per plane": lambda row: units.significant(row["blocks_per_plane"]),
        "dense at least": lambda row: units.size(row["least"] * unit),
        "per unit written": lambda row: f"{row['least'] / written:.3f}",
        "emptied at the end": lambda row: units.size(row["least_drained"] * unit),
        "kept": lambda row: units.percent(row["kept"] / written),
        "program time": "program_ns_least",
        "wear": lambda row: (
            "–"
            if (lives := row["block_lives_least"]) is None
            else f"{units.significant(lives)} lives"
        ),
    }
    hidden = _OF_A_TRACE if "device" in found else _OF_A_DEVICE
    return {title: source for title, source in columns.items() if title not in hidden}


#: What a table for programs has in units of the mapping, and in others that no name tells.
_COUNTS = ("kept", "kept_died", "least", "least_drained")
_UNITS = {"program_ns_least": "ns", "block_lives_least": "lives"}
_OF_A_DEVICE, _OF_A_TRACE = ("blocks per plane", "program time", "wear"), ("per unit written",)


def _lines(found: Mapping[str, Any]) -> Iterator[Table | str]:
    """Yield the table of a bound, and what to know of it."""
    unit, device = found["unit_bytes"], found.get("device")
    written = f"{units.size(found['versions'] * unit)} written in units of {units.size(unit)}"
    where = "" if device else f", to {units.size(found['units'] * unit)}"
    title = f"{found['file']}{f' on {device}' if device else ''}: {written}{where}"
    counts = dict.fromkeys(_COUNTS, f"units of {unit} bytes")
    yield Table(found["sizes"], _columns(found), units=_UNITS | counts, title=title)
    yield from (_on_device if device else _kept)(found)


def _kept(found: Mapping[str, Any]) -> Iterator[str]:
    alive = units.size(found["alive_max"] * found["unit_bytes"])
    yield f"At most {alive} are alive at once: a cache of that size keeps everything."


def _on_device(found: Mapping[str, Any]) -> Iterator[str]:
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
