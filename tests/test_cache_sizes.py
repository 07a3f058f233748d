"""Caches of different sizes are seen in a comparison."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

import slcache
from slcache.report import html
from slcache.tables import grid
from slcache.words.names import leaves

KIB = 1 << 10
#: Three blocks of eight pages in each of four planes, or six.
SMALL, LARGE = 384 * KIB, 768 * KIB


@pytest.fixture(scope="module")
def unequal() -> slcache.Comparison:
    return slcache.compare(
        "zipf-4k",
        device="tiny",
        schemes=["tlc-only", "baseline", "turbo-write"],
        trace_options={"workload.requests": "200", "workload.footprint_bytes": "1MiB"},
        settings={"scheme.turbo-write.slc_blocks": 6, "device.user_bytes": "2MiB"},
    )


def test_each_run_says_what_its_cache_takes(unequal: slcache.Comparison) -> None:
    sizes = [run["cache"] for run in unequal.to_dict()["runs"]]
    assert sizes == [{"slc_bytes": 0}, {"slc_bytes": SMALL}, {"slc_bytes": LARGE}]
    caches = [run["state"]["cache"] for run in unequal.to_dict()["runs"]]
    assert [cache and cache["limit_bytes"] for cache in caches] == [None, SMALL, LARGE]
    # What is printed is what they took.
    told = [
        f"{cache['peak_bytes'] / KIB:.0f} / {cache['mean_bytes'] / KIB:.0f} KiB"
        for cache in caches
        if cache is not None
    ]
    assert [row.cache for row in unequal.rows()] == ["–", *told]


def test_a_note_names_the_smallest_and_the_largest(unequal: slcache.Comparison) -> None:
    note, *_ = unequal.notes()
    assert "baseline has 384 KiB, turbo-write 768 KiB" in note
    assert note in " ".join(unequal.summary().split())
    assert note in html.render(unequal.labels, unequal.documents, unequal.reference)


def document(size: int | None) -> dict[str, Any]:
    return {"state": {"cache": None if size is None else {"limit_bytes": size}}}


def test_caches_within_a_tenth_and_schemes_without_one_are_not_worth_a_note() -> None:
    def told(*sizes: int | None) -> str:
        names = [f"scheme {i}" for i in range(len(sizes))]
        return grid.unequal_caches(names, [document(size) for size in sizes])

    assert told(0, 1000, 1100, None) == ""
    assert told(None, None) == told(0, 0) == ""
    assert "scheme 1 has 1,000 B, scheme 3 1.08 KiB" in told(0, 1000, 1000, 1101)


def sizes(device: str) -> Iterator[tuple[str, str]]:
    """Yield each scheme of a device with each of its counts of blocks."""
    for scheme in slcache.fitting(device=device)[0]:
        config = slcache.resolve(device=device, scheme=scheme)
        for key, value in leaves({"scheme": config["scheme"]}):
            if key.endswith("blocks") and isinstance(value, int):
                yield scheme, key


@pytest.mark.parametrize("device", ["tiny", "intel-660p-1tb-like", "rl-32g", "nvc-hdd"])
def test_a_size_that_is_too_large_is_told_with_the_largest_that_passes(device: str) -> None:
    for scheme, key in sizes(device):

        def resolved(size: int, scheme: str = scheme, key: str = key) -> None:
            slcache.resolve(device=device, scheme=scheme, settings={key: size})

        with pytest.raises(slcache.ConfigError) as refused:
            resolved(1_000_000)
        told = str(refused.value)
        found = re.search(r"([\d]+) is the largest that passes", told)
        found = found or re.search(rf"{key} = 1000000: must be .*between \d+ and (\d+)", told)
        assert found, told
        resolved(int(found[1]))
        with pytest.raises(slcache.ConfigError, match=found[1]):
            resolved(int(found[1]) + 1)


def test_a_scheme_that_does_not_fit_is_told_with_the_size_that_does() -> None:
    told = 0
    for entry in slcache.devices():
        for scheme, why in slcache.fitting(device=entry["name"])[1].items():
            for key, size in re.findall(r"(scheme[\w.-]+) = (\d+) is the \w+ that passes", why):
                slcache.resolve(device=entry["name"], scheme=scheme, settings={key: int(size)})
                told += 1
    assert told
