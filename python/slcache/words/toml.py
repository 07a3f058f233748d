"""Tables and values as TOML spells them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping


def lines(table: Mapping[str, object]) -> Iterator[str]:
    """Yield a table's keys with their values, a line for each."""
    for key, value in table.items():
        bare = key.replace("_", "").isalnum() and key.isascii()
        yield f"{key if bare else text(key)} = {spelled(value)}"


def spelled(value: object) -> str:
    """Return a value as TOML spells it."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(spelled, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(lines(value))}}}"
    return text(value)


def text(value: object) -> str:
    """Return a text, a number, true or false."""
    # JSON's texts are TOML's, but for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
