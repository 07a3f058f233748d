"""Command lines with changed inputs, and what each owes its user.

`python tests/changed_runs.py SECONDS` goes on for as long as one likes; `SLCACHE_SEED` says where
the cases begin, so that the one a failure names comes first.
"""

from __future__ import annotations

import json
import os
import random
import secrets
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from changed_inputs import Case, Inputs

#: The exit statuses that `slcache --help` documents.
STATUSES = (0, 1, 2, 3, 4, 130)
#: Two seconds of processor time are expected.
CPU_SECONDS_MAX = 20.0
#: After so long a command line hangs, however busy the machine is.
HANGS_S = 120.0


class Worker:
    """The process that runs command lines; a new one where the last has died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def run(self, arguments: list[str], folder: Path) -> dict[str, Any]:
        """Return what became of a command line; it is given up after `HANGS_S`."""
        if self._process is None:
            command = [sys.executable, str(Path(__file__).with_name("changed_worker.py"))]
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({"arguments": arguments, "folder": str(folder)}) + "\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], HANGS_S)
        text = process.stdout.readline() if ready else ""
        if text:
            answer: dict[str, Any] = json.loads(text)
            return answer
        self.close()
        why = "died" if ready else f"took longer than {HANGS_S} s"
        return {"status": None, "told": ["", ""], "escaped": f"the process {why}", "seconds": 0.0}

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def faults(case: Case, answer: dict[str, Any]) -> list[str]:
    """Return what is wrong with how a command line ended."""
    status = answer["status"]
    output, told = answer["told"]
    if case.arguments[:2] == ["trace", "lint"] or "--rerun" in case.arguments:
        told += output  # What is wrong, or differs, is its result.
    found = []
    if answer["escaped"]:
        found.append(f"an exception escaped: {answer['escaped']}")
    elif status not in STATUSES:
        found.append(f"exit status {status}")
    if "Traceback" in told or "panicked" in told:
        found.append("a traceback or a panic")
    if status not in (0, None) and not any(name in told for name in case.names):
        found.append(f"no message that names one of {case.names}")
    if status not in (0, None) and not told.strip():
        found.append("no message")
    if answer["seconds"] > CPU_SECONDS_MAX:
        found.append(f"{answer['seconds']:.1f} s of processor time")
    return found


def first_seed() -> int:
    """Return where the cases begin."""
    return int(os.environ.get("SLCACHE_SEED") or secrets.randbelow(1 << 40))


def check(seconds: float, most: int) -> tuple[int, int]:
    """Run cases until the time is over or there were so many; return how many, and their seed."""
    first = first_seed()
    end = time.monotonic() + seconds
    worker = Worker()
    root = Path(tempfile.mkdtemp(prefix="slcache-changed-"))
    done = 0
    try:
        inputs = Inputs(root / "inputs")
        while done < most and (done == 0 or time.monotonic() < end):
            case = inputs.make(random.Random(first + done))
            before = inputs.digests()
            answer = worker.run(case.arguments, inputs.folder)
            found = faults(case, answer)
            if touched := inputs.touched(before, case):
                found.append(f"files changed that are no output: {', '.join(touched)}")
            if found:
                raise AssertionError(_story(case, answer, found, first + done, inputs.folder))
            inputs.tidy(before)
            done += 1
    finally:
        worker.close()
        if sys.exc_info()[0] is None:
            shutil.rmtree(root)
    return done, first


def _story(case: Case, answer: dict[str, Any], found: list[str], seed: int, folder: Path) -> str:
    return "\n".join(
        [
            f"in {folder}: slcache {' '.join(map(repr, case.arguments))}",
            *found,
            f"standard error: {answer['told'][1]}",
            f"to repeat it: SLCACHE_SEED={seed} pytest tests/test_bad_input.py",
        ]
    )


if __name__ == "__main__":
    cases, seed = check(float(sys.argv[1]), sys.maxsize)
    print(f"changed inputs: {cases} command lines from SLCACHE_SEED={seed} on")
