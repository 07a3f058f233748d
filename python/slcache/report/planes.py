"""What planes did in the stretch of a timeline, for the page: picture, words, figures to touch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from slcache.plots import images, planes
from slcache.report import pages
from slcache.slow.operations import Numbers, Operations
from slcache.slow.shown import MOST, Shown, busy_ns, busy_share, chosen, place
from slcache.words import kinds, units
from slcache.words.names import printable

TITLE = "What the planes did"


@dataclass(frozen=True)
class Part:
    """The part of a page about timelines."""

    title: str
    svg: Markup
    caption: str
    #: Which stretch of time is shown, in sentences.
    lines: Sequence[str]
    #: How much is shown of each run, and the time that it spent on each cause.
    head: Sequence[str]
    rows: Sequence[tuple[str, Sequence[str]]]
    data: Markup


def part(labels: Sequence[str], runs: Sequence[Operations], every: Sequence[int] = ()) -> Part:
    """Return what a page shows of these runs' operations, of `every` which request each."""
    shown = chosen(runs)
    causes = planes.seen(shown)
    disk = " or the disk" if any(-1 in run.planes for run in shown) else ""
    return Part(
        title=TITLE,
        svg=images.svg(planes.draw(labels, shown), "planes", TITLE),
        caption=(
            f"Each row is a plane{disk}, each slice an operation, its colour the cause. "
            "Where a picture has no room for all, the shortest are in front. "
            f"{kinds.explained(causes)}"
        ),
        lines=[*_stretches(labels, shown), *_thinned(max(every, default=1))],
        head=["operations", "shown", "planes busy", *causes],
        rows=[(label, _cells(run, list(causes))) for label, run in zip(labels, shown, strict=True)],
        data=data(labels, shown),
    )


def _stretches(labels: Sequence[str], shown: Sequence[Shown]) -> list[str]:
    """Say from when to when operations are shown: once where that is one stretch for all runs."""
    said = [f"from {_moment(run.zero_ns)} to {_moment(run.zero_ns + run.span_ns)}" for run in shown]
    if len(set(said)) == 1:
        lines = [f"Shown is what planes did {said[0]} of simulated time."]
    else:
        each = "; ".join(f"{label} {when}" for label, when in zip(labels, said, strict=True))
        lines = [f"Shown is what planes did in a stretch of each run's simulated time: {each}."]
    if any(len(run.rows) < len(run.operations) for run in shown):
        lines.append(
            f"It is the middle of the timeline: a page holds at most {MOST:,} operations of a run."
        )
    return lines


def _thinned(every: int) -> list[str]:
    """Say that operations of most requests are missing."""
    if every == 1:
        return []
    return [
        f"Of the host's requests the timeline has those whose number is a multiple of {every:,}; "
        "planes were busier than is shown."
    ]


def _moment(ns: int) -> str:
    return f"{units.trimmed(f'{ns / 1e9:,.6f}')} s"


def _cells(shown: Shown, causes: Sequence[str]) -> list[str]:
    """Return counts of operations, the share of time that planes are busy, and times by cause."""
    run = shown.operations
    spent = busy_ns(run)
    busy = busy_share(run)
    share = "–" if busy is None else units.percent(busy)
    times = [units.duration(spent[name] / 1e3) if name in spent else "–" for name in causes]
    count = "all" if len(shown.rows) == len(run) else f"{len(shown.rows):,}"
    return [f"{len(run):,}", count, share, *times]


def data(labels: Sequence[str], shown: Sequence[Shown]) -> Markup:
    """Return the slices as JSON, safe inside a page.

    Times are in steps of `step_ns`. A run's slices stand by row and then by time, `rows` with
    the names and the count of each. `gap` is from the end of the slice before in the row, or from
    0, and `wait` from the queue to the begin; `request` is less that of the slice before. `what`
    is a place in `whats`: kind, place of the cause, class, cell mode, pages, and 1 if suspended.
    """
    causes = planes.seen(shown)
    whats: dict[tuple[Any, ...], int] = {}
    runs = [_slices(run, list(causes), whats) for run in shown]
    times = [np.abs(run[name]) for run in runs for name in ("gap", "length", "wait")]
    step = math.gcd(*(int(np.gcd.reduce(each)) for each in times)) or 1
    for run in runs:
        run.update({name: run[name] // step for name in ("gap", "length", "wait")})
    told = {
        "span_ns": shown[0].span_ns,
        "step_ns": step,
        "causes": [[printable(name), kind.colour] for name, kind in causes.items()],
        "whats": [list(what) for what in whats],
        "schemes": [
            {
                "label": printable(label),
                "zero_ns": run.zero_ns,
                "rows": _rows(run),
                **{name: column.tolist() for name, column in slices.items()},
            }
            for label, run, slices in zip(labels, shown, runs, strict=True)
        ],
    }
    return pages.data(told)


def _rows(run: Shown) -> list[tuple[str, str, int]]:
    of_rows = run.operations.plane[run.rows]
    counts = (int(np.count_nonzero(of_rows == plane)) for plane in run.planes)
    names = (place(run.operations.config, plane) for plane in run.planes)
    return [
        (printable(die), plane, count) for (die, plane), count in zip(names, counts, strict=True)
    ]


def _slices(
    run: Shown, causes: Sequence[str], whats: dict[tuple[Any, ...], int]
) -> dict[str, Numbers]:
    """Return the columns of a run's slices; what they are is added to `whats`."""
    operations, rows = run.operations, run.rows
    begin, end = (each[rows] - run.zero_ns for each in (operations.begin_ns, operations.end_ns))
    plane = operations.plane[rows]
    last = np.where(np.diff(plane, prepend=-2) == 0, np.roll(end, 1), 0)
    return {
        "what": _whats(operations, rows, causes, whats),
        "gap": begin - last,
        "length": end - begin,
        "wait": operations.begin_ns[rows] - operations.numbers("queued_ns", rows),
        "block": operations.numbers("block", rows),
        "page": operations.numbers("page", rows),
        "request": np.diff(operations.numbers("request", rows), prepend=0),
    }


def _whats(
    operations: Operations,
    rows: Numbers,
    causes: Sequence[str],
    whats: dict[tuple[Any, ...], int],
) -> Numbers:
    """Return the place of each slice's kind, cause and so on among all that there are."""
    columns = (
        map(printable, operations.words("kind", rows).all().tolist()),
        map(causes.index, operations.words("cause", rows).all().tolist()),
        map(printable, operations.words("class", rows).all().tolist()),
        map(printable, operations.words("mode", rows).all().tolist()),
        operations.numbers("pages", rows).tolist(),
        operations.numbers("suspended", rows).tolist(),
    )
    return np.asarray(
        [whats.setdefault(what, len(whats)) for what in zip(*columns, strict=True)], np.int64
    )
