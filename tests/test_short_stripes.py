"""A striped device is slow with less buffer than two stripes, as its notes say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

import slcache

PAGE, PLANES, CHANNELS = 16384, 2, 4
#: A wordline of three pages in each plane.
STRIPE = CHANNELS * PLANES * 3 * PAGE

REQUESTS = 12_000


def device(placement: str) -> dict[str, Any]:
    """Return a device without an SLC cache."""
    own = {"read_ns": [50_000], "erase_ns": 3_000_000}
    pool = {
        **{"name": "nand", "channels": CHANNELS, "chips": 1, "dies": 1, "planes": PLANES},
        **{"blocks": 64, "wordlines": 64, "page_bytes": PAGE, "bus": {"ps_per_byte": 833}},
        "slc": {**own, "program_ns": [200_000]},
        "tlc": {**own, "program_ns": [1_500_000], "program": "one-shot"},
    }
    client = {"placement": placement, "dynamic": {"rule": "none"}, "fold": {"host": "dense"}}
    chips = {"user_bytes": 48 * 64 * STRIPE, "mu_bytes": 4096, "stage_timeout_ns": 10_000_000}
    return {
        "device": {"name": "striped", **chips, "pool": [pool]},
        "scheme-defaults": {"client": client},
    }


def written(placement: str, buffer: Mapping[str, object] | None) -> tuple[float, float, str]:
    """Return MB a second, programs of a page for each, and the note on stripes."""
    content = device(placement) | ({} if buffer is None else {"buffer": buffer})
    job = {"rw": "randwrite", "bs": "4k"}
    load = {"footprint_bytes": 64 << 20, "requests": REQUESTS, "global": job}
    settings = {"trace.prefill": "none"}
    run = slcache.run(load, device=content, scheme="client", settings=settings, replay="closed:8")
    document = run.to_dict()
    seconds = document["host"]["duration_ns"] / 1e9
    told = [note for note in run.notes() if "one-shot wordlines" in note]
    rate = REQUESTS * 4096 / seconds / 1e6
    return rate, document["waf"]["total"], " ".join(told)


def at_once(stripes: float) -> dict[str, object]:
    """Return a buffer of so many stripes."""
    return {"bytes": int(stripes * STRIPE), "write_back": "at-once"}


def in_flight(planes: int, stripes: int) -> dict[str, object]:
    """Return a large buffer with so many stripes on their way, each of so many planes."""
    return {**at_once(WHOLE), "stripe_planes": planes, "stripes_in_flight": stripes}


WHOLE = 8
FEW = [(1, 2), (1, 6), (2, 3), (3, 2), (4, 1), (5, 1), (6, 1), (7, 1)]
ENOUGH = [(1, 7), (2, 4), (3, 3), (4, 2), (6, 2), (7, 2), (8, 1), (8, 2)]
#: A buffer, what is told of it, whether wordlines are padded, and its least and most share of the
#: bandwidth.
CASES: list[tuple[dict[str, object] | None, str, bool, float, float]] = [
    # Of 24 pages 16 may lie in wordlines that one page more does not fill.
    *((at_once(stripes), "padded", True, 0, 0.95) for stripes in (0.25, 0.5, 0.65)),
    *((at_once(stripes), "striped", False, 0, 0.95) for stripes in (0.75, 1, 1.5)),
    ({"bytes": WHOLE * STRIPE}, "padded", True, 0, 0.95),
    (None, "padded", True, 0, 0.95),
    *((at_once(stripes), "", False, 0.85, 2) for stripes in (2, 3, WHOLE)),
    *((in_flight(*few), "buffer.stripes_in_flight", True, 0, 2) for few in FEW),
    # Whole wordlines: as many planes as stripes on their way have are busy, or wait for the next.
    *(
        (in_flight(planes, n), "", False, 0.4 * min(1, planes * n / (CHANNELS * PLANES)), 2)
        for planes, n in ENOUGH
    ),
]


@pytest.fixture(scope="module")
def whole() -> float:
    """The bandwidth with as much buffer as helps."""
    return written("striped", at_once(WHOLE))[0]


@pytest.mark.parametrize(("buffer", "told", "pads", "least", "most"), CASES, ids=str)
def test_what_is_told_to_be_slow_is_and_nothing_else(
    whole: float, buffer: dict[str, object] | None, told: str, pads: bool, least: float, most: float
) -> None:
    rate, waf, notes = written("striped", buffer)
    assert (told in notes, bool(notes), waf > 1.05) == (True, bool(told), pads)
    assert ("padded" in notes) == pads
    assert least * whole <= rate <= most * whole
    # In turn, wordlines need no such room.
    assert most > 1 or written("round-robin", buffer)[2] == ""
