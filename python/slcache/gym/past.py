"""What an episode under way follows from, to be kept and run again: its start and its turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
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
        play.judged(
            turns, told, ended, info, lambda: (episode.knob_values(), episode.knob_bounds())
        )
    # A reward that failed would fail again, and nobody could get at the episode.
    for turns in past.turned[judged:]:
        episode.step(turns, figures)
        play.ran(turns)
    if past.over == "finish":
        episode.finish()
    play.over, play.failed = past.over, past.failed
    return episode, play


def check(now: NDArray[Any], kept: NDArray[Any]) -> None:
    """Refuse an episode that does not stand where it stood when it was kept."""
    if not np.array_equal(now, kept):
        raise EpisodeError("the episode goes otherwise now: a trace or a device file changed")
