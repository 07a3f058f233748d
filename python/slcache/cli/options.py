"""The options that verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from slcache import catalogue
from slcache.cli import checks, complete
from slcache.given.once import SEED_MAX
from slcache.given.quantity import time_ns

#: What to do with requests beyond the device's capacity.
Address = Literal["error", "wrap", "compact", "clip"]
#: What becomes of the addresses of merged traces.
MergedAddresses = Literal["streams", "one", "stacked"]
#: How tables are printed.
Form = Literal["table", "csv", "markdown", "json"]
#: When to draw progress.
When = Literal["auto", "always", "never"]


def _window(value: str) -> None:
    if time_ns(value) <= 0:
        raise ValueError(f"{value!r}: must be longer than 0")


def _check_format(value: str | None) -> str | None:
    known = [entry["name"] for entry in catalogue.formats()]
    if value is not None and value not in known:
        raise typer.BadParameter(f"unknown trace format {value!r}{checks.nearest(value, known)}")
    return value


def device(help: str, *names: str) -> Any:  # noqa: ANN401
    """Return an option that takes a device."""
    return typer.Option(
        *names, metavar="PRESET|FILE.toml", autocompletion=complete.devices, help=help
    )


def schemes(help: str, *names: str, **more: Any) -> Any:  # noqa: ANN401
    """Return an option that takes names of schemes with commas, or all."""
    return typer.Option(
        *names, metavar="A,B,...|all", autocompletion=complete.schemes, help=help, **more
    )


def pairs(help: str, *names: str, **more: Any) -> Any:  # noqa: ANN401
    """Return an option that takes keys with their values, each key once."""
    return typer.Option(
        *names, metavar="KEY=VALUE", callback=checks.checked_pairs, help=help, **more
    )


def ranges(help: str, *names: str) -> Any:  # noqa: ANN401
    """Return an option that takes keys with what each may be."""
    return typer.Option(*names, metavar="KEY=VALUES", callback=checks.checked_ranges, help=help)


TracePath = Annotated[
    str,
    typer.Argument(
        metavar="TRACE",
        help="A block trace, plain or compressed, or - for standard input; or a workload: "
        "FILE.toml or a preset (see [bold]slcache trace workloads[/bold]).",
    ),
]
Saved = Annotated[
    Path,
    typer.Argument(metavar="RESULT", help="A saved result: a folder of --out, or its result.json."),
]
SavedResults = Annotated[
    list[Path],
    typer.Argument(
        metavar="RESULT...", help="Saved results: folders of --out, or their result.json."
    ),
]
MaybeDevice = Annotated[
    str | None,
    device(
        "A preset (see [bold]slcache devices[/bold]) or a file; not needed if --config has "
        "a device.",
        "--device",
    ),
]
MaybeScheme = Annotated[
    str | None,
    typer.Option(
        "--scheme",
        metavar="NAME",
        autocompletion=complete.scheme,
        help="A scheme (see [bold]slcache schemes[/bold]); not needed if --config has one.",
    ),
]
Schemes = Annotated[
    str,
    schemes("The schemes to compare, separated by commas, or all that the device can run."),
]
Normalise = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Divide by this scheme's figures (default: the first)."),
]
Config = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A configuration, TOML or JSON: keys between device and --set, or all of it with its "
        "device and scheme, such as a result.json.",
    ),
]
Sets = Annotated[
    list[str] | None,
    pairs(
        "Change one configuration key (dotted; see [bold]slcache schema config[/bold]).",
        "--set",
        autocompletion=complete.settings,
    ),
]
TraceFormat = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        callback=_check_format,
        autocompletion=complete.formats,
        help="The trace's format (default: recognised).",
    ),
]
TraceOptions = Annotated[
    list[str] | None,
    pairs("Set an option of the trace reader.", "--trace-option"),
]
Volume = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|each|merge",
        help="Of several volumes in one file, take one, or all side by side or as one.",
    ),
]
AddressPolicy = Annotated[
    Address | None,
    typer.Option(help="Requests beyond the capacity: refuse, or change and count them."),
]
Unsorted = Annotated[
    str | None,
    typer.Option(
        metavar="error|sort:N|keep",
        callback=checks.matching(
            r"error|keep|sort:[1-9][0-9]*", "is none of 'error', 'keep' and 'sort:N'"
        ),
        help="Time running backwards: refuse, sort within N requests, or keep.",
    ),
]
Workload = Annotated[
    list[str] | None,
    pairs("Change one key of a workload, such as a free figure of a twin."),
]
Window = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        callback=checks.readable(_window),
        help="Length of the time series' windows, such as 10ms (default: so that there are "
        "at most 1,024).",
    ),
]
Reading = Annotated[
    str | None,
    typer.Option(
        "--reading",
        metavar="PAPER[/PART][:READING]",
        help="Begin with the set-up of a paper's evaluation, such as ips/daily:probable: its "
        "device, settings and replay, which other options change.",
    ),
]
Replay = Annotated[
    str | None,
    typer.Option(
        metavar="open|closed:N",
        callback=checks.matching(
            r"open|closed:[1-9][0-9]*", "is neither 'open' nor 'closed:N' with N at least 1"
        ),
        help="Keep the trace's times, or keep N requests outstanding.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(min=0, max=SEED_MAX, metavar="N", help="Seed of every random choice."),
]
Jobs = Annotated[
    int | None,
    typer.Option(min=1, max=1024, metavar="N", help="Runs at a time, a process for each (1)."),
]
Workers = Annotated[
    int | None,
    typer.Option(min=1, max=1024, metavar="N", help="Processes (default: one a processor)."),
]
Executor = Annotated[
    str,
    typer.Option(
        metavar="local|dask://[HOST:PORT]|ray://[HOST:PORT]",
        help="Where runs go on: in processes here, or on a cluster; without a host a Dask or Ray "
        "cluster of --jobs processes is started here.",
    ),
]
Store = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Where results are kept and found, for several verbs to share (default: OUT/store).",
    ),
]
Kept = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="DIR",
        help="Where results are kept and found, for several verbs to share: run again to go on "
        "(default: nothing is kept).",
    ),
]
EqualCells = Annotated[
    bool,
    typer.Option(
        "--equal-cells",
        help="Leave schemes without a cache as many dense blocks as those with one have beside it.",
    ),
]
Seeds = Annotated[
    int,
    typer.Option(
        min=1,
        max=1000,
        metavar="N",
        help="Run everything with N seeds, from --seed on: means with intervals.",
    ),
]
Resample = Annotated[
    int | None,
    typer.Option(
        min=2,
        max=1000,
        metavar="N",
        help="Draw a recording anew N times, its stretches of time in random order: means with "
        "intervals, as --seeds gives for a workload.",
    ),
]
ResampleBlock = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="How long those stretches are on average, such as 30s (default: a twentieth of the "
        "recording).",
    ),
]
EachSeeds = Annotated[
    int,
    typer.Option(
        min=1, max=1000, metavar="N", help="Run each point with so many seeds; means count."
    ),
]
SaveState = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Save the device's state as it is when the replay begins."),
]
LoadState = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Start from a saved device state instead of preconditioning."
    ),
]
MemoryIn = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Let a scheme that learns begin with what it saved before."),
]
MemoryOut = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Save what the scheme has learned in the end."),
]
Out = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="Write result.json, Parquet tables and report.html to this directory."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Format = Annotated[
    Form,
    typer.Option(
        "--format",
        help="A table for a reader; csv or markdown with all digits and units in the header; or "
        "json, as --json.",
    ),
]
Progress = Annotated[When, typer.Option(help="Draw progress on standard error.")]
