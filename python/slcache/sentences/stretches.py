"""When a few stretches of time make the mean latency: said, with the mean without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from slcache.documents.normalise import Document
from slcache.sentences import wording
from slcache.words import units

#: So much of all latency lies in the stretches that are told.
_MOST = 0.9
#: They take no more of the time than this, else no stretch decides.
_SHORT = 0.1
#: A run of fewer windows has no stretches.
_WINDOWS = 40
#: What is a hundredth of the run apart is one stretch.
_NEAR = 100
#: More stretches are no incidents.
_COUNT_MAX = 5


@dataclass(frozen=True)
class Stretches:
    """The shortest time in which most of one side's latency lies."""

    #: Share of the sum of latencies.
    share: float
    #: Begin and end of each, as numbers of windows.
    places: list[tuple[int, int]]
    #: Windows, of so many.
    windows: int
    of: int
    #: Mean latency without them, ns; None where nothing is left.
    rest_ns: float | None


def found(document: Document, side: str) -> Stretches | None:
    """Return the stretches that make a run's mean latency, if a few short ones do."""
    columns = document["series"]["columns"]
    sums = [value or 0 for value in columns[f"{side}_latency_ns_sum"]]
    requests = [value or 0 for value in columns[f"{side}_requests"]]
    total = sum(sums)
    if len(sums) < _WINDOWS or total == 0:
        return None
    chosen: set[int] = set()
    held = 0
    for window in sorted(range(len(sums)), key=lambda i: (-sums[i], i)):
        if held >= _MOST * total:
            break
        chosen.add(window)
        held += sums[window]
    places = _runs(sorted(chosen), len(sums) // _NEAR)
    if len(chosen) > _SHORT * len(sums) or len(places) > _COUNT_MAX:
        return None
    left = sum(requests) - sum(requests[i] for i in chosen)
    return Stretches(
        share=held / total,
        places=places,
        windows=len(chosen),
        of=len(sums),
        rest_ns=(total - held) / left if left else None,
    )


def _runs(windows: Sequence[int], near: int) -> list[tuple[int, int]]:
    """Return the begins and ends of windows between which no more than `near` others lie."""
    runs: list[tuple[int, int]] = []
    for window in windows:
        if runs and window - runs[-1][1] <= near:
            runs[-1] = (runs[-1][0], window + 1)
        else:
            runs.append((window, window + 1))
    return runs


def sentences(labels: Sequence[str], documents: Sequence[Document]) -> list[str]:
    """Return, of each side, the schemes whose mean a few stretches make."""
    told = []
    for side in ("write", "read"):
        for label, document in zip(labels, documents, strict=True):
            stretches = found(document, side)
            if stretches is not None:
                told.append(_sentence(label, side, document, stretches))
    return told


def _sentence(label: str, side: str, document: Document, stretches: Stretches) -> str:
    window_us = document["series"]["window_ns"] / 1e3
    begins = [units.span(begin * window_us) for begin, _ in stretches.places]
    count = len(stretches.places)
    what = "one stretch" if count == 1 else f"{count} stretches"
    lasts = units.span(stretches.windows * window_us)
    whole = units.span(stretches.of * window_us)
    mean = document["host"][side]["latency_us"]["mean"]
    text = (
        f"{label}: {units.percent(stretches.share)} of the time that {side}s took lies in {what}, "
        f"{lasts} of {whole}, from {wording.listed(begins)} on"
    )
    if stretches.rest_ns is None:
        return f"{text}; there are no other {side}s."
    rest = units.duration(stretches.rest_ns / 1e3)
    return f"{text}; without, the mean is {rest}, not {units.duration(mean)}."
