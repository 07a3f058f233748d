"""Executors by name, as `--executor` has them."""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Iterator
from contextlib import contextmanager

from slcache.errors import UsageError, about
from slcache.runs.executors import Executor
from slcache.runs.executors.local import Local

#: By kind: the library, which is the extra of that name too.
_LIBRARIES = {"dask": "distributed", "ray": "ray"}


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
    made = executor(asked, count)
    try:
        yield made
    finally:
        made.close()


def executor(text: str, workers: int | None) -> Executor:
    """Return an executor, with `workers` processes where it starts them on this machine.

    Raises UsageError as `check` does, and RunError where no cluster answers.
    """
    check(text, workers)
    if text == "local":
        return Local(workers)
    kind, address = text.split("://", 1)
    module = importlib.import_module(f"slcache.runs.executors.{kind}")
    found: Executor = getattr(module, kind.capitalize())(address, workers)
    return found
