"""The vector environment: each device does what it does alone, and episodes follow as declared."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from slcache import ConfigError, EpisodeError, UsageError
from slcache.gym import ENV_ID, SlcCacheEnv, SlcCacheVectorEnv
from support import mixed, write_trace

COUNT = 3
MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]


@pytest.fixture(scope="module")
def arguments(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Two traces of different length, so that episodes end at different steps."""
    folder = tmp_path_factory.mktemp("vector")
    traces = [write_trace(folder / f"{n}.csv", mixed(n, seed=n)) for n in (300, 500)]
    window = ("write-bytes", 131072)
    return {"device": "tiny", "scheme": "rl", "workload": traces, "window": window}


def same(ours: Any, theirs: Any) -> None:  # noqa: ANN401
    """Compare what two vector environments return, infos included."""
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for key in theirs:
            same(ours[key], theirs[key])
    elif isinstance(theirs, np.ndarray) and theirs.dtype == object:
        for a, b in zip(ours, theirs, strict=True):
            same(a, b)
    elif isinstance(theirs, np.ndarray):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    else:
        assert ours == theirs


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("actions", ["steps", "box"])
def test_it_does_what_gymnasiums_own_does(
    arguments: dict[str, Any], mode: AutoresetMode, actions: str
) -> None:
    chosen = {**arguments, "actions": actions, "reward": "waf"}
    ours = SlcCacheVectorEnv(COUNT, autoreset_mode=mode, threads=2, **chosen)
    theirs = SyncVectorEnv([lambda: SlcCacheEnv(**chosen)] * COUNT, autoreset_mode=mode)
    assert ours.action_space == theirs.action_space
    assert ours.observation_space == theirs.observation_space
    for a, b in zip(ours.reset(seed=5), theirs.reset(seed=5), strict=True):
        same(a, b)
    ours.action_space.seed(1)
    ends = 0
    for _ in range(30):
        action = ours.action_space.sample()
        results = ours.step(action), theirs.step(action)
        for a, b in zip(*results, strict=True):
            same(a, b)
        ends += int(results[0][2].sum())
    assert ends >= COUNT


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_a_step_can_be_waited_for(arguments: dict[str, Any], mode: AutoresetMode) -> None:
    """It is the step that `step` takes, and nothing else is done meanwhile."""
    at_once, later = (SlcCacheVectorEnv(COUNT, autoreset_mode=mode, **arguments) for _ in range(2))
    for a, b in zip(at_once.reset(seed=5), later.reset(seed=5), strict=True):
        same(a, b)
    at_once.action_space.seed(1)
    for _ in range(30):
        action = at_once.action_space.sample()
        later.step_async(action)
        for other in (later.fork, later.reset, later.__getstate__):
            with pytest.raises(EpisodeError, match="a step is under way: end it by step_wait"):
                other()
        for again in (later.step, later.step_async):
            with pytest.raises(EpisodeError, match="a step is under way"):
                again(action)
        for a, b in zip(at_once.step(action), later.step_wait(), strict=True):
            same(a, b)
    with pytest.raises(EpisodeError, match="no step is under way"):
        later.step_wait()
    with pytest.raises(EpisodeError, match="environment 0: "):
        later.step_async([999] * COUNT)
    later.step_async(action)
    later.close()
    with pytest.raises(EpisodeError, match="no step is under way"):
        later.step_wait()


def test_gymnasium_steps_each_in_a_process(arguments: dict[str, Any]) -> None:
    apart = gymnasium.make_vec(f"slcache.gym:{ENV_ID}", 2, "async", **arguments)
    ours = gymnasium.make_vec(ENV_ID, 2, autoreset_mode="NextStep", **arguments)
    try:
        for a, b in zip(ours.reset(seed=5), apart.reset(seed=5), strict=True):
            same(a, b)
        ours.action_space.seed(1)
        for _ in range(10):
            action = ours.action_space.sample()
            for a, b in zip(ours.step(action), apart.step(action), strict=True):
                same(a, b)
    finally:
        apart.close()


def test_it_is_made_by_its_id(arguments: dict[str, Any]) -> None:
    envs = gymnasium.make_vec(ENV_ID, num_envs=2, **arguments)
    assert isinstance(envs, SlcCacheVectorEnv)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert SlcCacheVectorEnv.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    same_step = SlcCacheVectorEnv(2, autoreset_mode="SameStep", **arguments)
    assert same_step.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert gymnasium.make_vec(ENV_ID, 2, "sync", **arguments).num_envs == 2


def rollout(envs: SlcCacheVectorEnv, seed: int | list[int | None]) -> list[Any]:
    """Return what sampled actions lead to."""
    observations, _ = envs.reset(seed=seed)
    envs.action_space.seed(0)
    seen: list[Any] = [observations]
    for _ in range(12):
        observations, *rest, _ = envs.step(envs.action_space.sample())
        seen.append([observations, *rest])
    return seen


def test_threads_change_nothing(arguments: dict[str, Any]) -> None:
    first = rollout(SlcCacheVectorEnv(COUNT, threads=1, **arguments), 3)
    again = rollout(SlcCacheVectorEnv(COUNT, threads=4, **arguments), [3, 4, 5])
    for a, b in zip(first, again, strict=True):
        for left, right in zip(a, b, strict=True):
            np.testing.assert_array_equal(left, right)


def test_observations_are_new_arrays(arguments: dict[str, Any]) -> None:
    envs = SlcCacheVectorEnv(COUNT, **arguments)
    first, _ = envs.reset(seed=1)
    kept = first.copy()
    second = envs.step(np.full(COUNT, 4))[0]
    assert not np.shares_memory(first, second)
    np.testing.assert_array_equal(first, kept)


def test_disabled_autoreset_leaves_it_to_the_user(arguments: dict[str, Any]) -> None:
    envs = SlcCacheVectorEnv(COUNT, autoreset_mode="Disabled", max_windows=2, **arguments)
    envs.reset(seed=1)
    stay = np.full(COUNT, 4)
    envs.step(stay)
    assert envs.step(stay)[3].all()
    mask = np.array([True, False, True])
    envs.reset(seed=[7, None, 9], options={"reset_mask": mask})
    with pytest.raises(EpisodeError, match="environment 1: step after window 2, the last"):
        envs.step(stay)
    envs.reset(options={"reset_mask": ~mask})
    assert not envs.step(stay)[3].any()


def test_wrong_use_is_refused(arguments: dict[str, Any]) -> None:
    for wrong, told in (
        ({"num_envs": 0}, "num_envs = 0"),
        ({"autoreset_mode": "Sometimes"}, "autoreset_mode = 'Sometimes'"),
    ):
        with pytest.raises((ConfigError, UsageError), match=told):
            SlcCacheVectorEnv(**{"num_envs": 2, **arguments, **wrong})
    envs = SlcCacheVectorEnv(2, **arguments)
    with pytest.raises(EpisodeError, match="reset the environment first"):
        envs.step(np.array([4, 4]))
    envs.reset(seed=1)
    with pytest.raises(EpisodeError, match=r"environment 1: action = .*9.* not in the action"):
        envs.step(np.array([4, 9]))
    with pytest.raises(EpisodeError, match="seed has 1"):
        envs.reset(seed=[1])
    with pytest.raises(EpisodeError, match="reset_mask"):
        envs.reset(options={"reset_mask": [True]})
    envs.close()
    with pytest.raises(EpisodeError, match="reset the environment first"):
        envs.step(np.array([4, 4]))
