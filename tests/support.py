"""What the tests share: small traces and the command line, here or in a process of its own."""

from __future__ import annotations

import atexit
import contextlib
import functools
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import pytest
from jsonschema import Draft202012Validator
from markupsafe import Markup

from slcache import devices
from slcache.charts import pictures
from slcache.charts.spec import Spec
from slcache.cli.app import execute
from slcache.execute import executors
from slcache.execute.executors import Local
from slcache.names import printable

#: User bytes of the `tiny` preset.
TINY_BYTES = next(entry["user_bytes"] for entry in devices() if entry["name"] == "tiny")
#: Whether `make quick` runs, which tries less of each kind.
QUICK = os.environ.get("SLCACHE_QUICK") == "1"
TICKS_PER_MS = 10_000
EPOCH = 128_166_372_000_000_000

Row = tuple[int, str, int, int]


@functools.cache
def workers() -> Local:
    """Return two workers for all tests of a process: their start takes longer than most runs."""
    shared = Local(2)
    atexit.register(shared.close)
    return shared


def _surroundings() -> tuple[Path, dict[str, str]]:
    """Return what a process that is started now would inherit."""
    own = {key: value for key, value in os.environ.items() if key != "PYTEST_CURRENT_TEST"}
    return Path.cwd(), own


@contextlib.contextmanager
def shared_workers() -> Iterator[None]:
    """Have these workers do what studies would start workers of their own for.

    But for what is asked from another folder, or in another environment, than that of the tests.
    """
    start, begun = executors._made, _surroundings()

    def made(text: str, count: int | None) -> executors.Executor:
        lend = text == "local" and _surroundings() == begun
        return _Lent() if lend else start(text, count)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(executors, "_made", made)
        yield


class _Lent:
    """The workers, which stay when a study ends."""

    here = True

    def __init__(self) -> None:
        self.slots = workers().slots
        self.submit, self.finished = workers().submit, workers().finished

    def close(self) -> None:
        """Leave nothing to do for them."""
        workers()._tasks.clear()


def line(ticks: object, op: str, offset: object, size: object) -> str:
    """Return one request in the MSR Cambridge format."""
    return f"{ticks},test,0,{op},{offset},{size},0\n"


def write_trace(path: Path, rows: Iterable[Row]) -> Path:
    """Write (ms, op, offset, size) rows as an MSR Cambridge trace."""
    text = "".join(line(EPOCH + ms * TICKS_PER_MS, op, at, size) for ms, op, at, size in rows)
    path.write_text(text)
    return path


def mixed(count: int = 400, seed: int = 7, write_share: float = 0.7) -> list[Row]:
    """Return random 4 to 16 KiB reads and writes within the tiny device."""
    rng = random.Random(seed)
    rows = []
    for i in range(count):
        size = 4096 * rng.randint(1, 4)
        offset = 4096 * rng.randrange((TINY_BYTES - size) // 4096)
        op = "Write" if rng.random() < write_share else "Read"
        rows.append((2 * i, op, offset, size))
    return rows


def slcache(
    *arguments: str | Path,
    environment: dict[str, str] | None = None,
    setup: Callable[[], None] | None = None,
    stdin: bytes | None = None,
    stdout: int | IO[bytes] = subprocess.PIPE,
) -> subprocess.CompletedProcess[bytes]:
    """Run the command line and return what it printed.

    It runs in this process, which saves the start of another, unless something of a process is
    given.
    """
    if environment is None and setup is None and stdin is None and stdout == subprocess.PIPE:
        return here(*arguments)
    return process(*arguments, environment=environment, setup=setup, stdin=stdin, stdout=stdout)


def stdout(*arguments: str | Path) -> str:
    """Run the command line, which is to go well, and return what it printed."""
    done = here(*arguments)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def json_of(*arguments: str | Path) -> Any:  # noqa: ANN401
    """Run the command line, which is to go well, and return the document that it printed."""
    return json.loads(stdout(*arguments))


@functools.cache
def validator(name: str) -> Draft202012Validator:
    """Return the validator of a schema as the verb prints it: nothing else is at hand."""
    schema = json_of("explain", "--schema", name)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def lasting(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a run's document without what differs between equal runs."""
    own = {k: v for k, v in document["provenance"].items() if k not in ("time", "host")}
    return {**document, "sim": None, "provenance": own}


def process(
    *arguments: str | Path,
    environment: dict[str, str] | None = None,
    setup: Callable[[], None] | None = None,
    stdin: bytes | None = None,
    stdout: int | IO[bytes] = subprocess.PIPE,
) -> subprocess.CompletedProcess[bytes]:
    """Run the command line in a process of its own and return what it printed."""
    return subprocess.run(
        command(arguments),
        env={**os.environ, **(environment or {})},
        preexec_fn=setup,
        input=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        timeout=300,
        check=False,
    )


def here(*arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    """Run the command line in this process and return what it printed."""
    words = [str(word) for word in arguments]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        # The command line may point its standard output elsewhere, as it does a broken one.
        kept = os.dup(out.fileno())
        stdout, stderr = (io.TextIOWrapper(file, encoding="utf-8") for file in (out, err))
        with (
            contextlib.redirect_stdout(stdout),
            contextlib.redirect_stderr(stderr),
            warnings.catch_warnings(),
        ):
            # Warnings are notes for a user; that they are errors is of the tests.
            warnings.simplefilter("default")
            status = execute(words)
        stdout.flush()
        stderr.flush()
        with os.fdopen(kept, "rb") as told:
            told.seek(0)
            printed = told.read()
        err.seek(0)
        return subprocess.CompletedProcess(words, status, printed, err.read())


def command(arguments: Sequence[str | Path]) -> list[str]:
    """Return the command line as a process's arguments."""
    return [sys.executable, "-m", "slcache", *map(str, arguments)]


@contextlib.contextmanager
def undrawn() -> Iterator[None]:
    """Leave figures out of pages for a while."""

    def empty(_: Spec, described: str) -> Markup:
        return Markup('<div data-chart aria-label="{}"></div>').format(printable(described))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pictures, "chart", empty)
        patched.setattr(pictures, "written", lambda _, kind: kind.encode())
        yield


def cases(count: int) -> int:
    """Return how many of so many random cases are tried: a tenth where it must be quick."""
    return -(-count // 10) if QUICK else count


def heed_ctrl_c() -> None:
    """Undo, in a child, that background jobs of a shell ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def own_scheme(folder: Path, body: str, name: str = "Mine") -> str:
    """Return the source of a class of which this is the body."""
    file = folder / "mine.py"
    indented = textwrap.indent(textwrap.dedent(body), "    ")
    file.write_text(f"import random\nimport slcache\n\nclass {name}(slcache.Scheme):\n{indented}")
    return f"{file}:{name}"


def contains(printed: str, excerpt: str) -> bool:
    """Whether the lines of an excerpt are there in this order; `...` stands for lines left out."""
    lines = [line.rstrip() for line in printed.splitlines()]
    at = 0
    for part in re.split(r"^\.\.\.\n", excerpt, flags=re.MULTILINE):
        wanted = part.splitlines()
        starts = range(at, len(lines) - len(wanted) + 1)
        found = next((i for i in starts if lines[i : i + len(wanted)] == wanted), None)
        if found is None:
            return False
        at = found + len(wanted)
    return True
