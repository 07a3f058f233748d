"""The state of a device before the run, in a word, and the keys that it stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slcache.errors import UsageError, about

#: A device that people have used: most of it full, and overwritten at random.
WORN = "worn=0.9,0.3"
#: What `steady` fills.
_STEADY_FULL = 0.9
#: What a state is made of: these keys, and no others.
KEYS = ("precondition.fill", "precondition.overwrite", "precondition.steady")
FORMS = "empty|full=SHARE|worn=SHARE,TIMES|steady"
#: How many numbers each form has.
_NUMBERS = {"empty": 0, "full": 1, "worn": 2, "steady": 0}


def keys_of(state: str) -> dict[str, Any]:
    """Return the keys that a state stands for; ValueError where it is none."""
    name, equals, text = state.partition("=")
    wanted = _NUMBERS.get(name)
    if wanted is None or bool(equals) != (wanted > 0):
        raise ValueError(f"state = {state!r}: is none of {FORMS}")
    numbers = [_number(state, part) for part in text.split(",")] if equals else []
    if len(numbers) != wanted:
        raise ValueError(f"state = {state!r}: is none of {FORMS}")
    if numbers and not 0 < numbers[0] <= 1:
        raise ValueError(f"state = {state!r}: SHARE must be above 0 and at most 1")
    if wanted == 2 and not 0 < numbers[1] <= 100:
        raise ValueError(f"state = {state!r}: TIMES must be above 0 and at most 100")
    full, times = (*numbers, 0.0, 0.0)[:2]
    steady = name == "steady"
    return dict(zip(KEYS, (_STEADY_FULL if steady else full, times, steady), strict=True))


def _number(state: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"state = {state!r}: {text!r} is no number") from None


def begun(state: str | None, beside: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys that a state stands for, if there is one; settings may not say them too."""
    if state is None:
        return {}
    try:
        found = keys_of(state)
    except ValueError as error:
        raise about(UsageError(str(error)), "state") from error
    for key in KEYS:
        if key in beside:
            told = f"state = {state} stands for {key} too, which is set to {beside[key]}"
            raise about(UsageError(f"{told}; leave one of the two out"), "state")
    return found


def check_not_loaded(state: str | None, load_state: object) -> None:
    """Raise UsageError where a state is said of a device whose state is loaded."""
    if state is not None and load_state is not None:
        told = f"state = {state} has no effect on a saved state; leave one of the two out"
        raise about(UsageError(told), "state")
