"""What tests of episodes share: making one, and turns drawn at random."""

from __future__ import annotations

import json
import random
from typing import Any, cast

from slcache import _core
from slcache.given.content import Run

Turns = list[tuple[int, float]]
#: An environment with short windows, so that a small trace has many.
ENV: dict[str, Any] = {"device": "tiny", "scheme": "rl", "window": ("write-bytes", 65536)}


def episode(scheme: str = "baseline", **changes: Any) -> _core.Episode:  # noqa: ANN401
    """Return an episode of 4,000 writes on `tiny`, in windows of 50."""
    inputs: dict[str, Any] = {
        "trace": "zipf-4k",
        "device": "tiny",
        "scheme": scheme,
        "sets": ["trace.address=wrap"],
        "trace_options": [("workload.requests", "4000")],
        "seed": 1,
        "replay": "closed:4",
        "snapshot_in": None,
        "window": ("write-requests", 50),
        "progress": None,
    } | changes
    trace, own = inputs.pop("trace"), ("window", "progress")
    given = {key: inputs.pop(key) for key in own}
    return _core.Episode(trace, cast("Run", inputs), **given)


def values(knob: dict[str, Any]) -> list[float]:
    """Return the values that a knob takes now."""
    if "ladder" in knob:
        return list(knob["ladder"])
    steps = knob["steps"]
    count = int((steps["max"] - steps["min"]) / steps["step"] + 1e-9)
    return [steps["min"] + i * steps["step"] for i in range(count + 1)]


def random_turns(on: _core.Episode, rng: random.Random) -> Turns:
    """Return a turn of one knob, or none."""
    knobs = json.loads(on.knobs())
    if not knobs or rng.random() < 0.5:
        return []
    number = rng.randrange(len(knobs))
    return [(number, rng.choice(values(knobs[number])))]
