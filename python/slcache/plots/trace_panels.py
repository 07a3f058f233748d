"""The panels about a trace as a whole: distributions and the hot set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.container import BarContainer
from matplotlib.ticker import PercentFormatter

from slcache.plots import marks, style
from slcache.tables import trace_sections
from slcache.words import units

COLOURS = {"read": "#4477AA", "write": "#C05A6E"}
_ALL = "#4A5058"
#: Inter-arrival times below this are drawn at it: a log axis has no zero.
_LEAST_US = 0.1
#: Shares of pages that are marked on the hot-set curve.
_MARKED = (0.01, 0.1)

Info = Mapping[str, Any]


def sizes(axes: Axes, info: Info) -> None:
    """Draw how many reads and writes are of a size, in ranges up to powers of two."""
    buckets = info["size_histogram"]
    low, high = (buckets[i]["to_bytes"].bit_length() for i in (0, -1))
    counts = {bucket["to_bytes"].bit_length(): bucket for bucket in buckets}
    places = range(low, high + 1)
    for side, shift in (("read", -0.2), ("write", 0.2)):
        total = max(1, info[f"{side}s"])
        heights = [counts[p][f"{side}s"] / total if p in counts else 0.0 for p in places]
        centres = [p + shift for p in places]
        bars = axes.bar(centres, heights, width=0.4, color=COLOURS[side], label=f"{side}s")
        named = zip((units.size(1 << (p - 1)) for p in places), heights, strict=True)
        marks.name(bars, *(f"{side}s, up to {to}: {units.percent(share)}" for to, share in named))
    step = -(-len(places) // 6)
    axes.set_xticks(list(places)[::step], [_size(1 << (p - 1)) for p in places][::step])
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set(xlabel="request size in bytes, up to", ylabel="share of its kind")
    style.only_horizontal(axes)
    style.legend(axes, "upper right")
    style.title(axes, "Sizes")


def interarrival(axes: Axes, info: Info) -> None:
    """Draw the cumulative distribution of the times between arrivals, and that of idle time."""
    style.title(axes, "Inter-arrival times")
    figures = info["interarrival"]
    points = [(max(us, _LEAST_US), share) for us, share in figures["cdf"]]
    if not points:
        _say(axes, "fewer than two requests")
        return
    look: dict[str, Any] = {"color": _ALL, "lw": 1.6, "label": "of gaps"}
    (gaps,) = axes.step(*zip(*points, strict=True), where="post", **look)
    marks.name(gaps, f"of gaps: half up to {units.duration(figures['us']['p50'])}")
    marks.scale(axes, "µs", "share")
    together = sum(decade["time_s"] for decade in figures["decades"])
    if together > 0:
        seconds = 0.0
        curve = [(max(figures["decades"][0]["over_us"], _LEAST_US), 0.0)]
        for decade in figures["decades"]:
            seconds += decade["time_s"]
            curve.append((max(decade["to_us"], _LEAST_US), seconds / together))
        look = {"color": "#E0944A", "lw": 1.4, "label": "of time in gaps"}
        (time,) = axes.plot(*zip(*curve, strict=True), **look)
        marks.name(time, f"of time in gaps: {units.span(1e6 * together)} in all")
        style.legend(axes, "best")
    axes.set_ylim(0, 1.02)
    style.time_ticks(axes, most=5)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set(xlabel="time to the next request, at most", ylabel="share")


def gap_classes(axes: Axes, info: Info) -> None:
    """Draw which part of the gaps is of each length."""
    style.title(axes, "Gaps by length")
    classes = info["gap_classes"]
    if not classes:
        _say(axes, "fewer than two requests")
        return
    places = range(len(classes))
    names = [trace_sections.class_name(gap) for gap in classes]
    shares = [gap["share"] for gap in classes]
    bars = axes.bar(places, shares, width=0.7, color=_ALL)
    _told(axes, bars, [f"gaps {name}" for name in names], shares)
    axes.set_xticks(list(places), [name.removeprefix("up to ") for name in names])
    axes.margins(y=0.15)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set(xlabel="time to the next request, up to", ylabel="share of gaps")
    style.only_horizontal(axes)


def runs(axes: Axes, info: Info) -> None:
    """Draw how often a request is like the one before, and what bursts and pages amount to."""
    style.title(axes, "What repeats")
    write = COLOURS["write"]
    shares = (
        ("gap up to 1 ms\nbehind such a gap", info["short_gap_runs"], _ALL),
        ("write\nbehind a write", info["write_after_write_share"], write),
        ("write up to 100 µs\nbehind a write", info["write_gaps_under_100us_share"], write),
        ("overwriting write\nof an earlier extent", info["repeated_extent_share"], write),
    )
    names, values, colours = zip(*reversed(shares), strict=True)
    _told(axes, axes.barh(range(len(shares)), values, height=0.6, color=colours), names, values)
    axes.set_yticks(range(len(shares)), names)
    axes.set_xlim(0, 1.12)
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set_xlabel(
        f"bursts: mean {units.significant(info['mean_burst_requests'])} requests, median "
        f"{units.count(info['median_burst_requests'])}\n"
        f"{units.significant(info['writers_per_16kib_page'])} writers of a 16 KiB page"
    )
    axes.grid(visible=False, axis="y")


def hot_set(axes: Axes, info: Info) -> None:
    """Draw the share of accesses on the hottest pages, with the two marks papers quote."""
    style.title(axes, "Hot set")
    figures = info["hot_set"]
    curves = (
        ("access_curve", _ALL, "accesses to pages touched"),
        ("write_curve", COLOURS["write"], "writes to pages written"),
    )
    for name, colour, label in curves:
        if figures[name]:
            look: dict[str, Any] = {"color": colour, "lw": 1.6, "label": label}
            (curve,) = axes.plot(*zip(*figures[name], strict=True), **look)
            tenth = next(each for each in figures["hottest"] if each["pages_share"] == _MARKED[1])
            told = units.percent(tenth[name.replace("curve", "share")])
            marks.name(curve, f"{label}: {told} on the hottest {style.share(_MARKED[1])}")
    marks.scale(axes, "share", "share")
    style.log_ticks(axes, style.share, most=5)
    axes.set(xlim=(None, 1.0), ylim=(0, 1.02))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    for share in _MARKED:
        axes.axvline(share, color=style.INK, lw=0.6, ls=":")
    axes.set_xlabel("hottest 4 KiB pages" + trace_sections.sampled(figures["sampled_one_in"]))
    axes.set_ylabel("share of accesses")
    style.legend(axes, "upper left")


def _told(axes: Axes, bars: BarContainer, names: Sequence[str], shares: Sequence[float]) -> None:
    """Write at the end of each bar what share it is, and name it."""
    told = [units.percent(share) for share in shares]
    axes.bar_label(bars, told, fontsize=7, padding=2)
    lines = (name.replace("\n", " ") for name in names)
    marks.name(bars, *(f"{name}: {share}" for name, share in zip(lines, told, strict=True)))


def _size(size: int) -> str:
    """Return a power of two as a tick label: `4K`."""
    factor, unit = units.size_scale(size)
    return f"{size // factor}{unit[0] if factor > 1 else ''}"


def _say(axes: Axes, text: str) -> None:
    axes.text(0.5, 0.5, text, ha="center", va="center", transform=axes.transAxes)
    axes.set(xticks=[], yticks=[])
