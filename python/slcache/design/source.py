"""The trace that every run of a design repeats, or its beginning, so many times as a run wants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from slcache import files
from slcache.traces.api import Progress, Trace, cut, is_workload, reader_options


@dataclass(frozen=True)
class Source:
    """A trace or workload, how it is read and with which seed the runs go."""

    path: str
    reader: Mapping[str, str] = field(default_factory=dict)
    seed: int | None = None
    #: How many requests are taken from its beginning; None for all.
    first_requests: int | None = None
    #: How many times a run has it, one copy behind the other.
    copies: int = 1
    #: The file with these requests, where it is not `path`.
    written: Path | None = None

    @property
    def options(self) -> list[tuple[str, str]]:
        """How it is read; a workload is drawn with the seed of the runs."""
        return reader_options(None, self.reader, self.seed if is_workload(self.path) else None)

    @property
    def changed(self) -> dict[str, int | None]:
        """What is done to it before it is run; nothing to what is run once and whole."""
        if self.first_requests is None and self.copies == 1:
            return {}
        return {"first_requests": self.first_requests, "copies": self.copies}

    @contextmanager
    def made(
        self, parent: Path, passes: int, progress: Progress | None
    ) -> Iterator[tuple[Source, ...]]:
        """Yield what is run for the last of some passes: all of them, and all but that one.

        Files of it are temporary. The beginning of a trace that is no longer is the trace itself.
        """
        with files.scratch(parent) as folder:
            copies = (passes, passes - 1) if passes > 1 else (1,)
            yield tuple(self._times(each, folder, progress) for each in copies)

    def _times(self, copies: int, folder: Path, progress: Progress | None) -> Source:
        if self.first_requests is None and copies == 1:
            return self
        path = folder / f"{copies}.parquet"
        report = cut(
            Trace(self.path, options=dict(self.options)),
            path,
            take=self.first_requests,
            copies=str(copies) if copies > 1 else None,
            on_progress=progress,
        )
        reasons = [skipped["reason"] for skipped in report["inputs"][0]["summary"]["skipped"]]
        is_cut = "behind the part taken" in reasons
        if not is_cut and copies == 1:
            return replace(self, first_requests=None)
        first = self.first_requests if is_cut else None
        return replace(self, copies=copies, written=path, first_requests=first)
