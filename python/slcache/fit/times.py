"""What latencies tell: times of reads, planes apart from the times of programs, the host's own."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from slcache import api, catalogue
from slcache.bandwidth.phases import Values
from slcache.fit.device import MODES, PAGE_BYTES, TRANSFER_NS
from slcache.fit.evidence import Told
from slcache.fit.latency import Latencies
from slcache.fit.lines import refuse

#: No chip programs a page faster than this, ns; a read of one takes this at least.
_PROGRAM_NS, _READ_NS = 50_000, 1_000
#: Kinds of pages are apart by so many spreads of one; one kind is within this share of its median.
_APART, _ALIKE = 3.0, 0.1
#: A cache nearer to its link than this tells nothing of its planes.
_LINK = 0.9
#: The device that a latency is simulated on: blocks of a plane, and requests.
_BLOCKS, _REQUESTS = 64, 2000
_CACHE = 16


@dataclass(frozen=True)
class Judged:
    """Latencies that nothing was fitted to, in µs, beside those of the device."""

    kind: str
    block_bytes: int
    requests: int
    p50_us: tuple[float, float]
    p99_us: tuple[float, float]
    #: The share of requests within a tenth of the device's at the same rank.
    near: float


def reads(log: Latencies, text: str, bits: int) -> Told:
    """Return the times of reads of a dense page: one for each kind of page, if they show."""
    if log.block_bytes > PAGE_BYTES or PAGE_BYTES % log.block_bytes:
        refuse(log.source.path, f"reads of {log.block_bytes} bytes: must be a part of {PAGE_BYTES}")
    device = tomllib.loads(text)
    at = device["device"]["pool"][0][MODES[bits]]["read_ns"][0]
    rest = _median_us(_shown(log, device)) * 1e3 - at
    found, problem = _levels(log.fitted, bits)
    if found[0] - rest < _READ_NS:
        told = f"reads take {found[0] / 1e3:.4g} µs, and {rest / 1e3:.4g} without the array"
        refuse(log.source.path, f"{told}: not from flash (direct=1, a random span)")
    again = np.array([_middles(each, len(found)) for each in log.resampled()]) - rest
    low, high = np.percentile(again, (2.5, 97.5), axis=0)
    return Told(
        tuple(float(each - rest) for each in found),
        tuple(zip(low.tolist(), high.tolist(), strict=True)),
        log.source.name,
        problem,
    )


def planes(log: Latencies, text: str, cache: float, speed: float, speeds: Sequence[float]) -> Told:
    """Return how many planes program the cache at its speed, by what one program takes.

    `cache` is in bytes; `speed` and `speeds`, bytes per second, are its own and those of resamples.
    """
    path, size = log.source.path, log.block_bytes
    if size != PAGE_BYTES:
        refuse(path, f"writes of {size} bytes: must be {PAGE_BYTES}, of which each is a program")
    if log.count * PAGE_BYTES > cache:
        refuse(path, f"{log.count} writes: more pages than the cache of {cache / 1e9:.4g} GB holds")
    device = tomllib.loads(text)
    at = device["device"]["pool"][0]["slc"]["program_ns"][0]
    rest = _median_us(_shown(log, device)) * 1e3 - at
    found = float(np.median(log.fitted))
    if found - rest < _PROGRAM_NS:
        told = f"writes take {found / 1e3:.4g} µs, less than a program: they end in a buffer"
        refuse(path, f"{told}; log them with sync=1; not identifiable")
    again = [float(np.median(each)) for each in log.resampled()]
    random = np.random.default_rng(1)
    drawn = random.choice(speeds, len(again)), np.array(again)

    def needed(at_speed: Values | float, ns: Values | float) -> Any:  # noqa: ANN401
        return at_speed * (ns - rest + TRANSFER_NS) / 1e9 / PAGE_BYTES

    is_bound = speed > _LINK * _link_bytes_s(device)
    problem = "the least: the link is no faster than the cache" if is_bound else None
    low, high = np.percentile(needed(*drawn), (2.5, 97.5))
    count = max(1, round(needed(speed, found)))
    return Told((count,), ((float(low), float(high)),), log.source.name, problem)


def judged(log: Latencies, text: str) -> Judged:
    """Return the latencies of a fitted device beside those that it was not fitted to."""
    ends, shares = np.array(_shown(log, tomllib.loads(text))).T
    logged = np.sort(log.judged) / 1e3
    ranks = (np.arange(len(logged)) + 0.5) / len(logged)
    ours = ends[np.minimum(np.searchsorted(shares, ranks), len(ends) - 1)]

    def both(rank: float) -> tuple[float, float]:
        place = int(rank * len(logged))
        return float(logged[place]), float(ours[place])

    near = float(np.mean(np.abs(logged / ours - 1) <= 0.1))
    return Judged(log.kind, log.block_bytes, len(logged), both(0.5), both(0.99), near)


def _levels(values: Values, bits: int) -> tuple[Values, str | None]:
    """Return the middles of the kinds of pages: as many as a cell has bits, or one."""
    parts = np.array_split(np.sort(values), bits)
    spread = max(float(np.subtract(*np.percentile(part, (75, 25)))) for part in parts)
    kinds = _middles(values, bits)
    if float(np.diff(kinds).min()) > _APART * spread:
        return kinds, None
    middle = _middles(values, 1)
    if float(np.mean(np.abs(values / middle - 1) <= _ALIKE)) >= 0.5:
        return middle, None
    return middle, f"several times that are no {bits} kinds of pages; their median"


def _middles(values: Values, parts: int) -> Values:
    return np.array([np.median(part) for part in np.array_split(np.sort(values), parts)])


def _median_us(shown: Sequence[Sequence[float]]) -> float:
    return float(next(us for us, share in shown if share >= 0.5))


def _shown(log: Latencies, device: Mapping[str, Any]) -> list[list[float]]:
    """Return the latencies in µs, with the share up to each, of a device under a log's load."""
    small = _small(device)
    user, size = small["device"]["user_bytes"], log.block_bytes
    is_read = log.kind == "reads"
    load = {
        "requests": _REQUESTS if is_read else min(_REQUESTS, user // size // 2),
        "footprint_bytes": user // size * size,
        "global": {"rw": "randread" if is_read else "randwrite", "bs": str(size)},
    }
    settings = {
        "trace.prefill": "touched" if is_read else "none",
        "buffer.acknowledge": "on-program",
    }
    found = api.run(load, device=small, scheme="client", replay="closed:1", settings=settings)
    cdf: list[list[float]] = found.documents[0]["host"]["read" if is_read else "write"]["cdf"]
    return cdf


def _link_bytes_s(device: Mapping[str, Any]) -> float:
    """Return what a device's host link carries; without one there is no limit."""
    link = catalogue.resolve(device=device, scheme="client")["host"].get("link")
    if link is None:
        return float("inf")
    share = link["payload_bytes"] / (link["payload_bytes"] + link["header_bytes"])
    return float(link["lanes"] * link["lane_mb_per_s"] * 1e6 * share)


def _small(device: Mapping[str, Any]) -> dict[str, Any]:
    """Return a device with few blocks: one request at a time asks for no more."""
    small = copy.deepcopy(dict(device))
    pool, client = small["device"]["pool"][0], small["scheme-defaults"]["client"]
    row = pool["channels"] * pool["planes"] * pool["wordlines"] * PAGE_BYTES
    pool["blocks"] = _BLOCKS
    small["device"]["user_bytes"] = _BLOCKS // 2 * row
    client["dynamic"] = {"rule": "free", "max_bytes": _CACHE * row}
    # What is made up here has no grounds to be told.
    small.pop("evidence", None)
    return small
