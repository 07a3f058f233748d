"""Traces that runs read: what tells each from others, and its prepared form, parsed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from slcache import _core
from slcache.execute import given, store
from slcache.execute.run import Options, Run
from slcache.traces.api import Progress

#: A trace with the options that it is read with.
Reading = tuple[str, tuple[tuple[str, str], ...]]


def reading(run: Run) -> Reading:
    """Return how a run reads its trace."""
    return run.trace, tuple(run.trace_options)


class Traces:
    """Traces that are looked at once, however many runs read them."""

    def __init__(self, folder: Path, progress: Progress | None) -> None:
        self._folder, self._progress = folder, progress
        self._opened: dict[str, str | _core.Rereadable] = {}
        self._fingerprints: dict[Reading, str] = {}
        #: Prepared files that were looked at or made here.
        self._known: set[Path] = set()

    def fingerprint(self, trace: str, options: Options) -> str:
        """Return the hash of what a trace is read from; raises TraceError."""
        one = trace, tuple(options)
        if one not in self._fingerprints:
            self._fingerprints[one] = _core.fingerprint(
                self._open(trace), trace_options=list(options), progress=self._progress
            )
        return self._fingerprints[one]

    def prepared(self, runs: Iterable[Run], *, here: bool) -> dict[Reading, Path]:
        """Parse every trace that several runs read, or that can be read only once.

        If they are not read `here`, every trace that is a file: what is prepared of it is found
        from any folder. Returns the prepared files; raises TraceError.
        """
        uses = Counter(map(reading, runs))
        return {
            each: self._prepared(each)
            for each, times in uses.items()
            if times > 1 or not (here or given.is_workload(each[0])) or _core.is_read_once(each[0])
        }

    def _prepared(self, one: Reading) -> Path:
        trace, options = one
        parts = {"trace": self.fingerprint(trace, options), "options": options}
        path = self._folder / f"{store.key(parts)}.parquet"
        if path not in self._known and not store.sound(path):
            with store.making(path) as made:
                _core.prepare(
                    self._open(trace), made, trace_options=list(options), progress=self._progress
                )
        self._known.add(path)
        return path

    def _open(self, trace: str) -> str | _core.Rereadable:
        """Return a trace that can be read twice; a pipe is copied."""
        if trace not in self._opened:
            once = _core.is_read_once(trace)
            self._opened[trace] = (
                _core.rereadable(trace, progress=self._progress) if once else given.trace_of(trace)
            )
        return self._opened[trace]
