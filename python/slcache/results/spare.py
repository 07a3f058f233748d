"""The room that schemes have beside the user's data: equal cells in all, or in the dense region."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from slcache import _core
from slcache.documents.pools import planes
from slcache.sentences import wording

#: Dense blocks per plane, by pool.
Dense = dict[int, int]
_GC = ("gc", "agc")


def dense(config: Mapping[str, Any]) -> tuple[Dense, bool] | None:
    """Return a scheme's dense blocks per plane, and whether a fixed number is kept for its cache.

    None where that number changes with time, or the flash does not hold all of the data.
    """
    name, scheme = next(iter(config["scheme"].items()))
    regions = _core.config_regions(json.dumps(config))
    cached = any(mode == "slc" for _, mode, _ in regions)
    if config["device"].get("disk") is not None or name.startswith("ips"):
        return None
    if cached and "slc_blocks" not in scheme:
        return None
    found: Dense = {}
    for pool, mode, blocks in regions:
        if mode != "slc":
            of_plane = blocks // planes(config["device"]["pool"][pool])
            found[pool] = found.get(pool, 0) + of_plane
    return found, cached


def equalised(configs: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Return settings for the schemes without a cache that leave them the fewest dense blocks.

    `configs` are those of the schemes by name; what has no more than another has no settings.
    """
    known = {name: found for name, each in configs.items() if (found := dense(each)) is not None}
    fewest: Dense = {}
    for blocks, cached in known.values():
        for pool, count in blocks.items() if cached else ():
            fewest[pool] = min(count, fewest.get(pool, count))
    return {
        name: {
            f"device.pool[{pool}].blocks": fewest[pool]
            for pool, count in blocks.items()
            if count > fewest.get(pool, count)
        }
        for name, (blocks, cached) in known.items()
        if not cached
    }


def unequal(labels: Sequence[str], documents: Sequence[Mapping[str, Any]]) -> str:
    """Return a sentence on schemes that clean with more spare room than others, or nothing."""
    if not any(each["waf"]["by_cause"].get(cause) for each in documents for cause in _GC):
        return ""
    configs = {label: document["config"] for label, document in zip(labels, documents, strict=True)}
    more = {name: blocks for name, blocks in equalised(configs).items() if blocks}
    if not more:
        return ""
    (key, fewest), *_ = next(iter(more.values())).items()
    pool = int(key.removeprefix("device.pool[").partition("]")[0])
    has = configs[next(iter(more))]["device"]["pool"][pool]["blocks"]
    known = {name: found for name, each in configs.items() if (found := dense(each)) is not None}
    cached = [name for name, (blocks, is_one) in known.items() if is_one and blocks[pool] == fewest]
    verb = "has" if len(more) == 1 else "have"
    return (
        f"To clean with, {wording.listed(list(more))} {verb} {has} dense blocks per plane and "
        f"{wording.listed(cached)} {fewest}, for the same data. Part of what separates their write "
        "amplification is that; --equal-cells gives all as many."
    )
