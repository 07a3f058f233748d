"""Where the points of a sweep run: a file for each kind of executor.

An executor takes tasks and yields what became of them, in any order. It need not be reliable: a
task whose worker was lost comes back as such, and the driver decides whether it is tried again.
`slcache.runs.tasks.perform` is what a worker calls; a task and what comes back of it are plain
data, so that they can be pickled or written as JSON. Only the driver writes results to the store.
"""

from __future__ import annotations

import contextlib
import queue
from typing import Protocol

from slcache.runs.tasks import Done, Task


class Executor(Protocol):
    """Runs tasks somewhere."""

    #: Whether workers see the folder and files that the driver sees, by the same names.
    here: bool

    @property
    def slots(self) -> int:
        """How many tasks it wants to have at a time."""

    def submit(self, task: Task) -> None:
        """Take a task."""

    def finished(self, timeout_s: float) -> list[Done]:
        """Return what has become of tasks since; waits for the first of them, but no longer."""

    def close(self) -> None:
        """End what is still running, at once."""


def since(done: queue.SimpleQueue[Done], timeout_s: float) -> list[Done]:
    """Return what has come since; waits for the first, but no longer."""
    found = []
    with contextlib.suppress(queue.Empty):
        found.append(done.get(timeout=timeout_s))
        while True:
            found.append(done.get_nowait())
    return found
