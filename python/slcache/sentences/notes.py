"""What is said of runs beside their figures: notes, reach, and reasons of those left out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from slcache import _core
from slcache.documents import Document
from slcache.names import by_reason, joined, said_of


def sentence(config: Mapping[str, Any], depth: int) -> str | None:
    """Return which peaks of a resolved configuration are out of reach without a buffer."""
    missed = _core.config_missed(json.dumps(config), depth)
    if not missed:
        return None
    told = ", ".join(f"{mode} {most:.0f} of {peak:.0f} MB/s" for mode, most, peak in missed)
    requests = "1 request" if depth == 1 else f"{depth} requests"
    return f"writes wait for their programs: {told} with {requests} of 128 KiB outstanding"


def of_runs(labels: Sequence[str], documents: Sequence[Document]) -> list[str]:
    """Return each note once: requests beyond the device, a rounded capacity, tiers on shared dies.

    One that is not of all runs begins with the labels of those that it is of.
    """
    noted = by_reason(
        (label, note)
        for label, document in zip(labels, documents, strict=True)
        for note in dict.fromkeys((*beyond(document), *_of(document["config"])))
    )
    return [
        note if len(names) == len(labels) else f"{joined(names)}: {note}"
        for note, names in noted.items()
    ]


def beyond(document: Document) -> Iterator[str]:
    """Yield what was not served, or not whole, since the device is smaller than the trace."""
    trace = document["trace"]
    # A compact trace leaves out trims of what nothing reads or writes, which does nothing.
    if document["config"]["trace"]["address"] != "clip":
        return
    count = trace["requests"] + trace["trims"]
    for key, became in (("address_dropped", "left out"), ("address_clipped", "cut at its end")):
        if number := trace["adjusted"].get(key):
            reach, are = ("reaches", "is") if number == 1 else ("reach", "are")
            told = f"{number:,} of {count:,} requests {reach} beyond the device"
            yield f"{told}, and {are} {became} (trace.address = clip)"


def _of(config: Mapping[str, Any]) -> Iterator[str]:
    yield from _core.config_notes(json.dumps(config))
    if "client" in config["scheme"]:
        # In open replay the trace says how many requests are outstanding.
        host = config["host"]
        told = sentence(config, host["queue_depth"] if host["replay"] == "closed" else 1)
        if told is not None:
            yield f"the device has no [buffer], as drives have, so that {told}"


#: Stands for the scheme's own name where schemes share a reason.
_OWN = "NAME"


def told(reasons: Mapping[str, str], one: str, many: str) -> list[str]:
    """Return a sentence for each reason, such as `a and b are left out: ...`.

    `one` and `many` are what is said of a scheme and of several.
    """
    return [f"{said_of(names, one, many)}: {reason}" for names, reason in grouped(reasons)]


def grouped(reasons: Mapping[str, str]) -> list[tuple[Sequence[str], str]]:
    """Return the schemes of each reason; where they share it, NAME stands for their names in it."""
    groups = by_reason(
        (name, re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", _OWN, reason))
        for name, reason in reasons.items()
    )
    return [
        (names, reasons[names[0]] if len(names) == 1 else shared)
        for shared, names in groups.items()
    ]
