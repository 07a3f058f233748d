"""What the disk behind the flash was doing: power states over time, energy, operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from slcache.documents.normalise import Document
from slcache.plots import plain, stacked_bars, style
from slcache.sentences import disk
from slcache.words import kinds, units
from slcache.words.kinds import Kind

_BINS = 120
_HATCHES = {"read": "", "write": "////"}

Stack = dict[tuple[str, str], float]


def has_any(documents: Sequence[Document]) -> bool:
    """Return whether any of these devices has a disk."""
    return any(document.get("disk") for document in documents)


def draw(labels: Sequence[str], documents: Sequence[Document]) -> Figure:
    """Return the figure: for each run with a disk, the share of time in each state, stacked."""
    runs = [
        (label, document["disk"]["series"])
        for label, document in zip(labels, documents, strict=True)
        if document.get("disk") and any(map(len, document["disk"]["series"]["states"].values()))
    ]
    if not runs:
        return style.empty("no power states over time")
    seen = {name for _, series in runs for name, v in series["states"].items() if any(v)}
    states = kinds.of(kinds.POWER, seen)
    height = 0.9 + (0.95 if len(runs) < style.MANY else 0.6) * len(runs)
    figure, areas = style.panels(len(runs), 1, height, sharex=True)
    for area, (label, series) in zip(areas, runs, strict=True):
        _over_time(area, series, states)
        area.set_ylabel(plain.name(label), rotation=0, ha="right", va="center")
    areas[-1].set_xlabel("time (s)")
    areas[-1].set_xlim(left=0)
    style.kinds_key(figure, states)
    return figure


def caption(documents: Sequence[Document]) -> str:
    """Return what the power states in the figure are."""
    return (
        "The share of the time that the disk was in each power state; a band that is as high as "
        f"the panel is a disk that did not leave that state. {kinds.explained(_seen(documents))}"
    )


def energy(labels: Sequence[str], documents: Sequence[Document]) -> Figure:
    """Return the figure: the energy of each run's disk by power state."""
    looks = {(name, ""): kind for name, kind in _seen(documents).items()}
    notes = [
        f"{units.energy(own['energy_j'])}, {units.significant(own['mean_power_w'])} W"
        if (own := document.get("disk"))
        else "no disk"
        for document in documents
    ]
    stacks = list(map(_energies, documents))
    return _bars(labels, stacks, looks, notes, "energy", units.energy_scale, units.energy)


def energy_caption(documents: Sequence[Document]) -> str:
    """Return what belongs to the energy in the figure."""
    return (
        "The energy of the disk from 0 to the completion of the last request, without the "
        "flash's; beside it the mean power. A change of state has an energy of its own. "
        f"{kinds.explained(_seen(documents))}"
    )


def work(labels: Sequence[str], documents: Sequence[Document]) -> Figure:
    """Return the figure: the time that each run's disk worked, by cause and kind of operation."""
    stacks = list(map(_work, documents))
    found = {segment for stack in stacks for segment in stack}
    looks = {
        (cause, kind): look
        for cause, look in kinds.of(kinds.CAUSES, {cause for cause, _ in found}).items()
        for kind in sorted({kind for _, kind in found})
        if (cause, kind) in found
    }
    notes = [
        f"{units.count(sum(op['count'] for op in own['ops']))} operations"
        if (own := document.get("disk"))
        else "no disk"
        for document in documents
    ]
    return _bars(labels, stacks, looks, notes, "time at work", units.time_scale, units.duration)


def work_caption(documents: Sequence[Document]) -> str:
    """Return what the causes in the figure are."""
    causes = {cause for document in documents for cause, _ in _work(document)}
    return (
        "The disk's service time, positioning and transfer, by the cause of its operations; "
        "writes are hatched. Beside it how many there were. "
        f"{kinds.explained(kinds.of(kinds.CAUSES, causes))}"
    )


def _over_time(area: Axes, series: Document, states: Mapping[str, Kind]) -> None:
    """Draw one run's shares, in at most so many bins that a screen can tell them apart."""
    columns = {name: np.asarray(v, dtype=np.float64) for name, v in series["states"].items()}
    windows = max(map(len, columns.values()))
    each = max(1, -(-windows // _BINS))
    starts = np.arange(0, windows, each)
    counts = np.diff(np.append(starts, windows))
    none = np.zeros(windows)
    shares = [_stepped(columns.get(name, none), starts, counts) for name in states]
    times = np.append(starts, windows) * (series["window_ns"] / 1e9)
    area.stackplot(times, shares, colors=[k.colour for k in states.values()], step="post", lw=0)
    area.set_ylim(0, 1)
    area.set_yticks([0, 1], ["0", "100 %"])
    area.grid(visible=False)


def _stepped(
    values: NDArray[np.float64], starts: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the means of bins, the last one's twice: a step needs its end."""
    means = np.add.reduceat(values, starts) / counts
    return np.append(means, means[-1])


def _seen(documents: Sequence[Document]) -> dict[str, Kind]:
    """Return the power states that took time or energy, in the order of stacks."""
    with_disk = [document["disk"] for document in documents if document.get("disk")]
    return kinds.of(kinds.POWER, {s["state"] for each in with_disk for s in disk.states(each)})


def _energies(document: Document) -> Stack:
    found = document.get("disk")
    return {(s["state"], ""): s["energy_j"] for s in disk.states(found)} if found else {}


def _work(document: Document) -> Stack:
    found = document.get("disk")
    return {(op["cause"], op["kind"]): op["time_us"] for op in found["ops"]} if found else {}


def _bars(
    labels: Sequence[str],
    stacks: Sequence[Stack],
    segments: Mapping[tuple[str, str], Kind],
    notes: Sequence[str],
    title: str,
    scale_of: Callable[[float], tuple[float, str]],
    show: Callable[[float], str],
) -> Figure:
    """Draw a bar of segments per run, and a note after it."""
    scale, unit = scale_of(max((sum(stack.values()) for stack in stacks), default=0.0))
    figure, (axes,) = style.panels(1, 1, style.bars_height(len(labels)))
    names = {(name, kind): f"{name} ({kind}s)" if kind else name for name, kind in segments}
    looks = {
        segment: stacked_bars.hatched(kind, _HATCHES.get(segment[1], ""))
        for segment, kind in segments.items()
    }
    ends = stacked_bars.draw(axes, labels, stacks, names, looks, scale, show)
    stacked_bars.finish(axes, labels, notes, ends, 0.2)
    axes.set_xlabel(f"{title} ({unit})")
    if looks:
        style.swatches(figure, list(looks.values()), list(names.values()))
    return figure
