"""Runs command lines, one after the other, in one process: starting Python anew takes longer.

Reads JSON lines with `arguments` and `folder`; answers each with the status, what was printed to
standard output and error, what escaped as an exception, and the seconds of processor time.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
import traceback
from typing import IO, Any

from slcache.cli.app import execute

#: No valid input of these tests needs more; what asks for more must be told so.
MEMORY_BYTES = 8 << 30


def served(arguments: list[str], captured: list[IO[bytes]]) -> dict[str, Any]:
    """Run one command line with both outputs of the process caught, those of Rust included."""
    for number, file in enumerate(captured, 1):
        file.seek(0)
        file.truncate()
        os.dup2(file.fileno(), number)
    began = time.process_time()
    escaped = ""
    status = None
    try:
        status = execute(arguments)
    except BaseException:  # a panic of Rust is no Exception
        escaped = traceback.format_exc()
    seconds = time.process_time() - began
    sys.stdout.flush()
    sys.stderr.flush()
    told = []
    for file in captured:
        file.seek(0)
        told.append(file.read().decode(errors="replace"))
    return {"status": status, "told": told, "escaped": escaped, "seconds": seconds}


def main() -> None:
    """Serve until the input ends; the command lines find nothing on standard input."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    orders, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error:
        for text in orders:
            order = json.loads(text)
            os.chdir(order["folder"])
            answers.write(json.dumps(served(order["arguments"], [out, error])) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
