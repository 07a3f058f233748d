"""The published schemas of documents."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

from slcache import _core

#: What `slcache explain --schema` also calls a document.
_ALIASES = {"run": "result"}
_RESULT = "result.schema.json"
#: What a dataclass says of itself whose schema is published: it has its own keys alone.
CLOSED = {"extra": "forbid", "use_attribute_docstrings": True}
#: Keys that tell of a file; within another schema there is no place for them.
_OF_FILES = ("$schema", "$id")


@cache
def schema(name: str) -> dict[str, Any]:
    """Return a published schema; what it takes from another one is among its own definitions.

    It is shared by all who ask: not to be changed.
    """
    if name == "trace-info":
        from slcache.traces.against import Held

        # What is measured comes from the engine.
        measured, beside = json.loads(_core.trace_info_schema()), of(Held)
        return {**measured, **{key: measured[key] | beside[key] for key in ("properties", "$defs")}}
    whole = read(f"{_ALIASES.get(name, name)}.schema.json")
    for other in sorted(_others(whole)):
        found = read(other)
        inner = other.removesuffix(".schema.json")
        definitions = {
            **whole.get("$defs", {}),
            **found.pop("$defs", {}),
            inner: {key: value for key, value in found.items() if key not in _OF_FILES},
        }
        whole = _pointed({**whole, "$defs": definitions}, other, f"#/$defs/{inner}")
    return whole


def of(model: type) -> dict[str, Any]:
    """Return the schema of what a dataclass holds, with its fields' docstrings."""
    from pydantic import TypeAdapter
    from pydantic.json_schema import GenerateJsonSchema

    class Untitled(GenerateJsonSchema):
        def field_title_should_be_set(self, _: Any) -> bool:  # noqa: ANN401
            return False

    return TypeAdapter(model).json_schema(schema_generator=Untitled)


def read(name: str) -> dict[str, Any]:
    """Return a schema as the engine has it, which writes the document, or else its file."""
    if name == _RESULT:
        return dict(json.loads(_core.result_schema()))
    text = (resources.files("slcache") / "schema" / name).read_text("utf-8")
    return dict(json.loads(text))


def _others(node: object) -> set[str]:
    """Return the files that a schema refers to."""
    if isinstance(node, list):
        return {name for each in node for name in _others(each)}
    if not isinstance(node, dict):
        return set()
    reference = node.get("$ref")
    own = {reference} if isinstance(reference, str) and not reference.startswith("#") else set()
    return own | {name for each in node.values() for name in _others(each)}


def _pointed(node: Any, old: str, new: str) -> Any:  # noqa: ANN401
    """Return a schema whose references to one place are to another."""
    if isinstance(node, list):
        return [_pointed(each, old, new) for each in node]
    if not isinstance(node, dict):
        return node
    return {
        key: new if key == "$ref" and value == old else _pointed(value, old, new)
        for key, value in node.items()
    }
