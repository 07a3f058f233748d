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


WHOLE = 8
CASES: list[tuple[dict[str, object] | None, bool]] = [
    # Of 24 pages 16 may lie in wordlines that one page more does not fill.
    *((at_once(stripes), stripes < 0.7) for stripes in (0.25, 0.5, 0.65, 0.75, 1, 1.5)),
    ({"bytes": WHOLE * STRIPE}, True),
    (None, True),
]


@pytest.mark.parametrize(("buffer", "pads"), CASES, ids=str)
def test_what_is_told_to_be_slow_is(buffer: dict[str, object] | None, pads: bool) -> None:
    whole, waf, told = written("striped", at_once(WHOLE))
    assert (told, waf < 1.05) == ("", True)
    rate, waf, told = written("striped", buffer)
    assert rate < 0.95 * whole
    assert ("padded" in told, waf > 1.05) == (pads, pads)
    # In turn, wordlines need no such room.
    assert written("round-robin", buffer)[2] == ""


@pytest.mark.parametrize("stripes", [2, 3])
def test_what_has_room_for_two_stripes_is_not_slow(stripes: int) -> None:
    whole, _, _ = written("striped", at_once(WHOLE))
    rate, waf, told = written("striped", at_once(stripes))
    assert (told, waf < 1.05) == ("", True)
    assert rate > 0.85 * whole


FEW = [(1, 2), (1, 6), (2, 3), (3, 2), (4, 1), (5, 1), (6, 1), (7, 1)]
ENOUGH = [(1, 7), (2, 4), (3, 3), (4, 2), (6, 2), (7, 2), (8, 1)]


@pytest.mark.parametrize(("planes", "in_flight"), [*FEW, *ENOUGH])
def test_stripes_too_few_for_one_to_end_are_told(planes: int, in_flight: int) -> None:
    buffer = {**at_once(WHOLE), "stripe_planes": planes, "stripes_in_flight": in_flight}
    _, waf, told = written("striped", buffer)
    pads = (planes, in_flight) in FEW
    assert ("buffer.stripes_in_flight" in told, waf > 1.05) == (pads, pads)


@pytest.mark.parametrize(("planes", "in_flight"), [(4, 2), (8, 1), (8, 2)])
def test_few_stripes_on_their_way_are_whole_wordlines(planes: int, in_flight: int) -> None:
    """Stripes of pages would wait for wordlines that nothing fills."""
    buffer = {**at_once(WHOLE), "stripe_planes": planes, "stripes_in_flight": in_flight}
    rate, waf, _ = written("striped", buffer)
    whole, _, _ = written("striped", at_once(WHOLE))
    assert waf < 1.05
    # As many planes as stripes on their way have are busy, or waiting for the next one to come.
    busy = min(1, planes * in_flight / (CHANNELS * PLANES))
    assert rate > 0.4 * busy * whole
