"""The published schemas of documents, and documents held against them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from slcache import _core

#: A schema that is False allows nothing, one that is True anything.
Schema = Mapping[str, Any] | bool
Steps = tuple[str | int, ...]


@dataclass(frozen=True)
class Fault:
    """A value that a schema does not allow: where it is, and the rule that it breaks."""

    steps: Steps
    value: Any
    rule: str
    wanted: Any


def faults(schema: Schema, value: object, root: Schema, steps: Steps = ()) -> Iterator[Fault]:
    """Yield what a schema, whose references are to `root`, does not allow, in its order."""
    if isinstance(schema, bool):
        if not schema:
            yield Fault(steps, value, "unknown", None)
        return
    for rule, wanted in schema.items():
        if rule in RULES:
            if not RULES[rule](value, wanted):
                yield Fault(steps, value, rule, wanted)
        elif rule == "anyOf" and value is not None and (only := _but_null(wanted)) is not None:
            yield from faults(only, value, root, steps)
        elif rule in ("anyOf", "oneOf"):
            fitting = sum(next(faults(each, value, root), None) is None for each in wanted)
            if fitting == 0 or (fitting > 1 and rule == "oneOf"):
                yield Fault(steps, value, rule, wanted)
        else:
            for inner, part, step in _parts(rule, schema, value, root):
                yield from faults(inner, part, root, steps + step)


def _but_null(choices: list[Schema]) -> Schema | None:
    """Return what a value may be that need not be there; None where there is a choice."""
    others = [each for each in choices if each != {"type": "null"}]
    return others[0] if len(others) == 1 < len(choices) else None


def _parts(
    rule: str,
    schema: Mapping[str, Any],
    value: Any,  # noqa: ANN401
    root: Any,  # noqa: ANN401
) -> Iterator[tuple[Schema, Any, Steps]]:
    """Yield the schemas that a rule has for parts of a value, with these and where they are."""
    wanted = schema[rule]
    if rule == "$ref":
        for step in wanted.removeprefix("#/").split("/"):
            root = root[step]
        yield root, value, ()
    elif isinstance(value, Mapping) and rule in OF_TABLES:
        for key, inner in _of_table(rule, schema, value):
            yield (inner, key, ()) if rule == "propertyNames" else (inner, value[key], (key,))
    elif isinstance(value, list) and rule == "prefixItems":
        yield from ((inner, value[i], (i,)) for i, inner in enumerate(wanted[: len(value)]))
    elif isinstance(value, list) and rule == "items":
        first = len(schema.get("prefixItems", ()))
        yield from ((wanted, each, (i,)) for i, each in enumerate(value[first:], first))


#: Rules about the keys of a table.
OF_TABLES = ("properties", "patternProperties", "additionalProperties", "propertyNames")


def _of_table(
    rule: str, schema: Mapping[str, Any], value: Mapping[str, Any]
) -> Iterator[tuple[str, Schema]]:
    """Yield the keys of a table that a rule is about, each with its schema."""
    wanted, patterns = schema[rule], schema.get("patternProperties", {})
    if rule == "properties":
        yield from ((key, inner) for key, inner in wanted.items() if key in value)
        return
    for key in value:
        fitting = [inner for pattern, inner in patterns.items() if re.search(pattern, key)]
        if rule == "propertyNames":
            yield key, wanted
        elif rule == "patternProperties":
            yield from ((key, inner) for inner in fitting)
        elif key not in schema.get("properties", ()) and not fitting:
            yield key, wanted


def _is(value: object, kinds: str | list[str]) -> bool:
    known = [kinds] if isinstance(kinds, str) else kinds
    return any(_KINDS[kind](value) for kind in known)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same(value: object, other: object) -> bool:
    """Return whether values are one in JSON, where true is not 1."""
    return value == other and isinstance(value, bool) == isinstance(other, bool)


_KINDS: Mapping[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, Mapping),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": _is_number,
    "integer": lambda value: _is_number(value) and value == value // 1,
}
#: Rules about a value alone; what they say nothing of fits.
RULES: Mapping[str, Callable[[Any, Any], bool]] = {
    "type": _is,
    "const": _same,
    "enum": lambda value, wanted: any(_same(value, each) for each in wanted),
    "minimum": lambda value, least: not _is_number(value) or value >= least,
    "maximum": lambda value, most: not _is_number(value) or value <= most,
    "minItems": lambda value, least: not isinstance(value, list) or len(value) >= least,
    "maxItems": lambda value, most: not isinstance(value, list) or len(value) <= most,
    "minLength": lambda value, least: not isinstance(value, str) or len(value) >= least,
    "minProperties": lambda value, least: not isinstance(value, Mapping) or len(value) >= least,
    "pattern": lambda value, form: not isinstance(value, str) or bool(re.search(form, value)),
    "required": lambda value, keys: not isinstance(value, Mapping) or value.keys() >= {*keys},
}


#: What `slcache explain --schema` also calls a document.
_ALIASES = {"run": "result"}
_RESULT = "result.schema.json"
#: Keys that tell of a file; within another schema there is no place for them.
_OF_FILES = ("$schema", "$id")


@cache
def schema(name: str) -> dict[str, Any]:
    """Return a published schema; what it takes from another one is among its own definitions.

    It is shared by all who ask: not to be changed.
    """
    whole = read(f"{_ALIASES.get(name, name)}.schema.json")
    if name == "trace-info":
        # What is measured comes from the engine; the file has what comparisons put beside it.
        measured = json.loads(_core.trace_info_schema())
        both = {key: measured[key] | whole[key] for key in ("properties", "$defs")}
        return {**measured, **both}
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
