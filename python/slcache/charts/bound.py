"""Charts of the bound: how large a cache is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from slcache import units
from slcache.charts import layout, spec
from slcache.charts.spec import Axis, Spec
from slcache.documents import Document, figures

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


def bound(
    labels: Sequence[str], documents: Sequence[Document], curve: Mapping[str, Any] | None
) -> Spec:
    """Draw the least over the size of the cache, and the schemes as points."""
    known = {
        label: document
        for label, document in zip(labels, documents, strict=True)
        if figures.bound(document) is not None
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
        if figures.has_cache(known[label]):
            room = figures.room_bytes(known[label]) or 0
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
            found[_CURVES[key]] = ([float(x) for x, _ in told], [float(y) for _, y in told])
    return found
