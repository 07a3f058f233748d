"""What a scheme has learned goes from run to run, from the command line and from Python."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import slcache as sl
from support import mixed, slcache, stdout, write_trace

SETTINGS = {"scheme.rl.step_bytes": 65536}
RL = ("--device", "tiny", "--scheme", "rl", "--set", "step_bytes=65536")


@pytest.fixture(scope="module")
def memory(trace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory learned on the small trace."""
    path = tmp_path_factory.mktemp("memories") / "learned"
    sl.run(trace, device="tiny", scheme="rl", settings=SETTINGS, memory_out=path)
    return path


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another trace than the one learned on."""
    return write_trace(tmp_path_factory.mktemp("other") / "other.csv", mixed(500, seed=11))


def provenance(result: sl.Result) -> dict[str, Any]:
    found: dict[str, Any] = result.to_dict()["provenance"]
    return found


def test_a_result_tells_what_its_learner_had_seen(trace: Path, other: Path, memory: Path) -> None:
    seen = sl.run(trace, device="tiny", scheme="rl", settings=SETTINGS).to_dict()
    result = sl.run(other, device="tiny", scheme="rl", settings=SETTINGS, memory_in=memory)
    told = provenance(result)["memory_in"]
    assert told["file"] == str(memory)
    assert told["sha256"] == hashlib.sha256(memory.read_bytes()).hexdigest()
    assert [run["trace_sha256"] for run in told["runs"]] == [seen["trace"]["sha256"]]
    sl.Result(result.to_dict())
    assert told["sha256"] in result.report()
    how: Any = {"device": "tiny", "settings": SETTINGS, "memory_in": memory}
    comparison = sl.compare(trace, schemes=["tlc-only", "rl"], **how)
    alone = sl.run(trace, scheme="rl", **how)
    without, learner = comparison.runs
    assert "memory_in" not in provenance(without)
    assert provenance(learner)["memory_in"] == provenance(alone)["memory_in"]
    assert learner.to_dict()["host"] == alone.to_dict()["host"]
    with pytest.raises(sl.ConfigError, match=r"none of .* tlc-only, baseline has a memory; .* rl"):
        sl.compare(trace, schemes=["tlc-only", "baseline"], **how)


def test_the_command_line_and_python_learn_the_same_and_go_on_from_trace_to_trace(
    trace: Path, other: Path, memory: Path, tmp_path: Path
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    stdout("run", trace, *RL, "--memory-out", first)
    assert first.read_bytes() == memory.read_bytes()
    how: dict[str, Any] = {"device": "tiny", "scheme": "rl", "settings": SETTINGS}
    sl.run(other, **how, memory_in=first, memory_out=second)
    runs = json.loads(second.read_text())["content"]["runs"]
    assert len(runs) == 2
    assert runs[0] == json.loads(first.read_text())["content"]["runs"][0]


def test_results_and_memories_are_other_files(trace: Path, memory: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    taken = folder / "result.json"
    done = slcache("run", trace, *RL, "--out", folder, "--memory-out", taken)
    assert done.returncode == 3, done.stderr
    assert not folder.exists()
    learned = tmp_path / "kept" / "result.json"
    learned.parent.mkdir()
    learned.write_bytes(memory.read_bytes())
    result = sl.run(trace, device="tiny", scheme="rl", settings=SETTINGS, memory_in=learned)
    with pytest.raises(sl.ConfigError, match="is the input"):
        result.save(learned.parent)
    assert learned.read_bytes() == memory.read_bytes()
