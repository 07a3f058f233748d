"""Draw what a request costs as the device grows: `python benches/growth.py [JSON [PICTURE]]`.

The JSON is what `slcache-bench --growth` printed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from slcache.charts import pictures, spec
from slcache.charts.spec import Axis

CURVES = {
    "same_footprint": "requests to the same 4 GiB",
    "half_of_device": "requests to half of the device",
}
RUNS = {"ns_per_request": ([1, 0], "again"), "first_ns_per_request": ([2, 2], "first")}


def draw(growth: dict[str, Any], picture: Path) -> None:
    """Draw requests per CPU second over the size of the device."""
    across = Axis("device", "size", log=True)
    up = Axis("million requests per CPU second", low=0)
    names = [f"{label}, {when}" for label in CURVES.values() for _, when in RUNS.values()]
    looks = {name: spec.colour(place // len(RUNS)) for place, name in enumerate(names)}
    layers = []
    for key, label in CURVES.items():
        sizes = [point["device_bytes"] for point in growth[key]]
        for cost, (dash, when) in RUNS.items():
            curve = {f"{label}, {when}": (sizes, [1e3 / point[cost] for point in growth[key]])}
            marks = {"point": {"size": 25, "filled": True}, "strokeDash": dash}
            layers.append(spec.lines(curve, across, up, looks, **marks))
    drawn = spec.picture([spec.panel(*layers, height=260)])
    picture.write_bytes(pictures.written(drawn, picture.suffix))


def main() -> None:
    """Read the measurement and write the picture."""
    source = Path(sys.argv[1] if len(sys.argv) > 1 else "out/growth.json")
    picture = Path(sys.argv[2] if len(sys.argv) > 2 else "docs/images/growth.png")
    draw(json.loads(source.read_text()), picture)


if __name__ == "__main__":
    main()
