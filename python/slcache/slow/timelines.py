"""The files of a timeline, and the stretch of time that it is of."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from slcache import _core
from slcache.documents.timeline import Timeline
from slcache.errors import UsageError, about
from slcache.files import Drawn
from slcache.files import Path as Named
from slcache.slow import log, stretch

#: From when until when, around what, and of every which request.
Said = tuple[str | None, str | None, str | None, int | None]
#: How the names of tables of operations end; others are for Perfetto.
_TABLES = (".parquet", ".pq")


def drawn(
    file: Named | None,
    said: Said,
    trace: Named | None,
    run: Callable[..., object],
) -> Drawn:
    """Return what is drawn where; UsageError where a stretch has no file.

    For a stretch around a request `run` runs everything first.
    """
    path = checked(file, said, trace)
    return (path, *stretch.asked(*said, lambda: _logged(run)))


def with_table(drawn: Drawn, table: Path) -> tuple[Drawn, ...]:
    """Return all files of a timeline, of which the last is a table: its own, or else `table`."""
    path = Path(drawn[0])
    # What is no regular file, such as a FIFO, cannot be read again.
    again = path.is_file() or not path.exists()
    own = path.suffix in _TABLES and again
    return (drawn,) if own else (drawn, (os.fspath(table), *drawn[1:]))


def table(drawn: Sequence[Drawn]) -> Timeline:
    """Return the table that a run has written last, for its result."""
    path, _, _, every = drawn[-1]
    return Timeline.of(Path(path), every)


def _logged(run: Callable[..., object]) -> log.Log:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "requests.parquet"
        run(log=place)
        return log.read(place)


def checked(file: Named | None, said: Said, trace: Named | None) -> str:
    """Return the file; UsageError without one, or where a stretch cannot be known beforehand."""
    if file is None:
        told = "timeline is missing: a stretch of time is that of a timeline"
        raise about(UsageError(told), "timeline")
    if said[2] is not None and trace is not None and _core.is_read_once(os.fspath(trace)):
        told = f"timeline_around = {said[2]}: {os.fspath(trace)} can be read only once"
        raise about(UsageError(told), "timeline_around")
    return os.fspath(file)
