"""Nested documents as flat lists of dotted names and values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def leaves(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    """Yield a document's values with their dotted names; lists of plain values stay whole."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from leaves(inner, f"{prefix}.{key}" if prefix else str(key))
    elif isinstance(value, list) and any(isinstance(item, Mapping | list) for item in value):
        for i, inner in enumerate(value):
            yield from leaves(inner, f"{prefix}[{i}]")
    else:
        yield prefix, value


def shown(value: object) -> str:
    """Return a value as a reader expects it: digits grouped, yes or no, – for nothing."""
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.0f}" if value.is_integer() else f"{value:,.6g}"
        case list():
            return ", ".join(shown(item) for item in value) or "–"
    return str(value)
