"""The chart of a trace: sizes, times, hot set, what repeats, rates over time and addresses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from slcache import units
from slcache.charts import layout, spec
from slcache.charts.spec import Axis, Spec
from slcache.tables import trace_sections

COLOURS = {"reads": "#4477AA", "writes": "#C05A6E"}
_ALL, _TIME = "#7F8790", "#E0944A"
#: Inter-arrival times below this are drawn at it: a log axis has no zero.
_LEAST_US = 0.1
#: Shares of pages that are marked on the hot-set curve.
_MARKED = (0.01, 0.1)
_TIMES = ((86_400.0, "days"), (3_600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms"))
#: Shades from few requests to many, one ramp per side.
_RAMPS = {
    "read": ["#D3E1EF", "#4477AA", "#12263D"],
    "write": ["#F3D9DE", "#C05A6E", "#3F1019"],
}
_SHARE = Axis("share", "share", low=0, high=1.02)
_HEIGHT = 190

Info = Mapping[str, Any]


def draw(info: Info) -> Spec:
    """Return the picture of a trace's `info` document."""
    if not info["requests"]:
        return layout.empty("no reads and no writes")
    sides = [side for side in ("read", "write") if info[f"{side}s"]]
    panels = [
        layout.panel(_sizes(info, sides), title="Sizes", height=_HEIGHT),
        layout.panel(*_interarrival(info), title="Inter-arrival times", height=_HEIGHT),
        layout.panel(*_hot_set(info), title="Hot set", height=_HEIGHT),
        layout.panel(*_gap_classes(info), title="Gaps by length", height=_HEIGHT),
        layout.panel(*_repeats(info), title="What repeats", height=_HEIGHT),
        _rates(info, sides, "requests", "Requests arriving", "requests/s", 1.0),
        _rates(info, sides, "bytes", "Data requested", "MB/s", 1e6),
        *(_address_map(info, side) for side in sides),
    ]
    return layout.picture(panels, columns=3, room=88, one_key=False)


def _sizes(info: Info, sides: Sequence[str]) -> Spec:
    """Draw how many reads and writes are of a size, in ranges up to powers of two."""
    buckets = info["size_histogram"]
    low, high = (buckets[i]["to_bytes"].bit_length() for i in (0, -1))
    counts = {bucket["to_bytes"].bit_length(): bucket for bucket in buckets}
    names = {place: _size(1 << (place - 1)) for place in range(low, high + 1)}
    rows = []
    for side in sides:
        for place, name in names.items():
            share = counts[place][f"{side}s"] / info[f"{side}s"] if place in counts else 0.0
            told = f"up to {units.size(1 << (place - 1))}: {units.percent(share)}"
            rows.append({"row": name, "key": f"{side}s", "y": share, "told": told})
    looks = {f"{side}s": COLOURS[f"{side}s"] for side in sides}
    up = Axis("share of its kind", "share", low=0)
    layer = spec.bars(rows, list(names.values()), up, looks, title="request size in bytes, up to")
    layer["encoding"]["x"]["axis"]["labelAngle"] = 0
    return layer


def _interarrival(info: Info) -> list[Spec]:
    """Draw the cumulative distribution of the times between arrivals, and that of idle time."""
    figures = info["interarrival"]
    points = [(max(us, _LEAST_US), share) for us, share in figures["cdf"]]
    if not points:
        return [spec.remark("fewer than two requests")]
    looks = {"of gaps": _ALL, "of time in gaps": _TIME}
    across = Axis("time to the next request, at most", "time", log=True)
    layers = [
        spec.lines(
            {"of gaps": spec.through(points)}, across, _SHARE, looks, interpolate="step-after"
        )
    ]
    together = sum(decade["time_s"] for decade in figures["decades"])
    if together > 0:
        seconds = 0.0
        curve = [(max(figures["decades"][0]["over_us"], _LEAST_US), 0.0)]
        for decade in figures["decades"]:
            seconds += decade["time_s"]
            curve.append((max(decade["to_us"], _LEAST_US), seconds / together))
        layers.append(spec.lines({"of time in gaps": spec.through(curve)}, across, _SHARE, looks))
    return layers


def _hot_set(info: Info) -> list[Spec]:
    """Draw the share of accesses on the hottest pages, with the two marks papers quote."""
    figures = info["hot_set"]
    curves = {
        "accesses to pages touched": ("access_curve", _ALL),
        "writes to pages written": ("write_curve", COLOURS["writes"]),
    }
    looks = {label: colour for label, (name, colour) in curves.items() if figures[name]}
    known = {label: spec.through(figures[curves[label][0]]) for label in looks}
    pages = "hottest 4 KiB pages" + trace_sections.sampled(figures["sampled_one_in"])
    across = Axis(pages, "share", log=True, high=1.0)
    marks = [spec.rule(x=share, strokeDash=[2, 2], strokeOpacity=0.6) for share in _MARKED]
    return [*marks, spec.lines(known, across, _SHARE, looks)]


def _gap_classes(info: Info) -> list[Spec]:
    """Draw which part of the gaps is of each length."""
    classes = info["gap_classes"]
    if not classes:
        return [spec.remark("fewer than two requests")]
    names = [trace_sections.class_name(gap).removeprefix("up to ") for gap in classes]
    rows = [
        {"row": name, "key": "gaps", "y": gap["share"], "told": units.percent(gap["share"])}
        for name, gap in zip(names, classes, strict=True)
    ]
    up = Axis("share of gaps", "share", low=0, high=1.15 * max(row["y"] for row in rows))
    bars = spec.bars(rows, names, up, {"gaps": _ALL}, title="time to the next request, up to")
    bars["encoding"]["x"]["axis"]["labelAngle"] = 0
    return [
        bars,
        _written(
            rows, bars["encoding"]["x"], up.channel("y"), dy=-6, dx=0, align="center", fontSize=8
        ),
    ]


def _repeats(info: Info) -> list[Spec]:
    """Draw how often a request is like the one before, and what bursts and pages amount to."""
    write = COLOURS["writes"]
    shares = (
        ("gap up to 1 ms behind such a gap", info["short_gap_runs"], _ALL),
        ("write behind a write", info["write_after_write_share"], write),
        ("write over an earlier extent", info["repeated_extent_share"], write),
    )
    rows = [
        {"row": name, "key": name, "y": share, "told": units.percent(share)}
        for name, share, _ in shares
    ]
    bursts = (
        f"bursts: mean {units.significant(info['mean_burst_requests'])}, half of all in up to "
        f"{units.count(info['median_burst_requests'])}; "
        f"{units.significant(info['writers_per_16kib_page'])} writers of 16 KiB"
    )
    across = Axis(bursts, "share", low=0, high=1.25, ticks=[0, 0.25, 0.5, 0.75, 1]).channel("y")
    down = spec.names_axis("row", [row["row"] for row in rows])
    # The names stand above their bars: beside them they would leave no room.
    down["axis"] = None
    looks = {name: colour for name, _, colour in shares}
    bars: Spec = {
        "data": spec.data(rows),
        "mark": {"type": "bar", "size": 16, "yOffset": 8},
        "encoding": {
            "x": across, "y": down, "color": spec.key(looks, shown=False),
            "tooltip": spec.tip(share="row", value="told"),
        },
    }  # fmt: skip
    named = {
        "data": spec.data(rows),
        "mark": {"type": "text", "align": "left", "dy": -10, "fontSize": 10},
        "encoding": {"y": down, "x": {"value": 0}, "text": {"field": "row", "type": "nominal"}},
    }
    return [bars, named, _written(rows, across, down, dx=4, dy=8, align="left")]


def _rates(
    info: Info, sides: Sequence[str], column: str, title: str, unit: str, per: float
) -> Spec:
    """Draw what arrives per second, over time."""
    timeline, (seconds, name) = info["timeline"], _time_unit(info)
    window_s = timeline["window_ns"] / 1e9
    curves = {}
    for side in sides:
        rates = [value / window_s / per for value in timeline[f"{side}_{column}"]]
        starts = (timeline["start_ns"] / 1e9 + window_s * i for i in range(len(rates) + 1))
        curves[f"{side}s"] = ([at / seconds for at in starts], [*rates, *rates[-1:]])
    looks = {f"{side}s": COLOURS[f"{side}s"] for side in sides}
    across, up = Axis(f"time ({name})"), Axis(unit, low=0)
    line: dict[str, Any] = {"interpolate": "step-after", "strokeWidth": 1.0}
    return layout.panel(spec.lines(curves, across, up, looks, **line), title=title, height=_HEIGHT)


def _address_map(info: Info, side: str) -> Spec:
    """Draw where one kind of request starts, over time."""
    cells, (seconds, unit) = info["address_map"], _time_unit(info)
    high = cells["start_bytes"] + cells["cell_bytes"] * cells["addresses"]
    streams = ", all streams" if len(info["streams"]) > 1 else ""
    up = spec.sized(f"address{streams}", high, low=cells["start_bytes"], high=high)
    width = cells["cell_ns"] / 1e9 / seconds
    left = cells["start_ns"] / 1e9 / seconds
    across = Axis(f"time ({unit})", low=left, high=left + width * cells["times"])
    found = [
        (
            left + width * time,
            (cells["start_bytes"] + cells["cell_bytes"] * address) / up.per,
            count,
        )
        for time, address, count in zip(
            cells["time"], cells["address"], cells[f"{side}s"], strict=True
        )
        if count
    ]
    columns = [spec.short(each, 6) for each in zip(*found, strict=True)] or [[], [], []]
    most = max([2.0, *(float(count) for *_, count in found)])
    colour = {
        "field": "n", "type": "quantitative",
        "scale": {"type": "log", "domain": [1, most], "range": _RAMPS[side], "interpolate": "rgb"},
        "legend": {
            "gradientLength": 150, "title": f"{side}s per cell", "titleFontWeight": "normal",
        },
    }  # fmt: skip
    layer: Spec = {
        "data": spec.data([dict(zip(("x", "y", "n"), columns, strict=True))]),
        "transform": [
            {"flatten": ["x", "y", "n"]},
            {"calculate": f"datum.x + {width}", "as": "right"},
            {"calculate": f"datum.y + {cells['cell_bytes'] / up.per}", "as": "top"},
        ],
        "mark": {"type": "rect", "clip": True},
        "encoding": {
            "x": across.channel("x"), "x2": {"field": "right"},
            "y": up.channel("y"), "y2": {"field": "top"},
            "color": colour, "tooltip": spec.tip(requests="n"),
        },
    }  # fmt: skip
    return layout.panel(layer, title=f"Where {side}s go", height=_HEIGHT)


def _written(rows: Sequence[Mapping[str, Any]], x: Spec, y: Spec, **mark: Any) -> Spec:  # noqa: ANN401
    """Write at the end of each bar what share it is."""
    return spec.notes(({**row, "text": row["told"]} for row in rows), x, y, **mark)


def _size(size: int) -> str:
    """Return a power of two as a tick label: `4K`."""
    factor, unit = units.scale(size, units.SIZES)
    return f"{size // factor}{unit[0] if factor > 1 else ''}"


def _time_unit(info: Info) -> tuple[float, str]:
    """Return the unit that suits the trace's duration, as (seconds in it, name)."""
    for seconds, name in _TIMES:
        if info["duration_s"] >= 3 * seconds:
            return seconds, name
    return 1e-6, "µs"
