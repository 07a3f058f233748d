"""What may be said once only: the one check of everything that is given by key and value."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from slcache.errors import ConfigError, about

_V = TypeVar("_V")
#: The largest seed: what a configuration can hold.
SEED_MAX = 2**63 - 1


def once(pairs: Iterable[tuple[str, _V]], what: str = "") -> dict[str, _V]:
    """Return pairs as a dictionary; a key that is given twice is a ConfigError, never a choice.

    `what` says what the keys are. The engine finds those that are one key in two spellings.
    """
    said: dict[str, _V] = {}
    for key, value in pairs:
        if key in said:
            told = f"{what}{key}: given twice, as {said[key]} and {value}; give one of the two"
            raise about(ConfigError(told), key)
        said[key] = value
    return said


def twice(names: Iterable[str], spelled: Mapping[str, str] | None = None) -> str | None:
    """Return what is named twice; `spelled` has what another spelling of a name means."""
    said: dict[str, str] = {}
    for name in names:
        own = (spelled or {}).get(name, name)
        if own in said:
            other = "" if said[own] == name else f", as {said[own]} and {name}"
            return f"{own} is given twice{other}"
        said[own] = name
    return None


def flatten(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield nested settings as dotted keys with their values; an empty table is one."""
    for key, value in settings.items():
        if isinstance(value, Mapping) and value:
            yield from flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", _own(value)


def _own(value: Any) -> Any:  # noqa: ANN401
    """Return NumPy's arrays and numbers as Python's, in lists too."""
    if isinstance(value, list | tuple):
        return [_own(each) for each in value]
    return value.tolist() if hasattr(value, "tolist") else value


def checked_seed(seed: int) -> int:
    """Return a seed; raises ConfigError for one that a configuration cannot hold."""
    if isinstance(seed, bool) or not hasattr(seed, "__index__"):
        raise about(ConfigError(f"seed = {seed!r:.60}: must be a whole number"), "seed")
    seed = operator.index(seed)
    if not 0 <= seed <= SEED_MAX:
        shown = seed if abs(seed) < 10**60 else "a number of more than 60 digits"
        raise about(ConfigError(f"seed = {shown}: must be between 0 and {SEED_MAX}"), "seed")
    return seed


def one_name(key: str, scheme: str) -> str:
    """Return a key as it is spelled in full: keys outside the sections are the scheme's."""
    inside = re.match(r"(device|scheme|host|buffer|precondition|trace|run)\b", key)
    return re.sub(r"\[(\d+)\]", r".\1", key if inside else f"scheme.{scheme}.{key}")
