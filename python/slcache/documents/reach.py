"""What writes reach on a device without `[buffer]`, where each waits for its program."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from slcache.documents.pools import BITS

#: Requests that are held against peaks, and what is as good as a peak.
REQUEST_BYTES, _NEAR = 128 << 10, 0.9


@dataclass(frozen=True)
class Programs:
    """What a command programs in a plane of a pool in one cell mode, and what that takes."""

    channels: int
    #: What runs one operation at a time on a channel, and planes that a command takes along.
    units: int
    together: int
    #: Of a command in a plane: pages and their bytes.
    pages: int
    page_bytes: int
    command_ns: float
    extra_plane_ns: float
    transfer_ns: float
    array_ns: float

    @classmethod
    def of(cls, pool: Mapping[str, Any], mode: str) -> Programs:
        """Return those of a resolved configuration's pool."""
        own, bus, page = pool[mode], pool["bus"], pool["page_bytes"]
        dies, kind = pool["chips"] * pool["dies"], pool["plane_parallelism"]
        pages = BITS[mode] if own["program"] == "one-shot" else 1
        return cls(
            channels=pool["channels"],
            units=dies * pool["planes"] if kind == "independent" else dies,
            together=pool["planes"] if kind == "multi-plane" else 1,
            pages=pages,
            page_bytes=page,
            command_ns=bus["program_command_ns"],
            extra_plane_ns=bus["extra_plane_program_ns"],
            transfer_ns=pages * page * bus["ps_per_byte"] / 1000,
            array_ns=sum(own["program_ns"]) / len(own["program_ns"]),
        )

    def peak(self, planes: int) -> float:
        """Return MB/s with every unit busy with commands for so many planes."""
        taken_ns = max(self.units * self._hold_ns(planes), self._unit_ns(planes))
        pages = self.channels * self.units * planes * self.pages
        return pages * self.page_bytes * 1e3 / taken_ns

    def unbuffered(self, depth: int, stage_ns: float) -> float:
        """Return MB/s of sequential writes of 128 KiB, `depth` of them outstanding.

        One alone is programmed at once, after a timeout where it fills no whole wordlines. Of
        several, a command takes the planes whose data came while the one before ran: half of what
        waits in the unit.
        """
        pages = math.ceil(REQUEST_BYTES / self.page_bytes)
        waiting = depth * pages / (self.channels * self.units * self.pages)
        joined = math.ceil(waiting) if depth == 1 else math.floor(waiting / 2)
        planes = min(max(joined, 1), self.together)
        alone_ns = self._unit_ns(planes if depth == 1 else 1)
        if depth == 1 and pages % self.pages:
            alone_ns += stage_ns
        return min(self.peak(planes), depth * pages * self.page_bytes * 1e3 / alone_ns)

    def _hold_ns(self, planes: int) -> float:
        return self.command_ns + (planes - 1) * self.extra_plane_ns + planes * self.transfer_ns

    def _unit_ns(self, planes: int) -> float:
        return self._hold_ns(planes) + self.array_ns


def sentence(config: Mapping[str, Any], depth: int) -> str | None:
    """Return which peaks of a resolved configuration are out of reach without a buffer."""
    if config.get("buffer") is not None:
        return None
    told = ", ".join(_missed(config, depth))
    if not told:
        return None
    return f"writes wait for their programs: {told} with {depth} requests of 128 KiB outstanding"


def _missed(config: Mapping[str, Any], depth: int) -> Iterator[str]:
    carried = _link_mb_per_s(config["host"].get("link"))
    for pool in config["device"]["pool"]:
        for mode in (mode for mode in BITS if pool.get(mode)):
            programs = Programs.of(pool, mode)
            peak = min(programs.peak(programs.together), carried)
            most = programs.unbuffered(depth, config["device"]["stage_timeout_ns"])
            if most < _NEAR * peak:
                yield f"{mode} {most:.0f} of {peak:.0f} MB/s"


def _link_mb_per_s(link: Mapping[str, Any] | None) -> float:
    if link is None:
        return math.inf
    share = link["payload_bytes"] / (link["payload_bytes"] + link["header_bytes"])
    return float(link["lanes"] * link["lane_mb_per_s"] * share)
