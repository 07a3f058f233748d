"""Knobs and actions: the values that a knob takes, and how an agent's action turns it.

`steps` moves every knob down, not at all or up, as one number: the last knob's move is the
number's last digit in base 3 (0 down, 1 stay, 2 up), the knob before it has the digit before. A
move is a rung of a knob that has a ladder, and the knob's stride otherwise, as far as it goes.
`multi-discrete` and `box` set every knob: to one of so many levels between its least and greatest
value, or to the value that lies nearest to a share from -1 (the least) to 1 (the greatest).
Levels and shares are of the values at the start of the first episode; where a knob does not take
one later, it goes to the nearest it does.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

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


def read_knobs(text: str, strides: Mapping[str, float] | None = None) -> list[Knob]:
    """Return the knobs of the engine's JSON; `strides` are those of knobs that have steps."""
    entries = json.loads(text)
    given = dict(strides or {})
    knobs = [_knob(entry, given.pop(entry["name"], None)) for entry in entries]
    if given:
        names = [knob.name for knob in knobs if knob.step]
        raise ConfigError(f"strides: {next(iter(given))!r} is no knob with steps; known: {names}")
    return knobs


def _knob(entry: Mapping[str, Any], stride: float | None) -> Knob:
    common = {name: entry[name] for name in ("name", "unit", "summary", "value")}
    if "ladder" in entry:
        if stride is not None:
            raise ConfigError(f"strides: {entry['name']!r} has a ladder: an action moves it a rung")
        return Knob(**common, step=0.0, stride=0.0, places=tuple(entry["ladder"]))
    low, high, step = (entry["steps"][key] for key in ("min", "max", "step"))
    count = int((high - low) / step + _GRID_TOLERANCE) + 1
    places = tuple(min(low + index * step, high) for index in range(count))
    if stride is None:
        stride = step * max(1, round((count - 1) / STRIDES))
    elif not step * (1 - _GRID_TOLERANCE) <= stride <= high - low:
        raise ConfigError(
            f"strides: {entry['name']} = {stride!r}: must be between {step:g} and {high - low:g}"
        )
    return Knob(**common, step=step, stride=stride, places=places)


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


#: Levels of a knob under `multi-discrete`; one that has fewer values has as many as those.
LEVELS_MAX = 32

Values = Sequence[float]
#: Tells how the knobs stand: their values, and within which bounds each may go.
Stands = Callable[[], tuple[Values, Sequence[Bounds]]]


class Actions(ABC):
    """What actions there are, and what each turns."""

    space: spaces.Space[Any]

    def __init__(self, knobs: Sequence[Knob]) -> None:
        self._knobs = knobs

    @abstractmethod
    def turns(self, action: Any, stands: Stands) -> Turns:  # noqa: ANN401
        """Return what an action turns, from where the knobs stand."""

    @abstractmethod
    def toward(self, wanted: Mapping[str, float], values: Values) -> Any:  # noqa: ANN401
        """Return the action that brings knobs nearer to named values; others stay."""

    def _refuse(self, action: object) -> EpisodeError:
        return EpisodeError(f"action = {action!r:.60}: not in the action space {self.space}")

    def _targets(self, wanted: Mapping[str, float], values: Values) -> list[float]:
        """Return where each knob is to be."""
        pairs = zip(self._knobs, values, strict=True)
        return [wanted.get(knob.name, value) for knob, value in pairs]

    def _set(self, targets: Values, stands: Stands) -> Turns:
        """Return the turns that bring every knob as near to its target as it may go."""
        values, bounds = stands()
        near = map(Knob.nearest, self._knobs, targets, bounds)
        pairs = enumerate(zip(near, values, strict=True))
        return [(index, there) for index, (there, here) in pairs if there != here]


class StepActions(Actions):
    """Each knob down, not at all or up: `Discrete(3 ** knobs)`."""

    def __init__(self, knobs: Sequence[Knob]) -> None:
        super().__init__(knobs)
        places = range(len(knobs))
        self._moves = [
            [(i, by) for i in places if (by := number // 3 ** (len(knobs) - 1 - i) % 3 - 1)]
            for number in range(3 ** len(knobs))
        ]
        self.space = spaces.Discrete(len(self._moves))

    def turns(self, action: Any, stands: Stands) -> Turns:  # noqa: ANN401
        """Return the knobs that move; one that has no place to go stays."""
        if type(action) is not int:
            # Agents also give numbers of NumPy, and arrays that hold one.
            if isinstance(action, bool) or not self.space.contains(action):
                raise self._refuse(action)
            action = int(action)
        if not 0 <= action < len(self._moves):
            raise self._refuse(action)
        moves = self._moves[action]
        if not moves:
            return []
        values, bounds = stands()
        turns = []
        for index, by in moves:
            there = self._knobs[index].moved(values[index], by, bounds[index])
            if there != values[index]:
                turns.append((index, there))
        return turns

    def toward(self, wanted: Mapping[str, float], values: Values) -> int:
        """Return the action whose moves lead to where knobs are to be."""
        number = 0
        targets = self._targets(wanted, values)
        for knob, here, target in zip(self._knobs, values, targets, strict=True):
            there = target if knob.step else knob.places[nearest(knob.places, target)]
            # Nearer than half a stride is as near as it gets.
            reach = knob.stride / 2
            number = 3 * number + 1 + (there - here > reach) - (here - there > reach)
        return number


class LevelActions(Actions):
    """Each knob at one of its levels: `MultiDiscrete`."""

    def __init__(self, knobs: Sequence[Knob]) -> None:
        super().__init__(knobs)
        self._levels = [spread(knob.places, LEVELS_MAX) for knob in knobs]
        self.space = spaces.MultiDiscrete([len(levels) for levels in self._levels])

    def turns(self, action: Any, stands: Stands) -> Turns:  # noqa: ANN401
        """Return the knobs that are not yet where they are to be."""
        pairs = zip(self._levels, self._chosen(np.asarray(action)), strict=True)
        return self._set([levels[at] for levels, at in pairs], stands)

    def toward(self, wanted: Mapping[str, float], values: Values) -> Any:  # noqa: ANN401
        """Return the levels that lie nearest to the values."""
        pairs = zip(self._levels, self._targets(wanted, values), strict=True)
        return np.array([nearest(levels, target) for levels, target in pairs], dtype=np.int64)

    def _chosen(self, action: NDArray[Any]) -> Sequence[int]:
        """Return the level of each knob; EpisodeError outside the space."""
        if action.dtype.kind not in "iu" or not self.space.contains(action.astype(np.int64)):
            raise self._refuse(action)
        return list(action)


class BoxActions(LevelActions):
    """Each knob at a share of its values: `Box(-1, 1)`."""

    def __init__(self, knobs: Sequence[Knob]) -> None:
        super().__init__(knobs)
        self._levels = [list(knob.places) for knob in knobs]
        self._ends = np.array([len(levels) - 1 for levels in self._levels])
        self.space = spaces.Box(-1.0, 1.0, (len(knobs),), np.float32)

    def toward(self, wanted: Mapping[str, float], values: Values) -> Any:  # noqa: ANN401
        """Return the shares of the values."""
        levels = super().toward(wanted, values)
        return (2 * levels / np.maximum(self._ends, 1) - 1).astype(np.float32)

    def _chosen(self, action: NDArray[Any]) -> Sequence[int]:
        if action.dtype.kind != "f" or not self.space.contains(action.astype(np.float32)):
            raise self._refuse(action)
        return [round((float(s) + 1) / 2 * int(n)) for s, n in zip(action, self._ends, strict=True)]


KINDS: dict[str, type[StepActions | LevelActions]] = {
    "steps": StepActions,
    "multi-discrete": LevelActions,
    "box": BoxActions,
}


def build(kind: str, knobs: Sequence[Knob], scheme: str) -> Actions:
    """Return the action space of a kind; a scheme without knobs has none."""
    if kind not in KINDS:
        raise ConfigError(f"actions = {kind!r}: must be one of {', '.join(KINDS)}")
    if not knobs:
        raise ConfigError(
            f"scheme {scheme} has no knobs that an agent could turn; "
            "slcache.schemes() lists those of each"
        )
    return KINDS[kind](knobs)
