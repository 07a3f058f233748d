"""Beginnings of a trace as files of their own, for points to be judged by before all is run."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from slcache import _core
from slcache.execute import store
from slcache.traces.api import Progress, Trace, cut, reader_options

#: Shares of the trace that points are run over first.
SHARES = (Fraction(1, 9), Fraction(1, 3))


class Prefixes:
    """The beginnings of one trace, written once and kept."""

    def __init__(
        self, trace: str, options: Mapping[str, str], folder: Path, progress: Progress | None = None
    ) -> None:
        self._trace = Trace(trace, options=options)
        self._options = reader_options(None, options)
        self._folder, self._progress = folder, progress
        self._requests: int | None = None
        self._known: set[Path] = set()

    def path(self, share: Fraction) -> Path:
        """Return the file with the first requests of the trace; raises TraceError."""
        read = _core.fingerprint(
            self._trace.path, trace_options=self._options, progress=self._progress
        )
        name = store.key({"trace": read, "options": self._options, "first": str(share)})
        path = self._folder / f"{name}.parquet"
        if path not in self._known and not store.sound(path):
            with store.making(path) as made:
                cut(self._trace, made, take=self.requests(share), on_progress=self._progress)
        self._known.add(path)
        return path

    def requests(self, share: Fraction) -> int:
        """Return how many requests a share of the trace has, one at least."""
        if self._requests is None:
            self._requests = int(self._trace.info(self._progress)["requests"])
        return max(1, int(self._requests * share))
