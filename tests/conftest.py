"""Fixtures for all tests."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import slcache
import support
from support import QUICK, mixed, write_trace
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


#: Modules that save results and ask nothing of their pictures, which take most of the time.
UNDRAWN = {
    *("test_config_files", "test_differences", "test_documents", "test_edited", "test_files"),
    *("test_gains", "test_json", "test_many_schemes", "test_memories"),
    *("test_named_code", "test_notes", "test_own_results", "test_own_schemes", "test_pace"),
    *("test_reproduce", "test_reproduce_reading", "test_resample", "test_seeds", "test_setups"),
    *("test_life", "test_states"),
    *("test_special_files", "test_store", "test_study_config", "test_study_forms", "test_sweep"),
    *("test_sweep_clusters", "test_sweep_show", "test_tune", "test_walkthroughs"),
    *("test_written_paths", "test_wrong_values"),
}
#: Modules that ask what is in pictures, which are drawn for them whenever they run.
DRAWN = {
    *("test_bound", "test_browser", "test_chart_pages", "test_charts", "test_cliff", "test_disk"),
    *("test_names", "test_page_points", "test_saved", "test_study_report", "test_study_tables"),
    *("test_trace_info", "test_windows"),
}


@pytest.fixture(autouse=True, scope="module")
def _left_out(request: pytest.FixtureRequest) -> Iterator[None]:
    """Leave figures out of reports where they are not the question."""
    name = request.module.__name__
    none = name in UNDRAWN or (QUICK and name not in DRAWN)
    with support.undrawn() if none else contextlib.nullcontext():
        yield


@pytest.fixture
def undrawn() -> Iterator[None]:
    """Leave figures out of what a single test saves, in a module that has them drawn."""
    with support.undrawn():
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave to `make slow` all but every nth of the cases of a test that is marked `few(n)`."""
    cases: Counter[str] = Counter()
    for item in items:
        if (mark := item.get_closest_marker("few")) is not None:
            test = item.nodeid.partition("[")[0]
            if cases[test] % mark.args[0]:
                item.add_marker("slow")
            cases[test] += 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show what tests of random cases recorded as `told`: how much they did, from which seed."""
    for report in terminalreporter.getreports("passed"):
        for name, text in report.user_properties:
            if name == "told":
                terminalreporter.write_line(str(text))
