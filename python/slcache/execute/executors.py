"""Where runs go on: processes of this machine, or workers of a Dask or Ray cluster.

One that dies takes only its own task with it. On this machine threads would do as well, were it not
for what can go wrong: out of memory a run ends its process, and a scheme in Python needs an
interpreter, with hashes and costs, of its own.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pickle
import queue
import re
import signal
import subprocess
import sys
import tempfile
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Pipe, wait
from typing import IO, TYPE_CHECKING, Any, Protocol, TypeVar

from slcache import _boot
from slcache.errors import RunError, UsageError, about
from slcache.execute import tasks
from slcache.execute.tasks import Done, Task

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

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


#: What all of them have; others that run functions, such as a client of Dask, have a part of it.
_TAKES_TASKS = ("here", "slots", "submit", "finished", "close")


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
        if not all(hasattr(asked, name) for name in _TAKES_TASKS):
            told = "must be local, dask://[HOST:PORT], ray://[HOST:PORT], or take slcache's tasks"
            raise about(UsageError(f"executor = {asked!r:.60}: {told}"), "executor")
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
    return Dask(address, workers) if kind == "dask" else Ray(address, workers)


#: Without the folder one happens to be in, which may hold files named like modules. Ctrl-C is for
#: the driver from the first line on, which then ends its workers.
_COMMAND = (
    *(sys.executable, "-P", "-c"),
    "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); "
    "from slcache.execute.tasks import serve; serve()",
)
#: How much of what a lost worker said last is told.
_LAST_BYTES = 300
#: How long a worker may take to clean up before it is killed.
_GRACE_S = 5.0


class Local:
    """Some worker processes, each with one task at a time."""

    here = True

    def __init__(self, workers: int | None = None) -> None:
        self.slots = workers or _processors()
        self._tasks: deque[Task] = deque()
        self._workers: list[_Worker] = []

    def submit(self, task: Task) -> None:
        """Take a task; a worker is started for it where there are fewer than wanted.

        Raises RunError where none can be started.
        """
        self._tasks.append(task)
        self._give()

    def _give(self) -> None:
        """Give tasks to workers that have none."""
        idle = [worker for worker in self._workers if worker.task is None]
        while self._tasks:
            if not idle:
                if len(self._workers) >= self.slots or (worker := self._begun()) is None:
                    break
                idle.append(worker)
            idle.pop(0).give(self._tasks.popleft())

    def _begun(self) -> _Worker | None:
        """Return a new worker; where none can be started, those that there are have to do."""
        try:
            worker = _Worker()
        except OSError as error:
            why = f"a worker cannot be started: {error.strerror or error} ({sys.executable})"
            left = len(self._workers)
            if not left:
                raise RunError(why) from error
            warnings.warn(f"{why}: {left} of {self.slots} do the work", stacklevel=5)
            self.slots = left
            return None
        self._workers.append(worker)
        return worker

    def finished(self, timeout_s: float) -> list[Done]:
        """Return what has become of tasks since; waits for the first of them, but no longer."""
        busy = {worker.pipe: worker for worker in self._workers if worker.task is not None}
        found = [busy[pipe].answer() for pipe in wait(list(busy), timeout_s)]  # type: ignore[index]
        self._workers = [worker for worker in self._workers if not worker.lost]
        self._give()
        return found

    def close(self) -> None:
        """End all workers, at once."""
        self._tasks.clear()
        for worker in self._workers:
            # All of them see at once that nothing comes any more.
            worker.pipe.close()
        for worker in self._workers:
            worker.end()
        self._workers = []


class _Worker:
    """A process that does one task after the other."""

    def __init__(self) -> None:
        """Start it; raises OSError."""
        #: What it is at work for.
        self.task: Task | None = None
        self.lost = False
        with contextlib.ExitStack() as failed:
            self.pipe, theirs = Pipe()
            failed.callback(self.pipe.close)
            with theirs:
                self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
                failed.callback(self._said.close)
                self.process = subprocess.Popen(
                    (*_COMMAND, str(theirs.fileno())),
                    stdin=subprocess.DEVNULL,
                    # What a scheme in Python prints is for who waits here; its errors are kept.
                    stdout=2,
                    stderr=self._said,
                    env=os.environ | _boot.hashes(),
                    pass_fds=(theirs.fileno(),),
                    # Signals from the terminal are for the driver.
                    start_new_session=True,
                )
            failed.pop_all()

    def give(self, task: Task) -> None:
        """Have a task done; whether the process is there its answer tells."""
        self.task = task
        with contextlib.suppress(OSError):
            self.pipe.send(task)

    def answer(self) -> Done:
        """Return what became of the task, or how the process was lost."""
        assert self.task is not None
        name, self.task = self.task.name, None
        # Whatever else it says is no answer.
        with contextlib.suppress(OSError, EOFError, pickle.UnpicklingError):
            done = self.pipe.recv()
            if isinstance(done, Done):
                return done
        self.lost = True
        return Done(name, lost=self._loss())

    def _loss(self) -> str:
        """Return how the process ended."""
        last = self.end()
        status = self.process.returncode
        how = f"exited with status {status}" if status >= 0 else f"was ended by {_signal(-status)}"
        return f"the worker {how}{f': {last}' if last else ''}"

    def end(self) -> str:
        """Make sure that the process is gone, and return the last line of its errors."""
        # At the end of its input it removes what it has half written.
        self.pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_GRACE_S)
        self.process.kill()
        self.process.wait()
        with self._said as said:
            said.seek(max(0, said.seek(0, os.SEEK_END) - _LAST_BYTES))
            lines = said.read().decode(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _processors() -> int:
    """Return how many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


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
            tasks.check_versions(self.run_everywhere(tasks.version))
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
        from distributed import Client, LocalCluster

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
            tasks.perform_sent, tasks.portable(task), tasks.version(), pure=False, retries=0
        )
        self._running[task.name] = future
        future.add_done_callback(lambda ended: self._done.put(_dask_outcome(task.name, ended)))

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


def _dask_outcome(name: str, ended: Future) -> Done:
    """Return what became of a task."""
    from distributed import KilledWorker

    try:
        done: Any = ended.result()
    except KilledWorker as error:
        return Done(name, lost=f"the worker died: {error}")
    except Exception as error:
        # Whatever Dask or the network says: the point itself says what is wrong with it.
        return Done(name, lost=f"Dask: {type(error).__name__}: {error}")
    assert isinstance(done, Done)
    return done


class Ray:
    """A cluster that is there, or one of processes of this machine."""

    here = False

    def __init__(self, address: str, workers: int | None = None) -> None:
        """Connect to `auto`, `HOST:PORT` or `ray://HOST:PORT`; without any start a cluster."""
        # Nothing is told to anybody about who runs what.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        import ray

        self._ray = ray
        local: dict[str, Any] = {"num_cpus": workers, "include_dashboard": False}
        try:
            ray.init(
                address=address or "local",
                logging_level="ERROR",
                log_to_driver=False,
                **({} if address else local),
            )
        except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
            raise RunError(f"ray://{address}: no cluster answers: {error}") from error
        # How often a task is tried again, the driver decides.
        self._perform = ray.remote(max_retries=0)(tasks.perform_sent)
        self._running: dict[Any, str] = {}

    @property
    def slots(self) -> int:
        """How many tasks it wants to have at a time; workers may come and go."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(self, task: Task) -> None:
        """Take a task."""
        reference = self._perform.remote(tasks.portable(task), tasks.version())
        self._running[reference] = task.name

    def finished(self, timeout_s: float) -> list[Done]:
        """Return what has become of tasks since."""
        references = list(self._running)
        if not references:
            return []
        ready, rest = self._ray.wait(references, num_returns=1, timeout=timeout_s)
        if ready and rest:
            more, _ = self._ray.wait(rest, num_returns=len(rest), timeout=0)
            ready += more
        return [self._outcome(self._running.pop(reference), reference) for reference in ready]

    def close(self) -> None:
        """End what is still running."""
        for reference in self._running:
            self._ray.cancel(reference, force=True)
        self._ray.shutdown()

    def _outcome(self, name: str, reference: Any) -> Done:  # noqa: ANN401
        """Return what became of a task."""
        try:
            done = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            last = str(error).strip().splitlines()
            return Done(name, lost=f"Ray: {type(error).__name__}: {last[0] if last else ''}")
        assert isinstance(done, Done)
        return done
