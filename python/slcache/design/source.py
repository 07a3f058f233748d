"""The trace that every run of a design repeats, or its beginning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from slcache import _core, files
from slcache.traces import Progress, Trace, is_workload


@dataclass(frozen=True)
class Source:
    """A trace or workload, how it is read and with which seed the runs go."""

    path: str
    reader: Mapping[str, str] = field(default_factory=dict)
    seed: int | None = None
    #: How many requests are taken from its beginning; None for all.
    first_requests: int | None = None
    #: The file with these requests.
    shortened: Path | None = None

    def identity(self) -> dict[str, Any]:
        """Return what tells this trace from others."""
        read = {}
        # One that is missing is told by the run.
        for path in map(Path, _core.input_files(self.path)):
            if path.exists():
                stat = path.stat()
                read[str(path.resolve())] = [stat.st_size, stat.st_mtime_ns]
        return {
            "trace": self.path,
            "files": read,
            "reader": dict(self.reader),
            "seed": self.seed,
            "first_requests": self.first_requests,
        }

    def arguments(self) -> dict[str, Any]:
        """Return how a run is told of it, but for the path."""
        if self.shortened is not None:
            return {"seed": self.seed}
        return {"trace_options": self.reader, "seed": self.seed}

    @contextmanager
    def made(self, parent: Path, progress: Progress | None) -> Iterator[Source]:
        """Write the beginning to a temporary file, where only that is run."""
        if self.first_requests is None:
            yield self
            return
        drawn = {} if self.seed is None or not is_workload(self.path) else {"seed": str(self.seed)}
        with files.scratch(parent) as folder:
            path = folder / "beginning.parquet"
            trace = Trace(self.path, options={**drawn, **self.reader})
            trace.transform("window", path, skip=0, take=self.first_requests, on_progress=progress)
            yield replace(self, shortened=path)
