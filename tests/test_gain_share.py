"""The share of what could be gained, of studies and searches: beside runs without a cache."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import slcache
from slcache.documents import schemata
from slcache.metrics import GAIN_SHARE
from slcache.results.seeded import SeededComparison
from slcache.words import units
from support import slcache as verb
from support import write_trace
from test_gains import hot

SCHEMES = ["baseline", "turbo-write", "ips"]


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("share") / "hot.csv", hot(1500))


def compared(trace: Path, depth: int) -> dict[str, float | None]:
    found = slcache.compare(
        trace, device="tiny", schemes=["tlc-only", *SCHEMES], replay=f"closed:{depth}"
    )
    told = found.to_dict()["gains"]["schemes"]
    return {name: told[name].get("share") for name in SCHEMES}


def test_a_study_holds_each_point_against_one_without_a_cache(trace: Path, tmp_path: Path) -> None:
    asked = {
        "device": "tiny",
        "scheme": SCHEMES,
        "vary": {"host.queue_depth": [2, 16]},
        "settings": {"host.replay": "closed"},
        "metrics": "gain_share",
        "store": tmp_path / "store",
    }
    found = slcache.sweep(trace, **asked)  # type: ignore[arg-type]
    rows = found.table.to_dicts()
    assert [row["scheme"] for row in rows] == [name for name in SCHEMES for _ in range(2)]
    for depth in (2, 16):
        alone = compared(trace, depth)
        own = {r["scheme"]: r[GAIN_SHARE] for r in rows if r["host.queue_depth"] == depth}
        assert own == pytest.approx(alone)
        assert own["ips"] is None
    # Two references beside the six points; once more, nothing is run.
    assert len(list((tmp_path / "store" / "results").rglob("*.json.gz"))) == 8
    again = slcache.sweep(trace, **asked)  # type: ignore[arg-type]
    assert again.kept == 6
    assert again.table.equals(found.table)
    Draft202012Validator(schemata.schema("sweep")).validate(found.to_dict())
    (line,) = [line for line in found.report().splitlines() if "no bound holds for ips" in line]
    assert "2 of the 6 points" in line


def test_a_reference_in_the_study_is_no_second_run(trace: Path, tmp_path: Path) -> None:
    found = slcache.sweep(
        trace,
        device="tiny",
        scheme="tlc-only,baseline",
        metrics=["gain_share"],
        store=tmp_path,
    )
    assert len(list((tmp_path / "results").rglob("*.json.gz"))) == 2
    first, second = found.table[GAIN_SHARE].to_list()
    # It does no more than it must without a cache.
    assert first is None
    assert second > 0


def test_nobody_asked_and_nothing_is_counted(trace: Path) -> None:
    found = slcache.sweep(trace, device="tiny", scheme="baseline")
    assert found.table[GAIN_SHARE].to_list() == [None]
    assert found.table["dense_bytes"].to_list() == [None]
    counted = slcache.sweep(trace, device="tiny", scheme="baseline", metrics="dense_over_least")
    assert counted.table["dense_over_least"].to_list()[0] > 1
    assert counted.table[GAIN_SHARE].to_list() == [None]


def test_a_device_that_needs_its_cache_has_no_share() -> None:
    found = slcache.sweep(
        "zipf-4k",
        device="hyssd-st",
        scheme="hyssd-static",
        vary={"workload.requests": [50]},
        metrics="gain_share",
    )
    assert found.table[GAIN_SHARE].to_list() == [None]
    (told,) = found.problems()
    assert told.startswith("gain_share: 1 without a reference: tlc-only: device.user_bytes")


def test_a_study_says_its_metrics_in_its_file(trace: Path, tmp_path: Path) -> None:
    options = ("--device", "tiny", "--scheme", "baseline", "--out", tmp_path)
    assert not verb("sweep", trace, *options, "--metric", "gain_share").returncode
    assert 'metric = ["gain_share"]' in (tmp_path / "study.toml").read_text()
    shown = verb("sweep", "show", tmp_path, "--metric", "gain_share")
    assert b"gain_share" in shown.stdout
    again = verb("sweep", tmp_path)
    assert b"1 results were there before" in again.stdout
    wrong = verb("sweep", trace, *options, "--metric", "gain")
    assert wrong.returncode == 2
    assert b"'gain' is no metric" in wrong.stderr
    off = verb("sweep", trace, *options, "--metric", "gain_share", "--set", "run.bound=false")
    assert off.returncode == 3
    assert b"run.bound = false: gain_share needs it counted" in off.stderr


def test_a_search_maximises_it_and_keeps_a_bound_on_it(trace: Path) -> None:
    pytest.importorskip("optuna")
    space = {"scheme.baseline.slc_blocks": [3, 4, 6]}
    less = {"device.user_bytes": 2 << 20, "trace.address": "compact"}
    on: dict[str, Any] = {"device": "tiny", "scheme": "baseline", "settings": less}
    swept = slcache.sweep(trace, **on, vary=space, metrics="gain_share")
    shares = swept.table[GAIN_SHARE].to_list()
    found = slcache.tune(trace, **on, vary=space, maximise=["gain_share"], points=3)
    assert found.best is not None
    assert found.best.found.figures[GAIN_SHARE] == max(shares)
    (key,) = space
    sized = slcache.tune(trace, **on, vary=space, least=key, such_that=f"gain_share>={max(shares)}")
    assert sized.best is not None
    assert sized.best.settings[key] == [3, 4, 6][shares.index(max(shares))]
    with pytest.raises(slcache.RunError, match=r"gain_share: none of .* no bound holds"):
        slcache.tune(
            trace,
            device="tiny",
            scheme=["ips", "ips-agc"],
            vary={},
            maximise=["gain_share"],
            points=2,
        )


def test_several_seeds_have_means_and_intervals(tmp_path: Path) -> None:
    told = slcache.compare(
        "zipf-4k",
        device="tiny",
        schemes=["tlc-only", "baseline", "ips"],
        trace_options={"workload.requests": "800", "workload.footprint_bytes": "1MiB"},
        seeds=3,
    )
    assert isinstance(told, SeededComparison)
    shares = told.figure("baseline", GAIN_SHARE).values
    assert len(set(shares)) > 1
    for one, found in zip(told.comparisons, shares, strict=True):
        assert found == one.to_dict()["gains"]["schemes"]["baseline"]["share"]
    mean, half = (
        getattr(told.figure("baseline", GAIN_SHARE).estimate, n) for n in ("mean", "half")
    )
    rows = {row.label: [cell.text for cell in row.cells] for row in told.gain_rows()}
    assert rows["baseline"][-1] == f"{units.percent(mean)} ±{units.percent(half)}"
    assert rows["tlc-only"][-1] == "–"
    assert rows["ips"] == ["–"] * 5
    summary = told.summary(explain=True)
    assert "share of the gain" in summary
    assert "No bound holds for ips" in summary
    assert told.bounds is not None
    assert "curve, exact at the dots" in told.report()


def test_a_reference_with_a_cache_has_no_shares(trace: Path) -> None:
    told = slcache.compare(trace, device="tiny", schemes=["baseline", "turbo-write", "tlc-only"])
    assert [row.cells[-1].text for row in told.gain_rows()] == ["–"] * 3
    assert any("baseline has a cache itself" in line for line in told.gain_lines())


def test_a_cliff_tells_it_beside_the_bandwidth() -> None:
    load = ("--amount", "3MiB", "--bs", "16k", "--span", "1MiB", "--device", "tiny")
    schemes = ("--schemes", "tlc-only,baseline,ips")
    told = verb("cliff", *schemes, *load, "--bound")
    assert told.returncode == 0, told.stderr
    text = " ".join(told.stdout.decode().split())
    assert "share of the gain" in text
    assert "No bound holds for ips" in text
    whole = json.loads(verb("cliff", *schemes, *load, "--bound", "--json").stdout)
    Draft202012Validator(schemata.schema("cliff")).validate(whole)
    document = whole["schemes"]
    one = document["baseline"]["gain"]
    # What is written without a cache is all of it.
    share = (768 * 4096 - one["dense_bytes"]) / (768 * 4096 - one["least_bytes"])
    assert one["share"] == pytest.approx(share)
    assert document["tlc-only"]["gain"]["share"] is None
    assert "turn dense" in document["ips"]["gain"]["why"]
    plain = json.loads(verb("cliff", *schemes, *load, "--json").stdout)["schemes"]
    assert all("gain" not in each for each in plain.values())
    assert plain["baseline"]["written_gib"] == document["baseline"]["written_gib"]
