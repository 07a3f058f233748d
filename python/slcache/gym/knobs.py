"""Knobs as an agent sees them: the values each may have, and the way from one to another."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slcache._core import ConfigError, EpisodeError

#: How far from a multiple of the step a value may be; the engine's tolerance.
_GRID_TOLERANCE = 1e-9

#: Into how many strides the values of a knob with steps are divided, where nobody says more.
STRIDES = 32

#: The least and the most that a knob takes now.
Bounds = tuple[float, float]
#: Knobs to turn, by their index, and where to.
Turns = list[tuple[int, float]]


@dataclass(frozen=True)
class Knob:
    """A knob of a scheme: what it is, the values it takes, and how far one action moves it.

    `places` are the values at the start of an episode: every `step` from the least, or the rungs
    of a ladder (`step` 0). Later it may take more or fewer, within the bounds of that moment.
    """

    name: str
    unit: str
    summary: str
    value: float
    step: float
    stride: float
    places: tuple[float, ...]

    def moved(self, value: float, by: int, bounds: Bounds) -> float:
        """Return the value one stride or rung up (`by` 1) or down (-1), as far as it goes."""
        if self.step:
            return self.nearest(value + by * self.stride, bounds)
        beyond = [place for place in self.places if by * (place - value) > 0]
        return min(beyond, key=lambda place: abs(place - value), default=value)

    def nearest(self, value: float, bounds: Bounds) -> float:
        """Return the value that the knob takes now and that lies nearest, the lower one of two."""
        low, high = bounds
        if not self.step:
            return self.places[nearest(self.places, value)]
        steps = (min(max(value, low), high) - low) / self.step
        index = math.ceil(steps - 0.5 - _GRID_TOLERANCE)
        if low + index * self.step > high + _GRID_TOLERANCE * self.step:
            index -= 1
        return min(low + index * self.step, high)


def read(text: str, strides: Mapping[str, float] | None = None) -> list[Knob]:
    """Return the knobs of the engine's JSON; `strides` are those of knobs that have steps."""
    entries = json.loads(text)
    given = dict(strides or {})
    knobs = [_made(entry, given.pop(entry["name"], None)) for entry in entries]
    if given:
        names = [knob.name for knob in knobs if knob.step]
        raise ConfigError(f"strides: {next(iter(given))!r} is no knob with steps; known: {names}")
    return knobs


def _made(entry: Mapping[str, Any], stride: float | None) -> Knob:
    told = {name: entry[name] for name in ("name", "unit", "summary", "value")}
    if "ladder" in entry:
        if stride is not None:
            raise ConfigError(f"strides: {entry['name']!r} has a ladder: an action moves it a rung")
        return Knob(**told, step=0.0, stride=0.0, places=tuple(entry["ladder"]))
    low, high, step = (entry["steps"][key] for key in ("min", "max", "step"))
    count = int((high - low) / step + _GRID_TOLERANCE) + 1
    places = tuple(min(low + index * step, high) for index in range(count))
    if stride is None:
        stride = step * max(1, round((count - 1) / STRIDES))
    elif not step * (1 - _GRID_TOLERANCE) <= stride <= high - low:
        raise ConfigError(
            f"strides: {entry['name']} = {stride!r}: must be between {step:g} and {high - low:g}"
        )
    return Knob(**told, step=step, stride=stride, places=places)


def check(wanted: Mapping[str, object], knobs: Sequence[Knob]) -> None:
    """Raise EpisodeError for what is no knob, and for a value that is no number."""
    if not isinstance(wanted, Mapping):
        raise EpisodeError(f"knobs = {wanted!r:.60}: must be values by names")
    names = [knob.name for knob in knobs]
    for name, value in wanted.items():
        if name not in names:
            raise EpisodeError(f"knob {name}: unknown; the scheme has {', '.join(names) or 'none'}")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise EpisodeError(f"knob {name} = {value!r}: must be a number")
        if isinstance(value, float) and not math.isfinite(value):
            raise EpisodeError(f"knob {name} = {value!r}: must be a finite number")


def turns(wanted: Mapping[str, float], knobs: Sequence[Knob]) -> Turns:
    """Return the turns to named values; the engine says whether they are allowed."""
    check(wanted, knobs)
    index = {knob.name: i for i, knob in enumerate(knobs)}
    return [(index[name], float(value)) for name, value in wanted.items()]


def nearest(places: Sequence[float], value: float) -> int:
    """Return the index of the place nearest to a value, the lower one of two."""
    return min(range(len(places)), key=lambda index: (abs(places[index] - value), index))


def spread(places: Sequence[float], most: int) -> list[float]:
    """Return at most so many of the places, evenly spread, both ends among them."""
    count = min(len(places), most)
    return [places[round(i * (len(places) - 1) / max(count - 1, 1))] for i in range(count)]
