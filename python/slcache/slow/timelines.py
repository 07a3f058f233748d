"""The files of a timeline, and the stretch of time that it is of."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from slcache import _core
from slcache.errors import UsageError, about
from slcache.files import Drawn
from slcache.files import Path as Named
from slcache.slow import log, stretch

#: From when until when, around what, and of every which request.
Said = tuple[str | None, str | None, str | None, int | None]


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


def name(document: Mapping[str, Any], drawn: Drawn) -> None:
    """Name the timeline in the document of a run that has just drawn it."""
    file, _, _, every = drawn
    document["provenance"]["timeline"] = {"file": file} | ({} if every == 1 else {"every": every})


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
