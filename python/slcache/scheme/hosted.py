"""Classes of one's own: what they declare, and how the engine runs them."""

from __future__ import annotations

import json
import math
import traceback
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from slcache.scheme import Region, Scheme, SchemeOption, Value
from slcache.scheme.source import ChangedError, NotFoundError, found

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


def options(cls: type[Scheme]) -> dict[str, SchemeOption]:
    """Return the options of a class by name, those of its bases first."""
    found: dict[str, SchemeOption] = {}
    for base in reversed(cls.__mro__):
        for name, each in vars(base).items():
            if isinstance(each, SchemeOption):
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


def _unknown(declared: Mapping[str, SchemeOption]) -> str:
    names = ", ".join(name for name in declared if name != SLC_BLOCKS)
    return f"absent: the scheme's options are {names}" if names else "absent: it has no options"


def allowed(declared: SchemeOption) -> str:
    """Return what an option may be, in words."""
    if declared.choices is not None:
        return f"one of {', '.join(map(json.dumps, declared.choices))}"
    words = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
    least, most = declared.minimum, declared.maximum
    limits = [f"at least {least}"] if least is not None else []
    limits += [f"at most {most}"] if most is not None else []
    return ", ".join([words[type(declared.default)], *limits])


def _fits(declared: SchemeOption, value: object) -> bool:
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


#: The decisions that a class may take.
_HOOKS = ("place", "reclaim", "idle", "window")


def describe(source: str, sha256: str | None, slc_blocks: int | None, chosen: str) -> str:
    """Return what a scheme needs as JSON, or `problems` with it and its options."""
    try:
        cls, sha256 = found(source, sha256)
    except NotFoundError as error:
        return json.dumps({"problems": [("source", source, str(error))]})
    except ChangedError as error:
        told = f"{error}, which {source} has now: it is another class than the one named"
        return json.dumps({"problems": [("sha256", sha256, told)]})
    given, problems = values(cls, slc_blocks, json.loads(chosen))
    rows, wrong = regions(cls, given)
    wrong += _flags(cls)
    if not problems and not wrong:
        wrong = _unmade(cls, given)
    if problems or wrong:
        return json.dumps({"problems": problems + wrong})
    return json.dumps(
        {
            "sha256": sha256,
            "slc_blocks": own_slc_blocks(cls, given),
            "options": {k: v for k, v in given.items() if k != SLC_BLOCKS},
            "regions": rows,
            "idle": _has(cls, "idle"),
            "drain": cls.drain,
            "window_writes": cls.window_writes,
            "history": cls.history,
        }
    )


def _unmade(cls: type[Scheme], given: Mapping[str, Value]) -> list[Problem]:
    """Return why there can be no instance of a class."""
    for name in (*_HOOKS, "destination", "figures", "save", "load"):
        if not callable(getattr(cls, name)):
            return [wrong(cls, f"whose {name} is a method")]
    # What takes long to begin with begins once to be tried.
    tried = cls, json.dumps(given)
    if tried in _made_once:
        return []
    try:
        _made(cls, given)
    except Exception as error:
        why = told(error, error.__traceback__)
        return [wrong(cls, f"of which there can be an instance: {why}")]
    _made_once.add(tried)
    return []


_made_once: set[tuple[type[Scheme], str]] = set()


def _flags(cls: type[Scheme]) -> list[Problem]:
    """Return what is wrong with what a class says of itself."""
    found = [
        wrong(cls, f"whose {name} is True or False")
        for name in ("drain", "history")
        if not isinstance(getattr(cls, name), bool)
    ]
    writes = cls.window_writes
    if type(writes) is not int or not 0 <= writes < 2**63:
        found.append(wrong(cls, "whose window_writes is a whole number, at least 0"))
    if _has(cls, "window") != (writes != 0):
        found.append(wrong(cls, "with both window and window_writes, or neither"))
    return found


def _has(cls: type[Scheme], method: str) -> bool:
    return getattr(cls, method) is not getattr(Scheme, method)


def decided(cls: type[Scheme]) -> list[str]:
    """Return the decisions that a class takes itself."""
    return [name for name in (*_HOOKS, "destination") if _has(cls, name)]


def policy(
    source: str, sha256: str | None, slc_blocks: int | None, chosen: str
) -> tuple[Scheme, tuple[bool, ...]]:
    """Return a new instance of a scheme, and which decisions its class takes."""
    cls, _ = found(source, sha256)
    given, _ = values(cls, slc_blocks, json.loads(chosen))
    return _made(cls, given), tuple(_has(cls, name) for name in _HOOKS)


def _made(cls: type[Scheme], given: Mapping[str, Value]) -> Scheme:
    made = cls.__new__(cls)
    vars(made).update(given)
    made._options = given
    made.__init__()  # type: ignore[misc] # options are there before it begins
    return made


def figures(scheme: Scheme) -> dict[str, float]:
    """Return a scheme's figures, each a finite number."""
    told = scheme.figures()
    if not isinstance(told, Mapping):
        raise TypeError(f"returned {told!r}; allowed: a dict of name and number")
    for name, value in told.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not isinstance(name, str) or not is_number or not math.isfinite(value):
            raise ValueError(f"{name!r}: {value!r}; allowed: a name and a finite number")
    return {name: float(value) for name, value in told.items()}


def save(scheme: Scheme) -> str:
    """Return a state as JSON; what is no plain value, or changes on the way, is refused."""
    state = scheme.save()
    try:
        text = json.dumps(state, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{error}; save returns numbers, texts, lists and dicts of texts"
        ) from error
    if json.loads(text) != state:
        raise TypeError(
            "the state changes on the way through JSON, where a tuple is a list and a key a text; "
            "let save and load say it otherwise"
        )
    return text


def load(scheme: Scheme, state: str) -> None:
    """Let a scheme go on where its state was saved."""
    scheme.load(json.loads(state))


def copied(scheme: Scheme) -> Scheme:
    """Return a scheme that goes on as this one does."""
    other = _made(type(scheme), scheme._options)
    load(other, save(scheme))
    return other


def told(error: BaseException, trace: TracebackType | None) -> str:
    """Return an exception in a line: what it is, and where in the scheme's file."""
    words = str(error) or type(error).__name__
    frames = [
        frame
        for frame in traceback.extract_tb(trace)
        if Path(frame.filename).parent != Path(__file__).parent
    ]
    if frames:
        last = frames[-1]
        place = f"{Path(last.filename).name}, line {last.lineno}, in {last.name}"
        words = f"{type(error).__name__}: {words} ({place})"
    return " ".join(words.split())
