"""Write the logs of examples/fit: what fio would log of a drive that the simulator makes up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import fio_documents
from hidden_drives import fio_log
from slcache import fit

FOLDER = Path(__file__).parents[1] / "examples" / "fit"
#: What `fit` is to find: 64 planes, a cache of 52 blocks of each, 6 blocks that hold no data.
DRIVE: dict[str, Any] = {
    "device": {
        "name": "made-up",
        "user_bytes": 32_000_000_000 >> 20 << 20,
        "mu_bytes": 4096,
        "plp": False,
        "controller": {"read_ns": 6_000, "write_ns": 9_000},
        "pool": [
            {
                **{"name": "nand", "channels": 8, "chips": 1, "dies": 1, "planes": 8},
                **{"blocks": 166, "wordlines": 64, "page_bytes": 16384},
                "plane_parallelism": "independent",
                "bus": {"ps_per_byte": 625},
                "slc": {"read_ns": [25_000], "program_ns": [205_000], "erase_ns": 3_500_000},
                "tlc": {
                    **{
                        "read_ns": [58_000, 58_000, 74_000],
                        "program": "one-shot",
                        "program_ns": [2_050_000],
                    },
                    **{"erase_ns": 3_500_000, "fold": {"program_ns": 2_450_000}},
                },
            }
        ],
    },
    "buffer": {
        **{"bytes": 16 << 20, "write_back": "at-once"},
        **{"stripe_planes": 32, "stripes_in_flight": 2, "run_overhead_ns": 7_000},
    },
    "scheme-defaults": {"client": {"dynamic": {"max_bytes": 52 << 26}, "fold": {"keep_blocks": 4}}},
}
INTERVAL_MS = 25
TESTS = {"reads": ("read", "read32"), "writes": ("erased", "write", "write8", "flush", "sync")}


def fill(device: dict[str, Any]) -> str:
    """Return the log of the job's fill, in short intervals since the drive is small."""
    curve = fit.simulated_fill(device)
    ends = np.append(
        np.arange(INTERVAL_MS / 1e3, curve.seconds[-1], INTERVAL_MS / 1e3), curve.seconds[-1]
    )
    reached = np.interp(ends, curve.seconds, curve.gb) * 1e9
    return fio_log(np.diff(reached, prepend=0.0), INTERVAL_MS, seed=1)


def main() -> None:
    """Write them."""
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "fill_bw.1.log").write_text(fill(DRIVE))
    for name, tests in TESTS.items():
        (FOLDER / f"{name}.json").write_text(fio_documents.document(DRIVE, tests, requests=200_000))


if __name__ == "__main__":
    main()
