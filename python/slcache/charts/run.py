"""Charts of runs: latencies, what was programmed, wear, bounds, and the disk behind."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from slcache.charts import spec
from slcache.charts.spec import Axis, Spec
from slcache.documents import gains, normalise
from slcache.documents.normalise import Document
from slcache.sentences import verdict
from slcache.words import kinds, units
from slcache.words.kinds import Kind

#: Latencies that are shown relative to a reference, and what they are called.
FIGURES = {"mean": "mean", "p99": "p99", "p99_9": "p99.9"}
_CDF_LEAST_US = 0.1
#: A total that is so many times any other would leave nothing to see of the others.
_FAR = 10.0
_BINS = 24
_POWER_BINS = 120
#: By cell mode, from the sparsest to the densest, how pale bars are.
_PALE = {"slc": 0.0, "mlc": 0.25, "tlc": 0.45, "qlc": 0.65}

Stack = dict[tuple[str, str], float]


def sides(documents: Sequence[Document]) -> list[str]:
    """Return the kinds of requests that the trace has."""
    return [side for side in ("read", "write") if documents[0]["host"][side]["requests"]]


# ---- Latency relative to a reference.


def relative(labels: Sequence[str], documents: Sequence[Document], to: str) -> Spec:
    """Draw mean and tail latency as factors of a reference's, a row per scheme."""
    shown = sides(documents)
    if not shown:
        return spec.empty("no reads and no writes")
    reference = documents[list(labels).index(to)]
    looks = spec.colours(FIGURES.values())
    panels = []
    for side in shown:
        rows = [
            row
            for label, document in zip(labels, documents, strict=True)
            for row in _factors(label, document, reference, side)
        ]
        factors = [row["x"] for row in rows]
        # There is room for what is written behind the furthest.
        low, high = min(factors, default=1.0), max(factors, default=1.0)
        high *= max(1.2, (high / low) ** 0.15)
        across = Axis("factor, lower is better", "factor", log=True, low=0.9 * low, high=high)
        down = spec.names_axis("row", labels)
        spans = {
            label: [row["x"] for row in rows if row["row"] == label]
            for label in dict.fromkeys(row["row"] for row in rows)
        }
        span: Spec = {
            "data": spec.data(
                {"row": label, "x": min(each), "high": max(each)} for label, each in spans.items()
            ),
            "mark": {"type": "rule", "color": spec.GREY, "strokeWidth": 2},
            "encoding": {"x": across.channel("x"), "x2": {"field": "high"}, "y": down},
        }
        texts = [
            {"row": row["row"], "x": max(spans[row["row"]]), "text": units.factor(row["x"])}
            for row in rows
            if row["key"] == FIGURES["mean"]
        ]
        tips = {"tooltip": spec.tip(scheme="row", figure="key", value="told")}
        marks = spec.points(rows, across, down, looks, shapes=True, encoding=tips, size=60)
        beside = spec.notes(texts, across.channel("x"), down, dx=9)
        title = f"{side} latency"
        one = spec.rule(x=1.0)
        height = spec.rows_height(len(labels))
        panels.append(spec.panel(span, one, marks, beside, title=title, height=height))
    return spec.picture(panels, room=spec.margin(labels))


def factor_of(document: Document, reference: Document, side: str, key: str) -> float | None:
    """Return a latency as a factor of the reference's."""
    mine = normalise.latency(document, side, key)
    return normalise.ratio(mine, normalise.latency(reference, side, key))


def _factors(label: str, document: Document, reference: Document, side: str) -> list[Spec]:
    rows = []
    for key, title in FIGURES.items():
        factor = factor_of(document, reference, side, key)
        if factor:
            latency = units.duration(normalise.latency(document, side, key) or 0.0)
            told = f"{latency}, {units.factor(factor)}"
            rows.append({"row": label, "key": title, "x": factor, "told": told})
    return rows


# ---- Where the mean latency comes from.


def attribution(labels: Sequence[str], documents: Sequence[Document]) -> Spec:
    """Draw mean latency by component: service, and what requests waited for."""
    found = components(documents)
    if not found:
        return spec.empty("no latency to attribute")
    names = {
        name: f"{name.partition(' ')[0]} {kinds.label(name.partition(' ')[2], kind)}"
        for name, kind in found.items()
    }
    looks = {names[name]: kind.colour for name, kind in found.items()}
    panels = []
    for side in sides(documents):
        stacks = [
            {names[name]: size for name, size in normalise.attribution(each, side).items() if size}
            for each in documents
        ]
        totals = [sum(stack.values()) for stack in stacks]
        axis = _lengths(totals, "time")
        ends = list(map(units.duration, totals))
        bars = spec.stacked_rows(labels, stacks, looks, axis, ends, units.duration)
        title = f"mean {side} latency" + (
            " (log axis: a bar's end can be read)" if axis.log else ""
        )
        panels.append(spec.panel(*bars, title=title, height=spec.rows_height(len(labels))))
    return spec.picture(panels, room=spec.margin(labels))


def attribution_caption(documents: Sequence[Document]) -> str:
    """Return what the components in the picture are."""
    return (
        "Service is time spent working for the request; wait is time spent behind what occupied "
        "its flash unit or channel, by the cause of that work. "
        f"{kinds.explained(components(documents))}"
    )


def components(documents: Sequence[Document]) -> dict[str, Kind]:
    """Return the components that took any time, in the order of stacks: service, then waits."""
    stacks = [normalise.attribution(d, side) for d in documents for side in ("read", "write")]
    parts = [name.partition(" ") for stack in stacks for name, value in stack.items() if value]
    tables = (("service", kinds.SERVICES), ("wait", kinds.WAITS))
    return {
        f"{group} {name}": kind
        for group, table in tables
        for name, kind in kinds.of(table, [n for g, _, n in parts if g == group]).items()
    }


def _lengths(totals: Sequence[float], kind: str, title: str = "") -> Axis:
    """Return the axis of bars: of logarithms where one is so many times any other."""
    ranked = sorted((total for total in totals if total > 0), reverse=True)
    if len(ranked) > 1 and ranked[0] >= _FAR * ranked[1]:
        return Axis(title, kind, log=True, low=ranked[-1] / _FAR, high=4 * ranked[0])
    most = 1.2 * max(ranked, default=1.0)
    if kind == "size":
        return spec.sized(title, most, low=0, high=most)
    return Axis(title, kind, low=0, high=most)


# ---- What was programmed.


def writes(labels: Sequence[str], documents: Sequence[Document]) -> Spec:
    """Draw a bar per scheme by cause and cell mode, and what the host wrote as a line across."""
    stacks = list(map(programmed, documents))
    segments = _ordered({segment for stack in stacks for segment in stack})
    if not segments:
        return spec.empty("nothing was programmed")
    names = {(mode, cause): f"{cause}, {mode.upper()}" for mode, cause in segments}
    looks = {
        names[mode, cause]: pale(kind.colour, _PALE.get(mode, 0.8))
        for (mode, cause), kind in segments.items()
    }
    written = [document["host"]["write"]["bytes"] for document in documents]
    named = [{names[segment]: size for segment, size in stack.items()} for stack in stacks]
    totals = [sum(stack.values()) for stack in stacks]
    axis = _lengths([*map(max, totals, written)], "size", "programmed")
    ends = list(map(units.size, totals))
    bars = spec.stacked_rows(labels, named, looks, axis, ends, units.size)
    host: Spec = {
        "data": spec.data(
            {"row": label, "x": size / axis.per, "told": units.size(size)}
            for label, size in zip(labels, written, strict=True)
        ),
        "mark": {"type": "tick", "thickness": 2.5, "size": 25},
        "encoding": {
            "x": axis.channel("x"), "y": spec.names_axis("row", labels),
            "tooltip": spec.tip(scheme="row", written_by_the_host="told"),
        },
    }  # fmt: skip
    height = spec.rows_height(len(labels))
    return spec.picture([spec.panel(*bars, host, height=height)], room=spec.margin(labels))


def writes_caption(documents: Sequence[Document]) -> str:
    """Return what the causes in the picture are, and how to read write amplification from it."""
    causes = {cause for document in documents for _, cause in programmed(document)}
    return (
        "Colour is the cause, the paler the denser the cells. The line across a bar marks the "
        "bytes that the host wrote: a bar that is twice as long has a write amplification of 2. "
        "Every mapping unit in a page counts for itself. "
        f"{kinds.explained(kinds.of(kinds.CAUSES, causes))}"
    )


def programmed(document: Document) -> Stack:
    """Return the bytes programmed by (cell mode, cause), every mapping unit for itself.

    Old data in a host's page are `rmw`; room left empty in any page is `pad`.
    """
    mu_bytes = document["config"]["device"]["mu_bytes"]
    stack: Stack = {}
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


def pale(colour: str, share: float) -> str:
    """Return a colour mixed with so much of a light grey."""
    parts = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(part + (0xE4 - part) * share):02X}" for part in parts)


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


# ---- Distributions.


def latency(labels: Sequence[str], documents: Sequence[Document]) -> Spec:
    """Draw latency distributions: the cumulative curve, and the tail on a log axis."""
    shown = [side for side in ("read", "write") if any(d["host"][side]["cdf"] for d in documents)]
    if not shown:
        return spec.empty("no reads and no writes")
    looks = spec.colours(labels)
    whole, tails = [], []
    for side in shown:
        at_most, beyond = {}, {}
        timed = (x for d in documents for x, _ in d["host"][side]["cdf"] if x >= _CDF_LEAST_US)
        # A log axis places requests that took next to no time left of all others.
        least = 0.8 * min(timed, default=_CDF_LEAST_US)
        for label, document in zip(labels, documents, strict=True):
            points = [(max(x, least), y) for x, y in document["host"][side]["cdf"]]
            if points:
                at_most[label], beyond[label] = _steps(points, document["host"][side]["requests"])
        across = Axis(f"{side} latency", "time", log=True)
        up = Axis("share at or below", "share", low=0, high=1.02)
        steps: dict[str, Any] = {"interpolate": "step-after"}
        layer = spec.lines(at_most, across, up, looks, digits=8, **steps)
        whole.append(spec.panel(layer, title=f"{side}s"))
        up = Axis("share above", "share", log=True)
        layer = spec.lines(beyond, across, up, looks, **steps)
        tails.append(spec.panel(layer, title=f"{side}s, the tail"))
    return spec.picture([*whole, *tails], columns=len(shown))


def _steps(
    points: Sequence[tuple[float, float]], requests: int
) -> tuple[tuple[list[float], list[float]], tuple[list[float], list[float]]]:
    """Return a distribution as steps, the exact shape of a count: shares up to, and beyond."""
    xs = [points[0][0], *(x for x, _ in points)]
    ys = [0.0, *(y for _, y in points)]
    above = [max(1.0 - y, 0.0) for y in ys]
    shown = [(x, y) for x, y in zip(xs, above, strict=True) if y >= 0.5 / requests]
    shown.append((xs[-1], shown[-1][1]))
    return (xs, ys), ([x for x, _ in shown], [y for _, y in shown])


def wear(labels: Sequence[str], documents: Sequence[Document]) -> Spec:
    """Draw how block erases are distributed, a panel per pool and cell mode."""
    found = [
        {(p["pool"], p["mode"]): p for p in document["wear"]["pools"] if p["histogram"]}
        for document in documents
    ]
    places = sorted({place for pools in found for place in pools})
    if not places:
        return spec.empty("no blocks to wear")
    panels = [
        spec.panel(
            _blocks(labels, [pools.get(place) for pools in found]),
            title=f"{place[1].upper()} blocks of {place[0]}",
        )
        for place in places
    ]
    return spec.picture(panels, columns=2)


def _blocks(labels: Sequence[str], pools: Sequence[Mapping[str, Any] | None]) -> Spec:
    """Return each scheme's blocks by erase count, grouped in bins where counts are many.

    Points and not bars: a bar's length would mean nothing on a log axis, which has no zero.
    """
    counts = [count for pool in pools if pool for count, _ in pool["histogram"]]
    low, high = min(counts), max(counts)
    step = max(1, math.ceil((high - low + 1) / _BINS))
    bins = [
        str(first) if step == 1 else f"{first}–{first + step - 1}"
        for first in range(low, high + 1, step)
    ]
    rows = []
    for label, pool in zip(labels, pools, strict=True):
        blocks: Counter[int] = Counter()
        for count, number in (pool or {"histogram": []})["histogram"]:
            blocks[(count - low) // step] += number
        for place, number in blocks.items():
            told = f"{number:,} blocks with {bins[place]} erases"
            rows.append({"key": label, "row": bins[place], "y": number, "told": told})
    across = spec.names_axis("row", bins, title="erases of a block")
    across["axis"]["labelAngle"] = 0
    beside = {"xOffset": {"field": "key", "type": "nominal", "scale": {"domain": list(labels)}}}
    up = Axis("blocks", "count", log=True)
    looks = spec.colours(labels)
    return spec.points(rows, across, up, looks, encoding=beside if len(labels) > 1 else {})


# ---- How large a cache is worth.

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
    return spec.picture([spec.panel(layer, height=260)])


_CACHE = Axis("SLC cache, the controller's memory included", "size", log=True)


def has_bound(documents: Sequence[Document]) -> bool:
    """Return whether any run has a bound."""
    return any(gains.bound(document) is not None for document in documents)


def bound_caption(documents: Sequence[Document]) -> str:
    """Return the sentence that says how to read the comparison's picture."""
    done = "written to the disk" if any(d.get("disk") for d in documents) else "programmed dense"
    return (
        f"What each scheme has {done} (marks) over what its cache and the controller's memory "
        "hold, and the least that any scheme of that size can (curve, exact at the dots): where it "
        "falls no more, a larger cache saves nothing. Schemes without a cache are lines across."
    )


def bound(
    labels: Sequence[str], documents: Sequence[Document], curve: Mapping[str, Any] | None
) -> Spec:
    """Draw the least over the size of the cache, and the schemes as points."""
    known = {
        label: document
        for label, document in zip(labels, documents, strict=True)
        if gains.bound(document) is not None
    }
    looks = {name: look for name, look in spec.colours(labels).items() if name in known}
    shown = _least(curve, list(known.values()))
    done = {label: document["figures"]["dense_bytes"] or 0 for label, document in known.items()}
    does = "written to the disk" if documents[0].get("disk") else "programmed dense"
    most = max([*done.values(), *(least for _, ys in shown.values() for least in ys)])
    up = spec.sized(does, most, low=0)
    greys = dict(zip(shown, ("#7F8790", "#A8AEB6"), strict=False))
    layers = [
        spec.lines(shown, _CACHE, up, looks | greys, point={"size": 18}, strokeDash=[1, 0])
    ] if shown else []  # fmt: skip
    marks = []
    for label, size in done.items():
        if gains.has_cache(known[label]):
            room = gains.room_bytes(known[label]) or 0
            told = f"{units.size(size)} with {units.size(room)}"
            marks.append({"key": label, "x": room, "y": size / up.per, "told": told})
        else:
            across = spec.rule(y=size / up.per, strokeDash=[2, 2])
            across["data"] = spec.data([{"key": label, "told": f"{units.size(size)}, no cache"}])
            across["encoding"] |= {
                "color": spec.key(looks | greys), "tooltip": spec.tip(name="key", value="told"),
            }  # fmt: skip
            layers.append(across)
    layers.append(spec.points(marks, _CACHE, up, looks | greys, size=90, stroke="white"))
    return spec.picture([spec.panel(*layers, height=280)])


def _least(
    curve: Mapping[str, Any] | None, documents: Sequence[Document]
) -> dict[str, tuple[list[float], list[float]]]:
    """Return the points of each curve that some scheme with a cache is bound by, in bytes."""
    found = {}
    for key, drained in (("least", False), ("least_drained", True)):
        of = [d for d in documents if d["bound"]["drained"] == drained and gains.has_cache(d)]
        points = {gains.room_bytes(d) or 0: d["figures"]["dense_least_bytes"] or 0 for d in of}
        if of and curve is not None:
            unit = curve["unit_bytes"]
            points |= {row["slots"] * unit: row[key] * unit for row in curve["sizes"]}
        told = sorted((size, least) for size, least in points.items() if size > 0)
        if told:
            found[_CURVES[key]] = ([float(x) for x, _ in told], [float(y) for _, y in told])
    return found


# ---- The disk behind the flash.


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
        return spec.empty("no power states over time")
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
        panels.append(spec.panel(layer, title=label, height=50))
    return spec.picture(panels, linked=True)


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
    looks = {name: kind.colour for name, kind in _states(documents).items()}
    stacks, ends = [], []
    for document in documents:
        own = document.get("disk")
        stacks.append({s["state"]: s["energy_j"] for s in verdict.states(own)} if own else {})
        watts = f"{units.significant(own['mean_power_w'])} W" if own else ""
        ends.append(f"{units.energy(own['energy_j'])}, {watts}" if own else "no disk")
    return _of_disk(labels, stacks, looks, "energy", "energy", ends, units.energy)


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
    names = {
        (cause, kind): f"{cause} ({kind}s)"
        for cause in causes
        for kind in sorted({kind for _, kind in found})
        if (cause, kind) in found
    }
    looks = {
        name: pale(causes[cause].colour, 0.5 if kind == "write" else 0.0)
        for (cause, kind), name in names.items()
    }
    ends = [
        f"{units.count(sum(op['count'] for op in own['ops']))} operations"
        if (own := document.get("disk"))
        else "no disk"
        for document in documents
    ]
    named = [{names[segment]: size for segment, size in stack.items()} for stack in stacks]
    return _of_disk(labels, named, looks, "time at work", "time", ends, units.duration)


def work_caption(documents: Sequence[Document]) -> str:
    """Return what the causes in the picture are."""
    causes = {cause for document in documents for cause, _ in _work(document)}
    return (
        "The disk's service time, positioning and transfer, by the cause of its operations; "
        "writes are paler. Beside it how many there were. "
        f"{kinds.explained(kinds.of(kinds.CAUSES, causes))}"
    )


def _of_disk(
    labels: Sequence[str],
    stacks: Sequence[Mapping[str, float]],
    looks: Mapping[str, str],
    title: str,
    kind: str,
    ends: Sequence[str],
    show: Callable[[float], str],
) -> Spec:
    axis = _lengths([sum(stack.values()) for stack in stacks], kind, title)
    bars = spec.stacked_rows(labels, stacks, looks, axis, ends, show)
    height = spec.rows_height(len(labels))
    return spec.picture([spec.panel(*bars, height=height)], room=spec.margin(labels))


def _states(documents: Sequence[Document]) -> dict[str, Kind]:
    """Return the power states that took time or energy, in the order of stacks."""
    with_disk = [document["disk"] for document in documents if document.get("disk")]
    return kinds.of(kinds.POWER, {s["state"] for each in with_disk for s in verdict.states(each)})


def _work(document: Document) -> Stack:
    found = document.get("disk")
    return {(op["cause"], op["kind"]): op["time_us"] for op in found["ops"]} if found else {}
