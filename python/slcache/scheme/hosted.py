"""What the engine asks of schemes in Python: what they declare, to be made, saved, copied."""

from __future__ import annotations

import json
import math
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from slcache.scheme import declared
from slcache.scheme.base import Scheme, Value
from slcache.scheme.source import ChangedError, NotFoundError, found

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
    given, problems = declared.values(cls, slc_blocks, json.loads(chosen))
    rows, wrong = declared.regions(cls, given)
    wrong += _flags(cls)
    if not problems and not wrong:
        wrong = _unmade(cls, given)
    if problems or wrong:
        return json.dumps({"problems": problems + wrong})
    return json.dumps(
        {
            "sha256": sha256,
            "slc_blocks": declared.own_slc_blocks(cls, given),
            "options": {k: v for k, v in given.items() if k != declared.SLC_BLOCKS},
            "regions": rows,
            "idle": _has(cls, "idle"),
            "drain": cls.drain,
            "window_writes": cls.window_writes,
            "history": cls.history,
        }
    )


def _unmade(cls: type[Scheme], given: Mapping[str, Value]) -> list[declared.Problem]:
    """Return why there can be no instance of a class."""
    for name in (*_HOOKS, "destination", "figures", "save", "load"):
        if not callable(getattr(cls, name)):
            return [declared.wrong(cls, f"whose {name} is a method")]
    # What takes long to begin with begins once to be tried.
    tried = cls, json.dumps(given)
    if tried in _made_once:
        return []
    try:
        _made(cls, given)
    except Exception as error:
        why = told(error, error.__traceback__)
        return [declared.wrong(cls, f"of which there can be an instance: {why}")]
    _made_once.add(tried)
    return []


_made_once: set[tuple[type[Scheme], str]] = set()


def _flags(cls: type[Scheme]) -> list[declared.Problem]:
    """Return what is wrong with what a class says of itself."""
    found = [
        declared.wrong(cls, f"whose {name} is True or False")
        for name in ("drain", "history")
        if not isinstance(getattr(cls, name), bool)
    ]
    writes = cls.window_writes
    if type(writes) is not int or not 0 <= writes < 2**63:
        found.append(declared.wrong(cls, "whose window_writes is a whole number, at least 0"))
    if _has(cls, "window") != (writes != 0):
        found.append(declared.wrong(cls, "with both window and window_writes, or neither"))
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
    given, _ = declared.values(cls, slc_blocks, json.loads(chosen))
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
