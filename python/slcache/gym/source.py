"""Where episodes come from: the device, the scheme, and the workloads to draw from."""

from __future__ import annotations

import copy
import os
import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from slcache import catalogue
from slcache._core import ConfigError, Episode, EpisodeError
from slcache.api import Path
from slcache.given.once import SEED_MAX, checked_seed
from slcache.traces.api import is_workload, reader_options, workload

#: Requests of a workload that has no end and of which `trace_options` says none.
ENDLESS_REQUESTS = 1_000_000

#: The agent of scheme `rl`, as settings may call it.
_AGENT = ("scheme.rl.agent", "agent")

#: What `reset` takes in its `options`.
OPTIONS = ("workload", "snapshot", "knobs")


@dataclass(frozen=True)
class Start:
    """What an episode begins with: with the actions, all that decides on it."""

    workload: str
    seed: int
    snapshot: str | None
    #: Values that knobs are turned to before the first window; not part of what is compared.
    knobs: Mapping[str, float] = field(default_factory=dict, compare=False)

    def told(self) -> dict[str, Any]:
        """Return what `reset` takes to begin it again: the seed, and the options."""
        options = {name: getattr(self, name) for name in OPTIONS if getattr(self, name)}
        return {"seed": self.seed, "options": copy.deepcopy(options)}


@dataclass
class Source:
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
        made = self._made(start)
        if self._last == start:
            self._kept = (start, made.fork())
        self._last = start
        return made

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

    def _made(self, start: Start) -> Episode:
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
            observations=None,
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
