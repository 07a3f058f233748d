"""Writes results while others are made: making sure of a file takes longer than many a run."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from types import TracebackType
from typing import Self

from slcache.runs.store import Store
from slcache.runs.tasks import Done

#: Files written at a time, and results that may wait for it.
_WRITERS = 4
_WAITING = 8


class Keeper:
    """Threads that write; everything is in the store when the block is left."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pool = ThreadPoolExecutor(_WRITERS, thread_name_prefix="keeper")
        self._writing: set[Future[None]] = set()

    def __enter__(self) -> Self:
        return self

    def keep(self, done: Done) -> None:
        """Write a result; raises what went wrong with an earlier one."""
        self._writing.add(self._pool.submit(self._store.put_packed, done.name, done.content))
        over = len(self._writing) > _WAITING
        written, self._writing = wait(
            self._writing, timeout=None if over else 0, return_when=FIRST_COMPLETED
        )
        for each in written:
            each.result()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.shutdown()
        if kind is None:
            for each in self._writing:
                each.result()
