"""Agents to begin with and to beat: constant, random, DWA's ladder and tabular Q-learning."""

from __future__ import annotations

import bisect
import copy
import math
from collections.abc import Mapping
from typing import Any, Protocol, Self

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from slcache._core import ConfigError, EpisodeError, Stream
from slcache.gym.env import SlcCacheEnv

#: Utilisation in percent up to which a share of the blocks is SLC, by DWA's settings.
DWA_LADDERS = {
    1: ((20, 56), (30, 50), (40, 40), (50, 30), (60, 25), (70, 20), (100, 10)),
    2: ((20, 40), (30, 40), (40, 30), (50, 25), (60, 20), (70, 10), (100, 5)),
}
Observation = NDArray[np.float64]


class Agent(Protocol):
    """Something that acts after every window."""

    def begin(self, env: SlcCacheEnv) -> None:
        """Get to know an environment that was just reset."""

    def act(self, observation: Observation) -> Any:  # noqa: ANN401
        """Return the action for the next window."""

    def learn(self, observation: Observation, reward: float) -> None:
        """Take in what the action led to; not called for the window that ends an episode."""


class _Fixed:
    """What does not learn."""

    def learn(self, observation: Observation, reward: float) -> None:
        """Learn nothing."""


class Constant(_Fixed):
    """Brings the knobs to values and leaves them there; without values, where they are."""

    def __init__(self, values: Mapping[str, float] | None = None) -> None:
        self.values = dict(values or {})

    def begin(self, env: SlcCacheEnv) -> None:
        """Check the knobs' names."""
        env.toward(self.values)
        self._env = env

    def act(self, observation: Observation) -> Any:  # noqa: ANN401
        """Return the action that leads to the values."""
        return self._env.toward(self.values)


class Random(_Fixed):
    """Draws every action from the whole space."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self._space: spaces.Space[Any] | None = None

    def begin(self, env: SlcCacheEnv) -> None:
        """Take the action space; the draws go on from episode to episode."""
        if self._space is None or self._space != env.action_space:
            self._space = copy.deepcopy(env.action_space)
            self._space.seed(self.seed)

    def act(self, observation: Observation) -> Any:  # noqa: ANN401
        """Return any action."""
        assert self._space is not None
        return self._space.sample()


class DwaLadder(_Fixed):
    """Sizes the SLC region by how full the device is, as dynamic write acceleration does."""

    def __init__(self, setting: int = 1, theta_bytes: float = 32768) -> None:
        if setting not in DWA_LADDERS:
            raise ConfigError(f"setting = {setting!r}: must be 1 or 2")
        self._ladder = DWA_LADDERS[setting]
        self.theta_bytes = theta_bytes

    def begin(self, env: SlcCacheEnv) -> None:
        """Find what it needs: the knob `slc_blocks` and the signal `utilisation`."""
        self._utilisation = env.position("signal.utilisation")
        self._values: dict[str, float] = {"slc_blocks": 0.0}
        if any(knob.name == "theta_bytes" for knob in env.rules.knobs):
            self._values["theta_bytes"] = self.theta_bytes
        env.toward(self._values)
        self._blocks = env.config["device"]["pool"][0]["blocks"]
        self._env = env

    def act(self, observation: Observation) -> Any:  # noqa: ANN401
        """Return the action that leads to the ladder's size."""
        full = 100 * float(observation[self._utilisation])
        edges = [edge for edge, _ in self._ladder[:-1]]
        share = self._ladder[bisect.bisect_right(edges, full)][1]
        self._values["slc_blocks"] = share / 100 * self._blocks
        return self._env.toward(self._values)


#: What the built-in learner sees, beside its previous action: the bins of each figure, which are
#: equal parts of what lies between 0 and a limit; what is above belongs to the last.
RL_BINS: Mapping[str, tuple[float, int]] = {
    "signal.slc_share": (0.56, 9),
    "signal.utilisation": (1.0, 4),
    "signal.slc_demand_share": (1.0, 2),
    "signal.slc_update_share": (1.0, 2),
}


class TabularQ:
    """Q-learning over binned observations and the previous action, for `actions="steps"`.

    It learns on from episode to episode. `bins` are (limit, number) by figure; the defaults are
    the built-in learner's, as are alpha, gamma, epsilon, and the order of what is drawn: whether
    to explore, one of several best actions, and when exploring one of the others.
    """

    def __init__(
        self,
        bins: Mapping[str, tuple[float, int]] | None = None,
        *,
        alpha: float = 0.1,
        gamma: float = 0.8,
        epsilon: float = 0.07,
        seed: int = 0,
    ) -> None:
        self.bins = dict(RL_BINS if bins is None else bins)
        self.alpha, self.gamma, self.epsilon = alpha, gamma, epsilon
        self._stream = Stream(seed, "agent")
        self.table: NDArray[np.float64] | None = None

    def fork(self) -> Self:
        """Return one that goes on as this one does, to be measured without changing this one."""
        fork = copy.copy(self)
        fork._stream = self._stream.fork()
        fork.table = None if self.table is None else self.table.copy()
        return fork

    def begin(self, env: SlcCacheEnv) -> None:
        """Find the observations, and make the table at first."""
        if not isinstance(env.action_space, spaces.Discrete):
            raise EpisodeError('the tabular agent needs actions="steps"')
        actions = int(env.action_space.n)
        self._places = [(env.position(name), *self.bins[name]) for name in self.bins]
        states = actions * math.prod(count for _, count in self.bins.values())
        if self.table is None or self.table.shape != (states, actions):
            self.table = np.zeros((states, actions))
        # Before the first window there is nothing to go by.
        self._action = int(env.toward({}))
        self._state: int | None = None

    def act(self, observation: Observation) -> int:
        """Return what was decided when the window was over."""
        return self._action

    def learn(self, observation: Observation, reward: float) -> None:
        """Decide on the next action, then learn what the one before was worth."""
        assert self.table is not None
        state = self._action
        for place, limit, count in self._places:
            part = int(float(observation[place]) / limit * count)
            state = state * count + min(max(part, 0), count - 1)
        action = self._chosen(self.table[state])
        if self._state is not None:
            value = self.table[self._state, self._action]
            target = reward + self.gamma * self.table[state].max()
            self.table[self._state, self._action] += self.alpha * (target - value)
        self._state, self._action = state, action

    def _chosen(self, row: NDArray[np.float64]) -> int:
        """Return the best action, one of several by lot, or now and then any other."""
        explores = self._stream.fraction() < self.epsilon
        best: list[int] = np.flatnonzero(row == row.max()).tolist()
        chosen = best[0] if len(best) == 1 else best[self._stream.below(len(best))]
        if not explores:
            return chosen
        other = self._stream.below(len(row) - 1)
        return other + (other >= chosen)
