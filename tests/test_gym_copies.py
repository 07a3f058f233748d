"""The environment: copies go on alike, nothing is shared between episodes, figures are scaled."""

from __future__ import annotations

import copy
import itertools
import pickle
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import slcache
import slcache.gym
from slcache import ConfigError, EpisodeError
from slcache.gym import SlcCacheEnv, SlcCacheVectorEnv, rewards
from support import mixed, write_trace

ENV: dict[str, Any] = {"device": "tiny", "scheme": "rl", "window": ("write-bytes", 65536)}


class Counted:
    """A reward that remembers: how many windows it has seen."""

    def __init__(self) -> None:
        self.windows = 0

    def __call__(self, info: dict[str, Any]) -> float:
        """Return how many windows there were."""
        self.windows += 1
        return float(self.windows)


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough reads and writes to clean the tiny device now and then."""
    return write_trace(tmp_path_factory.mktemp("gym") / "load.csv", mixed(1500))


def stepped(env: SlcCacheEnv, steps: int, seed: int | None = 3) -> SlcCacheEnv:
    """Return the environment after so many random steps of a new episode."""
    env.action_space.seed(seed)
    env.reset(seed=seed)
    for _ in range(steps):
        env.step(env.action_space.sample())
    return env


def rest(env: SlcCacheEnv) -> list[Any]:
    """Return all that is seen from here to the end, and of the next episode's first window."""
    seen: list[Any] = []
    over = env.over is not None
    while not over:
        observation, reward, *ends, info = env.step(env.action_space.sample())
        seen.append((observation.tolist(), reward, ends, info))
        over = any(ends)
    first, told = env.reset()
    return [*seen, first.tolist(), told, env.step(env.action_space.sample())[1]]


@pytest.mark.parametrize("reward", ["paper", Counted], ids=["named", "own"])
@pytest.mark.parametrize("steps", [0, 1, 7])
def test_what_is_copied_or_pickled_in_mid_episode_goes_on_alike(
    load: Path, steps: int, reward: object
) -> None:
    env = stepped(SlcCacheEnv(workload=load, reward=reward, **ENV), steps)
    copied, loaded = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
    wanted = rest(env)
    assert rest(copied) == wanted
    assert rest(loaded) == wanted


def test_a_fork_runs_nothing_again(load: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env = stepped(SlcCacheEnv(workload=load, **ENV), 2)
    monkeypatch.setattr(SlcCacheEnv, "__setstate__", None)
    for copied in (env.fork(), copy.deepcopy(env)):
        assert copied.step(4)[1] == env.fork().step(4)[1]


def test_what_gymnasium_made_can_be_pickled_with_its_wrappers(load: Path) -> None:
    env = gymnasium.make(slcache.gym.ENV_ID, workload=load, **ENV)
    env.reset(seed=1)
    loaded = pickle.loads(pickle.dumps(env))
    assert loaded.spec == env.spec is not None
    assert loaded.step(4)[1] == env.step(4)[1]


def test_what_is_pickled_outside_an_episode_stays_there(load: Path) -> None:
    fresh = pickle.loads(pickle.dumps(SlcCacheEnv(workload=load, **ENV)))
    with pytest.raises(EpisodeError, match="reset the environment first"):
        fresh.step(0)
    env = stepped(SlcCacheEnv(workload=load, **ENV), 2)
    env.finish()
    loaded = pickle.loads(pickle.dumps(env))
    with pytest.raises(EpisodeError, match="step after finish"):
        loaded.step(loaded.action_space.sample())


def test_an_episode_whose_trace_has_changed_is_not_loaded(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "load.csv", mixed(1500))
    kept = pickle.dumps(stepped(SlcCacheEnv(workload=trace, **ENV), 3))
    write_trace(trace, mixed(1400)[100:])
    with pytest.raises(EpisodeError, match="a trace or a device file changed"):
        pickle.loads(kept)


@pytest.mark.parametrize("reward", [Counted, Counted()], ids=["class", "object"])
def test_what_a_reward_remembers_is_an_episodes_own(load: Path, reward: object) -> None:
    env = stepped(SlcCacheEnv(workload=load, reward=reward, **ENV), 2)
    fork = env.fork()
    action = env.action_space.sample()
    assert [each.step(action)[1] for each in (env, fork, env)] == [3.0, 3.0, 4.0]
    env.reset(seed=1)
    assert env.step(action)[1] == 1.0
    several = SlcCacheVectorEnv(3, workload=load, reward=reward, **ENV)
    several.reset(seed=1)
    assert several.step(several.action_space.sample())[1].tolist() == [1.0, 1.0, 1.0]


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


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"devic": "tiny"}, "devic: no argument of the environment; did you mean device"),
        ({"trace": "a", "workload": "b"}, "workload and trace are the same|the same argument"),
        ({"settings": {"scheme.rl.agent": "q-learning"}}, "must be none: actions turn the knobs"),
        ({"settings": {"scheme": {"rl": {"agent": "q-learning"}}}}, "must be none"),
        ({"window": ("hours", 3)}, 'window unit "hours"'),
        ({"normalise": 1}, "normalise = 1: must be True or False"),
        ({"reward": type("NoReward", (), {})}, "its objects are no functions"),
    ],
    ids=str,
)
def test_wrong_arguments_are_errors_of_configuration(
    load: Path, arguments: dict[str, Any], told: str
) -> None:
    chosen = {"workload": load, **ENV, **arguments}
    for made in (SlcCacheEnv, SlcCacheVectorEnv):
        with pytest.raises(ConfigError, match=told):
            made(**chosen)


def test_a_trace_may_be_called_one(load: Path) -> None:
    by_name = SlcCacheEnv(trace=load, **ENV)
    assert by_name.rules.source.workloads == [str(load)]


@pytest.mark.parametrize("options", [{"workload.requests": "5"}, {"address": "wrap"}])
def test_a_trace_that_is_not_there_is_what_is_wrong(options: dict[str, str]) -> None:
    with pytest.raises(slcache.TraceError, match="cannot be opened"):
        SlcCacheEnv(workload="missing.csv", trace_options=options, **ENV)


def test_the_papers_reward_averages_as_the_scheme_is_told_to(load: Path) -> None:
    """Ema with weight w: a + w (c - a); cumulative: the mean of all before."""
    names = ("utilisation", "slc_write_flash_ns", "dense_write_flash_ns")
    at = {name: i for i, name in enumerate((*names, "migration_flash_ns", "gc_flash_ns"))}
    costs = [100.0, 300.0, 210.0, 140.0]
    cases = {("ema", 0.5): [0, -1, -1, 1], ("cumulative", 0.5): [0, -1, -1, 1]}
    cases[("ema", 0.01)] = [0, -1, -1, -1]
    for average, signs in cases.items():
        judge = rewards.build("paper", at.__getitem__, average)
        assert [judge.of([0.0, cost, 0, 0, 0], {}) for cost in costs] == signs, average
    for settings, wanted in [({}, ("ema", 0.1)), ({"average": "cumulative"}, ("cumulative", 0.1))]:
        env = SlcCacheEnv(workload=load, settings=settings, **ENV)
        assert env.rules.average == wanted


#: Steps before the copy, whose reward, and the mode: in `make test` each value, with each other
#: reward and mode.
DAILY = {
    (None, "named", "NextStep"),
    (0, "own", "SameStep"),
    (4, "own", "NextStep"),
    (60, "named", "SameStep"),
    (60, "own", "NextStep"),
}
REWARDS: dict[str, object] = {"named": "paper", "own": Counted}
VECTORS = [
    pytest.param(*case, marks=[] if case in DAILY else [pytest.mark.slow])
    for case in itertools.product((None, 0, 4, 60), REWARDS, ("NextStep", "SameStep"))
]


@pytest.mark.parametrize(("steps", "reward", "mode"), VECTORS)
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
            told = {name: repr(value) for name, value in info.items()}
            seen.append((figures.tolist(), [other.tolist() for other in others], told))
        return seen

    copied, loaded = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
    wanted = on(env)
    assert on(copied) == wanted
    assert on(loaded) == wanted


def read_mib(seen: dict[str, float]) -> float:
    """Return a figure of the user's."""
    return seen["read_bytes"] / 2**20


def test_functions_are_observed_where_they_are_listed(load: Path) -> None:
    given: dict[str, Any] = {"workload": load, "observations": ["waf", read_mib, "erases"], **ENV}
    env, several = SlcCacheEnv(**given), SlcCacheVectorEnv(2, **given)
    assert env.reset(seed=3)[0].tolist() == [0.0, 0.0, 0.0]
    several.reset(seed=3)
    loaded = pickle.loads(pickle.dumps(env))
    for _ in range(3):
        seen, _, _, _, info = env.step(4)
        assert seen.tolist() == [info["waf"], info["read_bytes"] / 2**20, info["erases"]]
        assert seen[1] > 0
        assert several.step([4, 4])[0][0].tolist() == seen.tolist() == loaded.step(4)[0].tolist()
    scaled = SlcCacheEnv(normalise=True, **given)
    scaled.reset(seed=3)
    figure = np.log1p(info["read_bytes"] / 2**20) / np.log1p(2.0**63)
    assert [scaled.step(4) for _ in range(3)][-1][0][1] == pytest.approx(figure)


@pytest.mark.parametrize("value", [None, True, "1", float("nan"), float("inf"), 1e300, 2**70])
def test_a_function_that_returns_no_number_is_named(load: Path, value: object) -> None:
    def odd(seen: dict[str, float]) -> Any:  # noqa: ANN401
        return value

    env = SlcCacheEnv(workload=load, observations=[odd], **ENV)
    with pytest.raises(EpisodeError, match="observation odd: must return a number"):
        env.reset(seed=1)


@pytest.mark.parametrize("observations", [read_mib, "waf", 3, [], [read_mib, read_mib], [3]])
def test_what_is_no_list_of_observations_is_refused(load: Path, observations: object) -> None:
    with pytest.raises(ConfigError, match="observations"):
        SlcCacheEnv(workload=load, observations=observations, **ENV)


def test_the_seeds_of_the_draw_and_of_the_run_are_apart() -> None:
    def ran(seed: int, draw: int) -> dict[str, Any]:
        given: dict[str, Any] = {
            "device": "tiny",
            "scheme": "rl",
            "replay": "closed:4",
            "trace_options": {"workload.requests": "3000", "seed": str(draw)},
        }
        settings = {"trace.address": "wrap", "scheme.rl.step_bytes": 65536}
        env = SlcCacheEnv(workload="zipf-4k", settings=settings, **given)
        env.reset(seed=seed)
        played = env.finish()
        told = slcache.run("zipf-4k", settings={**settings, "run.seed": seed}, **given).documents[0]
        assert played["trace"]["sha256"] == told["trace"]["sha256"]
        assert played["config"]["run"]["seed"] == told["config"]["run"]["seed"] == seed
        return dict(told)

    first, other, redrawn = ran(1, 5), ran(2, 5), ran(1, 6)
    assert first["trace"]["sha256"] == other["trace"]["sha256"] != redrawn["trace"]["sha256"]
    # The learner explores by the seed of the run.
    assert first["waf"] != other["waf"]
