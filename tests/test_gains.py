"""How much of what a cache can gain it does, and where that is left of separation."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache import bounds, simulation, units
from slcache.charts import device as picture
from slcache.documents import figures
from slcache.metrics import GAIN_SHARE
from slcache.reproduce import separation
from slcache.results.result import runs_of
from slcache.results.seeded import SeededComparison
from slcache.sentences import endurance as sentences
from support import TINY_BYTES, Row, validator, write_trace
from support import slcache as command

DEMO = "examples/linkbench-40s.blkparse.zst"
SCHEMES = ["tlc-only", "baseline", "turbo-write", "ips"]


def hot(count: int = 1500, share: int = 16) -> list[Row]:
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


def test_the_share_is_of_what_the_reference_leaves(tmp_path: Path) -> None:
    reference = run("a", 200, 90, capacity_slots=0)
    # A reference with a larger cache may be below the least of a smaller one.
    for dense, least, share in [
        *((100, 100, 1.0), (150, 100, 0.5), (200, 100, 0.0), (250, 100, -0.5)),
        *((250, 210, None), (250, 200, None)),
    ]:
        assert figures.gain_share(run("b", dense, least), reference) == share
    assert figures.is_at_bound(run("b", 199, 198), reference)
    assert not figures.is_at_bound(run("b", 199, 190), reference)
    other = {**run("b", 5, 0), "bound": {"kind": "none", "why": "so"}}
    assert figures.gain_share(other, reference) is None
    assert figures.gain_share(reference, other) is None
    trace = write_trace(tmp_path / "once.csv", [(i, "Write", 16384 * i, 16384) for i in range(200)])
    kept = counted(trace, "tiny", "baseline")
    assert kept["least"] == max(0, 800 - kept["capacity_slots"])
    assert (kept["kept_died"], kept["drained"]) == (0, False)
    emptied = counted(trace, "tiny", "turbo-write")
    assert (emptied["least"], emptied["counted"], emptied["drained"]) == (800, 800, True)
    straight = counted(trace, "tiny", "tlc-only")
    assert (straight["capacity_slots"], straight["least"], straight["counted"]) == (0, 800, 800)


def test_comparisons_tell_table_and_words(compared: slcache.Comparison, tmp_path: Path) -> None:
    document = compared.to_dict()
    validator("compare").validate(document)
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
    file = tmp_path / "compared.json"
    file.write_text(compared.to_json())
    assert slcache.load(file).to_dict() == compared.to_dict()
    for run, key in ((3, "why"), (1, "least")):
        document = compared.to_dict()
        del document["runs"][run]["bound"][key]
        file.write_text(json.dumps(document))
        with pytest.raises(slcache.ResultError, match=rf"bound\.{key}: missing"):
            slcache.load(file)
    document = compared.to_dict()
    document["bounds"]["sizes"][0]["slots"] = "many"
    file.write_text(json.dumps(document))
    with pytest.raises(slcache.ResultError, match=r"bounds\.sizes\[0\]\.slots = 'many'"):
        slcache.load(file)


CACHED = ["baseline", "turbo-write", "sa", "sector", "hierarchy", "hyssd"]


def shares(compared: slcache.Comparison) -> list[str]:
    """Return the shares of the gain that a comparison's table has."""
    return [row[-1].plain for table in compared.gains() for row in table.rows]


@pytest.mark.parametrize("writes", [20, 90, 400])
def test_a_cache_that_never_filled_has_no_share(writes: int, tmp_path: Path) -> None:
    """384 KiB of cache: what has room needs no policy, and ties of such runs tell nothing."""
    rows: list[Row] = [(20 * i, "Write", 4096 * (i % 150), 4096) for i in range(writes)]
    trace = write_trace(tmp_path / "few.csv", rows)
    how: dict[str, Any] = {"device": "tiny", "schemes": ["tlc-only", *CACHED]}
    found = slcache.compare(trace, **how)
    ledger = {row[0].plain: row[-1].plain for table in found.gains() for row in table.rows}
    told = " ".join(line for line in found.gain_lines() if "never filled" in line)
    for name in CACHED:
        unfilled = figures.is_unfilled(found[name].to_dict())
        # At 90 it hangs on the scheme: some make room before the last block is taken.
        assert unfilled is (writes == 20) or writes == 90
        assert (ledger[name] == sentences.UNFILLED) is unfilled
        assert (name in told) is unfilled
    if writes != 90:
        assert {
            text == sentences.UNFILLED
            for text in shares(slcache.compare(trace, **how, resample=2))[1:]
        } == {writes == 20}
    # Nobody knows what was in a cache that was not drained.
    full = {"precondition.fill": 0.5, "precondition.drain": False}
    begun = slcache.compare(trace, device="tiny", schemes=["tlc-only", "baseline"], settings=full)
    assert not any("never filled" in line for line in begun.gain_lines())


def test_the_curve_is_of_the_trace_as_placed(trace: Path, compared: slcache.Comparison) -> None:
    curve = compared.bounds
    assert curve is not None
    alone = bounds.of_trace(trace, [row["slots"] * 4096 for row in curve["sizes"]])
    for row, other in zip(curve["sizes"], alone["sizes"], strict=True):
        assert (row["least"], row["least_drained"]) == (other["least"], other["least_drained"])
    # Requests of one stream come in the trace's order, whatever the replay.
    found = compared.documents[1]["bound"]
    (own,) = bounds.of_trace(trace, [found["capacity_slots"] * 4096])["sizes"]
    assert (found["kept"], found["least"]) == (own["kept"], own["least"])
    how: dict[str, Any] = {"device": "tiny", "schemes": SCHEMES[:2], "replay": "closed:4"}
    plain = slcache.compare(trace, **how, settings={"run.bound": False})
    document = plain.to_dict()
    assert not {"gains", "bounds"} & document.keys()
    assert (plain.gains(), plain.gain_lines()) == ([], [])
    assert "How large a cache" not in plain.report()
    for one, other in zip(document["runs"], compared.documents, strict=False):
        assert "bound" not in {*one, *one["config"]["run"]}
        assert other["bound"]["kind"] == "dense"
        assert (one["flash"], one["host"]) == (other["flash"], other["host"])
    assert not [line for line in compared.verdict() if "run.bound" in line]


def counted(trace: str | Path, device: str, scheme: str, **more: Any) -> Mapping[str, Any]:  # noqa: ANN401
    settings = {"run.bound": True, **more.pop("settings", {})}
    found: Mapping[str, Any] = slcache.run(
        trace, device=device, scheme=scheme, settings=settings, **more
    ).to_dict()["bound"]
    return found


def test_trims_parts_and_requests_at_once_are_counted(tmp_path: Path, trace: Path) -> None:
    log = tmp_path / "t.log"
    rows = ["fio version 3 iolog", "0 d add", "0 d open"]
    # Two units, one of them in part; the first is trimmed, and a part of the second is.
    rows += ["0 d write 0 6144", "0 d trim 0 6144", "0 d write 0 512", "1 d write 4096 4096"]
    log.write_text("\n".join([*rows, "2 d close", ""]))
    found = counted(log, "tiny", "tlc-only", trace_format="fio")
    assert (found["versions"], found["kept"], found["least"]) == (4, 0, 4)
    found = counted(log, "tiny", "baseline", trace_format="fio")
    assert (found["versions"], found["kept"], found["kept_died"]) == (4, 4, 2)
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
    assert compared.gains() == []
    assert compared.gain_lines()[0] == (
        "No bound holds for tlc-only and baseline: nothing was written."
    )
    assert "No bound holds" in compared.report()
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
    assert "WAF 0.00; 0 erases" in compared.runs[0].summary()
    assert picture.bound(runs_of(compared), compared.bounds)["concat"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [device["name"] for device in slcache.devices()])
def test_no_scheme_on_any_preset_is_below_its_bound(name: str, trace: Path) -> None:
    for scheme in slcache.fitting(device=name)[0]:
        found = counted(trace, name, scheme, settings={"trace.address": "compact"})
        assert (found["kind"] == "none") is scheme.startswith("ips")
        assert found["kind"] == "none" or found["least"] <= found["counted"], scheme


@pytest.mark.few(4)
@pytest.mark.parametrize("scheme", slcache.fitting(device="examples/demo.toml")[0])
def test_no_scheme_on_the_recording_is_below_its_bound(scheme: str) -> None:
    how: dict[str, Any] = {"replay": "closed:4", "settings": {"trace.address": "compact"}}
    found = counted(DEMO, "examples/demo.toml", scheme, **how)
    if found["kind"] == "dense":
        assert 0 < found["least"] <= found["counted"]


CACHES = ["baseline", "turbo-write", "ips"]


def test_a_study_holds_each_point_against_one_without_a_cache(trace: Path, tmp_path: Path) -> None:
    asked: dict[str, Any] = {
        "device": "tiny",
        "scheme": CACHES,
        "vary": {"host.queue_depth": [2, 16]},
        "settings": {"host.replay": "closed"},
        "metrics": "gain_share",
        "store": tmp_path / "store",
    }
    found = slcache.sweep(trace, **asked)
    rows = found.table.to_dicts()
    assert [row["scheme"] for row in rows] == [name for name in CACHES for _ in range(2)]
    for depth in (2, 16):
        how: dict[str, Any] = {"schemes": ["tlc-only", *CACHES], "replay": f"closed:{depth}"}
        told = slcache.compare(trace, device="tiny", **how).to_dict()["gains"]["schemes"]
        own = {r["scheme"]: r[GAIN_SHARE] for r in rows if r["host.queue_depth"] == depth}
        assert own == pytest.approx({name: told[name].get("share") for name in CACHES})
        assert own["ips"] is None
    # Two references beside the six points; once more, nothing is run.
    assert len(list((tmp_path / "store" / "results").rglob("*.json.gz"))) == 8
    again = slcache.sweep(trace, **asked)
    assert again.kept == 6
    assert again.table.equals(found.table)
    validator("sweep").validate(found.to_dict())
    (line,) = [line for line in found.report().splitlines() if "no bound holds for ips" in line]
    assert "2 of the 6 points" in line


def test_a_reference_in_the_study_is_no_second_run(trace: Path, tmp_path: Path) -> None:
    how: dict[str, Any] = {"device": "tiny", "scheme": "tlc-only,baseline", "store": tmp_path}
    found = slcache.sweep(trace, **how, metrics=["gain_share"])
    assert len(list((tmp_path / "results").rglob("*.json.gz"))) == 2
    first, second = found.table[GAIN_SHARE].to_list()
    # It does no more than it must without a cache.
    assert first is None
    assert second > 0
    told = slcache.compare(trace, device="tiny", schemes=["baseline", "turbo-write", "tlc-only"])
    assert shares(told) == ["–"] * 3
    assert any("baseline has a cache itself" in line for line in told.gain_lines())


def test_nobody_asked_and_nothing_is_counted(trace: Path, tmp_path: Path) -> None:
    found = slcache.sweep(trace, device="tiny", scheme="baseline")
    assert found.table.select(GAIN_SHARE, "dense_bytes").row(0) == (None, None)
    counted = slcache.sweep(trace, device="tiny", scheme="baseline", metrics="dense_over_least")
    assert counted.table["dense_over_least"].to_list()[0] > 1
    assert counted.table[GAIN_SHARE].to_list() == [None]
    options = ("--device", "tiny", "--scheme", "baseline", "--out", tmp_path)
    assert not command("sweep", trace, *options, "--metric", "gain_share").returncode
    assert 'metric = ["gain_share"]' in (tmp_path / "study.toml").read_text()
    assert b"gain_share" in command("sweep", "show", tmp_path, "--metric", "gain_share").stdout
    assert b"1 results were there before" in command("sweep", tmp_path).stdout


def test_a_search_maximises_it_and_keeps_a_bound_on_it(trace: Path) -> None:
    pytest.importorskip("optuna")
    space = {"scheme.baseline.slc_blocks": [3, 4, 6]}
    less = {"device.user_bytes": 2 << 20, "trace.address": "compact"}
    on: dict[str, Any] = {"device": "tiny", "scheme": "baseline", "settings": less}
    swept = slcache.sweep(trace, **on, vary=space, metrics="gain_share")
    swept_shares = swept.table[GAIN_SHARE].to_list()
    found = slcache.tune(trace, **on, vary=space, maximise=["gain_share"], points=3)
    assert found.best is not None
    assert found.best.found.figures[GAIN_SHARE] == max(swept_shares)
    (key,) = space
    bound = f"gain_share>={max(swept_shares)}"
    sized = slcache.tune(trace, **on, vary=space, least=key, such_that=bound)
    assert sized.best is not None
    assert sized.best.settings[key] == [3, 4, 6][swept_shares.index(max(swept_shares))]
    how: dict[str, Any] = {"scheme": ["ips", "ips-agc"], "vary": {}, "points": 2}
    with pytest.raises(slcache.RunError, match=r"gain_share: none of .* no bound holds"):
        slcache.tune(trace, device="tiny", maximise=["gain_share"], **how)


def test_several_seeds_have_means_and_intervals() -> None:
    options = {"workload.requests": "800", "workload.footprint_bytes": "1MiB"}
    schemes = ["tlc-only", "baseline", "ips"]
    told = slcache.compare(
        "zipf-4k", device="tiny", schemes=schemes, trace_options=options, seeds=3
    )
    assert isinstance(told, SeededComparison)
    values = told.figure("baseline", GAIN_SHARE).values
    assert len(set(values)) > 1
    for one, found in zip(told.comparisons, values, strict=True):
        assert found == one.to_dict()["gains"]["schemes"]["baseline"]["share"]
    estimate: Any = told.figure("baseline", GAIN_SHARE).estimate
    shown = f"{units.percent(estimate.mean)} ±{units.percent(estimate.half)}"
    assert shares(told) == ["–", shown, "–"]
    assert "No bound holds for ips" in told.summary(explain=True)
    assert "curve, exact at the dots" in told.report()


def test_a_cliff_tells_it_beside_the_bandwidth() -> None:
    load = ("--amount", "3MiB", "--bs", "16k", "--span", "1MiB", "--device", "tiny")
    schemes = ("--schemes", "tlc-only,baseline,ips")
    told = command("cliff", *schemes, *load, "--bound")
    assert "share of the gain" in " ".join(told.stdout.decode().split())
    whole = json.loads(command("cliff", *schemes, *load, "--bound", "--json").stdout)
    validator("cliff").validate(whole)
    document = whole["schemes"]
    one = document["baseline"]["gain"]
    # What is written without a cache is all of it.
    share = (768 * 4096 - one["dense_bytes"]) / (768 * 4096 - one["least_bytes"])
    assert one["share"] == pytest.approx(share)
    assert document["tlc-only"]["gain"]["share"] is None
    assert "turn dense" in document["ips"]["gain"]["why"]
    plain = json.loads(command("cliff", *schemes, *load, "--json").stdout)["schemes"]
    assert all("gain" not in each for each in plain.values())
    assert plain["baseline"]["written_bytes"] == document["baseline"]["written_bytes"]
    how: dict[str, Any] = {"scheme": "hyssd-static", "vary": {"workload.requests": [50]}}
    found = slcache.sweep("zipf-4k", device="hyssd-st", **how, metrics="gain_share")
    assert found.table[GAIN_SHARE].to_list() == [None]
    (problem,) = found.problems()
    assert problem.startswith("gain_share: 1 without a reference: tlc-only: device.user_bytes")


def cell(scheme: str, rule: str, seed: int, dense: float) -> separation.Row:
    """Return what tells a cell from others, and its dense programs."""
    blocks = 0 if scheme == "tlc-only" else 32
    place = {"workload": "zipf", "scheme": scheme, "slc_blocks": blocks, "rule": rule}
    return {**place, "seed": seed, "dense": dense}


def test_survival_is_the_share_of_the_gain_that_is_left() -> None:
    dense = {
        ("tlc-only", "none"): (2.4, 2.6), ("tlc-only", "sepbit"): (2.1, 2.2),
        ("baseline", "none"): (1.4, 1.4), ("baseline", "sepbit"): (1.4, 1.3),
        ("turbo-write", "none"): (2.39, 2.59), ("turbo-write", "sepbit"): (2.0, 2.1),
    }  # fmt: skip
    cells = [
        cell(scheme, rule, seed, value)
        for (scheme, rule), values in dense.items()
        for seed, value in enumerate(values)
    ]
    found = {
        (each["scheme"], each["rule"]): each
        for each in separation.Separation(cells, []).survivals()
    }
    left = found["baseline", "sepbit"]
    assert (left["alone"], left["cached"], left["gain"]) == pytest.approx((2.15, 1.35, 0.8))
    # 0.7 of 1.0 and 0.9 of 1.2 are left: 1.6 of 2.2 in all.
    assert left["survival"] == pytest.approx(1.6 / 2.2)
    assert (left["survival_least"], left["survival_most"]) == pytest.approx((0.7, 0.75))
    assert found["baseline", "none"]["survival"] == pytest.approx(1)
    # A gain of 0.01 is none, so that nothing of it can be left.
    assert found["turbo-write", "sepbit"]["survival"] is None


def test_every_cell_of_a_workload_has_the_same_chips(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = separation._plan()["workload"]
    assert [entry["name"] for entry in entries] == separation.workloads()
    monkeypatch.setenv("SLCACHE_SHARED", "/nowhere")
    for entry in entries:
        cells = list(separation.cells_of(entry, quick=False))
        devices = [run.config["device"] for _, runs in cells for run in runs]
        assert all(device == devices[0] for device in devices)
        pool = devices[0]["pool"][0]
        pages = pool["channels"] * pool["planes"] * pool["blocks"] * pool["wordlines"] * 3
        assert devices[0]["user_bytes"] == 0.75 * pages * pool["page_bytes"]
        # Rules x seeds x (alone, and each cache in each size), each of them once.
        draws = 1 if "file" in entry else 3
        assert len({tuple(of.values()) for of, _ in cells}) == len(cells)
        assert len(cells) == 3 * draws * (1 + 3 * len(entry["caches"]))
        assert len({tuple(whole.trace_options) for _, (_, whole) in cells}) == draws
        assert all(half.size * 2 == pytest.approx(whole.size, abs=1) for _, (half, whole) in cells)
        if draws > 1:
            writes = 0.8 * cells[0][1][1].size * pool["page_bytes"]
            assert writes == 14 * devices[0]["user_bytes"]


def test_the_verb_writes_cells_and_rests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = json.loads(json.dumps(separation._plan()))
    for entry in plan["workload"]:
        entry["requests"] //= 7
    monkeypatch.setattr(separation, "_plan", lambda: plan)
    told = command("reproduce", "separation", "--quick", "--json", "--out", tmp_path)
    found: dict[str, Any] = json.loads(told.stdout)
    assert found == json.loads((tmp_path / "separation.json").read_text())
    cells = {(each["scheme"], each["rule"]): each for each in found["cells"]}
    assert len(cells) == 4 * 3
    for (scheme, _), each in cells.items():
        slc = each["programs"] - each["dense"]
        # Whole pages: all that a cache takes in is programmed once in SLC mode.
        assert slc == pytest.approx(
            0 if scheme == "tlc-only" else 1, abs=0.05 + (scheme == "turbo-write")
        )
        assert each["damage"] == pytest.approx(each["dense"] + 0.45 * slc)
        assert each["damage_same"] == pytest.approx(each["dense"] + 3 * slc)
    assert cells["tlc-only", "none"]["lent"] == 0
    # Recordings that are not here are named.
    monkeypatch.delenv("SLCACHE_SHARED", raising=False)
    told = command("reproduce", "separation", "--workloads", "tpcc", "--out", tmp_path)
    assert "left out: tpcc" in told.stderr.decode()
    assert json.loads((tmp_path / "separation.json").read_text())["cells"] == []


@pytest.mark.parametrize("rule", ["sepbit", "oracle"])
def test_an_oracle_wins_nothing_beside_devices_that_can_be_built(rule: str, trace: Path) -> None:
    settings = {"device.pool.0.blocks": 192, "dense.separation": rule}
    run = simulation.run(trace, device="tiny", scheme="baseline", settings=settings)
    assert figures.looks_ahead(run.to_dict()) == (rule == "oracle")
