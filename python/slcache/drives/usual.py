"""What is taken of a drive where nothing tells: the controller's times, and kinds of pages."""

from __future__ import annotations

#: The controller's own time for a read and a write, ns. Drives with PCIe are calibrated to two
#: published rows; twice that is assumed of those with SATA.
_COMMAND_NS, _OF_SATA = {"read": 7_000, "write": 10_000}, {"read": 20_000, "write": 20_000}
#: The mean of what either takes longer now and then, ns: calibrated to one row.
JITTER_NS = 1_020
#: How long less than a program waits in the buffer while the host does not write, ns: assumed.
HELD_NS = 10_000_000
#: Slower pages of a wordline, as a multiple of the faster ones; all but two are slow.
_SLOWER, _FAST = 1.28, 2
#: A mapping unit.
UNIT_BYTES = 4096


def command_ns(link: str | None) -> dict[str, int]:
    """Return the controller's time for reads and writes, by the link."""
    return dict(_OF_SATA if link == "sata" else _COMMAND_NS)


def page_reads(fast: float, bits: int) -> list[float]:
    """Return the read time of each page of a wordline."""
    return [fast] * _FAST + [fast * _SLOWER] * (bits - _FAST)


def run_overhead_ns(iops: float, bytes_per_s: float, in_flight: int = 1) -> float:
    """Return what a unit takes alone beyond its share of data in order.

    Where random writes of a unit come at `iops`, and data in order at so many bytes a second.
    """
    return in_flight * 1e9 * (1 / iops - UNIT_BYTES / bytes_per_s)
