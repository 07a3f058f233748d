"""Several runs whose results are wanted together: here one by one, or wherever runs go on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from slcache import _core, api, files
from slcache.errors import UsageError, about
from slcache.execute import given
from slcache.execute.run import Run
from slcache.results.result import Result
from slcache.traces.api import Progress

if TYPE_CHECKING:
    from slcache.execute.executors import Executor


def results(
    asked: Sequence[Run],
    *,
    jobs: int | None,
    executor: Executor | str,
    store: api.Path | None,
    progress: Progress | None,
) -> list[Result]:
    """Return the results of runs in their order, of which `jobs` go on at a time.

    With one job they go on in this process, one by one. The first that fails ends all of them with
    its exception; what is done is kept where there is a store. `progress` cancels by returning
    False.
    """
    # What only runs need is loaded with the first of them.
    from slcache.execute.engine import Engine
    from slcache.execute.inline import Inline

    for each in asked:
        if each.log is not None:
            api.checked_log(each.log)
    read = [path for each in asked for path in each.reads()]
    written = [each.log for each in asked if each.log is not None]
    files.check([*written, *(drawn[0] for each in asked for drawn in each.timelines)], read)
    here = executor == "local" and (jobs is None or jobs == 1)
    _check_pipes(asked, jobs, executor, store, here=here)
    place = None if store is None else Path(store)
    if here:
        inline = Inline(progress, 0 if store is None else 1)
        engine = Engine(place, inline, titles=False)
    else:
        engine = Engine(place, executor, jobs, progress, titles=False)
    with engine:
        documents = engine.results(asked)
    pairs = zip(asked, documents, strict=True)
    return [Result.made(document, None, each.reads()) for each, document in pairs]


def _check_pipes(
    asked: Sequence[Run],
    jobs: int | None,
    executor: Executor | str,
    store: api.Path | None,
    *,
    here: bool,
) -> None:
    """Raise UsageError for a trace that can be read only once where that is not enough."""
    if here and store is None:
        return
    paths = (given.path_of(each.trace) for each in asked)
    pipe = next((path for path in paths if path is not None and _core.is_read_once(path)), None)
    if pipe is None:
        return
    if here:
        name, value, instead = "store", str(store), "leave store out"
    elif executor == "local":
        name, value, instead = "jobs", str(jobs), "jobs = 1"
    else:
        name, value, instead = "executor", str(executor), "leave executor out"
    told = f"{name} = {value}: {pipe} can be read only once: give a file, or {instead}"
    raise about(UsageError(told), name)
