"""Imports flow one way, what starts quickly stays so, and users get the model as measured."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
#: What each crate may use: the model knows no traces, and the traces no model.
MAY_USE = {
    "base": set[str](),
    "files": set[str](),
    "core": {"base"},
    "traces": {"base", "files"},
    "sim": {"base", "core", "files", "traces"},
    "bench": {"core", "sim", "traces"},
    "py": {"core", "files", "sim", "traces"},
}
ROOMS = ("base", "metrics", "hw", "ftl", "schemes", "device")
SOURCES = sorted(ROOT.glob("crates/*/src/**/*.rs"))
CORE = [path for path in SOURCES if path.is_relative_to(ROOT / "crates/core/src")]


def code(path: Path) -> str:
    """Return a Rust file without its comments."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)


def test_crates_use_only_what_they_may() -> None:
    for path in SOURCES:
        here = path.relative_to(ROOT / "crates").parts[0]
        used = re.findall(r"\bslcache_(\w+)\b", code(path))
        assert set(used) & MAY_USE.keys() <= MAY_USE[here] | {here}, path
    # A crate that is not named would be tested with numbers that wrap, as users' builds let them.
    crates = {f"slcache-{Path(member).name}" for member in MANIFEST["workspace"]["default-members"]}
    checked = {
        name
        for name, profile in PROFILES["test"]["package"].items()
        if profile["debug-assertions"] and profile["overflow-checks"]
    }
    assert checked == crates


@pytest.mark.parametrize("crate", MAY_USE)
def test_crates_depend_only_on_what_they_may(crate: str) -> None:
    manifest = tomllib.loads((ROOT / "crates" / crate / "Cargo.toml").read_text())
    names = [*manifest.get("dependencies", {}), *manifest.get("dev-dependencies", {})]
    assert {name.removeprefix("slcache-") for name in names} & MAY_USE.keys() <= MAY_USE[crate]
    assert crate == "py" or "pyo3" not in names


def test_rooms_of_the_core_use_only_what_comes_before_them() -> None:
    for path in CORE:
        here = path.relative_to(ROOT / "crates/core/src").parts[0].removesuffix(".rs")
        if here in ROOMS:
            text = code(path)
            assert "crate::{" not in text, f"{path}: import from one room a line"
            used = set(re.findall(r"\bcrate::(\w+)", text))
            assert used.isdisjoint(ROOMS[ROOMS.index(here) + 1 :]), path
    impure = r"\bstd::(fs|io|net|env|process|thread|time)\b"
    for path in CORE:
        assert not re.search(impure, code(path)), path


#: What names a type of a crate.
TYPE = re.compile(r"^(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait) (\w+)", re.MULTILINE)


def test_a_class_has_a_name_of_its_own() -> None:
    """One noun for one class, within the package and within each crate."""
    names: dict[str, list[str]] = {"slcache": []}
    for path in sorted((ROOT / "python/slcache").rglob("*.py")):
        nodes = ast.parse(path.read_text()).body
        names["slcache"] += [node.name for node in nodes if isinstance(node, ast.ClassDef)]
    for path in SOURCES:
        if path.name != "tests.rs":
            crate = path.relative_to(ROOT / "crates").parts[0]
            names.setdefault(crate, []).extend(
                TYPE.findall(code(path).partition("#[cfg(test)]")[0])
            )
    twice = {room: {each for each in of if of.count(each) > 1} for room, of in names.items()}
    assert not any(twice.values()), twice


MANIFEST = tomllib.loads((ROOT / "Cargo.toml").read_text())
PROFILES: dict[str, Any] = MANIFEST["profile"]


#: Packages that take long to load, and parts of slcache that most runs have no use for.
HEAVY = {
    *("altair", "dask", "gymnasium", "jinja2", "jsonschema", "numpy", "optuna", "pandas", "polars"),
    *("pydantic", "pyarrow", "ray", "rich.progress", "scipy", "vl_convert"),
    *("slcache.charts.performance", "slcache.reproduce", "slcache.study.analysis"),
    *("slcache.study.run", "slcache.search.run"),
}
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


def test_only_the_verb_that_is_meant_is_loaded() -> None:
    run = "from slcache.cli.app import execute; execute(['%s'])"
    _, modules = loaded(run % "schemes")
    assert "slcache.cli.catalogue" in modules
    assert modules.isdisjoint({"slcache.cli.simulate", "slcache.cli.studies", "slcache.cli.trace"})
    printed, modules = loaded(run % "--version")
    assert printed.startswith("slcache ")
    assert modules.isdisjoint({"slcache.cli.catalogue", "slcache.cli.console"})
    import slcache.search.run
    import slcache.study.run

    assert callable(slcache.sweep)
    assert callable(slcache.tune)
