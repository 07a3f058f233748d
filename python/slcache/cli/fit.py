"""The verb `fit`: a device file for scheme `client`, from the log of a drive that was filled."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from slcache.cli import console
from slcache.cli import options as opt
from slcache.cli.cliff import size_bytes
from slcache.cli.streams import results
from slcache.errors import RunError, about
from slcache.files import Transaction
from slcache.tables.tabular import Column, Table
from slcache.words.units import significant

if TYPE_CHECKING:
    from slcache.bandwidth.phases import Phases
    from slcache.fit import Fitted
    from slcache.fit.device import Given
    from slcache.fit.judged import Judged
    from slcache.fit.latency import Latencies
    from slcache.plots.fit import Curve

#: The device file, and its pictures.
_ENDS = (".toml", ".svg", ".png")
#: What the table calls what is fitted, its unit, and how many of the key's it has.
_ROWS = {
    "cache": ("cache", "GB", 1e9),
    "usable": ("all cells dense", "GB", 1e9),
    "slc.program_ns": ("SLC program", "µs", 1e3),
    "dense.program_ns": ("dense program, one shot", "µs", 1e3),
    "fold.program_ns": ("program of a fold", "µs", 1e3),
    "busy": ("folded per page past the cache", "pages", 1.0),
}


def fit(
    log: Annotated[
        Path | None,
        opt.argument("[LOG]", "fio's bandwidth log (fill_bw.1.log), or CSV with gb,mb_s."),
    ] = None,
    out: Annotated[
        Path | None,
        opt.option("FILE.toml", "The device file; pictures lie beside it.", "--out", "-o"),
    ] = None,
    user: Annotated[
        str | None, opt.option("SIZE", "The drive's size, such as 1TB: the log must be of it.")
    ] = None,
    bits: Annotated[
        int | None,
        typer.Option(min=3, max=4, help="Bits of a dense cell; without it a file for each."),
    ] = None,
    link: Annotated[str | None, opt.option("NAME", "The host link, as in host.link.")] = None,
    job: Annotated[
        str | None, opt.option("/dev/NAME", "Print the fio job that makes a log, and end.")
    ] = None,
    latency: Annotated[
        list[Path] | None,
        opt.option(
            "FILE", "fio's latency log of random reads, or of synchronous writes; once for each."
        ),
    ] = None,
    progress: opt.Progress = "auto",
) -> None:
    """Fit a device for the scheme client to the log of a drive that was filled.

    The log is of one sequential write of the whole drive, erased before. Its
    phases tell the cache, the cells behind it and the speeds. Every key of the
    file is marked: known, fitted (with an interval), assumed, or not
    identifiable. The job that --job prints is then simulated on the device and
    drawn over the log: a device that differs by more than 15 % anywhere is not
    fitted, and not written. Latency logs of single requests tell times of
    reads, and planes apart from the times of programs: half of them is fitted,
    the other half judges.

    \b
    [bold]Examples[/bold]
      slcache fit --job /dev/nvme1n1 > fill.fio
      slcache fit fill_bw.1.log --user 1TB --bits 3 --out drive.toml
      slcache fit fill_bw.1.log --latency read_lat.1.log --out drive.toml
      slcache run trace.csv --scheme client --device drive.toml
    """
    if job is not None:
        _print_job(job, log is not None or out is not None or bool(latency))
        return
    if log is None or out is None:
        missing = "'LOG'" if log is None else "'--out'"
        raise typer.BadParameter("missing; only --job goes without", param_hint=missing)
    if out.suffix != ".toml":
        raise typer.BadParameter(f"{out}: a device file ends in .toml", param_hint="--out")
    size = None if user is None else size_bytes("--user", user)
    _fit(log, out, size, bits, link, latency or [], progress)


def _print_job(device: str, more: bool) -> None:
    if more:
        raise typer.BadParameter(
            "prints a job and fits nothing: leave LOG, --out and --latency out"
        )
    if not re.fullmatch(r"/dev/[A-Za-z0-9/_.-]+", device):
        told = f"{device!r}: expected a block device such as /dev/nvme1n1"
        raise typer.BadParameter(told, param_hint="--job")
    from slcache.fit import job

    results().write(job.text(device))


def _fit(
    log: Path,
    out: Path,
    user_bytes: int | None,
    bits: int | None,
    link: str | None,
    latency: list[Path],
    progress: opt.When,
) -> None:
    from slcache import fit
    from slcache.fit import latency as latencies
    from slcache.fit.device import MODES

    several = (bits,) if bits else tuple(MODES)
    stems = {b: out.stem if bits else f"{out.stem}-{MODES[b]}" for b in several}
    names = [f"{stem}{end}" for stem in stems.values() for end in _ENDS]
    written: list[str] = []
    refused: list[str] = []
    with (
        Transaction(out.parent, names, [log, *latency]) as files,
        console.meter(progress) as meter,
    ):
        fill, phases, again = fit.fill(log, user_bytes)
        waits = latencies.several(latency)
        for b, stem in stems.items():
            found = fit.fitted(fill, phases, again, b, user_bytes, link, waits)
            judged = fit.judge(found, fill, phases, meter)
            console.show(_table(found), *_judged(found, waits), _beside(judged, phases))
            if judged.off:
                refused.append(f"{stem}: not fitted: {'; '.join(_reasons(found, judged))}")
                continue
            contents = _contents(stem, found, judged, (fill.curve(), phases))
            for name, content in contents.items():
                files.write(name, content)
            written += contents
        if not written:
            raise about(RunError(f"{log}: " + "\n  ".join(refused)), file=str(log))
    for told in refused:
        console.note(f"{told}; it is not written")
    console.show(Text("written: " + ", ".join(str(out.parent / name) for name in written)))


def _contents(
    stem: str, found: Fitted, judged: Judged, shown: tuple[Curve, Phases]
) -> dict[str, bytes]:
    """Return the files of a fitted device, by name: itself, and its pictures."""
    from slcache.plots import fit as drawing
    from slcache.plots import images

    figure = drawing.draw(*shown, judged.drawn(), stem)
    svg = images.svg(figure, stem, "log and fitted device").encode()
    every = (found.text.encode(), svg, images.png(figure))
    return {f"{stem}{end}": each for end, each in zip(_ENDS, every, strict=True)}


def _reasons(found: Fitted, judged: Judged) -> list[str]:
    """Return where a device is not like its log, and why, if that is known."""
    from slcache.fit.device import MODES
    from slcache.fit.judged import TOLERANCE

    told = f"within {100 * TOLERANCE:.0f} %"
    why = (
        f"all cells as {MODES[found.bits].upper()} would hold {found.found.usable / 1e9:,.4g} GB "
        "by these phases, less than the drive"
    )
    return [f"{judged.off[0]} ({told})", *judged.off[1:], *([why] if found.raised else [])]


def _table(found: Fitted) -> Table:
    """Return what was fitted, with its marks."""
    from slcache.fit.device import MODES
    from slcache.fit.evidence import FITTED

    title = f"{MODES[found.bits].upper()}: {found.found.reading}"
    table = Table("", ["value", "95 %", Column("", text=True)], title=title, boxed=False)
    for key, each in found.values.items():
        name, unit, scale = _ROWS[key]
        low, high = (significant(end / scale, 4) for end in found.ranges[key])
        interval = f"{low} to {high}" if each.mark == FITTED else "–"
        table.add(name, f"{significant(each.value / scale, 4)} {unit}", interval, each.mark)
    for name, cells in _latency_rows(found.given):
        table.add(name, *cells)
    return table


def _latency_rows(given: Given) -> Iterator[tuple[str, list[str]]]:
    """Yield what latencies tell, a row for each value."""
    rows = (
        ("dense read", "µs", 1e3, given.reads),
        ("planes", "", 1.0, given.planes),
        ("host, between requests", "µs", 1e3, given.turnaround),
    )
    for name, unit, scale, told in rows:
        if told is None:
            continue
        for value, ends in zip(told.values, told.ranges, strict=True):
            low, high = (significant(end / scale, 4) for end in ends)
            mark = "fitted" if told.problem is None else f"not identifiable: {told.problem}"
            yield name, [f"{significant(value / scale, 4)} {unit}", f"{low} to {high}", mark]


def _judged(found: Fitted, waits: Mapping[str, Latencies]) -> list[Table | Text]:
    """Return latencies that nothing was fitted to beside those of the device."""
    from slcache.fit import times

    table = Table(
        "latency, log and device", ["requests", "p50 µs", "p99 µs", "within 10 %"], boxed=False
    )
    for log in waits.values():
        each = times.judged(log, found.text)
        pairs = (each.p50_us, each.p99_us)
        ends = [", ".join(significant(us, 4) for us in pair) for pair in pairs]
        name = f"{each.kind} of {each.block_bytes // 1024} KiB"
        table.add(name, f"{each.requests:,}", *ends, f"{100 * each.near:.0f} %")
    return [table] if waits else []


def _beside(judged: Judged, phases: Phases) -> Table:
    """Return the phases of the log beside those of the device under the same job."""
    stalls = f"{len(phases.stalls)} stalls of the log are left out of its phases"
    table = Table(
        "log and device",
        ["to GB", "device", "MB/s", "device "],
        caption=stalls if phases.stalls else "",
        boxed=False,
    )
    for row in judged.rows:
        ends = ("–" if value is None else significant(value, 4) for value in row.to_gb)
        table.add(row.name, *ends, *(f"{value:,.0f}" for value in row.mb_per_s))
    return table
