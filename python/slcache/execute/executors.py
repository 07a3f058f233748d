"""Where runs go on: the one protocol of threads, processes and clusters, and each by its name.

An executor takes tasks and yields what became of them, in any order. It need not be reliable: a
task whose worker was lost comes back as such, and the driver decides whether it is tried again.
`slcache.execute.tasks.perform` is what a worker calls; a task and what comes back of it are plain
data, which can be pickled. Only the driver writes results to the store.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from slcache.errors import UsageError, about
from slcache.execute.local import Local
from slcache.execute.tasks import Done, Task

#: By kind: the library, which is the extra of that name too.
_LIBRARIES = {"dask": "distributed", "ray": "ray"}


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


def check(text: str, workers: int | None) -> None:
    """Raise UsageError for what is no executor, or cannot be one here."""
    match = re.fullmatch(r"(dask|ray)://(.*)", text)
    if match is None:
        if text != "local":
            told = f"executor = {text}: must be local, dask://[HOST:PORT] or ray://[HOST:PORT]"
            raise about(UsageError(told), "executor")
        return
    kind, address = match.groups()
    if address and workers is not None:
        raise about(UsageError(f"jobs = {workers}: {text} has workers of its own"), "jobs")
    if importlib.util.find_spec(_LIBRARIES[kind]) is None:
        told = f"executor = {text}: needs pip install 'slcache[{kind}]'"
        raise about(UsageError(told), "executor")


@contextmanager
def workers(asked: Executor | str, count: int | None) -> Iterator[Executor]:
    """Yield an executor, given or by its name; one that is made here is ended.

    It has `count` processes where it starts them on this machine. Raises UsageError as `check`
    does, and RunError where no cluster answers.
    """
    if not isinstance(asked, str):
        if not hasattr(asked, "submit"):
            told = f"executor = {asked!r:.60}: must be a name such as local, or take tasks"
            raise about(UsageError(told), "executor")
        yield asked
        return
    check(asked, count)
    made = _made(asked, count)
    try:
        yield made
    finally:
        made.close()


def _made(text: str, workers: int | None) -> Executor:
    """Return an executor of this name; raises RunError where no cluster answers."""
    if text == "local":
        return Local(workers)
    kind, address = text.split("://", 1)
    module = importlib.import_module(f"slcache.execute.{kind}")
    found: Executor = getattr(module, kind.capitalize())(address, workers)
    return found
