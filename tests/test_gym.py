"""The Gymnasium environment: its conventions, its determinism, and what it refuses."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pyarrow as pa
import pytest
from gymnasium.utils.env_checker import check_env

import slcache
import slcache.gym
from slcache import ConfigError, EpisodeError
from slcache.gym import ENV_ID, SlcCacheEnv, rewards
from slcache.gym import actions as action_kinds
from support import mixed, write_trace

#: Short windows, so that a small trace has many.
WINDOW = ("write-bytes", 65536)
KNOBLESS = ("ips", "qlc-only", "hyssd", "custom")
FIT = [name for name in slcache.fitting(device="tiny")[0] if name not in KNOBLESS]


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough reads and writes to clean the tiny device now and then."""
    return write_trace(tmp_path_factory.mktemp("gym") / "load.csv", mixed(1500))


def made(load: Path, **arguments: object) -> SlcCacheEnv:
    """Return an environment on the tiny device, without wrappers."""
    chosen: dict[str, Any] = {"device": "tiny", "scheme": "rl", "window": WINDOW, "workload": load}
    chosen.update(arguments)
    env = gymnasium.make(ENV_ID, disable_env_checker=True, **chosen).unwrapped
    assert isinstance(env, SlcCacheEnv)
    return env


def played(env: SlcCacheEnv, seed: int | None) -> list[Any]:
    """Return everything that is seen of an episode of random actions."""
    observation, info = env.reset(seed=seed)
    env.action_space.seed(0)
    seen: list[Any] = [(observation.tolist(), info)]
    over = False
    while not over:
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        seen.append((observation.tolist(), reward, terminated, truncated, dict(info)))
        over = terminated or truncated
    return seen


@pytest.mark.parametrize("scheme", FIT)
@pytest.mark.parametrize("actions", ["steps", "multi-discrete", "box"])
def test_gymnasiums_checker_finds_nothing(load: Path, scheme: str, actions: str) -> None:
    env = made(load, scheme=scheme, actions=actions, reward="latency")
    check_env(env)


def test_the_defaults_make_an_environment() -> None:
    env = gymnasium.make(ENV_ID, device="rl-32g", workload="zipf-4k", scheme="rl")
    observation, info = env.reset(seed=3)
    assert info["seed"] == 3
    assert observation in env.observation_space
    assert env.action_space == gymnasium.spaces.Discrete(9)
    inner = env.unwrapped
    assert isinstance(inner, SlcCacheEnv)
    assert inner.fork() is not inner


def test_the_same_seed_gives_the_same_episodes(load: Path) -> None:
    first = [played(made(load), seed) for seed in (4, 4, 5)]
    assert first[0] == first[1]
    env = made(load)
    again = [played(env, 4), played(env, None)]
    other = made(load)
    assert again[0] == first[0]
    assert again == [played(other, 4), played(other, None)]
    assert again[1][0][1]["seed"] != 4


def test_a_fork_goes_on_as_the_original_does(load: Path) -> None:
    env = made(load)
    env.reset(seed=1)
    env.action_space.seed(1)
    for _ in range(4):
        env.step(env.action_space.sample())
    fork = env.fork()
    other = fork.fork()
    other.step(0)
    over = False
    while not over:
        action, same = env.action_space.sample(), fork.action_space.sample()
        assert action == same
        observation, reward, over, _, info = env.step(action)
        there = fork.step(same)
        assert observation.tolist() == there[0].tolist()
        assert (reward, over, dict(info)) == (there[1], there[2], dict(there[4]))
    documents = [each.finish() for each in (env, fork)]
    for document in documents:
        del document["sim"], document["provenance"]["time"]
    assert documents[0] == documents[1]


def test_an_episode_without_turns_is_the_run(load: Path) -> None:
    env = made(load, scheme="baseline" if "baseline" in FIT else "rl")
    env.reset(seed=2)
    stay = env.toward({})
    while not env.step(stay)[2]:
        pass
    scheme = env.rules.source.scheme
    settings = env.rules.source.settings
    run = slcache.run(load, device="tiny", scheme=scheme, settings=settings, seed=2).to_dict()
    document = env.finish()
    assert document["host"] == run["host"]
    assert document["flash"] == run["flash"]
    assert document["provenance"]["config_hash"] == run["provenance"]["config_hash"]


def test_an_episode_is_truncated_or_ends_with_its_trace(load: Path) -> None:
    seen = played(made(load, max_windows=3), 1)[1:]
    assert [step[2:4] for step in seen] == [(False, False), (False, False), (False, True)]
    whole = played(made(load), 1)[1:]
    assert all(step[2:4] == (False, False) for step in whole[:-1])
    assert whole[-1][2:4] == (True, False)
    # The truncation that falls on the trace's end is none.
    assert played(made(load, max_windows=len(whole)), 1)[-1][2:4] == (True, False)


def test_options_of_reset(load: Path, tmp_path: Path) -> None:
    other = write_trace(tmp_path / "other.csv", mixed(600, seed=8))
    env = made(load)
    _, info = env.reset(seed=1, options={"workload": other, "knobs": {"theta_bytes": 8192}})
    assert info == {"seed": 1, "options": {"workload": str(other), "knobs": {"theta_bytes": 8192}}}
    assert {knob.name: knob.value for knob in env.knobs()}["theta_bytes"] == 8192
    _, plain = env.reset(seed=1)
    assert plain["options"] == {"workload": str(load)}
    for options, told in (
        ({"workloads": other}, "workloads: unknown"),
        ({"knobs": {"speed": 1}}, "speed: unknown; the scheme has slc_blocks, theta_bytes"),
        ({"knobs": {"theta_bytes": 5000}}, "theta_bytes = 5000"),
        ({"knobs": {"theta_bytes": math.nan}}, "theta_bytes"),
        ({"knobs": {"theta_bytes": "8k"}}, "must be a number"),
        ({"knobs": 3}, "must be values by names"),
    ):
        with pytest.raises(EpisodeError, match=told):
            env.reset(options=options)
    # A reset that is refused leaves the episode where it was.
    assert env.step(4)[4]["duration_ns"] > 0


def test_a_saved_state_begins_an_episode(load: Path, tmp_path: Path) -> None:
    state = tmp_path / "aged.state"
    env = made(load)
    settings = {**env.rules.source.settings, "precondition": {"fill": 0.5}}
    slcache.run(load, device="tiny", scheme="rl", settings=settings, save_state=state)
    aged = made(load, observations=["signal.utilisation"])
    empty = aged.reset(seed=1)[0]
    full = aged.reset(seed=1, options={"snapshot": state})[0]
    assert full > empty
    assert (
        made(load, load_state=state, observations=["signal.utilisation"]).reset(seed=1)[0] == full
    )


def test_workloads_are_drawn_by_the_seed(load: Path, tmp_path: Path) -> None:
    other = write_trace(tmp_path / "other.csv", mixed(600, seed=8))
    env = made(load, workload=[load, other])

    def drawn(seed: int) -> list[str]:
        told = [env.reset(seed=seed)[1], *(env.reset()[1] for _ in range(7))]
        return [info["options"]["workload"] for info in told]

    assert drawn(1) == drawn(1)
    assert set(drawn(1)) == {str(load), str(other)}
    assert any(drawn(1) != drawn(seed) for seed in (2, 3, 4))


def test_info_is_plain_data_to_whoever_writes_it_down(load: Path) -> None:
    env = made(load)
    env.reset(seed=1)
    info = env.step(4)[4]
    written = json.loads(json.dumps(info))
    assert {*env.rules.observations.names, "operations"} == set(written)
    assert written == info
    (stored,) = pa.array([info]).to_pylist()
    assert stored["waf"] == info["waf"] > 0
    assert len(stored["operations"]) == len(info["operations"]) > 0


def test_observations_are_named_bounded_and_selected(load: Path) -> None:
    env = made(load)
    names = env.rules.observations.names
    assert {"waf", "write_p99_ns", "knob.theta_bytes", "signal.utilisation"} <= set(names)
    assert all(figure.unit and figure.summary for figure in env.rules.observations.figures)
    space = env.observation_space
    assert isinstance(space, gymnasium.spaces.Box)
    assert np.isfinite([space.low, space.high]).all()
    some = made(load, observations=["knob.theta_bytes", "waf"])
    whole, chosen = played(env, 1), played(some, 1)
    at = [names.index("knob.theta_bytes"), names.index("waf")]
    for (all_of, *_), (part, *_) in zip(whole[1:], chosen[1:], strict=True):
        assert [all_of[index] for index in at] == part
    for wrong, told in (
        (["speed"], "'speed' is unknown; known: "),
        ([], "must be a list"),
        ("waf", "must be a list"),
        (["waf", "waf"], "named twice"),
    ):
        with pytest.raises(ConfigError, match=told):
            made(load, observations=wrong)


def test_step_actions_are_numbered_as_the_learner_numbers_them(load: Path) -> None:
    env = made(load, strides={"slc_blocks": 1})
    for action in range(9):
        env.reset(seed=1)
        before = [knob.value for knob in env.knobs()]
        env.step(action)
        (slc, theta) = (b - a for a, b in zip(before, [k.value for k in env.knobs()], strict=True))
        assert (np.sign(slc), np.sign(theta)) == (action // 3 - 1, action % 3 - 1)


def test_an_action_outside_the_space_changes_nothing(load: Path) -> None:
    wrong: dict[str, list[Any]] = {
        "steps": [9, -1, 1.0, True, None, [1], np.array([1, 2])],
        "multi-discrete": [[0], [0, 99], [0.0, 1.0], None, [0, -1]],
        "box": [[0.0], [0.0, 1.5], [math.nan, 0.0], None, [1, 1]],
    }
    for kind, actions in wrong.items():
        env = made(load, actions=kind)
        env.reset(seed=1)
        before = env.fork()
        for action in actions:
            with pytest.raises(EpisodeError, match="not in the action space"):
                env.step(action)
        right = env.toward({})
        assert env.step(right)[0].tolist() == before.step(right)[0].tolist()


def test_settings_actions_reach_what_they_name(load: Path) -> None:
    for kind in ("multi-discrete", "box"):
        env = made(load, actions=kind)
        env.reset(seed=1)
        for end in (0, -1):
            wanted = {knob.name: knob.places[end] for knob in env.knobs()}
            env.step(env.toward(wanted))
            values = {knob.name: knob.value for knob in env.knobs()}
            assert values["theta_bytes"] == wanted["theta_bytes"]


def test_no_step_before_the_start_or_after_the_end(load: Path) -> None:
    env = made(load, max_windows=1)
    with pytest.raises(EpisodeError, match="reset the environment first"):
        env.step(4)
    env.reset(seed=1)
    env.step(4)
    with pytest.raises(EpisodeError, match="step after window 1, the last: reset"):
        env.step(4)
    ended = made(load)
    played(ended, 1)
    with pytest.raises(EpisodeError, match="step after the end of the trace"):
        ended.step(4)
    env.close()
    env.close()
    with pytest.raises(EpisodeError, match="no episode is under way"):
        env.step(4)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"scheme": "nonsense"}, "nonsense"),
        ({"device": "nonsense"}, "nonsense"),
        ({"actions": "wheel"}, "actions = 'wheel': must be one of steps, multi-discrete, box"),
        ({"reward": "fame"}, "'fame': unknown; known: paper"),
        ({"reward": {}}, "must be a name"),
        ({"reward": {"waf": math.nan}}, "must be a finite number"),
        ({"max_windows": 0}, "max_windows = 0"),
        ({"workload": []}, "must name at least one"),
        ({"workload": 3}, "workload = 3"),
        ({"window": ("hours", 3)}, "hours"),
        ({"window": ("write-bytes", 0)}, "0"),
        ({"window": 3}, "must be a unit and a count"),
        ({"render_mode": "ansi"}, "render_mode: no argument"),
        ({"strides": {"theta_bytes": 3}}, "has a ladder"),
        ({"strides": {"speed": 3}}, "'speed' is no knob"),
        ({"strides": {"slc_blocks": 1000}}, "strides: slc_blocks = 1000: must be between"),
        ({"settings": {"scheme.rl.nonsense": 1}}, "nonsense"),
    ],
    ids=str,
)
def test_wrong_arguments_are_refused(load: Path, arguments: dict[str, Any], told: str) -> None:
    chosen = {"device": "tiny", "scheme": "rl", "window": WINDOW, "workload": load, **arguments}
    with pytest.raises((ConfigError, EpisodeError), match=told):
        SlcCacheEnv(**chosen)


def test_a_trace_too_short_for_a_window_is_refused(tmp_path: Path) -> None:
    short = write_trace(tmp_path / "short.csv", mixed(3))
    with pytest.raises(ConfigError, match="too short for one window"):
        made(short)


@pytest.mark.parametrize("scheme", KNOBLESS)
def test_a_scheme_without_knobs_is_refused(load: Path, scheme: str) -> None:
    with pytest.raises(ConfigError, match=f"{scheme} has no knobs"):
        made(load, scheme=scheme)


def test_rewards_by_name_weights_and_function(load: Path) -> None:
    def total(info: dict[str, Any]) -> float:
        return -2.0 * float(info["waf"])

    def of(reward: rewards.Spec) -> list[float]:
        return [step[1] for step in played(made(load, reward=reward), 1)[1:]]

    figures = [step[4] for step in played(made(load), 1)[1:]]
    assert of("waf") == [-info["waf"] for info in figures]
    assert of({"waf": 2}) == of(total) == [-2 * info["waf"] for info in figures]
    assert of("throughput") == pytest.approx([i["bytes_per_s"] / (1 << 20) for i in figures])
    assert of("lifetime") == pytest.approx([-1e6 * info["life_used"] for info in figures])
    both = [0.5 * a + 3.0 * b for a, b in zip(of("latency"), of("waf"), strict=True)]
    assert of({"latency": 0.5, "waf": 3}) == pytest.approx(both)
    paper = of("paper")
    assert paper[0] == 0.0
    assert set(paper[1:]) == {-1.0, 1.0}


def test_a_mean_latency_is_that_of_all_requests(load: Path) -> None:
    seen = played(made(load, reward="latency"), 1)[1:]
    for _, reward, _, _, info in seen:
        counts = info["reads_completed"], info["writes_completed"]
        means = info["read_mean_ns"], info["write_mean_ns"]
        total_ns = sum(count * mean for count, mean in zip(counts, means, strict=True))
        assert reward == pytest.approx(-total_ns / max(sum(counts), 1) / 1e6)


@pytest.mark.parametrize("value", [math.nan, math.inf, "1", None, True, [1.0]], ids=str)
def test_a_reward_that_is_no_number_ends_the_episode(load: Path, value: object) -> None:
    env = made(load, reward=lambda info: value)
    env.reset(seed=1)
    with pytest.raises(EpisodeError, match="must be a finite number"):
        env.step(4)
    with pytest.raises(EpisodeError, match="step after a reward that failed"):
        env.step(4)
    env.reset(seed=1)


def test_the_page_names_every_reward_and_kind_of_action() -> None:
    page = (Path(__file__).parent.parent / "docs/environment.md").read_text(encoding="utf-8")
    for name in [*rewards.NAMED, *action_kinds.KINDS]:
        assert f"`{name}`" in page or f'`"{name}"`' in page
