"""The flash in front of a disk, as the lifespan model and the search for a region see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slcache.documents.pools import BITS, planes, slc_block_bytes
from slcache.errors import ConfigError, about


@dataclass(frozen=True)
class Flash:
    """Blocks that can be used in SLC mode or in a dense one."""

    device: str
    dense_mode: str
    #: Blocks of a plane, as schemes count them.
    blocks: int
    planes: int
    slc_cycles: int
    dense_cycles: int
    slc_block_bytes: int

    @property
    def chip(self) -> dict[str, float]:
        """The chip as the lifespan model takes it."""
        return {
            "slc_cycles": self.slc_cycles,
            "dense_cycles": self.dense_cycles,
            "slc_block_bytes": self.slc_block_bytes,
            "dense_bits": self.dense_bits,
            "blocks": self.blocks * self.planes,
        }

    @property
    def dense_bits(self) -> int:
        """How many times as much a block holds in the dense mode."""
        return BITS[self.dense_mode]

    def slc_bytes(self, slc_blocks: int) -> int:
        """Return what so many SLC blocks of every plane hold."""
        return slc_blocks * self.planes * self.slc_block_bytes

    def dense_bytes(self, slc_blocks: int) -> int:
        """Return what the other blocks hold."""
        return self.slc_bytes(self.blocks - slc_blocks) * self.dense_bits

    def sizes(self, candidates: int | None) -> list[int]:
        """Return the SLC blocks of the candidates: multiples of a part of all, to the nearest.

        None is for a part in 32, or for every block where there are fewer.
        """
        if candidates is None:
            candidates = min(32, self.blocks)
        if not 1 <= candidates <= self.blocks:
            told = f"must be between 1 and {self.blocks}, the blocks of a plane"
            raise about(ConfigError(f"candidates = {candidates}: {told}"), "candidates")
        return [
            (2 * k * self.blocks + candidates) // (2 * candidates) for k in range(candidates + 1)
        ]


def of_config(config: Mapping[str, Any]) -> Flash:
    """Return the flash of a configuration that runs `nvc`; raises ConfigError."""
    device = config["device"]
    pools = device["pool"]
    if len(pools) != 1:
        told = f"device.pool: has {len(pools)} pools; the lifespan model knows of one"
        raise about(ConfigError(told), "device.pool")
    (pool,) = pools
    dense_mode = config["scheme"]["nvc"]["dense_mode"]
    return Flash(
        device=device["name"],
        dense_mode=dense_mode,
        blocks=pool["blocks"],
        planes=planes(pool),
        slc_cycles=_cycles(pool, "slc"),
        dense_cycles=_cycles(pool, dense_mode),
        slc_block_bytes=slc_block_bytes(pool),
    )


def _cycles(pool: Mapping[str, Any], mode: str) -> int:
    cycles = pool[mode].get("endurance_cycles")
    if cycles is None:
        key = f"device.pool[0].{mode}.endurance_cycles"
        raise about(ConfigError(f"{key}: missing; a lifespan needs it, 1 or more"), key)
    return int(cycles)
