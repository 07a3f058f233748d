"""The verb `bound`: what no SLC cache can keep from dense programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from slcache import bounds
from slcache.cli import checks, console, shared
from slcache.cli import options as opt
from slcache.given import quantity
from slcache.given.once import once
from slcache.report import pictures
from slcache.sentences.gains import lines_on_device as device_lines
from slcache.tables.sheets import Sheet
from slcache.tables.tabular import Table
from slcache.words import units


def bound(
    trace: opt.TracePath,
    /,
    *,
    sizes_bytes: Annotated[
        str | None,
        opt.option(
            "SIZE,...|FROM..TO*FACTOR",
            "Sizes of the SLC cache (default: 1 MiB, doubled until it keeps everything).",
            "--sizes",
        ),
    ] = None,
    unit_bytes: Annotated[
        int | None,
        opt.option(
            "SIZE",
            "The FTL's mapping unit (default: 4KiB, or the device's).",
            "--unit",
            read=quantity.size_bytes,
        ),
    ] = None,
    device: Annotated[
        str | None,
        opt.device(
            "Caches of this device: its units, sizes of whole blocks, program time and wear."
        ),
    ] = None,
    sets: opt.Sets = None,
    address: opt.AddressPolicy = None,
    reader: shared.DrawnTrace = shared.DrawnTrace(),
    picture: Annotated[
        Path | None,
        opt.option(
            "FILE.png|svg|pdf",
            "Draw the bound over the size.",
            validator=checks.checked_picture(*pictures.FLAT),
        ),
    ] = None,
    shown: shared.Shown = shared.Shown(),
) -> None:
    """Show what no SLC cache can keep from dense cells, by its size.

    A version of a unit lives from its write to the next one, or to a trim. What a cache
    never programs to dense cells it holds all that time, so a cache of some size can keep
    only so many; every other version is a dense write, whatever the scheme does. Told is
    the least of them, exact for a cache of single units and less than any real scheme has
    with whole blocks. It says nothing of latency, nor of cleaning among dense blocks.

    The controller's memory (write buffer, merge buffer) counts as cache. Schemes that turn
    SLC pages dense where they lie (ips, ips-agc, ips-coop) are not bound by it.

    With --device, units, sizes and the DRAM buffer are the device's. Told beside is the
    least time that the flash's arrays spend on programs, and the least wear.

    Examples:
      slcache bound web.csv.gz
      slcache bound web.csv.gz --sizes 64MiB..4GiB*2 --picture bound.svg
      slcache bound web.csv.gz --sizes 256MiB,1GiB --unit 16KiB --json
      slcache bound web.csv.gz --device hierarchy-44g --address compact

    """
    _check(device, unit_bytes, sets, address)
    with checks.told("--sizes"):
        sizes = None if sizes_bytes is None else _sizes(sizes_bytes)
    if device is not None:
        found = bounds.on_device(
            trace,
            device=device,
            sizes_bytes=sizes,
            settings=once(checks.pairs(sets).items()),
            trace_options=reader.options_of(trace),
            address=address,
        )
    else:
        found = bounds.of_trace(
            trace,
            sizes,
            unit_bytes=4096 if unit_bytes is None else unit_bytes,
            trace_options=reader.options_of(trace),
        )
    if picture is not None:
        pictures.save_bound(found, picture)
    lines = _lines if device is None else device_lines
    drawn = [] if picture is None else [f"drawn: {picture}"]
    sheet = Sheet(found["sizes"])
    console.answer(shown.form, found, lambda: [sheet], lambda: [*lines(found), *drawn])


def _check(
    device: str | None, unit: int | None, sets: list[str] | None, address: opt.Address | None
) -> None:
    """Refuse what has no effect with a device, or without one."""
    if device is None:
        checks.refuse({"sets": sets, "address": address}, "is for a device: give --device")
    else:
        checks.refuse({"unit_bytes": unit}, "the device has its own (device.mu_bytes)")


def _sizes(text: str) -> list[int]:
    """Return `64MiB,1GiB` or `64MiB..1GiB*2` in bytes; ValueError for what is neither."""
    first, dots, rest = text.partition("..")
    if not dots:
        return [quantity.size_bytes(part.strip()) for part in text.split(",")]
    last, _, factor = rest.partition("*")
    size, end = quantity.size_bytes(first), quantity.size_bytes(last)
    if not factor.isdecimal() or not 2 <= int(factor) <= 1024 or not 0 < size <= end:
        told = f"{text!r}: must be FROM..TO*FACTOR with a factor of 2 to 1024, such as 1MiB..4GiB*2"
        raise ValueError(told)
    found = []
    while size <= end:
        found.append(size)
        size *= int(factor)
    return found


def _lines(found: Mapping[str, Any]) -> Iterator[Table | str]:
    unit, versions = found["unit_bytes"], found["versions"]
    table = Table(
        "SLC cache",
        ["dense at least", "per unit written", "emptied at the end", "kept"],
        title=f"{found['file']}: {units.size(versions * unit)} written in units of "
        f"{units.size(unit)}, to {units.size(found['units'] * unit)}",
    )
    for row in found["sizes"]:
        table.add(
            units.size(row["bytes"]),
            units.size(row["least"] * unit),
            f"{row['least'] / versions:.3f}",
            units.size(row["least_drained"] * unit),
            units.percent(row["kept"] / versions),
        )
    yield table
    alive = units.size(found["alive_max"] * unit)
    yield f"At most {alive} are alive at once: a cache of that size keeps everything."
    sizes = [(share, bounds.reached(found, share)) for share in bounds.SHARES]
    told = [f"{units.percent(share)} with {units.size(size)}" for share, size in sizes if size]
    if told:
        yield f"Of all that is written at most so much is kept: {', '.join(told)}."
