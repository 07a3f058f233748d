"""The options of `slcache sweep`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from slcache.cli import checks
from slcache.cli import options as opt

What = Annotated[
    list[str],
    opt.argument(
        "TRACE...|STUDY.toml|DIR",
        "Traces or workloads; or the file of a study; or a folder that a sweep has written, to go "
        "on with it.",
    ),
]
Devices = Annotated[
    list[str] | None,
    opt.device("A preset (see [bold]slcache devices[/bold]) or a file; give several if wanted."),
]
Schemes = Annotated[
    list[str] | None,
    opt.schemes(
        "Schemes (see [bold]slcache schemes[/bold]), or all that the device can run.",
        callback=checks.checked_schemes,
    ),
]
Vary = Annotated[
    list[str] | None,
    opt.ranges(
        "A key of the configuration, reader.KEY or workload.KEY, and its values: 1,2,4 or 1..32, "
        "0.1..1:0.1 (step), 1..64*2 (factor), 1..100/5 (points), 0.1..10/9@log.",
    ),
]
Points = Annotated[
    Path | None,
    opt.option(
        "FILE.csv",
        "Points one by one in place of --vary: a column for each key.",
        exists=True,
        dir_okay=False,
    ),
]
Sample = Annotated[
    str | None,
    opt.option(
        "grid|random:N|latin-hypercube:N", "All combinations (default: grid), or N points drawn."
    ),
]
SampleSeed = Annotated[int | None, opt.option("N", "Seed of the drawn points (default: 1).", min=0)]
Seeds = Annotated[
    int | None,
    opt.option("N", "Run every point with N seeds, from --seed (or 1) on.", min=1, max=1000),
]
Metrics = Annotated[
    list[str] | None,
    opt.option(
        "NAME",
        "Judge the report by this metric; repeat it. gain_share runs each point without a cache "
        "too, and has the least dense programs counted.",
    ),
]
Out = Annotated[
    Path | None,
    opt.option(
        "DIR",
        "Where points.parquet, costs.parquet, study.toml and report.html are written and, in "
        "store, results are kept (default: the folder of a study.toml that is given).",
    ),
]
ExecutorOption = Annotated[
    str,
    opt.option(
        "local|dask://[HOST:PORT]|ray://[HOST:PORT]|slurm:JOBS",
        "Where points run: in processes here, or on a cluster; without a host a Dask or Ray "
        "cluster of --jobs processes is started here. For Slurm, files are written that an array "
        "of JOBS jobs with --jobs processes each is submitted by.",
    ),
]
Skip = Annotated[
    bool, opt.flag("--skip-impossible", "Leave out points that cannot run; the table names them.")
]
FailFast = Annotated[bool, opt.flag("--fail-fast", "End at the first run that fails.")]
Report = Annotated[bool, typer.Option("--report/--no-report", help="Write report.html.")]
ShardOption = Annotated[
    str | None,
    opt.option(
        "I/N", "Run the I-th of N parts only; without it, a later call puts all parts together."
    ),
]
