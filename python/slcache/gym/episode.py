"""An episode under way, all but the engine's part: how it is judged, copied and run again."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from slcache._core import Episode, EpisodeError
from slcache.gym import actions
from slcache.gym.rules import Rules, Start

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


class Play:
    """An episode's history, and what its windows are worth."""

    def __init__(self, rules: Rules, start: Start) -> None:
        self.history = History(start)
        self._max_windows = rules.max_windows
        self._reward = rules.new_reward()

    def refuse_if_over(self) -> None:
        """Raise EpisodeError if there is no next step."""
        if self.history.over is not None:
            raise EpisodeError(f"step after {self.history.over}: reset the environment first")

    def judged(
        self,
        move: object,
        figures: Sequence[float],
        ended: bool,
        info: Info,
    ) -> tuple[float, bool]:
        """Return the reward of the window just over, and whether the episode is truncated.

        `move` is what it began with. A reward that fails ends the episode: the window has run
        and cannot be taken back.
        """
        history = self.history
        history.moves.append(move)
        windows = len(history.moves)
        truncated = not ended and windows == self._max_windows
        if ended or truncated:
            history.over = "the end of the trace" if ended else f"window {windows}, the last"
        try:
            return self._reward.of(figures, info), truncated
        except BaseException:
            history.over, history.failed = "a reward that failed", True
            raise

    def repeat(
        self,
        history: History,
        step: Callable[[Any], bool],
        figures: NDArray[np.float64],
        info: Callable[[Sequence[float]], Info],
    ) -> None:
        """Bring a new episode to where another stood, by `step`, which fills `figures`."""
        judged = len(history.moves) - history.failed
        for move in history.moves[:judged]:
            ended = step(move)
            values = figures.tolist()
            self.judged(move, values, ended, info(values) if self._reward.reads_info else {})
        # A reward that failed would fail again, and nobody could get at the episode.
        for move in history.moves[judged:]:
            step(move)
        self.history = replace(history, moves=list(history.moves))

    def fork(self) -> Play:
        """Return one that goes on as this one does."""
        fork = copy.copy(self)
        fork._reward = self._reward.fork()
        fork.history = replace(self.history, moves=list(self.history.moves))
        return fork


class Copied:
    """An environment that is copied mid-episode, and pickled as what its episode follows from."""

    action_space: spaces.Space[Any]
    observation_space: spaces.Space[Any]
    spec: Any
    _arguments: dict[str, Any]
    _figures: NDArray[np.float64]
    _np_random: np.random.Generator | None

    def fork(self) -> Self:
        """Return an exact copy, mid-episode; both go on alike under the same actions."""
        # Not by `copy`, which goes the way of `pickle`.
        fork = object.__new__(type(self))
        fork.__dict__.update(self.__dict__)
        fork._figures = self._figures.copy()
        fork.action_space = copy.deepcopy(self.action_space)
        fork._np_random = copy.deepcopy(self._np_random)
        return fork

    def _history(self) -> Any:  # noqa: ANN401
        """Return what the episode under way follows from; None where there is none."""
        raise NotImplementedError

    def _run_again(self, history: Any) -> None:  # noqa: ANN401
        """Bring an episode to where it stood."""
        raise NotImplementedError

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
            "history": self._history(),
            "figures": self._figures,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Run the episode again; EpisodeError where a trace or device file has changed since."""
        self.__init__(**state["arguments"])  # type: ignore[misc]
        self.action_space, self.observation_space = state["spaces"]
        self._np_random, self.spec = state["random"], state["spec"]
        if state["history"] is not None:
            self._run_again(state["history"])
            if not np.array_equal(self._figures, state["figures"]):
                raise EpisodeError(
                    "the episode goes otherwise now: a trace or a device file changed"
                )


def begin(rules: Rules, start: Start) -> Episode:
    """Return an episode at its start, with the knobs that it begins with."""
    episode = rules.source.episode(start)
    episode.turn(actions.turns(start.knobs, rules.knobs))
    return episode
