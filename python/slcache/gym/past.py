"""What an episode under way follows from, to be kept and run again: its start and its turns."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from slcache._core import Episode, EpisodeError
from slcache.gym import knobs as boards
from slcache.gym.knobs import Turns
from slcache.gym.play import Play
from slcache.gym.rules import Rules
from slcache.gym.source import Start


@dataclass(frozen=True)
class Past:
    """All that decides how an episode stands."""

    start: Start
    turned: list[Turns]
    over: str | None
    #: Whether the reward of the last window failed.
    failed: bool


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

    def _past(self) -> Any:  # noqa: ANN401
        """Return what the episode under way follows from; None where there is none."""
        raise NotImplementedError

    def _run_again(self, kept: Any) -> None:  # noqa: ANN401
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
            "past": self._past(),
            "figures": self._figures,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Run the episode again; EpisodeError where a trace or device file has changed since."""
        self.__init__(**state["arguments"])  # type: ignore[misc]
        self.action_space, self.observation_space = state["spaces"]
        self._np_random, self.spec = state["random"], state["spec"]
        if state["past"] is not None:
            self._run_again(state["past"])
            if not np.array_equal(self._figures, state["figures"]):
                raise EpisodeError(
                    "the episode goes otherwise now: a trace or a device file changed"
                )


def of(play: Play) -> Past:
    """Return what an episode follows from."""
    return Past(play.start, play.turned, play.over, play.failed)


def begun(rules: Rules, start: Start) -> Episode:
    """Return an episode at its start, with the knobs that it begins with."""
    episode = rules.source.episode(start)
    episode.turn(boards.turns(start.knobs, rules.knobs))
    return episode


def again(rules: Rules, past: Past, figures: NDArray[np.float64]) -> tuple[Episode, Play]:
    """Run an episode again, up to where it stood; `figures` are those of its last window."""
    episode, play = begun(rules, past.start), Play(rules, past.start)
    episode.observe(figures)
    judged = len(past.turned) - past.failed
    for turns in past.turned[:judged]:
        ended = episode.step(turns, figures)
        told = figures.tolist()
        info = rules.layout.told(told, episode.operations()) if play.reads_info else {}
        play.judged(turns, told, ended, info)
    # A reward that failed would fail again, and nobody could get at the episode.
    for turns in past.turned[judged:]:
        episode.step(turns, figures)
        play.turned.append(turns)
    if past.over == "finish":
        episode.finish()
    play.over, play.failed = past.over, past.failed
    return episode, play
