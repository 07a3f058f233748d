"""What schemes program dense beside the least: counted in runs, compared, told and drawn."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import slcache
from slcache import bounds
from slcache.charts import bound as picture
from slcache.documents import gains, schemata
from slcache.results.seeded import SeededComparison
from slcache.sentences import gains as sentences
from support import TINY_BYTES, Row, write_trace

DEMO = "examples/linkbench-40s.blkparse.zst"
SCHEMES = ["tlc-only", "baseline", "turbo-write", "ips"]


def hot(count: int = 4000, share: int = 16) -> list[Row]:
    """Return writes of 4 to 16 KiB, most of them to a small part of the tiny device."""
    rng = random.Random(3)
    rows: list[Row] = []
    for i in range(count):
        units = TINY_BYTES // 4096 // (share if rng.random() < 0.9 else 1)
        size = rng.choice([4096, 2048, 8192, 16384])
        rows.append((i // 4, "Write", 4096 * rng.randrange(units - 4), size))
    return rows


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("gains") / "hot.csv", hot())


@pytest.fixture(scope="module")
def compared(trace: Path) -> slcache.Comparison:
    return slcache.compare(trace, device="tiny", schemes=SCHEMES, replay="closed:4")


def run(scheme: str, dense: int, least: int, **more: object) -> dict[str, Any]:
    """Return as much of a document as is read of a bound."""
    figures = {"capacity_slots": 100, "buffer_slots": 0, "versions": 90, "drained": False}
    bound = {"kind": "dense", **figures, "least": least, "counted": dense, **more}
    device = {"name": "tiny", "mu_bytes": 4096}
    return {"scheme": {"name": scheme}, "config": {"device": device}, "bound": bound}


def test_the_share_is_of_what_the_reference_leaves() -> None:
    reference = run("a", 200, 90, capacity_slots=0)
    for dense, least, share in [
        (100, 100, 1.0),
        (150, 100, 0.5),
        (200, 100, 0.0),
        (250, 100, -0.5),
    ]:
        assert gains.share(run("b", dense, least), reference) == share
    # A reference with a larger cache may be below the least of a smaller one.
    assert gains.share(run("b", 250, 210), reference) is None
    assert gains.share(run("b", 250, 200), reference) is None
    assert gains.is_nothing(run("b", 199, 198), reference)
    assert not gains.is_nothing(run("b", 199, 190), reference)
    other = {**run("b", 5, 0), "bound": {"kind": "none", "why": "so"}}
    assert gains.share(other, reference) is None
    assert gains.share(reference, other) is None


def test_a_comparison_tells_table_sentences_and_document(compared: slcache.Comparison) -> None:
    document = compared.to_dict()
    Draft202012Validator(schemata.schema("compare")).validate(document)
    told = document["gains"]["schemes"]
    assert list(told) == SCHEMES
    assert "turn dense where they lie" in told["ips"]["why"]
    reference = told["tlc-only"]
    assert reference["share"] is None
    for name in ("baseline", "turbo-write"):
        one = told[name]
        assert one["least_bytes"] < one["dense_bytes"] <= reference["dense_bytes"] * 2
        room = reference["dense_bytes"] - one["least_bytes"]
        assert one["share"] == pytest.approx((reference["dense_bytes"] - one["dense_bytes"]) / room)
        assert one["above"] == one["dense_bytes"] / one["least_bytes"]
    summary = compared.summary(explain=True)
    assert "dense / least" in summary
    assert "No bound holds for ips: pages written at SLC speed" in summary
    page = compared.report()
    assert "How large a cache is worth" in page
    assert "What no cache can save" in page


CACHED = ["baseline", "turbo-write", "sa", "sector", "hierarchy", "hyssd"]


@pytest.mark.parametrize("writes", [20, 90, 400])
def test_a_cache_that_never_filled_has_no_share(writes: int, tmp_path: Path) -> None:
    """384 KiB of cache: what has room needs no policy, and ties of such runs tell nothing."""
    rows: list[Row] = [(20 * i, "Write", 4096 * (i % 150), 4096) for i in range(writes)]
    trace = write_trace(tmp_path / "few.csv", rows)
    found = slcache.compare(trace, device="tiny", schemes=["tlc-only", *CACHED])
    rows_of = {row.label: row.cells[-1].text for row in found.gain_rows()}
    told = " ".join(line for line in found.gain_lines() if "never filled" in line)
    for name in CACHED:
        document = found.documents[found.labels.index(name)]
        unfilled = gains.is_unfilled(document)
        # At 90 it hangs on the scheme: some make room before the last block is taken.
        assert unfilled is (writes == 20) or writes == 90
        assert (rows_of[name] == sentences.UNFILLED) is unfilled
        assert (name in told) is unfilled
    draws = slcache.compare(trace, device="tiny", schemes=["tlc-only", *CACHED], resample=2)
    cells = [row.cells[-1].text for row in draws.gain_rows()][1:]
    if writes == 20:
        assert cells == [sentences.UNFILLED] * len(CACHED)
    if writes == 400:
        assert cells == mean_shares(draws)
    # Nobody knows what was in a cache that was not drained.
    full = {"precondition.fill": 0.5, "precondition.drain": False}
    begun = slcache.compare(trace, device="tiny", schemes=["tlc-only", "baseline"], settings=full)
    assert not any("never filled" in line for line in begun.gain_lines())


def mean_shares(found: slcache.Comparison) -> list[str]:
    assert isinstance(found, SeededComparison)
    shares = (row.cells[-1].text for row in found.gain_rows())
    return [share for share in shares if "%" in share]


def test_the_least_of_an_emptied_cache_is_no_bound_for_others(tmp_path: Path) -> None:
    """It held for turbo-write alone: baseline, with as much cache, programs nothing dense."""
    rows: list[Row] = [(20 * i, "Write", 4096 * (i % 60), 4096) for i in range(90)]
    trace = write_trace(tmp_path / "few.csv", rows)
    found = slcache.compare(trace, device="tiny", schemes=["tlc-only", "baseline", "turbo-write"])
    (line,) = [line for line in found.gain_lines() if "no scheme can" in line]
    assert "of cache and memory, emptied at the end, no scheme can program less than" in line


def test_the_curve_is_that_of_the_trace_as_it_is_placed(
    trace: Path, compared: slcache.Comparison
) -> None:
    curve = compared.bounds
    assert curve is not None
    sizes = [row["slots"] * 4096 for row in curve["sizes"]]
    alone = bounds.of_trace(trace, sizes)
    for row, other in zip(curve["sizes"], alone["sizes"], strict=True):
        assert (row["least"], row["least_drained"]) == (other["least"], other["least_drained"])
    # Requests of one stream come in the trace's order, whatever the replay.
    found = compared.documents[1]["bound"]
    (own,) = bounds.of_trace(trace, [found["capacity_slots"] * 4096])["sizes"]
    assert (found["kept"], found["least"]) == (own["kept"], own["least"])


def test_a_comparison_is_loaded_with_its_bounds(
    compared: slcache.Comparison, tmp_path: Path
) -> None:
    file = tmp_path / "compared.json"
    file.write_text(compared.to_json())
    loaded = slcache.load(file)
    assert loaded.to_dict() == compared.to_dict()
    document = compared.to_dict()
    document["bounds"]["sizes"][0]["slots"] = "many"
    file.write_text(json.dumps(document))
    with pytest.raises(slcache.ResultError, match=r"bounds\.sizes\[0\]\.slots = 'many'"):
        slcache.load(file)


def test_documents_without_bounds_stay_what_they_were(trace: Path, tmp_path: Path) -> None:
    plain = slcache.compare(
        trace, device="tiny", schemes=SCHEMES[:2], settings={"run.bound": False}
    )
    document = plain.to_dict()
    assert "gains" not in document
    assert "bounds" not in document
    assert all(
        "bound" not in run and "bound" not in run["config"]["run"] for run in document["runs"]
    )
    assert not plain.gain_rows()
    assert not plain.gain_lines()
    assert "How large a cache" not in plain.report()
    # One that is counted and one that is not differ in nothing else.
    counted = slcache.compare(trace, device="tiny", schemes=SCHEMES[:2])
    for one, other in zip(document["runs"], counted.to_dict()["runs"], strict=True):
        assert other["bound"]["kind"] == "dense"
        assert one["flash"] == other["flash"]
        assert one["host"] == other["host"]
    assert not [line for line in counted.verdict() if "run.bound" in line]


@pytest.mark.parametrize("broken", ["why", "least"])
def test_a_bound_that_is_not_whole_is_an_error(
    compared: slcache.Comparison, broken: str, tmp_path: Path
) -> None:
    place = 3 if broken == "why" else 1
    document = compared.to_dict()["runs"][place]
    del document["bound"][broken]
    file = tmp_path / "result.json"
    file.write_text(json.dumps(document))
    with pytest.raises(slcache.ResultError, match=rf"bound\.{broken}: missing"):
        slcache.load(file)


def counted(trace: str | Path, device: str, scheme: str, **more: Any) -> Mapping[str, Any]:  # noqa: ANN401
    settings = {"run.bound": True, **more.pop("settings", {})}
    found: Mapping[str, Any] = slcache.run(
        trace, device=device, scheme=scheme, settings=settings, **more
    ).to_dict()["bound"]
    return found


def test_what_is_written_once_costs_what_it_is(tmp_path: Path) -> None:
    """As much as the cache holds stays in it, or all is programmed dense if that is emptied."""
    rows = [(i, "Write", 16384 * i, 16384) for i in range(200)]
    trace = write_trace(tmp_path / "once.csv", rows)
    kept = counted(trace, "tiny", "baseline")
    assert kept["least"] == max(0, 800 - kept["capacity_slots"])
    assert (kept["kept_died"], kept["drained"]) == (0, False)
    emptied = counted(trace, "tiny", "turbo-write")
    assert (emptied["least"], emptied["counted"], emptied["drained"]) == (800, 800, True)
    straight = counted(trace, "tiny", "tlc-only")
    assert (straight["capacity_slots"], straight["least"], straight["counted"]) == (0, 800, 800)


def test_trims_parts_and_requests_at_one_time_are_counted_by_hand(tmp_path: Path) -> None:
    trace = tmp_path / "t.log"
    rows = ["fio version 3 iolog", "0 d add", "0 d open"]
    # Two units, one of them in part; the first is trimmed, and a part of the second is.
    rows += ["0 d write 0 6144", "0 d trim 0 6144", "0 d write 0 512", "1 d write 4096 4096"]
    trace.write_text("\n".join([*rows, "2 d close", ""]))
    found = counted(trace, "tiny", "tlc-only", trace_format="fio")
    assert (found["versions"], found["kept"], found["least"]) == (4, 0, 4)
    found = counted(trace, "tiny", "baseline", trace_format="fio")
    assert (found["versions"], found["kept"], found["kept_died"]) == (4, 4, 2)


def test_a_buffer_is_cache(trace: Path) -> None:
    plain = counted(trace, "tiny", "tlc-only")
    buffer = {"buffer.bytes": 1 << 20}
    found = counted(trace, "tiny", "tlc-only", settings=buffer)
    assert found["capacity_slots"] == found["buffer_slots"] == 256
    assert found["versions"] == plain["versions"]
    assert plain["least"] > found["counted"] >= found["least"]
    through = {**buffer, "buffer.acknowledge": "on-program"}
    assert counted(trace, "tiny", "tlc-only", settings=through)["capacity_slots"] == 0


def test_without_writes_there_is_no_bound(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "reads.csv", [(0, "Read", 0, 4096)])
    compared = slcache.compare(trace, device="tiny", schemes=SCHEMES[:2])
    assert compared.documents[1]["bound"] == {"kind": "none", "why": "nothing was written"}
    assert compared.bounds is None
    assert compared.gain_rows() == []
    assert compared.gain_lines()[0] == (
        "No bound holds for tlc-only and baseline: nothing was written."
    )
    assert "No bound holds" in compared.report()


def test_a_disk_is_bound_by_all_flash(tmp_path: Path) -> None:
    rng = random.Random(5)
    rows = [(5 * i, "Write", 4096 * rng.randrange(4000), 4096) for i in range(6000)]
    trace = write_trace(tmp_path / "disk.csv", rows)
    compared = slcache.compare(
        trace, device="nvc-hdd", schemes=["disk-only", "nvc"], settings={"buffer.bytes": 1 << 20}
    )
    for document in compared.documents:
        found = document["bound"]
        assert found["kind"] == "disk"
        assert found["least"] <= found["counted"]
    assert compared.documents[0]["bound"]["drained"]
    assert "written to disk" in compared.summary(explain=True)
    assert picture.bound(compared.labels, compared.documents, compared.bounds)["concat"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [device["name"] for device in slcache.devices()])
def test_no_scheme_on_any_preset_is_below_its_bound(name: str, trace: Path) -> None:
    names, _ = slcache.fitting(device=name)
    for scheme in names:
        found = counted(trace, name, scheme, settings={"trace.address": "compact"})
        if scheme.startswith("ips"):
            assert found["kind"] == "none"
        else:
            assert found["least"] <= found["counted"], scheme


#: Small caches, by what schemes call their size; the first that the device allows is taken.
SMALL: list[dict[str, object]] = [
    {"slc_blocks": 2},
    {"slc_blocks": 3},
    {"slc_blocks": 4},
    {"fast_blocks": 2},
    {"fast_blocks": 4},
    {},
]
#: `clairvoyant` set for the fewest dense programs.
DENSE_ALONE = {"plan_share": 1, "stay_share": 0.9, "mix_windows": True, "spread": "device"}


def first_allowed(device: str, scheme: str, choices: list[dict[str, object]]) -> Mapping[str, Any]:
    """Return the bound of the recording on a device, with the first settings it does not refuse."""
    address = "wrap" if device == "tiny" else "compact"
    for keys in choices:
        settings = {f"scheme.{scheme}.{key}": value for key, value in keys.items()}
        try:
            return counted(DEMO, device, scheme, settings={"trace.address": address, **settings})
        except slcache.ConfigError:
            continue
    return {}


@pytest.mark.slow
@pytest.mark.parametrize("name", [device["name"] for device in slcache.devices()])
def test_who_knows_the_future_programs_no_more_than_any_scheme_with_such_a_cache(name: str) -> None:
    def knows(blocks: int) -> Mapping[str, Any]:
        return first_allowed(name, "clairvoyant", [{"slc_blocks": blocks, **DENSE_ALONE}])

    least = knows(3)
    if not least:
        pytest.skip("one mode of cells, two kinds of chips, or a disk: clairvoyant does not fit")
    block = (least["capacity_slots"] - least["buffer_slots"]) // 3
    held = 0
    for scheme in slcache.fitting(device=name)[0]:
        found = first_allowed(name, scheme, SMALL)
        if found["kind"] == "none" or found["capacity_slots"] == found["buffer_slots"]:
            continue
        blocks = -(-(found["capacity_slots"] - least["buffer_slots"]) // block)
        # A cache that borrows all cells is larger than one that keeps its own can be.
        known = knows(max(3, blocks))
        if known:
            held += 1
            assert known["capacity_slots"] >= found["capacity_slots"]
            assert known["least"] <= known["counted"] <= found["counted"], scheme
    assert held >= 4


@pytest.mark.few(4)
@pytest.mark.parametrize("scheme", slcache.fitting(device="examples/demo.toml")[0])
def test_no_scheme_on_the_recording_is_below_its_bound(scheme: str) -> None:
    found = counted(
        DEMO,
        "examples/demo.toml",
        scheme,
        replay="closed:4",
        settings={"trace.address": "compact"},
    )
    if found["kind"] == "dense":
        assert 0 < found["least"] <= found["counted"]
