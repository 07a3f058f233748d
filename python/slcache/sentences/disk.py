"""What the disk behind the flash did, in words: energy, power states, operations."""

from __future__ import annotations

from slcache.documents.normalise import Document
from slcache.words import kinds, units

Rows = list[tuple[str, str]]


def line(document: Document) -> str | None:
    """Return one sentence of a run's disk, or None without one."""
    disk = document.get("disk")
    if disk is None:
        return None
    power, spins = units.significant(disk["mean_power_w"]), disk["spin_ups"]
    parts = [
        f"{units.energy(disk['energy_j'])}, {power} W on average",
        _states(disk),
        f"{units.count(spins)} spin-up{'' if spins == 1 else 's'}",
    ]
    parts += [
        f"{units.count(_sum(disk, kind, 'count'))} {kind}s "
        f"({units.size(_sum(disk, kind, 'bytes'))})"
        for kind in ("read", "write")
    ]
    miss = document["figures"]["miss_rate"]
    parts += [] if miss is None else [f"miss rate {units.percent(miss)}"]
    return "disk: " + "; ".join(parts)


def rows(document: Document) -> Rows:
    """Return everything a result tells of its disk, as names and values; nothing without one."""
    disk = document.get("disk")
    if disk is None:
        return []
    found = [
        ("energy", units.energy(disk["energy_j"])),
        ("mean power", f"{units.significant(disk['mean_power_w'])} W"),
        ("from 0 to", units.duration(disk["until_ns"] / 1e3)),
        ("spin-ups", units.count(disk["spin_ups"])),
        ("spin-downs", units.count(disk["spin_downs"])),
    ]
    found += [
        (
            f"state {state['state']}",
            f"{units.duration(state['time_s'] * 1e6)}, {units.energy(state['energy_j'])}",
        )
        for state in states(disk)
    ]
    return found + [(f"{op['kind']}s, {op['cause']}", _operations(op)) for op in disk["ops"]]


def states(disk: Document) -> list[Document]:
    """Return the power states that a disk was in, from the most power to the least."""
    by_name = {s["state"]: s for s in disk["states"] if s["time_s"] or s["energy_j"]}
    return [by_name[name] for name in kinds.of(kinds.POWER, by_name)]


def _states(disk: Document) -> str:
    """Return the share of the time in each state."""
    total = sum(state["time_s"] for state in disk["states"])
    shares = [(s["state"], s["time_s"] / total) for s in states(disk)] if total else []
    return ", ".join(f"{name} {units.percent(share)}" for name, share in shares) or "no time passed"


def _operations(op: Document) -> str:
    seeks, rotation, transfer = (
        units.duration(op[key]) for key in ("seek_us", "rotation_us", "transfer_us")
    )
    return (
        f"{units.count(op['count'])} ({units.size(op['bytes'])}); seeks {seeks}, "
        f"rotation {rotation}, transfer {transfer}"
    )


def _sum(disk: Document, kind: str, key: str) -> float:
    return float(sum(op[key] for op in disk["ops"] if op["kind"] == kind))
