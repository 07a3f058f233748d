"""Two traces side by side: which figures differ, and by how much."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from slcache.tables import trace_sections
from slcache.words import units

Info = Mapping[str, Any]
Show = Callable[[float], str]
#: Shares of the pages of which the hot set is compared.
_HOTTEST = (0.01, 0.1)


@dataclass(frozen=True)
class Figure:
    """A figure of both traces; shares differ by points, all others by a factor."""

    name: str
    title: str
    show: Show
    value: float | None
    against: float | None = None

    @property
    def is_share(self) -> bool:
        """Whether the figure is a share, of which a ratio says little."""
        return self.show is units.percent

    @property
    def difference(self) -> float | None:
        """Return the other trace's share less the first one's."""
        if self.value is None or self.against is None or not self.is_share:
            return None
        return self.against - self.value

    @property
    def ratio(self) -> float | None:
        """Return the other trace's figure over the first one's."""
        if not self.value or self.against is None or self.is_share:
            return None
        return self.against / self.value

    def cells(self) -> tuple[str, str, str, str]:
        """Return the figure as a row for a reader."""
        value, against = ("–" if v is None else self.show(v) for v in (self.value, self.against))
        return self.title, value, against, self._differs()

    def _differs(self) -> str:
        if self.difference is not None:
            return f"{100 * self.difference:+.1f} points"
        return "–" if self.ratio is None else units.factor(self.ratio)

    def to_dict(self) -> dict[str, Any]:
        """Return the figure as it stands in the JSON document."""
        return {
            "name": self.name,
            "value": self.value,
            "against": self.against,
            "difference": self.difference,
            "ratio": self.ratio,
        }


def figures(info: Info, against: Info) -> list[Figure]:
    """Return the figures of two traces' `info` documents side by side."""
    one, other = ({row.name: row for row in _rows(document)} for document in (info, against))
    names = [*one, *(name for name in other if name not in one)]
    return [_side_by_side(one.get(name), other.get(name)) for name in names]


def _side_by_side(one: Figure | None, other: Figure | None) -> Figure:
    either = one or other
    assert either is not None
    value, against = (None if row is None else row.value for row in (one, other))
    return replace(either, value=value, against=against)


def _rows(info: Info) -> Iterator[Figure]:
    """Yield the figures of one trace; without a value for a side without requests."""
    reads, writes = bool(info["reads"]), bool(info["writes"])
    for name, title, show, there in (
        ("requests", "requests", units.count, True),
        ("write_share", "writes", units.percent, True),
        ("mean_read_bytes", "mean read", units.size, reads),
        ("p99_read_bytes", "p99 read", units.size, reads),
        ("mean_write_bytes", "mean write", units.size, writes),
        ("p99_write_bytes", "p99 write", units.size, writes),
        ("not_4kib_aligned_share", "not aligned to 4 KiB", units.percent, True),
        ("sequential_share", "sequential", units.percent, True),
        ("mean_run_requests", "mean run in requests", units.significant, True),
        ("touched_4kib_pages", "4 KiB pages touched", units.count, True),
        ("written_4kib_pages", "4 KiB pages written", units.count, writes),
        ("read_first_share", "first accessed by a read", units.percent, True),
        ("update_ratio", "page writes that update", units.percent, writes),
        ("update_writes_up_to_4kib_share", "updating writes up to 4 KiB", units.percent, writes),
        ("repeated_extent_share", "overwriting writes of an earlier extent", units.percent, writes),
        ("writers_per_16kib_page", "writers of a 16 KiB page", units.significant, writes),
    ):
        yield Figure(name, title, show, info[name] if there else None)
    yield from _hot(info)
    yield from _times(info)


def _hot(info: Info) -> Iterator[Figure]:
    sides = (("access_share", "accesses", True), ("write_share", "page writes", info["writes"] > 0))
    for place, hot in enumerate(info["hot_set"]["hottest"]):
        if hot["pages_share"] not in _HOTTEST:
            continue
        where = f"on the hottest {100 * hot['pages_share']:g} %"
        for side, title, there in sides:
            name = f"hot_set.hottest[{place}].{side}"
            yield Figure(name, f"{title} {where}", units.percent, hot[side] if there else None)


def _times(info: Info) -> Iterator[Figure]:
    gaps, pauses = bool(info["gap_classes"]), trace_sections.pauses(info) > 1
    writes, updates = info["writes"] > 1, info["update_ratio"] > 0
    share = units.percent
    for name, title, show, there in (
        ("duration_s", "duration", _seconds, True),
        ("short_gap_runs", "gaps up to 1 ms behind such a gap", share, gaps),
        ("short_pause_runs", "pauses up to 100 ms behind such a pause", share, pauses),
        ("tight_gap_runs", "gaps up to 10 µs behind such a gap", share, gaps),
        ("mean_burst_requests", "mean burst in requests", units.significant, gaps),
        ("median_burst_requests", "median burst in requests", units.count, gaps),
        ("write_after_write_share", "writes behind a write", share, writes),
        ("gap_size_coupling", "gap and size hang together", share, gaps),
        ("gap_op_coupling", "gap and operation hang together", share, gaps),
        ("size_op_coupling", "size and operation hang together", share, gaps),
        ("phase_write_share_spread", "writes, deviation over parts", share, True),
        ("phase_update_ratio_spread", "updates, deviation over parts", share, writes),
        ("median_burst_write_bytes", "half of the bytes in bursts up to", units.size, writes),
        ("rewrite_distance_p50_bytes", "half of the rewrites within", units.size, updates),
        ("rewrite_distance_p90_bytes", "90 % of the rewrites within", units.size, updates),
    ):
        yield Figure(name, title, show, info[name] if there else None)
    for place, gap in enumerate(info["gap_classes"]):
        title, name = f"gaps {trace_sections.class_name(gap)}", f"gap_classes[{place}]"
        yield Figure(f"{name}.share", title, units.percent, gap["share"])
        mean_ns = gap["mean_ns"] if gap["share"] else None
        yield Figure(f"{name}.mean_ns", f"{title}, mean", _ns, mean_ns)


def _seconds(seconds: float) -> str:
    return units.span(seconds * 1e6)


def _ns(nanoseconds: float) -> str:
    return units.span(nanoseconds / 1e3)
