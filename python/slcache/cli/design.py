"""The verb `design`: a size chosen so that bounds on metrics are kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.text import Text

from slcache.cli import checks, console, joint
from slcache.cli import options as opt
from slcache.tables.sheets import Sheet
from slcache.tables.tabular import Column, Table

if TYPE_CHECKING:
    from slcache.design import Sized


def design(
    *,
    trace: opt.TracePath,
    size: Annotated[
        list[str],
        opt.ranges("The key and the sizes it may have: A..B, A..B:STEP, A..B*FACTOR or a,b,c."),
    ],
    keep: Annotated[
        list[str],
        opt.option(
            "METRIC<=VALUE",
            "A bound on a metric, such as waf<=2, write_p99<=5ms or lifetime_host_bytes>=50TiB. "
            "Repeat it.",
        ),
    ],
    device: opt.MaybeDevice = None,
    scheme: opt.MaybeScheme = None,
    find: Annotated[
        Literal["smallest", "largest"], typer.Option(help="Which size that keeps them.")
    ] = "smallest",
    each: joint.Points,
    seed: opt.Seed = None,
    where: joint.SpreadOut,
    out: Annotated[
        Path | None,
        opt.option(
            "DIR", "Write design.json, .svg and .png and chosen.toml here. Run again to go on."
        ),
    ] = None,
    form: joint.Shown,
    progress: opt.Progress = "auto",
) -> None:
    """Find the smallest size that keeps bounds on metrics, or the largest.

    Any key with numbers is a size: blocks of a cache, bytes of a buffer, a
    queue depth. Bounds are on metrics of the result ([bold]slcache explain METRIC[/bold]).
    A coarse grid of five sizes is run first; bisection follows, and both
    neighbours of the answer are run too. Sizes that the device or the scheme
    refuses are left out. A metric that does not only rise or fall over the
    sizes that were tried is told.

    Bounds that no size keeps are an answer (status 0, size null in --json): told
    is what was measured at both ends, and which size comes nearest. Another verb
    finds the SLC region of a flash cache: [bold]slcache design nvc --help[/bold].

    \b
    [bold]Examples[/bold]
      slcache design hierarchy-web_0 --device hierarchy-44g --scheme baseline \\
        --size scheme.baseline.slc_blocks=4..84:4 --keep 'write_p99<=5ms'
      slcache design web.csv.gz --device ips-384g --scheme ips --find largest \\
        --size device.user_bytes=64GiB..256GiB:4GiB --keep 'waf<=2' --out found
    """
    from slcache import design as designs
    from slcache.design import told

    given = joint.configured(each["config"], device, None)
    joint.scheme(scheme, given)
    with console.meter(progress) as meter:
        found = designs.size(
            trace,
            device=device,
            scheme=scheme,
            size=checks.pairs(size),
            keep=keep,
            find=find,
            seed=seed,
            out=out,
            on_progress=meter,
            **each,
            **where,
        )
    for line in told.left_out(found):
        console.note(line)
    if console.in_form(form, found.to_json, lambda: [_sheet(found)]):
        return
    console.show(_table(found), *map(Text, told.sentences(found)))
    if out is not None:
        console.show(Text(f"picture: {out / 'design.png'}"))


def _sheet(found: Sized) -> Sheet:
    """Return the sizes tried with all that is known of each, the chosen one marked."""
    from slcache.sweep.sheets import UNITS

    rows = [
        {
            found.plan.key: point.size,
            "status": point.found.status,
            "chosen": point is found.chosen,
            "meets": found.meets(point),
            **{name: point.figure(name) for name in found.plan.metrics},
        }
        for point in found.points
    ]
    return Sheet(rows, UNITS)


def _table(found: Sized) -> Table:
    """Return the sizes tried, the chosen one marked."""
    from slcache.design.told import size
    from slcache.study import wording

    table = Table(found.plan.key, [*found.plan.metrics, Column("bounds", text=True)])
    for point in found.points:
        kept = "kept" if found.meets(point) else "broken"
        cells = [size(point), *(wording.figure(n, point.figure(n)) for n in found.plan.metrics)]
        cells += [kept if point.found.status == "done" else point.found.status]
        style = "bold green" if point is found.chosen else ""
        table.add(*(Text(cell, style) for cell in cells))
    return table
