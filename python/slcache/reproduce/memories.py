"""What schemes remember of earlier runs: made once, kept, and given to the runs that want it."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

from slcache import api
from slcache.reproduce.jobs import Job
from slcache.runs.store import Store, seal, sound


class Memories:
    """Memory files in the folder of kept results, by what the scheme has run before."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()
        self._known: set[Path] = set()

    def path(self, job: Job, progress: api.Progress) -> Path | None:
        """Return the memory that a run begins with; None where it begins with none."""
        if not job.after:
            return None
        *before, last = job.after
        lesson = replace(job, input=last, after=tuple(before))
        name = self._store.key({"memory": lesson.identity()})
        with self._guard:
            lock = self._locks.setdefault(name, threading.Lock())
        # Several runs want the same lessons; the first has them given.
        with lock:
            path = self._store.directory / f"{name}.memory"
            if path not in self._known and not sound(path):
                self._store.directory.mkdir(parents=True, exist_ok=True)
                api.run(
                    last.path,
                    **lesson.arguments(),
                    memory_in=self.path(lesson, progress),
                    memory_out=path,
                    progress=progress,
                )
                seal(path)
            self._known.add(path)
        return path
