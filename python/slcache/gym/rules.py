"""What all episodes of an environment have in common."""

from __future__ import annotations

import difflib
import functools
import inspect
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from slcache._core import ConfigError, Episode, EpisodeError
from slcache.api import Path
from slcache.errors import UsageError, about
from slcache.given.arguments import checked, own_word
from slcache.gym import actions as action_kinds
from slcache.gym import knobs as boards
from slcache.gym import rewards
from slcache.gym.actions import Actions
from slcache.gym.knobs import Knob
from slcache.gym.layout import Layout, Own
from slcache.gym.rewards import Reward
from slcache.gym.source import Source, settings_of, workloads_of

#: The longest window and the most of them, in 64 bits of the engine.
_FURTHEST = 2**63 - 1
_P = ParamSpec("_P")
_R = TypeVar("_R")


def configured(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return a function for which an argument of no meaning is a ConfigError."""

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        except UsageError as error:
            raise about(ConfigError(str(error)), error.key) from None

    return call


@dataclass(frozen=True)
class Rules:
    """Where episodes come from, what actions do in them, what is observed and rewarded."""

    source: Source
    knobs: Sequence[Knob]
    actions: Actions
    layout: Layout
    reward: rewards.Spec
    #: How `rl` averages the cost of its windows, and the weight of the newest.
    average: tuple[str, float] | None
    max_windows: int | None

    @classmethod
    @configured
    @checked
    def made(
        cls,
        *,
        device: Path = "rl-32g",
        workload: Path | Sequence[Path] = "zipf-4k",
        scheme: str = "rl",
        settings: Mapping[str, Any] | None = None,
        trace_format: str | None = None,
        trace_options: Mapping[str, str] | None = None,
        replay: str | None = None,
        load_state: Path | None = None,
        window: tuple[str, int] | None = None,
        actions: str = "steps",
        strides: Mapping[str, float] | None = None,
        observations: Sequence[str | Own] | None = None,
        normalise: bool = False,
        reward: rewards.Spec = "paper",
        max_windows: int | None = None,
    ) -> Rules:
        """Return the rules that an environment's arguments mean; ConfigError for wrong ones.

        `device`, `scheme`, `settings`, `trace_format`, `trace_options` and `replay` are as in
        `slcache.run`; `workload` is a trace, a workload, or a list of which every episode draws
        one; `load_state` is a saved device state to begin with, `window` the length of a step, as
        `("write-bytes", 33554432)`, by default the scheme's own windows. `actions` and `reward`
        are as `slcache.gym.actions` and `slcache.gym.rewards` describe them; `strides` says how
        far an action moves knobs under `actions="steps"`. `observations` are names of figures, by
        default all, and functions of those of a window by name; `normalise` brings each into
        [-1, 1], as float32. After `max_windows` an episode is truncated.
        """
        source = Source(
            device=os.fspath(device),
            workloads=workloads_of(workload),
            scheme=scheme,
            settings=settings_of(scheme, settings),
            trace_format=trace_format,
            trace_options=dict(trace_options or {}),
            replay=replay,
            snapshot=None if load_state is None else os.fspath(load_state),
            window=None if window is None else _window(window),
        )
        try:
            episode = source.first()
        except EpisodeError as error:
            raise about(ConfigError(str(error)), error.key) from error
        knobs = boards.read(episode.knobs(), _strides(strides, episode))
        layout = Layout(episode, knobs, observations, normalise)
        average = json.loads(episode.config())["scheme"].get("rl")
        made = cls(
            source=source,
            knobs=knobs,
            actions=action_kinds.made(actions, knobs, scheme),
            layout=layout,
            reward=reward,
            average=None if average is None else (average["average"], average["average_weight"]),
            max_windows=_windows(max_windows),
        )
        made.judge()
        return made

    def judge(self) -> Reward:
        """Return who says what the windows of an episode are worth."""
        return rewards.made(self.reward, self.layout.at, self.average)


def named(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return an environment's arguments under their own names; ConfigError for unknown ones."""
    known = list(inspect.signature(Rules.made).parameters)
    said: dict[str, Any] = {}
    for name, value in arguments.items():
        word = own_word(name, known)
        if word not in known:
            near = difflib.get_close_matches(name, known, 1)
            meant = f"did you mean {near[0]}? " if near else ""
            told = f"{name}: no argument of the environment; {meant}Known: {', '.join(known)}"
            raise about(ConfigError(told), name)
        if word in said:
            raise about(ConfigError(f"{name} and {word} are the same argument; give one"), name)
        said[word] = value
    return said


def _window(window: object) -> tuple[str, int]:
    match window:
        case (str(unit), int(count)) if not isinstance(count, bool) and 0 < count <= _FURTHEST:
            return unit, count
    example = '("write-bytes", 33554432)'
    raise ConfigError(f"window = {window!r:.60}: must be a unit and a count, as {example}")


def _windows(count: int | None) -> int | None:
    if count is not None and not 1 <= count <= _FURTHEST:
        raise ConfigError(f"max_windows = {count!r:.60}: must be a whole number from 1, or None")
    return count


def _strides(given: Mapping[str, float] | None, episode: Episode) -> dict[str, float]:
    """Return how far an action moves knobs: those of `rl` as far as the built-in learner does."""
    scheme = json.loads(episode.config())["scheme"]
    built_in = {"slc_blocks": scheme["rl"]["slc_step_blocks"]} if "rl" in scheme else {}
    return {**built_in, **(given or {})}
