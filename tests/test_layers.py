"""Imports flow one way, what starts quickly stays so, and users get the model as measured."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import slcache
from imports import RustCrate, circles, code, own_circles, paths, python_imports, rust_imports

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
#: Folders whose files take types of `mod.rs` or `lib.rs`, which uses these files: only such a type
#: in a file of its own would open the circle. None may come in addition.
OWN_CIRCLES = {
    "traces": {"formats/lines", "info", "workload", "writers"},
    "sim": {"device_facts", "replay"},
    "py": {""},
}
ROOMS = ("base", "metrics", "hw", "ftl", "schemes", "device")
SOURCES = sorted(ROOT.glob("crates/*/src/**/*.rs"))
CORE = [path for path in SOURCES if path.is_relative_to(ROOT / "crates/core/src")]


def rooms_used(text: str) -> Iterator[str]:
    """Yield the core's rooms that a Rust text names, in paths and in grouped imports."""
    return (path[1] for path in paths(text) if path[0] == "crate")


def upward(rooms: tuple[str, ...], here: str, used: Iterator[str]) -> set[str]:
    """Return the rooms used that come after this one."""
    return {name for name in used if name in rooms and rooms.index(name) > rooms.index(here)}


def test_crates_use_only_what_they_may() -> None:
    for path in SOURCES:
        here = path.relative_to(ROOT / "crates").parts[0]
        used = re.findall(r"\bslcache_(\w+)\b", code(path))
        assert set(used) & MAY_USE.keys() <= MAY_USE[here] | {here}, path


@pytest.mark.parametrize("crate", MAY_USE)
def test_crates_depend_only_on_what_they_may(crate: str) -> None:
    manifest = tomllib.loads((ROOT / "crates" / crate / "Cargo.toml").read_text())
    names = [*manifest.get("dependencies", {}), *manifest.get("dev-dependencies", {})]
    used = {name.removeprefix("slcache-") for name in names}
    assert used & MAY_USE.keys() <= MAY_USE[crate]
    assert crate == "py" or "pyo3" not in names


def test_rooms_of_the_core_use_only_what_comes_before_them() -> None:
    for path in CORE:
        here = path.relative_to(ROOT / "crates/core/src").parts[0].removesuffix(".rs")
        if here in ROOMS:
            assert not upward(ROOMS, here, rooms_used(code(path))), path


def test_the_core_is_pure() -> None:
    impure = r"\bstd::(fs|io|net|env|process|thread|time)\b"
    for path in CORE:
        assert not re.search(impure, code(path)), path


def test_an_upward_import_would_be_found() -> None:
    text = "use crate::base::Ns;\nuse crate::{hw::{Op, x::Y}, device, ftl::Media as M};"
    assert set(rooms_used(text)) == {"base", "hw", "device", "ftl"}
    assert upward(ROOMS, "hw", rooms_used(text)) == {"device", "ftl"}


@pytest.mark.parametrize("crate", MAY_USE)
def test_no_files_of_a_folder_import_each_other_in_a_circle(crate: str) -> None:
    assert circles(rust_imports(ROOT / "crates" / crate / "src")) == []


@pytest.mark.parametrize("crate", MAY_USE)
def test_no_folder_and_its_files_import_each_other_beyond_those_known(crate: str) -> None:
    rust = RustCrate(ROOT / "crates" / crate / "src")
    assert set(own_circles(rust.uses(), rust.parts())) == OWN_CIRCLES.get(crate, set())


def test_no_files_of_a_package_import_each_other_in_a_circle() -> None:
    assert circles(python_imports(ROOT / "python/slcache")) == []


def written(folder: Path, files: dict[str, str]) -> Path:
    """Write files into a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_a_circle_in_rust_would_be_found(tmp_path: Path) -> None:
    files = {
        "lib.rs": "mod a; mod hw; pub use a::{A, B};",
        # A test and a comment make no circle, and hide none behind them.
        "a.rs": "#[cfg(test)]\nmod a_tests; use crate::hw; // crate::b\n"
        "#[cfg(test)]\nmod tests { use crate::b; }",
        "a_tests.rs": "use crate::b;",
        "b.rs": "use crate::a::A;",
        "hw/mod.rs": "mod run; mod queue; pub(crate) use queue::{self, Queue};",
        "hw/run.rs": "use super::{Timing, queue as q};",
        "hw/queue.rs": "",
        "bin/bench/main.rs": "mod cost; mod load; fn main() { load::run() }",
        "bin/bench/cost.rs": "use crate::load;",
        "bin/bench/load.rs": "",
    }
    assert circles(rust_imports(written(tmp_path, files))) == []
    for name, text, circle in (
        ("hw/queue.rs", "fn f() { super::run::start() }", ["hw/queue", "hw/run"]),
        ("hw/queue.rs", "use crate::hw::{self, run::{x, y}};", ["hw/queue", "hw/run"]),
        ("hw/queue.rs", "#[cfg(test)]\nmod t; use super::run;", ["hw/queue", "hw/run"]),
        ("hw/queue.rs", "use crate::B;", ["a", "hw"]),
        ("bin/bench/load.rs", "use super::cost;", ["bin/bench/cost", "bin/bench/load"]),
        ("bin/bench/load.rs", "use crate::cost::f;", ["bin/bench/cost", "bin/bench/load"]),
    ):
        (found,) = circles(rust_imports(written(tmp_path, {**files, name: text})))
        assert set(found) == set(circle)


def test_a_circle_through_a_folders_own_file_would_be_found(tmp_path: Path) -> None:
    shows = "mod run; mod clock; pub(crate) use run::Run;"
    owns = "mod run; use run::Run; pub struct Timing(Run); pub struct Rule;"
    for own, run, circle in (
        (shows, "use super::Timing;", []),
        (owns, "", []),
        # A file that goes on with a type is a part of it.
        (owns, "use super::Timing; impl Timing {}", []),
        (owns, "use super::{Rule, Timing}; impl Timing {}", ["hw"]),
        (owns, "fn f(rule: super::Rule) {}", ["hw"]),
        (shows + "fn f(run: Run) -> Rule {}", "use super::Rule;", ["hw"]),
    ):
        files = {"lib.rs": "mod hw;", "hw/mod.rs": own, "hw/run.rs": run, "hw/clock.rs": ""}
        rust = RustCrate(written(tmp_path, files))
        assert own_circles(rust.uses(), rust.parts()) == circle


def test_a_circle_in_python_would_be_found(tmp_path: Path) -> None:
    files = {
        "__init__.py": "from slcache.a import run",
        "a.py": "from slcache import b",
        "b.py": "from slcache import Version",
    }
    source = tmp_path / "slcache"
    assert circles(python_imports(written(source, files))) == []
    for text in ("from slcache import run", "def f():\n    from slcache.a import run"):
        (found,) = circles(python_imports(written(source, {**files, "b.py": text})))
        assert set(found) == {"slcache/a", "slcache/b"}


ROOT_BUILD = Path(__file__).parents[1]
MANIFEST = tomllib.loads((ROOT_BUILD / "Cargo.toml").read_text())
PROFILES: dict[str, Any] = MANIFEST["profile"]


def test_the_model_is_one_unit_in_every_optimised_profile() -> None:
    units = {
        name: PROFILES[name]["package"]["slcache-core"]["codegen-units"]
        for name in ("release", "dev")
    }
    assert units == {"release": 1, "dev": 1}


def test_every_crate_with_tests_is_checked_in_them() -> None:
    # A crate that is not named would be tested with numbers that wrap, as users' builds let them.
    crates = {f"slcache-{Path(member).name}" for member in MANIFEST["workspace"]["default-members"]}
    checked = {
        name
        for name, profile in PROFILES["test"]["package"].items()
        if profile["debug-assertions"] and profile["overflow-checks"]
    }
    assert checked == crates


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
    "slcache.charts.latency",
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
