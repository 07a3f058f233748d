"""Observations: which figures of a window there are, within which bounds, and which are chosen."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from slcache._core import ConfigError, Episode
from slcache.gym.knobs import Knob

#: The bound of what has none of its own: the model counts nothing that is larger.
UNBOUNDED = 2.0**63


@dataclass(frozen=True)
class Figure:
    """A figure that an agent can observe."""

    name: str
    unit: str
    summary: str
    min: float
    max: float


class Layout:
    """The figures of a window in the engine's order, and those that an agent observes."""

    def __init__(
        self, episode: Episode, knobs: Sequence[Knob], chosen: Sequence[str] | None
    ) -> None:
        # What a knob with steps takes follows the data: today's bounds are not those of always.
        loose = {f"knob.{knob.name}" for knob in knobs if knob.step}
        entries = json.loads(episode.observations())
        self.figures = [_figure(entry, entry["name"] in loose) for entry in entries]
        self._at = {figure.name: index for index, figure in enumerate(self.figures)}
        self.names = list(self._at if chosen is None else _checked(chosen, self._at))
        #: Where in the engine's order each of the chosen figures is.
        self.chosen: NDArray[np.intp] = np.array([self._at[name] for name in self.names])
        observed = [self.figures[index] for index in self.chosen]
        self.space = spaces.Box(
            np.array([figure.min for figure in observed]),
            np.array([figure.max for figure in observed]),
            dtype=np.float64,
        )

    def at(self, name: str) -> int:
        """Return where a figure is in the engine's order."""
        if name not in self._at:
            raise ConfigError(f"{name}: the scheme shows no such figure; {_known(self._at)}")
        return self._at[name]

    def told(self, figures: Sequence[float], operations: list[dict[str, Any]]) -> dict[str, Any]:
        """Return a window's `info`: all of its figures by name, and its flash operations."""
        info: dict[str, Any] = dict(zip(self._at, figures, strict=True))
        info["operations"] = operations
        return info

    def buffer(self, *shape: int) -> NDArray[np.float64]:
        """Return room for the figures of a window, or of several."""
        return np.zeros((*shape, len(self.figures)))


def _figure(entry: Mapping[str, Any], loose: bool) -> Figure:
    low, high = entry["min"], entry["max"]
    return Figure(
        name=entry["name"],
        unit=entry["unit"],
        summary=entry["summary"],
        min=-UNBOUNDED if low is None else min(low, 0.0) if loose else low,
        max=UNBOUNDED if high is None or loose else high,
    )


def _checked(chosen: Sequence[str], known: dict[str, int]) -> list[str]:
    names = list(chosen)
    if isinstance(chosen, str) or not names:
        raise ConfigError(f"observations = {chosen!r}: must be a list of names; {_known(known)}")
    for name in names:
        if name not in known:
            raise ConfigError(f"observations: {name!r} is unknown; {_known(known)}")
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise ConfigError(f"observations: {twice!r} is named twice")
    return names


def _known(known: dict[str, int]) -> str:
    return f"known: {', '.join(known)}"
