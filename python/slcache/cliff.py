"""The cliff: write bandwidth over data written, where an SLC cache runs out and recovers."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slcache import api, bandwidth
from slcache.results import Comparison

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The default amount is so many times what the device takes in SLC mode.
CACHES = 3


@dataclass(frozen=True)
class Pattern:
    """Sequential writes of one size: without a break, or in bursts with pauses between.

    They start over after `span_bytes`, by default when the device is full.
    """

    amount_bytes: int
    write_bytes: int = 128 << 10
    queue_depth: int = 32
    bursts: int = 1
    pause_ns: int = 0
    span_bytes: int | None = None

    @property
    def burst_writes(self) -> int:
        """Writes in a burst."""
        return self.amount_bytes // self.write_bytes // self.bursts

    @property
    def writes(self) -> int:
        """Writes in all: every burst has as many."""
        return self.burst_writes * self.bursts

    def spec(self, footprint_bytes: int) -> str:
        """Return the workload as the text of a workload file."""
        lines = [
            'about = "sequential writes for the cliff"',
            f"requests = {self.writes}",
            f"footprint_bytes = {footprint_bytes}",
            "[global]",
            'rw = "write"',
            f'bs = "{self.write_bytes}"',
        ]
        if self.bursts > 1:
            lines += [
                "[arrivals]",
                'process = "bursts"',
                f"burst_requests = {self.burst_writes}",
                'burst_length = "fixed"',
                f"idle_ns = {self.pause_ns}",
                'idle_distribution = "fixed"',
            ]
        return "\n".join(lines) + "\n"


class Cliff:
    """Write bandwidth over data written, for several schemes on one device."""

    def __init__(self, comparison: Comparison, pattern: Pattern, device: str) -> None:
        self.comparison = comparison
        self.pattern = pattern
        self.device = device

    @property
    def curves(self) -> dict[str, bandwidth.Curve]:
        """The bandwidth by scheme; pauses are left out."""
        pattern = self.pattern
        burst_bytes = pattern.burst_writes * pattern.write_bytes
        return {
            label: bandwidth.sustained(document)
            if pattern.bursts == 1
            else bandwidth.in_bursts(document, burst_bytes, pattern.pause_ns)
            for label, document in zip(
                self.comparison.labels, self.comparison.documents, strict=True
            )
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the curves and figures as plain data."""
        pattern = vars(self.pattern) | {
            "amount_bytes": self.pattern.writes * self.pattern.write_bytes
        }
        if self.pattern.bursts == 1:
            del pattern["pause_ns"]
        return {
            "device": self.device,
            "pattern": pattern,
            "schemes": {name: points.to_dict() for name, points in self.curves.items()},
        }

    def to_json(self) -> str:
        """Return the curves and figures as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def plot(self) -> Figure:
        """Draw bandwidth over data written."""
        from slcache.plots import cliff

        return cliff.draw(self.curves, self.pattern.bursts, self.device)


def default_amount(
    device: str, schemes: Sequence[str], settings: Mapping[str, Any] | None = None
) -> int:
    """Return how many bytes to write so that every cache overflows, at most the device once.

    Raises ConfigError.
    """
    amounts = []
    for scheme in schemes:
        own = api.settings_for(settings or {}, scheme, schemes)
        resolved = api.resolve(device=device, scheme=scheme, settings=own)
        user_bytes = int(resolved["device"]["user_bytes"])
        options = next(iter(resolved["scheme"].values()))
        blocks = options.get("slc_blocks", 0)
        cache = sum(_slc_bytes(pool, blocks) for pool in resolved["device"]["pool"])
        amounts.append(min(user_bytes, CACHES * cache) if cache else user_bytes)
    return max(amounts)


def _slc_bytes(pool: Mapping[str, Any], slc_blocks: int) -> int:
    """Return what a pool takes in SLC mode: in SLC blocks, and in blocks of two-layer layout."""
    planes = pool["channels"] * pool["chips"] * pool["dies"] * pool["planes"]
    layers = pool.get("reprogram")
    pages = slc_blocks * pool["wordlines"]
    if layers:
        pages += pool["blocks"] * layers["wordlines_per_layer"] * layers["layers"]
    return int(planes * pages * pool["page_bytes"])


def run(
    pattern: Pattern,
    *,
    device: str,
    schemes: Sequence[str],
    settings: Mapping[str, Any] | None = None,
    progress: api.Progress | None = None,
) -> Cliff:
    """Write a pattern to an empty device under each scheme.

    Raises ConfigError or RunError.
    """
    own = api.settings_for(settings or {}, schemes[0], schemes)
    resolved = api.resolve(device=device, scheme=schemes[0], settings=own)
    user_bytes = int(resolved["device"]["user_bytes"])
    span = min(user_bytes, pattern.span_bytes or user_bytes)
    footprint = span // pattern.write_bytes * pattern.write_bytes
    chosen = {
        **(settings or {}),
        "host.queue_depth": pattern.queue_depth,
        "trace.prefill": "none",
    }
    replay = f"closed:{pattern.queue_depth}" if pattern.bursts == 1 else None
    with _workload(pattern.spec(footprint)) as path:
        comparison = api.compare(
            path,
            device=device,
            schemes=schemes,
            settings=chosen,
            replay=replay,
            progress=progress,
        )
    return Cliff(comparison, pattern, device)


@contextmanager
def _workload(text: str) -> Iterator[str]:
    """Put a workload where the engine finds it."""
    with tempfile.TemporaryDirectory(prefix="slcache-") as folder:
        path = Path(folder) / "cliff.toml"
        path.write_text(text, encoding="utf-8")
        yield str(path)
