"""What the verdict and the table say is what the documents say."""

from __future__ import annotations

import copy
import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import slcache
from figured import figured
from slcache.documents.normalise import winners
from slcache.words import units
from support import mixed, write_trace

KEYS = ("mean", "min", "p50", "p90", "p95", "p99", "p99_9", "p99_99", "max")
BEYOND = ("p50", "p90", "p95", "p99", "p99_9", "p99_99")


def side(mean: float, p99: float, wait: dict[str, float], requests: int = 10) -> dict[str, Any]:
    """Return one direction's part of a document; array service takes what waiting leaves."""
    latencies = dict.fromkeys(KEYS, p99) | {"mean": mean} if requests else dict.fromkeys(KEYS)
    service = {"array": mean - sum(wait.values()), "transfer": 0.0, "link": 0.0, "buffer": 0.0}
    return {
        "requests": requests,
        "bytes": requests * 4096,
        "latency_us": latencies,
        "requests_beyond": dict.fromkeys(BEYOND, requests),
        "attribution_us": {"total": mean, "service": service, "wait": wait},
        "cdf": [[mean, 0.5], [max(mean, p99), 1.0]] if requests else [],
    }


def run(
    name: str, read: dict[str, Any], write: dict[str, Any], waf: dict[str, float], erases: int = 0
) -> slcache.Result:
    """Return a result made of the parts that verdict and table read."""
    op = {"pool": "nand", "mode": "tlc", "cause": "gc", "pages": 0, "bytes": 0, "time_us": 1.0}
    document = json.loads(whole())
    document["host"] |= {"read": copy.deepcopy(read), "write": copy.deepcopy(write)}
    document["flash"] |= {"ops": [{**op, "kind": "erase", "count": erases}], "slots": []}
    total = sum(waf.values())
    document["waf"] |= {"total": total, "by_cause": waf, "by_mode": {"tlc": total}}
    document["scheme"]["name"] = name
    return slcache.Result(figured(document))


@cache
def whole() -> str:
    """Return a document that has every part."""
    with tempfile.TemporaryDirectory() as folder:
        trace = write_trace(Path(folder) / "mixed.csv", mixed(20))
        return slcache.run(trace, device="tiny", scheme="tlc-only").to_json()


NONE = side(0.0, 0.0, {}, requests=0)
FAST = side(100.0, 300.0, {"gc": 20.0})
SLOW = side(400.0, 900.0, {"gc": 300.0})


def compared(
    **sides: tuple[dict[str, Any], dict[str, Any], dict[str, float]],
) -> slcache.Comparison:
    """Compare runs by their names, given as reads, writes and write amplification."""
    return slcache.Comparison([run(name, *parts) for name, parts in sides.items()])


def test_each_side_has_its_winner_and_reason() -> None:
    waf = {"host": 1.0, "migration": 0.5}
    headline, why = compared(a=(FAST, SLOW, {"host": 1.0}), b=(SLOW, FAST, waf)).verdict()
    assert headline == (
        "Writes: b wins with the lowest mean latency, 0.25× that of a; "
        "reads: a wins with the lowest mean latency; b takes 4.00× as long."
    )
    assert "of the 300 µs less per write, waiting behind garbage collection makes 280 µs" in why
    assert "of the 300 µs more per read, waiting behind garbage collection makes 280 µs" in why
    assert "Write amplification is 1.50 against 1.00, above all through migration (0.50 " in why


def test_differences_within_a_percent_are_equal() -> None:
    close = side(100.9, 300.0, {"gc": 20.0})
    both = compared(a=(FAST, FAST, {"host": 1.0}), b=(close, close, {"host": 1.005}))
    headline, why = both.verdict()
    assert headline == (
        "Writes: equal within 1 % on mean latency; reads: equal within 1 % on mean latency."
    )
    assert "as long as on a on average (within 1 %)" in why
    assert "Write amplification is as on a" in why
    assert not any(cell.best for row in both.rows() for cell in row.cells)


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (SLOW, side(200.0, 500.0, {"migration": 180.0}), "ction makes 300 µs and flash array time"),
        (SLOW, side(200.0, 500.0, {"migration": 180.0}), "while waiting behind migration adds 180"),
        (
            FAST,
            side(400.0, 900.0, {"gc": 170.0, "migration": 150.0}),
            "garbage collection makes 150 µs and waiting behind migration 150 µs",
        ),
        (FAST, side(50.0, 1200.0, {"gc": 20.0}), "but its 99th percentile is 4.00× as long"),
    ],
)
def test_components_and_tails_are_told(
    first: dict[str, Any], second: dict[str, Any], told: str
) -> None:
    both = compared(a=(NONE, first, {"host": 1.0}), b=(NONE, second, {"host": 1.0}))
    assert told in both.verdict()[1]
    assert "reads" not in " ".join(both.verdict()).lower()


def test_tied_winners_share_the_win() -> None:
    waf = {"host": 1.0}
    tied = compared(a=(NONE, SLOW, waf), b=(NONE, FAST, waf), c=(NONE, FAST, waf))
    assert tied.verdict()[0].startswith(
        "Writes: b and c tie (within 1 %) with the lowest mean latency, 0.25"
    )


def test_nothing_to_compare_is_said() -> None:
    alone = compared(a=(FAST, FAST, {"host": 1.0}))
    assert alone.verdict() == ["Only a was run: there is nothing to compare it with."]
    assert compared(a=(NONE, NONE, {}), b=(NONE, NONE, {})).verdict() == [
        "The trace has neither reads nor writes: there is nothing to compare.",
        "b: nothing to compare.",
    ]


def test_a_zero_reference_leaves_absolute_figures() -> None:
    both = slcache.Comparison(
        [run(name, FAST, FAST, {"host": 1.0}, erases=n) for name, n in (("a", 0), ("b", 1234))]
    )
    assert [row.cells[-2].text for row in both.rows()] == ["0", "1,234"]
    assert both.normalised["schemes"]["b"]["erases"] is None


def test_labels_may_be_aliases_but_not_twice() -> None:
    document = run("a", FAST, FAST, {"host": 1.0}).to_dict()
    alias = slcache.Result(document, label="alias")
    both = slcache.Comparison([slcache.Result(document), alias], normalise_to="alias")
    assert list(both.normalised["schemes"]) == ["a", "alias"]
    with pytest.raises(ValueError, match="twice"):
        slcache.Comparison([alias, alias])
    with pytest.raises(ValueError, match="normalise"):
        slcache.Comparison([alias], normalise_to="b")


def test_winners() -> None:
    cases: list[tuple[list[float | None], set[int]]] = [
        ([], set()),
        ([1.0], set()),
        ([1.0, 2.0], {0}),
        ([2.0, None, 1.0], {2}),
        ([1.0, 1.009, 2.0], {0, 1}),
        ([1.0, 1.009], set()),
        ([0.0, 0.0], set()),
        ([0.0, 1.0], {0}),
    ]
    for values, best in cases:
        assert winners(values) == best


def test_numbers_read_well() -> None:
    for show, told in (
        (
            units.duration,
            {0: "0 µs", 0.25: "250 ns", 999.6: "1,000 µs", 1234.5: "1.23 ms", 2.5e6: "2.50 s"},
        ),
        (units.size, {0: "0 B", 512: "512 B", 4096: "4.00 KiB", 44 << 30: "44.0 GiB"}),
        (units.factor, {0.314: "0.31×", 0.0123: "0.012×", 123.4: "123×", 0: "0.00×"}),
        (units.significant, {0.000123: "0.000123"}),
    ):
        assert {value: show(value) for value in told} == told
