"""The verb `design nvc`: the SLC region of a flash cache chosen for a lifespan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.text import Text

from slcache.cli import checks, console, joint
from slcache.cli import options as opt
from slcache.files import Transaction
from slcache.files import inputs as files_of
from slcache.tables.sheets import Sheet
from slcache.tables.tabular import Column, Table
from slcache.words import units
from slcache.words.leaves import leaves

if TYPE_CHECKING:
    from slcache.design import Design
    from slcache.design.point import Point


def _lifespan(value: str) -> None:
    from slcache.design.constraint import Constraint

    Constraint.read(value)


#: Beside the constraint.
Goal = Annotated[Literal["latency", "energy"], typer.Option(help="What is to be small.")]


def nvc(
    *,
    lifespan: Annotated[
        str,
        opt.option(
            "Nx|SIZE",
            "The least lifespan: so many times that of the chip without SLC blocks (2x), or bytes "
            "of host writes (50T).",
            callback=checks.readable(_lifespan),
        ),
    ],
    trace: Annotated[str | None, opt.option("FILE", "A block trace, plain or compressed.")] = None,
    workload: Annotated[
        str | None,
        opt.option(
            "PRESET|FILE.toml",
            "A workload in place of a trace (see [bold]slcache trace workloads[/bold]).",
        ),
    ] = None,
    device: Annotated[str, opt.device("A device with a disk behind its flash.")] = "nvc-hdd",
    goal: Goal = "latency",
    policy: Annotated[
        int, typer.Option(min=0, max=3, help="The paper's policy for the flash.")
    ] = 0,
    candidates: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Sizes are multiples of one so-manyth of the blocks (default: 32, or every block "
            "of a plane where there are fewer).",
        ),
    ] = None,
    only_full_chip: Annotated[
        bool,
        opt.flag(
            "--only-full-chip",
            "Measure a region alone as if it had all blocks, not those that are left to it.",
        ),
    ] = False,
    passes: Annotated[
        int,
        typer.Option(
            min=1,
            max=100,
            help="The last of so many passes of the trace counts; the first begins with empty "
            "flash.",
        ),
    ] = 2,
    quick: Annotated[
        bool, opt.flag("--quick", "Only the beginning of the trace, in under a minute.")
    ] = False,
    sets: opt.Sets = None,
    reader: joint.Recording,
    address: opt.AddressPolicy = None,
    replay: opt.Replay = None,
    seed: opt.Seed = None,
    where: joint.SpreadOut,
    out: Annotated[
        Path | None,
        opt.option(
            "DIR",
            "Where design.json, .svg and .png are written and, in store, runs are kept (default: "
            "out/design/nvc). Run again to resume.",
        ),
    ] = None,
    form: joint.Shown,
    progress: opt.Progress = "auto",
) -> None:
    """Find the smallest SLC region of a flash cache that lasts long enough.

    Blocks in SLC mode endure more and hold less: the more of them, the longer
    the cache lasts and the more it misses. Candidates are simulated, both
    regions together and each alone; the lifespan follows from what a pass of
    the trace programs, as if it were repeated until all blocks are worn out.
    So it is not the first pass that counts: runs of two passes less those of
    one ([bold]--passes[/bold]); latency, energy and misses are of that pass too.
    A coarse grid is followed by bisection, and both neighbours of the answer
    are simulated too. A key of the workload is changed by
    [bold]--trace-option workload.KEY=VALUE[/bold].

    A lifespan that no region reaches is an answer (status 0, r_min null in
    --json): told is the region that comes nearest, and by how much it fails.

    \b
    [bold]Examples[/bold]
      slcache design nvc --workload nvc-financial1 --lifespan 2x --quick
      slcache design nvc --trace oltp.spc.gz --lifespan 50T --goal energy
      slcache design nvc --trace oltp.spc.gz --lifespan 2x --policy 3 --out d3
    """
    path = _trace(trace, workload)
    from slcache import design
    from slcache.design.outcome import FILES

    folder = out or Path("out") / "design" / "nvc"
    with (
        Transaction(folder, FILES, files_of(path, device)) as files,
        console.meter(progress) as meter,
    ):
        found = design.nvc(
            path,
            lifespan=lifespan,
            goal=goal,
            device=device,
            policy=policy,
            candidates=candidates,
            only_full_chip=only_full_chip,
            passes=passes,
            quick=quick,
            settings=joint.settings(sets, address),
            trace_options=reader,
            replay=replay,
            seed=seed,
            keep=folder,
            progress=meter,
            **where,
        )
        for name, content in found.files().items():
            files.write(name, content)
    _print(found, form, folder)


def _trace(trace: str | None, workload: str | None) -> str:
    """Return what is run: a trace or a workload, one of them and such as can be read again."""
    from slcache.design.region import check_trace
    from slcache.traces.api import is_workload

    if (trace is None) == (workload is None):
        raise typer.BadParameter("give one of --trace and --workload")
    if workload is not None and not is_workload(workload):
        hint = "; to change a key of a workload, give --trace-option workload.KEY=VALUE"
        raise typer.BadParameter(
            f"{workload!r} is neither a preset nor a .toml file{hint if '=' in workload else ''}",
            param_hint="--workload",
        )
    path = trace if workload is None else workload
    assert path is not None
    with checks.told():
        check_trace(path)
    return path


def _print(found: Design, form: opt.Form, folder: Path) -> None:
    for size, reason in found.left_out.items():
        blocks = "block is" if size == 1 else "blocks are"
        console.note(f"{units.count(size)} SLC {blocks} left out: {reason}")
    if console.in_form(form, found.to_json, lambda: [_sheet(found)]):
        return
    from slcache import design

    console.show(_table(found), *(Text(line) for line in design.sentences(found)))
    console.show(Text(f"picture: {folder / 'design.png'}"))


def _sheet(found: Design) -> Sheet:
    """Return the points tried with all that is known of each, the chosen one marked."""
    rows = [
        {**dict(leaves(told)), "chosen": point is found.chosen}
        for point, told in zip(found.points, found.to_dict()["points"], strict=True)
    ]
    return Sheet(rows)


def _table(found: Design) -> Table:
    """Return the points tried, the chosen one marked."""
    titles = ["SLC blocks", "SLC", "lifespan", "of no SLC", "read latency", "energy", "misses"]
    table = Table("r", [*titles, Column("worn out first", text=True)])
    for point in found.points:
        style = "bold green" if point == found.chosen else ""
        table.add(*(Text(cell, style) for cell in _cells(found, point)))
    return table


def _cells(found: Design, point: Point) -> list[str]:
    from slcache.design.wording import factor, share

    return [
        share(point),
        units.count(point.slc_blocks),
        units.size(point.slc_bytes),
        units.size(point.life_bytes),
        factor(found.times(point)),
        "–" if point.read_us is None else units.duration(point.read_us),
        f"{units.significant(point.energy_j)} J",
        "–" if point.miss_rate is None else units.percent(point.miss_rate),
        point.lifespan.first,
    ]
