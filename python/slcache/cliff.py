"""The cliff: write bandwidth over data written, where an SLC cache runs out and recovers."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slcache import api
from slcache.results import Comparison

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Values = NDArray[np.float64]

#: A drop to this share of the first bandwidth is the cliff.
FALL = 0.7

#: Points of a curve.
STRETCHES = 100


@dataclass(frozen=True)
class Pattern:
    """Sequential writes of one size: without a break, or in bursts with pauses between."""

    amount_bytes: int
    write_bytes: int = 128 << 10
    queue_depth: int = 32
    bursts: int = 1
    pause_ns: int = 0

    @property
    def writes(self) -> int:
        """Writes in all."""
        return self.amount_bytes // self.write_bytes

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
                f"burst_requests = {self.writes // self.bursts}",
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
    def curves(self) -> dict[str, tuple[Values, Values]]:
        """GiB written so far and MB/s meanwhile, by scheme; time without writes left out."""
        labels, documents = self.comparison.labels, self.comparison.documents
        pause_ns = self.pattern.pause_ns if self.pattern.bursts > 1 else 0
        return {n: curve(d, pause_ns) for n, d in zip(labels, documents, strict=True)}

    def figures(self) -> dict[str, dict[str, float | None]]:
        """Return the figures that people quote, by scheme."""
        return {name: _figures(*points) for name, points in self.curves.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return the curves and figures as plain data."""
        return {
            "device": self.device,
            "pattern": vars(self.pattern),
            "schemes": {
                name: {
                    **self.figures()[name],
                    "written_gib": x.round(6).tolist(),
                    "mb_per_s": y.round(2).tolist(),
                }
                for name, (x, y) in self.curves.items()
            },
        }

    def to_json(self) -> str:
        """Return the curves and figures as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def plot(self) -> Figure:
        """Draw bandwidth over data written."""
        from slcache.plots import cliff

        return cliff.draw(self.curves, self.pattern.bursts, self.device)


def run(
    pattern: Pattern,
    *,
    device: str,
    schemes: Sequence[str],
    settings: Mapping[str, Any] | None = None,
    progress: api.Progress | None = None,
) -> Cliff:
    """Write a pattern to an empty device under each scheme.

    The writes fill the device from its first byte on and start over when it is full. Raises
    ConfigError or RunError.
    """
    resolved = api.resolve(device=device, scheme=schemes[0], settings=settings)
    user_bytes = int(resolved["device"]["user_bytes"])
    footprint = user_bytes // pattern.write_bytes * pattern.write_bytes
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


def curve(document: Mapping[str, Any], pause_ns: int = 0) -> tuple[Values, Values]:
    """Return GiB written by the end of each stretch of the run, and MB/s within it.

    A stretch is a hundredth of the data. Stalls count; pauses between bursts do not, nor do the
    windows beside them, which are seldom whole.
    """
    written = np.asarray(document["series"]["columns"]["write_bytes"], dtype=np.float64)
    window_ns = document["series"]["window_ns"]
    counted = _counted(written > 0, pause_ns / (2 * window_ns))
    total = np.cumsum(written)
    stretch = np.minimum(STRETCHES - 1, (STRETCHES * total / total[-1]).astype(int))
    seconds = np.bincount(stretch[counted], minlength=STRETCHES) * window_ns / 1e9
    megabytes = np.bincount(stretch[counted], written[counted], STRETCHES) / 1e6
    known = seconds > 0
    ends = (np.arange(STRETCHES) + 1) / STRETCHES * total[-1] / (1 << 30)
    return ends[known], megabytes[known] / seconds[known]


def _counted(busy: NDArray[np.bool_], pause_windows: float) -> NDArray[np.bool_]:
    """Return the windows that count: up to the last write, without pauses and their neighbours."""
    counted = np.zeros(len(busy), dtype=bool)
    counted[: int(np.flatnonzero(busy)[-1]) + 1] = True
    if not pause_windows:
        return counted
    edges = np.flatnonzero(np.diff(np.concatenate(([True], busy, [True])).astype(int)))
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        if end - start >= pause_windows:
            counted[max(0, start - 1) : end + 1] = False
    return counted if counted.any() else busy


def _figures(written_gib: Values, mb_per_s: Values) -> dict[str, float | None]:
    """Return first and last bandwidth, and where it first fell for good."""
    if len(mb_per_s) < 3:
        return {"first_mb_per_s": None, "last_mb_per_s": None, "cliff_gib": None}
    tenth = max(1, len(mb_per_s) // 10)
    first = float(np.median(mb_per_s[:tenth]))
    last = float(np.median(mb_per_s[-tenth:]))
    fallen = np.flatnonzero(mb_per_s < FALL * first)
    cliff = float(written_gib[fallen[0]]) if len(fallen) else None
    return {"first_mb_per_s": first, "last_mb_per_s": last, "cliff_gib": cliff}


@contextmanager
def _workload(text: str) -> Iterator[str]:
    """Put a workload where the engine finds it."""
    with tempfile.TemporaryDirectory(prefix="slcache-") as folder:
        path = Path(folder) / "cliff.toml"
        path.write_text(text, encoding="utf-8")
        yield str(path)
