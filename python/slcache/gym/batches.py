"""What a vector of environments is given, checked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from slcache._core import ConfigError, EpisodeError


def mode(named: AutoresetMode | str) -> AutoresetMode:
    """Return when the episode after one that has ended begins."""
    try:
        return AutoresetMode(named)
    except ValueError:
        known = ", ".join(known.value for known in AutoresetMode)
        raise ConfigError(f"autoreset_mode = {named!r}: must be one of {known}") from None


def mask(given: object, count: int) -> NDArray[np.bool_]:
    """Return which of the environments are reset."""
    if given is None:
        return np.ones(count, dtype=np.bool_)
    if not isinstance(given, np.ndarray) or given.dtype != np.bool_ or given.shape != (count,):
        told = f"must be an array of {count} bools"
        raise EpisodeError(f"reset option reset_mask = {given!r}: {told}")
    return given


def seeds(seed: int | Sequence[int | None] | None, count: int) -> list[int | None]:
    """Return the seed of each environment: s, s + 1 and so on, or those given."""
    if seed is None:
        return [None] * count
    if isinstance(seed, int | np.integer):
        return [int(seed) + index for index in range(count)]
    if len(seed) != count:
        raise EpisodeError(f"seed has {len(seed)} values: must have {count}, one an environment")
    return list(seed)
