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
    found = ((folder, circle(graph)) for folder, graph in sorted(folders.items()))
    return [["/".join((*folder, name)) for name in names] for folder, names in found if names]


def own_circles(uses: Imports, parts: Container[tuple[Module, Module]]) -> list[str]:
    """Return the folders whose own file, such as `mod.rs`, is in a circle with others.

    What only declares its files and shows what they have is used by none of them. `parts` says
    which files go on with a type of their folder's file and so count as a part of it.
    """
    folders: dict[Module, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for here, used in uses.items():
        for there in used:
            if len(here) > len(there) and here[: len(there)] == there:
                if (here, there) not in parts:
                    folders[there][here[len(there)]].add("mod")
            elif len(there) > len(here) and there[: len(here)] == here:
                folders[here]["mod"].add(there[len(here)])
    return ["/".join(folder) for folder, graph in sorted(folders.items()) if circle(graph)]


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """Return the nodes of a circle of a graph, if it has one."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return list(reversed(error.args[1]))
    return []


class RustCrate:
    """The files of a crate, their tests aside, and what they import of it."""

    def __init__(self, source: Path) -> None:
        texts = {rust_place(path, source): code(path) for path in sorted(source.rglob("*.rs"))}
        tests = {
            (*module, name)
            for module, text in texts.items()
            for name in re.findall(r"#\[cfg\(test\)\]\s*mod (\w+);", text)
        }
        self.texts = {
            module: shipped(text) for module, text in texts.items() if module not in tests
        }
        self.shown: dict[Module, Module] = {}
        self.shown = {
            (*module, path[-1]): self.follow(module, path)
            for module, text in self.texts.items()
            for public in re.findall(r"\bpub(?:\(\w+\))? use ([^;]+);", text)
            for path in paths(public)
        }

    def follow(self, module: Module, path: list[str]) -> Module:
        """Return the file that a path in the file of a module leads to."""
        at: Module
        match path[0]:
            case "crate":
                # A program of several files has a root of its own.
                at, path = module[:2] if module[:1] == ("bin",) else (), path[1:]
            case "self":
                at, path = module, path[1:]
            case "super":
                above = next((i for i, name in enumerate(path) if name != "super"), len(path))
                at, path = module[: len(module) - above], path[above:]
            case first:
                at, path = module, path if (*module, first) in self.texts else []
        return walk(at, path, self.texts, self.shown)

    def imports(self) -> Imports:
        """Return what each file imports."""
        return {
            module: {self.follow(module, path) for path in paths(text)}
            for module, text in self.texts.items()
        }

    def uses(self) -> Imports:
        """Return what each file imports and does more with than to show it to others."""
        return {
            module: {self.follow(module, path) for path in used_paths(text)}
            for module, text in self.texts.items()
        }

    def parts(self) -> set[tuple[Module, Module]]:
        """Return the files that take types of their folder's file only to go on with them.

        Each with its folder: all that it names of the folder's file it has an `impl` of.
        """
        named: dict[tuple[Module, Module], set[str]] = defaultdict(set)
        for module, text in self.texts.items():
            for path in paths(text):
                there = self.follow(module, path)
                if len(there) < len(module) and module[: len(there)] == there:
                    named[module, there].add(path[-1])
        return {
            (module, there)
            for (module, there), names in named.items()
            if all(re.search(rf"\bimpl\b[^{{;]*\b{name}\b", self.texts[module]) for name in names)
        }


def used_paths(text: str) -> Iterator[list[str]]:
    """Yield the paths that a Rust text names, without those that it only shows to others."""
    shows = re.compile(r"\bpub(?:\(\w+\))? use ([^;]+);")
    rest = shows.sub("", text)
    yield from paths(rest)
    for shown in shows.findall(text):
        yield from (path for path in paths(shown) if re.search(rf"\b{path[-1]}\b", rest))


def rust_imports(source: Path) -> Imports:
    """Return what the files of a crate import of it, their tests aside."""
    return RustCrate(source).imports()


def rust_place(path: Path, source: Path) -> Module:
    """Return the module that a Rust file is: `mod.rs`, `main.rs` or `lib.rs` is its folder."""
    *folders, name = path.relative_to(source).with_suffix("").parts
    own = ("mod", "main") if folders else ("lib",)
    return tuple(folders) if name in own else (*folders, name)


def shipped(text: str) -> str:
    """Return a Rust text without its tests, in it or beside it, and without visibilities."""
    text = re.sub(r"\bpub\(in [$\w:]+\)", "pub", text)
    text = re.sub(r"#\[cfg\(test\)\]\s*mod \w+;", "", text)
    return re.split(r"#\[cfg\(test\)\]\s*mod ", text)[0]


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
