"""What separates two results is told by key, with both values and their factor."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache.metrics import METRICS
from slcache.results import differences
from support import slcache as command


@pytest.fixture(scope="module")
def other(trace: Path) -> slcache.Comparison:
    """Another pair of schemes, with another setting and seed."""
    return slcache.compare(
        trace,
        device="tiny",
        schemes=["baseline", "sector"],
        settings={"scheme.baseline.slc.victim": "fifo", "run.seed": 2},
        trace_options={"volume": "each"},
    )


def changed(found: list[differences.Change]) -> dict[str, tuple[Any, Any]]:
    return {change.key: (change.first, change.second) for change in found}


def test_a_result_is_identical_to_itself_wherever_and_whenever_it_ran(
    comparison: slcache.Comparison,
) -> None:
    other = comparison.to_dict()
    for run in other["runs"]:
        run["sim"]["wall_s"] += 1
        run["provenance"]["time"] = "2000-01-01T00:00:00Z"
        run["provenance"]["commit"] = "another"
        run["trace"]["path"] = "elsewhere.csv"
    found = slcache.diff(
        comparison, slcache.Comparison([slcache.Result(run) for run in other["runs"]])
    )
    assert found.equal
    assert all(not (run.config or run.metrics or run.others) for run in found.runs)
    assert changed(found.runs[0].trace).keys() == {"path"}


def test_every_figure_that_moves_is_found(comparison: slcache.Comparison) -> None:
    before = comparison.runs[1].to_dict()

    def told(*path: str | int, value: Any = None) -> differences.RunDifference:  # noqa: ANN401
        after = copy.deepcopy(before)
        place: Any = after
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value if value is not None else place[path[-1]] + 1
        (run,) = differences.diff(slcache.Result(before), slcache.Result(after)).runs
        assert not run.equal, path
        return run

    run = told("figures", "read_p99_ns")
    ns = before["figures"]["read_p99_ns"]
    assert changed(run.metrics) == {"read_p99_ns": (ns, ns + 1)}
    assert run.metrics[0].factor == pytest.approx((ns + 1) / ns)
    run = told("host", "read", "latency_us", "p99")
    ops = before["flash"]["ops"]
    at = next(i for i, op in enumerate(ops) if op["kind"] == "program" and op["cause"] == "host")
    row = f"flash.ops[{ops[at]['pool']} program {ops[at]['mode']} host].pages"
    assert changed(told("flash", "ops", at, "pages").others)[row][0] == ops[at]["pages"]
    assert "series.columns" not in changed(run.others)
    moved = told("series", "columns", "erases", 0).others
    assert list(changed(moved)) == ["series"]
    assert changed(told("config", "host", "queue_depth").config) == {"host.queue_depth": (0, 1)}
    assert changed(told("trace", "sha256", value="0" * 64).trace).keys() == {"sha256"}
    assert "model_version" in changed(told("provenance", "model_version").origin)


def test_figures_come_by_the_size_of_their_difference(other: slcache.Comparison) -> None:
    (run,) = slcache.diff(other.runs[0], other.runs[1]).runs
    assert run.labels == ("baseline", "sector")
    assert changed(run.config) == {"scheme": ("baseline", "sector")}
    sizes = [change.size for change in run.metrics]
    assert sizes == sorted(sizes, reverse=True)
    documents = [one.documents[0] for one in other.runs]
    for change in run.metrics:
        if change.key in METRICS:
            values = [METRICS[change.key].value(document) for document in documents]
            assert [change.first, change.second] == values
    halves = differences.Change("k", 10, 5), differences.Change("k", 10, 20)
    assert halves[0].size == halves[1].size == pytest.approx(0.6931, abs=1e-4)
    assert differences.Change("k", 0, 5).size == float("inf")


def test_runs_of_comparisons_are_matched_by_name(
    comparison: slcache.Comparison, other: slcache.Comparison, tmp_path: Path
) -> None:
    comparison.save(tmp_path / "a.json")
    other.save(tmp_path / "b")
    done = command("diff", tmp_path / "a.json", tmp_path / "b", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found == json.loads(json.dumps(slcache.diff(comparison, other).to_dict()))
    assert (found["only_first"], found["only_second"]) == (["tlc-only"], ["sector"])
    (run,) = found["runs"]
    settings = {change["key"]: (change["first"], change["second"]) for change in run["config"]}
    assert settings == {"scheme.baseline.slc.victim": ("greedy", "fifo"), "run.seed": (1, 2)}
    assert {"key": "options.volume", "first": None, "second": "each"} in run["trace"]
    with pytest.raises(slcache.ResultError, match="no run of the first result"):
        slcache.diff(comparison.runs[0], other)


def test_the_verb_says_what_differs_and_exits_as_asked(
    comparison: slcache.Comparison, other: slcache.Comparison, tmp_path: Path
) -> None:
    comparison.save(tmp_path / "a")
    other.save(tmp_path / "b")
    told = command("diff", tmp_path / "a", tmp_path / "b", "--exit-code")
    assert told.returncode == 1
    assert told.stderr == b""
    text = told.stdout.decode()
    assert re.search(r"scheme\.baseline\.slc\.victim +greedy +fifo\b", text)
    assert "other figures differ; --all shows them" in text
    every = command("diff", tmp_path / "a", tmp_path / "b", "--all")
    assert every.returncode == 0
    assert "flash.ops[" in every.stdout.decode()
    same = command("diff", tmp_path / "a", tmp_path / "a", "--exit-code")
    assert same.returncode == 0
    assert "baseline: identical" in same.stdout.decode()
    wrong = command("diff", tmp_path / "a", tmp_path / "nowhere")
    assert wrong.returncode == 1
    assert "nowhere" in wrong.stderr.decode()
