"""Charts of what schemes report of themselves: windows, counts by bins, and model curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slcache import units
from slcache.charts import layout, spec
from slcache.charts.spec import Axis, Spec
from slcache.documents import Document, Runs

Values = NDArray[np.float64]
#: A series by its name, and by the unit of its windows, which are not to be mixed.
Name = tuple[str, str]
Entry = Mapping[str, Any]

#: A curve that jumps from window to window is shown as the mean of so large a part of them.
_SMOOTHED_PART = 40
#: So many points of a line tell a screen apart what it does.
_MOST = 600
#: With more points than this, the mean of each bin is drawn over them.
_MEANS_FROM, _BINS = 40, 50
_COLUMNS = 3


# ---- What schemes report over their windows.


@dataclass(frozen=True)
class _Look:
    """How series of one name are drawn: `axis` is a kind, or `ratio`, `signs` or `doubling`."""

    title: str
    axis: str = "number"
    smoothed: bool = False


_LOOKS = {
    "slc_blocks": _Look("size of the SLC region (blocks)"),
    "theta_bytes": _Look("largest write request that goes to SLC", "doubling"),
    "reward": _Look("reward", "signs", smoothed=True),
    "write_mb_per_s": _Look("writes (MB/s)", smoothed=True),
    "l2_share": _Look("share of the second level in the SLC cache", "share"),
    "utilisation_target": _Look("utilisation aimed at", "share"),
    "utilisation": _Look("utilisation of the fast tier", "share"),
    "lifetime_fast": _Look("cycles left by cycles used, fast tier", "ratio"),
    "lifetime_dense": _Look("cycles left by cycles used, dense tier", "ratio"),
    "predicted_cost_ns": _Look("cost of an access, computed", "time", smoothed=True),
    "measured_cost_ns": _Look("cost of an access, measured", "time", smoothed=True),
}

_ALONG = {
    "write_bytes_per_value": "written by the host",
    "writes_per_value": "write requests",
    "requests_per_value": "requests",
}


@dataclass(frozen=True)
class _Windows:
    """A series of one scheme: where each window ended, and its value, NaN for an infinite one."""

    ends: Values
    values: Values


def has_windows(documents: Sequence[Document]) -> bool:
    """Return whether any scheme reports anything over its windows."""
    return bool(_series(documents))


def windows(runs: Runs) -> Spec:
    """Draw a panel for each series, with a line for each scheme that has it."""
    found, labels = _series(list(runs.values())), list(runs)
    if not found:
        return layout.empty("no scheme with windows")
    order = list(_LOOKS)
    names = sorted(
        found, key=lambda n: (n[1], order.index(n[0]) if n[0] in order else len(order), n[0])
    )
    shown = sorted({scheme for of in found.values() for scheme in of})
    looks = {labels[i]: spec.colour(i) for i in shown}
    return layout.picture([_panel(labels, name, found, looks) for name in names], room=110)


def windows_caption(documents: Sequence[Document]) -> str:
    """Return how the picture is read."""
    found = _series(documents)
    text = "A value for each window of the schemes that have windows."
    if any(name[0] == "slc_blocks" for name in found):
        text += " Blocks are those of a plane or of all planes, as each scheme's page says."
    jumping = [of for name, of in found.items() if _look(name[0]).smoothed]
    if any(_smoothed_over(one) > 1 for of in jumping for one in of.values()):
        text += (
            " Rewards, throughputs and costs jump: their lines are the means of the last windows "
            f"up to each, a {_SMOOTHED_PART}th part of all."
        )
    return text


def _look(name: str) -> _Look:
    return _LOOKS.get(name, _Look(name))


def _series(documents: Sequence[Document]) -> dict[Name, dict[int, _Windows]]:
    """Return every series that has values, with the windows of each scheme that has it."""
    found: dict[Name, dict[int, _Windows]] = {}
    for scheme, document in enumerate(documents):
        for entry in document["scheme"]["series"]:
            values = np.asarray(entry["values"], dtype=np.float64)
            if np.isfinite(values).any():
                unit = next(key for key in entry if key.endswith("_per_value"))
                ends = entry[unit] * np.arange(1.0, len(values) + 1)
                found.setdefault((entry["name"], unit), {})[scheme] = _Windows(ends, values)
    return found


def _panel(
    labels: Sequence[str],
    name: Name,
    found: Mapping[Name, Mapping[int, _Windows]],
    looks: Mapping[str, str],
) -> Spec:
    """Draw one series' lines, along an axis that all share whose windows are counted alike."""
    look = _look(name[0])
    ends = [
        one.ends[-1] for other, of in found.items() if other[1] == name[1] for one in of.values()
    ]
    title, most = _ALONG.get(name[1], name[1]), float(max(ends))
    across = (
        spec.sized(title, most, low=0, high=most)
        if name[1] == "write_bytes_per_value"
        else Axis(title, low=0, high=most)
    )
    values = np.concatenate([one.values for one in found[name].values()])
    up = _axis(look, values[np.isfinite(values)])
    curves: dict[str, spec.Curve] = {}
    more: dict[str, Any] = {}
    for scheme, one in found[name].items():
        if look.smoothed:
            curves[labels[scheme]] = _thinned(
                one.ends, _moving_mean(one.values, _smoothed_over(one))
            )
        else:
            steps = np.concatenate((one.values[:1], one.values))
            curves[labels[scheme]] = _thinned(np.concatenate(([0.0], one.ends)), steps)
            more = {"interpolate": "step-before"}
    layers = [spec.lines(curves, across, up, looks, **more)]
    if look.axis == "signs":
        layers.append(spec.rule(y=0.0, strokeDash=[1, 0], strokeOpacity=0.5))
    return layout.panel(*layers, title=look.title, height=130)


def _axis(look: _Look, values: Values) -> Axis:
    """Return the axis that suits what a series is: a falling ratio and sizes have logarithms."""
    match look.axis:
        case "share":
            return Axis(kind="share", low=0, high=1)
        case "signs":
            return Axis(low=-1.1, high=1.1)
        case "ratio" if values.min() > 0:
            return Axis(log=True)
        case "doubling" if values.min() > 0:
            return Axis(kind="size", log=True)
        case "time":
            return Axis(kind="time", low=0, per=1e3)
    return Axis(low=0)


def _thinned(xs: Values, ys: Values) -> tuple[Values, Values]:
    """Return at most so many of a line's points as a screen can tell apart."""
    step = max(1, len(xs) // _MOST)
    return xs[::step], ys[::step]


def _smoothed_over(one: _Windows) -> int:
    return max(1, len(one.values) // _SMOOTHED_PART)


def _moving_mean(values: Values, over: int) -> Values:
    """Return of each value the mean of the last `over` up to it, or of as many as there are."""
    sums, counts = np.cumsum(np.nan_to_num(values)), np.cumsum(np.isfinite(values))
    sums[over:], counts[over:] = sums[over:] - sums[:-over], counts[over:] - counts[:-over]
    means = np.full_like(sums, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


# ---- Entries by names: `histograms` and `curves`.


def names(documents: Sequence[Document], kind: str) -> list[str]:
    """Return the names of all entries of a kind in which any scheme has anything."""
    return list(dict.fromkeys(entry["name"] for _, entry in _entries(documents, kind)))


def _entries(documents: Sequence[Document], kind: str) -> Iterator[tuple[int, Entry]]:
    """Yield the entries of a kind that have anything, each with the place of its scheme."""
    for place, document in enumerate(documents):
        for entry in document["scheme"].get(kind, ()):
            if sum(entry["counts"]) if "counts" in entry else entry["computed"] + entry["measured"]:
                yield place, entry


def _called(documents: Sequence[Document], kind: str, name: str) -> dict[int, Entry]:
    return {place: entry for place, entry in _entries(documents, kind) if entry["name"] == name}


# ---- What schemes counted by bins.


def histogram(runs: Runs, name: str) -> Spec:
    """Draw the histograms of one name.

    Two axes are a table for each scheme. Of one axis, or of more than two, each is a panel that
    sums over the others; how even the counts are of all combinations is a panel of its own.
    """
    found, labels = _called(list(runs.values()), "histograms", name), list(runs)
    if all(len(entry["axes"]) == 2 for entry in found.values()):
        panels = [_table(labels[place], place, entry) for place, entry in found.items()]
        return layout.picture(panels, columns=_COLUMNS, room=110, zoom=False)
    return _sums(labels, found)


def histogram_caption(documents: Sequence[Document], name: str) -> str:
    """Return how the picture is read."""
    entries = _called(documents, "histograms", name).values()
    if all(len(entry["axes"]) == 2 for entry in entries):
        return "Shares of all that was counted."
    if all(len(entry["axes"]) == 1 for entry in entries):
        return "Shares of all that was counted; bins by their names or lower edges."
    combinations = max(len(entry["counts"]) for entry in entries)
    return (
        "Shares of all that was counted, by one axis each; bins by their names or lower edges. "
        f"Last: how often each of the {combinations:,} combinations occurred, the most frequent "
        "first; the curve ends where the others never did."
    )


def _counts(entry: Entry) -> Values:
    shape = [len(axis["bins"]) for axis in entry["axes"]]
    return np.asarray(entry["counts"], dtype=np.float64).reshape(shape)


def _table(label: str, place: int, entry: Entry) -> Spec:
    """Draw shares as cells, the fuller the stronger, with the share in each."""
    counts, (down, across) = _counts(entry), entry["axes"]
    total, most = float(counts.sum()), float(counts.max())
    rows = [
        {
            "x": across["bins"][j], "y": down["bins"][i], "value": n / most,
            "told": _times(n, total), "text": units.percent(n / total),
        }
        for (i, j), n in zip(np.ndindex(*counts.shape), counts.ravel().tolist(), strict=True)
    ]  # fmt: skip
    colour = {
        "field": "value", "type": "quantitative", "legend": None,
        "scale": {"domain": [0, 1], "range": ["#F2F4F6", spec.colour(place)]},
    }  # fmt: skip
    x = spec.names_axis("x", across["bins"], title=across["name"])
    x["axis"] |= spec.upright(across["bins"])
    y = spec.names_axis("y", down["bins"][::-1], title=down["name"])
    layers = spec.cells(rows, x, y, colour)
    return layout.panel(*layers, title=label, height=max(60, 30 * counts.shape[0]))


def _sums(labels: Sequence[str], found: Mapping[int, Entry]) -> Spec:
    """Draw a panel for each axis, summed over the others, and one for all combinations."""
    sides: dict[str, list[str]] = {}
    for entry in found.values():
        for axis in entry["axes"]:
            sides.setdefault(axis["name"], list(axis["bins"]))
    looks = {labels[place]: spec.colour(place) for place in found}
    panels = []
    for side, bins in sides.items():
        rows = [row for place, e in found.items() for row in _side(labels[place], e, side, bins)]
        bars = spec.bars(rows, bins, Axis(kind="share", low=0), looks)
        panels.append(layout.panel(bars, title=side, height=180))
    if any(len(entry["axes"]) > 1 for entry in found.values()):
        curves = {}
        for place, entry in found.items():
            counts = np.sort(_counts(entry).ravel())[::-1]
            counts = counts[counts > 0]
            curves[labels[place]] = (np.arange(1.0, len(counts) + 1), counts)
        across, up = (Axis(t, "count", log=True) for t in ("combinations that occurred", "times"))
        ranks = spec.lines(curves, across, up, looks)
        panels.append(layout.panel(ranks, title="how often each occurred", height=180))
    return layout.picture(panels, columns=_COLUMNS)


def _side(label: str, entry: Entry, side: str, bins: Sequence[str]) -> list[Spec]:
    """Return the shares of one axis of one scheme."""
    kept = [i for i, axis in enumerate(entry["axes"]) if axis["name"] == side]
    if not kept or list(entry["axes"][kept[0]]["bins"]) != list(bins):
        return []
    counts = _counts(entry)
    sums = counts.sum(axis=tuple(i for i in range(counts.ndim) if i != kept[0]))
    return [
        {"row": of, "key": label, "y": n / sums.sum(), "told": _times(n, sums.sum())}
        for of, n in zip(bins, sums.tolist(), strict=True)
    ]


def _times(times: float, total: float) -> str:
    return f"{units.percent(times / total)}, {units.count(times)} of {units.count(total)}"


# ---- What a scheme's model predicts beside what was measured.


def curve(runs: Runs, name: str) -> Spec:
    """Draw the curves of one name: a panel for each scheme, in one scale."""
    found, labels = _called(list(runs.values()), "curves", name), list(runs)
    points = (point for e in found.values() for point in (*e["computed"], *e["measured"]))
    log = min(value for _, value in points) > 0
    panels = [
        layout.panel(*_curve(place, entry, log=log), title=labels[place], height=240)
        for place, entry in found.items()
    ]
    for way in ("x", "y"):
        if len(panels) > 1:
            layout.same_range(panels, way)
    return layout.picture(panels, columns=min(2, len(panels)), room=90)


def curve_caption(documents: Sequence[Document], name: str) -> str:
    """Return how the picture is read."""
    measured = any(entry["measured"] for entry in _called(documents, "curves", name).values())
    dots = " Each dot is what one window of the run really took; rings are means."
    return (
        "The line is what the scheme's model computed last, for the accesses it had counted by "
        f"then; the triangle marks its minimum, the first of equals.{dots if measured else ''}"
    )


def _curve(place: int, entry: Entry, *, log: bool) -> list[Spec]:
    """Draw one scheme's curve: computed, its minimum, and what windows took."""
    time = entry["y"].split(" ")[0] == "ns"
    title = entry["y"].removeprefix("ns").lstrip() or "time" if time else entry["y"]
    x = Axis(entry["x"], "share" if entry["x"] == "utilisation" else "number")
    y = Axis(title, "time" if time else "number", log=log and time, per=1e3 if time else 1.0)
    layers = []
    looks = {"computed": spec.colour(place)}
    computed = np.asarray(entry["computed"], dtype=np.float64).reshape(-1, 2)
    measured = np.asarray(entry["measured"], dtype=np.float64).reshape(-1, 2)
    if len(measured):
        few = len(measured) < _MEANS_FROM
        layers.append(
            _dots("measured in a window", measured, x, y, place, few, size=12, fillOpacity=0.45)
        )
        if not few:
            means = _means(measured)
            ring = {"filled": False, "size": 35, "strokeWidth": 1.4}
            layers.append(_dots("mean of windows", means, x, y, place, True, **ring))
    if len(computed):
        curve = {"computed": (computed[:, 0], computed[:, 1])}
        layers.append(spec.lines(curve, x, y, looks))
        least = computed[[int(np.argmin(computed[:, 1]))]]
        mark = {"shape": "triangle-down", "size": 110}
        layers.append(_dots("least computed", least, x, y, place, True, **mark))
    return layers


def _dots(
    name: str,
    points: Values,
    x: Axis,
    y: Axis,
    place: int,
    tips: bool,
    **mark: Any,  # noqa: ANN401
) -> Spec:
    rows = [
        {"key": name, "x": a, "y": b / y.per, "told": _told(x, y, a, b)} for a, b in points.tolist()
    ]
    layer = spec.points(rows, x, y, {name: spec.colour(place)}, shown=False, **mark)
    layer["encoding"]["color"] = {"value": spec.colour(place)}
    if not tips:
        del layer["encoding"]["tooltip"]
    return layer


def _told(x: Axis, y: Axis, at: float, value: float) -> str:
    shown = units.duration(value / 1e3) if y.kind == "time" else f"{value:.4g}"
    return f"{shown} at {x.title} {units.percent(at) if x.kind == 'share' else f'{at:.4g}'}"


def _means(points: Values) -> Values:
    """Return the mean of the points of each bin across."""
    xs = points[:, 0]
    span = xs.max() - xs.min()
    bins = np.zeros(len(xs)) if span == 0 else np.floor((xs - xs.min()) / span * _BINS)
    _, place, counts = np.unique(bins, return_inverse=True, return_counts=True)
    return np.stack([np.bincount(place, points[:, i]) / counts for i in (0, 1)], axis=1)
