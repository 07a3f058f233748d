"""The environment: one device, whose scheme's knobs an agent turns after every window."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Self

import gymnasium
from numpy.typing import NDArray

from slcache._core import Episode, EpisodeError
from slcache.given.once import checked_seed
from slcache.gym import knobs as boards
from slcache.gym import past
from slcache.gym.knobs import Bounds, Knob
from slcache.gym.layout import Figure
from slcache.gym.play import Play
from slcache.gym.rules import Rules, named

Observation = NDArray[Any]
Info = dict[str, Any]


class SlcCacheEnv(past.Copied, gymnasium.Env[Observation, Any]):
    """A flash device under a scheme; an action turns its knobs, a step is a window of requests.

    The arguments are those of `slcache.gym.rules.Rules.made`.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(self, **arguments: Any) -> None:  # noqa: ANN401
        self._arguments = named(arguments)
        self.rules = Rules.made(**self._arguments)
        self.action_space = self.rules.actions.space
        self.observation_space = self.rules.layout.space
        self._figures = self.rules.layout.buffer()
        self._episode: Episode | None = None
        self._play: Play | None = None

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
        episode = past.begun(self.rules, start)
        # What was under way goes on if there is no next one.
        self._episode, self._play = episode, Play(self.rules, start)
        episode.observe(self._figures)
        return self.rules.layout.observed(self._figures), start.told()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, Info]:  # noqa: ANN401
        """Turn knobs and run to the end of the next window, or of the trace.

        `info` has the window's counters and statistics. The trace's last window may end early.
        """
        episode, play = self._under_way()
        turns = play.turns(action, self._stands)
        ended = episode.step(turns, self._figures)
        figures = self._figures.tolist()
        info = self.rules.layout.told(figures, episode.operations())
        reward, truncated = play.judged(turns, figures, ended, info)
        return self.rules.layout.observed(self._figures), reward, ended, truncated, info

    def close(self) -> None:
        """End."""
        self._episode = self._play = None

    def fork(self) -> Self:
        """Return an exact copy of device, queue, scheme and random numbers, mid-episode.

        Both go on alike under the same actions.
        """
        fork = super().fork()
        fork._episode = None if self._episode is None else self._episode.fork()
        fork._play = None if self._play is None else self._play.fork()
        return fork

    def _past(self) -> past.Past | None:
        return None if self._play is None else past.of(self._play)

    def _run_again(self, kept: past.Past) -> None:
        self._episode, self._play = past.again(self.rules, kept, self._figures)

    @property
    def over(self) -> str | None:
        """What ended the episode; None where there is a next step."""
        return self._under_way()[1].over

    @property
    def figures(self) -> Sequence[Figure]:
        """Every figure of a window that can be observed: name, unit, bounds and meaning."""
        return self.rules.layout.figures

    def knobs(self) -> list[Knob]:
        """Return the knobs as they stand, with the values that they take now."""
        return boards.read(self._under_way()[0].knobs())

    def toward(self, wanted: Mapping[str, float]) -> Any:  # noqa: ANN401
        """Return the action that brings knobs nearer to named values and leaves the others."""
        boards.check(wanted, self.rules.knobs)
        return self.rules.actions.toward(wanted, self._under_way()[0].knob_values())

    def finish(self) -> dict[str, Any]:
        """Run what is left of the trace and return the result document that `slcache run` gives.

        The episode is over then.
        """
        episode, play = self._under_way()
        document: dict[str, Any] = json.loads(episode.finish())
        play.over = "finish"
        return document

    def _stands(self) -> tuple[Sequence[float], Sequence[Bounds]]:
        episode, _ = self._under_way()
        return episode.knob_values(), episode.knob_bounds()

    def _under_way(self) -> tuple[Episode, Play]:
        if self._episode is None or self._play is None:
            raise EpisodeError("no episode is under way: reset the environment first")
        return self._episode, self._play
