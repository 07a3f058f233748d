"""Charts of flash and disk: what was programmed and the least of it, wear, power and work."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from slcache import kinds, units
from slcache.charts import layout, spec
from slcache.charts.spec import Axis, Spec
from slcache.documents import Document, Runs, figures
from slcache.documents.figures import power_states
from slcache.kinds import Kind

_BINS = 24
#: By cell mode, from the sparsest to the densest, how pale bars are.
_PALE = {"slc": 0.0, "mlc": 0.25, "tlc": 0.45, "qlc": 0.65}


def writes(runs: Runs) -> Spec:
    """Draw a bar per scheme by cause and cell mode, and what the host wrote as a line across."""
    stacks = {label: programmed(document) for label, document in runs.items()}
    segments = _ordered({segment for stack in stacks.values() for segment in stack})
    if not segments:
        return layout.empty("nothing was programmed")
    looks = {
        (mode, cause): (f"{cause}, {mode.upper()}", layout.pale(kind.colour, _PALE.get(mode, 0.8)))
        for (mode, cause), kind in segments.items()
    }
    written = {label: document["host"]["write"]["bytes"] for label, document in runs.items()}
    axis = layout.bar_axis(stacks, "size", "programmed", written)
    host: Spec = {
        "data": spec.data(
            {"row": label, "x": size / axis.per, "told": units.size(size)}
            for label, size in written.items()
        ),
        "mark": {"type": "tick", "thickness": 2.5, "size": 25},
        "encoding": {
            "x": axis.channel("x"), "y": spec.names_axis("row", list(runs)),
            "tooltip": spec.tip(scheme="row", written_by_the_host="told"),
        },
    }  # fmt: skip
    return layout.bar_picture(layout.bar_panel(stacks, looks, axis, units.size, host), rows=runs)


def writes_caption(documents: Sequence[Document]) -> str:
    """Return what the causes in the picture are, and how to read write amplification from it."""
    causes = {cause for document in documents for _, cause in programmed(document)}
    return (
        "Colour is the cause, the paler the denser the cells. The line across a bar marks the "
        "bytes that the host wrote: a bar that is twice as long has a write amplification of 2. "
        "Every mapping unit in a page counts for itself. "
        f"{kinds.explained(kinds.of(kinds.CAUSES, causes))}"
    )


def programmed(document: Document) -> layout.Stack:
    """Return the bytes programmed by (cell mode, cause), every mapping unit for itself.

    Old data in a host's page are `rmw`; room left empty in any page is `pad`.
    """
    mu_bytes = document["config"]["device"]["mu_bytes"]
    stack: layout.Stack = {}
    for op in document["flash"]["ops"]:
        if op["kind"] in kinds.STORES:
            empty = (op["mode"], "pad")
            stack[empty] = stack.get(empty, 0.0) + op["bytes"]
    for slot in document["flash"]["slots"]:
        segment, empty = (slot["mode"], slot["cause"]), (slot["mode"], "pad")
        size = slot["count"] * mu_bytes
        stack[segment] = stack.get(segment, 0.0) + size
        stack[empty] = stack.get(empty, 0.0) - size
    return {segment: size for segment, size in stack.items() if size}


def _ordered(segments: set[tuple[str, str]]) -> dict[tuple[str, str], Kind]:
    """Order segments by cause, host first, then from the sparsest cell mode to the densest."""
    causes = kinds.of(kinds.CAUSES, [cause for _, cause in segments])
    modes = [*_PALE, *sorted({mode for mode, _ in segments} - _PALE.keys())]
    return {
        (mode, cause): kind
        for cause, kind in causes.items()
        for mode in modes
        if (mode, cause) in segments
    }


def wear(runs: Runs) -> Spec:
    """Draw how block erases are distributed, a panel per pool and cell mode."""
    found = {
        label: {(p["pool"], p["mode"]): p for p in document["wear"]["pools"] if p["histogram"]}
        for label, document in runs.items()
    }
    places = sorted({place for pools in found.values() for place in pools})
    if not places:
        return layout.empty("no blocks to wear")
    panels = [
        layout.panel(
            _blocks({label: pools.get(place) for label, pools in found.items()}),
            title=f"{place[1].upper()} blocks of {place[0]}",
        )
        for place in places
    ]
    return layout.picture(panels, columns=2)


def _blocks(pools: Mapping[str, Mapping[str, Any] | None]) -> Spec:
    """Return each scheme's blocks by erase count, grouped in bins where counts are many.

    Points and not bars: a bar's length would mean nothing on a log axis, which has no zero.
    """
    counts = [count for pool in pools.values() if pool for count, _ in pool["histogram"]]
    low, high = min(counts), max(counts)
    step = max(1, math.ceil((high - low + 1) / _BINS))
    bins = [
        str(first) if step == 1 else f"{first}–{first + step - 1}"
        for first in range(low, high + 1, step)
    ]
    rows = []
    for label, pool in pools.items():
        blocks: Counter[int] = Counter()
        for count, number in (pool or {"histogram": []})["histogram"]:
            blocks[(count - low) // step] += number
        for place, number in blocks.items():
            told = f"{number:,} blocks with {bins[place]} erases"
            rows.append({"key": label, "row": bins[place], "y": number, "told": told})
    across = spec.names_axis("row", bins, title="erases of a block")
    across["axis"]["labelAngle"] = 0
    beside = {"xOffset": {"field": "key", "type": "nominal", "scale": {"domain": list(pools)}}}
    up = Axis("blocks", "count", log=True)
    looks = spec.colours(pools)
    return spec.points(rows, across, up, looks, encoding=beside if len(pools) > 1 else {})


_POWER_BINS = 120


def has_disk(documents: Sequence[Document]) -> bool:
    """Return whether any of these devices has a disk."""
    return any(document.get("disk") for document in documents)


def power(runs: Runs) -> Spec:
    """Draw for each run with a disk the share of time in each power state, stacked."""
    drawn = {
        label: document["disk"]["series"]
        for label, document in runs.items()
        if document.get("disk") and any(map(len, document["disk"]["series"]["states"].values()))
    }
    if not drawn:
        return layout.empty("no power states over time")
    seen = {name for run in drawn.values() for name, v in run["states"].items() if any(v)}
    states = kinds.of(kinds.POWER, seen)
    looks = {name: kind.colour for name, kind in states.items()}
    across, up = Axis("time (s)", grid=False), Axis(kind="share", low=0, high=1, ticks=[0, 1])
    panels = []
    for label, run in drawn.items():
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


def energy(runs: Runs) -> Spec:
    """Draw the energy of each run's disk by power state."""
    looks = {name: (name, kind.colour) for name, kind in _states(runs.values()).items()}
    stacks: dict[str, dict[str, float]] = {}
    ends = {}
    for label, document in runs.items():
        own = document.get("disk")
        stacks[label] = {s["state"]: s["energy_j"] for s in power_states(own)} if own else {}
        watts = f"{units.significant(own['mean_power_w'])} W" if own else ""
        ends[label] = f"{units.energy(own['energy_j'])}, {watts}" if own else "no disk"
    axis = layout.bar_axis(stacks, "energy", "energy")
    panel = layout.bar_panel(stacks, looks, axis, units.energy, ends=ends)
    return layout.bar_picture(panel, rows=runs)


def energy_caption(documents: Sequence[Document]) -> str:
    """Return what belongs to the energy in the picture."""
    return (
        "The energy of the disk from 0 to the completion of the last request, without the "
        "flash's; beside it the mean power. A change of state has an energy of its own. "
        f"{kinds.explained(_states(documents))}"
    )


def work(runs: Runs) -> Spec:
    """Draw the time that each run's disk worked, by cause and kind of operation."""
    stacks = {label: _work(document) for label, document in runs.items()}
    found = {segment for stack in stacks.values() for segment in stack}
    causes = kinds.of(kinds.CAUSES, {cause for cause, _ in found})
    looks = {
        (cause, kind): (
            f"{cause} ({kind}s)",
            layout.pale(causes[cause].colour, 0.5 if kind == "write" else 0.0),
        )
        for cause in causes
        for kind in sorted({kind for _, kind in found})
        if (cause, kind) in found
    }
    ends = {
        label: f"{units.count(sum(op['count'] for op in own['ops']))} operations"
        if (own := document.get("disk"))
        else "no disk"
        for label, document in runs.items()
    }
    axis = layout.bar_axis(stacks, "time", "time at work")
    panel = layout.bar_panel(stacks, looks, axis, units.duration, ends=ends)
    return layout.bar_picture(panel, rows=runs)


def work_caption(documents: Sequence[Document]) -> str:
    """Return what the causes in the picture are."""
    causes = {cause for document in documents for cause, _ in _work(document)}
    return (
        "The disk's service time, positioning and transfer, by the cause of its operations; "
        "writes are paler. Beside it how many there were. "
        f"{kinds.explained(kinds.of(kinds.CAUSES, causes))}"
    )


def _states(documents: Iterable[Document]) -> dict[str, Kind]:
    """Return the power states that took time or energy, in the order of stacks."""
    with_disk = [document["disk"] for document in documents if document.get("disk")]
    return kinds.of(kinds.POWER, {s["state"] for each in with_disk for s in power_states(each)})


def _work(document: Document) -> layout.Stack:
    found = document.get("disk")
    return {(op["cause"], op["kind"]): op["time_us"] for op in found["ops"]} if found else {}


_CURVES = {
    "least": "least, the cache keeps what lives on",
    "least_drained": "least, the cache is emptied at the end",
}


def trace_bound(document: Mapping[str, Any]) -> Spec:
    """Draw the least dense programs of a trace over the size of the SLC cache."""
    rows = [row for row in document["sizes"] if row["bytes"] > 0]
    sizes = [row["bytes"] for row in rows]
    curves = {
        title: (sizes, [row[key] / document["versions"] for row in rows])
        for key, title in _CURVES.items()
    }
    up = Axis("least dense writes per unit written", low=0, high=1.02)
    layer = spec.lines(curves, _CACHE, up, spec.colours(curves), point={"size": 20})
    return layout.picture([layout.panel(layer, height=260)])


_CACHE = Axis("SLC cache, the controller's memory included", "size", log=True)


def has_bound(documents: Sequence[Document]) -> bool:
    """Return whether any run has a bound."""
    return any(figures.bound(document) is not None for document in documents)


def bound_caption(documents: Sequence[Document]) -> str:
    """Return the sentence that says how to read the comparison's picture."""
    done = "written to the disk" if any(d.get("disk") for d in documents) else "programmed dense"
    return (
        f"What each scheme has {done} (marks) over what its cache and the controller's memory "
        "hold, and the least that any scheme of that size can (curve, exact at the dots): where it "
        "falls no more, a larger cache saves nothing. Schemes without a cache are lines across."
    )


def bound(runs: Runs, curve: Mapping[str, Any] | None) -> Spec:
    """Draw the least over the size of the cache, and the schemes as points."""
    known = {label: each for label, each in runs.items() if figures.bound(each) is not None}
    shown = _least(curve, list(known.values()))
    # The bound has the colours behind those of all schemes.
    every = spec.colours([*runs, *shown])
    looks = {name: look for name, look in every.items() if name in known or name in shown}
    done = {label: document["figures"]["dense_bytes"] or 0 for label, document in known.items()}
    on_disk = next(iter(runs.values())).get("disk")
    does = "written to the disk" if on_disk else "programmed dense"
    most = max([*done.values(), *(least for _, ys in shown.values() for least in ys)])
    up = spec.sized(does, most, low=0)
    layers = [
        spec.lines(shown, _CACHE, up, looks, point={"size": 18}, strokeDash=[1, 0])
    ] if shown else []  # fmt: skip
    marks = []
    for label, size in done.items():
        if figures.has_cache(known[label]):
            room = figures.room_bytes(known[label]) or 0
            told = f"{units.size(size)} with {units.size(room)}"
            marks.append({"key": label, "x": room, "y": size / up.per, "told": told})
        else:
            across = spec.rule(y=size / up.per, strokeDash=[2, 2])
            across["data"] = spec.data([{"key": label, "told": f"{units.size(size)}, no cache"}])
            across["encoding"] |= {
                "color": spec.key(looks), "tooltip": spec.tip(name="key", value="told"),
            }  # fmt: skip
            layers.append(across)
    layers.append(spec.points(marks, _CACHE, up, looks, size=90, stroke="white"))
    return layout.picture([layout.panel(*layers, height=280)])


def _least(
    curve: Mapping[str, Any] | None, documents: Sequence[Document]
) -> dict[str, tuple[list[float], list[float]]]:
    """Return the points of each curve that some scheme with a cache is bound by, in bytes."""
    found = {}
    for key, drained in (("least", False), ("least_drained", True)):
        of = [d for d in documents if d["bound"]["drained"] == drained and figures.has_cache(d)]
        points = {figures.room_bytes(d) or 0: d["figures"]["dense_least_bytes"] or 0 for d in of}
        if of and curve is not None:
            unit = curve["unit_bytes"]
            points |= {row["slots"] * unit: row[key] * unit for row in curve["sizes"]}
        told = sorted((size, least) for size, least in points.items() if size > 0)
        if told:
            found[_CURVES[key]] = spec.through(told)
    return found
