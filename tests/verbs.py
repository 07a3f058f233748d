"""Every verb of the command line, and what each needs to run."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest
from cyclopts import App, Argument

import slcache
from disks import DEVICE
from slcache.cli import help as page
from slcache.cli.app import command_line

SMALL = ["--device", "tiny", "--scheme", "baseline"]
#: Arguments of a verb; "T" is a trace, "D" a device with a disk, "R" a saved result, "S" a folder
#: that a sweep has written, "L" a log of requests, "O" an output, "F" a folder to write to.
NEEDED = {
    "run": ["T", *SMALL],
    "compare": ["T", "--device", "tiny", "--schemes", "tlc-only,baseline"],
    "cliff": ["--device", "tiny", "--schemes", "baseline", "--bs", "4k", "--amount", "64k"],
    "diff": ["R", "--rerun"],
    "report": ["R"],
    "explain": ["waf"],
    "sweep": ["T", *SMALL, "--out", "F"],
    "sweep show": ["S"],
    "bound": ["T"],
    "why": ["L"],
    "fit": ["--job", "/dev/nvme1n1"],
    "tune": ["T", *SMALL, "--vary", "host.time_scale=0.5..2", "--points", "2"],
    "reproduce": ["nonsense"],
    "schemes": [],
    "devices": [],
    "devices show": ["tiny"],
    "schemes show": ["examples/schemes/baseline.py:Baseline"],
    "schemes check": ["examples/schemes/baseline.py:Baseline", "--cases", "3"],
    "trace info": ["T"],
    "trace lint": ["T"],
    "trace convert": ["T", "-o", "O"],
    "trace generate": ["zipf-4k", "-o", "O", "--workload", "requests=50"],
    "trace twin": ["T", "-o", "O", "--by", "blocks", "--pause", "1ms", "--block-requests", "9"],
    "trace formats": [],
    "trace workloads": ["zipf-4k"],
}


@dataclass(frozen=True)
class Option:
    """An option or argument of a verb, as tests ask of it."""

    #: What Python calls it, and the command line, the own word first.
    name: str
    opts: tuple[str, ...]
    metavar: str
    help: str
    is_flag: bool
    multiple: bool

    @property
    def is_option(self) -> bool:
        """Whether it has a name."""
        return self.opts[0].startswith("-")


@dataclass(frozen=True)
class Verb:
    """A verb as its page tells of it."""

    help: str
    params: tuple[Option, ...]
    rows: tuple[tuple[str, str], ...]


@functools.cache
def verbs() -> tuple[tuple[tuple[str, ...], Verb], ...]:
    """Return every verb with the words that name it."""
    return tuple(_below(command_line(), ()))


def _below(app: App, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Verb]]:
    if app.default_command is not None:
        every = page.arguments(app)
        params = tuple(_option(each) for each in every)
        yield path, Verb(inspect.cleandoc(app.help), params, tuple(map(page.row, every)))
    for name in app:
        if not name.startswith("-"):
            yield from _below(app[name], (*path, name))


def _option(each: Argument) -> Option:
    kinds = {each.hint, *get_args(each.hint)}
    return Option(
        each.field_info.name,
        each.names if each.name.startswith("-") else (page.value(each),),
        page.value(each),
        each.parameter.help or "",
        bool in kinds,
        any(get_origin(kind) is list for kind in kinds),
    )


def options(*, with_flags: bool) -> list[Any]:
    """Return every option of every verb as a case: the verb's words, and the option."""
    return [
        pytest.param(path, option, id=" ".join([*path, option.opts[0]]))
        for path, verb in verbs()
        for option in verb.params
        if option.is_option and (with_flags or not option.is_flag)
    ]


class Inputs:
    """The files that the arguments of verbs mean."""

    def __init__(self, trace: Path, folder: Path) -> None:
        """Write them."""
        device = folder / "disk.toml"
        device.write_text(DEVICE)
        log = folder / "log.parquet"
        slcache.run(trace, device="tiny", scheme="baseline", log=log).save(folder / "result")
        slcache.sweep(
            [trace],
            device="tiny",
            scheme="baseline",
            vary={"host.time_scale": "0.5,1"},
            out=folder / "sweep",
            jobs=1,
        )
        self._files = {
            "T": str(trace),
            "D": str(device),
            "R": str(folder / "result"),
            "S": str(folder / "sweep"),
            "L": str(log),
            "O": "out.parquet",
            "F": "out",
        }

    def needed(self, path: tuple[str, ...], without: str = "") -> list[str]:
        """Return the arguments that a verb needs, but for an option that is to be tried itself."""
        arguments = NEEDED[" ".join(path)]
        for name in (without, "-o" if without == "--out" else without):
            if name in arguments:
                place = arguments.index(name)
                arguments = arguments[:place] + arguments[place + 2 :]
                break
        return [self._files.get(word, word) for word in arguments]
