"""Workers of a Dask cluster: one that dies takes only its own point with it."""

from __future__ import annotations

import contextlib
import queue
from collections.abc import Callable
from typing import Any, TypeVar

from distributed import Client, Future, KilledWorker, LocalCluster

from slcache._core import RunError
from slcache.execute import remote
from slcache.execute.tasks import Done, Task

_T = TypeVar("_T")
#: How long a scheduler may take to answer, and to have its first worker.
_WAIT_S = 30.0


class Dask:
    """A client of a scheduler, or of a cluster of processes of this machine."""

    here = False

    def __init__(self, address: str, workers: int | None = None) -> None:
        """Connect to `tcp://HOST:PORT` or a scheduler's file; without either start a cluster."""
        self._cluster: LocalCluster | None = None
        self._client = self._connected(address, workers)
        self._done: queue.SimpleQueue[Done] = queue.SimpleQueue()
        self._running: dict[str, Future] = {}
        try:
            self._client.wait_for_workers(1, timeout=_WAIT_S)
            remote.check(self.run_everywhere(remote.version))
        except TimeoutError as error:
            self.close()
            raise RunError(f"dask://{address}: no worker within {_WAIT_S:g} s") from error
        except RunError:
            self.close()
            raise

    def run_everywhere(self, function: Callable[[], _T]) -> dict[str, _T]:
        """Return what a function gives on each worker, by its address."""
        found: dict[str, _T] = self._client.run(function)
        return found

    def _connected(self, address: str, workers: int | None) -> Client:
        if not address:
            # One thread each: the time that a run takes is that of its process. Without an address
            # the scheduler's pages listen at port 8787 of every interface, which another may have.
            self._cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                host="127.0.0.1",
            )
            return Client(self._cluster)
        where = {"scheduler_file" if address.endswith(".json") else "address": address}
        try:
            return Client(**where, timeout=_WAIT_S)
        except (OSError, ValueError) as error:
            raise RunError(f"dask://{address}: no scheduler answers: {error}") from error

    @property
    def slots(self) -> int:
        """How many tasks it wants to have at a time; workers may come and go."""
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    def submit(self, task: Task) -> None:
        """Take a task."""
        # Not pure: a task that is tried again is no longer the one that was lost. How often that
        # is done, the driver decides.
        future = self._client.submit(
            remote.perform, remote.packed(task), remote.version(), pure=False, retries=0
        )
        self._running[task.name] = future
        future.add_done_callback(lambda ended: self._done.put(_told(task.name, ended)))

    def finished(self, timeout_s: float) -> list[Done]:
        """Return what has become of tasks since."""
        found = []
        with contextlib.suppress(queue.Empty):
            found.append(self._done.get(timeout=timeout_s))
            while True:
                found.append(self._done.get_nowait())
        for done in found:
            self._running.pop(done.name, None)
        return found

    def close(self) -> None:
        """End what is still running: a run that goes on elsewhere is not waited for."""
        self._client.cancel(list(self._running.values()))
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


def _told(name: str, ended: Future) -> Done:
    """Return what became of a task."""
    try:
        done: Any = ended.result()
    except KilledWorker as error:
        return Done(name, lost=f"the worker died: {error}")
    except Exception as error:
        # Whatever Dask or the network says: the point itself says what is wrong with it.
        return Done(name, lost=f"Dask: {type(error).__name__}: {error}")
    assert isinstance(done, Done)
    return done
