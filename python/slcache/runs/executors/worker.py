"""The process of a local worker: tasks come as lines of JSON, answers go as JSON and bytes.

`slcache.runs.executors.local` starts it, with the descriptor for what is printed where there is
one. It ends as soon as its standard input does, also
in the middle of a run: whoever started it is gone, killed or not.
"""

from __future__ import annotations

import dataclasses
import json
import os
import queue
import sys
import threading
from typing import IO

from slcache import _core
from slcache.runs.tasks import Done, Task, perform


def frame(done: Done) -> bytes:
    """Return what became of a task: a line of JSON that says how many bytes follow."""
    told = dataclasses.asdict(done)
    content: bytes = told.pop("content")
    header = json.dumps({**told, "bytes": len(content)}, allow_nan=False)
    return header.encode() + b"\n" + content


def read_frame(stream: IO[bytes]) -> Done | None:
    """Return the next answer; None where the stream ends before it is whole."""
    line = stream.readline()
    if not line.endswith(b"\n"):
        return None
    told = json.loads(line)
    size = told.pop("bytes")
    content = stream.read(size)
    return Done(**told, content=content) if len(content) == size else None


def main() -> None:
    """Do tasks until there are no more."""
    answers = os.fdopen(os.dup(1), "wb")
    # What anything prints must not get between the answers.
    os.dup2(int(sys.argv[1]) if len(sys.argv) > 1 else 2, 1)
    tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()
    threading.Thread(target=_take, args=(tasks,), daemon=True).start()
    while True:
        done = perform(tasks.get())
        sys.stdout.flush()
        answers.write(frame(done))
        answers.flush()


def _take(tasks: queue.SimpleQueue[Task]) -> None:
    for line in sys.stdin.buffer:
        tasks.put(Task.of(json.loads(line)))
    _core.remove_scratches()
    os._exit(0)
