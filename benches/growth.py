"""Draw what a request costs as the device grows: `python benches/growth.py [JSON [PICTURE]]`.

The JSON is what `slcache-bench --growth --json` printed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

CURVES = {
    "same_footprint": ("requests to the same 4 GiB", "#1f6fb4", "o"),
    "half_of_device": ("requests to half of the device", "#c4501b", "s"),
}


def draw(growth: dict[str, Any], picture: Path) -> None:
    """Draw requests per CPU second over the size of the device."""
    figure, axes = plt.subplots(figsize=(7.2, 3.8), layout="constrained")
    for key, (label, colour, marker) in CURVES.items():
        points = growth[key]
        sizes = [point["device_bytes"] / 2**30 for point in points]
        for cost, style, when in (
            ("ns_per_request", "-", "again"),
            ("first_ns_per_request", ":", "first"),
        ):
            rates = [1e3 / point[cost] for point in points]
            axes.plot(
                sizes, rates, style, color=colour, marker=marker, ms=4, label=f"{label}, {when}"
            )
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes, [f"{s:g} GiB" if s < 1024 else f"{s / 1024:g} TiB" for s in sizes])
    axes.tick_params(axis="x", labelrotation=45)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("million requests per CPU second")
    axes.set_xlabel("device")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(picture, dpi=160, metadata={"Software": None})


def main() -> None:
    """Read the measurement and write the picture."""
    source = Path(sys.argv[1] if len(sys.argv) > 1 else "out/growth.json")
    picture = Path(sys.argv[2] if len(sys.argv) > 2 else "docs/images/growth.png")
    draw(json.loads(source.read_text()), picture)


if __name__ == "__main__":
    main()
