"""The published schemas of documents, and every key of the configuration and of results."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from slcache import _core, units
from slcache.options import Options

_T = TypeVar("_T", bound=type)
#: What `slcache explain --schema` also calls a document.
_ALIASES = {"run": "result"}
#: What a published schema calls a class, where that is not its name without `Shape`.
_CALLED = {
    **dict.fromkeys(("StudyRequest", "SearchRequest"), "Asked"),
    **dict.fromkeys(("StudyCounts", "SearchCounts"), "Counts"),
    "TriedPointShape": "Point",
    "MeasuredFigure": "Finding",
}


def _called(name: str) -> str:
    return _CALLED.get(name, name.removesuffix("Shape"))


def title(kind: type) -> str:
    """Return what a published schema calls a class."""
    return _called(kind.__name__)


#: What a dataclass says of itself whose schema is published: it has its own keys alone, and all of
#: them, or those that have no default.
CLOSED = {
    "extra": "forbid",
    "use_attribute_docstrings": True,
    "json_schema_serialization_defaults_required": True,
    "model_title_generator": title,
}
SPARSE = CLOSED | {"json_schema_serialization_defaults_required": False}


def shape(kind: _T) -> _T:
    """Have the keys of a typed dictionary be all that there are, with their docstrings."""
    kind.__pydantic_config__ = SPARSE  # type: ignore[attr-defined]
    return kind


def open_shape(kind: _T) -> _T:
    """Have further keys beside those of a typed dictionary, each with a plain value."""
    kinds = {"type": ["number", "string", "boolean", "null"]}
    extra = {"json_schema_extra": {"additionalProperties": kinds}}
    kind.__pydantic_config__ = SPARSE | extra | {"extra": "allow"}  # type: ignore[attr-defined]
    return kind


#: Keys that tell of a file; within another schema there is no place for them.
_OF_FILES = ("$schema", "$id")


#: The module and the class from which a document's schema is derived, and its version.
_MODELS = {
    "compare": ("documents.model", "ComparisonShape", 2),
    "cliff": ("bandwidth.document", "CliffShape", 2),
    "sweep": ("study.document", "SweepShape", 2),
    "sweep-show": ("study.document", "Show", 2),
    "tune": ("search.document", "TuningShape", 2),
    "reproduce": ("reproduce.ledger", "Evaluation", 1),
    "study": ("study.model", "Study", 1),
    "why": ("slow", "Why", 1),
    "diff": ("results.differences", "DifferenceShape", 1),
}
#: What is told beside what the engine writes in a document: the module and the class.
_BESIDE = {
    "trace-info": ("trace.comparison", "Held"),
    "device-bound": ("bounds", "BoundNames"),
}


@cache
def schema(name: str) -> dict[str, Any]:
    """Return a published schema; what it takes from another one is among its own definitions.

    It is shared by all who ask: not to be changed.
    """
    name = _ALIASES.get(name, name)
    if (text := _core.schema(name)) is not None:
        found: dict[str, Any] = json.loads(text)
        if name not in _BESIDE:
            return found
        # What is measured comes from the engine.
        module, kind = _BESIDE[name]
        beside = of(getattr(import_module(f"slcache.{module}"), kind))
        both = {key: found.get(key, {}) | beside.get(key, {}) for key in ("properties", "$defs")}
        return {**found, **both}
    module, kind, version = _MODELS[name]
    said = ("https://json-schema.org/draft/2020-12/schema", f"urn:slcache:schema:{name}:{version}")
    model = getattr(import_module(f"slcache.{module}"), kind)
    whole = of(model)
    if name == "compare":
        run = schema("result")
        inner = {key: value for key, value in run.items() if key not in (*_OF_FILES, "$defs")}
        whole = {**whole, "$defs": whole["$defs"] | run["$defs"] | {"Result": inner}}
    return {**dict(zip(_OF_FILES, said, strict=True)), **whole}


@cache
def of(model: type) -> dict[str, Any]:
    """Return the schema of what a class holds, with its fields' docstrings or options."""
    if isinstance(model, type) and issubclass(model, Options):
        from slcache.options.schema import schema_of_file

        return schema_of_file(model)
    from pydantic import TypeAdapter
    from pydantic.json_schema import GenerateJsonSchema

    class Document(GenerateJsonSchema):
        """Without titles of fields, absent ones without a default; whole numbers are counts."""

        def normalize_name(self, name: str) -> str:
            return super().normalize_name(_called(name))

        def field_title_should_be_set(self, _: Any) -> bool:  # noqa: ANN401
            return False

        def int_schema(self, schema: Any) -> dict[str, Any]:  # noqa: ANN401
            return {"minimum": 0, **super().int_schema(schema)}

        def default_schema(self, schema: Any) -> dict[str, Any]:  # noqa: ANN401
            return self.generate_inner(schema["schema"])

    kind: TypeAdapter[Any] = TypeAdapter(model)
    return kind.json_schema(schema_generator=Document, mode="serialization")


Schema = Mapping[str, Any]

#: Bounds of whole numbers that say nothing but how many bits there are.
_WIDTHS = {2**bits - 1 for bits in (8, 16, 31, 32, 53, 63, 64)}


@dataclass(frozen=True)
class Key:
    """One key as its schema has it; elements of lists are `[]`, names that vary `*`."""

    name: str
    text: str
    type: str
    unit: str = ""
    #: Words it may be, with what they mean; or bounds.
    allowed: tuple[tuple[str, str], ...] = ()
    #: As JSON; empty where there is none.
    default: str = ""
    #: Whether it has keys of its own.
    section: bool = False
    #: What its keys may be called, where they vary within a set.
    names: tuple[str, ...] = ()
    #: How many values it may list, where that is bounded.
    most: int | None = None


def config_keys() -> dict[str, Key]:
    """Return the keys of the configuration, with those of every scheme."""
    return _all(schema("config"))


def result_keys() -> dict[str, Key]:
    """Return the keys of a result document; those of its `config` are the configuration's."""
    return _all(schema("result"))


def _all(root: Schema) -> dict[str, Key]:
    found: dict[str, Key] = {}
    for name, part in _parts(root, root, ""):
        _collect(root, part, name, found)
    return found


def _collect(root: Schema, schema: Schema, name: str, found: dict[str, Key]) -> None:
    parts = list(_parts(root, schema, name))
    if name in found and not parts:
        return
    found.setdefault(name, _key(root, schema, name, section=bool(parts)))
    for inner, part in parts:
        _collect(root, part, inner, found)


def _key(root: Schema, schema: Schema, name: str, *, section: bool) -> Key:
    default = json.dumps(schema["default"]) if "default" in schema and not section else ""
    choices = [_resolved(root, choice) for choice in _choices(root, schema)]
    texts = (each.get("description", "") for each in (schema, *choices))
    return Key(
        name,
        "\n".join(part.replace("\n", " ") for part in next(filter(None, texts), "").split("\n\n")),
        _type(root, schema, section=section),
        units.unit_of(name),
        tuple(dict.fromkeys(word for choice in choices for word in _allowed(choice))),
        "" if default == "null" else default,
        section,
        tuple(name for choice in choices for name in _names(root, choice)),
        next((choice["maxItems"] for choice in choices if "maxItems" in choice), None),
    )


def _names(root: Schema, schema: Schema) -> Iterator[str]:
    """Yield the names that a table's keys may have, where they vary within a set."""
    for choice in _choices(root, schema.get("propertyNames", {})):
        yield from choice.get("enum", ())


def _resolved(root: Schema, schema: Schema) -> Schema:
    """Return a schema without references; what stands beside a reference stays."""
    target = schema.get("$ref")
    if not isinstance(target, str) or not target.startswith("#/"):
        return schema
    place: Any = root
    for step in target[2:].split("/"):
        place = place[step]
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    return {**_resolved(root, place), **beside}


def _choices(root: Schema, schema: Schema) -> Iterator[Schema]:
    """Yield what a value may be: the schema itself, or each of its choices."""
    whole = _resolved(root, schema)
    yield whole
    for word in ("anyOf", "oneOf"):
        for choice in whole.get(word, ()):
            if choice.get("type") != "null" and set(choice) != {"required"}:
                yield from _choices(root, choice)


def _parts(root: Schema, schema: Schema, name: str) -> Iterator[tuple[str, Schema]]:
    """Yield the keys below one with their schemas."""
    for choice in _choices(root, schema):
        dot = f"{name}." if name else ""
        for key, part in choice.get("properties", {}).items():
            yield f"{dot}{key}", part
        for word in ("additionalProperties", "patternProperties"):
            extra = choice.get(word)
            if isinstance(extra, Mapping):
                inner = next(iter(extra.values())) if word == "patternProperties" else extra
                yield f"{dot}*", inner
        items = choice.get("items")
        if isinstance(items, Mapping) and list(_parts(root, items, "")):
            yield from _parts(root, items, f"{name}[]")


def _type(root: Schema, schema: Schema, *, section: bool) -> str:
    kinds: list[str] = []
    for choice in _choices(root, schema):
        said = choice.get("type", [])
        kinds += [said] if isinstance(said, str) else said
        kinds += ["string"] if "const" in choice and isinstance(choice["const"], str) else []
    words = {"integer": "whole number", "string": "text", "object": "table", "array": "list"}
    named = dict.fromkeys(words.get(kind, kind) for kind in kinds if kind != "null")
    may_be_none = "null" in kinds or any(
        choice.get("type") == "null" for choice in _resolved(root, schema).get("anyOf", ())
    )
    told = " or ".join(named) or ("table" if section else "value")
    return f"{told}, or none" if may_be_none else told


def _allowed(choice: Schema) -> Iterator[tuple[str, str]]:
    if "const" in choice:
        yield str(choice["const"]), choice.get("description", "")
    for word in choice.get("enum", ()):
        yield str(word), ""
    least, most = choice.get("minimum"), choice.get("maximum")
    if most is not None and most not in _WIDTHS:
        yield f"{'…' if least is None else _plain(least)} to {_plain(most)}", ""
    elif least:
        yield f"at least {_plain(least)}", ""


def _plain(bound: float) -> str:
    """Return a bound as one would write it."""
    return str(bound) if isinstance(bound, int) else f"{bound:.12g}"
