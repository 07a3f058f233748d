"""The figures of a result that plans and claims use: what `experiments/measures.toml` says."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from slcache.documents.figures import BITS, densest, slc_block_bytes, slc_bytes
from slcache.kinds import STORES
from slcache.options import parsing
from slcache.reproduce.notation import MethodCall, Term, evaluate, parse_measure

Document = Mapping[str, Any]

#: A window is behind the cliff when its mean write latency is so many times the first one's.
CLIFF = 2.0
#: The writes that papers show of a run.
FIRST_WRITES = 100_000
#: Writes of a window, and the sum of their latencies in ns.
Windows = Sequence[tuple[int, int]]
#: Causes of what is moved in the background.
_RECLAIM = ("migration", "gc", "agc")


T = TypeVar("T")


class AbsentError(Exception):
    """A run has no such figure."""


def _mean_step(values: Sequence[float]) -> float:
    """Return how far a series moves from one value to the next, on average."""
    steps = [abs(after - before) for before, after in itertools.pairwise(values)]
    return statistics.fmean(steps) if steps else 0.0


#: What a series comes to; `late` is the mean over the later half of a run.
_REDUCTIONS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": statistics.fmean,
    "least": min,
    "last": lambda values: values[-1],
    "range": lambda values: max(values) - min(values),
    "step": _mean_step,
    "late": lambda values: statistics.fmean(values[len(values) // 2 :]),
}


@dataclass(frozen=True)
class ResultReader:
    """A document to read figures from; each method raises AbsentError for what it lacks."""

    document: Document

    def at(self, *path: str) -> float:
        """Return the number at the end of a path."""
        found: Any = self.document
        for key in path:
            found = None if found is None else found.get(key)
        return float(present(found))

    def total(self, rows: str, field: str, **like: str) -> float:
        """Return the sum of a field over the rows of a part, of all or of those like this."""
        part, name = rows.split(".")
        every = present(self.document.get(part))[name]
        return float(sum(row[field] for row in every if like.items() <= row.items()))

    def table(self, name: str, field: str) -> float:
        """Return a field of one of the scheme's mapping tables."""
        found = (t[field] for t in self.document["scheme"]["tables"] if t["name"] == name)
        return float(present(next(found, None)))

    def extra_table_bytes(self) -> float:
        """Return the bytes of the tables that page mapping has not."""
        tables = self.document["scheme"]["tables"]
        return float(sum(t["bytes"] for t in tables if t["name"] != "page mapping table"))

    # ---- Series.

    def values(self, name: str) -> list[float]:
        """Return the values of one of the scheme's series."""
        _, values = series(self.document, name)
        return present(values or None)

    def over(self, name: str, reduction: str) -> float:
        """Return one number for all of a series."""
        return _REDUCTIONS[reduction](self.values(name))

    def share_at(self, name: str, value: float) -> float:
        """Return the part of a series that has a value."""
        values = self.values(name)
        return values.count(value) / len(values)

    def l1_share_max(self) -> float:
        """Return the largest share of L1, as the division has it or as its blocks have it."""
        _, division = series(self.document, "l2_share")
        blocks = self.document["scheme"]["figures"].get("l1_block_share_max")
        shares = [1 - share for share in division] + ([] if blocks is None else [float(blocks)])
        return present(max(shares, default=None))

    # ---- Operations of flash and disk.

    def ops(
        self,
        field: str,
        *kinds: str,
        causes: Collection[str] = (),
        but: Collection[str | tuple[str, str]] = (),
        slc: bool | None = None,
    ) -> float:
        """Return a sum over flash operations, of all kinds and causes where none is named.

        `but` are causes that are left out, or kinds with their cause; `slc` chooses operations in
        SLC mode, or all others.
        """
        chosen = (
            op[field]
            for op in self.document["flash"]["ops"]
            if (not kinds or op["kind"] in kinds)
            and (not causes or op["cause"] in causes)
            and op["cause"] not in but
            and (op["kind"], op["cause"]) not in but
            and (slc is None or slc == (op["mode"] == "slc"))
        )
        return float(sum(chosen))

    def pages(self, *causes: str, slc: bool | None = None) -> float:
        """Return pages programmed; padding holds none."""
        return self.ops("pages", *STORES, causes=causes, but=("pad",), slc=slc)

    def waf_vain(self) -> float:
        """Return pages programmed per page written, of AGC's moves only those in vain.

        A scheme without AGC makes no such moves.
        """
        vain = self.document["scheme"]["figures"].get("waf_extra")
        return present(value("waf_pages", self.document)) if vain is None else float(vain)

    def seconds(self, *causes: str, slc: bool | None = None) -> float:
        """Return the time spent on what some causes demand, or on host writes.

        What is neither migrated nor cleaned is a host write: its page, what is read to merge it,
        the room left empty in it.
        """
        but = () if causes else (*_RECLAIM, ("read", "host"))
        return self.ops("time_us", causes=causes, but=but, slc=slc) / 1e6

    def moved_in_flash(self) -> float:
        """Return the share of the service time of flash and disk that moves take in flash alone.

        What leaves for the disk is written there at another cost: `gc_time_share` has both.
        """
        moved = self.ops("time_us", causes=("gc", "migration"))
        served = [*self.document["flash"]["ops"], *present(self.document.get("disk"))["ops"]]
        return moved / float(sum(op["time_us"] for op in served))

    # ---- Requests and their latencies.

    def requests(self, side: str) -> int:
        """Return how many reads or writes there are."""
        return int(self.document["host"][side]["requests"])

    def response_us(self) -> float:
        """Return the mean latency of all reads and writes."""
        sides = [(n, side) for side in ("read", "write") if (n := self.requests(side))]
        us = sum(n * self.at("host", side, "latency_us", "mean") for n, side in sides)
        return us / sum(n for n, _ in sides)

    def write_wait_us(self, cause: str) -> float:
        """Return the mean time that a write waits for work of some cause."""
        wait = self.document["host"]["write"]["attribution_us"]["wait"]
        return float(wait.get(cause, 0.0)) / self.requests("write")

    @property
    def windows(self) -> Windows:
        """The windows of the time series that have writes."""
        columns = self.document["series"]["columns"]
        every = zip(columns["write_requests"], columns["write_latency_ns_sum"], strict=True)
        return [(writes, ns) for writes, ns in every if writes]

    @property
    def _cliff(self) -> int:
        """The window in which the latency of writes rises for the first time."""
        writes, ns = present(next(iter(self.windows), None))
        first = ns / writes
        behind = (i for i, (n, ns) in enumerate(self.windows) if ns > CLIFF * first * n)
        return present(next(behind, None))

    def cliff_writes(self) -> float:
        """Return the writes done by the end of that window."""
        return float(sum(writes for writes, _ in self.windows[: self._cliff + 1]))

    def mean_write_us(self, *, behind_cliff: bool) -> float:
        """Return the mean latency of the writes before that window, or from it on."""
        cliff = self._cliff
        return _mean_us(self.windows[cliff:] if behind_cliff else self.windows[:cliff])

    def write_rise(self) -> float:
        """Return the least change from one quarter of the first writes to the next, as a part.

        Above zero the latency rises all the time, neither at once nor for a while.
        """
        quarters: list[list[tuple[int, int]]] = [[], [], [], []]
        done = 0
        for writes, ns in self.windows:
            at = 4 * done // FIRST_WRITES
            if at > 3:
                break
            quarters[at].append((writes, ns))
            done += writes
        means = [_mean_us(quarter) for quarter in quarters]
        steps = [after / before - 1 for before, after in itertools.pairwise(means)]
        return present(min(steps) if all(means) else None)

    # ---- The trace's own statistics, which the evaluation puts beside a result.

    @property
    def _trace(self) -> Document:
        found: Document = present(self.document.get("trace_info"))
        return found

    def large_write_share(self) -> float:
        """Return the share of the trace's write requests of more than 512 KiB."""
        sizes = self._trace["size_histogram"]
        large = sum(bucket["writes"] for bucket in sizes if bucket["from_bytes"] > 512 * 1024)
        return float(large / self._trace["writes"])

    def small_update_share(self) -> float:
        """Return the share of updates among the trace's writes of up to 4 KiB."""
        told = self._trace
        share = told["update_writes_up_to_4kib_share"] if told["update_writes"] else None
        return float(present(share))

    # ---- The device.

    @property
    def pool(self) -> Document:
        """The first pool of the device."""
        found: Document = self.document["config"]["device"]["pool"][0]
        return found

    def of_pool(self, key: str) -> float:
        """Return what the first pool says under a key."""
        return float(self.pool[key])

    def slc_bytes(self) -> float:
        """Return what all blocks of the pool hold in SLC mode."""
        return float(slc_bytes(self.pool))

    def slc_block_bytes(self) -> float:
        """Return what one of them holds."""
        return float(slc_block_bytes(self.pool))

    def dense_bits(self) -> float:
        """Return how many times as much they hold in the densest mode."""
        return float(BITS[densest(self.pool)])


def present(found: T | None) -> T:
    """Return what a document has; AbsentError for nothing."""
    if found is None:
        raise AbsentError
    return found


def series(document: Document, name: str) -> tuple[int, list[float]]:
    """Return a scheme's values over its windows, and what lies between two of them.

    That is a number of requests, write requests or bytes, as the scheme counts its windows.
    """
    for entry in document["scheme"]["series"]:
        if entry["name"] == name:
            step = next(entry[key] for key in entry if key.endswith("_per_value"))
            return int(step), [
                math.inf if value is None else float(value) for value in entry["values"]
            ]
    return 1, []


def write_latency(document: Document) -> list[tuple[float, float]]:
    """Return writes done so far and their mean latency in us, for every window with writes."""
    windows = ResultReader(document).windows
    done = itertools.accumulate(writes for writes, _ in windows)
    return [(float(d), ns / writes / 1000) for d, (writes, ns) in zip(done, windows, strict=True)]


def _mean_us(windows: Windows) -> float:
    return sum(ns for _, ns in windows) / sum(writes for writes, _ in windows) / 1000


@cache
def measures() -> Mapping[str, Term]:
    """Return what every measure is of a result."""
    rows = parsing.toml_file(Path(__file__).parent.parent / "experiments" / "measures.toml")
    return {name: parse_measure(text) for name, text in rows.items()}


def value(name: str, document: Document) -> float | None:
    """Return a measure of a result; None where the run has no such figure, or a divisor is 0."""
    result = ResultReader(document)

    def read(leaf: str | MethodCall) -> float:
        if isinstance(leaf, MethodCall):
            found: float = getattr(result, leaf.method)(*leaf.told, **leaf.more)
        elif "." in leaf:
            found = result.at(*leaf.split("."))
        else:
            found = evaluate(measures()[leaf], read)
        return found

    try:
        return read(name)
    except (AbsentError, ZeroDivisionError):
        return None
