"""What an agent sees of a window, and what it is worth.

Observations are figures of the window, or functions of the user's that get the figures by name
and return a number. Rewards are said by name, as a weighted sum of named ones, or as a function of
the window's `info`.

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
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from slcache._core import ConfigError, Episode, EpisodeError
from slcache.gym.actions import Knob

#: The bound of what has none of its own: the model counts nothing that is larger.
UNBOUNDED = 2.0**63
#: A figure of the user's, of those of the window by name.
Own = Callable[[dict[str, float]], float]


@dataclass(frozen=True)
class Figure:
    """A figure that an agent can observe."""

    name: str
    unit: str
    summary: str
    min: float
    max: float


class Observations:
    """The figures of a window in the engine's order, and those that an agent observes."""

    def __init__(
        self,
        episode: Episode,
        knobs: Sequence[Knob],
        chosen: Sequence[str | Own] | None,
        normalise: bool,
    ) -> None:
        # What a knob with steps takes follows the data: today's bounds are not those of always.
        loose = {f"knob.{knob.name}" for knob in knobs if knob.step}
        entries = json.loads(episode.observations())
        self.figures = [_figure_of(entry, entry["name"] in loose) for entry in entries]
        self._at = {figure.name: index for index, figure in enumerate(self.figures)}
        listed = list(self._at) if chosen is None else _listed(chosen)
        self.names = _checked(listed, self._at)
        self._own = [(place, each) for place, each in enumerate(listed) if callable(each)]
        #: Where in the engine's order each of the chosen figures is; for own ones it is the first.
        self.chosen: NDArray[np.intp] = np.array([self._at.get(name, 0) for name in self.names])
        observed = [
            Figure(name, "", "", -UNBOUNDED, UNBOUNDED) if callable(each) else self.figures[index]
            for name, each, index in zip(self.names, listed, self.chosen, strict=True)
        ]
        low = np.array([figure.min for figure in observed])
        high = np.array([figure.max for figure in observed])
        self._is_whole = not self._own and self.names == list(self._at)
        self._scale = _Scale(low, high) if normalise else None
        self.space = (
            spaces.Box(-1.0, 1.0, (len(observed),), dtype=np.float32)
            if normalise
            else spaces.Box(low, high, dtype=np.float64)
        )

    def at(self, name: str) -> int:
        """Return where a figure is in the engine's order."""
        if name not in self._at:
            raise ConfigError(f"{name}: the scheme shows no such figure; {_known_names(self._at)}")
        return self._at[name]

    def observed(self, figures: NDArray[np.float64]) -> NDArray[Any]:
        """Return what an agent sees of the figures of a window, or of several."""
        # Choosing by index takes four times as long as a copy.
        chosen: NDArray[Any] = figures.copy() if self._is_whole else figures[..., self.chosen]
        if self._own:
            for row in np.ndindex(figures.shape[:-1]):
                self._put_own(figures[row], chosen[row])
        return chosen if self._scale is None else self._scale.of(chosen)

    def _put_own(self, figures: NDArray[np.float64], chosen: NDArray[Any]) -> None:
        """Put the figures of the user's in their places among those of one window."""
        for place, function in self._own:
            value: Any = function(self.by_name(figures.tolist()))
            number = isinstance(value, int | float | np.integer | np.floating)
            if isinstance(value, bool) or not number or not abs(value) <= UNBOUNDED:
                told = "must return a number between -2^63 and 2^63"
                raise EpisodeError(f"observation {self.names[place]}: {told}, not {value!r:.40}")
            chosen[place] = value

    def by_name(self, figures: Sequence[float]) -> dict[str, Any]:
        """Return all figures of a window by name."""
        # A kind of dict that fills itself when asked would look empty to json, PyArrow and Polars.
        return dict(zip(self._at, figures, strict=True))

    def buffer(self, *shape: int) -> NDArray[np.float64]:
        """Return room for the figures of a window, or of several."""
        return np.zeros((*shape, len(self.figures)))


class _Scale:
    """Brings figures into [-1, 1]: by their bounds, and by the logarithm where they have none."""

    def __init__(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> None:
        self._bounded = (high < UNBOUNDED) & (low > -UNBOUNDED) & (high > low)
        self._low = np.where(self._bounded, low, 0.0)
        self._width = np.where(self._bounded, high - low, 1.0)
        self._most = float(np.log1p(UNBOUNDED))

    def of(self, figures: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return the figures, scaled."""
        share = 2.0 * (figures - self._low) / self._width - 1.0
        order = np.sign(figures) * np.log1p(np.abs(figures)) / self._most
        scaled = np.where(self._bounded, share, order)
        return np.clip(scaled, -1.0, 1.0).astype(np.float32)


def _figure_of(entry: Mapping[str, Any], loose: bool) -> Figure:
    low, high = entry["min"], entry["max"]
    return Figure(
        name=entry["name"],
        unit=entry["unit"],
        summary=entry["summary"],
        min=-UNBOUNDED if low is None else min(low, 0.0) if loose else low,
        max=UNBOUNDED if high is None or loose else high,
    )


def _listed(chosen: Sequence[str | Own]) -> list[str | Own]:
    if isinstance(chosen, str) or not isinstance(chosen, Iterable):
        raise ConfigError(f"observations = {chosen!r:.60}: must be a list of names or functions")
    return list(chosen)


def _checked(listed: Sequence[str | Own], known: dict[str, int]) -> list[str]:
    """Return the names of figures; a function is called what its text calls it."""
    if not listed:
        raise ConfigError(f"observations = []: must be a list of names; {_known_names(known)}")
    names = []
    for each in listed:
        if not callable(each) and each not in known:
            raise ConfigError(f"observations: {each!r} is unknown; {_known_names(known)}")
        names.append(getattr(each, "__name__", type(each).__name__) if callable(each) else each)
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise ConfigError(f"observations: {twice!r} is named twice")
    return names


def _known_names(known: dict[str, int]) -> str:
    return f"known: {', '.join(known)}"


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


#: What says what a window is worth. It is copied for a fork, with all that it remembers.
Reward = Callable[[Figures, dict[str, Any]], float]


def _cost(at: int, factor: float, figures: Figures, _: object) -> float:
    return factor * figures[at]


def _latency(at: Sequence[int], figures: Figures, _: object) -> float:
    """Return minus the mean latency of all requests completed; 0 where there was none."""
    # Written out: this is a good part of what a step costs beyond the engine.
    reads_at, read_ns_at, writes_at, write_ns_at = at
    reads, writes = figures[reads_at], figures[writes_at]
    requests = reads + writes
    total_ns = reads * figures[read_ns_at] + writes * figures[write_ns_at]
    return -(total_ns / requests if requests else 0.0) / 1e6


class PaperReward:
    """The sign reward of the reinforcement-learning paper (its Algorithm 2)."""

    def __init__(self, at: At, average: tuple[str, float] | None) -> None:
        kind, weight = average or _AVERAGE
        self._weight = weight if kind == "ema" else None
        self._windows = 1
        self._utilisation = at("utilisation")
        self._host = [at("slc_write_flash_ns"), at("dense_write_flash_ns")]
        self._reclaim = [at("migration_flash_ns"), at("gc_flash_ns")]
        self._average_ns: float | None = None

    def __call__(self, figures: Figures, _: object) -> float:
        """Return whether the window cost less than those before, on average."""
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


def _sum(parts: Sequence[tuple[float, Reward]], figures: Figures, info: dict[str, Any]) -> float:
    return sum(weight * part(figures, info) for weight, part in parts)


@dataclass
class OwnReward:
    """A reward of the user's, which reads the window's `info`."""

    function: Callable[[dict[str, Any]], float]

    @classmethod
    def of_episode(cls, given: Callable[..., Any]) -> OwnReward:
        """Return that of a new episode; ConfigError where there is no function for it."""
        try:
            function = given() if isinstance(given, type) else copy.deepcopy(given)
        except Exception as error:
            told = f"reward = {given!r:.60}: cannot be made for an episode of its own: {error}"
            raise ConfigError(told) from error
        if not callable(function):
            raise ConfigError(f"reward = {given!r:.60}: its objects are no functions of info")
        return cls(function)

    def __call__(self, _: Figures, info: dict[str, Any]) -> float:
        """Return what the window was worth; EpisodeError for what is no number."""
        value: object = self.function(info)
        number = isinstance(value, int | float | np.integer | np.floating)
        if isinstance(value, bool) or not number or not math.isfinite(value):  # type: ignore[arg-type]
            raise EpisodeError(f"the reward function returned {value!r}: must be a finite number")
        return float(value)  # type: ignore[arg-type]


_LATENCY = ("reads_completed", "read_mean_ns", "writes_completed", "write_mean_ns")
#: By name, made of where figures are and of how `paper` averages.
NAMED: dict[str, Callable[[At, tuple[str, float] | None], Reward]] = {
    "paper": PaperReward,
    "latency": lambda at, _: partial(_latency, tuple(map(at, _LATENCY))),
    "throughput": lambda at, _: partial(_cost, at("bytes_per_s"), 1 / _MIB),
    "waf": lambda at, _: partial(_cost, at("waf"), -1.0),
    "lifetime": lambda at, _: partial(_cost, at("life_used"), -1e6),
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
            return partial(_sum, parts)
        case _ if callable(spec):
            return OwnReward.of_episode(spec)
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
