"""What a class declares: its options and regions, checked, with the values that were chosen."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from slcache.scheme.base import Option, Region, Scheme, Value

#: A key below `scheme.custom`, the value found, what is allowed.
Problem = tuple[str, str, str]

#: Keys of `custom` itself, which no option may be called.
_TAKEN = (
    *("source", "sha256", "options", "regions", "dense_mode", "plane_order", "placement"),
    *("idle", "dense"),
)
#: Which block may be emptied next.
VICTIMS = (None, "greedy", "fifo", "random", "cost-benefit")
#: An option of this name is a key that other schemes have too.
SLC_BLOCKS = "slc_blocks"
_SLC_BLOCKS_DEFAULT = 64


def options(cls: type[Scheme]) -> dict[str, Option]:
    """Return the options of a class by name, those of its bases first."""
    found: dict[str, Option] = {}
    for base in reversed(cls.__mro__):
        for name, each in vars(base).items():
            if isinstance(each, Option):
                found[name] = each
            elif name in found:
                # A value alone is another default.
                found[name] = replace(found[name], default=each)
    return found


def values(
    cls: type[Scheme], slc_blocks: int | None, chosen: Mapping[str, Value]
) -> tuple[dict[str, Value], list[Problem]]:
    """Return the value of every option, and what is wrong with those that were chosen."""
    declared = options(cls)
    problems = [
        (f"options.{name}", json.dumps(value), _unknown(declared))
        for name, value in chosen.items()
        if name not in declared or name == SLC_BLOCKS
    ]
    problems += [
        (
            "source",
            f"{name} = {json.dumps(each.default)}",
            f"an option whose default is {allowed(each)}",
        )
        for name, each in declared.items()
        if not _fits(each, each.default)
    ]
    taken = [name for name in declared if name in _TAKEN]
    problems += [("source", name, "an option by another name: it is a key") for name in taken]
    given: dict[str, Value] = dict(chosen)
    if slc_blocks is not None and SLC_BLOCKS in declared:
        given[SLC_BLOCKS] = slc_blocks
    for name, each in declared.items():
        value = given.setdefault(name, each.default)
        if not _fits(each, value):
            key = name if name == SLC_BLOCKS else f"options.{name}"
            problems.append((key, json.dumps(value), allowed(each)))
        elif isinstance(each.default, float):
            given[name] = float(value)
    return {name: given[name] for name in declared}, problems


def _unknown(declared: Mapping[str, Option]) -> str:
    names = ", ".join(name for name in declared if name != SLC_BLOCKS)
    return f"absent: the scheme's options are {names}" if names else "absent: it has no options"


def allowed(declared: Option) -> str:
    """Return what an option may be, in words."""
    if declared.choices is not None:
        return f"one of {', '.join(map(json.dumps, declared.choices))}"
    words = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
    least, most = declared.minimum, declared.maximum
    limits = [f"at least {least}"] if least is not None else []
    limits += [f"at most {most}"] if most is not None else []
    return ", ".join([words[type(declared.default)], *limits])


def _fits(declared: Option, value: object) -> bool:
    kind = type(declared.default)
    if declared.choices is not None:
        return type(value) is kind and value in declared.choices
    if kind in (bool, str):
        return type(value) is kind
    if type(value) is not int and (kind is int or type(value) is not float):
        return False
    if type(value) is int and not -(2**63) <= value < 2**63:
        return False
    number = float(value)
    least = -math.inf if declared.minimum is None else declared.minimum
    most = math.inf if declared.maximum is None else declared.maximum
    return math.isfinite(number) and least <= number <= most


def regions(
    cls: type[Scheme], given: Mapping[str, Value]
) -> tuple[list[dict[str, Any]], list[Problem]]:
    """Return the regions as a configuration has them, and what is wrong with them."""
    declared = cls.regions
    if not isinstance(declared, Mapping) or not declared:
        return [], [wrong(cls, "whose regions is a dict of slc() and dense()")]
    rows: list[dict[str, Any]] = []
    problems: list[Problem] = []
    for name, region in declared.items():
        if not isinstance(name, str) or not isinstance(region, Region):
            problems.append(wrong(cls, f"whose region {name!r} is slc() or dense()"))
            continue
        blocks: Any = region.blocks
        if blocks == SLC_BLOCKS and region.mode == "slc":
            blocks = None
        elif isinstance(blocks, str):
            blocks = given.get(blocks, blocks)
        if blocks is not None and (type(blocks) is not int or not 0 < blocks < 2**32):
            told = f"whose region {name!r} has blocks that are a number or an option"
            problems.append(wrong(cls, f"{told}: not {blocks!r}"))
        problems += _of_words(cls, name, region)
        rows.append({"name": name, "mode": region.mode, "blocks": blocks, "victim": region.victim})
    return rows, problems


def _of_words(cls: type[Scheme], name: str, region: Region) -> list[Problem]:
    """Return what is wrong with the words that a region is declared with."""
    known = {"mode": (None, "slc", "mlc", "tlc", "qlc"), "victim": VICTIMS}
    return [
        wrong(cls, f"whose region {name!r} has a {word} of {list(values)}")
        for word, values in known.items()
        if getattr(region, word) not in values
    ]


def wrong(cls: type, wanted: str) -> Problem:
    """Return as a problem what kind of class is wanted in place of one."""
    return "source", cls.__qualname__, f"a class {wanted}"


def own_slc_blocks(cls: type[Scheme], given: Mapping[str, Value]) -> int | None:
    """Return the SLC blocks per plane that a class chooses, if it does."""
    if SLC_BLOCKS not in options(cls):
        return None
    value = given.get(SLC_BLOCKS, _SLC_BLOCKS_DEFAULT)
    return value if isinstance(value, int) else None
