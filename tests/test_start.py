"""What starts quickly stays so: large packages are loaded by what uses them, not by the start."""

from __future__ import annotations

import subprocess
import sys

import pytest

import slcache

#: Packages that take long to load, and parts of slcache that most runs have no use for.
HEAVY = (
    "altair",
    "dask",
    "gymnasium",
    "jinja2",
    "jsonschema",
    "numpy",
    "optuna",
    "pandas",
    "polars",
    "pydantic",
    "pyarrow",
    "ray",
    "rich.progress",
    "scipy",
    "slcache.charts.page",
    "slcache.charts.run",
    "slcache.reproduce",
    "slcache.study.analysis",
    "slcache.sweep.run",
    "slcache.search.searching",
    "vl_convert",
)
#: Beginnings, each with what it prints.
STARTS = {
    "import slcache": "",
    "from slcache.cli import app": "",
    "from slcache.cli.app import execute; execute(['devices'])": "hierarchy-44g",
    "from slcache.cli.app import execute; execute(['schemes', '--json'])": "turbo-write",
    "from slcache.cli.app import execute; execute(['--help'])": "reproduce",
    "from slcache.cli.app import execute; execute(['trace', 'formats'])": "blkparse",
    "from slcache.cli.app import execute; execute(['explain', '--schema', 'config'])": "slc_blocks",
}


def loaded(start: str) -> tuple[str, set[str]]:
    """Return what a program prints, and the modules that it has loaded in the end."""
    code = f"{start}\nimport sys\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    return done.stdout, set(done.stderr.split())


@pytest.mark.parametrize("start", STARTS)
def test_the_start_loads_nothing_large(start: str) -> None:
    printed, modules = loaded(start)
    assert STARTS[start] in printed
    assert "slcache._core" in modules
    assert modules.isdisjoint(HEAVY)


def test_a_large_package_would_be_found() -> None:
    _, modules = loaded("import slcache, slcache.reproduce.equations")
    assert {"numpy", "slcache.reproduce"} <= modules & set(HEAVY)


def test_packages_of_one_name_with_a_function_stay_functions() -> None:
    start = (
        "import slcache.sweep.run, slcache.sweep.study, slcache.search.searching\n"
        "print(callable(slcache.sweep), callable(slcache.tune))"
    )
    assert loaded(start)[0] == "True True\n"
    assert slcache.sweep.__doc__


def test_only_the_verb_that_is_meant_is_loaded() -> None:
    _, modules = loaded("from slcache.cli.app import execute; execute(['schemes'])")
    assert "slcache.cli.schemes" in modules
    assert modules.isdisjoint({"slcache.cli.simulate", "slcache.cli.sweep", "slcache.cli.trace"})
    _, modules = loaded("from slcache.cli.app import execute; execute(['--version'])")
    assert modules.isdisjoint({"slcache.cli.schemes", "slcache.cli.console"})
