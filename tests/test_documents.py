"""A result document from outside loads, or what is wrong with it is told by its key."""

from __future__ import annotations

import copy
import json
import random
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache import catalogue
from slcache.documents import saved
from slcache.execute.store import Store
from slcache.reproduce import measures

NAN, INF = float("nan"), float("inf")
ODD: list[Any] = [
    None, True, -1, 0, 1.5, 7, 1e300, NAN, INF, 10**30, 2**63, "", "x", "\ud800", [], {}, [[]],
    {"a": 1}, [None], b"bytes", object(), (1, 2), {1: 2}, "tlc", "host", [[3, 4]],
]  # fmt: skip
Step = str | int


def places(value: object, path: tuple[Step, ...] = ()) -> Iterator[tuple[Step, ...]]:
    """Yield the places in a document; of long lists the first two and the last."""
    if path:
        yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*path, key))
    if isinstance(value, list):
        for i in sorted({0, 1, len(value) - 1} & set(range(len(value)))):
            yield from places(value[i], (*path, i))


def parent(document: Any, path: tuple[Step, ...]) -> Any:  # noqa: ANN401
    for step in path[:-1]:
        document = document[step]
    return document


@pytest.fixture(scope="module")
def whole(comparison: slcache.Comparison) -> str:
    """A document as it is stored, its series short."""
    document = comparison.runs[1].to_dict()
    columns = document["series"]["columns"]
    document["series"]["columns"] = {name: values[:6] for name, values in columns.items()}
    for side in ("read", "write"):
        document["host"][side]["cdf"] = document["host"][side]["cdf"][-4:]
    return json.dumps(document)


def use(result: slcache.Result, beside: slcache.Result, *, drawn: bool) -> None:
    """Use a result in every way; only ResultError may come of that."""
    json.loads(result.to_json())
    result.summary()
    assert result.series.height + result.ops.height + result.latency.height >= 0
    try:
        both = slcache.Comparison([beside, result])
    except slcache.ResultError:
        assert result.documents[0]["trace"] != beside.documents[0]["trace"]
    else:
        assert both.normalised
        both.verdict()
        both.summary()
        if drawn:
            both.report()


def test_any_mutated_document_loads_or_is_refused_by_its_key(whole: str) -> None:
    rng = random.Random(18)
    beside = slcache.Result(json.loads(whole), label="beside")
    every = list(places(json.loads(whole)))
    loaded = 0
    for _ in range(400):
        document = json.loads(whole)
        path = rng.choice(every)
        holder, key = parent(document, path), path[-1]
        match rng.randrange(4):
            case 0:
                del holder[key]
            case 1 if isinstance(key, str):
                holder["unheard_of"] = holder.pop(key)
            case _:
                holder[key] = copy.copy(rng.choice(ODD))
        try:
            result = slcache.Result(document)
        except slcache.ResultError as error:
            told = str(error)
            assert len(told) < 400
            assert any(str(step) in told for step in path) or "unheard_of" in told, (path, told)
        else:
            loaded += 1
            use(result, beside, drawn=loaded % 40 == 0)
    assert 20 < loaded < 300


def test_a_missing_key_is_named(whole: str) -> None:
    optional = {"unmapped_reads", "address_dropped", "rounded_to_sectors", "rounded_to_ns"}
    optional |= {
        "spread_inside_seconds",
        "unterminated_last_line",
        "backlog",
        "model_version",
        "cache",
        "state",
        "offered_iops",
        "options",
        "requests_beyond",
        "ops_until_ns",
        "bound",
        "by_mode",
        "damage",
        "lifetime_most_worn_host_bytes",
        "drive_writes_per_day",
        "years",
        "note",
        "cycles",
        "write_bytes_per_day",
    }
    free = (
        "config",
        "waf.by_cause",
        "waf.by_mode",
        "wear.by_mode",
        "scheme.figures",
        "host.read.attribution_us.wait",
        "host.write.attribution_us.wait",
        "series.columns.program_pages",
        # Not in older documents.
        "series.columns.read_latency_ns_p",
        "series.columns.write_latency_ns_p",
    )
    for path in places(json.loads(whole)):
        dotted = ".".join(map(str, path))
        if not isinstance(path[-1], str) or path[-1] in optional:
            continue
        if any(dotted.startswith(name) and dotted != name for name in free):
            continue
        document = json.loads(whole)
        del parent(document, path)[path[-1]]
        with pytest.raises(slcache.ResultError, match=rf"{path[-1]}: missing"):
            slcache.Result(document)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("schema_version",), 2, "schema_version = 2: .* reads version 3; run the trace again"),
        (("schema_version",), 4, "schema_version = 4: this slcache reads version 3$"),
        (("schema_version",), "2", "schema_version = '2'"),
        (("waf", "total"), NAN, "waf.total = nan: must be finite"),
        (("host", "read", "latency_us", "p99"), "fast", "host.read.latency_us.p99 = 'fast': must"),
        (("host", "read", "requests"), -3, "host.read.requests = -3: must be at least 0"),
        (("series", "columns", "erases"), [1], "series.columns: lists of different lengths"),
        (("host", "write", "cdf", 0), [5.0, 2.0], r"host.write.cdf\[0\]\[1\] = 2.0: must be at"),
        (("config", "device"), {}, "config.device.name: missing"),
        (("flash", "ops", 0, "kind"), "melt", r"flash.ops\[0\].kind = 'melt': must be one of"),
    ],
)
def test_what_is_wrong_is_told(
    whole: str, path: tuple[Step, ...], value: object, message: str
) -> None:
    document = json.loads(whole)
    parent(document, path)[path[-1]] = value
    with pytest.raises(slcache.ResultError, match=message):
        slcache.Result(document)


@pytest.mark.parametrize("key", ["requests_per_value", "writes_per_value", "write_bytes_per_value"])
def test_a_series_names_the_unit_of_its_windows(whole: str, key: str) -> None:
    document = json.loads(whole)
    entry = {"name": "slc_blocks", key: 33554432, "values": [428.0, 396.0]}
    document["scheme"]["series"] = [entry]
    assert measures.series(slcache.Result(document).to_dict(), "slc_blocks") == (
        33554432,
        [428, 396],
    )
    del entry[key]
    with pytest.raises(slcache.ResultError, match=f"must have one of .*{key}"):
        slcache.Result(document)


def test_a_histogram_has_a_count_for_every_combination_of_bins(whole: str) -> None:
    document = json.loads(whole)
    axes = [{"name": "slc_blocks", "bins": ["-", "0", "+"]}, {"name": "theta", "bins": ["-", "+"]}]
    histogram = {"name": "actions", "axes": axes, "counts": [1, 2, 3, 4, 5, 6]}
    document["scheme"]["histograms"] = [histogram]
    slcache.Result(document)
    histogram["counts"] = [1, 2, 3]
    with pytest.raises(slcache.ResultError, match=r"histograms\[0\]\.counts: has 3 .* 6 comb"):
        slcache.Result(document)


def test_what_is_no_document_is_told() -> None:
    others: list[Any] = [[], "text", None, 7]
    for other in others:
        with pytest.raises(slcache.ResultError, match="a result document is an object"):
            slcache.Result(other)
    with pytest.raises(slcache.ResultError, match="schema_version: missing"):
        slcache.Result({"runs": []})
    deep: dict[str, Any] = {}
    for _ in range(3000):
        deep = {"deep": deep}
    with pytest.raises(slcache.ResultError, match="nested more than"):
        slcache.Result({"schema_version": 3, "config": deep})


def test_runs_on_different_devices_are_told_before_any_winner(whole: str) -> None:
    other = json.loads(whole)
    other["config"]["device"]["user_bytes"] = 12345678
    other["config"]["host"]["queue_depth"] = 77
    both = slcache.Comparison([slcache.Result(json.loads(whole), "a"), slcache.Result(other, "b")])
    first = both.verdict()[0]
    assert first.startswith("These runs differ in more than their schemes: device.user_bytes is ")
    assert "12,345,678 in b, and 1 more keys differ" in first
    assert first in both.report()


def test_runs_of_different_models_are_told_before_any_winner(whole: str) -> None:
    other = json.loads(whole)
    other["provenance"]["model_version"] += 1
    both = slcache.Comparison([slcache.Result(json.loads(whole), "a"), slcache.Result(other, "b")])
    assert "provenance.model_version is" in both.verdict()[0]


def test_schemes_on_one_device_differ_in_nothing_else() -> None:
    for entry in catalogue.devices():
        try:
            fit, _ = catalogue.fitting(device=entry["name"])
        except slcache.ConfigError:
            continue
        found = [{"config": catalogue.resolve(device=entry["name"], scheme=name)} for name in fit]
        assert saved.differences(fit, found) is None, entry["name"]


def test_a_damaged_kept_result_is_made_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put("kept", {"some": "result" * 99})
    (path,) = tmp_path.iterdir()
    good = path.read_bytes()
    for at in range(10, len(good), 3):
        path.write_bytes(good[:at] + bytes([good[at] ^ 0x55]) + good[at + 1 :])
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = store.get("kept", lambda _: None)
        assert (found, len(told)) in ((None, 1), ({"some": "result" * 99}, 0))
    path.write_bytes(good)
    assert store.get("kept", lambda _: None) == {"some": "result" * 99}
