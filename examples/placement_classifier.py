"""Learn from the first half of a recording which writes the SLC cache should take; test on the rest.

    python examples/placement_classifier.py

A write is worth the cache if its page is written again before as much was written as the cache
holds. A logistic regression on what is known of a write learns that from the first half. On the
second half it places every write of `slcache/Placement-v0`, beside native schemes and the bound.
"""

import tempfile
from pathlib import Path

import numpy as np

import slcache
import slcache.gym
from slcache.gym import features
from slcache.gym.placement import PlacementEnv

TRACE = Path(__file__).parent / "linkbench-40s.blkparse.zst"
DEVICE = str(Path(__file__).parent / "demo.toml")
PAGE_BYTES, BATCH = 16384, 256
SETTINGS = {"trace.address": "compact", "run.bound": True}
REPLAY = "closed:4"


def halves(folder: Path) -> list[str]:
    """Write the halves of the recording to files of their own."""
    counted = slcache.trace.info(TRACE)["summary"]
    middle = sum(counted[kind] for kind in ("reads", "writes", "flushes", "trims")) // 2
    names = [str(folder / "first.parquet"), str(folder / "second.parquet")]
    for part, name in zip(("take", "skip"), names, strict=True):
        slcache.trace.convert(TRACE, name, trace_options={part: str(middle)})
    return names


def known(trace: str) -> np.ndarray:
    """Return what is known of every write, scaled, with a column of ones."""
    rows = features.of_writes(trace, [], 1, PAGE_BYTES)
    scaled = np.sign(rows) * np.log1p(np.abs(rows))
    return np.column_stack([scaled, np.ones(len(rows))])


def worth_it(trace: str, cache_bytes: int) -> np.ndarray:
    """Return whether each write's page is written again within as much as the cache holds."""
    import pyarrow.parquet as pq

    table = pq.read_table(trace)
    writes = table["op"].to_numpy() == 1
    page = table["sector"].to_numpy()[writes].astype(np.int64) * 512 // PAGE_BYTES
    written = np.cumsum(np.ceil(table["sectors"].to_numpy()[writes] * 512 / PAGE_BYTES) * PAGE_BYTES)
    order = np.argsort(page, kind="stable")
    again = page[order][1:] == page[order][:-1]
    distance = np.full(len(page), np.inf)
    distance[order[:-1][again]] = (written[order[1:]] - written[order[:-1]])[again]
    return distance <= cache_bytes


def learned(rows: np.ndarray, labels: np.ndarray, rounds: int = 2000) -> np.ndarray:
    """Return the weights of a logistic regression, by plain gradient descent."""
    scale = rows.std(axis=0) + 1e-9
    scale[-1] = 1.0
    weights = np.zeros(rows.shape[1])
    for _ in range(rounds):
        guess = 1 / (1 + np.exp(-(rows / scale) @ weights))
        weights -= 0.5 * (rows / scale).T @ (guess - labels) / len(rows)
    return weights / scale


def placed(trace: str, actions: np.ndarray) -> dict:
    """Return the document of a run in which every write goes where its action says."""
    env = PlacementEnv(
        trace=trace, device=DEVICE, batch=BATCH, settings=SETTINGS, replay=REPLAY
    )
    env.reset(seed=1)
    ended, at = False, 0
    while not ended:
        some = actions[at : at + BATCH]
        step = np.concatenate([some, np.zeros(BATCH - len(some), int)])
        _, _, ended, _, _ = env.step(step)
        at += BATCH
    return env.finish()


def told(name: str, document: dict) -> None:
    """Print what a run came to."""
    dense = document["figures"]["dense_over_least"]
    write = document["host"]["write"]["latency_us"]
    print(
        f"{name:24} write mean {write['mean']:9,.0f} us  p99 {write['p99']:9,.0f} us"
        f"  WAF {document['waf']['total']:.2f}  dense / least {dense:.2f}"
    )


def main() -> None:
    """Learn, place, compare."""
    with tempfile.TemporaryDirectory() as folder:
        first, second = halves(Path(folder))
        run = {"device": DEVICE, "settings": SETTINGS, "replay": REPLAY}
        native = ["baseline", "turbo-write", "clairvoyant"]
        documents = {name: slcache.run(second, scheme=name, **run).documents[0] for name in native}
        cache_bytes = documents["baseline"]["cache"]["slc_bytes"]
        weights = learned(known(first), worth_it(first, cache_bytes))
        chosen = known(second) @ weights > 0
        hits = (chosen == worth_it(second, cache_bytes)).mean()
        print(f"{len(chosen):,} writes to place; the classifier is right of {hits:.1%}")
        documents["all to the cache"] = placed(second, np.zeros(len(chosen), int))
        documents["classifier"] = placed(second, np.where(chosen, 0, 1))
        for name, document in documents.items():
            told(name, document)


if __name__ == "__main__":
    main()
