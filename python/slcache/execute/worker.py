"""The process of a local worker, which `slcache.execute.local` starts: it answers task by task.

It ends as soon as its pipe does, also in the middle of a run: whoever started it is gone, killed
or not.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import traceback
from multiprocessing.connection import Connection

from slcache import _core
from slcache.execute.tasks import Task, perform


def main() -> None:
    """Do tasks until there are no more."""
    pipe: Connection = Connection(int(sys.argv[1]))
    tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()
    threading.Thread(target=_take, args=(pipe, tasks), daemon=True).start()
    while True:
        done = perform(tasks.get())
        sys.stdout.flush()
        pipe.send(done)


def _take(pipe: Connection, tasks: queue.SimpleQueue[Task]) -> None:
    """Take tasks meanwhile: a run must not keep it from seeing that its driver is gone."""
    status = 1
    try:
        while True:
            tasks.put(pipe.recv())
    except (EOFError, OSError):
        status = 0
    except Exception:
        traceback.print_exc()
    _core.remove_scratches()
    os._exit(status)
