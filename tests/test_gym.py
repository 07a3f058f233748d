"""Environments keep Gymnasium's contract, observe what the engine says, and can be copied."""

from __future__ import annotations

import copy
import importlib.util
import json
import math
import pickle
import random
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pyarrow as pa
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import slcache
from slcache import ConfigError, EpisodeError, UsageError
from slcache.documents.saved import current
from slcache.gym import (
    ENV_ID,
    PLACEMENT_ID,
    PlacementEnv,
    SlcCacheEnv,
    SlcCacheVectorEnv,
    placement,
    rewards,
)
from slcache.gym.placement import STATE
from slcache.gym.rewards import Spec
from support import lasting, mixed, own_scheme, write_trace

#: An environment with short windows, so that a small trace has many.
ENV: dict[str, Any] = {"device": "tiny", "scheme": "rl", "window": ("write-bytes", 65536)}
KNOBLESS = ("ips", "qlc-only", "slc-share", "hyssd", "custom")
FIT = [name for name in slcache.fitting(device="tiny")[0] if name not in KNOBLESS]
COUNT, MODES = 3, [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]
NAN, INF = math.nan, math.inf


@pytest.fixture(scope="module")
def arguments(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Two traces of different length, so that episodes end at different steps."""
    folder = tmp_path_factory.mktemp("vector")
    traces = [write_trace(folder / f"{n}.csv", mixed(n, seed=n)) for n in (300, 500)]
    return {**ENV, "workload": traces, "window": ("write-bytes", 131072)}


def played(env: SlcCacheEnv, seed: int | None = 1) -> list[Any]:
    """Return what is seen of an episode of random actions: observations, rewards, ends, infos."""
    observation, info = env.reset(seed=seed)
    env.action_space.seed(0)
    seen: list[Any] = [(observation.tolist(), 0.0, (False, False), info)]
    while not any(seen[-1][2]):
        observation, reward, *ends, info = env.step(env.action_space.sample())
        seen.append((observation.tolist(), reward, tuple(ends), info))
    return seen


@pytest.mark.few(4)
@pytest.mark.parametrize("scheme", FIT)
@pytest.mark.parametrize("actions", ["steps", "multi-discrete", "box"])
def test_gymnasiums_checker_finds_nothing(load: Path, scheme: str, actions: str) -> None:
    chosen = {**ENV, "scheme": scheme, "actions": actions, "reward": "latency"}
    check_env(gymnasium.make(ENV_ID, disable_env_checker=True, workload=load, **chosen).unwrapped)


def test_the_same_seed_gives_the_same_episodes(load: Path, tmp_path: Path) -> None:
    first = [played(SlcCacheEnv(workload=load, **ENV), seed) for seed in (4, 4, 5)]
    assert first[0] == first[1] != first[2]
    env, other = (SlcCacheEnv(workload=load, **ENV) for _ in range(2))
    again = [played(env, 4), played(env, None)]
    assert again == [played(other, 4), played(other, None)]
    assert again[0] == first[0]
    assert again[1][0][-1]["seed"] != 4
    larger = write_trace(tmp_path / "other.csv", mixed(600, seed=8))
    env = SlcCacheEnv(workload=[load, larger], **ENV)

    def drawn(seed: int) -> list[str]:
        infos = [env.reset(seed=seed)[1], *(env.reset()[1] for _ in range(7))]
        return [info["options"]["workload"] for info in infos]

    assert drawn(1) == drawn(1)
    assert set(drawn(1)) == {str(load), str(larger)}
    assert any(drawn(1) != drawn(seed) for seed in (2, 3, 4))


def test_an_episode_is_truncated_or_ends_with_its_trace(load: Path, trace: Path) -> None:
    def ends(**more: int) -> list[tuple[bool, bool]]:
        return [step[2] for step in played(SlcCacheEnv(workload=load, **ENV, **more), 1)[1:]]

    assert ends(max_windows=3) == [(False, False), (False, False), (False, True)]
    whole = ends()
    assert set(whole[:-1]) == {(False, False)}
    # The truncation that falls on the trace's end is none.
    assert whole[-1] == ends(max_windows=len(whole))[-1] == (True, False)
    placing = PlacementEnv(trace=trace, device="tiny", max_steps=2)
    placing.reset(seed=1)
    assert [placing.step(0)[2:4] for _ in range(2)] == [(False, False), (False, True)]
    env = SlcCacheEnv(workload=load, **{**ENV, "scheme": "baseline"})
    env.reset(seed=2)
    stay = env.toward({})
    while not env.step(stay)[2]:
        pass
    run = slcache.run(load, device="tiny", scheme="baseline", seed=2).to_dict()
    assert lasting(env.finish()) == lasting(run)


def test_no_step_before_the_start_or_after_the_end(load: Path) -> None:
    made: list[Any] = [
        (SlcCacheEnv(workload=load, max_windows=1, **ENV), 4),
        (PlacementEnv(trace=load, device="tiny", max_steps=1), 0),
    ]
    for env, action in made:
        with pytest.raises(EpisodeError, match="reset the environment first"):
            env.step(action)
        env.reset(seed=1)
        env.step(action)
        with pytest.raises(EpisodeError, match="step after window 1, the last: reset"):
            env.step(action)
        env.close()
        env.close()
        with pytest.raises(EpisodeError, match="no episode is under way"):
            env.step(action)
    ended = SlcCacheEnv(workload=load, **ENV)
    played(ended, 1)
    with pytest.raises(EpisodeError, match="step after the end of the trace"):
        ended.step(4)


def test_options_of_reset(load: Path, tmp_path: Path) -> None:
    other = write_trace(tmp_path / "other.csv", mixed(600, seed=8))
    env = SlcCacheEnv(workload=load, **ENV)
    options = {"workload": str(other), "knobs": {"theta_bytes": 8192}}
    assert env.reset(seed=1, options=options)[1] == {"seed": 1, "options": options}
    assert {knob.name: knob.value for knob in env.knobs()}["theta_bytes"] == 8192
    assert env.reset(seed=1)[1]["options"] == {"workload": str(load)}
    wrong: list[Any] = [
        [1], "x", 5, {"x": 1}, {1: 2}, {"workload": 5}, {"workload": "nope"}, {"workload": ["a"]},
        {"snapshot": 5}, {"snapshot": "nope"}, {"knobs": []}, {"knobs": 0}, {"knobs": {"x": 1}},
        {"knobs": {1: 2}}, {"knobs": {"slc_blocks": "3"}}, {"knobs": {"slc_blocks": True}},
        {"knobs": {"slc_blocks": NAN}}, {"knobs": {"slc_blocks": -1}},
        {"knobs": {"slc_blocks": 1e300}}, {"knobs": {"theta_bytes": 5000}},
    ]  # fmt: skip
    for refused in wrong:
        with pytest.raises(slcache.Error):
            env.reset(options=refused)
    # A reset that is refused leaves the episode where it was.
    assert env.step(4)[4]["duration_ns"] > 0
    for wanted in (5, None, {"x": 1}, {"slc_blocks": NAN}, {"slc_blocks": INF}, {1: 2}):
        with pytest.raises(EpisodeError, match="knob"):
            env.toward(wanted)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["steps", "multi-discrete", "box"])
def test_an_action_outside_the_space_changes_nothing(kind: str, load: Path) -> None:
    one = SlcCacheEnv(workload=load, actions=kind, **ENV)
    both = SlcCacheVectorEnv(num_envs=2, workload=load, actions=kind, **ENV)
    shape = np.shape(one.action_space.sample())
    one.reset(seed=1)
    both.reset(seed=1)
    before = one.fork()
    wrong: list[Any] = [
        *(None, "x", NAN, INF, -7, 10**30, [], {}, b"x", object(), [[1]], 1.5, 1.0, True),
        *([0], [0, 99], [0.0, 1.5], [NAN, 0.0], [0, -1], np.array([1, 2, 3])),
        *(np.full(shape, value) for value in (NAN, INF, -INF, 5e9, -7, 1 + 1j)),
    ]
    for action in wrong:
        for env in (one, both):
            with pytest.raises(EpisodeError, match="action"):
                env.step(action)
    right = one.toward({})
    assert one.step(right)[0].tolist() == before.step(right)[0].tolist()


def test_what_is_no_seed_is_refused(load: Path) -> None:
    several = SlcCacheVectorEnv(2, workload=load, **ENV)
    placement = PlacementEnv(trace=load, device="tiny")
    wrong: list[Any] = [-1, 2**63, 10**400, 1.5, "x", True, NAN, [1], {}, object()]
    for seed in wrong:
        for env in (SlcCacheEnv(workload=load, **ENV), several, placement):
            with pytest.raises(slcache.Error, match="seed"):
                env.reset(seed=seed)
        with pytest.raises(slcache.Error, match="seed"):
            several.reset(seed=[1, seed])


#: Arguments of an environment, and what is said of them.
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"scheme": "nonsense"}, "nonsense"),
    ({"device": "nonsense"}, "nonsense"),
    ({"devic": "tiny"}, "devic: no argument of the environment; did you mean device"),
    ({"render_mode": "ansi"}, "render_mode: no argument"),
    ({"trace": "a", "workload": "b"}, "the same argument"),
    ({"actions": "wheel"}, "actions = 'wheel': must be one of steps, multi-discrete, box"),
    ({"reward": "fame"}, "'fame': unknown; known: paper"),
    ({"reward": {}}, "must be a name"),
    ({"reward": {"waf": NAN}}, "must be a finite number"),
    ({"reward": type("NoReward", (), {})}, "its objects are no functions"),
    ({"max_windows": 0}, "max_windows = 0"),
    ({"workload": []}, "must name at least one"),
    ({"workload": 3}, "workload = 3"),
    ({"window": ("hours", 3)}, 'window unit "hours"'),
    ({"window": ("write-bytes", 0)}, "0"),
    ({"window": 3}, "must be a unit and a count"),
    ({"window": ("write-bytes", 10**9)}, "too short for one window"),
    ({"normalise": 1}, "normalise = 1: must be True or False"),
    ({"strides": {"theta_bytes": 3}}, "has a ladder"),
    ({"strides": {"speed": 3}}, "'speed' is no knob"),
    ({"strides": {"slc_blocks": 1000}}, "strides: slc_blocks = 1000: must be between"),
    ({"settings": {"scheme.rl.nonsense": 1}}, "nonsense"),
    ({"settings": {"scheme": {"rl": {"agent": "q-learning"}}}}, "must be none: actions turn"),
    ({"observations": ["speed"]}, "'speed' is unknown; known: "),
    ({"observations": []}, "must be a list"),
    ({"observations": "waf"}, "must be a list"),
    ({"observations": 3}, "observations"),
    ({"observations": ["waf", "waf"]}, "named twice"),
    *(({"scheme": scheme}, f"{scheme} has no knobs") for scheme in KNOBLESS),
    *(
        ({"workload": "missing.csv", "trace_options": options}, "cannot be opened")
        for options in ({"workload.requests": "5"}, {"address": "wrap"})
    ),
]
#: Of a vector alone.
OF_VECTORS = (({"num_envs": 0}, "num_envs = 0"), ({"autoreset_mode": "Sometimes"}, "'Sometimes'"))
OF_PLACEMENT: list[tuple[dict[str, Any], str]] = [
    ({"batch": 0}, "batch = 0: must be a whole number from 1"),
    ({"batch": True}, "batch = True"),
    ({"max_steps": 0}, "max_steps = 0"),
    ({"scheme": "nowhere.py:X"}, "must be a file of Python"),
    ({"reward": "praise"}, "reward 'praise': unknown"),
    ({"settings": {"buffer.pages": 8}}, "buffer"),
    ({"settings": {"trace.address": "clip"}}, "clip: leaves writes out"),
]


def test_wrong_arguments_are_errors_of_configuration(load: Path) -> None:
    for given, words in WRONG:
        chosen = {**({"workload": load} if "trace" not in given else {}), **ENV, **given}
        kind = slcache.TraceError if "opened" in words else ConfigError
        for environment in (SlcCacheEnv, SlcCacheVectorEnv):
            with pytest.raises(kind, match=words):
                environment(**chosen)
    for wrong, words in OF_VECTORS:
        with pytest.raises((ConfigError, UsageError), match=words):
            SlcCacheVectorEnv(**{"num_envs": 2, "workload": load, **ENV, **wrong})
    for given, words in OF_PLACEMENT:
        with pytest.raises(ConfigError, match=words):
            PlacementEnv(trace=load, device="tiny", **given)


def same(ours: Any, theirs: Any) -> None:  # noqa: ANN401
    """Compare what two vector environments return, infos included."""
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for key in theirs:
            same(ours[key], theirs[key])
    elif isinstance(theirs, tuple) or (isinstance(theirs, np.ndarray) and theirs.dtype == object):
        for a, b in zip(ours, theirs, strict=True):
            same(a, b)
    elif isinstance(theirs, np.ndarray):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    else:
        assert ours == theirs


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize(("actions", "threads"), [("steps", 4), ("box", 1)])
def test_a_vector_does_what_gymnasiums_own_does(
    arguments: dict[str, Any], mode: AutoresetMode, actions: str, threads: int
) -> None:
    """With as many threads as one likes, and each time in new arrays."""
    chosen = {**arguments, "actions": actions, "reward": "waf"}
    ours = SlcCacheVectorEnv(COUNT, autoreset_mode=mode, threads=threads, **chosen)
    theirs = SyncVectorEnv([lambda: SlcCacheEnv(**chosen)] * COUNT, autoreset_mode=mode)
    assert ours.action_space == theirs.action_space
    assert ours.observation_space == theirs.observation_space
    seen, info = ours.reset(seed=[5, 6, 7])
    same((seen, info), theirs.reset(seed=5))
    ours.action_space.seed(1)
    ends = 0
    for _ in range(30):
        action, kept = ours.action_space.sample(), seen.copy()
        result = ours.step(action)
        same(result, theirs.step(action))
        same(seen, kept)
        assert not np.shares_memory(seen, result[0])
        seen = result[0]
        ends += int(result[2].sum())
    assert ends >= COUNT
    with pytest.raises(EpisodeError, match="environment 0: "):
        ours.step([999] * COUNT)


def test_gymnasium_makes_vectors_of_every_kind(arguments: dict[str, Any]) -> None:
    apart = gymnasium.make_vec(f"slcache.gym:{ENV_ID}", 2, "async", **arguments)
    ours = gymnasium.make_vec(ENV_ID, 2, **arguments)
    assert isinstance(ours, SlcCacheVectorEnv)
    assert ours.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    try:
        same(ours.reset(seed=5), apart.reset(seed=5))
        ours.action_space.seed(1)
        for _ in range(10):
            action = ours.action_space.sample()
            same(ours.step(action), apart.step(action))
    finally:
        apart.close()
    assert gymnasium.make_vec(ENV_ID, 2, "sync", **arguments).num_envs == 2


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


def test_the_defaults_make_an_environment(trace: Path) -> None:
    check_env(gymnasium.make(PLACEMENT_ID, trace=trace, device="tiny").unwrapped)
    env = gymnasium.make(ENV_ID)
    observation, info = env.reset(seed=3)
    assert info["seed"] == 3
    assert observation in env.observation_space
    assert env.action_space == gymnasium.spaces.Discrete(9)


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


def several(load: Path, reward: object, mode: str = "NextStep") -> SlcCacheVectorEnv:
    how: dict[str, Any] = {"reward": reward, "autoreset_mode": mode}
    return SlcCacheVectorEnv(2, workload=load, **how, **ENV)


def placing(load: Path, reward: Spec, batch: int = 1) -> PlacementEnv:
    return PlacementEnv(trace=load, device="tiny", reward=reward, batch=batch)


#: Environments by a name, each made with a reward.
MADE: dict[str, Callable[[Path, Any], Any]] = {
    "knobs": knobs,
    "placement": placing,
    "placement of 5": partial(placing, batch=5),
    "vector": several,
    "vector that begins at once": partial(several, mode="SameStep"),
}
#: Those of one episode at a time.
SINGLE = [name for name in MADE if "vector" not in name]


def stepped(env: Any, steps: int) -> Any:  # noqa: ANN401
    """Return an environment after so many random steps of a new episode."""
    env.action_space.seed(3)
    env.reset(seed=3)
    for _ in range(steps):
        env.step(env.action_space.sample())
    return env


def seen(env: Any) -> list[Any]:  # noqa: ANN401
    """Return what comes of another step; where an episode is over, its document and the next."""
    if getattr(env, "over", None) is None:
        *told, info = env.step(env.action_space.sample())
        infos = {name: repr(value) for name, value in info.items()}
        return [*(np.asarray(each).tolist() for each in told), infos]
    document = env.finish()
    with pytest.raises(EpisodeError, match="step after finish"):
        pickle.loads(pickle.dumps(env)).step(env.action_space.sample())
    first, info = env.reset()
    return [document | {"sim": None, "provenance": None}, first.tolist(), info]


@pytest.mark.few(5)
@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("steps", [0, 1, 7])
@pytest.mark.parametrize("name", MADE)
def test_what_is_copied_or_pickled_goes_on_alike_to_the_end_and_further(
    name: str, steps: int, reward: str, tmp_path: Path
) -> None:
    trace = write_trace(tmp_path / "short.csv", mixed(80))
    env = stepped(MADE[name](trace, REWARDS[reward]), steps)
    others = [env.fork(), copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    apart = env.fork()
    for _ in range(3):
        seen(apart)
    # More than an episode has.
    for _ in range(70):
        wanted = seen(env)
        assert all(seen(other) == wanted for other in others)


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
    both = several(load, reward)
    both.reset(seed=1)
    assert both.step(both.action_space.sample())[1].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("name", SINGLE)
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
    envs = several(load, kept_small, mode)
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


def test_turned_knobs_are_told(load: Path) -> None:
    """A result of turned knobs is no constant policy's, and says so; its shape is documented."""
    env = SlcCacheEnv(workload=load, **ENV)
    env.reset(seed=1)
    env.action_space.seed(0)
    turned, windows, ended = 0, 0, False
    while not ended:
        before = [knob.value for knob in env.knobs()]
        ended = env.step(env.action_space.sample())[2]
        after = [knob.value for knob in env.knobs()]
        turned += sum(was != now for was, now in zip(before, after, strict=True))
        windows += 1
    document = env.finish()
    assert document["episode"] == {"windows": windows, "turns": turned}
    assert turned > 10
    current(document)


@pytest.mark.long
def test_a_signal_ends_a_step_which_then_goes_on() -> None:
    """What a handler raises comes out of a long step; the next step ends the same window."""

    class RungError(Exception):
        """Raised by the alarm."""

    def ring(*_: object) -> None:
        raise RungError

    long = ENV | {"window": ("requests", 350_000), "settings": {"trace.address": "wrap"}}
    options = {"workload.requests": "400000"}
    envs = SlcCacheVectorEnv(2, threads=2, workload="zipf-4k", trace_options=options, **long)
    env = envs.envs[0].fork()
    stay = np.full(2, 4)
    before = signal.signal(signal.SIGALRM, ring)
    try:
        for each, action in ((env, 4), (envs, stay)):
            each.reset(seed=1)
            whole = each.fork()
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with pytest.raises(RungError):
                each.step(action)
            np.testing.assert_array_equal(each.step(action)[0], whole.step(action)[0])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_what_ends_a_step_while_its_threads_begin_moves_no_device(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    envs = SlcCacheVectorEnv(
        3, threads=2, workload="zipf-4k", **ENV | {"settings": {"trace.address": "wrap"}}
    )
    envs.reset(seed=1)
    whole, submit = envs.fork(), envs._pool.submit
    begun: list[Any] = []

    def rung(*task: Any) -> Any:  # noqa: ANN401
        if begun:
            raise KeyboardInterrupt
        begun.append(submit(*task))
        return begun[0]

    with monkeypatch.context() as patched:
        patched.setattr(envs._pool, "submit", rung)
        with pytest.raises(KeyboardInterrupt):
            envs.step(np.full(3, 4))
    for _ in range(2):
        found, expected = envs.step(np.full(3, 4)), whole.step(np.full(3, 4))
        np.testing.assert_array_equal(found[0], expected[0])


ROOT = Path(__file__).parent.parent
#: What says whose a document is, and how long its run took.
OWN = ("config", "scheme", "provenance", "sim")
#: How tables of time, operation, sector and sectors are read.
OPTIONS = [
    ("format", "generic"), ("time", "1"), ("time_unit", "ns"), ("op", "2"), ("ops.R", "read"),
    ("ops.W", "write"), ("address", "3"), ("address_unit", "sector"), ("size", "4"),
    ("size_unit", "sector"), ("rebase", "false"),
]  # fmt: skip


def windows(load: Path, **arguments: Any) -> list[Any]:  # noqa: ANN401
    """Return observation, reward and info of each window of one episode of random actions."""
    whole = played(SlcCacheEnv(workload=load, **{**ENV, **arguments}))
    return [(observation, reward, info) for observation, reward, _, info in whole[1:]]


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


def test_a_saved_state_begins_an_episode(load: Path, tmp_path: Path) -> None:
    state = tmp_path / "aged.state"
    how: dict[str, Any] = {"workload": load, "observations": ["signal.utilisation"], **ENV}
    settings = {"scheme.rl.agent": "none", "precondition": {"fill": 0.5}}
    slcache.run(load, device="tiny", scheme="rl", settings=settings, save_state=state)
    env = SlcCacheEnv(**how)
    empty = env.reset(seed=1)[0]
    full = env.reset(seed=1, options={"snapshot": state})[0]
    assert full > empty
    assert SlcCacheEnv(load_state=state, **how).reset(seed=1)[0] == full


def test_the_seeds_of_the_draw_and_of_the_run_are_apart() -> None:
    def ran(seed: int, draw: int) -> dict[str, Any]:
        given: dict[str, Any] = {"device": "tiny", "scheme": "rl", "replay": "closed:4"}
        given["trace_options"] = {"workload.requests": "3000", "seed": str(draw)}
        settings = {"trace.address": "wrap", "scheme.rl.step_bytes": 65536}
        env = SlcCacheEnv(workload="zipf-4k", settings=settings, **given)
        env.reset(seed=seed)
        played = env.finish()
        run = slcache.run("zipf-4k", settings={**settings, "run.seed": seed}, **given).documents[0]
        assert played["trace"]["sha256"] == run["trace"]["sha256"]
        assert played["config"]["run"]["seed"] == run["config"]["run"]["seed"] == seed
        return dict(run)

    first, other, redrawn = ran(1, 5), ran(2, 5), ran(1, 6)
    assert first["trace"]["sha256"] == other["trace"]["sha256"] != redrawn["trace"]["sha256"]
    # The learner explores by the seed of the run.
    assert first["waf"] != other["waf"]


def test_figures_are_named_bounded_chosen_and_plain_data(load: Path) -> None:
    env = SlcCacheEnv(workload=load, **ENV)
    listed = [figure.name for figure in env.figures]
    assert {"waf", "write_p99_ns", "knob.theta_bytes", "signal.utilisation"} <= set(listed)
    assert np.isfinite([env.rules.observations.space.low, env.rules.observations.space.high]).all()
    some = windows(load, observations=["knob.theta_bytes", "waf"])
    for (whole, _, info), (part, *_) in zip(windows(load), some, strict=True):
        assert whole == [info[name] for name in listed]
        assert part == [info["knob.theta_bytes"], info["waf"]]
        assert json.loads(json.dumps(info)) == info
        programmed = sum(row["bytes"] for row in info["operations"] if row["kind"] == "program")
        assert programmed == info["host_programmed_bytes"] + info["moved_bytes"]
    (stored,) = pa.array([info]).to_pylist()
    assert stored["waf"] == info["waf"] > 0
    given: dict[str, Any] = {"workload": load, "observations": ["waf", read_mib, "erases"], **ENV}
    env, several = SlcCacheEnv(**given), SlcCacheVectorEnv(2, **given)
    assert env.reset(seed=3)[0].tolist() == [0.0, 0.0, 0.0]
    several.reset(seed=3)
    for _ in range(3):
        seen, _, _, _, info = env.step(4)
        assert seen.tolist() == [info["waf"], info["read_bytes"] / 2**20, info["erases"]]
        assert seen[1] > 0
        assert several.step([4, 4])[0][0].tolist() == seen.tolist()
    scaled = SlcCacheEnv(normalise=True, **given)
    scaled.reset(seed=3)
    figure = np.log1p(info["read_bytes"] / 2**20) / np.log1p(2.0**63)
    assert [scaled.step(4) for _ in range(3)][-1][0][1] == pytest.approx(figure)


def test_figures_are_scaled_by_their_bounds_or_their_order(load: Path) -> None:
    plain = SlcCacheEnv(workload=load, **ENV)
    scaled = SlcCacheEnv(workload=load, normalise=True, **ENV)
    several = SlcCacheVectorEnv(2, workload=load, normalise=True, **ENV)
    plain.reset(seed=5)
    scaled.reset(seed=5)
    several.reset(seed=[5, 6])
    space = plain.rules.observations.space
    for action in (0, 4, 8):
        raw, seen = plain.step(action)[0], scaled.step(action)[0]
        batch = several.step(np.array([action, action]))[0]
        assert seen.dtype == batch.dtype == np.dtype("float32")
        assert scaled.observation_space.contains(seen)
        assert several.observation_space.contains(batch)
        np.testing.assert_array_equal(batch[0], seen)
        bounded = (space.high < 2.0**63) & (space.high > space.low)
        share = 2 * (raw - space.low) / (space.high - space.low) - 1
        np.testing.assert_allclose(seen[bounded], share[bounded], atol=1e-6)
        order = np.log1p(raw) / np.log1p(2.0**63)
        free = ~bounded & (raw >= 0)
        np.testing.assert_allclose(seen[free], order[free], atol=1e-6)
        assert bounded.any()
        assert free.any()


def read_mib(seen: dict[str, float]) -> float:
    """Return a figure of the user's."""
    return seen["read_bytes"] / 2**20


NO_NUMBERS: list[Any] = [None, True, "1", [1.0], math.nan, math.inf]


def test_what_a_function_returns_that_is_no_number_is_an_error(load: Path) -> None:
    """Of one that is observed by its name; of a reward the episode ends."""
    for value in [*NO_NUMBERS, 1e300, 2**70]:

        def odd(seen: dict[str, float], value: object = value) -> Any:  # noqa: ANN401
            return value

        with pytest.raises(EpisodeError, match="observation odd: must return a number"):
            SlcCacheEnv(workload=load, observations=[odd], **ENV).reset(seed=1)
    for value in NO_NUMBERS:
        env = SlcCacheEnv(workload=load, reward=lambda _, value=value: value, **ENV)
        env.reset(seed=1)
        with pytest.raises(EpisodeError, match="must be a finite number"):
            env.step(4)
        with pytest.raises(EpisodeError, match="step after a reward that failed"):
            env.step(4)
        env.reset(seed=1)


def test_actions_toward_a_value_lead_there(load: Path) -> None:
    for kind in ("steps", "multi-discrete", "box"):
        env = SlcCacheEnv(workload=load, actions=kind, strides={"slc_blocks": 1}, **ENV)
        env.reset(seed=1)
        for theta in (4096, 524288):
            for _ in range(8):
                env.step(env.toward({"theta_bytes": theta}))
            assert {knob.name: knob.value for knob in env.knobs()}["theta_bytes"] == theta
    env = SlcCacheEnv(workload=load, strides={"slc_blocks": 1}, **ENV)
    for action in range(9):
        env.reset(seed=1)
        before = [knob.value for knob in env.knobs()]
        env.step(action)
        slc, more = (b - a for a, b in zip(before, [k.value for k in env.knobs()], strict=True))
        assert (np.sign(slc), np.sign(more)) == (action // 3 - 1, action % 3 - 1)


def test_rewards_by_name_weights_and_function(load: Path) -> None:
    def of(reward: rewards.Spec) -> list[float]:
        return [reward for _, reward, _ in windows(load, reward=reward)]

    infos = [info for *_, info in windows(load)]
    assert of("waf") == [-info["waf"] for info in infos]
    assert of({"waf": 2}) == of(lambda info: -2 * info["waf"]) == [-2 * i["waf"] for i in infos]
    assert of("throughput") == pytest.approx([i["bytes_per_s"] / (1 << 20) for i in infos])
    assert of("lifetime") == pytest.approx([-1e6 * info["life_used"] for info in infos])
    means = []
    for info in infos:
        counts = info["reads_completed"], info["writes_completed"]
        total_ns = counts[0] * info["read_mean_ns"] + counts[1] * info["write_mean_ns"]
        means.append(-total_ns / max(sum(counts), 1) / 1e6)
    assert of("latency") == pytest.approx(means)
    both = [0.5 * a + 3.0 * b for a, b in zip(of("latency"), of("waf"), strict=True)]
    assert of({"latency": 0.5, "waf": 3}) == pytest.approx(both)
    paper = of("paper")
    assert paper[0] == 0.0
    assert set(paper[1:]) == {-1.0, 1.0}
    costs = ("utilisation", "slc_write_flash_ns", "dense_write_flash_ns")
    at = {name: i for i, name in enumerate((*costs, "migration_flash_ns", "gc_flash_ns"))}
    cases = {("ema", 0.5): [0, -1, -1, 1], ("cumulative", 0.5): [0, -1, -1, 1]}
    cases[("ema", 0.01)] = [0, -1, -1, -1]
    for average, signs in cases.items():
        reward = rewards.build("paper", at.__getitem__, average)
        found = [reward([0.0, cost, 0, 0, 0], {}) for cost in (100.0, 300.0, 210.0, 140.0)]
        assert found == signs, average
    for settings, wanted in [({}, ("ema", 0.1)), ({"average": "cumulative"}, ("cumulative", 0.1))]:
        assert SlcCacheEnv(workload=load, settings=settings, **ENV).rules.average == wanted


def test_the_page_names_every_reward_kind_of_action_and_figure_of_a_write() -> None:
    page = (ROOT / "docs/environment.md").read_text(encoding="utf-8")
    for name in [*rewards.NAMED, "steps", "multi-discrete", "box", *placement.NAMES, *STATE]:
        assert f"`{name}`" in page or f'`"{name}"`' in page, name


def placed(env: PlacementEnv, region: int) -> dict[str, Any]:
    """Return the document of an episode whose writes all go to one region."""
    env.reset(seed=1)
    ended = False
    while not ended:
        ended = env.step(region if env.batch == 1 else np.full(env.batch, region))[2]
    return {key: value for key, value in env.finish().items() if key not in OWN}


def test_placement_all_to_the_cache_is_the_scheme_by_itself(trace: Path) -> None:
    document = slcache.run(trace, device="tiny", scheme="custom", seed=1).documents[0]
    native = {key: value for key, value in document.items() if key not in OWN}
    for batch in (1, 7, 64):
        assert placed(PlacementEnv(trace=trace, device="tiny", batch=batch), 0) == native, batch
    dense = placed(PlacementEnv(trace=trace, device="tiny"), 1)
    assert dense["waf"] != native["waf"]
    assert placed(PlacementEnv(trace=trace, device="tiny", batch=16), 1) == dense


def test_placement_observes_writes_and_the_step_before(trace: Path) -> None:
    env = PlacementEnv(trace=trace, device="tiny", batch=3)
    observation, info = env.reset(seed=1)
    assert len(observation) == 3 * len(placement.NAMES) + len(STATE)
    assert info["writes"] > 0
    known = placement.of_writes(str(trace), 1, [], 4096)[3:6].ravel()
    observation, *_, info = env.step(np.zeros(3, int))
    wanted = np.array([*known, *(info[name] for name in STATE)])
    assert env.observation_space.contains(observation)
    np.testing.assert_allclose(observation, np.sign(wanted) * np.log1p(np.abs(wanted)), rtol=1e-6)
    assert info["write_mean_ns"] > 0
    env = PlacementEnv(trace=trace, device="tiny")
    env.reset(seed=1)
    for wrong in (2, -1, None, [0], 0.0):
        with pytest.raises(EpisodeError, match=r"must be in .*0 cache, 1 store"):
            env.step(wrong)
    with pytest.raises(EpisodeError, match="knob slc_blocks: unknown; the scheme has none"):
        env.reset(options={"knobs": {"slc_blocks": 3}})


def test_two_classes_of_one_name_are_two_schemes(trace: Path, tmp_path: Path) -> None:
    for region in ("cache", "fast"):
        (tmp_path / region).mkdir()
        body = f"regions = {{'{region}': slcache.slc(3), 'store': slcache.dense()}}"
        env = PlacementEnv(trace=trace, device="tiny", scheme=own_scheme(tmp_path / region, body))
        env.reset(seed=1)
        env.step(0)
        assert f"{region}_pages_written" in env.finish()["scheme"]["figures"]


def test_what_is_known_of_a_write_is_what_a_model_counts(tmp_path: Path) -> None:
    rng = random.Random(54)
    rows = [
        (1000 * at, rng.choice("WWR"), rng.randrange(400), rng.randrange(1, 120))
        for at in range(1, 300)
    ]
    rows[:4] = [(0, "W", 0, 32), (1000, "W", 8, 8), (3000, "R", 80, 8), (4000, "W", 88, 8)]
    trace = tmp_path / "long.csv"
    trace.write_text("".join(f"{at},{op},{sector},{count}\n" for at, op, sector, count in rows))
    for page_sectors in (1, 8, 32):
        table = placement.of_writes(str(trace), 1, OPTIONS, 512 * page_sectors)
        used: dict[str, dict[int, list[int]]] = {"WR": {}, "W": {}}
        wanted, before, end = [], 0, -1
        for at, op, sector, count in rows:
            first = sector // page_sectors
            all_of, of_writes = (used[ops].get(first, []) for ops in ("WR", "W"))
            since = [at - seen[-1] if seen else -1 for seen in (all_of, of_writes)]
            if op == "W":
                known = [512 * count, sector == end, at - before, *since]
                wanted.append([*known, len(all_of), len(of_writes), 0])
            before, end = at, sector + count
            for page in range(first, (sector + count - 1) // page_sectors + 1):
                for ops in (ops for ops in used if op in ops):
                    used[ops].setdefault(page, []).append(at)
        assert table.tolist() == wanted, page_sectors
        assert page_sectors == 1 or wanted[1] == [4096, 0, 1000, 1000, 1000, 1, 1, 0]
