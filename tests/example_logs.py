"""Write the logs of examples/fit: what fio would log of a drive that the simulator makes up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hidden_drives import fio_log, waits
from slcache.fit import job

FOLDER = Path(__file__).parents[1] / "examples" / "fit"
#: What `fit` is to find: 64 planes, a cache of 52 blocks of each, 6 blocks that hold no data.
DRIVE: dict[str, Any] = {
    "device": {
        "name": "made-up",
        "user_bytes": 32_000_000_000 >> 20 << 20,
        "mu_bytes": 16384,
        "pool": [
            {
                **{"name": "nand", "channels": 8, "chips": 1, "dies": 1, "planes": 8},
                **{"blocks": 166, "wordlines": 64, "page_bytes": 16384},
                "plane_parallelism": "independent",
                "bus": {"ps_per_byte": 625},
                "slc": {"read_ns": [25_000], "program_ns": [205_000], "erase_ns": 3_500_000},
                "tlc": {
                    **{"read_ns": [60_000], "program": "one-shot", "program_ns": [2_050_000]},
                    **{"erase_ns": 3_500_000, "fold": {"program_ns": 2_450_000}},
                },
            }
        ],
    },
    "buffer": {"bytes": 16 << 20, "write_back": "at-once"},
    "scheme-defaults": {
        "client": {"dynamic": {"max_bytes": 52 << 26}, "fold": {"keep_blocks": 4}},
    },
}
INTERVAL_MS = 25


def fill() -> str:
    """Return the log of the job's fill, in short intervals since the drive is small."""
    curve = job.filled(DRIVE)
    ends = np.append(
        np.arange(INTERVAL_MS / 1e3, curve.seconds[-1], INTERVAL_MS / 1e3), curve.seconds[-1]
    )
    reached = np.interp(ends, curve.seconds, curve.gb) * 1e9
    return fio_log(np.diff(reached, prepend=0.0), INTERVAL_MS, seed=1)


def main() -> None:
    """Write them."""
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "fill_bw.1.log").write_text(fill())
    for name, kind in (("read", "reads"), ("write", "writes")):
        text = waits(DRIVE, kind, 1)
        (FOLDER / f"{name}_lat.1.log").write_text("".join(text.splitlines(keepends=True)[:1600]))


if __name__ == "__main__":
    main()
