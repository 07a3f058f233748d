"""Rewards: by name, as a weighted sum of named ones, or a function of the window's `info`.

Every named reward grows with what is good; what is better small is negative:

- `paper`: the learner's sign reward, -1 where a window cost more than the average of those
  before, else 1, and 0 for the first. The average is a moving one, in which the newest window has
  weight 0.1; under `rl` it is that of `scheme.rl.average` and `average_weight`. The cost is
  (1 - U) times the time of the host's programs plus U times that of migration and cleaning; U is
  the utilisation.
- `latency`: minus the mean latency of the reads and writes completed in the window, in ms.
- `throughput`: what the host read and wrote in the window over the time it took, in MiB/s.
- `waf`: minus the bytes programmed over the bytes the host wrote.
- `lifetime`: minus the share of the device's endurance that the window used up, in millionths.

What can be called is copied for each episode, and for each fork, so that nothing it remembers is
shared; a class is called once for each episode and gives the function. What a plain function
keeps elsewhere is its own business.
"""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from slcache._core import ConfigError, EpisodeError

#: The largest weight, far from where sums of rewards have no end.
_HEAVIEST = 1e100
#: What `reward=` takes.
Spec = str | Mapping[str, float] | Callable[[dict[str, Any]], float]
#: The figures of a window in the engine's order, and where one of them is.
Figures = Sequence[float]
At = Callable[[str], int]

#: Whether `paper` compares with a moving average or that of all windows; weight of the newest.
_AVERAGE = ("ema", 0.1)
_MIB = float(1 << 20)


class Reward(ABC):
    """Who says what the windows of one episode are worth."""

    #: Whether it reads the window's `info`, which costs time to put together.
    reads_info = False

    @abstractmethod
    def of(self, figures: Figures, info: dict[str, Any]) -> float:
        """Return what a window was worth."""

    def fork(self) -> Self:
        """Return one that goes on as this one does."""
        return copy.deepcopy(self)


@dataclass
class _Cost(Reward):
    """A figure times a factor."""

    at: int
    factor: float

    def of(self, figures: Figures, info: dict[str, Any]) -> float:
        return self.factor * figures[self.at]


class _Latency(Reward):
    """Minus the mean latency of all requests completed; 0 where there was none."""

    def __init__(self, at: At) -> None:
        self._at = [(at(f"{side}s_completed"), at(f"{side}_mean_ns")) for side in ("read", "write")]

    def of(self, figures: Figures, info: dict[str, Any]) -> float:
        # Written out: this is a good part of what a step costs beyond the engine.
        (reads_at, read_ns_at), (writes_at, write_ns_at) = self._at
        reads, writes = figures[reads_at], figures[writes_at]
        requests = reads + writes
        total_ns = reads * figures[read_ns_at] + writes * figures[write_ns_at]
        return -(total_ns / requests if requests else 0.0) / 1e6


class _Paper(Reward):
    """The sign reward of the reinforcement-learning paper (its Algorithm 2)."""

    def __init__(self, at: At, average: tuple[str, float] | None) -> None:
        kind, weight = average or _AVERAGE
        self._weight = weight if kind == "ema" else None
        self._windows = 1
        self._utilisation = at("utilisation")
        self._host = [at("slc_write_flash_ns"), at("dense_write_flash_ns")]
        self._reclaim = [at("migration_flash_ns"), at("gc_flash_ns")]
        self._average_ns: float | None = None

    def of(self, figures: Figures, info: dict[str, Any]) -> float:
        used = figures[self._utilisation]
        host_ns = figures[self._host[0]] + figures[self._host[1]]
        reclaim_ns = figures[self._reclaim[0]] + figures[self._reclaim[1]]
        cost_ns = (1.0 - used) * host_ns + used * reclaim_ns
        if self._average_ns is None:
            self._average_ns = cost_ns
            return 0.0
        reward = -1.0 if cost_ns > self._average_ns else 1.0
        self._windows += 1
        weight = 1.0 / self._windows if self._weight is None else self._weight
        self._average_ns += weight * (cost_ns - self._average_ns)
        return reward


@dataclass
class _Sum(Reward):
    """A weighted sum of named rewards."""

    parts: list[tuple[float, Reward]]

    def of(self, figures: Figures, info: dict[str, Any]) -> float:
        return sum(weight * part.of(figures, info) for weight, part in self.parts)


@dataclass
class _Function(Reward):
    """A reward of the user's."""

    reads_info = True
    function: Callable[[dict[str, Any]], float]

    @classmethod
    def of_episode(cls, given: Callable[..., Any]) -> _Function:
        """Return that of a new episode; ConfigError where there is no function for it."""
        try:
            function = given() if isinstance(given, type) else copy.deepcopy(given)
        except Exception as error:
            told = f"reward = {given!r:.60}: cannot be made for an episode of its own: {error}"
            raise ConfigError(told) from error
        if not callable(function):
            raise ConfigError(f"reward = {given!r:.60}: its objects are no functions of info")
        return cls(function)

    def of(self, figures: Figures, info: dict[str, Any]) -> float:
        value: object = self.function(info)
        number = isinstance(value, int | float | np.integer | np.floating)
        if isinstance(value, bool) or not number or not math.isfinite(value):  # type: ignore[arg-type]
            raise EpisodeError(f"the reward function returned {value!r}: must be a finite number")
        return float(value)  # type: ignore[arg-type]


#: By name, made of where figures are and of how `paper` averages.
NAMED: dict[str, Callable[[At, tuple[str, float] | None], Reward]] = {
    "paper": _Paper,
    "latency": lambda at, _: _Latency(at),
    "throughput": lambda at, _: _Cost(at("bytes_per_s"), 1 / _MIB),
    "waf": lambda at, _: _Cost(at("waf"), -1.0),
    "lifetime": lambda at, _: _Cost(at("life_used"), -1e6),
}


def build(spec: Spec, at: At, average: tuple[str, float] | None = None) -> Reward:
    """Return the reward that `reward=` asks for; ConfigError where there is no such.

    `average` says how `paper` averages, as (kind, weight of the newest).
    """
    match spec:
        case str():
            return _named(spec, at, average)
        case Mapping() if spec:
            parts = [(_weight(name, spec[name]), _named(name, at, average)) for name in spec]
            return _Sum(parts)
        case _ if callable(spec):
            return _Function.of_episode(spec)
    raise ConfigError(f"reward = {spec!r}: must be a name, weights by name, or a function")


def _named(name: str, at: At, average: tuple[str, float] | None) -> Reward:
    if name not in NAMED:
        raise ConfigError(f"reward {name!r}: unknown; known: {', '.join(NAMED)}")
    try:
        return NAMED[name](at, average)
    except ConfigError as error:
        raise ConfigError(f"reward {name!r}: {error}") from error


def _weight(name: str, weight: object) -> float:
    number = weight if isinstance(weight, int | float) else math.nan
    if isinstance(weight, bool) or not abs(number) <= _HEAVIEST:
        raise ConfigError(f"reward {name!r}: its weight is {weight!r}, and must be a finite number")
    return float(number)
