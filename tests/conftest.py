"""Fixtures for all tests."""

from __future__ import annotations

import contextlib
import copy
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from cyclopts import App, ArgumentCollection

import slcache
import support
from support import mixed, write_trace
from verbs import Inputs


@pytest.fixture(scope="session")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small trace of reads and writes that fits the tiny device."""
    return write_trace(tmp_path_factory.mktemp("traces") / "mixed.csv", mixed())


@pytest.fixture(scope="session")
def load(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough reads and writes to clean the tiny device now and then."""
    return write_trace(tmp_path_factory.mktemp("load") / "load.csv", mixed(1500))


@pytest.fixture(scope="session")
def inputs(trace: Path, tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    """What the arguments of every verb name."""
    return Inputs(trace, tmp_path_factory.mktemp("inputs"))


@pytest.fixture(scope="session")
def comparison(trace: Path) -> slcache.Comparison:
    """Both schemes on the small trace."""
    return slcache.compare(trace, device="tiny", schemes=["tlc-only", "baseline"])


@pytest.fixture
def cwd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own to stand in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


#: Modules that ask what is in pictures, which take most of the time of saving.
DRAWN = {
    *("test_bound", "test_browser", "test_charts", "test_disk", "test_names"),
    *("test_saved", "test_study_report", "test_study_tables", "test_traces"),
}


@pytest.fixture(autouse=True, scope="module")
def _left_out(request: pytest.FixtureRequest) -> Iterator[None]:
    """Leave figures out of reports where they are not the question."""
    is_drawn = request.module.__name__ in DRAWN
    with contextlib.nullcontext() if is_drawn else support.undrawn():
        yield


@pytest.fixture(autouse=True, scope="session")
def _assembled() -> Iterator[None]:
    """Find out once what a verb takes: a process does so for one command, and tests for many."""
    assemble = App.assemble_argument_collection
    known: dict[tuple[object, bool], ArgumentCollection] = {}

    def assembled(app: App, *, parse_docstring: bool = False) -> ArgumentCollection:
        key = app.default_command, parse_docstring
        if key not in known:
            known[key] = assemble(app, parse_docstring=parse_docstring)
            assert not any(argument.children for argument in known[key])
        made = copy.copy(known[key])
        made[:] = map(copy.copy, made)
        for argument in made:
            argument.tokens = []
        return made

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(App, "assemble_argument_collection", assembled)
        yield


#: Modules that ask what workers do, and how many there are.
OF_WORKERS = {"test_compare", "test_engine", "test_interrupt", "test_sweep_kills"}


@pytest.fixture(autouse=True, scope="module")
def _shared(request: pytest.FixtureRequest) -> Iterator[None]:
    """Start no workers for each study where they are not the question."""
    of_workers = request.module.__name__ in OF_WORKERS
    with contextlib.nullcontext() if of_workers else support.shared_workers():
        yield


@pytest.fixture
def undrawn() -> Iterator[None]:
    """Leave figures out of what a single test saves, in a module that has them drawn."""
    with support.undrawn():
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave to `make slow` all but every nth of the cases of a test that is marked `few(n)`.

    Where it must be quick every second of these is tried.
    """
    cases: Counter[str] = Counter()
    for item in items:
        if (mark := item.get_closest_marker("few")) is not None:
            test = item.nodeid.partition("[")[0]
            if cases[test] % (mark.args[0] * (1 + support.QUICK)):
                item.add_marker("slow")
            cases[test] += 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show what tests of random cases recorded as `told`: how much they did, from which seed."""
    for report in terminalreporter.getreports("passed"):
        for name, text in report.user_properties:
            if name == "told":
                terminalreporter.write_line(str(text))
