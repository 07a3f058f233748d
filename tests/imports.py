"""Which file imports which, in Rust and in Python, and the circles among them."""

from __future__ import annotations

import ast
import graphlib
import re
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path

#: A file by its place: folders and name; a folder's `mod.rs` or `__init__.py` is the folder.
Module = tuple[str, ...]
Imports = Mapping[Module, set[Module]]


def code(path: Path) -> str:
    """Return a Rust file without its comments."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)


def paths(text: str) -> Iterator[list[str]]:
    """Yield the paths that a Rust text names; a grouped import names several."""
    group = re.compile(r"((?:\w+::)+)\{([^{}]*)\}")
    while group.search(text):
        text = group.sub(
            lambda found: ", ".join(found[1] + part.strip() for part in found[2].split(",")), text
        )
    yield from (
        path.removesuffix("::self").split("::") for path in re.findall(r"(?:\w+::)+\w+", text)
    )


def circles(imports: Imports) -> list[list[str]]:
    """Return a circle for each folder that has one, as the names of its files.

    A folder counts as one file for those beside it. What its `mod.rs` or `__init__.py` shares
    with the files that it puts together is no circle.
    """
    folders: dict[Module, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for here, used in imports.items():
        for there in used:
            same = [a == b for a, b in zip(here, there, strict=False)]
            if not all(same):
                depth = same.index(False)
                folders[here[:depth]][here[depth]].add(there[depth])
    found = []
    for folder, graph in sorted(folders.items()):
        try:
            graphlib.TopologicalSorter(graph).prepare()
        except graphlib.CycleError as error:
            found.append(["/".join((*folder, name)) for name in reversed(error.args[1])])
    return found


def rust_imports(source: Path) -> Imports:
    """Return what the files of a crate import of it, their tests aside."""
    files = {place(path, source, "mod"): path for path in sorted(source.rglob("*.rs"))}
    texts = {
        (() if module == ("lib",) else module): re.split(r"#\[cfg\(test\)\]\s*mod ", code(path))[0]
        for module, path in files.items()
        if module[-1:] != ("tests",)
    }

    def follow(module: Module, path: list[str], shown: Mapping[Module, Module]) -> Module:
        at: Module
        match path[0]:
            case "crate":
                at, path = (), path[1:]
            case "self":
                at, path = module, path[1:]
            case "super":
                above = next((i for i, name in enumerate(path) if name != "super"), len(path))
                at, path = module[: len(module) - above], path[above:]
            case first:
                at, path = module, path if (*module, first) in texts else []
        return walk(at, path, texts, shown)

    shown = {
        (*module, path[-1]): follow(module, path, {})
        for module, text in texts.items()
        for public in re.findall(r"\bpub(?:\(\w+\))? use ([^;]+);", text)
        for path in paths(public)
    }
    return {
        module: {follow(module, path, shown) for path in paths(text)}
        for module, text in texts.items()
    }


def python_imports(source: Path) -> Imports:
    """Return what the files of a package import of it, wherever in the file."""
    files = {place(path, source.parent, "__init__"): path for path in sorted(source.rglob("*.py"))}
    named = {
        module: [
            (*(node.module or "").split("."), name.name)
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.ImportFrom)
            for name in node.names
        ]
        for module, path in files.items()
    }
    shown = {
        (*module, name[-1]): walk((), name, files, {})
        for module, path in files.items()
        if path.name == "__init__.py"
        for name in named[module]
    }
    return {
        module: {walk((), name, files, shown) for name in names} for module, names in named.items()
    }


def place(path: Path, source: Path, own: str) -> Module:
    """Return the module that a file is, where a file called `own` stands for its folder."""
    *folders, name = path.relative_to(source).with_suffix("").parts
    return tuple(folders) if name == own else (*folders, name)


def walk(
    at: Module, names: Sequence[str], files: Container[Module], shown: Mapping[Module, Module]
) -> Module:
    """Return the file that names lead to, also where another file passes them on."""
    for name in names:
        step = (*at, name)
        if step not in files and step not in shown:
            break
        at = step if step in files else shown[step]
    return at
