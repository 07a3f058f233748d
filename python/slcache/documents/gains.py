"""What runs program dense and the least that they could, read from result documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slcache.documents.normalise import Document
from slcache.documents.schemata import CLOSED
from slcache.kinds import STORES


@dataclass(frozen=True)
class Unbound:
    """What is told of a run without a bound."""

    why: str

    __pydantic_config__ = CLOSED


@dataclass(frozen=True)
class Gain:
    """What a run programs dense, or writes to its disk, beside the least; sizes in bytes."""

    room_bytes: int
    """What cache and controller's memory can hold at once."""
    dense_bytes: int
    """What the scheme did."""
    least_bytes: int
    """The least with such a cache."""
    above: float | None
    """The one over the other; null where the least is 0."""
    share: float | None
    """(reference - scheme) / (reference - least); null of the reference, and where nothing is
    between."""

    __pydantic_config__ = CLOSED


#: A reference that programs so little beyond the bound leaves nothing to gain.
_NEAR = 0.98


def bound(document: Document) -> Mapping[str, Any] | None:
    """Return the bound of a run and what it did, or None where there is none."""
    found: Mapping[str, Any] | None = document.get("bound")
    return None if found is None or found["kind"] == "none" else found


def room_bytes(document: Document) -> int | None:
    """Return what cache and controller's memory can hold at once, in bytes."""
    found, unit = bound(document), int(document["config"]["device"]["mu_bytes"])
    return None if found is None else found["capacity_slots"] * unit


def has_cache(document: Document) -> bool:
    """Return whether a run that has a bound has a cache beside the controller's memory."""
    found = bound(document)
    return found is not None and found["capacity_slots"] > found["buffer_slots"]


def cached_bytes(document: Document) -> int:
    """Return what was programmed where the cache is: in SLC mode, or before a disk in any."""
    anywhere = document["bound"]["kind"] == "disk"
    ops = (op for op in document["flash"]["ops"] if op["kind"] in STORES)
    return sum(int(op["bytes"]) for op in ops if anywhere or op["mode"] == "slc")


def is_unfilled(document: Document) -> bool:
    """Return whether a run wrote less than its cache holds, so that no policy was asked for.

    Some caches make room before their last block is taken. What one that was not drained held
    before time 0 may have filled it.
    """
    before = document["config"].get("precondition") or {}
    if not has_cache(document) or (before.get("fill") and not before.get("drain")):
        return False
    known = document["state"]["cache"]
    if known is not None and known["full_ns"] is not None:
        return False
    return cached_bytes(document) < (room_bytes(document) or 0)


def device(document: Document) -> str:
    """Return the name of the device."""
    return str(document["config"]["device"]["name"])


def share(document: Document, reference: Document) -> float | None:
    """Return the share of what could be gained over a reference that a run gains.

    None where one of both has no bound, where the reference has a cache of its own or is on
    another device, and where it is at the bound already.
    """
    own, other = bound(document), bound(reference)
    if own is None or other is None or own["kind"] != other["kind"] or has_cache(reference):
        return None
    if device(document) != device(reference):
        return None
    return share_of(own["counted"], own["least"], other["counted"])


def share_of(done: float | None, least: float | None, reference: float | None) -> float | None:
    """Return that share of the three figures; None where one is missing or nothing can be gained.

    >>> share_of(150, 100, 200)
    0.5
    """
    if done is None or least is None or reference is None or reference <= least:
        return None
    return float((reference - done) / (reference - least))


def is_nothing(document: Document, reference: Document) -> bool:
    """Return whether the reference is so near to the bound that nothing is left to gain."""
    own, other = bound(document), bound(reference)
    return (
        own is not None
        and other is not None
        and own["kind"] == other["kind"]
        and device(document) == device(reference)
        and other["counted"] > own["least"] > _NEAR * other["counted"]
    )


def told(labels: Sequence[str], documents: Sequence[Document], to: str) -> dict[str, Any]:
    """Return the table as `{"to": ..., "schemes": {...}}`, sizes in bytes."""
    reference = documents[list(labels).index(to)]
    return {
        "to": to,
        "schemes": {
            label: told_of(each, None if each is reference else reference)
            for label, each in zip(labels, documents, strict=True)
        },
    }


def told_of(document: Document, reference: Document | None) -> dict[str, Any]:
    """Return one run's row of the table; without a reference it has no share."""
    if bound(document) is None:
        return vars(Unbound((document.get("bound") or {"why": "not counted"})["why"]))
    told = document["figures"]
    return vars(
        Gain(
            room_bytes(document) or 0,
            told["dense_bytes"],
            told["dense_least_bytes"],
            told["dense_over_least"],
            None if reference is None else share(document, reference),
        )
    )
