"""Proximal policy optimisation: an agent of two small networks, for `actions="steps"`.

Schulman et al., "Proximal Policy Optimization Algorithms" (2017): the clipped objective, with
advantages as in "High-Dimensional Continuous Control Using Generalized Advantage Estimation".
"""

from __future__ import annotations

import bisect
import copy
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from gymnasium import spaces

from slcache._core import EpisodeError, Stream
from slcache.gym.agents import Observation
from slcache.gym.env import SlcCacheEnv
from slcache.gym.mlp import Adam, Array, Mlp
from slcache.gym.ppo_loss import advantages, likelihoods, policy_loss, value_loss

#: What it sees: where the knobs are, how full the device is, what the host asked for and what the
#: window cost.
OBSERVED = (
    "signal.slc_share",
    "signal.utilisation",
    "signal.slc_demand_share",
    "signal.slc_update_share",
    "knob.slc_blocks",
    "knob.theta_bytes",
    "read_mean_ns",
    "write_mean_ns",
    "migration_flash_ns",
    "gc_flash_ns",
    "slc_write_flash_ns",
    "dense_write_flash_ns",
    "write_request_bytes",
    "waf",
)
#: Rewards that are larger count by their logarithm, so a window twice as slow weighs the same on a
#: fast device as on a slow one. For `latency` it is 0.1 ms.
_SMALL_REWARD = 0.1
#: How far from its mean a figure may be seen, in standard deviations.
_FURTHEST = 5.0


@dataclass(frozen=True)
class _Step:
    """What was seen, done and earned in a window, and seen after it."""

    seen: Array
    action: int
    #: The logarithm of how likely the action was.
    likely: float
    reward: float
    after: Array
    #: Whether the next step is another episode's.
    is_last: bool = False


@dataclass(frozen=True)
class _Scale:
    """Brings figures of any size to about [-1, 1]: by the mean of their order, and its spread."""

    mean: Array
    squares: Array
    count: int = 0

    def taken_in(self, orders: Array) -> _Scale:
        """Return one that knows another observation."""
        count = self.count + 1
        off = orders - self.mean
        mean = self.mean + off / count
        return _Scale(mean, self.squares + off * (orders - mean), count)

    def of(self, orders: Array) -> Array:
        """Return the figures, scaled."""
        spread = np.sqrt(self.squares / self.count) + 1e-3
        scaled: Array = np.clip((orders - self.mean) / spread, -_FURTHEST, _FURTHEST)
        return scaled


class PPO:
    """Learns a policy and the value of what is seen from every `horizon` windows.

    It learns on from episode to episode, and explores as it learns. An episode's end is to it as if
    it had been cut short there: it is not told that the trace is over. The same seed gives the same
    agent.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        observed: Sequence[str] = OBSERVED,
        hidden: int = 32,
        horizon: int = 64,
        epochs: int = 10,
        rate: float = 0.003,
        gamma: float = 0.9,
        trace: float = 0.95,
        clip: float = 0.2,
        entropy: float = 0.01,
    ) -> None:
        self.observed, self.hidden = tuple(observed), hidden
        self.horizon, self.epochs, self.rate = horizon, epochs, rate
        self.gamma, self.trace, self.clip, self.entropy = gamma, trace, clip, entropy
        self._stream = Stream(seed, "agent")
        self._steps: list[_Step] = []
        self._worths = _Scale(np.zeros(1), np.zeros(1))
        self.policy: Mlp | None = None

    def fork(self) -> Self:
        """Return one that goes on as this one does, to be measured without changing this one."""
        # Networks and scales are replaced, never changed.
        fork = copy.copy(self)
        fork._stream, fork._steps = self._stream.fork(), list(self._steps)
        return fork

    def begin(self, env: SlcCacheEnv) -> None:
        """Find the observations, and draw the networks at first."""
        if not isinstance(env.action_space, spaces.Discrete):
            raise EpisodeError('PPO needs actions="steps"')
        self._places = [env.position(name) for name in self.observed]
        actions, inputs = int(env.action_space.n), len(self.observed)
        if self.policy is None:
            fraction = self._stream.fraction
            # All actions are as good as equally likely at first.
            self.policy = Mlp.drawn(inputs, self.hidden, actions, 0.01, fraction)
            self._critic = Mlp.drawn(inputs, self.hidden, 1, 1.0, fraction)
            self._policy_adam = Adam.begun(len(self.policy.weights))
            self._critic_adam = Adam.begun(len(self._critic.weights))
            self._scale = _Scale(np.zeros(inputs), np.zeros(inputs))
        if self._steps:
            self._steps[-1] = replace(self._steps[-1], is_last=True)
        self._seen: Array | None = None

    def act(self, observation: Observation) -> int:
        """Draw an action by the policy."""
        assert self.policy is not None
        if self._seen is None:
            self._seen = self._scaled(observation)
        _, outputs = self.policy.of(self._seen[np.newaxis])
        logs = likelihoods(outputs)[0]
        # What is above the last sum, by rounding, is the last action.
        sums = list(itertools.accumulate(np.exp(logs).tolist()))[:-1]
        self._action = bisect.bisect_right(sums, self._stream.fraction())
        self._likely = float(logs[self._action])
        return self._action

    def learn(self, observation: Observation, reward: float) -> None:
        """Keep what the action led to; learn where there is enough of it."""
        assert self._seen is not None
        after = self._scaled(observation)
        worth = self._worth(reward)
        self._steps.append(_Step(self._seen, self._action, self._likely, worth, after))
        self._seen = after
        if len(self._steps) == self.horizon:
            self._improve()
            self._steps = []

    def _scaled(self, observation: Observation) -> Array:
        figures = np.asarray(observation, np.float64)[self._places]
        orders = np.sign(figures) * np.log1p(np.abs(figures))
        self._scale = self._scale.taken_in(orders)
        return self._scale.of(orders)

    def _worth(self, reward: float) -> float:
        """Return a reward beside those so far: values need not learn first how large all are."""
        order = np.array([math.asinh(reward / _SMALL_REWARD)])
        self._worths = self._worths.taken_in(order)
        return float(self._worths.of(order)[0])

    def _improve(self) -> None:
        """Learn from the steps, all of them in every epoch."""
        assert self.policy is not None
        seen, after = (np.array([getattr(s, n) for s in self._steps]) for n in ("seen", "after"))
        actions = np.array([step.action for step in self._steps])
        before = np.array([step.likely for step in self._steps])
        values = self._critic.of(seen)[1][:, 0]
        gains = advantages(
            np.array([step.reward for step in self._steps]),
            values,
            self._critic.of(after)[1][:, 0],
            [step.is_last for step in self._steps],
            gamma=self.gamma,
            trace=self.trace,
        )
        targets = gains + values
        gains = (gains - gains.mean()) / (gains.std() + 1e-8)
        for _ in range(self.epochs):
            hidden, outputs = self.policy.of(seen)
            _, slopes = policy_loss(outputs, actions, before, gains, self.clip, self.entropy)
            self.policy, self._policy_adam = self._policy_adam.improved(
                self.policy, self.policy.gradient(seen, hidden, slopes), self.rate
            )
            hidden, outputs = self._critic.of(seen)
            _, slopes = value_loss(outputs, targets)
            self._critic, self._critic_adam = self._critic_adam.improved(
                self._critic, self._critic.gradient(seen, hidden, slopes), self.rate
            )
