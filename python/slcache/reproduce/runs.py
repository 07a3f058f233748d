"""The runs of an evaluation: every workload under every scheme, for every seed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from slcache import api
from slcache.reproduce.jobs import Job
from slcache.reproduce.memories import Memories
from slcache.reproduce.repeats import Repeats
from slcache.runs.store import Store

#: Called with (runs done, runs in all, what is running); returning False stops the evaluation.
Progress = Callable[[float, int, str], bool | None]


class StoppedError(Exception):
    """The user stopped the evaluation; what was finished is kept."""


@dataclass(frozen=True)
class Files:
    """Files that runs need and share."""

    repeats: Repeats
    memories: Memories


def run_all(
    jobs: Sequence[Job], store: Store, progress: Progress, workers: int | None = None
) -> list[dict[str, Any]]:
    """Return the results in the order of the jobs; runs only what the store does not hold.

    `workers` runs go on at a time, by default one a processor.
    """
    keys = [_key(job, store) for job in jobs]
    found = {key: document for key in set(keys) if (document := store.get(key)) is not None}
    todo = {key: job for key, job in zip(keys, jobs, strict=True) if key not in found}
    # Jobs that are the same run count as one: only one of them is run.
    state = _State(len({*keys}), len(found), progress)
    state.told("kept results read")
    # The longest first, so that no long run is left alone at the end; among these one scheme
    # after the other, so that no run waits for another to make the file both want.
    order = sorted(todo.items(), key=lambda item: _turn(item[1]))
    files = Files(Repeats(store.directory.parent, store), Memories(store))
    try:
        with ThreadPoolExecutor(max_workers=workers or os.cpu_count() or 1) as pool:
            pending = {pool.submit(_one, job, key, store, files, state): key for key, job in order}
            _collect(pending, found, state)
    finally:
        files.repeats.clear()
    return [found[key] for key in keys]


def _turn(job: Job) -> tuple[bool, str, int]:
    repeated = job.input.repeat_to_write_bytes > 0
    return not repeated, job.scheme if repeated else "", -job.input.size


def all_kept(jobs: Sequence[Job], store: Store) -> bool:
    """Return whether the store holds every result already."""
    return all(store.get(_key(job, store)) is not None for job in jobs)


def _collect(pending: dict[Future[Any], str], found: dict[str, Any], state: _State) -> None:
    """Wait for the runs; on the first fault, or when stopped, let none go on."""
    waiting: Iterable[Future[Any]] = list(pending)
    try:
        while waiting:
            done, rest = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
            for future in done:
                found[pending[future]] = future.result()
            waiting = rest
            if not state.shown():
                raise StoppedError
    except BaseException:
        state.stopped.set()
        for future in pending:
            future.cancel()
        raise


def _result(job: Job, files: Files, progress: api.Progress) -> dict[str, Any]:
    """Return the result document."""

    # The making of files is not the run: it only asks whether to go on.
    def asking(phase: str, *_: int) -> bool | None:
        return progress(phase, 0, 0)

    path = files.repeats.path(job.input, job.drawn, asking)
    remembered = files.memories.path(job, asking)
    result = api.run(path, **job.arguments(), memory_in=remembered, progress=progress)
    document = result.to_dict()
    document["trace"]["path"] = job.input.path
    return _kept(document)


def _one(job: Job, key: str, store: Store, files: Files, state: _State) -> dict[str, Any]:
    document = _result(job, files, lambda _phase, done, total: state.step(key, job, done, total))
    store.put(key, document)
    state.finished(key)
    return document


class _State:
    """How far the runs are, shared by their threads."""

    def __init__(self, total: int, done: int, progress: Progress) -> None:
        self.stopped = threading.Event()
        self._total, self._done, self._progress = total, done, progress
        self._running: dict[str, tuple[float, str]] = {}
        self._lock = threading.Lock()

    def step(self, key: str, job: Job, done: int, total: int) -> bool:
        with self._lock:
            self._running[key] = (done / total if total else 0.0, job.title)
        return not self.stopped.is_set()

    def finished(self, key: str) -> None:
        with self._lock:
            self._running.pop(key, None)
            self._done += 1

    def told(self, text: str) -> bool:
        return self._progress(self._done, self._total, text) is not False

    def shown(self) -> bool:
        with self._lock:
            part = sum(share for share, _ in self._running.values())
            titles = [title for _, title in self._running.values()]
        return self._progress(self._done + part, self._total, "; ".join(titles)) is not False


def _key(job: Job, store: Store) -> str:
    return store.key(job.identity())


def _kept(document: dict[str, Any]) -> dict[str, Any]:
    """Return a result without what differs from run to run on one machine."""
    document.pop("sim")
    document["provenance"].pop("time")
    return document
