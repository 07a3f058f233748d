"""Drives that only a seed knows, simulated by `client`, and what fio would log of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import slcache
from slcache.bandwidth.curves import Values

PAGE, WRITE, DEPTH = 16384, 128 << 10, 32
Parts = list[tuple[float, float]]
#: A terabyte with a cache, what is behind it, and folding: (to GB, MB/s).
THREE: Parts = [(110.0, 4800.0), (790.0, 1500.0), (1000.0, 700.0)]


CACHE = 192 << 20
SMALL = {"dynamic": {"rule": "table", "table": [[0.0, CACHE]]}, "fold": {"keep_blocks": 4}}


def small() -> dict[str, Any]:
    """Return a small device: 8 planes, TLC, a cache of 192 MiB."""
    mode = {"read_ns": [50_000], "erase_ns": 3_000_000}
    pool = {
        "name": "nand", "channels": 2, "chips": 1, "dies": 1, "planes": 4, "blocks": 512,
        "wordlines": 16, "page_bytes": 16384, "bus": {"ps_per_byte": 833},
        "slc": {**mode, "program_ns": [200_000]},
        "tlc": {**mode, "program_ns": [2_000_000], "program": "one-shot"},
    }  # fmt: skip
    return {
        "device": {"name": "small", "user_bytes": 2560 << 20, "mu_bytes": 16384, "pool": [pool]},
        "scheme-defaults": {"client": SMALL},
        "host": {"link": "pcie3x4"},
        "buffer": {"bytes": 1 << 20, "write_back": "at-once"},
    }


@dataclass(frozen=True)
class Drive:
    """A drive, and what is true of it by the closed forms of docs/schemes/client.md."""

    device: dict[str, Any]
    bits: int
    user_bytes: int
    cache: float
    usable: float
    speeds: tuple[float, float, float]

    @property
    def window_ms(self) -> int:
        """Return a window of which a fill has some 1,500."""
        ends = np.diff([0, self.cache, self.usable - (self.bits - 1) * self.cache, self.user_bytes])
        return max(4, round(float((ends / self.speeds).sum()) * 1000 / 1500))


def drive(seed: int, scale: float = 1.0) -> Drive:
    """Return a drive with three phases; `scale` is that of its blocks."""
    random = np.random.default_rng(seed)
    bits = int(random.choice([3, 4]))
    mode = {3: "tlc", 4: "qlc"}[bits]
    channels, planes = int(random.choice([2, 4])), int(random.choice([2, 4]))
    count, wordlines = channels * planes, int(random.choice([48, 64, 96]))
    kept = int(random.integers(2, 5))
    usable = round(random.uniform(700, 1000) * scale)
    cap = round(usable * random.uniform(0.15, 0.6))
    begins = usable * bits - (bits - 1) * cap
    user = round(begins + random.uniform(0.3, 0.9) * (bits - 1) * cap)
    user = min(user, (usable - 8) * bits)
    drawn = {
        "slc": random.uniform(120e3, 300e3),
        mode: bits * random.uniform(450e3, 900e3),
        "read": random.uniform(20e3, 40e3),
        "erase": random.uniform(2e6, 6e6),
        "overhead": float(random.choice([0.0, 0.4])) * random.uniform(100e3, 900e3),
    }
    host, path = str(random.choice(["slc", "dense"])), str(random.choice(["chip", "controller"]))
    times = {name: round(value) for name, value in drawn.items()}
    transfer = PAGE * 625 / 1000
    sigma, delta = transfer + times["slc"], transfer + times[mode] / bits
    phi = times["read"] + times[mode] / bits + times["erase"] / wordlines
    phi += times["overhead"] / bits + (2 * transfer if path == "controller" else 0)
    third = sigma + phi * bits / (bits - 1) if host == "slc" else delta + phi / (bits - 1)
    row = count * wordlines * PAGE
    user_bytes = user * row // WRITE * WRITE
    pool = {
        "name": "nand",
        **{"channels": channels, "chips": 1, "dies": 1, "planes": planes},
        **{"blocks": usable + kept, "wordlines": wordlines, "page_bytes": PAGE},
        "bus": {"ps_per_byte": 625},
        "slc": _mode(times["read"], times["slc"], times["erase"]),
        mode: {**_mode(60_000, times[mode], times["erase"]), "program": "one-shot", "fold": {}},
    }
    client: dict[str, Any] = {
        "fold": {
            **{"keep_blocks": kept, "host": host, "path": path},
            "overhead_ns": times["overhead"],
        }
    }
    if random.random() < 0.5:
        client["static_blocks"], client["dynamic"] = 1, {"max_bytes": (cap - 1) * row}
    else:
        client["dynamic"] = {"rule": "table", "table": [[0.0, cap * row]]}
    device = {
        "device": {
            **{"name": "hidden", "user_bytes": user_bytes, "mu_bytes": PAGE},
            "pool": [pool],
        },
        "buffer": {"bytes": 3 * count * bits * PAGE},
        "scheme-defaults": {"client": client},
    }
    speeds = tuple(count * PAGE / ns * 1e9 for ns in (sigma, delta, third))
    return Drive(device, bits, user_bytes, cap * row, usable * row * bits, speeds)  # type: ignore[arg-type]


def emptied(seed: int) -> tuple[Drive, float, float]:
    """Return a drive whose cache is emptied beside the writes, the ratio, and the speed then."""
    whole, random = drive(seed, 0.5), np.random.default_rng(1000 + seed)
    bits, ratio = whole.bits, float(random.uniform(0.3, 1.2))
    pool, client = whole.device["device"]["pool"][0], whole.device["scheme-defaults"]["client"]
    row = pool["channels"] * pool["planes"] * pool["wordlines"] * PAGE
    cap = max(12, whole.user_bytes // row // 10)
    rows = -(-(whole.user_bytes + (bits - 1) * cap * row) // (row * bits))
    pool["blocks"] = rows + client["fold"]["keep_blocks"] + 2
    client |= {"static_blocks": 0, "dynamic": {"max_bytes": cap * row}}
    client["flush"] = {"busy_ratio": ratio}
    sigma, delta, third = (pool["channels"] * pool["planes"] * PAGE / v for v in whole.speeds)
    inside = client["fold"]["host"] == "slc"
    phi = (third - sigma) * (bits - 1) / bits if inside else (third - delta) * (bits - 1)
    meanwhile = pool["channels"] * pool["planes"] * PAGE / (delta + ratio * phi)
    return replace(whole, cache=float(cap * row)), ratio, meanwhile


def _mode(read: int, program: int, erase: int) -> dict[str, Any]:
    return {"read_ns": [read], "program_ns": [program], "erase_ns": erase}


def filled(device: Mapping[str, Any] | Path, user_bytes: int, ms: int) -> tuple[Values, float]:
    """Fill a drive; return the bytes written in each window of so many ms, and MB/s in all."""
    load = {
        "requests": user_bytes // WRITE,
        "footprint_bytes": user_bytes // WRITE * WRITE,
        "global": {"rw": "write", "bs": str(WRITE)},
    }
    document = slcache.run(
        load,
        device=device,
        scheme="client",
        replay=f"closed:{DEPTH}",
        window=f"{ms}ms",
        settings={"trace.prefill": "none"},
    ).documents[0]
    written = np.asarray(document["series"]["columns"]["write_bytes"], float)
    return written, float(written.sum() / document["host"]["duration_ns"] * 1e3)


def windows(parts: Parts, ms: int = 500) -> Values:
    """Return the bytes that a fill by (to GB, MB/s) writes in each window."""
    bounds = np.array([0.0, *(end for end, _ in parts)])
    seconds = np.cumsum([0.0, *(np.diff(bounds) * 1e3 / [speed for _, speed in parts])])
    ends = np.append(np.arange(ms / 1e3, seconds[-1], ms / 1e3), seconds[-1])
    reached: Values = np.interp(ends, seconds, bounds) * 1e9
    return np.diff(reached, prepend=0.0)


def fio_log(written: Values, ms: int, seed: int, noise: float = 0.05) -> str:
    """Return a fill as fio 3.36 logs it with log_avg_msec, with noise and some ten stalls."""
    random = np.random.default_rng(seed)
    spent = np.maximum(1, np.round(ms * np.exp(noise * random.standard_normal(len(written)))))
    # Where a drive stands still fio logs nothing; the next rate is that of its own interval.
    ends = np.cumsum(spent + np.where(random.random(len(written)) < 1 / 150, 7 * ms, 0)).astype(int)
    rates = np.round(written / 1.024 / spent).astype(int)
    return "".join(f"{t}, {r}, 1, 0, 0\n" for t, r in zip(ends, rates, strict=True))


def a_log(folder: Path, parts: Parts, ms: int = 500, noise: float = 0.05, seed: int = 1) -> Path:
    """Write what fio logs of a fill."""
    path = folder / "fill_bw.1.log"
    path.write_text(fio_log(windows(parts, ms), ms, seed, noise))
    return path


#: Logs of single requests: whether they read, of what data, how large and how they are written.
KINDS = {
    "reads": ("randread", "touched", 4096, "on-buffer"),
    "erased": ("randread", "none", 4096, "on-buffer"),
    "buffered": ("randwrite", "none", 4096, "on-buffer"),
    "writes": ("randwrite", "none", PAGE, "on-program"),
}


def waits(device: Mapping[str, Any], kind: str, seed: int, noise: float = 0.02) -> str:
    """Return what fio 3.36 logs of single random requests on a drive, with noise and a tail."""
    rw, prefill, size, acknowledge = KINDS[kind]
    is_read, turnaround_ns = rw == "randread", 7_000
    load = {"requests": 4000, "footprint_bytes": 64 << 20, "global": {"rw": rw, "bs": str(size)}}
    settings = {
        "buffer.acknowledge": acknowledge,
        "trace.prefill": prefill,
        "host.turnaround_ns": turnaround_ns,
    }
    document = slcache.run(
        load, device=device, scheme="client", replay="closed:1", settings=settings, seed=seed
    ).documents[0]
    us, shares = np.array(document["host"]["read" if is_read else "write"]["cdf"]).T
    random = np.random.default_rng(seed)
    exact = us[np.searchsorted(shares, random.random(4000))] * 1e3
    tail = np.where(random.random(4000) < 0.005, random.uniform(2, 20, 4000), 1.0)
    found = np.round(exact * np.exp(noise * random.standard_normal(4000)) * tail)
    ends = np.cumsum(found + turnaround_ns) / 1e6
    return "".join(
        f"{t:.0f}, {ns:.0f}, {int(not is_read)}, {size}, 0\n"
        for t, ns in zip(np.floor(ends), found, strict=True)
    )


def lines(
    value: Callable[[int], float],
    change: Callable[[list[str]], list[str]] = list,
    count: int = 1200,
) -> str:
    """Return a log of reads of 4 KiB, each of `value(i)` ns, 5 us apart, with changed cells."""
    found = np.array([value(i) for i in range(count)])
    ends = np.floor(np.cumsum(found + 5_000) / 1e6)
    rows = [[f"{t:.0f}", f"{ns:.0f}", "0", "4096", "0"] for t, ns in zip(ends, found, strict=True)]
    return "".join(", ".join(change(row)) + "\n" for row in rows)


def steady(_: int) -> float:
    """Return a latency."""
    return 80_000.0
