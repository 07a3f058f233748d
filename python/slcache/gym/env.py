"""The environment of knobs, and what an episode keeps so that it can be copied."""

from __future__ import annotations

import copy
import json
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import gymnasium
import numpy as np
from numpy.typing import NDArray

from slcache._core import Episode, EpisodeError
from slcache.gym import actions
from slcache.gym.actions import Bounds, Knob
from slcache.gym.rewards import Figure, OwnReward, Reward
from slcache.gym.rules import KnobRules, Rules, Start, of_environment
from slcache.options.content import checked_seed

Info = dict[str, Any]


@dataclass
class History:
    """What an episode follows from, which is what is pickled of it."""

    start: Start
    #: What the action of each step so far came to.
    moves: list[Any] = field(default_factory=list)
    #: Why there is no next step, once there is none.
    over: str | None = None
    #: Whether the reward of the last window failed: then it is not asked for again.
    failed: bool = False


Observation = NDArray[Any]


class DeviceEnv(gymnasium.Env[Observation, Any]):
    """One device and its episode; what an action is, a subclass says.

    It is copied mid-episode, and pickled as what its episode follows from.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012
    rules: Rules
    _arguments: dict[str, Any]

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._figures = rules.observations.buffer()
        self._episode: Episode | None = None
        self._history: History | None = None
        self._reward: Reward | None = None

    @abstractmethod
    def _move(self, action: Any) -> Any:  # noqa: ANN401
        """Return what an action comes to; EpisodeError for one outside its space."""

    @abstractmethod
    def _advance(self, move: Any) -> bool:  # noqa: ANN401
        """Run to the end of the next window and fill the figures; return if the trace is over."""

    @abstractmethod
    def _observed(self) -> Observation:
        """Return what an agent sees now."""

    @abstractmethod
    def _info(self, figures: Sequence[float]) -> Info:
        """Return what is told of the window just over."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Begin an episode.

        `options` may name a `workload`, a `snapshot` and values of `knobs` to begin with. With a
        seed, the run and its workload have that seed, as `slcache run --seed` gives them; without
        one, they have the next of the environment's random numbers. `info` tells what was begun.
        """
        # Gymnasium refuses some seeds in an error of its own, and takes some that no run has.
        super().reset(seed=None if seed is None else checked_seed(seed))
        start = self.rules.source.drawn(seed, options, self.np_random)
        self._begin(start)
        return self._observed(), start.info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, Info]:  # noqa: ANN401
        """Act and run to the end of the next window, or of the trace.

        `info` has the window's counters and statistics. The trace's last window may end early.
        """
        move = self._next_move(action)
        return self._judged(move, self._advance(move))

    def _next_move(self, action: Any) -> Any:  # noqa: ANN401
        """Return what an action comes to, where there is a next step."""
        if self.over is not None:
            raise EpisodeError(f"step after {self.over}: reset the environment first")
        return self._move(action)

    def _judged(
        self,
        move: Any,  # noqa: ANN401
        ended: bool,
    ) -> tuple[Observation, float, bool, bool, Info]:
        """Return what a step came to that began with a move."""
        figures = self._figures.tolist()
        info = self._info(figures)
        reward, truncated = self._worth(move, ended, figures, info)
        return self._observed(), reward, ended, truncated, info

    def _worth(
        self,
        move: Any,  # noqa: ANN401
        ended: bool,
        figures: Sequence[float],
        info: Info,
    ) -> tuple[float, bool]:
        """Return the reward of the window just over, and whether the episode is truncated.

        A reward that fails ends the episode: the window has run and cannot be taken back.
        """
        _, history = self._under_way()
        history.moves.append(move)
        windows = len(history.moves)
        truncated = not ended and windows == self.rules.max_windows
        if ended or truncated:
            history.over = "the end of the trace" if ended else f"window {windows}, the last"
        assert self._reward is not None
        try:
            return self._reward(figures, info), truncated
        except BaseException:
            history.over, history.failed = "a reward that failed", True
            raise

    def close(self) -> None:
        """End."""
        self._episode = self._history = None

    def fork(self) -> Self:
        """Return an exact copy of device, queue, scheme and random numbers, mid-episode.

        Both go on alike under the same actions.
        """
        # Not by `copy`, which goes the way of `pickle`.
        fork = object.__new__(type(self))
        fork.__dict__.update(self.__dict__)
        fork._figures = self._figures.copy()
        fork.action_space = copy.deepcopy(self.action_space)
        fork._np_random = copy.deepcopy(self._np_random)
        fork._episode = None if self._episode is None else self._episode.fork()
        fork._reward = copy.deepcopy(self._reward)
        if (history := self._history) is not None:
            fork._history = replace(history, moves=list(history.moves))
        return fork

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return a fork."""
        return self.fork()

    def __getstate__(self) -> dict[str, Any]:
        """Return what an episode follows from, for `pickle`; loading it runs the episode again."""
        return {
            "arguments": self._arguments,
            "random": self._np_random,
            "spaces": (self.action_space, self.observation_space),
            "spec": self.spec,
            "history": self._history,
            "figures": self._figures,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Run the episode again; EpisodeError where a trace or device file has changed since."""
        self.__init__(**state["arguments"])  # type: ignore[misc]
        self.action_space, self.observation_space = state["spaces"]
        self._np_random, self.spec = state["random"], state["spec"]
        history: History | None = state["history"]
        if history is None:
            return
        self._begin(history.start)
        for place, move in enumerate(history.moves):
            ended = self._advance(move)
            # A reward that failed would fail again, and nobody could get at the episode.
            if place < len(history.moves) - history.failed:
                values = self._figures.tolist()
                reads_info = isinstance(self._reward, OwnReward)
                self._worth(move, ended, values, self._info(values) if reads_info else {})
        self._history = replace(history, moves=list(history.moves))
        if history.over == "finish":
            self._finish(self._under_way()[0])
        if not np.array_equal(self._figures, state["figures"]):
            raise EpisodeError("the episode goes otherwise now: a trace or a device file changed")

    @property
    def over(self) -> str | None:
        """What ended the episode; None where there is a next step."""
        return self._under_way()[1].over

    def finish(self) -> dict[str, Any]:
        """Run what is left of the trace and return the result document that `slcache run` gives.

        The episode is over then.
        """
        episode, history = self._under_way()
        document: dict[str, Any] = json.loads(self._finish(episode))
        history.over = "finish"
        return document

    def _begin(self, start: Start) -> None:
        """Put an episode in its place; what was under way goes on if there is none."""
        episode = self.rules.source.episode(start)
        episode.turn(actions.turns(start.knobs, self.rules.knobs))
        self._reward = self.rules.new_reward()
        self._episode, self._history = episode, History(start)
        self._episode.observe(self._figures)

    def _finish(self, episode: Episode) -> str:
        return episode.finish()

    def _under_way(self) -> tuple[Episode, History]:
        if self._episode is None or self._history is None:
            raise EpisodeError("no episode is under way: reset the environment first")
        return self._episode, self._history


class SlcCacheEnv(DeviceEnv):
    """A flash device under a scheme; an action turns its knobs, a step is a window of requests.

    The arguments are those of `slcache.gym.rules.KnobRules.of_arguments`.
    """

    rules: KnobRules

    def __init__(self, **arguments: Any) -> None:  # noqa: ANN401
        self._arguments, rules = of_environment(arguments)
        super().__init__(rules)
        self.action_space = rules.actions.space
        self.observation_space = rules.observations.space

    @property
    def figures(self) -> Sequence[Figure]:
        """Every figure of a window that can be observed: name, unit, bounds and meaning."""
        return self.rules.observations.figures

    def knobs(self) -> list[Knob]:
        """Return the knobs as they stand, with the values that they take now."""
        return actions.read_knobs(self._under_way()[0].knobs())

    def toward(self, wanted: Mapping[str, float]) -> Any:  # noqa: ANN401
        """Return the action that brings knobs nearer to named values and leaves the others."""
        actions.check(wanted, self.rules.knobs)
        return self.rules.actions.toward(wanted, self._under_way()[0].knob_values())

    def _move(self, action: Any) -> actions.Turns:  # noqa: ANN401
        return self.rules.actions.turns(action, self._stands)

    def _advance(self, move: actions.Turns, go_on: Callable[[], bool] | None = None) -> bool:
        return self._under_way()[0].step(move, self._figures, go_on)

    def _observed(self) -> Observation:
        return self.rules.observations.observed(self._figures)

    def _info(self, figures: Sequence[float]) -> Info:
        info = self.rules.observations.by_name(figures)
        info["operations"] = self._under_way()[0].operations()
        return info

    def _stands(self) -> tuple[Sequence[float], Sequence[Bounds]]:
        episode, _ = self._under_way()
        return episode.knob_values(), episode.knob_bounds()
