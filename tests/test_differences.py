"""What separates two results, or a result and the same run repeated now."""

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
from support import json_of, mixed, write_trace
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


def test_a_result_is_identical_to_itself(
    comparison: slcache.Comparison, other: slcache.Comparison
) -> None:
    moved = comparison.to_dict()
    for run in moved["runs"]:
        run["sim"]["wall_s"] += 1
        run["provenance"]["time"] = "2000-01-01T00:00:00Z"
        run["provenance"]["commit"] = "another"
        run["trace"]["path"] = "elsewhere.csv"
    runs = [slcache.Result(run) for run in moved["runs"]]
    found = slcache.diff(comparison, slcache.Comparison(runs))
    assert found.equal
    assert all(not (run.config or run.metrics or run.others) for run in found.runs)
    assert changed(found.runs[0].trace).keys() == {"path"}
    assert found.runs[0].equal
    (two,) = slcache.diff(other.runs[0], other.runs[1]).runs
    assert two.labels == ("baseline", "sector")
    assert changed(two.config) == {"scheme": ("baseline", "sector")}
    sizes = [change.size for change in two.metrics]
    assert sizes == sorted(sizes, reverse=True)
    documents = [one.documents[0] for one in other.runs]
    for change in two.metrics:
        if change.key in METRICS:
            values = [METRICS[change.key].value(document) for document in documents]
            assert [change.first, change.second] == values
    halves = differences.Change("k", 10, 5), differences.Change("k", 10, 20)
    assert halves[0].size == halves[1].size == pytest.approx(0.6931, abs=1e-4)
    assert differences.Change("k", 0, 5).size == float("inf")


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


def test_runs_of_comparisons_are_matched_by_name(
    comparison: slcache.Comparison, other: slcache.Comparison, tmp_path: Path
) -> None:
    comparison.save(tmp_path / "a.json")
    other.save(tmp_path / "b")
    found = json_of("diff", tmp_path / "a.json", tmp_path / "b", "--json")
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
    for second, options, status, told in (
        ("b", ["--exit-code"], 1, r"scheme\.baseline\.slc\.victim +greedy +fifo\b"),
        ("b", [], 0, "other figures differ; --all shows them"),
        ("b", ["--all"], 0, r"flash\.ops\["),
        ("a", ["--exit-code"], 0, "baseline: identical"),
        ("nowhere", [], 1, ""),
    ):
        done = command("diff", tmp_path / "a", tmp_path / second, *options)
        assert done.returncode == status, second
        assert (second in done.stderr.decode()) is (second == "nowhere")
        text = done.stdout.decode()
        assert re.search(told, text)
        means = re.findall(r"(?:read|write)_(?:mean|p99|max) +\S+ (\S+) +\S+ (\S+) ", text)
        assert len({unit for pair in means for unit in pair}) == (second == "b")


@pytest.fixture
def moved(tmp_path: Path) -> Path:
    """A trace of its own, which tests can move and change."""
    return write_trace(tmp_path / "odd träce.csv", mixed())


def test_a_run_is_identical_when_it_is_repeated(moved: Path, tmp_path: Path) -> None:
    options = {"volume": "each", "unsorted": "sort:16"}
    how: dict[str, Any] = {"state": "worn=0.3,0.2", "replay": "closed:3", "trace_options": options}
    slcache.run(moved, device="tiny", scheme="hierarchy", seed=3, **how).save(tmp_path / "old")
    done = command("diff", "--rerun", tmp_path / "old", "--out", tmp_path / "new")
    assert done.returncode == 0, done.stderr
    assert "hierarchy: identical" in done.stdout.decode()
    assert done.stderr == b""
    assert slcache.diff(tmp_path / "old", tmp_path / "new").equal
    how = {"device": "tiny", "scheme": "baseline"}
    slcache.run(moved, state="worn=0.4,0.3", save_state=tmp_path / "state", **how)
    assert slcache.rerun(slcache.run(moved, load_state=tmp_path / "state", **how)).equal


def test_a_comparison_or_a_run_is_repeated(comparison: slcache.Comparison, tmp_path: Path) -> None:
    comparison.save(tmp_path / "both.json")
    told = json_of("diff", "--rerun", tmp_path / "both.json", "--json")
    assert told["equal"]
    assert list(told["result"]["normalised"]["schemes"]) == comparison.labels
    one = slcache.rerun(tmp_path / "both.json", scheme="baseline")
    assert one.equal
    assert one.result.labels == ["baseline"]
    wrong = command("diff", "--rerun", tmp_path / "both.json", "--scheme", "sector")
    assert wrong.returncode == 1
    assert "no run of 'sector'; it has tlc-only, baseline" in wrong.stderr.decode()


def test_a_moved_trace_is_named_and_another_is_told(moved: Path, tmp_path: Path) -> None:
    slcache.run(moved, device="tiny", scheme="baseline").save(tmp_path / "old.json")
    elsewhere = moved.rename(tmp_path / "elsewhere.csv")
    lost = command("diff", "--rerun", tmp_path / "old.json")
    assert lost.returncode == 4
    assert "the trace is not there; the option trace says" in lost.stderr.decode()
    found = command("diff", "--rerun", tmp_path / "old.json", "--trace", elsewhere)
    assert found.returncode == 0
    assert found.stderr == b""
    other = write_trace(tmp_path / "other.csv", mixed(seed=9))
    differs = command("diff", "--rerun", tmp_path / "old.json", "--trace", other)
    assert differs.returncode == 1
    assert "is not the trace of the result: its SHA-256 is" in differs.stderr.decode()
    assert "sha256" in differs.stdout.decode()
    document = slcache.run(elsewhere, device="tiny", scheme="baseline").to_dict()
    document["provenance"] |= {"version": "0.0.1", "model_version": 1}
    again = slcache.rerun(slcache.Result(document))
    assert not again.equal
    assert any("of slcache 0.0.1" in note for note in again.notes)
    assert any("model's version was 1" in note for note in again.notes)
    document["episode"] = {"windows": 3, "turns": 2}
    with pytest.raises(slcache.ResultError, match="knobs were turned"):
        slcache.rerun(slcache.Result(document))


def test_what_a_scheme_had_learned_is_taken_along(moved: Path, tmp_path: Path) -> None:
    learned = tmp_path / "q.memory"
    slcache.run(moved, device="tiny", scheme="rl", memory_out=learned)
    run = slcache.run(moved, device="tiny", scheme="rl", memory_in=learned)
    assert slcache.rerun(run).equal
    learned.write_bytes(learned.read_bytes() + b" ")
    with pytest.raises(slcache.ResultError, match=r"began with the memory .* has SHA-256"):
        slcache.rerun(run)
