"""Lifespans by the model of the SLC/MLC combined cache, from the volumes that runs measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slcache.documents.figures import BITS, densest, planes, slc_block_bytes
from slcache.reproduce import equations
from slcache.reproduce.measures import value
from slcache.reproduce.parts import Grid, GridName, PartName
from slcache.reproduce.points import Key

Document = Mapping[str, Any]
Documents = dict[Key, Any]


@dataclass(frozen=True)
class Lifespans:
    """Grids over the share of SLC blocks, and the runs with one region that the model needs."""

    part: PartName
    #: Grids of which every point gets a lifespan.
    grids: list[GridName]
    #: The region alone, as large as it is beside the other: by the share of SLC blocks ...
    slc_alone: GridName
    #: ... and by the share of dense ones.
    dense_alone: GridName
    #: A part with the same runs on one pass less: then volumes are those of the last pass alone.
    less: PartName = ""


def add(spec: Lifespans, of_parts: Mapping[str, Documents], grids: Sequence[Grid]) -> None:
    """Put a lifespan beside the result of every point that has the runs it takes.

    Once as the model has it, where the last region works alone at its own size, and once as if it
    then were the whole chip: the paper does not say which of the two it measures.
    """
    names = {grid.name: {v.point[0]: v.name for v in grid.variants} for grid in grids}
    slc, dense = names[spec.slc_alone], names[spec.dense_alone]
    documents, before = of_parts[spec.part], of_parts.get(spec.less)
    shown: Documents = {}
    for share, name in (point for grid in spec.grids for point in names[grid].items()):
        readings = {"own": (slc.get(share), dense.get(1 - share)), "full_chip": (slc[1], dense[1])}
        for key in [key for key in documents if key[1] == name]:
            told = {
                reading: _lifespan(share, [name, *alone], key, documents, before)
                for reading, alone in readings.items()
            }
            shown[key] = {**documents[key], "lifespan": told}
    documents.update(shown)


def _lifespan(
    share: float,
    names: Sequence[str | None],
    key: Key,
    documents: Documents,
    before: Documents | None,
) -> dict[str, Any] | None:
    """Return what the model says of a point; None where a run that it needs is missing."""
    volumes = _volumes(share, names, key, documents)
    if before is not None and volumes is not None:
        first = _volumes(share, names, key, before)
        volumes = first and {name: of - first[name] for name, of in volumes.items()}
    endures = chip(documents[key])
    if volumes is None or endures is None:
        return None
    found = equations.nvc_lifespan(endures, slc_share=share, volumes=volumes)
    return {"host_bytes": found.host_bytes, "passes": found.passes, "first": found.first}


def _volumes(
    share: float, names: Sequence[str | None], key: Key, documents: Documents
) -> dict[str, float] | None:
    """Return the bytes of a point and of either region alone, on one trace with one seed."""
    workload, _, seed = key
    own, slc_only, dense_only = (
        None if name is None else documents.get((workload, name, seed)) for name in names
    )
    if own is None or (share > 0 and slc_only is None) or (share < 1 and dense_only is None):
        return None
    return {
        "host_bytes": _figure(own, "host_bytes"),
        "slc_bytes": _figure(own, "slc_bytes"),
        "dense_bytes": _figure(own, "dense_bytes"),
        "slc_only_bytes": _figure(slc_only, "slc_bytes"),
        "dense_only_bytes": _figure(dense_only, "dense_bytes"),
    }


def _figure(document: Document | None, name: str) -> float:
    """Return bytes of a pass; those of a region that does not exist are 0."""
    return (value(name, document) or 0.0) if document is not None else 0.0


def chip(document: Document) -> dict[str, float] | None:
    """Return what a run's flash endures; None where its cycles are not known."""
    (pool,) = document["config"]["device"]["pool"]
    dense = densest(pool)
    cycles = pool["slc"]["endurance_cycles"], pool[dense]["endurance_cycles"]
    if None in cycles:
        return None
    return {
        "slc_cycles": cycles[0],
        "dense_cycles": cycles[1],
        "slc_block_bytes": slc_block_bytes(pool),
        "dense_bits": BITS[dense],
        "blocks": planes(pool) * pool["blocks"],
    }
