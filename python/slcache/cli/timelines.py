"""The options of a timeline and of a log of requests, and what verbs make of them."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from slcache.cli import options as opt
from slcache.cli.made import Made
from slcache.errors import UsageError

#: The options of a timeline by the names that they have in Python.
_OPTIONS = {
    "timeline_from": "--from",
    "timeline_until": "--until",
    "timeline_around": "--around",
    "timeline_every": "--every",
    "timeline": "--timeline",
}
#: Where an error says such a name: not within a path, nor the word.
_NAMES = re.compile(r"(?:^timeline|(?<!\S)timeline_(?:from|until|around|every))(?= = |: | is )")

Log = Annotated[
    Path | None,
    opt.option(
        "FILE.parquet",
        "Write a row per request: its times, its latency and where that went.",
        dir_okay=False,
    ),
]


def _said(
    timeline: Annotated[
        Path | None,
        opt.option(
            "FILE",
            "Write what channels and planes do and for which request, for ui.perfetto.dev; FILE.gz "
            "is compressed, FILE.parquet a table of operations.",
            dir_okay=False,
        ),
    ] = None,
    since: Annotated[
        str | None, opt.option("TIME", "Leave out of the timeline what ends before.", "--from")
    ] = None,
    until: Annotated[
        str | None, opt.option("TIME", "Leave out of the timeline what begins later.")
    ] = None,
    around: Annotated[
        str | None,
        opt.option(
            "slowest|request=N|cliff",
            "Have the timeline of this request's time, and as much around it, or of where writes "
            "become slow; runs twice.",
        ),
    ] = None,
    every: Annotated[
        int | None,
        opt.option(
            "N",
            "Have in the timeline every N-th request with its operations, and the device's own "
            "work.",
        ),
    ] = None,
) -> dict[str, Any]:
    """Return the file of a timeline and the stretch that it is of, as Python names them."""
    said = {"timeline_from": since, "timeline_until": until, "timeline_around": around}
    return {"timeline": timeline, **said, "timeline_every": every}


@contextlib.contextmanager
def named() -> Iterator[None]:
    """Tell what is wrong with a timeline by the names of its options."""
    try:
        yield
    except UsageError as error:
        option = _OPTIONS.get(error.key or "")
        if option is None:
            raise
        text = _NAMES.sub(lambda found: _OPTIONS[found[0]], str(error))
        raise typer.BadParameter(text, param_hint=option) from error


Timeline = Annotated[dict[str, Any], Made(_said)]
