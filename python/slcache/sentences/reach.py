"""What writes reach on a device without `[buffer]`, where each waits for its program."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from slcache import _core


def sentence(config: Mapping[str, Any], depth: int) -> str | None:
    """Return which peaks of a resolved configuration are out of reach without a buffer."""
    missed = _core.config_missed(json.dumps(config), depth)
    if not missed:
        return None
    told = ", ".join(f"{mode} {most:.0f} of {peak:.0f} MB/s" for mode, most, peak in missed)
    return f"writes wait for their programs: {told} with {depth} requests of 128 KiB outstanding"
