"""Charts of write bandwidth over data written: cliffs, and fitted devices beside their logs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from slcache.bandwidth.curves import BandwidthCurve, Phases, Values
from slcache.charts import layout, spec
from slcache.charts.spec import Axis, Spec

_HEIGHT = 260
_SPEED = "write bandwidth (MB/s)"

#: GB written by the end of each point, and MB/s in it.
Points = tuple[Values, Values]


def cliff(curves: Mapping[str, BandwidthCurve], bursts: int, device: str) -> Spec:
    """Draw write bandwidth over data written, a line per scheme."""
    end = max(float(curve.written_gib[-1]) for curve in curves.values()) * (1 << 30)
    across = spec.sized(
        "written" + ("; dashed: pauses" if bursts > 1 else ""), end, low=0, high=end
    )
    top = 1.12 * max(float(curve.mb_per_s.max()) for curve in curves.values())
    up = Axis(_SPEED, low=0, high=top)
    drawn = {
        name: _steps(curve.written_gib * (1 << 30), curve.mb_per_s)
        for name, curve in curves.items()
    }
    layers = [
        spec.rule(x=amount * (1 << 30) * burst / bursts / across.per, strokeOpacity=0.5)
        for amount in sorted({float(curve.written_gib[-1]) for curve in curves.values()})
        for burst in range(1, bursts)
    ]
    steps: dict[str, Any] = {"interpolate": "step-before"}
    layers.append(spec.lines(drawn, across, up, spec.colours(curves), **steps))
    return layout.picture([layout.panel(*layers, title=device, height=_HEIGHT)])


def fit(curve: Points, phases: Phases, predicted: Points, name: str) -> Spec:
    """Draw the log of a fill, its phases, and the fitted device's simulated curve."""
    top = 1.12 * float(max(np.percentile(curve[1], 99), predicted[1].max()))
    across = Axis("GB written", low=0, high=float(curve[0][-1]))
    up = Axis(_SPEED, low=0, high=top)
    looks = {"log": spec.SOFT, "its phases": spec.GREY, "fitted device": spec.colour(0)}
    flat: dict[str, Any] = {"strokeDash": [1, 0]}
    layers = [
        spec.lines(
            {"log": curve}, across, up, looks, tips=False, strokeWidth=0.8, clip=True, **flat
        )
    ]
    for phase in phases.phases:
        level = ([phase.from_gb, phase.to_gb], [phase.mean_mb_per_s] * 2)
        layers.append(spec.lines({"its phases": level}, across, up, looks, strokeDash=spec.DASHED))
    steps = {"fitted device": _steps(*predicted)}
    layers.append(spec.lines(steps, across, up, looks, interpolate="step-before", **flat))
    return layout.picture([layout.panel(*layers, title=name, height=_HEIGHT)])


def _steps(ends: Values, heights: Values) -> tuple[Values, Values]:
    """Return stretches of even height as what a line goes through, each from its beginning."""
    return np.concatenate([[0.0], ends]), np.concatenate([heights[:1], heights])
