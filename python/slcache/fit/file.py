"""The device file of a fit, and on what each of its keys stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path

from slcache.drives import trials
from slcache.fit import device, measured
from slcache.fit.device import Found, Reading
from slcache.fit.lines import Source
from slcache.fit.measured import Ground, Told
from slcache.options import parsing

#: On what keys stand that no log tells.
_GROUNDS = Path(__file__).with_name("grounds.toml")
#: The most blocks of a plane, and planes of a die.
_MOST_BLOCKS, _MOST_PLANES = 65_536, 16
_PROTECTED = "without it a cache that is emptied beside the writes pads each page that is left over"


def text(
    found: Found,
    values: Mapping[str, Told],
    at: device.Shape,
    bits: int,
    given: device.Given,
    log: Source,
) -> str:
    """Return the device file."""
    user_bytes = given.user_bytes
    count, _ = device.blocks(values["usable"].value, user_bytes, at, bits)
    if count > _MOST_BLOCKS:
        told = f"{count:,} blocks of a plane, more than {_MOST_BLOCKS:,}"
        raise ValueError(f"{told}: the cache is too small beside the drive")
    count_channels = device.channels(at.planes, found.slc)
    per_channel = at.planes // count_channels
    chips = next(n for n in _divisors(per_channel) if per_channel // n <= _MOST_PLANES)
    times = {key: f"{round(each.value):_}" for key, each in values.items()}
    row = at.row_bytes
    cap = ""
    if found.reading != Reading.whole:
        cap = f"dynamic.max_bytes = {max(1, round(found.cache / row)) * row:_}\n"
    if found.busy is not None:
        cap += f"flush.busy_ratio = {found.busy:.3f}\nreopen = 0\n"
    form = (resources.files("slcache.fit") / "fitted.toml.txt").read_text("utf-8")
    content = form.format(
        mode=device.MODES[bits],
        size=f"{user_bytes / 1e9:,.0f} GB {device.MODES[bits].upper()}",
        user_bytes=f"{user_bytes:_}",
        page=device.PAGE_BYTES,
        unit=trials.UNIT_BYTES,
        plp=str(found.is_protected).lower(),
        channels=count_channels,
        chips=chips,
        planes=per_channel // chips,
        blocks=count,
        wordlines=at.wordlines,
        ps=device.PS_PER_BYTE,
        slc_read=f"{device.SLC_READ_NS:_}",
        read=", ".join(f"{ns:_.0f}" for ns in _reads(given, bits)),
        erase=f"{device.ERASE_NS:_}",
        slc_program=times["slc.program_ns"],
        program=times["dense.program_ns"],
        fold=times["fold.program_ns"],
        buffer=_lines(given, "buffer", {"bytes": 2 * at.planes * bits * device.PAGE_BYTES}),
        controller=_lines(given, "controller", _controller(given.link)),
        host=_host(given),
        held=trials.HELD_NS,
        keep=device.KEEP_BLOCKS,
        cap=cap,
    )
    statement = f"fitted to {log.path.name}, sha256 {log.sha256}: {found.reading}"
    return content + "\n" + measured.section(statement, _grounds(found, values, at, bits, given))


def _divisors(count: int) -> Iterator[int]:
    return (n for n in range(1, count + 1) if count % n == 0)


def _reads(given: device.Given, bits: int) -> Sequence[float]:
    """Return the read time of each kind of dense page."""
    told = given.told.get("read_ns")
    return trials.page_reads(device.READ_NS, bits) if told is None else told.values


def _lines(given: device.Given, section: str, assumed: Mapping[str, float]) -> str:
    """Return the keys of a section: what is told of it goes before what is assumed."""
    told = {key.partition(".")[2]: each.value for key, each in given.told.items()
            if key.startswith(f"{section}.")}  # fmt: skip
    return "\n".join(f"{key} = {value:_.0f}" for key, value in {**assumed, **told}.items())


def _controller(link: str | None) -> dict[str, float]:
    """Return the controller's times where nothing tells."""
    return {f"{op}_ns": ns for op, ns in {**trials.command_ns(link), "flush": 0}.items()}


def _host(given: device.Given) -> str:
    """Return the section of the host, if anything is known of it."""
    lines = [f'link = "{given.link}"'] if given.link else []
    lines += [_lines(given, "host", {})] if "host.turnaround_ns" in given.told else []
    return "\n".join(["[host]", *lines]) + "\n\n" if lines else ""


def _grounds(
    found: Found, values: Mapping[str, Told], at: device.Shape, bits: int, given: device.Given
) -> dict[str, Ground]:
    """Return on what the keys of the file stand."""
    pool, mode, client = (
        "device.pool[0]",
        f"device.pool[0].{device.MODES[bits]}",
        "scheme-defaults.client",
    )
    row, as_logged = at.row_bytes, Ground("assumed", "what the log holds")
    cells = values["usable"].ground(row * bits, 1, device.KEEP_BLOCKS)
    if device.blocks(values["usable"].value, given.user_bytes, at, bits)[1]:
        cells = replace(cells, source=f"{cells.source}; raised to hold the user's data")
    grounds = {
        key.replace("MODE", device.MODES[bits]): Ground(kind, why)
        for kind, rows in parsing.toml_file(_GROUNDS).items()
        for key, why in rows.items()
    }
    grounds |= {
        "device.user_bytes": Ground("known", "--user") if given.is_stated else as_logged,
        f"{pool}.blocks": cells,
        f"{pool}.slc.program_ns": values["slc.program_ns"].ground(),
        f"{mode}.program_ns": values["dense.program_ns"].ground(),
        f"{mode}.fold.program_ns": values["fold.program_ns"].ground(),
    }
    if found.is_protected:
        grounds["device.plp"] = Ground("assumed", _PROTECTED)
    if given.link:
        grounds["host.link"] = Ground("known", "--link")
    for key, told in given.told.items():
        place = {"planes": f"{pool}.planes", "read_ns": f"{mode}.read_ns"}.get(key, key)
        place = f"device.{place}" if key.startswith("controller.") else place
        grounds[place] = _planes(told) if key == "planes" else told.ground()
    if found.reading != Reading.whole:
        grounds[f"{client}.dynamic.max_bytes"] = values["cache"].ground(row, row)
    if found.busy is not None:
        grounds[f"{client}.flush.busy_ratio"] = values["busy"].ground(0.001, 0.001)
        grounds[f"{client}.reopen"] = Ground("assumed", "the cache is back when it is empty")
    return grounds


def _planes(told: Told) -> Ground:
    """Return on what the number of planes stands: of all channels, so the interval is a word."""
    if not told.ranges:
        return told.ground()
    (low, high), kind = told.ranges[0], "not-identifiable" if told.problem else "fitted"
    why = told.problem or "if a flush takes no time of its own"
    return Ground(kind, f"{told.log}: {low:.2f} to {high:.2f} planes of all channels, {why}")
