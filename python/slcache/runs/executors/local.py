"""Workers that are processes of this machine: one that dies takes only its own point with it."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from typing import IO

from slcache.errors import RunError
from slcache.runs import steady
from slcache.runs.executors import since
from slcache.runs.executors.worker import read_frame
from slcache.runs.tasks import Done, Task

#: Without the folder one happens to be in, which may hold files named like modules. Ctrl-C is for
#: the driver from the first line on, which then ends its workers.
_COMMAND = (
    *(sys.executable, "-P", "-c"),
    "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); "
    "from slcache.runs.executors.worker import main; main()",
)
#: How much of what a lost worker said last is told.
_LAST_BYTES = 300
#: How long a worker may take to clean up before it is killed.
_GRACE_S = 5.0


class Local:
    """Some worker processes, each with a thread here that feeds it."""

    here = True

    def __init__(self, workers: int | None = None) -> None:
        self.slots = workers or _processors()
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[Done] = queue.SimpleQueue()
        self._workers: list[_Worker] = []
        #: Those that could be started whenever they had to be.
        self._living = 0
        self._lock = threading.Lock()
        self._closed = threading.Event()

    def submit(self, task: Task) -> None:
        """Take a task; a worker is started for it where there are fewer than wanted.

        Raises RunError where none can be started.
        """
        if len(self._workers) < self.slots:
            self._begin()
        self._tasks.put(task)

    def _begin(self) -> None:
        """Start a worker; where that fails, those that there are have to do."""
        worker = _Worker()
        try:
            worker.start()
            threading.Thread(target=self._feed, args=(worker,), daemon=True).start()
        except (OSError, RuntimeError) as error:
            worker.kill()
            why = _unstarted(error)
            if not self._workers:
                raise RunError(why) from error
            warnings.warn(f"{why}: {len(self._workers)} of {self.slots} do the work", stacklevel=4)
            self.slots = len(self._workers)
        else:
            self._workers.append(worker)
            with self._lock:
                self._living += 1

    def finished(self, timeout_s: float) -> list[Done]:
        """Return what has become of tasks since."""
        return since(self._done, timeout_s)

    def close(self) -> None:
        """End all workers, at once."""
        self._closed.set()
        for worker in self._workers:
            self._tasks.put(None)
            worker.kill()

    def _feed(self, worker: _Worker) -> None:
        while (task := self._tasks.get()) is not None and not self._closed.is_set():
            try:
                done = worker.run(task)
            except OSError as error:
                if self._is_left_to_others(task, error):
                    return
                done = Done(task.name, lost=_unstarted(error))
            if self._closed.is_set():
                break
            self._done.put(done)
        worker.kill()

    def _is_left_to_others(self, task: Task, error: OSError) -> bool:
        """Whether other workers do a task, and all else, since one cannot be started anew."""
        with self._lock:
            if self._living == 1:
                return False
            self._living -= 1
            self.slots = self._living
        warnings.warn(f"{_unstarted(error)}: {self.slots} do the work", stacklevel=2)
        self._tasks.put(task)
        return True


class _Worker:
    """A process, and another one after it was lost."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] | None = None
        self._lock = threading.Lock()
        self._ended = False

    def run(self, task: Task) -> Done:
        """Have a task done, or return how the process was lost.

        Raises OSError where no process can be started.
        """
        process = self.start()
        if process is None:
            return Done(task.name, lost="the sweep ended")
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(task.to_dict()).encode() + b"\n")
            process.stdin.flush()
            done = read_frame(process.stdout)
        # Whatever else it says is no answer.
        except (OSError, ValueError, TypeError, LookupError):
            done = None
        return done if done is not None else Done(task.name, lost=self._loss(process))

    def kill(self) -> None:
        """End the process, and start none after it."""
        with self._lock:
            self._ended = True
            if self._process is not None:
                _end(self._process)
            if self._said is not None:
                self._said.close()

    def start(self) -> subprocess.Popen[bytes] | None:
        """Return the process, a new one where there is none; None where none is wanted any more.

        Raises OSError.
        """
        with self._lock:
            if self._ended:
                return None
            if self._process is None:
                self._said = self._said or tempfile.TemporaryFile()  # noqa: SIM115
                # What a scheme in Python prints is for who waits here; its own errors are kept.
                beside = os.dup(2)
                try:
                    self._process = subprocess.Popen(
                        (*_COMMAND, str(beside)),
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        stderr=self._said,
                        env=os.environ | steady.hashes(),
                        pass_fds=(beside,),
                        # Signals from the terminal are for the driver.
                        start_new_session=True,
                    )
                finally:
                    os.close(beside)
            return self._process

    def _loss(self, process: subprocess.Popen[bytes]) -> str:
        """Return how the process ended, and leave room for another."""
        with self._lock:
            self._process = None
            _end(process)
            said, self._said = self._said, None
        status = process.returncode
        how = f"exited with status {status}" if status >= 0 else f"was ended by {_signal(-status)}"
        last = "" if said is None or said.closed else _last_line(said)
        return f"the worker {how}{f': {last}' if last else ''}"


def _unstarted(error: OSError | RuntimeError) -> str:
    why = getattr(error, "strerror", None) or error
    return f"a worker cannot be started: {why} ({sys.executable})"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Make sure that a process is gone, and its pipes with it."""
    # At the end of its input it removes what it has half written.
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        assert process.stdin is not None
        process.stdin.close()
        process.wait(_GRACE_S)
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            if stream is not None:
                stream.close()


def _processors() -> int:
    """Return how many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _last_line(said: IO[bytes]) -> str:
    with said:
        said.seek(0, os.SEEK_END)
        said.seek(max(0, said.tell() - _LAST_BYTES))
        lines = said.read().decode(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
