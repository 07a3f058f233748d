"""Whether runs fit into the memory of this machine, found out before the first of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from slcache import _core
from slcache.runs.tasks import Task


def short(runs: Iterable[tuple[Mapping[str, Any], Task]]) -> dict[str, str]:
    """Return by name why runs, each with its configuration, cannot have the memory they need."""
    known: dict[str, str | None] = {}
    found = {}
    for config, task in runs:
        # What a run takes depends on the device and how full it is made.
        name = json.dumps([config["device"], config["precondition"]["fill"]])
        if name not in known:
            known[name] = _core.shortage(task.run())
        if (reason := known[name]) is not None:
            found[task.name] = reason
    return found
