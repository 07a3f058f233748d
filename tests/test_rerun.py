"""A saved run is repeated as it was, or it is said what differs or cannot be repeated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import slcache
from support import mixed, write_trace
from support import slcache as command


@pytest.fixture
def moved(tmp_path: Path) -> Path:
    """A trace of its own, which tests can move and change."""
    return write_trace(tmp_path / "odd träce.csv", mixed())


def test_a_run_is_identical_when_it_is_repeated(moved: Path, tmp_path: Path) -> None:
    run = slcache.run(
        moved, device="tiny", scheme="hierarchy", seed=3, replay="closed:3",
        settings={"precondition.fill": 0.3, "precondition.overwrite": 0.2},
        trace_options={"volume": "each", "unsorted": "sort:16"},
    )  # fmt: skip
    run.save(tmp_path / "old")
    done = command("diff", "--rerun", tmp_path / "old", "--out", tmp_path / "new")
    assert done.returncode == 0, done.stderr
    assert "hierarchy: identical" in done.stdout.decode()
    assert done.stderr == b""
    assert slcache.diff(tmp_path / "old", tmp_path / "new").equal


@pytest.mark.few(4)
@pytest.mark.parametrize("scheme", [entry["name"] for entry in slcache.schemes()])
def test_every_scheme_can_be_repeated(scheme: str, moved: Path) -> None:
    device = next(
        entry["name"]
        for entry in slcache.devices()
        if scheme in slcache.fitting(device=entry["name"])[0]
    )
    run = slcache.run(moved, device=device, scheme=scheme)
    assert slcache.rerun(run).equal


def test_a_workload_is_drawn_with_the_same_seed(tmp_path: Path) -> None:
    workload = tmp_path / "hot.toml"
    workload.write_text(
        'footprint_bytes = "2MiB"\nrequests = 9000\n'
        '[arrivals]\nprocess = "poisson"\nrate_iops = 900\n'
        '[global]\nrw = "randwrite"\nbssplit = "4k/70:16k/30"\n'
    )
    options = {"workload.requests": "300"}
    run = slcache.run(workload, device="tiny", scheme="baseline", seed=11, trace_options=options)
    assert run.documents[0]["trace"]["writes"] == 300
    found = slcache.rerun(run)
    assert found.equal
    assert found.result.documents[0]["trace"]["options"]["seed"] == "11"


def test_a_comparison_or_one_run_of_it_is_repeated(
    comparison: slcache.Comparison, tmp_path: Path
) -> None:
    comparison.save(tmp_path / "both.json")
    done = command("diff", "--rerun", tmp_path / "both.json", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["equal"]
    assert list(told["result"]["normalised"]["schemes"]) == comparison.labels
    one = slcache.rerun(tmp_path / "both.json", scheme="baseline")
    assert one.equal
    assert one.result.labels == ["baseline"]
    wrong = command("diff", "--rerun", tmp_path / "both.json", "--scheme", "sector")
    assert wrong.returncode == 1
    assert "no run of 'sector'; it has tlc-only, baseline" in wrong.stderr.decode()


def test_a_moved_trace_is_named_and_another_is_told_before_the_run(
    moved: Path, tmp_path: Path
) -> None:
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


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--rerun", "OLD"], "takes one result"),
        (["--trace", "web.csv", "OLD"], "--trace: has no effect without --rerun"),
        (["--scheme", "baseline", "OLD"], "--scheme: has no effect without --rerun"),
        (["--out", "new", "OLD"], "--out: has no effect without --rerun"),
        ([], "give a second result, or --rerun"),
    ],
)
def test_two_results_or_one_that_is_repeated(
    options: list[str], told: str, comparison: slcache.Comparison, tmp_path: Path
) -> None:
    comparison.save(tmp_path / "both.json")
    old = str(tmp_path / "both.json")
    done = command("diff", old, *(old if word == "OLD" else word for word in options))
    assert done.returncode == 2
    assert told in " ".join(done.stderr.decode().split())


def test_another_program_or_model_is_told(moved: Path) -> None:
    document = slcache.run(moved, device="tiny", scheme="baseline").to_dict()
    document["provenance"] |= {"version": "0.0.1", "model_version": 1}
    found = slcache.rerun(slcache.Result(document))
    assert not found.equal
    assert any("of slcache 0.0.1" in note for note in found.notes)
    assert any("model's version was 1" in note for note in found.notes)


def test_what_a_scheme_had_learned_is_taken_along(moved: Path, tmp_path: Path) -> None:
    learned = tmp_path / "q.memory"
    slcache.run(moved, device="tiny", scheme="rl", memory_out=learned)
    run = slcache.run(moved, device="tiny", scheme="rl", memory_in=learned)
    assert slcache.rerun(run).equal
    learned.write_bytes(learned.read_bytes() + b" ")
    with pytest.raises(slcache.ResultError, match=r"began with the memory .* has SHA-256"):
        slcache.rerun(run)


def test_a_run_from_a_saved_state_is_repeated_by_preconditioning(
    moved: Path, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    settings = {"precondition.fill": 0.4, "precondition.overwrite": 0.3}
    slcache.run(moved, device="tiny", scheme="baseline", settings=settings, save_state=state)
    run = slcache.run(moved, device="tiny", scheme="baseline", load_state=state)
    assert slcache.rerun(run).equal


def test_an_episode_with_turned_knobs_is_refused(moved: Path) -> None:
    document = slcache.run(moved, device="tiny", scheme="baseline").to_dict()
    document["episode"] = {"windows": 3, "turns": 2}
    with pytest.raises(slcache.ResultError, match="knobs were turned"):
        slcache.rerun(slcache.Result(document))
