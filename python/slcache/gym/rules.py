"""What all episodes of an environment have in common, and where each begins."""

from __future__ import annotations

import copy
import difflib
import inspect
import json
import os
import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from slcache import catalogue
from slcache._core import ConfigError, Episode, EpisodeError
from slcache.errors import UsageError, about
from slcache.files import Path
from slcache.gym import actions as action_kinds
from slcache.gym import rewards
from slcache.gym.actions import Actions, Knob
from slcache.gym.rewards import Observations, Own, Reward
from slcache.options import checked, own_word
from slcache.options.content import SEED_MAX, OptionValues, checked_seed, is_workload
from slcache.trace import reader_options, workload

#: Requests of a workload that has no end and of which `trace_options` says none.
ENDLESS_REQUESTS = 1_000_000

#: The agent of scheme `rl`, as settings may call it.
_AGENT = ("scheme.rl.agent", "agent")

#: What `reset` takes in its `options`.
OPTIONS = ("workload", "snapshot", "knobs")
#: The longest window and the most of them, in 64 bits of the engine.
_FURTHEST = 2**63 - 1


@dataclass(frozen=True)
class Start:
    """What an episode begins with: with the actions, all that decides on it."""

    workload: str
    seed: int
    snapshot: str | None
    #: Values that knobs are turned to before the first window; not part of what is compared.
    knobs: Mapping[str, float] = field(default_factory=dict, compare=False)

    def info(self) -> dict[str, Any]:
        """Return what `reset` takes to begin it again: the seed, and the options."""
        options = {name: getattr(self, name) for name in OPTIONS if getattr(self, name)}
        return {"seed": self.seed, "options": copy.deepcopy(options)}


@dataclass
class EpisodeSource:
    """Makes episodes of one device and scheme, and keeps one that is asked for again to copy it."""

    device: str
    workloads: Sequence[str]
    scheme: str
    settings: Mapping[str, Any]
    trace_format: str | None
    trace_options: Mapping[str, str]
    replay: str | None
    snapshot: str | None
    window: tuple[str, int] | None
    _last: Start | None = field(default=None, repr=False)
    _kept: tuple[Start, Episode] | None = field(default=None, repr=False)

    def episode(self, start: Start) -> Episode:
        """Return an episode of its own; from the third of a kind on it is a copy.

        What comes once is not copied: a copy takes longer than many a workload.
        """
        if self._kept is not None and self._kept[0] == start:
            return self._kept[1].fork()
        episode = self._new(start)
        if self._last == start:
            self._kept = (start, episode.fork())
        self._last = start
        return episode

    def first(self) -> Episode:
        """Return an episode to know knobs and observations by, before any is asked for."""
        return self.episode(Start(self.workloads[0], 0, self.snapshot))

    def drawn(
        self, seed: int | None, options: Mapping[str, Any] | None, random: np.random.Generator
    ) -> Start:
        """Return the start of the next episode: by options, else drawn.

        A seed that `reset` gets is the run's; without one it is drawn, as the workload is.
        """
        if options is not None and not isinstance(options, Mapping):
            told = f"options = {options!r:.60}: must be a dict with {', '.join(OPTIONS)}"
            raise EpisodeError(told)
        given = dict(options or {})
        unknown = sorted(map(str, given.keys() - set(OPTIONS)))
        if unknown:
            raise EpisodeError(f"reset option {unknown[0]}: unknown; known: {', '.join(OPTIONS)}")
        if seed is None:
            seed = int(random.integers(SEED_MAX, endpoint=True))
        index = int(random.integers(len(self.workloads))) if len(self.workloads) > 1 else 0
        named = given.get("workload")
        snapshot = given.get("snapshot")
        knobs = {} if given.get("knobs") is None else given["knobs"]
        if not isinstance(knobs, Mapping):
            raise EpisodeError(f"reset option knobs = {knobs!r}: must be values by names")
        return Start(
            self.workloads[index] if named is None else _path("workload", named),
            checked_seed(seed),
            self.snapshot if snapshot is None else _path("snapshot", snapshot),
            dict(knobs),
        )

    def _new(self, start: Start) -> Episode:
        # A saved state goes on with its own seed; the episode's draws the workload.
        seed = start.seed if start.snapshot is None else None
        options = dict(self.trace_options)
        drawn = None
        if is_workload(start.workload):
            drawn = None if "seed" in options else start.seed
            if not workload(start.workload, overrides(options))["bounded"]:
                options["workload.requests"] = str(ENDLESS_REQUESTS)
        elif not pathlib.Path(start.workload).exists():
            # What is not there has no options that could be wrong.
            options = {}
        return Episode(
            start.workload,
            {
                "device": self.device,
                "scheme": self.scheme,
                "sets": catalogue.sets(self.settings),
                "trace_options": reader_options(self.trace_format, options, drawn),
                "seed": seed,
                "replay": self.replay,
                "snapshot_in": start.snapshot,
            },
            window=self.window,
            progress=None,
        )


def settings_of(scheme: str, settings: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the settings; the built-in learner leaves its place to the agent outside."""
    given = catalogue.flat(settings)
    if scheme == "rl":
        own = {key: value for key, value in given.items() if key.replace(" ", "") in _AGENT}
        for key, value in own.items():
            if value != "none":
                told = "must be none: actions turn the knobs that the scheme's own agent would turn"
                raise ConfigError(f"settings {key} = {value!r}: {told}")
        given = {key: value for key, value in given.items() if key not in own}
        given["scheme.rl.agent"] = "none"
    return given


def workloads_of(workload: Path | Sequence[Path]) -> list[str]:
    """Return the workloads to draw from."""
    if not isinstance(workload, Sequence):
        workload = [workload]
    listed = [workload] if isinstance(workload, str) else list(workload)
    if not listed:
        raise ConfigError("workload = []: must name at least one workload or trace")
    return [_path("workload", each) for each in listed]


def _path(name: str, value: object) -> str:
    if not isinstance(value, str | os.PathLike):
        raise ConfigError(f"{name} = {value!r}: must be a path or a name")
    return os.fspath(value)


def overrides(options: Mapping[str, str]) -> dict[str, str]:
    """Return the keys of a workload that trace options change."""
    prefix = "workload."
    return {
        key.removeprefix(prefix): value for key, value in options.items() if key.startswith(prefix)
    }


@dataclass(frozen=True)
class Rules:
    """Where episodes come from, what is observed and rewarded, and how long they are."""

    source: EpisodeSource
    knobs: Sequence[Knob]
    observations: Observations
    reward: rewards.Spec
    #: How `rl` averages the cost of its windows, and the weight of the newest.
    average: tuple[str, float] | None
    max_windows: int | None

    def new_reward(self) -> Reward:
        """Return what says what the windows of one episode are worth."""
        return rewards.build(self.reward, self.observations.at, self.average)


@dataclass(frozen=True)
class KnobRules(Rules):
    """Those of an environment whose actions turn knobs."""

    actions: Actions

    @classmethod
    @checked
    def of_arguments(
        cls,
        *,
        device: Path = "rl-32g",
        workload: Path | Sequence[Path] = "zipf-4k",
        scheme: str = "rl",
        settings: Mapping[str, Any] | None = None,
        trace_format: str | None = None,
        trace_options: OptionValues | None = None,
        replay: str | None = None,
        load_state: Path | None = None,
        window: tuple[str, int] | None = None,
        actions: str = "steps",
        strides: Mapping[str, float] | None = None,
        observations: Sequence[str | Own] | None = None,
        normalise: bool = False,
        reward: rewards.Spec = "paper",
        max_windows: int | None = None,
    ) -> KnobRules:
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
        source = EpisodeSource(
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
        knobs = action_kinds.read_knobs(episode.knobs(), _strides(strides, episode))
        average = json.loads(episode.config())["scheme"].get("rl")
        rules = cls(
            source=source,
            knobs=knobs,
            actions=action_kinds.build(actions, knobs, scheme),
            observations=Observations(episode, knobs, observations, normalise),
            reward=reward,
            average=None if average is None else (average["average"], average["average_weight"]),
            max_windows=max_windows,
        )
        rules.new_reward()
        return rules


def of_environment(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], KnobRules]:
    """Return an environment's arguments under their own names, and its rules.

    ConfigError for an argument that there is not, or that means nothing.
    """
    known = list(inspect.signature(KnobRules.of_arguments).parameters)
    own: dict[str, Any] = {}
    for name, value in arguments.items():
        word = own_word(name, known)
        if word not in known:
            near = difflib.get_close_matches(name, known, 1)
            meant = f"did you mean {near[0]}? " if near else ""
            told = f"{name}: no argument of the environment; {meant}Known: {', '.join(known)}"
            raise about(ConfigError(told), name)
        if word in own:
            raise about(ConfigError(f"{name} and {word} are the same argument; give one"), name)
        own[word] = value
    try:
        return own, KnobRules.of_arguments(**own)
    except UsageError as error:
        raise about(ConfigError(str(error)), error.key) from None


def _window(window: object) -> tuple[str, int]:
    match window:
        case (str(unit), int(count)) if not isinstance(count, bool) and 0 < count <= _FURTHEST:
            return unit, count
    example = '("write-bytes", 33554432)'
    raise ConfigError(f"window = {window!r:.60}: must be a unit and a count, as {example}")


def _strides(given: Mapping[str, float] | None, episode: Episode) -> dict[str, float]:
    """Return how far an action moves knobs: those of `rl` as far as the built-in learner does."""
    scheme = json.loads(episode.config())["scheme"]
    built_in = {"slc_blocks": scheme["rl"]["slc_step_blocks"]} if "rl" in scheme else {}
    return {**built_in, **(given or {})}
