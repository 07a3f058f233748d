"""Executors that do tasks in this process, one at a time, and remember what they were given."""

from __future__ import annotations

from slcache.execute.tasks import Done, Task, perform


class Here:
    """Does tasks at once."""

    here, slots = True, 1

    def __init__(self) -> None:
        self.tasks: list[Task] = []
        self.done: list[Done] = []

    def submit(self, task: Task) -> None:
        """Do a task."""
        self.tasks.append(task)
        self.done.append(self.did(task))

    def did(self, task: Task) -> Done:
        """Return what became of a task."""
        return perform(task)

    def finished(self, timeout_s: float) -> list[Done]:
        """Return what has become of tasks."""
        del timeout_s
        found, self.done = self.done, []
        return found

    def close(self) -> None:
        """Do nothing."""
