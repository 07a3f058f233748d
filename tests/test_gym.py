"""The environments keep Gymnasium's contract, and refuse what means nothing in errors of theirs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import slcache
from episodes import ENV
from slcache import ConfigError, EpisodeError, UsageError
from slcache.gym import ENV_ID, PLACEMENT_ID, PlacementEnv, SlcCacheEnv, SlcCacheVectorEnv
from support import mixed, write_trace

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


def played(env: SlcCacheEnv, seed: int | None) -> list[Any]:
    """Return everything that is seen of an episode of random actions."""
    observation, info = env.reset(seed=seed)
    env.action_space.seed(0)
    seen: list[Any] = [(observation.tolist(), info)]
    over = False
    while not over:
        observation, reward, *ends, info = env.step(env.action_space.sample())
        seen.append((observation.tolist(), reward, tuple(ends), info))
        over = any(ends)
    return seen


@pytest.mark.few(4)
@pytest.mark.parametrize("scheme", FIT)
@pytest.mark.parametrize("actions", ["steps", "multi-discrete", "box"])
def test_gymnasiums_checker_finds_nothing(load: Path, scheme: str, actions: str) -> None:
    chosen = {**ENV, "scheme": scheme, "actions": actions, "reward": "latency"}
    env = gymnasium.make(ENV_ID, disable_env_checker=True, workload=load, **chosen)
    check_env(env.unwrapped)


def test_the_same_seed_gives_the_same_episodes(load: Path) -> None:
    first = [played(SlcCacheEnv(workload=load, **ENV), seed) for seed in (4, 4, 5)]
    assert first[0] == first[1] != first[2]
    env, other = (SlcCacheEnv(workload=load, **ENV) for _ in range(2))
    again = [played(env, 4), played(env, None)]
    assert again == [played(other, 4), played(other, None)]
    assert again[0] == first[0]
    assert again[1][0][1]["seed"] != 4


def test_an_episode_is_truncated_or_ends_with_its_trace(load: Path, trace: Path) -> None:
    def ends(**more: int) -> list[tuple[bool, bool]]:
        return [step[2] for step in played(SlcCacheEnv(workload=load, **ENV, **more), 1)[1:]]

    assert ends(max_windows=3) == [(False, False), (False, False), (False, True)]
    whole = ends()
    assert set(whole[:-1]) == {(False, False)}
    # The truncation that falls on the trace's end is none.
    assert whole[-1] == ends(max_windows=len(whole))[-1] == (True, False)
    env = PlacementEnv(trace=trace, device="tiny", max_steps=2)
    env.reset(seed=1)
    assert [env.step(0)[2:4] for _ in range(2)] == [(False, False), (False, True)]


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


def test_workloads_are_drawn_by_the_seed(load: Path, tmp_path: Path) -> None:
    other = write_trace(tmp_path / "other.csv", mixed(600, seed=8))
    env = SlcCacheEnv(workload=[load, other], **ENV)

    def drawn(seed: int) -> list[str]:
        infos = [env.reset(seed=seed)[1], *(env.reset()[1] for _ in range(7))]
        return [info["options"]["workload"] for info in infos]

    assert drawn(1) == drawn(1)
    assert set(drawn(1)) == {str(load), str(other)}
    assert any(drawn(1) != drawn(seed) for seed in (2, 3, 4))


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
]
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
        for environment in (SlcCacheEnv, SlcCacheVectorEnv):
            with pytest.raises(ConfigError, match=words):
                environment(**chosen)
    for given, words in OF_PLACEMENT:
        with pytest.raises(ConfigError, match=words):
            PlacementEnv(trace=load, device="tiny", **given)


def test_an_action_of_placement_is_a_region(trace: Path) -> None:
    env = PlacementEnv(trace=trace, device="tiny")
    env.reset(seed=1)
    for wrong in (2, -1, None, [0], 0.0):
        with pytest.raises(EpisodeError, match=r"must be in .*0 cache, 1 store"):
            env.step(wrong)
    with pytest.raises(EpisodeError, match="knob slc_blocks: unknown; the scheme has none"):
        env.reset(options={"knobs": {"slc_blocks": 3}})


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


def waited(envs: SlcCacheVectorEnv, action: Any) -> Any:  # noqa: ANN401
    """Return what a step comes to that is waited for: nothing else is done meanwhile."""
    envs.step_async(action)
    for other in (envs.fork, envs.reset, envs.__getstate__):
        with pytest.raises(EpisodeError, match="a step is under way: end it by step_wait"):
            other()
    for again in (envs.step, envs.step_async):
        with pytest.raises(EpisodeError, match="a step is under way"):
            again(action)
    return envs.step_wait()


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize(("actions", "threads"), [("steps", 4), ("box", 1)])
def test_a_vector_does_what_gymnasiums_own_does(
    arguments: dict[str, Any], mode: AutoresetMode, actions: str, threads: int
) -> None:
    """With as many threads as one likes, at once or waited for, and each time in new arrays."""
    chosen = {**arguments, "actions": actions, "reward": "waf"}
    ours = SlcCacheVectorEnv(COUNT, autoreset_mode=mode, threads=threads, **chosen)
    theirs = SyncVectorEnv([lambda: SlcCacheEnv(**chosen)] * COUNT, autoreset_mode=mode)
    assert ours.action_space == theirs.action_space
    assert ours.observation_space == theirs.observation_space
    seen, info = ours.reset(seed=[5, 6, 7])
    same((seen, info), theirs.reset(seed=5))
    ours.action_space.seed(1)
    ends = 0
    for number in range(30):
        action, kept = ours.action_space.sample(), seen.copy()
        result = waited(ours, action) if number % 2 else ours.step(action)
        same(result, theirs.step(action))
        same(seen, kept)
        assert not np.shares_memory(seen, result[0])
        seen = result[0]
        ends += int(result[2].sum())
    assert ends >= COUNT
    with pytest.raises(EpisodeError, match="environment 0: "):
        ours.step_async([999] * COUNT)
    ours.step_async(action)
    ours.close()
    with pytest.raises(EpisodeError, match="no step is under way"):
        ours.step_wait()


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


def test_wrong_use_of_a_vector_is_refused(arguments: dict[str, Any]) -> None:
    for wrong, words in (
        ({"num_envs": 0}, "num_envs = 0"),
        ({"autoreset_mode": "Sometimes"}, "autoreset_mode = 'Sometimes'"),
    ):
        with pytest.raises((ConfigError, UsageError), match=words):
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


def test_the_defaults_make_an_environment(trace: Path) -> None:
    check_env(gymnasium.make(PLACEMENT_ID, trace=trace, device="tiny").unwrapped)
    env = gymnasium.make(ENV_ID)
    observation, info = env.reset(seed=3)
    assert info["seed"] == 3
    assert observation in env.observation_space
    assert env.action_space == gymnasium.spaces.Discrete(9)


def test_a_trace_that_is_not_there_is_what_is_wrong() -> None:
    for options in ({"workload.requests": "5"}, {"address": "wrap"}):
        with pytest.raises(slcache.TraceError, match="cannot be opened"):
            SlcCacheEnv(workload="missing.csv", trace_options=options, **ENV)
