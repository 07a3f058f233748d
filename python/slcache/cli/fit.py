"""The verb `fit`: a device file for scheme `client`, from the log of a drive that was filled."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from slcache.cli import console, stdout
from slcache.cli import options as opt
from slcache.errors import RunError, about
from slcache.files import Transaction
from slcache.options import no_folder, option, parsing
from slcache.tables.table import Cells
from slcache.units import significant

if TYPE_CHECKING:
    from slcache.bandwidth.curves import Phases
    from slcache.charts.performance import Points
    from slcache.fit import FitCheck, Fitted
    from slcache.fit.latency import LatencyTest
    from slcache.fit.simulation import TestRow

    Near = Sequence[tuple[LatencyTest, Sequence[TestRow]]]


#: The device file, and its pictures.
_ENDS = (".toml", ".svg", ".png")
#: What the table calls what is fitted, its unit, and how many of the key's it has.
_ROWS = {
    "slc speed": ("speed into the cache", "MB/s", 1e6),
    "dense speed": ("speed past the cache", "MB/s", 1e6),
    "fold speed": ("speed of folding", "MB/s", 1e6),
    "slc.program_ns": ("SLC program", "µs", 1e3),
    "dense.program_ns": ("dense program, one shot", "µs", 1e3),
    "fold.program_ns": ("program of a fold", "µs", 1e3),
    "usable": ("all cells dense", "GB", 1e9),
    "cache": ("cache", "GB", 1e9),
    "busy": ("folded per page past the cache", "pages", 1.0),
    "read_ns": ("dense read", "µs", 1e3),
    "planes": ("planes", "", 1.0),
    "host.turnaround_ns": ("host, between requests", "µs", 1e3),
    "controller.read_ns": ("controller, a read", "µs", 1e3),
    "controller.write_ns": ("controller, a write", "µs", 1e3),
    "controller.flush_ns": ("controller, a flush", "µs", 1e3),
    "controller.commands_per_s": ("controller, at most", "thousand a second", 1e3),
    "buffer.stripe_planes": ("planes of a stripe", "", 1.0),
    "buffer.stripes_in_flight": ("stripes at a time", "", 1.0),
    "buffer.run_overhead_ns": ("stripe, beside its programs", "µs a unit", 1e3),
}
#: Figures of a test, and how their columns are titled.
_FIGURES = {"iops": "IOPS", "p50": "p50 µs", "p99": "p99 µs", "p99_9": "p99.9 µs"}


@dataclass(frozen=True, kw_only=True)
class FitOptions(opt.ProgressOptions):
    """What is fitted beside the log of a fill, and where it goes."""

    log: Path | None = opt.argument(
        "[LOG]", "fio's bandwidth log (fill_bw.1.log), or CSV with gb,mb_s.", default=None
    )
    out: Path | None = option(
        "FILE.toml",
        "Write the device file here, and its pictures to the same folder.",
        alias="-o",
        check=no_folder,
    )
    user: int | None = option(
        "SIZE",
        "The drive's size, such as 1TB; the log must cover all of it.",
        read=parsing.some_bytes,
    )
    bits: int | None = option(
        "3|4", "Bits per dense cell (default: both, in two files).", range=(3, 4)
    )
    link: str | None = option("NAME", "The host link, such as pcie4x4.")
    job: str | None = option("/dev/NAME", "Print the fio job that measures this drive.")
    latency: list[Path] | None = option(
        "FILE",
        "Measured latencies: fio's JSON or latency log, or CSV with rw,bytes,depth,iops,... "
        "Repeat it.",
        several=True,
    )


@opt.verb
def fit(target: FitOptions) -> None:
    """Fit a device for the scheme client to the log of a drive that was filled.

    The log is of one sequential write of the whole drive, erased before. Its phases give the
    cache, the dense cells and the speeds. Each key of the file is marked: known, fitted (with
    an interval), assumed, or not identifiable. Then the job of --job is simulated on the
    device and drawn over the log. A device that differs by more than 15 % anywhere is not
    fitted, and not written. Latencies give the times of reads, controller, flushes and host,
    separate planes from program times, and show how the buffer is written back. Each latency
    test is simulated too, and large differences are reported.

    Examples:
      slcache fit --job /dev/nvme1n1 > fill.fio
      slcache fit fill_bw.1.log --user 1TB --bits 3 --out drive.toml
      slcache fit fill_bw.1.log --latency reads.json --latency writes.json --out drive.toml
      slcache run trace.csv --scheme client --device drive.toml

    """
    if target.job is not None:
        more = target.log is not None or target.out is not None or bool(target.latency)
        _print_job(target.job, more)
        return
    if target.log is None or target.out is None:
        missing = "'LOG'" if target.log is None else "'--out'"
        raise opt.wrong("missing; only --job goes without", missing)
    if target.out.suffix != ".toml":
        raise opt.wrong(f"{target.out}: a device file ends in .toml", "--out")
    _fit(target.log, target.out, target)


def _print_job(device: str, more: bool) -> None:
    if more:
        raise opt.wrong("prints a job and fits nothing: leave LOG, --out and --latency out")
    if not re.fullmatch(r"/dev/[A-Za-z0-9/_.-]+", device):
        raise opt.wrong(f"{device!r}: expected a block device such as /dev/nvme1n1", "--job")
    from slcache import fit

    stdout().write(fit.job_text(device))


def _fit(log: Path, out: Path, target: FitOptions) -> None:
    from slcache import fit
    from slcache.fit.device import MODES

    latency = target.latency or []
    several = (target.bits,) if target.bits else tuple(MODES)
    stems = {b: out.stem if target.bits else f"{out.stem}-{MODES[b]}" for b in several}
    names = [f"{stem}{end}" for stem in stems.values() for end in _ENDS]
    written: list[str] = []
    refused: list[str] = []
    with (
        Transaction(out.parent, names, [log, *latency]) as files,
        console.meter(target.meter) as meter,
    ):
        fill, phases, again = fit.fill(log, target.user)
        waits = fit.tests_of(latency)
        for b, stem in stems.items():
            found = fit.fitted(fill, phases, again, b, target.user, target.link, waits)
            judged = fit.judge(found, fill, phases, meter)
            near = fit.near(found, waits)
            state = f"{stem}: erased before the fill, never overwritten, not steady"
            console.show(state, _table(found), *_judged(near), _beside(judged, phases))
            if judged.off:
                refused.append(f"{stem}: not fitted: {'; '.join(_reasons(found, judged))}")
                continue
            for told in _far(near):
                console.note(f"{stem}: {told}")
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
    stem: str, found: Fitted, judged: FitCheck, shown: tuple[Points, Phases]
) -> dict[str, bytes]:
    """Return the files of a fitted device, by name: itself, and its pictures."""
    from slcache.charts import performance, pictures

    picture = performance.fit(*shown, judged.drawn(), stem)
    every = (found.text.encode(), *(pictures.written(picture, kind) for kind in (".svg", ".png")))
    return {f"{stem}{end}": each for end, each in zip(_ENDS, every, strict=True)}


def _reasons(found: Fitted, judged: FitCheck) -> list[str]:
    """Return where a device is not like its log, and why, if that is known."""
    from slcache.fit import TOLERANCE
    from slcache.fit.device import MODES

    told = f"within {100 * TOLERANCE:.0f} %"
    why = (
        f"all cells as {MODES[found.bits].upper()} would hold {found.found.usable / 1e9:,.4g} GB "
        "by these phases, less than the drive"
    )
    return [f"{judged.off[0]} ({told})", *judged.off[1:], *([why] if found.raised else [])]


def _table(found: Fitted) -> Cells:
    """Return what was fitted, with its marks: a row for each value."""
    from slcache.fit.device import MODES

    title = f"{MODES[found.bits].upper()}: {found.found.reading}"
    return Cells(["", "value", "95 %", ""], _rows(found), title=title)


def _rows(found: Fitted) -> Iterator[tuple[str, str, str, str]]:
    """Yield what was fitted, a row for each value."""
    every = {**found.values, **found.given.told}
    for key, (name, unit, scale) in _ROWS.items():
        if (told := every.get(key)) is None:
            continue
        ranges = told.ranges or ((),) * len(told.values)
        for place, (value, ends) in enumerate(zip(told.values, ranges, strict=True), 1):
            which = f"{name}, page {place}" if len(told.values) > 1 else name
            interval = " to ".join(significant(end / scale, 4) for end in ends) or "–"
            yield which, f"{significant(value / scale, 4)} {unit}".rstrip(), interval, told.mark


def _judged(near: Near) -> list[Cells]:
    """Return the figures of tests beside those of the device."""
    told = []
    for test, rows in near:
        for side in dict.fromkeys(row.side for row in rows):
            found = {row.figure: row for row in rows if row.side == side}
            if "p50" not in found and "mean" in found:
                found["p50"] = found["mean"]
            name = test.title + (f": {side}" if len(test.figures) > 1 else "")
            told.append([name, *(_pair(found.get(figure)) for figure in _FIGURES)])
    return [Cells(["latency, measured and device", *_FIGURES.values()], told)] if near else []


def _pair(row: TestRow | None) -> str:
    if row is None:
        return "–"
    told = ", ".join(significant(value, 4) for value in (row.measured, row.ours))
    return told if row.holds else f"{told} (far)"


def _far(near: Near) -> Iterator[str]:
    """Yield which figures of tests the device is not near to."""
    for test, rows in near:
        far = [f"{row.side} {_FIGURES.get(row.figure, 'mean')}" for row in rows if not row.holds]
        if far:
            yield f"{test.title}: the device is not near in {', '.join(far)}"


def _beside(judged: FitCheck, phases: Phases) -> Cells:
    """Return the phases of the log beside those of the device under the same job."""
    stalls = f"{len(phases.stalls)} stalls of the log are left out of its phases"
    rows = (
        [
            row.name,
            *("–" if value is None else significant(value, 4) for value in row.to_gb),
            *(f"{value:,.0f}" for value in row.mb_per_s),
        ]
        for row in judged.rows
    )
    return Cells(
        ["log and device", "to GB", "device", "MB/s", "device"],
        rows,
        caption=stalls if phases.stalls else "",
    )
