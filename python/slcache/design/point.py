"""One candidate as it was measured: volumes, lifespan, latency and energy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from slcache import RunError, models
from slcache.design.flash import Flash
from slcache.design.runs import BOTH, DENSE_ONLY, SCHEMES, SLC_ONLY
from slcache.documents import normalise
from slcache.documents.normalise import Document
from slcache.report.terminal import overload

CLEANINGS = ("slc_cleanings", "dense_cleanings")
#: What is to be small beside the constraint.
Goal = Literal["latency", "energy"]


@dataclass(frozen=True)
class Point:
    """A size of the SLC region and what came of it."""

    #: SLC blocks of a plane.
    slc_blocks: int
    #: Share of SLC blocks (`r`).
    slc_share: float
    slc_bytes: int
    dense_bytes: int
    #: What a pass programs (`slcache.models.VOLUME_KEYS`); those that count for this size.
    volumes: Mapping[str, float]
    lifespan: models.NvcLifespan
    #: Mean latency of reads; None where the trace has none.
    read_us: float | None
    energy_j: float
    #: Share of the units read that neither DRAM nor flash had; None where none is read.
    miss_rate: float | None
    #: How often either region was cleaned in the pass.
    cleanings: Mapping[str, float]
    #: What a run says where its device fell behind the trace; empty where it did not.
    overload: str

    @property
    def life_bytes(self) -> float:
        """The lifespan in bytes of host writes."""
        assert self.lifespan.host_bytes is not None
        return self.lifespan.host_bytes

    def of(self, goal: Goal) -> float | None:
        """Return the figure that the goal wants small."""
        return self.read_us if goal == "latency" else self.energy_j

    def to_dict(self) -> dict[str, Any]:
        """Return the point as plain data; what is infinite is null."""
        plain = {**asdict(self), "volumes": dict(self.volumes), "cleanings": dict(self.cleanings)}
        plain["lifespan"] = {
            key: None if isinstance(value, float) and math.isinf(value) else value
            for key, value in plain["lifespan"].items()
        }
        return plain


def made(flash: Flash, slc_blocks: int, documents: Mapping[str, Document]) -> Point:
    """Return the point of a candidate's runs, by scheme."""
    main = documents[next(scheme for scheme in SCHEMES if scheme in documents)]
    volumes = _volumes(documents, main)
    if not volumes["host_bytes"]:
        raise RunError("the host writes nothing, and a lifespan counts what it writes")
    figures = main["scheme"]["figures"]
    share = slc_blocks / flash.blocks
    lifespan = models.nvc_lifespan(flash.chip, slc_share=share, volumes=volumes)
    if math.isinf(lifespan.passes):
        raise RunError(
            "nothing is programmed into flash, which then lasts for ever; choose a longer trace, "
            "or a smaller buffer (buffer.bytes)"
        )
    return Point(
        slc_blocks=slc_blocks,
        slc_share=share,
        slc_bytes=flash.slc_bytes(slc_blocks),
        dense_bytes=flash.dense_bytes(slc_blocks),
        volumes=volumes,
        lifespan=lifespan,
        read_us=normalise.latency(main, "read", "mean"),
        energy_j=float(main["disk"]["energy_j"]),
        miss_rate=figures.get("miss_rate"),
        cleanings={key: figures[key] for key in CLEANINGS if key in figures},
        overload=overload(main),
    )


def _volumes(documents: Mapping[str, Document], main: Document) -> dict[str, float]:
    """Return the volumes that count: all, or the host's and those of the only region.

    What the host writes is counted before the DRAM buffer, as the lifetime of a run is.
    """
    found = {scheme: document["scheme"]["figures"] for scheme, document in documents.items()}
    volumes = {"host_bytes": float(main["host"]["write"]["bytes"])}
    if BOTH in found:
        volumes |= {key: found[BOTH][key] for key in ("slc_bytes", "dense_bytes")}
    if SLC_ONLY in found:
        volumes["slc_only_bytes"] = found[SLC_ONLY]["slc_bytes"]
    if DENSE_ONLY in found:
        volumes["dense_only_bytes"] = found[DENSE_ONLY]["dense_bytes"]
    return volumes
