"""One run as it is asked for, whichever verb asks: what it is, and what tells it from others."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from slcache import api, catalogue, files, named
from slcache.files import Path
from slcache.given import config_files
from slcache.runs import given

if TYPE_CHECKING:
    from slcache.files import Drawn
    from slcache.runs.tasks import Task

#: Options of a trace's reader.
Options = Sequence[tuple[str, str]]
#: The change of a trace that is repeated until it has written so many bytes.
REPEAT = "repeat_to_write_bytes"


@dataclass(frozen=True)
class Run:
    """A trace on a device under a scheme, with what is made for it before."""

    #: What people call it.
    title: str
    #: Trace and device are texts of `slcache.runs.given`.
    trace: str
    device: str
    scheme: str
    settings: Mapping[str, Any]
    trace_options: Options = ()
    replay: str | None = None
    seed: int | None = None
    #: What is done to the trace before it is run.
    changed: Mapping[str, int | None] = field(default_factory=dict)
    #: The file that holds the changed trace; one that is to be repeated has none yet.
    written: str | None = None
    #: The run before this one, in the end of which the scheme has the memory it begins with here.
    after: Run | None = None
    #: About how many requests it has: the longest runs go first.
    size: int = 0
    #: Of runs that are not kept: the memory that the scheme begins with, the table of requests to
    #: write, and the timelines.
    memory_in: Path | None = None
    log: Path | None = None
    timelines: tuple[Drawn, ...] = ()

    def reads(self) -> list[Path]:
        """Return the files that it reads."""
        said = config_files.read_by(self.settings)
        paths = given.path_of(self.trace), given.path_of(self.device)
        return files.inputs(*paths, self.memory_in, *said)

    @cached_property
    def config(self) -> dict[str, Any]:
        """The configuration that it runs with; raises ConfigError."""
        return catalogue.resolve(
            device=given.content_of(self.device),
            scheme=self.scheme,
            settings=self.settings,
            replay=self.replay,
            seed=self.seed,
        )

    def task(
        self, name: str, kind: Literal["point", "state", "repeat", "memory"] = "point"
    ) -> Task:
        """Return it as it goes to a worker."""
        # What only other processes need is loaded with the first of them.
        from slcache.runs.tasks import Task

        scheme, settings = catalogue.variant(self.scheme, self.settings)
        return Task(
            name=name,
            kind=kind,
            trace=self.written or self.trace,
            trace_options=[] if self.written else list(self.trace_options),
            device=self.device,
            scheme=scheme,
            sets=catalogue.sets(settings),
            seed=self.seed,
            replay=self.replay,
            memory_in=None if self.memory_in is None else os.fspath(self.memory_in),
            log=None if self.log is None else os.fspath(api.checked_log(self.log)),
            timelines=self.timelines,
            title=self.title,
            code=tuple(named.spoken()),
        )


def identity(
    config: Mapping[str, Any],
    trace: str,
    options: Options,
    *,
    changed: Mapping[str, int | None] | None = None,
    after: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what a run's result depends on, but for the version; `trace` is its fingerprint.

    Runs of which it is equal have one result, whichever verb asks for them.
    """
    parts = {"config": config, "trace": trace, "options": sorted(options)}
    more = {"changed": changed, "after": after}
    return parts | {key: value for key, value in more.items() if value}
