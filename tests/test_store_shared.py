"""Several commands on one store: none loses, or calls damaged, what another has just made."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from slcache import files
from slcache.execute import store
from slcache.execute.store import Store
from slcache.search import searching
from slcache.search.goals import SHARES
from slcache.search.searching import Prefixes
from support import command, mixed, write_trace

#: Between each two lines of these another command comes.
WATCHED = {module.__file__ for module in (store, files, searching)}
PAIRS = 200
Work = Callable[[Path], object]


def a_result(folder: Path, key: str = "k") -> object:
    """Take a result from a store as verbs do: made and kept where it is not there."""
    kept = Store(folder)
    found = kept.get(key, bool)
    if found is None:
        kept.put(key, {"key": key})
        found = kept.get(key, bool)
    return found


def a_file(folder: Path, key: str = "k") -> object:
    """Take a file for several runs from a store as verbs do, such as a state."""
    path = folder / f"{key}.state"
    if not store.sound(path):
        with store.making(path) as made:
            made.write_bytes(b"state")
    return path.read_bytes()


def a_beginning(folder: Path) -> object:
    """Take a beginning of a trace from a store as a search does."""
    trace = folder.parent / "t.csv"
    if not trace.exists():
        write_trace(trace, mixed(40))
    return Prefixes(str(trace), {}, folder).path(SHARES[0]).read_bytes()


@contextmanager
def stopped(at: int, then: Callable[[], None]) -> Iterator[list[int]]:
    """Call `then` before the line of this number, of those that are watched; yields their count."""
    passed = [0]

    def look(frame: FrameType, event: str, _: Any) -> Any:  # noqa: ANN401
        if frame.f_code.co_filename not in WATCHED:
            return None
        if event == "line":
            passed[0] += 1
            if passed[0] == at:
                sys.settrace(None)
                then()
                sys.settrace(look)
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        yield passed
    finally:
        sys.settrace(before)


def damaged(folder: Path) -> None:
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes()[:-1])


def unsealed(folder: Path) -> None:
    for path in folder.glob("*.seal"):
        path.unlink()


def elsewhere(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
        path.symlink_to("nowhere")


#: What a store holds before.
BEFORE = {"nothing": None, "damaged": damaged, "unsealed": unsealed, "elsewhere": elsewhere}


CASES = [*((name, False) for name in BEFORE), ("nothing", True), ("damaged", True)]


@pytest.mark.parametrize(
    ("work", "before", "killed"),
    [*((work, *case) for work in (a_result, a_file) for case in CASES), (a_beginning, *CASES[0])],
)
def test_commands_may_come_between_any_two_steps_of_another(
    work: Work, before: str, killed: bool, tmp_path: Path
) -> None:
    """Or after it is killed there."""
    whole = work(tmp_path / "alone")
    at, steps = 0, [1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if before in ("damaged", "elsewhere") else "error")
        while at < steps[0]:
            at += 1
            folder = tmp_path / str(at)
            folder.mkdir()
            if change := BEFORE[before]:
                work(folder)
                change(folder)
            if killed:
                child = os.fork()
                if not child:
                    with stopped(at, lambda: os._exit(1)):
                        work(folder)
                    os._exit(0)
                ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
                steps = [at + ended]
            else:
                found: list[object] = []
                with stopped(at, lambda: found.append(work(folder))) as steps:  # noqa: B023
                    found.append(work(folder))
                assert found == [whole] * len(found)
            assert work(folder) == whole
        # And what is there stays.
        warnings.simplefilter("error")
        assert work(folder) == whole
    assert at > 10
    assert not list(folder.glob(".*"))


def test_pairs_of_commands_share_a_store(tmp_path: Path) -> None:
    begins = threading.Barrier(2)
    found: list[object] = []

    def command() -> None:
        for pair in range(PAIRS):
            begins.wait(60)
            found.append(a_result(tmp_path, f"{pair}"))
            found.append(a_file(tmp_path, f"{pair}"))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pair = [threading.Thread(target=command) for _ in range(2)]
        for each in pair:
            each.start()
        for each in pair:
            each.join()
    assert found.count(b"state") == 2 * PAIRS
    assert all(found.count({"key": f"{pair}"}) == 2 for pair in range(PAIRS))


@pytest.mark.slow
def test_pairs_of_sweeps_share_a_store(tmp_path: Path) -> None:
    """Each pair begins with nothing kept, and shares traces, states and results."""
    small = write_trace(tmp_path / "t.csv", mixed(40))
    words: list[str | Path] = [
        *("sweep", small, "--device", "tiny", "--scheme", "sa", "--jobs", "2", "--no-report"),
        *("--vary", "host.time_scale=0.5,1", "--set", "precondition.fill=0.5"),
        *("--set", "trace.address=wrap"),
    ]
    tables = set()
    for pair in range(PAIRS):
        top = tmp_path / str(pair)
        both = [
            subprocess.Popen(
                command([*words, "--store", top / "store", "--out", top / side]),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            for side in "ab"
        ]
        for each in both:
            _, told = each.communicate(timeout=300)
            assert each.returncode == 0, told
            assert b"made anew" not in told
        tables |= {(top / side / "points.parquet").read_bytes() for side in "ab"}
        shutil.rmtree(top)
    assert len(tables) == 1
