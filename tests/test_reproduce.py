"""An evaluation runs, resumes, and says what it rests on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from slcache.documents import schemata
from slcache.reproduce import evaluation as evaluations
from support import process, slcache

SMALL = ("--quick", "--workloads", "web_1")


def test_the_quick_mode_prints_one_ledger(tmp_path: Path) -> None:
    done = slcache("reproduce", "hierarchy", *SMALL, "--json", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    told = b"judges at most 27 of 27 emergent claims, on twins of at most 300,000 requests"
    assert told in done.stderr
    document = json.loads(done.stdout)
    schema = json.loads(slcache("explain", "--schema", "reproduce").stdout)
    Draft202012Validator(schema).validate(document)
    assert "gains" not in document
    assert document["inputs"][0]["source"] == "twin"
    keys = {"id", "figure", "paper", "ours", "spread", "verdict", "reason"}
    assert all(keys <= set(claim) for claim in document["claims"])
    verdicts = {claim["id"]: claim["verdict"] for claim in document["claims"]}
    assert verdicts["web_1-no-migration"] == "reproduced"
    assert verdicts["figure-7-axis"] == "cannot hold"
    assert json.loads((tmp_path / "ledger.json").read_text()) == document
    assert "Inputs: twins of all traces" in (tmp_path / "report.html").read_text()


@pytest.fixture(scope="module")
def ips(tmp_path_factory: pytest.TempPathFactory) -> tuple[tuple[str | Path, ...], Path, Any]:
    """The words of a quick evaluation with bounds, its folder, and its document."""
    folder = tmp_path_factory.mktemp("ips")
    words = ("reproduce", "ips", "--quick", "--workloads", "hm_1", "--bound", "--out", folder)
    # A process of its own draws the figures, which tell what was not run.
    done = process(*words, "--json")
    assert done.returncode == 0, done.stderr
    return words, folder, json.loads(done.stdout)


def test_in_place_switch_halves_write_amplification_where_all_fits_the_cache(ips: Any) -> None:  # noqa: ANN401
    _, folder, document = ips
    claims = {claim["id"]: claim for claim in document["claims"]}
    assert claims["ips-bursty-latency-hm_1"]["verdict"] == "reproduced"
    # Turbo Write programs each page twice, in-place switch once.
    assert claims["ips-bursty-waf-small"]["ours"] == pytest.approx(-50.0)
    # One trace of eleven says nothing of how many there are.
    assert claims["turbo-bursty-tlc-dominates"]["verdict"] == "no data"
    assert claims["coop-daily-latency"]["verdict"] == "no data"
    assert "not run in this mode" in (folder / "report.html").read_text()


def test_an_evaluation_tells_shares_of_gain_where_it_is_asked_for(ips: Any) -> None:  # noqa: ANN401
    words, folder, document = ips
    Draft202012Validator(schemata.schema("reproduce")).validate(document)
    assert set(document["gains"]) == {"literal", "probable"}
    lines = document["gains"]["literal"]
    by_scheme = {(line["part"], line["scheme"]): line for line in lines}
    turbo, in_place = (by_scheme["bursty", name] for name in ("turbo-write", "ips"))
    # A trace that fits the cache, which is emptied: no dense program is spared.
    assert turbo["above"] >= 1
    assert (in_place["share"], in_place["above"]) == (None, None)
    assert "turn dense where they lie" in in_place["why"]
    assert "How far from the best" in (folder / "report.html").read_text()
    text = " ".join(slcache(*words).stdout.decode().split())
    assert "Share of the dense programs that could be spared" in text


def test_finished_runs_are_kept_and_taken_up_again(tmp_path: Path) -> None:
    request = evaluations.Request("hierarchy", tmp_path, quick=True, workloads=["web_1"])
    told: list[tuple[str, int, int]] = []

    def stop_after_one(phase: str, done: int, total: int) -> bool:
        told.append((phase, done, total))
        return done < 1

    with pytest.raises(KeyboardInterrupt):
        evaluations.evaluate(replace(request, jobs=1), stop_after_one)
    (_, done, every) = told[0]
    assert done == 0
    kept = len(list((tmp_path / "store/results").glob("*.json.gz")))
    assert 1 <= kept < every
    told.clear()

    def go_on(phase: str, done: int, total: int) -> None:
        told.append((phase, done, total))

    evaluations.evaluate(request, go_on)
    left = every - kept
    phase = f"runs (0 of {left} done, {left} left, {kept} kept, CPU time 0 s)"
    assert told[0] == (phase, 0, left)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("hierachy",), "did you mean 'hierarchy'?"),
        (("hierarchy", "--workloads", "web_9"), "no workload web_9 in hierarchy; allowed: web_0"),
        (("hierarchy", "--seeds", "x"), "expected whole numbers"),
        (("hierarchy", "--quick", "--sensitivity"), "exclude each other"),
        (("hierarchy", "--executor", "slurm:4"), "executor = slurm:4: must be local, dask://"),
        (("hierarchy", "--executor", "dask://h:1", "--jobs", "2"), "has workers of its own"),
    ],
)
def test_wrong_usage_is_told(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    done = slcache("reproduce", *arguments, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert message in done.stderr.decode()
    assert not (tmp_path / "out").exists()
