"""The study of separation by lifetime: what it runs, and what it makes of the figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from slcache import api
from slcache.documents import normalise
from slcache.separation import study
from support import slcache


def cell(scheme: str, rule: str, seed: int, dense: float) -> study.Row:
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
    found = {(each["scheme"], each["rule"]): each for each in study.Study(cells, []).survivals()}
    left = found["baseline", "sepbit"]
    assert (left["alone"], left["cached"], left["gain"]) == pytest.approx((2.15, 1.35, 0.8))
    # 0.7 of 1.0 and 0.9 of 1.2 are left: 1.6 of 2.2 in all.
    assert left["survival"] == pytest.approx(1.6 / 2.2)
    assert (left["survival_least"], left["survival_most"]) == pytest.approx((0.7, 0.75))
    assert found["baseline", "none"]["survival"] == pytest.approx(1)
    # A gain of 0.01 is none, so that nothing of it can be left.
    assert found["turbo-write", "sepbit"]["survival"] is None


def test_every_cell_of_a_workload_has_the_same_chips(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = study._plan()["workload"]
    assert [entry["name"] for entry in entries] == study.workloads()
    monkeypatch.setenv("SLCACHE_SHARED", "/nowhere")
    for entry in entries:
        if study._load(entry, 1, 1) is None:
            assert "recording" in entry
            continue
        points = list(study._points(entry, quick=False))
        devices = {point.whole.device for point in points} | {point.half.device for point in points}
        assert len(devices) == 1
        # Rules x seeds x (alone, and each cache in each size), each of them once.
        assert len({point.cell for point in points}) == len(points) == 9 * (1 + 3 * 3)
        assert len({tuple(point.whole.trace_options) for point in points}) == 3, "a draw a seed"
        assert all(p.half.size * 2 == pytest.approx(p.whole.size, abs=1) for p in points)


def test_the_verb_writes_cells_and_rests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = json.loads(json.dumps(study._plan()))
    for entry in plan["workload"]:
        if "random" in entry:
            entry["random"]["overwrites"] = 2
    monkeypatch.setattr(study, "_plan", lambda: plan)
    told = slcache("reproduce", "separation", "--quick", "--json", "--out", tmp_path)
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
    told = slcache("reproduce", "separation", "--workloads", "tpcc", "--out", tmp_path)
    assert "left out: tpcc" in told.stderr.decode()
    assert json.loads((tmp_path / "separation.json").read_text())["cells"] == []


@pytest.mark.parametrize("rule", ["sepbit", "oracle"])
def test_an_oracle_wins_nothing_beside_devices_that_can_be_built(rule: str, trace: Path) -> None:
    settings = {"device.pool.0.blocks": 192, "dense.separation": rule}
    run = api.run(trace, device="tiny", scheme="baseline", settings=settings)
    assert normalise.looks_ahead(run.to_dict()) == (rule == "oracle")
