"""PPO: slopes and advantages are what their definitions say, and it learns what can be learned."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from gymnasium import spaces

from slcache import EpisodeError
from slcache._core import Stream
from slcache.gym import SlcCacheEnv, play, ppo
from slcache.gym.mlp import Adam, Array, Mlp
from slcache.gym.ppo import PPO
from slcache.gym.ppo_loss import advantages, likelihoods, policy_loss, value_loss
from support import mixed, write_trace

CLIP, ENTROPY = 0.2, 0.05


def network(outputs: int) -> Mlp:
    """Return a network with random weights, biases included."""
    made = Mlp.drawn(5, 7, outputs, 1.0, Stream(1, "agent").fraction)
    weights = np.random.default_rng(2).normal(size=made.weights.shape)
    return Mlp(5, 7, outputs, weights)


def slopes_by_differences(loss: Callable[[Mlp], float], of: Mlp) -> Array:
    """Return how a loss changes with each weight."""
    found = []
    for at in range(len(of.weights)):
        sides = []
        for by in (1e-6, -1e-6):
            moved = of.weights.copy()
            moved[at] += by
            sides.append(loss(Mlp(of.inputs, of.hidden, of.outputs, moved)))
        found.append((sides[0] - sides[1]) / 2e-6)
    return np.array(found)


def test_the_slopes_of_the_policy_are_those_of_its_loss() -> None:
    draw = np.random.default_rng(3)
    rows, policy = draw.normal(size=(40, 5)), network(4)
    actions = draw.integers(4, size=40)
    hidden, outputs = policy.of(rows)
    now = likelihoods(outputs)[np.arange(40), actions]
    # Some actions are more likely than before, some less, within the clip and beyond it.
    before, gains = now - draw.normal(scale=0.4, size=40), draw.normal(size=40)
    beyond = np.abs(np.exp(now - before) - 1.0) > CLIP
    for good, far in itertools.product((True, False), repeat=2):
        assert ((gains > 0) == good)[beyond == far].any()

    def loss(of: Mlp) -> float:
        return policy_loss(of.of(rows)[1], actions, before, gains, CLIP, ENTROPY)[0]

    _, slopes = policy_loss(outputs, actions, before, gains, CLIP, ENTROPY)
    found = policy.gradient(rows, hidden, slopes)
    np.testing.assert_allclose(found, slopes_by_differences(loss, policy), rtol=1e-5, atol=1e-8)
    assert np.abs(found).min() > 0.0


def test_the_slopes_of_values_are_those_of_their_loss() -> None:
    draw = np.random.default_rng(4)
    rows, critic, targets = draw.normal(size=(30, 5)), network(1), draw.normal(size=30)
    hidden, outputs = critic.of(rows)
    found = critic.gradient(rows, hidden, value_loss(outputs, targets)[1])
    wanted = slopes_by_differences(lambda of: value_loss(of.of(rows)[1], targets)[0], critic)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-8)


def test_advantages_are_sums_of_what_later_steps_were_better_by() -> None:
    draw = np.random.default_rng(5)
    rewards, values, after = draw.normal(size=(3, 9))
    ends = [at in (3, 8) for at in range(9)]
    better = rewards + 0.9 * after - values
    wanted = [
        sum((0.9 * 0.8) ** (then - at) * better[then] for then in range(at, 4 if at < 4 else 9))
        for at in range(9)
    ]
    found = advantages(rewards, values, after, ends, gamma=0.9, trace=0.8)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_adam_steps_are_as_its_authors_give_them() -> None:
    """Kingma and Ba, "Adam: A Method for Stochastic Optimization", Algorithm 1."""
    net, adam = network(1), Adam.begun(len(network(1).weights))
    weights, mean, square = net.weights.copy(), 0.0, 0.0
    for step, size in enumerate((0.01, 0.03, -0.02, 0.5), start=1):
        gradient = np.zeros(len(weights))
        # The last gradient is longer than may be, and made as long as that.
        gradient[3] = 60.0 if size == 0.5 else size
        net, adam = adam.improved(net, gradient, 0.1)
        mean, square = 0.9 * mean + 0.1 * size, 0.999 * square + 0.001 * size**2
        root = (square / (1 - 0.999**step)) ** 0.5
        weights[3] -= 0.1 * mean / (1 - 0.9**step) / (root + 1e-8)
        np.testing.assert_allclose(net.weights, weights, rtol=1e-12)


class Signs:
    """A task: one figure says which of two actions is right, the other figure is noise."""

    action_space = spaces.Discrete(3)

    def position(self, name: str) -> int:
        """Return where a figure is."""
        return ("noise", "sign").index(name)


def test_it_learns_what_a_figure_says_about_actions() -> None:
    agent, draw = PPO(1, observed=("noise", "sign")), np.random.default_rng(6)
    agent.begin(cast(SlcCacheEnv, Signs()))
    right = []
    seen = draw.normal(size=2) * [1e6, 10.0]
    for _ in range(3000):
        is_right = agent.act(seen) == (2 if seen[1] > 0 else 0)
        right.append(is_right)
        seen = draw.normal(size=2) * [1e6, 10.0]
        agent.learn(seen, 1.0 if is_right else 0.0)
    assert np.mean(right[:64]) < 0.6
    assert np.mean(right[-500:]) > 0.9


def test_steps_of_two_episodes_are_kept_apart_and_rewards_are_beside_one_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[tuple[Array, list[bool]]] = []

    def kept(rewards: Array, values: Array, after: Array, ends: list[bool], **_: float) -> Array:
        told.append((rewards, ends))
        return advantages(rewards, values, after, ends, gamma=0.9, trace=0.95)

    monkeypatch.setattr(ppo, "advantages", kept)
    agent, draw = PPO(1, observed=("noise", "sign"), horizon=12), np.random.default_rng(7)
    for windows in (5, 7):
        agent.begin(cast(SlcCacheEnv, Signs()))
        seen = draw.normal(size=2)
        for _ in range(windows):
            agent.act(seen)
            seen = draw.normal(size=2)
            agent.learn(seen, -1e6 * draw.uniform(1.0, 2.0))
    ((rewards, ends),) = told
    assert [at for at, is_last in enumerate(ends) if is_last] == [4]
    assert abs(rewards.mean()) < 1.0
    assert np.ptp(rewards) > 1.0


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> SlcCacheEnv:
    """An environment on the tiny device."""
    load = write_trace(tmp_path_factory.mktemp("ppo") / "load.csv", mixed(3000))
    settings = {"scheme.rl.step_bytes": 65536}
    return SlcCacheEnv(
        workload=load, device="tiny", scheme="rl", settings=settings, reward="latency"
    )


def test_a_seed_decides_all_of_it_and_a_fork_changes_nothing(env: SlcCacheEnv) -> None:
    def learned(seed: int, *, measured: bool) -> Array:
        agent = PPO(seed, horizon=32)
        for episode in (1, 2):
            play(env, agent, seed=episode)
            if measured:
                total = play(env, agent.fork(), seed=9)
                assert total == play(env, agent.fork(), seed=9)
        assert agent.policy is not None
        return agent.policy.weights

    alone = learned(1, measured=False)
    np.testing.assert_array_equal(alone, learned(1, measured=True))
    assert (alone != learned(2, measured=False)).any()


def test_it_is_for_steps_alone(tmp_path: Path) -> None:
    load: Any = write_trace(tmp_path / "load.csv", mixed(300))
    window = ("write-bytes", 65536)
    boxed = SlcCacheEnv(workload=load, device="tiny", scheme="rl", window=window, actions="box")
    with pytest.raises(EpisodeError, match='PPO needs actions="steps"'):
        play(boxed, PPO(1), seed=1)
