"""Hashes of texts that are the same in every process, for classes whose decisions hang on them.

Python draws them anew for each process unless its environment says otherwise: the order of a set of
texts, and figures with it, would differ from run to run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from slcache import _begin

_NAME = "PYTHONHASHSEED"
#: Files that may name a class: configurations, studies, results.
_FILES = (".toml", ".json")


def hashes() -> dict[str, str]:
    """Return what to add to the environment of a process; nothing where it is said already."""
    return {} if os.environ.get(_NAME, "random") != "random" else {_NAME: "0"}


def others() -> dict[str, str]:
    """Return what gives a process other hashes than this one has."""
    return {_NAME: "2" if os.environ.get(_NAME) == "1" else "1"}


def begin(arguments: Sequence[str]) -> None:
    """Begin a command line that may name a class anew, with the hashes of every process."""
    added = hashes()
    named = any(":" in each or each.endswith(_FILES) or each == "sweep" for each in arguments)
    if added and named and sys.executable and hasattr(os, "execve"):
        # An interpreter that is interrupted as it starts says so in its own way.
        _begin.hold()
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], os.environ | added)
