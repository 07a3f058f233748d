"""Action spaces: how an agent's action turns the knobs of a scheme.

`steps` moves every knob down, not at all or up, as one number: the last knob's move is the
number's last digit in base 3 (0 down, 1 stay, 2 up), the knob before it has the digit before. A
move is a rung of a knob that has a ladder, and the knob's stride otherwise, as far as it goes.
`multi-discrete` and `box` set every knob: to one of so many levels between its least and greatest
value, or to the value that lies nearest to a share from -1 (the least) to 1 (the greatest).
Levels and shares are of the values at the start of the first episode; where a knob does not take
one later, it goes to the nearest it does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from slcache._core import ConfigError, EpisodeError
from slcache.gym.knobs import Bounds, Knob, Turns, nearest, spread

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
        chosen = np.asarray(action)
        if chosen.dtype.kind not in "iu" or not self.space.contains(chosen.astype(np.int64)):
            raise self._refuse(action)
        targets = [levels[at] for levels, at in zip(self._levels, chosen, strict=True)]
        return self._set(targets, stands)

    def toward(self, wanted: Mapping[str, float], values: Values) -> Any:  # noqa: ANN401
        """Return the levels that lie nearest to the values."""
        pairs = zip(self._levels, self._targets(wanted, values), strict=True)
        return np.array([nearest(levels, target) for levels, target in pairs], dtype=np.int64)


class BoxActions(Actions):
    """Each knob at a share of its values: `Box(-1, 1)`."""

    def __init__(self, knobs: Sequence[Knob]) -> None:
        super().__init__(knobs)
        self.space = spaces.Box(-1.0, 1.0, (len(knobs),), np.float32)

    def turns(self, action: Any, stands: Stands) -> Turns:  # noqa: ANN401
        """Return the knobs that are not yet where they are to be."""
        shares = np.asarray(action)
        if shares.dtype.kind != "f" or not self.space.contains(shares.astype(np.float32)):
            raise self._refuse(action)
        targets = [
            knob.places[round((float(share) + 1) / 2 * (len(knob.places) - 1))]
            for knob, share in zip(self._knobs, shares, strict=True)
        ]
        return self._set(targets, stands)

    def toward(self, wanted: Mapping[str, float], values: Values) -> Any:  # noqa: ANN401
        """Return the shares of the values."""
        targets = self._targets(wanted, values)
        shares = [
            2 * nearest(knob.places, target) / max(len(knob.places) - 1, 1) - 1
            for knob, target in zip(self._knobs, targets, strict=True)
        ]
        return np.array(shares, dtype=np.float32)


KINDS: dict[str, type[StepActions | LevelActions | BoxActions]] = {
    "steps": StepActions,
    "multi-discrete": LevelActions,
    "box": BoxActions,
}


def made(kind: str, knobs: Sequence[Knob], scheme: str) -> Actions:
    """Return the action space of a kind; a scheme without knobs has none."""
    if kind not in KINDS:
        raise ConfigError(f"actions = {kind!r}: must be one of {', '.join(KINDS)}")
    if not knobs:
        raise ConfigError(
            f"scheme {scheme} has no knobs that an agent could turn; "
            "slcache.schemes() lists those of each"
        )
    return KINDS[kind](knobs)
