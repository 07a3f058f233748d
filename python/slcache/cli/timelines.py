"""The options of a timeline and of a log of requests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from slcache.cli import checks, joint
from slcache.cli import options as opt

Log = Annotated[
    Path | None,
    opt.option(
        "FILE.parquet",
        "Write a row per request: its times, its latency and where that went.",
        validator=checks.no_folder,
    ),
]


@joint.together
@dataclass(frozen=True)
class Timeline:
    """The file of a timeline and the stretch that it is of, as Python names them."""

    timeline: Annotated[
        Path | None,
        opt.option(
            "FILE",
            "Write what channels and planes do and for which request, for ui.perfetto.dev; FILE.gz "
            "is compressed, FILE.parquet a table of operations.",
            validator=checks.no_folder,
        ),
    ] = None
    timeline_from: Annotated[
        str | None, opt.option("TIME", "Leave out of the timeline what ends before.", "--from")
    ] = None
    timeline_until: Annotated[
        str | None,
        opt.option("TIME", "Leave out of the timeline what begins later.", "--until"),
    ] = None
    timeline_around: Annotated[
        str | None,
        opt.option(
            "slowest|request=N|cliff",
            "Have the timeline of this request's time, and as much around it, or of where writes "
            "become slow; runs twice.",
            "--around",
        ),
    ] = None
    timeline_every: Annotated[
        int | None,
        opt.option(
            "N",
            "Have in the timeline every N-th request with its operations, and the device's own "
            "work.",
            "--every",
            min=1,
            max=2**64 - 1,
        ),
    ] = None

    def said(self) -> dict[str, Any]:
        """Return what is said, by the names of Python."""
        return dict(vars(self))
