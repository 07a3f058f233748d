"""What fio would print in JSON of the tests of `slcache fit --job` on a simulated drive."""

from __future__ import annotations

import configparser
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import slcache
from slcache import fit
from slcache.bandwidth.curves import Values

#: What fio prints by itself.
RANKS = (1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99)
GLOBAL = {"filename": "/dev/x", "direct": "1", "ioengine": "libaio", "iodepth": "1"}
_SPAN, _DRAWN = 256 << 20, 20_000


def sections() -> dict[str, dict[str, str]]:
    """Return the tests of the job that is printed, by section: its options."""
    parser = configparser.ConfigParser(allow_no_value=True)
    parser.read_string(fit.job_text("/dev/x"))
    names = [name for name in parser.sections() if name not in ("global", "fill")]
    found = {name: dict(parser.items(name)) for name in names}
    # fio leaves those out that have no value.
    return {name: {k: v for k, v in each.items() if v is not None} for name, each in found.items()}


def document(
    device: Mapping[str, Any],
    names: Sequence[str],
    *,
    seed: int = 1,
    requests: int = 20_000,
    host_ns: int = 1_800,
    noise: float = 0.02,
) -> str:
    """Return fio's JSON of some of the tests on a device that a host asks after `host_ns`."""
    random = np.random.default_rng(seed)
    jobs = []
    for number, name in enumerate(names):
        options = sections()[name]
        found = _host(device, name, options, requests, host_ns)
        sides = _sides(found, options, host_ns, random, noise)
        jobs.append(
            {"jobname": name, "groupid": number, "error": 0, "job options": options, **sides}
        )
    shown = {"fio version": "fio-3.36", "global options": GLOBAL, "jobs": jobs}
    return json.dumps(shown, indent=2) + "\n"


def _host(
    device: Mapping[str, Any], name: str, options: Mapping[str, str], requests: int, host_ns: int
) -> dict[str, Any]:
    size, rw = int(options["bs"][:-1]) << 10, options["rw"]
    flushed = {"fsync": 1} if {"sync", "fsync"} & options.keys() else {}
    load = {
        "requests": requests * (1 + len(flushed)),
        "footprint_bytes": _SPAN,
        "global": {"rw": rw, "bs": str(size), **flushed},
    }
    prefill = "touched" if rw == "randread" and name != "erased" else "none"
    # A synchronous write is one request, whatever the drive flushes in it.
    between_ns = 0 if "sync" in options else host_ns
    settings = {"trace.prefill": prefill, "host.turnaround_ns": between_ns}
    replay = f"closed:{options.get('iodepth', '1')}"
    result = slcache.run(load, device=device, scheme="client", replay=replay, settings=settings)
    found: dict[str, Any] = result.documents[0]["host"]
    return found


def _sides(
    host: Mapping[str, Any],
    options: Mapping[str, str],
    host_ns: int,
    random: np.random.Generator,
    noise: float,
) -> dict[str, Any]:
    def drawn(side: str) -> Values:
        only = [[host[side]["latency_us"]["p50"], 1.0]]
        us, shares = np.array(host[side].get("cdf", only)).T
        exact = us[np.minimum(np.searchsorted(shares, random.random(_DRAWN)), len(us) - 1)] * 1e3
        return np.asarray(exact * np.exp(noise * random.standard_normal(_DRAWN)))

    side = "read" if options["rw"].endswith("read") else "write"
    values, count = drawn(side), host[side]["requests"]
    if "sync" in options:
        values = values + drawn("flush")
    empty = {"total_ios": 0, "iops": 0.0, "runtime": 0, "clat_ns": _waits(np.zeros(0))}
    rate = int(options.get("iodepth", "1")) * 1e9 / (float(values.mean()) + host_ns)
    if "fsync" in options:
        rate = 1e9 / (float(values.mean()) + host_ns + host["flush"]["latency_us"]["mean"] * 1e3)
    own = {"total_ios": count, "iops": rate, "runtime": round(count / rate * 1e3)}
    sides: dict[str, Any] = {"read": empty, "write": empty, "trim": empty}
    sides[side] = {**own, "clat_ns": _waits(values)}
    flushes = drawn("flush") if "fsync" in options else np.zeros(0)
    sides["sync"] = {"total_ios": count if len(flushes) else 0, "lat_ns": _waits(flushes)}
    return sides


def _waits(values: Values) -> dict[str, Any]:
    if not len(values):
        return {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}
    ends = np.percentile(values, RANKS)
    # A histogram with 64 bins for each power of two.
    width = 2.0 ** (np.floor(np.log2(ends)) - 6)
    middles = (np.floor(ends / width) + 0.5) * width
    high = round(float(values.max()))
    percentile = {
        f"{rank:.6f}": min(round(v), high) for rank, v in zip(RANKS, middles, strict=True)
    }
    return {
        "min": round(float(values.min())), "max": high, "mean": float(values.mean()),
        "stddev": float(values.std()), "N": len(values), "percentile": percentile,
    }  # fmt: skip
