"""What a scheme in Python costs beside the native one that decides alike.

    python benches/own_schemes.py [--rounds N] [--quick]

The contestants run in turn, round by round; host writes per CPU second are printed by round, as JSON.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import slcache

_SCHEMES = Path(__file__).parent.parent / "examples" / "schemes"
CONTESTANTS = {
    "baseline": "baseline",
    "custom": "custom",
    "baseline in Python": f"{_SCHEMES / 'baseline.py'}:Baseline",
    "turbo-write": "turbo-write",
    "turbo-write in Python": f"{_SCHEMES / 'turbo_write.py'}:TurboWrite",
}
DEVICE, WRITES = "hierarchy-44g", 1_000_000
#: Writes of a page each, at random.
_WORKLOAD = {
    "name": "pages",
    "about": "writes of 16 KiB at random",
    "footprint_bytes": "700MiB",
    "stream": [{"rw": "randwrite", "bs": "16k", "size": "700MiB", "weight": 1}],
}


def rate(scheme: str, writes: int) -> float:
    """Return the host writes per CPU second of a run."""
    run = slcache.run({**_WORKLOAD, "requests": writes}, device=DEVICE, scheme=scheme)
    return float(writes / run.documents[0]["sim"]["cpu_s"])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What a scheme in Python costs.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="a hundredth of the work")
    given = parser.parse_args()
    writes = WRITES // 100 if given.quick else WRITES
    rates: dict[str, list[float]] = {name: [] for name in CONTESTANTS}
    for _ in range(given.rounds):
        for name, scheme in CONTESTANTS.items():
            rates[name].append(rate(scheme, writes))
    print(json.dumps(rates, indent=2))


if __name__ == "__main__":
    main()
