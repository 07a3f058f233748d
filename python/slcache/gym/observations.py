"""Observations: which figures of a window there are, within which bounds, and which are chosen.

A function of the user's is a figure too: it gets the others by name and returns a number.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
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
        self.figures = [_figure(entry, entry["name"] in loose) for entry in entries]
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
            raise ConfigError(f"{name}: the scheme shows no such figure; {_known(self._at)}")
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

    def info(self, figures: Sequence[float], operations: list[dict[str, Any]]) -> dict[str, Any]:
        """Return a window's `info`: all of its figures by name, and its flash operations."""
        info = self.by_name(figures)
        info["operations"] = operations
        return info

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


def _figure(entry: Mapping[str, Any], loose: bool) -> Figure:
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
        raise ConfigError(f"observations = []: must be a list of names; {_known(known)}")
    names = []
    for each in listed:
        if not callable(each) and each not in known:
            raise ConfigError(f"observations: {each!r} is unknown; {_known(known)}")
        names.append(getattr(each, "__name__", type(each).__name__) if callable(each) else each)
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise ConfigError(f"observations: {twice!r} is named twice")
    return names


def _known(known: dict[str, int]) -> str:
    return f"known: {', '.join(known)}"
