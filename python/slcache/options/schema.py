"""The schema of a file whose keys are the fields of a class of options."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, fields
from typing import Any

from slcache.options import OTHER_WORDS, RANGES, Option, Options, in_names, options_of

_TABLE = {"type": "object"}
_TEXT = {"type": "string"}
_PATH = {"type": "string", "minLength": 1}
#: What a file may hold, by what an annotation calls it.
_KINDS: dict[str, list[dict[str, Any]]] = {
    "bool": [{"type": "boolean"}],
    "int": [{"type": "integer"}],
    "float": [{"type": "number"}],
    "str": [_TEXT],
    "Path": [_PATH],
    "Content": [_PATH, _TABLE],
    "Settings": [_PATH, _TABLE],
    "Mapping": [_TABLE],
    "OptionValues": [_TABLE],
}


def schema_of_file(model: type[Options]) -> dict[str, Any]:
    """Return the JSON schema of a file that says a class: its keys, types, ranges and defaults.

    A key that has another word may be called by that, but not by both.
    """
    every = {each.name: each for each in fields(model)}
    options = options_of(model)
    key_of = {name: told.key or name for name, told in options.items()}
    called = {told.name: key_of[name] for name, told in options.items() if told.name}
    keys: dict[str, Any] = {}
    rules: list[dict[str, Any]] = []
    for name, told in options.items():
        key, default = key_of[name], every[name].default
        help_ = in_names(told.help.removesuffix(" Repeat it."), called)
        keys[key] = {"description": help_, **_of_key(name, told, str(every[name].type), default)}
        words = [key]
        if (other := OTHER_WORDS.get(key)) is not None and other not in key_of.values():
            keys[other] = keys[key]
            words.append(other)
        if default is MISSING:
            rules.append({"oneOf": [{"required": [word]} for word in words]})
        elif len(words) > 1:
            rules.append({"not": {"required": words}})
    return {
        "title": model.__name__,
        "description": (inspect.getdoc(model) or "").partition("\n")[0],
        "type": "object",
        "properties": keys,
        "additionalProperties": False,
        "allOf": rules,
    }


def _of_key(name: str, told: Option, annotation: str, default: object) -> dict[str, Any]:
    choices = [one for kind in annotation.split("|") for one in _of_kind(kind.strip())]
    least, most = told.range or RANGES[name] if told.range or name in RANGES else (None, None)
    bounds = {"minimum": least, "maximum": most}
    for one in choices:
        if one["type"] in ("integer", "number"):
            one |= {word: bound for word, bound in bounds.items() if bound is not None}
    found: dict[str, Any] = choices[0] if len(choices) == 1 else {"anyOf": choices}
    if told.words:
        found["enum"] = list(told.words)
    if default not in (MISSING, None, ()):
        found["default"] = default
    return found


def _of_kind(kind: str) -> list[dict[str, Any]]:
    """Return what a file may hold of one kind of an annotation; nothing where that is no value."""
    outer, _, inner = kind.removesuffix("]").partition("[")
    outer = outer.rpartition(".")[2]
    if outer in ("Sequence", "Iterable"):
        each = _of_kind(inner)
        return [{"type": "array", "items": each[0] if len(each) == 1 else {"anyOf": each}}]
    return [dict(one) for one in _KINDS.get(outer, ())]
