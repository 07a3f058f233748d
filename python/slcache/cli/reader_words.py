"""Options of a trace's reader, `key = value` in messages, as the command line takes them."""

from __future__ import annotations

import re
from typing import TypeVar

from rich.text import Text

_P = TypeVar("_P")

_KEYS = re.compile(
    r"(?<![\w.])(trace\.address(?= = \")|format|lossy|volume|unsorted|op_default|sub_sector"
    r"|zero_size|coarse_time|rebase) = "
)
#: What the reader calls a key of a workload that is changed.
_OVERRIDE = re.compile(r"\b(?:an override such as|override) (?=[\w.]+=)")
#: Those with an option of their own.
_OWN = {
    "trace.address": "--address ",
    "format": "--trace-format ",
    "lossy": "--lossy ",
    "volume": "--volume ",
    "unsorted": "--unsorted ",
}


def of_trace(message: str) -> str:
    """Return a message about a verb's own trace."""
    told = message.replace("trace option lossy: ", "--lossy: ")
    return _KEYS.sub(lambda key: _OWN.get(key[1], f"--trace-option {key[1]}="), told)


def in_text(part: _P) -> _P | Text:
    """Return a part of what is shown, with the messages in it as the command line has them."""
    return Text(of_trace(part.plain), part.style) if isinstance(part, Text) else part


def of_workload(message: str, option: str) -> str:
    """Return a message about a workload, whose keys an option changes."""
    found = _OVERRIDE.sub(option, message)
    return (
        found
        if found == message
        else found.replace(" or duration_ns=", f" or {option}duration_ns=")
    )


def of_other(message: str, option: str) -> str:
    """Return a message about a trace of which one option takes all keys."""
    return _KEYS.sub(rf"{option} \1=", message)
