"""Traces that an evaluation repeats until they have written a given amount."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from pathlib import Path

from slcache import TraceError, _core, api
from slcache.reproduce.inputs import Input, sure_statistics
from slcache.runs.store import Store


class Repeats:
    """Repeated traces as files, made when a run needs them and removed when all are done."""

    def __init__(self, parent: Path, store: Store) -> None:
        self._parent = parent
        self._scratch: _core.Scratch | None = None
        self._store = store
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()

    def path(self, each: Input, seed: int, progress: api.Progress) -> str:
        """Return the file to run: the input itself, or its repetition."""
        if not each.repeat_to_write_bytes:
            return each.path
        name = self._store.key({"repeated": each.identity(seed)})
        with self._guard:
            lock = self._locks.setdefault(name, threading.Lock())
        # Several schemes want the same file; the first makes it, under a name of its own.
        with lock:
            path = self._folder() / f"{name}.parquet"
            if not path.exists():
                self._write(each, seed, path, progress)
        return str(path)

    def clear(self) -> None:
        """Remove the files: they are large, and made again where they are needed."""
        if self._scratch is not None:
            self._scratch.close()

    def _folder(self) -> Path:
        with self._guard:
            if self._scratch is None:
                self._parent.mkdir(parents=True, exist_ok=True)
                self._scratch = _core.Scratch(os.fspath(self._parent))
        assert self._scratch.path is not None
        return self._scratch.path

    def _write(self, each: Input, seed: int, path: Path, progress: api.Progress) -> None:
        once = replace(each, repeat_to_write_bytes=0)
        told = sure_statistics(once, seed, self._store, progress)
        if not told["write_bytes"]:
            raise TraceError(f"{each.path}: no writes to repeat")
        times = each.repeat_to_write_bytes / told["write_bytes"]
        take = round(times * (told["requests"] + told["flushes"] + told["trims"]))
        steps = [{"kind": "window", "skip": 0, "take": take}]
        if times > 1:
            steps.insert(0, {"kind": "repeat", "times": -int(-times // 1)})
        trace = api.Trace(each.path, options=once.options(seed))
        trace.transform("pipeline", path, steps=steps, on_progress=progress)
