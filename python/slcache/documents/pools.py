"""The sizes of a pool of flash, from its section of a resolved configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Pool = Mapping[str, Any]

#: Bits of a cell by its mode, the fewest first.
BITS = {"slc": 1, "mlc": 2, "tlc": 3, "qlc": 4}


def planes(pool: Pool) -> int:
    """Return how many planes a pool has."""
    return int(pool["channels"] * pool["chips"] * pool["dies"] * pool["planes"])


def slc_block_bytes(pool: Pool) -> int:
    """Return what a block holds in SLC mode."""
    return int(pool["wordlines"] * pool["page_bytes"])


def slc_row_bytes(pool: Pool) -> int:
    """Return what a block of every plane holds in SLC mode."""
    return planes(pool) * slc_block_bytes(pool)


def slc_bytes(pool: Pool) -> int:
    """Return what all blocks hold in SLC mode."""
    return int(pool["blocks"]) * slc_row_bytes(pool)


def densest(pool: Pool) -> str:
    """Return the mode with the most bits that a pool offers."""
    return [mode for mode in BITS if pool.get(mode)][-1]
