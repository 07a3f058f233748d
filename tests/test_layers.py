"""Imports flow one way: between the crates, and between the rooms of the core."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CRATES = ("core", "files", "traces", "sim", "py")
ROOMS = ("base", "metrics", "hw", "ftl", "schemes", "device")
SOURCES = sorted(ROOT.glob("crates/*/src/**/*.rs"))
CORE = [path for path in SOURCES if path.is_relative_to(ROOT / "crates/core/src")]


def code(path: Path) -> str:
    """Return a Rust file without its comments."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)


def rooms_used(text: str) -> Iterator[str]:
    """Yield the core's rooms that a Rust text names, in paths and in grouped imports."""
    yield from re.findall(r"\bcrate::(\w+)", text)
    for group in re.findall(r"\bcrate::\{(.*?)\};", text, flags=re.DOTALL):
        flat = group
        while re.search(r"\{[^{}]*\}", flat):
            flat = re.sub(r"\{[^{}]*\}", "", flat)
        yield from (re.split(r"::|\s", part.strip())[0] for part in flat.split(",") if part.strip())


def upward(rooms: tuple[str, ...], here: str, used: Iterator[str]) -> set[str]:
    """Return the rooms used that come after this one."""
    return {name for name in used if name in rooms and rooms.index(name) > rooms.index(here)}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "crates")))
def test_crates_use_only_what_comes_before_them(path: Path) -> None:
    here = path.relative_to(ROOT / "crates").parts[0]
    used = re.findall(r"\bslcache_(\w+)\b", code(path))
    assert not upward(CRATES, here, iter(used))


@pytest.mark.parametrize("crate", CRATES)
def test_crates_depend_only_on_what_comes_before_them(crate: str) -> None:
    manifest = tomllib.loads((ROOT / "crates" / crate / "Cargo.toml").read_text())
    names = [*manifest.get("dependencies", {}), *manifest.get("dev-dependencies", {})]
    used = [name.removeprefix("slcache-") for name in names]
    assert not upward(CRATES, crate, iter(used))
    assert crate == "py" or "pyo3" not in names


@pytest.mark.parametrize("path", CORE, ids=lambda path: str(path.relative_to(ROOT / "crates/core")))
def test_rooms_of_the_core_use_only_what_comes_before_them(path: Path) -> None:
    here = path.relative_to(ROOT / "crates/core/src").parts[0].removesuffix(".rs")
    if here in ROOMS:
        assert not upward(ROOMS, here, rooms_used(code(path)))


@pytest.mark.parametrize("path", CORE, ids=lambda path: str(path.relative_to(ROOT / "crates/core")))
def test_the_core_is_pure(path: Path) -> None:
    impure = r"\bstd::(fs|io|net|env|process|thread|time)\b"
    assert not re.search(impure, code(path))


def test_an_upward_import_would_be_found() -> None:
    text = "use crate::base::Ns;\nuse crate::{hw::{Op, x::Y}, device, ftl::Media as M};"
    assert set(rooms_used(text)) == {"base", "hw", "device", "ftl"}
    assert upward(ROOMS, "hw", rooms_used(text)) == {"device", "ftl"}
