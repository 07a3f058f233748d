"""Where two traces are so unlike that schemes would probably differ on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from slcache.words import units

Info = Mapping[str, Any]


class _Decider(NamedTuple):
    """A figure that decides results, and how far it may be off."""

    name: str
    title: str
    decides: str
    #: In points for shares and couplings, as a factor for bytes.
    tolerance: float


_MOVED = "write amplification, bytes moved"
#: Latency hangs on queues in bursts, what is moved on what is overwritten before it moves. The
#: tolerances are judgements: the twins by figures that were off in results were off by more.
_SHARES = (
    _Decider("gap_size_coupling", "gap and size hang together", "latency", 0.1),
    _Decider("gap_op_coupling", "gap and operation hang together", "latency", 0.1),
    _Decider("size_op_coupling", "size and operation hang together", "latency", 0.1),
    _Decider("write_share", "writes", "latency and write amplification", 0.05),
    _Decider("update_ratio", "page writes that update", _MOVED, 0.05),
    _Decider("sequential_share", "sequential requests", "latency", 0.1),
    _Decider("phase_write_share_spread", "phases of reads and writes", "latency", 0.1),
    _Decider("phase_update_ratio_spread", "phases of updates", "bytes moved", 0.1),
)
_BYTES = (
    _Decider("mean_write_bytes", "mean write", "latency", 1.1),
    _Decider("median_burst_write_bytes", "half of the bytes in bursts up to", "latency", 1.25),
    _Decider("rewrite_distance_p50_bytes", "half of the rewrites within", _MOVED, 2.0),
    _Decider("rewrite_distance_p90_bytes", "nine in ten rewrites within", _MOVED, 2.0),
)


def warnings(info: Info, against: Info) -> list[str]:
    """Return a line for each figure by which schemes would probably differ."""
    return [*_shares(info, against), *_bytes(info, against)]


def _shares(info: Info, against: Info) -> Iterator[str]:
    for name, title, decides, tolerance in _SHARES:
        one, other = info[name], against[name]
        if abs(other - one) > tolerance:
            yield f"{title}: {units.percent(one)} and {units.percent(other)}: {decides}"


def _bytes(info: Info, against: Info) -> Iterator[str]:
    for name, title, decides, tolerance in _BYTES:
        # A page more or less is no difference of a distance.
        one, other = (max(document[name], 4096) for document in (info, against))
        if max(one, other) > tolerance * min(one, other):
            sizes = f"{units.size(info[name])} and {units.size(against[name])}"
            yield f"{title} {sizes}: {decides}"
