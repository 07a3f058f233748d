"""Published schemas are held against documents as a general reader of schemas holds them."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

import slcache
from slcache.documents import schemata

#: Words of a schema that allow and forbid nothing.
SILENT = {"$schema", "$id", "$comment", "$defs", "title", "description", "format", "default"}
KNOWN = SILENT | {
    *schemata.RULES,
    *schemata.OF_TABLES,
    "$ref",
    "anyOf",
    "oneOf",
    "items",
    "prefixItems",
}
NAMES = ("result", "compare", "sweep", "sweep-show", "tune", "reproduce", "cliff", "trace-info")
ODD: list[Any] = [None, True, False, 1, 0, -1, 1.0, 0.5, 1e300, 2**63, "", "x", "tlc", "host"]
ODD += [[], {}, [1, 2], [1, 2, 3], [0.5], {"a": 1}, [[1, 2]], "a" * 64, "a/b:c"]


def parts(schema: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    """Yield every schema within a schema."""
    if not isinstance(schema, dict):
        return
    yield schema
    for rule, wanted in schema.items():
        many = rule in ("properties", "patternProperties", "$defs")
        lists = rule in ("anyOf", "oneOf", "prefixItems")
        for inner in wanted.values() if many else wanted if lists else [wanted]:
            if rule not in ("enum", "const", "default"):
                yield from parts(inner)


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_of_a_schema_is_known(name: str) -> None:
    used = {rule for part in parts(schemata.schema(name)) for rule in part}
    assert used <= KNOWN
    assert "type" in used


@pytest.mark.parametrize("name", ["result", "trace-info"])
def test_faults_are_those_of_a_general_reader(
    name: str, comparison: slcache.Comparison, trace: Path
) -> None:
    schema, rng = schemata.schema(name), random.Random(3)
    whole = comparison.runs[1].to_dict() if name == "result" else slcache.trace.info(trace)
    if name == "result":
        columns = whole["series"]["columns"]
        whole["series"]["columns"] = {key: values[:3] for key, values in columns.items()}
    validator = Draft202012Validator(schema)
    assert not list(schemata.faults(schema, whole, schema))
    refused = 0
    for _ in range(300):
        changed = copy.deepcopy(whole)
        change(changed, rng)
        found = list(schemata.faults(schema, changed, schema))
        errors = list(validator.iter_errors(changed))
        assert bool(found) == bool(errors)
        # Keys that are unknown or missing are told one by one here or there.
        told = [each.steps for each in found if each.rule != "unknown"]
        known = [
            tuple(leaf.absolute_path)
            for error in errors
            for leaf in leaves(error)
            if leaf.validator != "additionalProperties"
        ]
        assert list(dict.fromkeys(told)) == list(dict.fromkeys(known))
        refused += bool(found)
    assert refused > 100


def leaves(error: ValidationError) -> Iterator[ValidationError]:
    """Yield what is wrong inside of a part that may be null and is not."""
    choices = error.validator_value if error.validator == "anyOf" else []
    if error.instance is None or {"type": "null"} not in choices or len(choices) != 2:
        yield error
        return
    for each in error.context or ():
        if each.schema != {"type": "null"}:
            yield from leaves(each)


def change(document: Any, rng: random.Random) -> None:  # noqa: ANN401
    """Change a value somewhere in a document, or the name of a key."""
    holder = document
    while True:
        key = rng.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        if not isinstance(holder[key], dict | list) or not holder[key] or rng.random() < 0.2:
            break
        holder = holder[key]
    if isinstance(holder, dict) and rng.random() < 0.2:
        holder[rng.choice(["x", "tlc", "host"])] = holder.pop(key)
    else:
        holder[key] = rng.choice(ODD)
