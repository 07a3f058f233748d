"""The names in a plan's models, found by what their fields are annotated with."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any


def named(value: Any, hint: Any, place: str = "") -> Iterator[tuple[str, str, str]]:  # noqa: ANN401
    """Give what is named, the name, and its place: `quick: parts 1`; empty names are none."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        if value:
            yield hint.__metadata__[0], value, place
    elif dataclasses.is_dataclass(value):
        for name, of in _hints(type(value)).items():
            yield from named(getattr(value, name), of, f"{place}: {name}".removeprefix(": "))
    elif isinstance(value, list) and arguments:
        for i, one in enumerate(value):
            yield from named(one, _item(hint), f"{place} {i + 1}")
    elif isinstance(value, dict) and arguments:
        for key, one in value.items():
            yield from named(key, arguments[0], place)
            yield from named(one, arguments[1], f"{place}: {key}")


def _item(hint: Any) -> Any:  # noqa: ANN401
    """Return what a list has, of a list or none."""
    (first, *_) = typing.get_args(hint)
    return first if typing.get_origin(hint) is list else _item(first)


def _hints(kind: type) -> dict[str, Any]:
    hints = typing.get_type_hints(kind, include_extras=True)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def unknown(value: object, known: Mapping[str, Sequence[str]]) -> list[str]:
    """Return which names in a model nothing bears."""
    return [
        f"{place}: no {kind} {name}; allowed: {', '.join(known[kind])}"
        for kind, name, place in named(value, type(value))
        if name not in known[kind]
    ]
