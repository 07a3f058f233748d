"""Agents: the built-in learner made again outside, baselines, and the scale that measures them."""

from __future__ import annotations

import importlib.util
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import slcache
from slcache import EpisodeError
from slcache.gym import Scale, SlcCacheEnv, agents, constants, play
from slcache.gym.score import Policy
from support import mixed, write_trace

ROOT = Path(__file__).parent.parent
STEP = {"scheme.rl.step_bytes": 65536}


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough to decide some hundred times."""
    return write_trace(tmp_path_factory.mktemp("agents") / "load.csv", mixed(4000))


def example(name: str) -> Any:  # noqa: ANN401
    """Return a script of the examples as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_learner_outside_is_the_built_in_one(load: Path, tmp_path: Path, seed: int) -> None:
    memory = tmp_path / "learned.json"
    run = slcache.run(
        load, device="tiny", scheme="rl", settings=STEP, seed=seed, memory_out=memory
    ).to_dict()
    agent, document = example("tabular_q").play(seed, workload=load, device="tiny", settings=STEP)
    assert document["host"] == run["host"]
    assert document["flash"] == run["flash"]
    assert run["scheme"]["figures"]["steps"] > 50
    tables = json.loads(memory.read_text())["content"]["memory"]["tables"]
    assert agent.table.ravel().tolist() == tables["q"]
    assert np.count_nonzero(agent.table) > 50


def env_on(load: Path, **arguments: object) -> SlcCacheEnv:
    """Return an environment on the tiny device."""
    chosen: dict[str, Any] = {"device": "tiny", "scheme": "rl", "settings": STEP}
    chosen |= {"reward": "latency", **arguments}
    return SlcCacheEnv(workload=load, **chosen)


def test_the_shipped_learner_decides_as_the_example(load: Path) -> None:
    shipped = agents.TabularQ(seed=1)
    play(env_on(load, reward="paper"), shipped, seed=1)
    shown, _ = example("tabular_q").play(1, workload=load, device="tiny", settings=STEP)
    assert shipped.table is not None
    assert np.count_nonzero(shipped.table) == np.count_nonzero(shown.table) > 0
    assert sorted(shipped.table.ravel()) == sorted(shown.table.ravel())


def test_the_constant_agent_goes_there_and_stays(load: Path) -> None:
    for actions in ("steps", "multi-discrete", "box"):
        env = env_on(load, actions=actions, strides={"slc_blocks": 1}, max_windows=12)
        play(env, agents.Constant({"theta_bytes": 8192, "slc_blocks": 2}), seed=1)
        assert {knob.name: knob.value for knob in env.knobs()}["theta_bytes"] == 8192
    with pytest.raises(EpisodeError, match="speed: unknown"):
        play(env, agents.Constant({"speed": 3}), seed=1)


def test_the_random_agent_repeats_itself_and_differs_by_seed(load: Path) -> None:
    env = env_on(load, max_windows=20)
    totals = [play(env, agents.Random(seed), seed=1) for seed in (1, 1, 2)]
    assert totals[0] == totals[1] != totals[2]


@pytest.mark.parametrize(
    ("setting", "utilisation", "percent"),
    [(1, 0.0, 56), (1, 0.1999, 56), (1, 0.2, 50), (1, 0.45, 30), (1, 0.7, 10), (1, 1.0, 10),
     (2, 0.19, 40), (2, 0.3, 30), (2, 0.6, 10), (2, 0.7, 5)],
)  # fmt: skip
def test_dwas_ladder_at_its_edges(
    load: Path, setting: int, utilisation: float, percent: float
) -> None:
    env = env_on(load, actions="box")
    observation, _ = env.reset(seed=1)
    agent = agents.DwaLadder(setting)
    agent.begin(env)
    observation[env.position("signal.utilisation")] = utilisation
    wanted = {"slc_blocks": percent / 100 * 16, "theta_bytes": 32768.0}
    np.testing.assert_array_equal(agent.act(observation), env.toward(wanted))


def test_a_scale_runs_from_the_worst_to_the_best_constant(load: Path) -> None:
    env = env_on(load, max_windows=15)
    scale = constants(env, seed=1, per_knob=3)
    assert len(scale.policies) == 9
    assert scale.share(scale.worst.total) == 0.0
    assert scale.share(scale.best.total) == 1.0
    again = play(env, agents.Constant(), seed=1, options={"knobs": dict(scale.best.knobs)})
    assert again == scale.best.total
    spread = {tuple(policy.knobs.values()) for policy in scale.policies}
    assert spread == set(itertools.product(*({v[i] for v in spread} for i in (0, 1))))


def test_constants_that_are_alike_make_no_scale() -> None:
    alike = Scale([Policy({"slc_blocks": 1}, 2.0), Policy({"slc_blocks": 2}, 2.0)])
    with pytest.raises(EpisodeError, match="there is no scale"):
        alike.share(2.0)


def test_a_fork_leaves_the_learner_as_it_is(load: Path) -> None:
    def learned(measure: bool) -> Any:  # noqa: ANN401
        learner, env = agents.TabularQ(seed=1), env_on(load, max_windows=60)
        for seed in (1, 2):
            play(env, learner, seed=seed)
            if measure:
                total = play(env, learner.fork(), seed=9)
                assert total == play(env, learner.fork(), seed=9)
        return learner.table

    np.testing.assert_array_equal(learned(measure=True), learned(measure=False))
