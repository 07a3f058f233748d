"""Fixtures for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

import slcache
from support import mixed, write_trace
from verbs import Inputs


@pytest.fixture(scope="session")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small trace of reads and writes that fits the tiny device."""
    return write_trace(tmp_path_factory.mktemp("traces") / "mixed.csv", mixed())


@pytest.fixture(scope="session")
def inputs(trace: Path, tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    """What the arguments of every verb name."""
    return Inputs(trace, tmp_path_factory.mktemp("inputs"))


@pytest.fixture(scope="session")
def comparison(trace: Path) -> slcache.Comparison:
    """Both schemes on the small trace."""
    return slcache.compare(trace, device="tiny", schemes=["tlc-only", "baseline"])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show what tests of random cases recorded as `told`: how much they did, from which seed."""
    for report in terminalreporter.getreports("passed"):
        for name, text in report.user_properties:
            if name == "told":
                terminalreporter.write_line(str(text))
