"""A test as it goes on a device: simulated as tests of published drives are, in one form."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slcache.drives import fills, latency, trials
from slcache.drives.published import Trial
from slcache.drives.reasons import REPRODUCED
from slcache.fit.measured import Measured

#: Requests after which the median of a test with one outstanding is known.
_FEW = 2000


@dataclass(frozen=True)
class Row:
    """A figure of a test beside that of the device."""

    side: str
    figure: str
    measured: float
    ours: float

    @property
    def holds(self) -> bool:
        """Whether it is as near as published figures have to be."""
        return latency.verdict_of(self.figure, self.ours / self.measured) == REPRODUCED


def device_of(text: str) -> dict[str, Any]:
    """Return what a device file holds, to be changed: without grounds of what it held."""
    device = tomllib.loads(text)
    device.pop("evidence", None)
    return device


def all_planes(device: Mapping[str, Any]) -> int:
    """Return the planes of all channels."""
    pool = device["device"]["pool"][0]
    return int(pool["channels"] * pool["chips"] * pool["planes"])


def rows(test: Measured, device: Mapping[str, Any], requests: int | None = None) -> list[Row]:
    """Return the figures of a test, or of its beginning, on a device."""
    trial, documents = _run(test, device, requests)
    shown = latency.figures(trial, documents)
    return [Row(side, name, value, ours) for side, name, value, ours in shown if ours is not None]


def median_ns(test: Measured, device: Mapping[str, Any]) -> float:
    """Return the median of what parameters are fitted to, on a device."""
    *_, side = test.figures
    host = _run(test, device, _FEW)[1][-1]["host"]
    sides = ("write", "flush") if side == "sync" else (side,)
    return float(sum(host[each]["latency_us"]["p50"] for each in sides)) * 1e3


def _run(
    test: Measured, device: Mapping[str, Any], requests: int | None
) -> tuple[Trial, list[Mapping[str, Any]]]:
    trial = test.trial(device.get("host", {}).get("turnaround_ns", 0) / 1e3, requests)
    found = fills.done(trials.plan(trial, device).runs, 1, None)
    return trial, [each.documents[0] for each in found]
