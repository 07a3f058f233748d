"""The learner of the example is the built-in one, made again outside the engine."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

import slcache
from support import mixed, write_trace

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_learner_of_the_example_is_the_built_in_one(tmp_path: Path, seed: int) -> None:
    """Made again outside the engine, it comes to the same table and the same run."""
    spec = importlib.util.spec_from_file_location("train", ROOT / "examples/train.py")
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    load, memory = write_trace(tmp_path / "load.csv", mixed(4000)), tmp_path / "learnt.json"
    settings = {"scheme.rl.step_bytes": 65536}
    run = slcache.run(
        load, device="tiny", scheme="rl", settings=settings, seed=seed, memory_out=memory
    ).to_dict()
    how = {"device": "tiny", "settings": settings, "replay": None, "reward": "paper"}
    env, learner = example.environment(workload=load, **how), example.QTable(seed)
    learner.play(env, seed)
    document = env.unwrapped.finish()
    assert document["host"] == run["host"]
    assert document["flash"] == run["flash"]
    assert run["scheme"]["figures"]["steps"] > 50
    tables = json.loads(memory.read_text())["content"]["memory"]["tables"]
    assert learner.table.ravel().tolist() == tables["q"]
    assert np.count_nonzero(learner.table) > 50
