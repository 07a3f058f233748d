"""The first module of all: what Ctrl-C does while the command line starts, works and ends.

What needs nothing of the package is answered here, before the rest is loaded: the version.

An interpreter that is interrupted within an import shows where, or loses the word on the way; and
the command line has imported much before its first line.

Hashes of texts are the same in every process, for classes whose decisions hang on them: Python
draws them anew unless its environment says otherwise, and the order of a set of texts, and figures
with it, would differ from run to run.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from types import FrameType

_HASH_SEED = "PYTHONHASHSEED"
#: Files that may name a class: configurations, studies, results.
_NAMING = (".toml", ".json")


def hashes() -> dict[str, str]:
    """Return what to add to the environment of a process; nothing where it is said already."""
    return {} if os.environ.get(_HASH_SEED, "random") != "random" else {_HASH_SEED: "0"}


def other_hashes() -> dict[str, str]:
    """Return what gives a process other hashes than this one has."""
    return {_HASH_SEED: "2" if os.environ.get(_HASH_SEED) == "1" else "1"}


def begin_with_hashes(arguments: Sequence[str]) -> None:
    """Begin a command line that may name a class anew, with the hashes of every process."""
    added = hashes()
    named = any(":" in each or each.endswith(_NAMING) or each == "sweep" for each in arguments)
    if added and named and sys.executable and hasattr(os, "execve"):
        # An interpreter that is interrupted as it starts says so in its own way.
        hold()
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], os.environ | added)


INTERRUPTED = 130
#: What ends a run.
_ENDS = (signal.SIGINT, signal.SIGTERM)
#: How long it may take until modules are loaded, as classes of one's own are, and how often it is
#: looked meanwhile.
_LOOKS, _LOOK_S = 200, 0.01
_looks = 0


def end_at_once(*_: object) -> None:
    """End the process: nothing was made yet, or all is done, or it was told to twice."""
    remove = getattr(sys.modules.get("slcache._core"), "remove_scratches", None)
    if remove is not None:
        remove()
    with contextlib.suppress(OSError):
        os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)


def interrupt(_: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt as soon as no module is being loaded."""
    global _looks
    _looks += 1
    if _looks <= _LOOKS and _loads(frame):
        signal.setitimer(signal.ITIMER_REAL, _LOOK_S)
        return
    heed(end_at_once)
    raise KeyboardInterrupt


def done() -> None:
    """Have nothing left to interrupt: the answer is out, and handlers are about to go."""
    heed(end_at_once)
    signal.setitimer(signal.ITIMER_REAL, 0)


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Have Ctrl-C wait while a library works that takes it for a fault; twice ends at once."""
    # Only the first thread is interrupted, and only there handlers can be set.
    is_first = threading.current_thread() is threading.main_thread()
    if not is_first or signal.getsignal(signal.SIGINT) is not interrupt:
        yield
        return
    asked: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        if asked:
            end_at_once()
        asked.append(number)

    heed(note)
    try:
        yield
    finally:
        heed(interrupt)
        if asked:
            interrupt(asked[0], None)


def heed(handler: signal._HANDLER) -> None:
    """Have this done when the process is told to end, unless its starter has that ignored.

    What ends a run from outside is one thing: Ctrl-C, a timeout, a batch system.
    """
    for each in _ENDS:
        if signal.getsignal(each) != signal.SIG_IGN:
            signal.signal(each, handler)
    signal.signal(signal.SIGALRM, handler)


def hold() -> None:
    """Have signals wait for the interpreter that this process is about to become."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDS)


def _loads(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _is_command_line() -> bool:
    """Return whether this is the process of the command line, and nobody else's."""
    words = sys.orig_argv
    as_module = "-m" in words and words[words.index("-m") + 1 :][:1] == ["slcache"]
    return as_module or os.path.basename((sys.argv or [""])[0]) == "slcache"  # noqa: PTH119


def write_version() -> None:
    """Print the version, and the commit that it was built from."""
    from slcache import _core

    sys.stdout.write(f"slcache {_core.version()} ({_core.commit()})\n")
    sys.stdout.flush()


if _is_command_line():
    heed(end_at_once)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDS)
    if sys.argv[1:] == ["--version"]:
        # A stream that takes nothing is told of by the command line proper.
        with contextlib.suppress(OSError, AttributeError):
            write_version()
            sys.exit(0)
