"""Results as Rich tables for the terminal, and the same as plain text."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.text import Text

from slcache import units
from slcache.documents.figures import power_states
from slcache.names import printable
from slcache.sentences import gains, life, notes
from slcache.tables import grid
from slcache.tables.table import Cells, fitted

if TYPE_CHECKING:
    from slcache.documents import Document

_TEXT_WIDTH = 110
#: A device that ends later than this, and than this share of the time, after the last request.
_LAG_NS = 1e9
_LAG_SHARE = 0.01
_LATENCIES = ("mean", "p50", "p99", "p99_9", "max")


def label_line(labels: Sequence[str], documents: Sequence[Document]) -> list[Text]:
    """Return the lines above all else: the state, what the workload is, and who fell behind."""
    label, told = documents[0]["trace"]["label"], notes.state_line(documents)
    first = [Text(told)] if told else []
    first += [] if label is None else [Text(f"workload: {label}", "bold")]
    behind = map(overload, labels, documents)
    return first + [Text(line, "yellow") for line in behind if line]


def overload(label: str, document: Document) -> str:
    """Return a sentence that says how far a run's device fell behind, if it did in open replay."""
    host = document["host"]
    backlog = host.get("backlog")
    if not backlog or backlog["lag_ns"] <= max(_LAG_NS, host["duration_ns"] * _LAG_SHARE):
        return ""
    return (
        f"{printable(label)}: the device does not keep up with the trace: up to "
        f"{backlog['requests_max']:,} requests waited, and it finished "
        f"{units.span(backlog['lag_ns'] / 1e3)} after the last arrival{_load(document)}; "
        "latencies are mostly this backlog (closed replay keeps a fixed number outstanding)"
    )


def _load(document: Document) -> str:
    """Say how much more was asked of a device than it managed, where the document tells."""
    offered, served = document["trace"].get("offered_iops"), document["host"]["iops"]
    if not offered or not served:
        return ""
    times = offered / served
    return f" (offered {offered:,.0f} requests/s, served {served:,.0f}: {times:.2f} times)"


def run_table(label: str, document: Document, gb_per_day: float | None = None) -> Cells:
    """Return one run's latencies by side, then its flash's and its disk's figures, as a table."""
    below = _caption(document, gb_per_day)
    return grid.latencies([label], [document], _LATENCIES, title=label, caption=below)


def text(*parts: RenderableType) -> str:
    """Return renderables as plain text, without colour."""
    console = Console(file=io.StringIO(), width=_TEXT_WIDTH, force_terminal=False, highlight=False)
    for part in parts:
        console.print(fitted(part, _TEXT_WIDTH), markup=False)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def _caption(document: Document, gb_per_day: float | None) -> str:
    lines = [
        _flash_line(document),
        _disk_line(document),
        _pace_line(document),
        life.line(document, gb_per_day),
        gains.line(document),
    ]
    return "\n".join(line for line in lines if line)


def _pace_line(document: Document) -> str | None:
    """Return a run's pace, or None where no time passed."""
    values = [column.value(document) for column in grid.PACE_COLUMNS]
    iops, rate, used, _ = (
        "–" if value is None else column.show(value)
        for column, value in zip(grid.PACE_COLUMNS, values, strict=True)
    )
    return None if values[0] is None else f"{iops} IOPS, {rate} MB/s; flash {used} of the time busy"


def _flash_line(document: Document) -> str:
    amplification = document["figures"]["waf"]
    causes = ", ".join(
        f"{name} {value:.2f}" for name, value in document["waf"]["by_cause"].items() if value
    )
    of = f" ({causes})" if causes else ""
    waf = "no host writes" if amplification is None else f"WAF {amplification:.2f}{of}"
    simulated = units.duration(document["host"]["duration_ns"] / 1e3)
    return f"{waf}; {units.count(document['figures']['erases'])} erases; {simulated} simulated"


def _disk_line(document: Document) -> str | None:
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


def _states(disk: Document) -> str:
    """Return the share of the time in each state."""
    total = sum(state["time_s"] for state in disk["states"])
    shares = [(s["state"], s["time_s"] / total) for s in power_states(disk)] if total else []
    return ", ".join(f"{name} {units.percent(share)}" for name, share in shares) or "no time passed"


def _sum(disk: Document, kind: str, key: str) -> float:
    return float(sum(op[key] for op in disk["ops"] if op["kind"] == kind))
