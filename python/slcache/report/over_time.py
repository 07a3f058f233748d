"""A run's lines over time as numbers, for the part of the page that can be zoomed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from slcache.documents.normalise import Document
from slcache.plots import style
from slcache.plots.series import MOVED, Binned, Values
from slcache.report import pages
from slcache.words.names import printable

#: Points of a line: what a wide screen tells apart, fewer where there are many lines.
_BINS, _FEW_BINS = 360, 240
_DIGITS = 4


def data(labels: Sequence[str], documents: Sequence[Document]) -> Markup | None:
    """Return the JSON of it, safe inside a page; None where a run has no time series.

    `times_s` has a list per run, `step_s` is the longest window, and each of `panels` has a
    `title`, a `unit`, whether its axis is `log`, and `values`: a list per run, null where idle.
    """
    if not all(document["series"]["columns"]["t_ns"] for document in documents):
        return None
    bins = _FEW_BINS if len(labels) >= style.MANY else _BINS
    runs = [Binned(document, bins) for document in documents]
    panels = [
        {
            "title": title,
            "unit": unit,
            "log": unit == "µs",
            "values": [_short(values(run)) for run in runs],
        }
        for title, unit, columns, values in _PANELS
        if any(run.has(*columns) for run in runs)
    ]
    told = {
        "labels": [printable(label) for label in labels],
        "colours": [style.scheme_colour(i) for i in range(len(labels))],
        "times_s": [_short(run.t_s, digits=8) for run in runs],
        "step_s": max(run.bin_s for run in runs),
        "panels": panels,
    }
    return pages.data(told)


def _short(values: Values, digits: int = _DIGITS) -> list[float | int | None]:
    rounded = (None if np.isnan(value) else float(f"{value:.{digits}g}") for value in values)
    return [int(v) if v is not None and v.is_integer() else v for v in rounded]


def _of(side: str) -> tuple[tuple[str, str, tuple[str, ...], Callable[[Binned], Values]], ...]:
    return (
        (f"{side}s completed", "MiB/s", (f"{side}_bytes",), lambda r: r.mib_per_s(f"{side}_bytes")),
        (f"mean {side} latency", "µs", (f"{side}_requests",), lambda r: r.mean_us(side)),
        (
            f"{side} p99, the highest of a window",
            "µs",
            (f"{side}_latency_ns_p99",),
            lambda r: r.percentile_us(side, "p99")[0],
        ),
    )


_PANELS: Any = (
    *_of("write"),
    *_of("read"),
    (
        "live data in the cache",
        "MiB",
        ("cache_live_bytes",),
        lambda r: r.peak("cache_live_bytes") / (1 << 20),
    ),
    ("moves and fills", "pages/s", MOVED, Binned.moved_pages_per_s),
)
