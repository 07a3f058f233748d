"""What the points of a sweep share: traces parsed once, and preconditioned states made once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from slcache import _core
from slcache.runs import given, store
from slcache.sweep.points import Point
from slcache.sweep.study import StudyError
from slcache.traces.api import Progress

#: The parts of a configuration that a state depends on.
_BOUND = ("device", "scheme", "buffer", "run", "precondition")


@dataclass(frozen=True)
class _Reading:
    """A trace as it is read by some of the points."""

    trace: str
    options: tuple[tuple[str, str], ...]


class Traces:
    """The traces of a study: what tells them from others, and their prepared forms."""

    def __init__(self, folder: Path, progress: Progress | None) -> None:
        self._folder = folder
        self._progress = progress
        self._opened: dict[str, str | _core.Rereadable] = {}
        self._fingerprints: dict[_Reading, str] = {}
        #: What each fingerprint was found first under.
        self._named: dict[tuple[str, tuple[tuple[str, str], ...]], str] = {}
        #: Prepared files that were looked at or made here.
        self._known: set[Path] = set()

    def fingerprint(self, point: Point) -> str:
        """Return the hash of what a point's trace is read from.

        Raises TraceError, and StudyError for a trace that is there under two names: it would count
        twice wherever traces are compared.
        """
        reading = _reading(point)
        if reading not in self._fingerprints:
            found = _core.fingerprint(
                self._open(point.trace),
                trace_options=list(reading.options),
                progress=self._progress,
            )
            first = self._named.setdefault((found, reading.options), reading.trace)
            if first != reading.trace:
                both = f"{given.label(first)} and {given.label(reading.trace)}"
                raise StudyError(f"trace: {both} are the same trace; give it once")
            self._fingerprints[reading] = found
        return self._fingerprints[reading]

    def prepare(self, points: Iterable[Point], *, here: bool) -> dict[int, Path]:
        """Parse every trace that several points read, or that can be read only once.

        If they are not read `here`, every trace that is a file: what is prepared of it is found
        from any folder. Returns the prepared file of each point that has one; raises TraceError.
        """
        readings = {point.index: _reading(point) for point in points}
        uses = Counter(readings.values())
        shared = {
            reading: self._prepared(reading)
            for reading, times in uses.items()
            if times > 1
            or not (here or given.is_workload(reading.trace))
            or _core.is_read_once(reading.trace)
        }
        return {index: shared[r] for index, r in readings.items() if r in shared}

    def _prepared(self, reading: _Reading) -> Path:
        parts = {"trace": self._fingerprints[reading], "options": reading.options}
        path = self._folder / f"{store.key(parts)}.slctrace"
        if path not in self._known and not store.sound(path):
            with store.making(path) as made:
                _core.prepare(
                    self._open(reading.trace),
                    made,
                    trace_options=list(reading.options),
                    progress=self._progress,
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


def _reading(point: Point) -> _Reading:
    return _Reading(point.trace, tuple(point.reader_options()))


def states(points: Iterable[Point], folder: Path) -> dict[int, Path]:
    """Return the file of the state that each point starts from, where several share one."""
    found = {
        point.index: folder / f"{name}.slcstate"
        for point in points
        if (name := _state(point)) is not None
    }
    uses = Counter(found.values())
    return {index: path for index, path in found.items() if uses[path] > 1 or path.exists()}


def _state(point: Point) -> str | None:
    """Return the name of a point's preconditioned state; None where it asks for none."""
    config = point.config
    if config is None or not config["precondition"]["fill"]:
        return None
    return store.key({"state": {part: config[part] for part in _BOUND}})
