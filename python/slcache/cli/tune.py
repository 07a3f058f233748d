"""The verb that searches: `tune`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import RenderableType
from rich.text import Text

from slcache.cli import checks, console, joint
from slcache.cli import options as opt
from slcache.tables.sheets import Sheet
from slcache.tables.tabular import Column, Table

if TYPE_CHECKING:
    from slcache.tune.outcome import Tuning

#: The terminal lists so many points of the front.
_SHOWN = 30


def tune(
    *,
    trace: opt.TracePath,
    device: opt.MaybeDevice = None,
    scheme: Annotated[
        str | None,
        opt.schemes(
            "The scheme; of several, which one is part of the search.",
            callback=checks.checked_schemes,
        ),
    ] = None,
    vary: Annotated[
        list[str] | None,
        opt.ranges("A key and what it may be: A..B, A..B@log, A..B:STEP or a,b,c. Repeat it."),
    ] = None,
    minimise: Annotated[
        list[str] | None,
        opt.option("METRIC", "To be least (default: write_p99_ns and waf). Repeat it."),
    ] = None,
    maximise: Annotated[list[str] | None, opt.option("METRIC", "To be most. Repeat it.")] = None,
    keep: Annotated[
        list[str] | None,
        opt.option(
            "METRIC<=VALUE",
            "A bound that the answer keeps, such as slc_bytes<=4GiB or read_p99_ns<=2ms.",
        ),
    ] = None,
    points: Annotated[
        int | None, opt.option("N", "Points that are tried (default: 100).", min=1, max=1_000_000)
    ] = None,
    minutes: Annotated[
        float | None,
        opt.option("M", "Begin no further batch of points after so long.", min=0.0, max=1e6),
    ] = None,
    sampler: Annotated[
        Literal["tpe", "nsga2", "random", "qmc"], typer.Option(help="Who suggests points.")
    ] = "tpe",
    sampler_seed: Annotated[int, opt.option("N", "Seed of the sampler.", min=0, max=2**32 - 1)] = 1,
    prefixes: Annotated[
        bool,
        opt.flag(
            "--prefixes",
            "Run points over the first 1/9 and 1/3 of the trace, and stop those that do badly.",
        ),
    ] = False,
    each: joint.Points,
    resample: opt.Resample = None,
    resample_block: opt.ResampleBlock = None,
    seed: opt.Seed = None,
    jobs: opt.Workers = None,
    store: opt.Store = None,
    out: Annotated[
        Path | None,
        opt.option(
            "DIR",
            "Write tune.json, points.parquet, best.toml, the front's picture and report.html here. "
            "Run again to go on.",
        ),
    ] = None,
    form: joint.Shown,
    progress: opt.Progress = "auto",
) -> None:
    """Search for the settings that make some metrics least or most.

    A sampler suggests points, a batch of eight at a time, and learns from what
    they gave; the same command tries the same points with any number of --jobs.
    With several metrics the answer is their Pareto front, and best.toml its
    point that is nearest to the best of each. Points that the device or scheme
    refuses are counted, and the sampler is told to keep away from them.
    Results are kept: the same command, or one with more --points, goes on.

    \b
    [bold]Examples[/bold]
      slcache tune web.csv.gz --device ips-384g --scheme baseline --out found \\
        --vary scheme.baseline.slc_blocks=3..166 \\
        --vary scheme.baseline.slc.start_free_ratio=0.1..0.9
      slcache tune web.csv.gz --device ips-384g --scheme baseline,turbo-write \\
        --vary scheme.baseline.slc_blocks=8..128@log --points 60 \\
        --maximise lifetime_host_bytes --keep 'waf<=2' --out found
    """
    from slcache.tune.api import tune as search

    given = joint.configured(each["config"], device, None)
    joint.scheme(scheme, given)
    with console.meter(progress, kept=True) as meter:
        found = search(
            trace,
            device=device,
            scheme=scheme,
            vary=checks.pairs(vary),
            minimise=minimise or (),
            maximise=maximise or (),
            keep=keep or (),
            points=points,
            minutes=minutes,
            sampler=sampler,
            sampler_seed=sampler_seed,
            prefixes=prefixes,
            resample=resample,
            resample_block=resample_block,
            seed=seed,
            jobs=jobs,
            store=store,
            out=out,
            on_progress=meter,
            **each,
        )
    if console.in_form(form, found.to_json, lambda: [_sheet(found)]):
        return
    console.show(*_parts(found))
    if out is not None:
        console.show(Text(f"report: {out / 'report.html'}"))


def _parts(found: Tuning) -> list[RenderableType]:
    from slcache.tune import sentences

    told = [Text(line)] if (line := found.analysis.outcome.state) else []
    reasons = [
        Text(f"{count:,} {status}: {reason}", "yellow")
        for status, reason, count in found.analysis.outcome.reasons()
    ]
    table = _front(found)
    return [*told, *reasons, *([table] if found.front else []), *map(Text, sentences.told(found))]


def _sheet(found: Tuning) -> Sheet:
    """Return the front with all digits, the best marked; points of equal figures each."""
    from slcache.sweep.sheets import UNITS

    metrics = found.goals.names
    rows = [
        {
            "front": number,
            "best": each is found.best,
            **each.settings,
            **{name: each.found.figures[name] for name in metrics},
        }
        for number, each in enumerate(found.front, 1)
    ]
    return Sheet(rows, UNITS)


def _front(found: Tuning) -> Table:
    """Return the front, the best marked."""
    from slcache.study import wording

    keys = list(dict.fromkeys(key for each in found.front for key in each.settings))
    keys = [key for key in keys if key != "scheme" or len(found.asked.schemes) > 1]
    short = wording.short_names(keys)
    metrics = found.goals.names
    shown = found.distinct
    same = ["same figures"] if any(count > 1 for _, count in shown) else []
    table = Table("front", [*(Column(short[key], text=True) for key in keys), *metrics, *same])
    for number, (each, count) in enumerate(shown[:_SHOWN], 1):
        style = "bold green" if each is found.best else ""
        cells = [wording.setting(each.settings.get(key)) for key in keys]
        cells += [wording.figure(name, each.found.figures[name]) for name in metrics]
        cells += [f"{count - 1:,} more" if count > 1 else ""] if same else []
        table.add(f"{number}", *(Text(cell, style) for cell in cells))
    if len(shown) > _SHOWN:
        table.add(f"{len(shown) - _SHOWN} more")
    return table
