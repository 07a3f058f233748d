"""The published schemas of documents."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

from slcache import _core

#: What `slcache explain --schema` also calls a document.
_ALIASES = {"run": "result"}
#: What a dataclass says of itself whose schema is published: it has its own keys alone, and all of
#: them, or those that have no default.
CLOSED = {
    "extra": "forbid",
    "use_attribute_docstrings": True,
    "json_schema_serialization_defaults_required": True,
}
SPARSE = CLOSED | {"json_schema_serialization_defaults_required": False}
#: Keys that tell of a file; within another schema there is no place for them.
_OF_FILES = ("$schema", "$id")


@cache
def schema(name: str) -> dict[str, Any]:
    """Return a published schema; what it takes from another one is among its own definitions.

    It is shared by all who ask: not to be changed.
    """
    match name:
        case "trace-info":
            from slcache.traces.against import Held

            # What is measured comes from the engine.
            measured, beside = json.loads(_core.trace_info_schema()), of(Held)
            both = {key: measured[key] | beside[key] for key in ("properties", "$defs")}
            return {**measured, **both}
        case "compare":
            from slcache.results.model import Comparison

            whole, run = of(Comparison), read("result")
            inner = {key: value for key, value in run.items() if key not in (*_OF_FILES, "$defs")}
            parts = whole["$defs"] | run["$defs"] | {"Result": inner}
            return {**_named("compare:2"), **whole, "$defs": parts}
        case "cliff":
            from slcache.bandwidth.model import Cliff

            return {**_named("cliff:1"), **of(Cliff)}
    return read(_ALIASES.get(name, name))


def _named(name: str) -> dict[str, str]:
    """Return what a schema says of itself."""
    values = ("https://json-schema.org/draft/2020-12/schema", f"urn:slcache:schema:{name}")
    return dict(zip(_OF_FILES, values, strict=True))


@cache
def of(model: type) -> dict[str, Any]:
    """Return the schema of what a class holds, with its fields' docstrings."""
    from pydantic import TypeAdapter
    from pydantic.json_schema import GenerateJsonSchema

    class Document(GenerateJsonSchema):
        """Without titles of fields, absent ones without a default; whole numbers are counts."""

        def field_title_should_be_set(self, _: Any) -> bool:  # noqa: ANN401
            return False

        def int_schema(self, schema: Any) -> dict[str, Any]:  # noqa: ANN401
            return {"minimum": 0, **super().int_schema(schema)}

        def default_schema(self, schema: Any) -> dict[str, Any]:  # noqa: ANN401
            return self.generate_inner(schema["schema"])

    kind: TypeAdapter[Any] = TypeAdapter(model)
    return kind.json_schema(schema_generator=Document, mode="serialization")


def read(name: str) -> dict[str, Any]:
    """Return a schema as the engine has it, which writes the document, or else its file."""
    if name == "result":
        return dict(json.loads(_core.result_schema()))
    text = (resources.files("slcache") / "schema" / f"{name}.schema.json").read_text("utf-8")
    return dict(json.loads(text))
