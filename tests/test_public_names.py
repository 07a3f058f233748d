"""Which names are public, and that native ones are declared; ruff asks for their types."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import slcache
from slcache import _core

PACKAGE = Path(slcache.__file__).parent
MODULES = ("slcache", "slcache.trace", "slcache.reproduce.equations", "slcache.gym")


def _public() -> Iterator[tuple[str, Any]]:
    for name in MODULES:
        module = importlib.import_module(name)
        listed = getattr(module, "__all__", None) or [n for n in vars(module) if n[0] != "_"]
        for public in listed:
            value = getattr(module, public)
            if inspect.isfunction(value) and value.__module__.startswith("slcache"):
                yield f"{name}.{public}", value
            elif inspect.isclass(value) and value.__module__.startswith("slcache"):
                yield f"{name}.{public}", value
                for method, of in inspect.getmembers_static(value):
                    if method[0] != "_" and (inspect.isfunction(of) or isinstance(of, property)):
                        yield f"{name}.{public}.{method}", of


PUBLIC = dict(_public())


def test_what_is_listed_is_public_and_found() -> None:
    """Modules that others load, such as `slcache.report`, are no names that completion offers."""
    assert dir(slcache) == sorted(slcache.__all__)
    expected = {"slcache.run", "slcache.trace.info", "slcache.Result.save", "slcache.Error"}
    assert expected <= PUBLIC.keys()


def test_every_name_has_its_place_on_the_page_of_the_interface() -> None:
    page = (PACKAGE.parent.parent / "docs/python.md").read_text()
    shown = []
    for path in re.findall(r"(?m)^::: (\S+)$", page):
        # The page is made from the source, where a module comes before a function of its name.
        module, _, name = path.rpartition(".")
        is_module = importlib.util.find_spec(path) is not None if module == "slcache" else False
        shown.append(importlib.import_module(path if is_module else module))
        if not is_module:
            shown[-1] = getattr(shown[-1], name)
    missing = [name for name in slcache.__all__ if getattr(slcache, name) not in shown]
    assert missing == ["__version__"]


def test_every_native_name_is_declared_with_its_types() -> None:
    """The stub is what editors and type checkers show of the compiled module."""
    tree = ast.parse((PACKAGE / "_core.pyi").read_text(encoding="utf-8"))
    declared = {
        node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    native = {name for name in vars(_core) if not name.startswith("_")}
    assert declared.keys() == native
    for name, node in declared.items():
        assert ast.get_docstring(node), f"{name}: no docstring"
        if isinstance(node, ast.FunctionDef):
            given = [argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)]
            assert given == list(inspect.signature(getattr(_core, name)).parameters), name
            assert node.returns is not None, name
        else:
            methods = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
            known = {n for n in vars(getattr(_core, name)) if not n.startswith("_")}
            assert known - {"key", "line", "file"} <= methods, name
