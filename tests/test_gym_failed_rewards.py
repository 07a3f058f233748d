"""A reward that fails ends an episode; copies and what is loaded stand where it stood."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from slcache import EpisodeError
from slcache.gym import PlacementEnv, SlcCacheEnv, SlcCacheVectorEnv
from support import mixed, write_trace

ENV: dict[str, Any] = {"device": "tiny", "scheme": "rl", "window": ("write-bytes", 65536)}
OVER = "step after a reward that failed"


class Third:
    """A reward that fails in the third window."""

    def __init__(self) -> None:
        self.windows = 0

    def __call__(self, info: dict[str, Any]) -> float:
        """Return how many windows there were."""
        self.windows += 1
        if self.windows == 3:
            raise ZeroDivisionError("a reward of the user's")
        return float(self.windows)


def kept_small(info: dict[str, Any]) -> float:
    """Return what a window wrote, but fail where large writes go to the cache."""
    if info["knob.theta_bytes"] > 65536:
        raise ZeroDivisionError("a reward of the user's")
    return float(info["write_bytes"])


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough for many windows."""
    return write_trace(tmp_path_factory.mktemp("gym") / "load.csv", mixed(1500))


@pytest.fixture
def failed(load: Path) -> SlcCacheEnv:
    """An environment whose reward has just failed."""
    env = SlcCacheEnv(workload=load, reward=Third, **ENV)
    env.reset(seed=3)
    env.step(0)
    env.step(8)
    with pytest.raises(ZeroDivisionError):
        env.step(5)
    return env


def test_an_episode_whose_reward_failed_is_loaded_where_it_stood(failed: SlcCacheEnv) -> None:
    loaded = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(failed))))
    for each in (failed, copy.deepcopy(failed), loaded):
        with pytest.raises(EpisodeError, match=OVER):
            each.step(4)
        assert each.over == failed.over
        assert [k.value for k in each.knobs()] == [k.value for k in failed.knobs()]
    wanted = failed.reset()[0].tolist(), failed.step(8)[:2]
    found = loaded.reset()[0].tolist(), loaded.step(8)[:2]
    assert found[0] == wanted[0]
    assert found[1][0].tolist() == wanted[1][0].tolist()
    assert found[1][1] == wanted[1][1] == 1.0


def test_one_that_was_run_to_the_end_then_is_loaded_too(failed: SlcCacheEnv) -> None:
    document = failed.finish()
    loaded = pickle.loads(pickle.dumps(failed))
    assert loaded.over == "finish"
    with pytest.raises(EpisodeError, match="step after finish"):
        loaded.step(4)
    assert document["host"]["write"]["requests"] > 0


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_the_other_devices_of_a_vector_have_taken_the_step(load: Path, mode: str) -> None:
    envs = SlcCacheVectorEnv(2, workload=load, reward=kept_small, autoreset_mode=mode, **ENV)
    alone = SlcCacheEnv(workload=load, reward=kept_small, **ENV)
    envs.reset(seed=[1, 2])
    alone.reset(seed=2)
    envs.step(np.array([4, 4]))
    # The first device moves its threshold up, and is judged before the other one.
    with pytest.raises(ZeroDivisionError):
        envs.step(np.array([5, 4]))
    alone.step(4), alone.step(4)
    for each in (envs, copy.deepcopy(envs), pickle.loads(pickle.dumps(envs))):
        if mode == "NextStep":
            observations, rewards, *_ = each.step(np.array([4, 4]))
            wanted = alone.fork().step(4)
            assert (observations[1].tolist(), rewards[1]) == (wanted[0].tolist(), wanted[1])
        else:
            with pytest.raises(EpisodeError, match=f"environment 0: {OVER}"):
                each.step(np.array([4, 4]))


@pytest.mark.parametrize("batch", [1, 5])
def test_a_failed_reward_ends_an_episode_of_placement(load: Path, batch: int) -> None:
    reward: Any = Third
    env = PlacementEnv(trace=load, device="tiny", batch=batch, reward=reward)
    env.reset(seed=1)
    action = 1 if batch == 1 else np.ones(batch, int)
    env.step(action), env.step(action)
    with pytest.raises(ZeroDivisionError):
        env.step(action)
    documents = []
    for each in (copy.deepcopy(env), pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(env))))):
        with pytest.raises(EpisodeError, match=OVER):
            each.step(action)
        documents.append(each.finish()["waf"])
        each.reset(seed=1)
        assert each.step(action)[1] == 1.0
    assert documents[0] == documents[1]
