"""Whether the points of a study fit into the memory of this machine, found out before they run."""

from __future__ import annotations

import json
from collections.abc import Iterable

from slcache import _core, api
from slcache.runs import given
from slcache.sweep.points import Point


def short(points: Iterable[Point]) -> dict[int, str]:
    """Return why the runs of some points cannot have the memory that their devices need."""
    known: dict[str, str | None] = {}
    found = {}
    for point in points:
        assert point.config is not None
        # What a run takes depends on the device and how full it is made.
        name = json.dumps([point.config["device"], point.config["precondition"]["fill"]])
        if name not in known:
            known[name] = _core.shortage(
                device=given.device_of(point.device),
                scheme=point.scheme,
                sets=api.sets(point.settings),
                seed=point.seed,
                replay=point.replay,
            )
        reason = known[name]
        if reason is not None:
            found[point.index] = reason
    return found
