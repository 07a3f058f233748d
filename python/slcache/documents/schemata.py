"""The published schemas of documents."""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
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


#: The module and the class from which a document's schema is derived, and its version.
_MODELS = {
    "compare": ("results.model", "Comparison", 2),
    "cliff": ("bandwidth.model", "Cliff", 1),
    "sweep": ("study.document", "Sweep", 2),
    "sweep-show": ("study.document", "Show", 2),
    "tune": ("search.document", "Tuning", 2),
    "reproduce": ("reproduce.document", "Evaluation", 1),
}


@cache
def schema(name: str) -> dict[str, Any]:
    """Return a published schema; what it takes from another one is among its own definitions.

    It is shared by all who ask: not to be changed.
    """
    name = _ALIASES.get(name, name)
    if name == "result":
        return dict(json.loads(_core.result_schema()))
    if name == "trace-info":
        from slcache.trace.comparison import Held

        # What is measured comes from the engine.
        measured, beside = json.loads(_core.trace_info_schema()), of(Held)
        both = {key: measured[key] | beside[key] for key in ("properties", "$defs")}
        return {**measured, **both}
    module, kind, version = _MODELS[name]
    said = ("https://json-schema.org/draft/2020-12/schema", f"urn:slcache:schema:{name}:{version}")
    whole = of(getattr(import_module(f"slcache.{module}"), kind))
    if name == "compare":
        run = schema("result")
        inner = {key: value for key, value in run.items() if key not in (*_OF_FILES, "$defs")}
        whole = {**whole, "$defs": whole["$defs"] | run["$defs"] | {"Result": inner}}
    return {**dict(zip(_OF_FILES, said, strict=True)), **whole}


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
