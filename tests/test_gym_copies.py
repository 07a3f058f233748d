"""Episodes, and forks, copies and pickles of environments, go on as they should."""

from __future__ import annotations

import copy
import json
import pickle
import random
import signal
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from episodes import ENV, episode, random_turns
from slcache import EpisodeError, _core
from slcache.documents.saved import current
from slcache.gym import ENV_ID, PlacementEnv, SlcCacheEnv, SlcCacheVectorEnv
from support import mixed, write_trace

OVER = "step after a reward that failed"


class Counted:
    """A reward that remembers: how many windows it has seen."""

    def __init__(self) -> None:
        self.windows = 0

    def __call__(self, info: dict[str, Any]) -> float:
        """Return how many windows there were."""
        self.windows += 1
        return float(self.windows)


class Third(Counted):
    """A reward that fails in the third window."""

    def __call__(self, info: dict[str, Any]) -> float:
        """Return how many windows there were."""
        if self.windows == 2:
            raise ZeroDivisionError("a reward of the user's")
        return super().__call__(info)


def kept_small(info: dict[str, Any]) -> float:
    """Return what a window wrote, but fail where large writes go to the cache."""
    if info["knob.theta_bytes"] > 65536:
        raise ZeroDivisionError("a reward of the user's")
    return float(info["write_bytes"])


REWARDS: dict[str, Any] = {"named": "paper", "own": Counted}


def knobs(load: Path, reward: object = "paper") -> SlcCacheEnv:
    return SlcCacheEnv(workload=load, reward=reward, **ENV)


#: Environments by a name, each made with a reward.
MADE: dict[str, Callable[[Path, Any], Any]] = {
    "knobs": knobs,
    "placement": lambda load, reward: PlacementEnv(trace=load, device="tiny", reward=reward),
    "placement of 5": lambda load, reward: PlacementEnv(
        trace=load, device="tiny", reward=reward, batch=5
    ),
}


def stepped(env: Any, steps: int) -> Any:  # noqa: ANN401
    """Return an environment after so many random steps of a new episode."""
    env.action_space.seed(3)
    env.reset(seed=3)
    for _ in range(steps):
        env.step(env.action_space.sample())
    return env


def rest(env: Any) -> list[Any]:  # noqa: ANN401
    """Return all from here to the end, the document, and the next episode's first window."""
    seen: list[Any] = []
    over = env.over is not None
    while not over:
        observation, reward, *ends, info = env.step(env.action_space.sample())
        seen.append((observation.tolist(), reward, ends, info))
        over = any(ends)
    document = env.finish()
    del document["sim"], document["provenance"]
    with pytest.raises(EpisodeError, match="step after finish"):
        pickle.loads(pickle.dumps(env)).step(env.action_space.sample())
    first, info = env.reset()
    return [*seen, document, first.tolist(), info, env.step(env.action_space.sample())[1]]


@pytest.mark.few(4)
@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("steps", [0, 1, 7])
@pytest.mark.parametrize("name", MADE)
def test_what_is_copied_or_pickled_in_mid_episode_goes_on_alike(
    load: Path, name: str, steps: int, reward: str
) -> None:
    env = stepped(MADE[name](load, REWARDS[reward]), steps)
    others = [env.fork(), copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    apart = env.fork()
    for _ in range(3):
        apart.step(apart.action_space.sample())
    wanted = rest(env)
    for other in others:
        assert rest(other) == wanted


def test_what_gymnasium_made_can_be_pickled_with_its_wrappers(load: Path) -> None:
    env = gymnasium.make(ENV_ID, workload=load, **ENV)
    fresh = pickle.loads(pickle.dumps(env)).unwrapped
    with pytest.raises(EpisodeError, match="reset the environment first"):
        fresh.step(0)
    assert fresh.reset(seed=1)[0].tolist() == env.reset(seed=1)[0].tolist()
    loaded = pickle.loads(pickle.dumps(env))
    assert loaded.spec == env.spec is not None
    assert loaded.step(4)[1] == env.step(4)[1]


def test_an_episode_whose_trace_has_changed_is_not_loaded(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "load.csv", mixed(1500))
    kept = pickle.dumps(stepped(knobs(trace), 3))
    write_trace(trace, mixed(1400)[100:])
    with pytest.raises(EpisodeError, match="a trace or a device file changed"):
        pickle.loads(kept)


@pytest.mark.parametrize("reward", [Counted, Counted()], ids=["class", "object"])
def test_what_a_reward_remembers_is_an_episodes_own(load: Path, reward: object) -> None:
    env = stepped(knobs(load, reward), 2)
    fork = env.fork()
    action = env.action_space.sample()
    assert [each.step(action)[1] for each in (env, fork, env)] == [3.0, 3.0, 4.0]
    env.reset(seed=1)
    assert env.step(action)[1] == 1.0
    several = SlcCacheVectorEnv(3, workload=load, reward=reward, **ENV)
    several.reset(seed=1)
    assert several.step(several.action_space.sample())[1].tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("name", MADE)
def test_an_episode_whose_reward_failed_is_loaded_where_it_stood(load: Path, name: str) -> None:
    env = stepped(MADE[name](load, Third), 2)
    action = env.action_space.sample()
    with pytest.raises(ZeroDivisionError):
        env.step(action)
    loaded = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(env))))
    wanted = env.fork().finish()["waf"]
    for each in (env, copy.deepcopy(env), loaded):
        with pytest.raises(EpisodeError, match=OVER):
            each.step(action)
        assert each.over == "a reward that failed"
        assert each.fork().finish()["waf"] == wanted
        each.reset(seed=1)
        assert each.step(action)[1] == 1.0


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_the_other_devices_of_a_vector_have_taken_the_step(load: Path, mode: str) -> None:
    envs = SlcCacheVectorEnv(2, workload=load, reward=kept_small, autoreset_mode=mode, **ENV)
    alone = knobs(load, kept_small)
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


@pytest.mark.few(5)
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("steps", [None, 0, 4, 60])
def test_a_vector_that_is_copied_or_pickled_goes_on_alike(
    load: Path, steps: int | None, reward: str, mode: str
) -> None:
    own = REWARDS[reward]
    env = SlcCacheVectorEnv(2, workload=load, reward=own, autoreset_mode=mode, **ENV)
    env.action_space.seed(5)
    if steps is not None:
        env.reset(seed=5)
        for _ in range(steps):
            env.step(env.action_space.sample())

    def on(each: SlcCacheVectorEnv) -> list[Any]:
        if steps is None:
            each.reset(seed=5)
        seen: list[Any] = []
        for _ in range(60):
            figures, *others, info = each.step(each.action_space.sample())
            infos = {name: repr(value) for name, value in info.items()}
            seen.append((figures.tolist(), [other.tolist() for other in others], infos))
        return seen

    copied, loaded = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
    wanted = on(env)
    assert on(copied) == wanted
    assert on(loaded) == wanted


def room(*on: _core.Episode) -> array[float]:
    """Return memory for the observations of episodes."""
    return array("d", [float("nan")] * sum(len(json.loads(one.observations())) for one in on))


def test_turned_knobs_are_told() -> None:
    """A result of turned knobs is no constant policy's, and says so; its shape is documented."""
    rng = random.Random(5)
    run = episode("baseline")
    turned = windows = 0
    while True:
        turns = random_turns(run, rng)
        turned += len(turns)
        before = dict(enumerate(run.knob_values())) | dict(turns)
        ended = run.step(turns)
        windows += 1
        assert [before[number] for number, _ in turns] == [
            run.knob_values()[number] for number, _ in turns
        ]
        if ended:
            break
    document = json.loads(run.finish())
    assert document["episode"] == {"windows": windows, "turns": turned}
    assert turned > 10
    current(document)


def test_a_signal_ends_a_step_which_then_goes_on() -> None:
    """What a handler raises comes out of a long step; the next step ends the same window."""

    class RungError(Exception):
        """Raised by the alarm."""

    def ring(*_: object) -> None:
        raise RungError

    many = [("workload.requests", "400000")]
    run = episode("tlc-only", trace_options=many, window=("requests", 350_000))
    whole = run.fork()
    side = _core.Episodes([run, run], threads=2)
    before = signal.signal(signal.SIGALRM, ring)
    try:
        for step in (lambda: run.step([]), lambda: side.step([[], []], room(run, run))):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with pytest.raises(RungError):
                step()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not whole.step([])
    assert not run.step([])
    assert run.observe() == whole.observe() != side.episode(0).observe()
    side.step([[], []], room(run, run))
    assert side.episode(1).observe() == whole.observe()
