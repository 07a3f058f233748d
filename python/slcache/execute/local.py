"""Workers that are processes of this machine: one that dies takes only its own task with it.

Threads would do as well, were it not for what can go wrong: out of memory a run ends its process,
and a scheme in Python needs an interpreter, with hashes and costs, of its own.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import warnings
from collections import deque
from multiprocessing.connection import Pipe, wait
from typing import IO

from slcache.errors import RunError
from slcache.execute import steady
from slcache.execute.tasks import Done, Task

#: Without the folder one happens to be in, which may hold files named like modules. Ctrl-C is for
#: the driver from the first line on, which then ends its workers.
_COMMAND = (
    *(sys.executable, "-P", "-c"),
    "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); "
    "from slcache.execute.worker import main; main()",
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
                    env=os.environ | steady.hashes(),
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
