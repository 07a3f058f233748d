"""A result document from outside loads and agrees with itself, or is told by its key."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import disks
import slcache
from slcache import _core, bounds, catalogue
from slcache.documents import saved, schemata
from slcache.reproduce import measures
from support import QUICK, json_of, mixed, validator, write_trace
from support import slcache as command

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
    """A document as it is stored, its distributions short."""
    document = comparison.runs[1].to_dict()
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
    for _ in range(200):
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
    assert 10 < loaded < 150


def test_a_missing_key_is_named(whole: str) -> None:
    optional = {"unmapped_reads", "address_dropped", "rounded_to_sectors", "rounded_to_ns"}
    optional |= {"spread_inside_seconds", "unterminated_last_line", "backlog", "model_version"}
    optional |= {"cache", "state", "offered_iops", "options", "requests_beyond", "ops_until_ns"}
    optional |= {"bound", "by_mode", "damage", "lifetime_most_worn_host_bytes", "years", "note"}
    optional |= {"drive_writes_per_day", "cycles", "write_bytes_per_day"}
    free = [
        *("config", "waf.by_cause", "waf.by_mode", "wear.by_mode", "scheme.figures"),
        *(f"host.{side}.attribution_us.wait" for side in ("read", "write")),
        "series.columns.program_pages",
        # Not in older documents.
        *(f"series.columns.{side}_latency_ns_p" for side in ("read", "write")),
    ]
    for path in places(json.loads(whole)):
        dotted = ".".join(map(str, path))
        # Of a list the first says what all must have.
        later = any(isinstance(step, int) and step > 0 for step in path)
        if later or not isinstance(path[-1], str) or path[-1] in optional:
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
        *(
            (("provenance", "reading"), wrong, "^provenance.reading = ")
            for wrong in (7, "", "hierarchy", "hierarchy/main:", "a/b:c\n")
        ),
        # Of a disk.
        (("disk", "energy_j"), ..., "disk.energy_j: missing"),
        (("disk", "watts"), 1, "disk.watts: unknown key"),
        (("disk", "states", 0, "state"), "asleep", "must be one of active"),
        (("disk", "ops", 0, "kind"), "erase", "must be one of read, write"),
        (("disk", "series", "states", "active"), [0.5] * 21, "different lengths"),
        (("disk", "series", "states", "active"), [2.0] * 20, "must be at most 1"),
        (("disk", "series", "window_ns"), 0, "must be at least 1"),
    ],
)
def test_files_are_told(whole: str, path: tuple[Step, ...], value: object, message: str) -> None:
    document = json.loads(whole)
    if path[0] == "disk":
        document = disks.result("nvc", {"active": 12.0, "standby": 8.0}).to_dict()
    if value is ...:
        del parent(document, path)[path[-1]]
    else:
        parent(document, path)[path[-1]] = value
    with pytest.raises(slcache.ResultError, match=message):
        slcache.Result(document)


def test_series_name_their_units_and_histograms_count_every_combination(whole: str) -> None:
    for key in ("requests_per_value", "writes_per_value", "write_bytes_per_value"):
        document = json.loads(whole)
        entry = {"name": "slc_blocks", key: 33554432, "values": [428.0, 396.0]}
        document["scheme"]["series"] = [entry]
        found = measures.series(slcache.Result(document).to_dict(), "slc_blocks")
        assert found == (33554432, [428, 396])
        del entry[key]
        with pytest.raises(slcache.ResultError, match=f"must have one of .*{key}"):
            slcache.Result(document)
    document = json.loads(whole)
    axes = [{"name": "slc_blocks", "bins": ["-", "0", "+"]}, {"name": "theta", "bins": ["-", "+"]}]
    histogram = {"name": "actions", "axes": axes, "counts": [1, 2, 3, 4, 5, 6]}
    document["scheme"]["histograms"] = [histogram]
    slcache.Result(document)
    histogram["counts"] = [1, 2, 3]
    with pytest.raises(slcache.ResultError, match=r"histograms\[0\]\.counts: has 3 .* 6 comb"):
        slcache.Result(document)


#: What published schemas call the shapes in them, whatever classes are called.
SHAPES = {
    "compare": "Against Bound Bounds Factor Figures Gain Gains Normalised One Result Seeds Spread "
    "Unbound",
    "cliff": "Burst Curve Gain Pattern Unbound",
    "sweep": "Asked Counts Point Provenance",
    "sweep-show": "Across Configuration Effect Front Interval LeftOut Level Load Metric OfLoads "
    "OfOneLoad Rated Spread Worst",
    "tune": "Asked Counts Point Prefix Provenance Settings Sized",
    "why": "Answer Found Group Incident Moved SlowRequest",
    "diff": "Change Run",
    "reproduce": "Claim ClaimRow Finding GainRow Input Learned Optimum Part Point Provenance "
    "Reading Unbeaten Variation",
    "trace-info": "Beside ComparedFigure Finding",
}


@pytest.mark.parametrize("document", SHAPES)
def test_shapes_of_published_schemas_keep_their_names(document: str) -> None:
    """What reads documents may be made from a schema, its classes called as the shapes are."""
    native = {"compare": "result", "trace-info": "trace-info"}.get(document)
    known = json.loads(_core.schema(native) or "")["$defs"] if native else {}
    shapes = schemata.schema(document)["$defs"]
    assert sorted(shapes.keys() - known.keys()) == SHAPES[document].split()


@pytest.mark.parametrize("document", [*schemata._MODELS, "run", "trace-info", "bound", "device"])
def test_sizes_and_times_of_documents_are_in_base_units(document: str) -> None:
    def names(node: object) -> Iterator[str]:
        if isinstance(node, dict):
            yield from node.get("properties", {}) if node.get("properties") else ()
            for each in node.values():
                yield from names(each)
        elif isinstance(node, list):
            for each in node:
                yield from names(each)

    found = {*names(schemata.schema(document))}
    odd = {name for name in found if re.search(r"_([kmgt]i?b|ms|min|h|days)$", name)}
    assert odd == set()


@pytest.mark.parametrize("device", [entry["name"] for entry in catalogue.devices()])
def test_what_is_told_of_devices_has_its_schema(device: str) -> None:
    validator("device").validate(catalogue.device_facts(device))


def test_what_is_told_of_traces_has_its_schema(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "t.csv", mixed(200))
    validator("bound").validate(bounds.of_trace(trace))
    for device in ("tiny", "hierarchy-44g"):
        # Of the one the endurance is known.
        on = bounds.on_device(trace, device=device, settings={"trace.address": "wrap"})
        validator("device-bound").validate(on)
    with trace.open("a") as file:
        file.write("no,request\n")
    found = json.loads(command("trace", "lint", trace, "--json").stdout)
    validator("trace-lint").validate(found)
    assert found["counts"]


def test_what_verbs_print_has_its_schema(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "t.csv", mixed(200))
    runs = [tmp_path / "baseline", tmp_path / "tlc-only"]
    logs = [run.with_suffix(".parquet") for run in runs]
    for run, log in zip(runs, logs, strict=True):
        how = ("--device", "tiny", "--scheme", run.name, "--out", run, "--log", log)
        assert not command("run", trace, *how).returncode
    cases: tuple[tuple[str | Path, ...], ...] = (
        ("why", "why", logs[0]),
        ("why", "why", *logs),
        ("diff", "diff", *runs),
        ("diff", "diff", "--rerun", runs[0]),
        ("schemes", "schemes"),
        ("schemes", "schemes", "--device", "tiny"),
        ("trace-convert", "trace", "convert", trace, "-o", tmp_path / "t.parquet"),
    )
    for name, *verb in cases:
        validator(str(name)).validate(json_of(*verb, "--json"))


def test_what_is_no_document_is_told() -> None:
    deep: dict[str, Any] = {}
    for _ in range(3000):
        deep = {"deep": deep}
    no_object = "a result document is an object"
    cases: list[tuple[Any, str]] = [
        *(([], no_object), ("text", no_object), (None, no_object), (7, no_object)),
        ({"runs": []}, "schema_version: missing"),
        ({"schema_version": 2, "asked": {}}, "asked: this is a search, which slcache tune has"),
        ({"schema_version": 2, "study": {}}, "study: this is a study, which slcache sweep has"),
        ({"device": "tiny", "pattern": {}}, "pattern: this is what slcache cliff has measured"),
        ({"states": {}}, "states: this is a comparison in several states"),
        ({"schema_version": 3, "config": deep}, "nested more than"),
    ]
    for other, told in cases:
        with pytest.raises(slcache.ResultError, match=told):
            slcache.Result(other)


def test_what_differs_beside_schemes_is_told_before_any_winner(whole: str) -> None:
    def first(other: dict[str, Any]) -> str:
        runs = [slcache.Result(json.loads(whole), "a"), slcache.Result(other, "b")]
        told = slcache.Comparison(runs).verdict()[0]
        assert told in slcache.Comparison(runs).report()
        return told

    other = json.loads(whole)
    other["provenance"]["model_version"] += 1
    assert "provenance.model_version is" in first(other)
    other = json.loads(whole)
    other["config"]["device"]["user_bytes"] = 12345678
    other["config"]["host"]["queue_depth"] = 77
    told = first(other)
    assert told.startswith("These runs differ in more than their schemes: device.user_bytes is ")
    assert "12,345,678 in b, and 1 more keys differ" in told
    for device in ("tiny", "rl-32g", "nvc-hdd", "intel-660p-1tb-like"):
        fit, _ = catalogue.fitting(device=device)
        found = [{"config": catalogue.resolve(device=device, scheme=name)} for name in fit]
        assert saved.differences(dict(zip(fit, found, strict=True))) is None, device


#: Figures that are said once: by other parts of the document nobody knows them.
ONCE = {"host.unmapped_reads", "host.trim.bytes", "state.cache.limit_bytes", "figures.utilisation"}
ONCE |= {"state.waf_by_half.0", "state.waf_by_half.1"}
LEFT_OUT = ("host.backlog", "cdf", "stddev", "endurance", "requests_beyond", "0.min", "cycles")


def twice_said(document: dict[str, Any]) -> Iterator[tuple[Any, Step]]:
    """Yield what holds each figure that pages show and that a document says twice, and where."""
    for path in places(document):
        holder, dotted = parent(document, path), ".".join(map(str, path))
        if (
            type(holder[path[-1]]) in (int, float)
            and dotted.startswith(("host", "waf", "wear.pools", "figures", "state"))
            and dotted not in ONCE
            and not any(part in dotted for part in LEFT_OUT)
        ):
            yield holder, path[-1]


def test_no_changed_figure_reaches_a_page(whole: str, tmp_path: Path) -> None:
    count = len(list(twice_said(json.loads(whole))))
    assert count > 40
    for place in range(0, count, 3 if QUICK else 1):
        keys = set()
        for by in (lambda v: v * 3 + 1, lambda _: 2**62):
            edited = json.loads(whole)
            holder, name = list(twice_said(edited))[place]
            holder[name] = by(holder[name])
            with pytest.raises(slcache.ResultError) as caught:
                slcache.Result(edited)
            keys.add(caught.value.key)
        assert None not in keys
    file = tmp_path / "result.json"
    file.write_text(json.dumps(edited), encoding="utf-8")
    with pytest.raises(slcache.ResultError) as of_file:
        slcache.load(file)
    assert of_file.value.key == caught.value.key
