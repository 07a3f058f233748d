"""The options that verbs share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter

from slcache.cli import checks, complete
from slcache.given import options, quantity
from slcache.given.arguments import RANGES
from slcache.given.once import SEED_MAX

#: What to do with requests beyond the device's capacity.
Address = Literal["error", "wrap", "compact", "clip"]
#: How tables are printed.
Form = Literal["table", "csv", "markdown", "json"]
#: When to draw progress.
When = Literal["auto", "always", "never"]


def group(name: str, help: str | None = None) -> App:
    """Return a verb that has further verbs below it."""
    return App(name=name, help=help, help_flags=(), version_flags=())


def plain(help: str | None = None, **more: Any) -> Parameter:  # noqa: ANN401
    """Return an option that is there or not, or takes one of its type's words."""
    if help is not None:
        # That there is none would hide what stands below a field.
        more["help"] = help
    # There are no options that undo others.
    return Parameter(negative=(), **more)


def option(
    metavar: str,
    help: str | None = None,
    *,
    name: str | None = None,
    offer: Callable[[str], complete.Offered] | None = None,
    kind: type[int] | type[float] | None = None,
    min: float | None = None,
    max: float | None = None,
    range: str | None = None,
    read: Callable[[str], object] | None = None,
    check: checks.Check | None = None,
    **more: Any,  # noqa: ANN401
) -> Parameter:
    """Return an option, named after the verb's parameter or the field of a class if not otherwise.

    What a field of a class is, is said in the text below it. An option with `kind`, `min` or `max`
    takes a number, a whole one by default, and one with `range` what a Python argument of that name
    may be; one with `read` what that makes of its text. `read` and `check`, which gets the value,
    raise ValueError for what cannot be.
    """
    if check is not None:
        more["validator"] = lambda _, value: None if value is None else check(value)
    if read is not None:
        more["converter"] = lambda _, tokens: read(tokens[0].value)
    if range is not None:
        min, max = RANGES[range]
    if kind is not None or min is not None or max is not None:
        more["converter"] = checks.number(kind or int, min, max)
    more["completer"] = None if offer is None else lambda context: offer(context.incomplete)
    return plain(help, name=name, metavar=metavar, allow_leading_hyphen=True, **more)


#: Options that take a number, a size or a time above 0; a device; names of schemes with commas, or
#: all; keys with their values, each key once; keys with what each may be.
count = partial(option, "N")
size = partial(option, "SIZE", read=quantity.some_bytes)
time = partial(option, "TIME", read=quantity.some_time_ns)
device = partial(option, "PRESET|FILE.toml", offer=complete.devices)
schemes = partial(option, "A,B,...|all", offer=complete.schemes)
pairs = partial(option, "KEY=VALUE", check=checks.pairs)
ranges = partial(option, "KEY=VALUES", check=options.checked_ranges)


def argument(metavar: str, help: str, **more: Any) -> Parameter:  # noqa: ANN401
    """Return an argument, which has no name."""
    return option(metavar, help, required=not metavar.startswith("["), **more)


TracePath = Annotated[
    str,
    argument(
        "TRACE",
        "A block trace, plain or compressed, or - for standard input; or a workload: FILE.toml or "
        "a preset (see `slcache trace workloads`).",
        offer=complete.workloads,
    ),
]
MaybeDevice = Annotated[
    str | None,
    device("A preset (see `slcache devices`) or a file; not needed if --config has a device."),
]
OwnScheme = Annotated[
    str | None,
    option(
        "FILE.py:CLASS",
        "The class of Python that the document names, if it does: no document loads one.",
        alias="--schemes",
    ),
]
Normalise = Annotated[
    str | None,
    option("NAME", "Divide by this scheme's figures (default: the first).", alias="--normalize"),
]
Sets = Annotated[
    list[str] | None,
    pairs(
        "Change one configuration key (dotted; see `slcache explain --schema config`).",
        name="--set",
        offer=complete.settings,
    ),
]
AddressPolicy = Annotated[
    Address | None,
    plain("Requests beyond the capacity: refuse, or change and count them."),
]
Workload = Annotated[
    list[str] | None,
    pairs("Change one key of a workload, such as a free figure of a twin."),
]
Seed = Annotated[int | None, count("Seed of every random choice.", min=0, max=SEED_MAX)]
GbPerDay = Annotated[
    float | None,
    count(
        "Tell a device's years at N GB (10^9 bytes) written a day (default: at what the trace "
        "writes in its own times).",
        kind=float,
        range="gb_per_day",
    ),
]
Explain = Annotated[
    bool,
    plain(
        "Print all that is known: pace, life, the least possible, who differs why.",
    ),
]
Out = Annotated[
    Path | None,
    option("DIR", "Write result.json, Parquet tables and report.html to this directory."),
]
Json = Annotated[bool, plain("Print one JSON document and nothing else.")]
Format = Annotated[
    Form,
    plain(
        "A table for a reader; csv or markdown with all digits and units in the header; or "
        "json, as --json.",
    ),
]
Progress = Annotated[When, plain("Draw progress on standard error.")]
