"""Charts of the disk behind the flash: power, energy and work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from slcache import kinds, units
from slcache.charts import bars, layout, spec
from slcache.charts.spec import Axis, Spec
from slcache.documents import Document
from slcache.documents.figures import power_states
from slcache.kinds import Kind

_POWER_BINS = 120


def has_disk(documents: Sequence[Document]) -> bool:
    """Return whether any of these devices has a disk."""
    return any(document.get("disk") for document in documents)


def power(labels: Sequence[str], documents: Sequence[Document]) -> Spec:
    """Draw for each run with a disk the share of time in each power state, stacked."""
    runs = {
        label: document["disk"]["series"]
        for label, document in zip(labels, documents, strict=True)
        if document.get("disk") and any(map(len, document["disk"]["series"]["states"].values()))
    }
    if not runs:
        return layout.empty("no power states over time")
    seen = {name for run in runs.values() for name, v in run["states"].items() if any(v)}
    states = kinds.of(kinds.POWER, seen)
    looks = {name: kind.colour for name, kind in states.items()}
    across, up = Axis("time (s)", grid=False), Axis(kind="share", low=0, high=1, ticks=[0, 1])
    panels = []
    for label, run in runs.items():
        layer: Spec = {
            "data": spec.data(_shares(run, list(states))),
            "transform": [
                {"flatten": ["x", "y"]},
                {"calculate": spec.told("share", "datum.y"), "as": "told"},
            ],
            "mark": {"type": "area", "interpolate": "step-after"},
            "encoding": {
                "x": across.channel("x"), "y": up.channel("y") | {"stack": "zero"},
                "order": {"field": "place", "type": "quantitative"}, "color": spec.key(looks),
            },
        }  # fmt: skip
        panels.append(layout.panel(layer, title=label, height=50))
    return layout.picture(panels, linked=True)


def _shares(run: Mapping[str, Any], states: Sequence[str]) -> list[Spec]:
    """Return one run's shares, in at most so many bins that a screen can tell them apart."""
    columns = {name: np.asarray(v, dtype=np.float64) for name, v in run["states"].items()}
    windows = max(map(len, columns.values()))
    starts = np.arange(0, windows, max(1, -(-windows // _POWER_BINS)))
    counts = np.diff(np.append(starts, windows))
    times = np.append(starts, windows) * (run["window_ns"] / 1e9)
    rows = []
    for place, name in enumerate(states):
        means = np.add.reduceat(columns.get(name, np.zeros(windows)), starts) / counts
        # A step needs its end.
        steps = np.append(means, means[-1])
        rows.append(
            {"key": name, "place": place, "x": spec.short(times, 8), "y": spec.short(steps)}
        )
    return rows


def power_caption(documents: Sequence[Document]) -> str:
    """Return what the power states in the picture are."""
    return (
        "The share of the time that the disk was in each power state; a band that is as high as "
        f"the panel is a disk that did not leave that state. {kinds.explained(_states(documents))}"
    )


def energy(labels: Sequence[str], documents: Sequence[Document]) -> Spec:
    """Draw the energy of each run's disk by power state."""
    looks = {name: (name, kind.colour) for name, kind in _states(documents).items()}
    stacks, ends = [], []
    for document in documents:
        own = document.get("disk")
        stacks.append({s["state"]: s["energy_j"] for s in power_states(own)} if own else {})
        watts = f"{units.significant(own['mean_power_w'])} W" if own else ""
        ends.append(f"{units.energy(own['energy_j'])}, {watts}" if own else "no disk")
    axis = bars.lengths(stacks, "energy", "energy")
    return bars.picture(labels, bars.panel(labels, stacks, looks, axis, units.energy, ends=ends))


def energy_caption(documents: Sequence[Document]) -> str:
    """Return what belongs to the energy in the picture."""
    return (
        "The energy of the disk from 0 to the completion of the last request, without the "
        "flash's; beside it the mean power. A change of state has an energy of its own. "
        f"{kinds.explained(_states(documents))}"
    )


def work(labels: Sequence[str], documents: Sequence[Document]) -> Spec:
    """Draw the time that each run's disk worked, by cause and kind of operation."""
    stacks = list(map(_work, documents))
    found = {segment for stack in stacks for segment in stack}
    causes = kinds.of(kinds.CAUSES, {cause for cause, _ in found})
    looks = {
        (cause, kind): (
            f"{cause} ({kind}s)",
            bars.pale(causes[cause].colour, 0.5 if kind == "write" else 0.0),
        )
        for cause in causes
        for kind in sorted({kind for _, kind in found})
        if (cause, kind) in found
    }
    ends = [
        f"{units.count(sum(op['count'] for op in own['ops']))} operations"
        if (own := document.get("disk"))
        else "no disk"
        for document in documents
    ]
    axis = bars.lengths(stacks, "time", "time at work")
    return bars.picture(labels, bars.panel(labels, stacks, looks, axis, units.duration, ends=ends))


def work_caption(documents: Sequence[Document]) -> str:
    """Return what the causes in the picture are."""
    causes = {cause for document in documents for cause, _ in _work(document)}
    return (
        "The disk's service time, positioning and transfer, by the cause of its operations; "
        "writes are paler. Beside it how many there were. "
        f"{kinds.explained(kinds.of(kinds.CAUSES, causes))}"
    )


def _states(documents: Sequence[Document]) -> dict[str, Kind]:
    """Return the power states that took time or energy, in the order of stacks."""
    with_disk = [document["disk"] for document in documents if document.get("disk")]
    return kinds.of(kinds.POWER, {s["state"] for each in with_disk for s in power_states(each)})


def _work(document: Document) -> bars.Stack:
    found = document.get("disk")
    return {(op["cause"], op["kind"]): op["time_us"] for op in found["ops"]} if found else {}
