"""The options that verbs share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter

from slcache import catalogue
from slcache.cli import checks, complete
from slcache.given import quantity
from slcache.given.once import SEED_MAX
from slcache.given.quantity import time_ns

#: What to do with requests beyond the device's capacity.
Address = Literal["error", "wrap", "compact", "clip"]
#: How tables are printed.
Form = Literal["table", "csv", "markdown", "json"]
#: When to draw progress.
When = Literal["auto", "always", "never"]


def _window(value: str) -> None:
    if time_ns(value) <= 0:
        raise ValueError(f"{value!r}: must be longer than 0")


def _formats() -> list[str]:
    return [entry["name"] for entry in catalogue.formats()]


def group(name: str, help: str | None = None) -> App:
    """Return a verb that has further verbs below it."""
    return App(name=name, help=help, help_flags=(), version_flags=())


def option(
    metavar: str,
    help: str,
    *names: str,
    offer: Callable[[str], complete.Offered] | None = None,
    kind: type[int] | type[float] | None = None,
    min: float | None = None,
    max: float | None = None,
    **more: Any,  # noqa: ANN401
) -> Parameter:
    """Return an option; its name is that of the verb's parameter where none is given.

    One with a `min` or `max` takes a whole number, or a number where `kind` says so.
    """
    if kind is not None or min is not None or max is not None:
        more["converter"] = checks.number(kind or int, min, max)
    more["completer"] = None if offer is None else lambda context: offer(context.incomplete)
    # There are no options that undo others.
    return Parameter(
        name=names or None,
        metavar=metavar,
        help=help,
        negative=(),
        allow_leading_hyphen=True,
        **more,
    )


def flag(name: str, help: str) -> Parameter:
    """Return an option that is there or not."""
    return Parameter(name=name, help=help, negative=())


def choice(help: str, *names: str) -> Parameter:
    """Return an option that takes one of its type's words."""
    return Parameter(name=names or None, help=help)


def argument(metavar: str, help: str, **more: Any) -> Parameter:  # noqa: ANN401
    """Return an argument, which has no name."""
    return option(metavar, help, required=not metavar.startswith("["), **more)


def device(help: str, *names: str) -> Parameter:
    """Return an option that takes a device."""
    return option("PRESET|FILE.toml", help, *names, offer=complete.devices)


def schemes(help: str, *names: str, **more: Any) -> Parameter:  # noqa: ANN401
    """Return an option that takes names of schemes with commas, or all."""
    return option("A,B,...|all", help, *names, offer=complete.schemes, **more)


def pairs(help: str, *names: str, **more: Any) -> Parameter:  # noqa: ANN401
    """Return an option that takes keys with their values, each key once."""
    return option("KEY=VALUE", help, *names, validator=checks.checked_pairs, **more)


def ranges(help: str, *names: str) -> Parameter:
    """Return an option that takes keys with what each may be."""
    return option("KEY=VALUES", help, *names, validator=checks.checked_ranges)


TracePath = Annotated[
    str,
    argument(
        "TRACE",
        "A block trace, plain or compressed, or - for standard input; or a workload: FILE.toml or "
        "a preset (see `slcache trace workloads`).",
        offer=complete.workloads,
    ),
]
Saved = Annotated[
    Path, argument("RESULT", "A saved result: a folder of --out, or its result.json.")
]
SavedResults = Annotated[
    Path, argument("RESULT...", "Saved results: folders of --out, or their result.json.")
]
MaybeDevice = Annotated[
    str | None,
    device("A preset (see `slcache devices`) or a file; not needed if --config has a device."),
]
MaybeDevices = Annotated[
    list[str] | None,
    device(
        "A preset (see `slcache devices`) or a file; not needed if --config has a "
        "device. Give several to compare them."
    ),
]
MaybeScheme = Annotated[
    str | None,
    option(
        "NAME",
        "A scheme (see `slcache schemes`); not needed if --config has one.",
        offer=complete.scheme,
        alias="--schemes",
    ),
]
OwnScheme = Annotated[
    str | None,
    option(
        "FILE.py:CLASS",
        "The class of Python that the document names, if it does: no document loads one.",
        alias="--schemes",
    ),
]
Schemes = Annotated[
    str,
    schemes(
        "The schemes to compare, separated by commas, or all that the device can run. "
        "NAME:KEY=VALUE is one with a setting of its own.",
        alias="--scheme",
    ),
]
Normalise = Annotated[
    str | None,
    option("NAME", "Divide by this scheme's figures (default: the first).", alias="--normalize"),
]
Config = Annotated[
    Path | None,
    option(
        "FILE",
        "A configuration, TOML or JSON: keys between device and --set, or all of it with its "
        "device and scheme, such as a result.json.",
    ),
]
Sets = Annotated[
    list[str] | None,
    pairs(
        "Change one configuration key (dotted; see `slcache explain --schema config`).",
        "--set",
        offer=complete.settings,
    ),
]
TraceFormat = Annotated[
    str | None,
    option(
        "FORMAT",
        "The trace's format (default: recognised).",
        validator=checks.known("trace format", _formats),
        offer=complete.formats,
    ),
]
TraceOptions = Annotated[list[str] | None, pairs("Set an option of the trace reader.")]
Volume = Annotated[
    str | None,
    option(
        "NAME|each|merge",
        "Of several volumes in one file, take one, or all side by side or as one.",
    ),
]
AddressPolicy = Annotated[
    Address | None,
    choice("Requests beyond the capacity: refuse, or change and count them."),
]
Unsorted = Annotated[
    str | None,
    option(
        "error|sort:N|keep",
        "Time running backwards: refuse, sort within N requests, or keep.",
        validator=checks.matching(
            r"error|keep|sort:[1-9][0-9]*", "is none of 'error', 'keep' and 'sort:N'"
        ),
    ),
]
Workload = Annotated[
    list[str] | None,
    pairs("Change one key of a workload, such as a free figure of a twin."),
]
Window = Annotated[
    str | None,
    option(
        "TIME",
        "Length of the time series' windows, such as 10ms (default: so that there are at most "
        "1,024).",
        validator=checks.readable(_window),
    ),
]
Reading = Annotated[
    str | None,
    option(
        "PAPER[/PART][:READING]",
        "Begin with the set-up of a paper's evaluation, such as ips/daily:probable: its device, "
        "settings and replay, which other options change.",
    ),
]
State = Annotated[
    str | None,
    option(
        quantity.FORMS,
        "The device before the run, such as full=0.9 or worn=0.9,0.3 (0.9 full, then 0.3 of that "
        "overwritten at random); steady is 0.9 full and overwritten until the write amplification "
        "is steady. Stands for precondition.fill, .overwrite and .steady (default: those of the "
        "device, else empty but for what the trace touches).",
        validator=checks.readable(quantity.keys_of),
    ),
]
Replay = Annotated[
    str | None,
    option(
        "open|closed:N",
        "Keep the trace's times, or keep N requests outstanding.",
        validator=checks.matching(
            r"open|closed:[1-9][0-9]*", "is neither 'open' nor 'closed:N' with N at least 1"
        ),
    ),
]
Seed = Annotated[int | None, option("N", "Seed of every random choice.", min=0, max=SEED_MAX)]
Jobs = Annotated[
    int | None, option("N", "Runs at a time, a process for each (1).", min=1, max=1024)
]
Workers = Annotated[
    int | None, option("N", "Processes (default: one a processor).", min=1, max=1024)
]
Executor = Annotated[
    str,
    option(
        "local|dask://[HOST:PORT]|ray://[HOST:PORT]",
        "Where runs go on: in processes here, or on a cluster; without a host a Dask or Ray "
        "cluster of --jobs processes is started here.",
    ),
]
Store = Annotated[
    Path | None,
    option(
        "DIR", "Where results are kept and found, for several verbs to share (default: OUT/store)."
    ),
]
Kept = Annotated[
    Path | None,
    option(
        "DIR",
        "Where results are kept and found, for several verbs to share: run again to go on "
        "(default: nothing is kept).",
    ),
]
EqualCells = Annotated[
    bool,
    flag(
        "--equal-cells",
        "Leave schemes without a cache as many dense blocks as those with one have beside it.",
    ),
]
Seeds = Annotated[
    int,
    option(
        "N", "Run everything with N seeds, from --seed on: means with intervals.", min=1, max=1000
    ),
]
Resample = Annotated[
    int | None,
    option(
        "N",
        "Draw a recording anew N times, its stretches of time in random order: means with "
        "intervals, as --seeds gives for a workload.",
        min=2,
        max=1000,
    ),
]
ResampleBlock = Annotated[
    str | None,
    option(
        "TIME",
        "How long those stretches are on average, such as 30s (default: a twentieth of the "
        "recording).",
    ),
]
GbPerDay = Annotated[
    float | None,
    option(
        "N",
        "Tell a device's years at N GB (10^9 bytes) written a day (default: at what the trace "
        "writes in its own times).",
        kind=float,
        min=1e-6,
        max=1e9,
    ),
]
EachSeeds = Annotated[
    int, option("N", "Run each point with so many seeds; means count.", min=1, max=1000)
]
SaveState = Annotated[
    str | None, option("FILE", "Save the device's state as it is when the replay begins.")
]
LoadState = Annotated[
    str | None, option("FILE", "Start from a saved device state instead of preconditioning.")
]
MemoryIn = Annotated[
    str | None, option("FILE", "Let a scheme that learns begin with what it saved before.")
]
MemoryOut = Annotated[str | None, option("FILE", "Save what the scheme has learned in the end.")]
Explain = Annotated[
    bool,
    flag("--explain", "Print all that is known: pace, life, the least possible, who differs why."),
]
Out = Annotated[
    Path | None,
    option("DIR", "Write result.json, Parquet tables and report.html to this directory."),
]
Json = Annotated[bool, flag("--json", "Print one JSON document and nothing else.")]
Format = Annotated[
    Form,
    choice(
        "A table for a reader; csv or markdown with all digits and units in the header; or "
        "json, as --json.",
        "--format",
    ),
]
Progress = Annotated[When, choice("Draw progress on standard error.")]
