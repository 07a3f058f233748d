"""Figures of documents beside each other: latencies, ties, pools, what could be gained."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slcache import _core, metrics
from slcache.documents import Document, Runs
from slcache.documents.schemata import CLOSED
from slcache.kinds import POWER, STORES
from slcache.kinds import of as of_kind
from slcache.names import leaves

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


#: Dense blocks per plane, by pool.
Dense = dict[int, int]


def dense_blocks(config: Mapping[str, Any]) -> tuple[Dense, bool] | None:
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
    known = {
        name: found for name, each in configs.items() if (found := dense_blocks(each)) is not None
    }
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


#: Agents that draw their actions, or some of them.
_AGENTS = ("q-learning", "random")


def by_seed(config: Mapping[str, Any]) -> list[str]:
    """Return the settings of a whole configuration by which a seed changes a run.

    A workload is drawn beside these; a recording is the same for every seed.
    """
    return [*_before(config.get("precondition") or {}), *_of_scheme(config.get("scheme") or {})]


def draw(document: Mapping[str, Any]) -> int | None:
    """Return the number of a draw of a recording; None of every other trace."""
    number = document["trace"]["options"].get("resample")
    return None if number is None else int(number)


def _before(state: Mapping[str, Any]) -> Iterator[str]:
    if not state.get("fill"):
        return
    if state.get("overwrite"):
        yield f"precondition.overwrite = {state['overwrite']:g}"
    elif state.get("steady"):
        yield "precondition.steady = true"


def _of_scheme(scheme: Mapping[str, Any]) -> Iterator[str]:
    for key, value in leaves(scheme):
        name = key.rpartition(".")[2]
        if key.endswith("victim.d-choices.d"):
            yield f"scheme.{key} = {value}"
        elif (name == "victim" and value == "random") or (name == "agent" and value in _AGENTS):
            yield f'scheme.{key} = "{value}"'


#: A percentile that fewer requests than these lie beyond says little.
FEW_BEYOND = 10
#: Differences of at most this share count as equal wherever schemes are ranked.
TIE = 0.01
#: What `normalised` compares, and what it has of a disk beside that.
COMPARED = (
    "read_mean_ns",
    "read_p99_ns",
    "write_mean_ns",
    "write_p99_ns",
    "waf",
    "flash_time_ns",
    "erases",
    "iops",
    "bytes_per_s",
    "utilisation",
    "duration_ns",
)
OF_DISK = ("energy_j", "miss_rate")
OF_FLUSHES = ("flush_mean_ns", "flush_p99_ns")
#: Requests that have latencies and no data.
FLUSH = "flush"


def has_flushes(document: Document) -> bool:
    """Return whether flushes of a run took any time; older results do not have it."""
    return bool(document["figures"].get(OF_FLUSHES[0]))


def kinds_of(documents: Iterable[Document]) -> list[str]:
    """Return the kinds of requests that runs are compared by: flushes where one has any."""
    return ["read", "write", *[FLUSH] * any(map(has_flushes, documents))]


def latency(document: Document, side: str, key: str) -> float | None:
    """Return a latency in µs of a kind of request, or None where the trace has no such."""
    found: float | None = document["host"][side]["latency_us"][key]
    return found


def is_thin(document: Document, metric: str) -> bool:
    """Return whether few requests carry a percentile: fewer than ten took longer.

    Means, the most and what is no latency are none.
    """
    side, _, key = metric.removesuffix("_ns").partition("_")
    host = document["host"][side] if side in ("read", "write", FLUSH) else {}
    beyond = host["requests_beyond"].get(key) if host else None
    return beyond is not None and bool(host["requests"]) and beyond < FEW_BEYOND


def compared(document: Document) -> dict[str, float | None]:
    """Return the figures that `normalised` compares; flushes have two more, and so has a disk."""
    names = COMPARED + OF_FLUSHES * has_flushes(document) + OF_DISK * bool(document.get("disk"))
    return {metrics.short(name): document["figures"][name] for name in names}


def ratio(value: float | None, reference: float | None) -> float | None:
    """Return value / reference, or None where that is not a number."""
    if value is None or not reference:
        return None
    return value / reference


def factor(document: Document, reference: Document, side: str, key: str) -> float | None:
    """Return a latency as a factor of the reference's."""
    return ratio(latency(document, side, key), latency(reference, side, key))


def normalised(runs: Runs, to: str) -> dict[str, Any]:
    """Return every scheme's figures divided by those of the scheme labelled `to`."""
    table = {label: compared(document) for label, document in runs.items()}
    reference = table[to]
    keys = list(dict.fromkeys(key for row in table.values() for key in row))
    return {
        "to": to,
        "schemes": {
            label: {key: ratio(row.get(key), reference.get(key)) for key in keys}
            for label, row in table.items()
        },
    }


def equal(a: float, b: float) -> bool:
    """Return whether two figures are equal within the tie margin."""
    return abs(a - b) <= TIE * max(abs(a), abs(b))


def looks_ahead(document: Document) -> bool:
    """Return whether the scheme, or its store, knew the trace, as no device can."""
    if "oracle_bytes" in document["scheme"].get("figures", {}):
        return True
    schemes = document.get("config", {}).get("scheme", {}).values()
    parts = [part for keys in schemes for part in keys.values() if isinstance(part, Mapping)]
    return any(str(part.get("separation")).startswith("oracle") for part in parts)


def buildable(runs: Runs) -> dict[str, Document]:
    """Return the runs of schemes that a device can have: what knew the trace wins nothing."""
    return {name: document for name, document in runs.items() if not looks_ahead(document)}


def winners(values: Sequence[float | None], *, most: bool = False) -> set[int]:
    """Return the positions of the lowest figure, or of the highest, and of those equal to it.

    The set is empty where nobody wins: fewer than two figures, or all of them equal.
    """
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return set()
    best = max(known) if most else min(known)
    first = {i for i, value in enumerate(values) if value is not None and equal(value, best)}
    return set() if len(first) == len(known) else first


def attribution(document: Document, side: str) -> dict[str, float]:
    """Return the mean latency in µs of one side by component, `service ...` and `wait ...`."""
    figures, parts = document["figures"], document["host"][side]["attribution_us"]
    told = {
        f"{kind} {name}": figures[f"{side}_{kind}_{name.replace('-', '_')}_ns"]
        for kind in ("service", "wait")
        for name in parts[kind]
    }
    return {name: ns / 1000 for name, ns in told.items() if ns is not None}


def power_states(disk: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the power states that a disk was in, from the most power to the least."""
    by_name = {s["state"]: s for s in disk["states"] if s["time_s"] or s["energy_j"]}
    return [by_name[name] for name in of_kind(POWER, by_name)]


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


#: What is left in a cache counts where it would shorten the life by more than this share.
_MUCH = 0.1


def is_life_guess(document: Document) -> bool:
    """Return whether a life is told that is little more than a guess."""
    wear = document["wear"]
    return wear["damage"] is not None and (wear["note"] is not None or has_much_left(document))


def has_much_left(document: Document) -> bool:
    """Return whether the move of what is left in the SLC cache would shorten the life by much.

    Data that go to a disk wear no cells.
    """
    damage, cache = document["wear"]["damage"], document["state"]["cache"] or {}
    left = cache.get("left_bytes")
    if damage is None or not left or document.get("disk"):
        return False
    used = document["wear"]["by_mode"]
    worn = {mode: (used.get(mode, {}).get("percent_used") or 0) / 100 for mode in BITS}
    dense = next((mode for mode in reversed(worn) if worn[mode]), "slc")
    moved = document["waf"]["by_mode"].get(dense, 0) * document["host"]["write"]["bytes"]
    if dense == "slc" or not moved:
        return True
    before = damage["mean"] if dense in damage["modes"] else worn[dense]
    return bool(before + worn[dense] * left / moved > (1 + _MUCH) * damage["mean"])


def device(document: Document) -> str:
    """Return the name of the device."""
    return str(document["config"]["device"]["name"])


def gain_share(document: Document, reference: Document) -> float | None:
    """Return the share of what could be gained over a reference that a run gains.

    None where one of both has no bound, where the reference has a cache of its own or is on
    another device, and where it is at the bound already.
    """
    own, other = bound(document), bound(reference)
    if own is None or other is None or own["kind"] != other["kind"] or has_cache(reference):
        return None
    if device(document) != device(reference):
        return None
    return gain_share_of(own["counted"], own["least"], other["counted"])


def gain_share_of(done: float | None, least: float | None, reference: float | None) -> float | None:
    """Return that share of the three figures; None where one is missing or nothing can be gained.

    >>> share_of(150, 100, 200)
    0.5
    """
    if done is None or least is None or reference is None or reference <= least:
        return None
    return float((reference - done) / (reference - least))


def is_at_bound(document: Document, reference: Document) -> bool:
    """Return whether the reference is so near to the bound that nothing is left to gain."""
    own, other = bound(document), bound(reference)
    return (
        own is not None
        and other is not None
        and own["kind"] == other["kind"]
        and device(document) == device(reference)
        and other["counted"] > own["least"] > _NEAR * other["counted"]
    )


def gains(runs: Runs, to: str) -> dict[str, Any]:
    """Return the table as `{"to": ..., "schemes": {...}}`, sizes in bytes."""
    found = {label: gain(each, None if label == to else runs[to]) for label, each in runs.items()}
    return {"to": to, "schemes": found}


def gain(document: Document, reference: Document | None) -> dict[str, Any]:
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
            None if reference is None else gain_share(document, reference),
        )
    )
