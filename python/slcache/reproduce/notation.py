"""How plans and claims are written: tables of TOML, expressions, and the figures of papers."""

from __future__ import annotations

import ast
import math
import operator
import re
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from slcache import ConfigError
from slcache.options import content

Table = dict[str, Any]

_TABLES = ("part", "workload", "variant", "grid", "pick", "lifespan", "figure", "table")
_BRACES = re.compile(r"\{([^{}]*)\}")


def written_out(table: Table, where: str) -> Table:
    """Return a plan's tables as its model has them; raises ConfigError."""
    table = _opened(table, where)
    (common,) = _list({"defaults": [table.pop("defaults", {})]}, "defaults", where)
    table["part"] = [_merged(common, part) for part in _list(table, "part", where)]
    table["workload"] = _workloads(table, where)
    options = _tables(table, "option", where)
    readings = {
        name: {**said, "options": _chosen(options, said, f"{where}: reading: {name}")}
        for name, said in _tables(table, "reading", where).items()
    }
    unused = options.keys() - {name for said in readings.values() for name in said["options"]}
    if unused:
        raise ConfigError(f"{where}: option {min(unused)} is in no reading")
    # In files a list of tables is called after one of them.
    found = {f"{key}s" if isinstance(said, list) and key in _TABLES else key: said
             for key, said in table.items()}  # fmt: skip
    return {**found, "reading": readings}


def each(key: str) -> list[str]:
    """Return the keys that one stands for: `scheme.{sa,sector}.trigger` is two."""
    found = _BRACES.search(key)
    if found is None:
        return [key]
    head, tails = key[: found.start()], each(key[found.end() :])
    return [head + name + tail for name in found[1].split(",") for tail in tails]


def _opened(value: Any, where: str) -> Any:  # noqa: ANN401
    """Return a value with the keys of its tables, and its lists of settings, written out."""
    if isinstance(value, list):
        return [_opened(one, where) for one in value]
    if not isinstance(value, dict):
        return value
    found: Table = {}
    for many, said in value.items():
        for key in each(many):
            if key in found:
                raise ConfigError(f"{where}: {key} is given twice")
            found[key] = _opened(said, f"{where}: {key}")
    if isinstance(said := found.get("settings"), list):
        found["settings"] = [key for many in said for key in each(str(many))]
    return found


def _merged(*tables: Mapping[str, Any]) -> Table:
    """Return tables over each other, those in them too; an empty one takes away what is below."""
    found: Table = {}
    for key, said in (item for table in tables for item in table.items()):
        both = isinstance(said, dict) and isinstance(found.get(key), dict)
        found[key] = _merged(found[key], said) if both and said else said
    return found


def _workloads(table: Table, where: str) -> list[Table]:
    """Return every volume in every group of parts; what is said of one in a group stands above."""
    volumes = _tables(table, "volume", where)
    groups = _list(table, "workload", where) or [{}]
    found = []
    for i, group in enumerate(groups):
        at = f"{where}: workload {i + 1}"
        own = _tables(group, "each", at)
        names = group.pop("volumes", list(volumes))
        _refuse(names, {**volumes, **own}, f"{at}: volumes")
        _refuse(own, names, f"{at}: each")
        for name in names:
            whole = _merged(volumes.get(name, {}), group, own.get(name, {}), {"name": name})
            whole.setdefault("requests", whole.get("figures", {}).get("requests", 0))
            texts = {key: said for key, said in whole.items() if isinstance(said, str)}
            found.append(whole | {k: said.replace("{name}", name) for k, said in texts.items()})
    return found


def _chosen(options: Table, reading: Table, where: str) -> Table:
    names = reading.get("options", [])
    _refuse(names, options, f"{where}: options")
    return {name: options[name] for name in names}


def _tables(table: Table, key: str, where: str) -> dict[str, Table]:
    """Take out a table of tables; raises ConfigError for anything else."""
    found = table.pop(key, {})
    if isinstance(found, dict) and all(isinstance(one, dict) for one in found.values()):
        return found
    raise ConfigError(f"{where}: {key} = {found!r}: a table of tables is expected")


def _list(table: Table, key: str, where: str) -> list[Table]:
    """Take out a list of tables; raises ConfigError for anything else."""
    found = table.pop(key, [])
    if isinstance(found, list) and all(isinstance(one, dict) for one in found):
        return found
    raise ConfigError(f"{where}: {key} = {found!r}: a list of tables is expected")


def _refuse(names: Iterable[str], known: Iterable[str], where: str) -> None:
    """Raise ConfigError for a name that nothing bears."""
    for name in names:
        if name not in known:
            raise ConfigError(f"{where}: no {name}; allowed: {', '.join(known)}")


def mean(*values: float) -> float:
    """Return the mean of the values."""
    return statistics.fmean(values)


_BINARY: dict[type[ast.operator], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
#: Operations that are written as calls.
_NAMED: dict[str, Callable[..., float]] = {"abs": abs, "mean": mean}


@dataclass(frozen=True)
class Operation:
    """Arithmetic over terms."""

    operator: Callable[..., float]
    parts: tuple[Term, ...]


@dataclass(frozen=True)
class Reference:
    """The number of a claim before."""

    claim: str


class Keywords(BaseModel):
    """What a function is told beside its column and schemes."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    #: Traces and settings of a grid; all when empty.
    on: list[str] = Field(default=[], min_length=1)
    at: list[FiniteFloat] = Field(default=[], min_length=1)
    #: The schemes, or grids, that are held against each other.
    among: list[str] = Field(default=[], min_length=1)
    #: How many traces there must be.
    of: FiniteFloat = 0
    more_than: FiniteFloat = 0
    times: FiniteFloat = 1
    which: Literal["most"] | None = None


@dataclass(frozen=True)
class Call:
    """A function of the points: its column, schemes, and what is said beside them."""

    function: str
    column: Term
    schemes: tuple[str, ...] = ()
    more: Keywords = field(default_factory=lambda: Keywords())

    @property
    def named(self) -> list[str]:
        """All schemes and grids that it names."""
        return [*self.schemes, *self.more.among]


@dataclass(frozen=True)
class MethodCall:
    """A method that reads a figure of a run, and what it is told."""

    method: str
    told: tuple[Any, ...]
    more: dict[str, Any]


#: A text is a figure of a run by its name, or with dots by its place in the result.
Term = float | str | Operation | Reference | Call | MethodCall


def parse(text: str) -> Term:
    """Return what a claim says; raises ValueError for everything beyond the grammar."""
    return _parsed(text, _call)


def parse_measure(text: str) -> Term:
    """Return what is said of a figure of a run; raises ValueError likewise."""
    return _parsed(text, _reading)


def _parsed(text: str, leaf: Callable[[ast.expr], Term]) -> Term:
    try:
        return _term(ast.parse(text, mode="eval").body, leaf)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(getattr(error, "msg", None) or "it is no expression") from error


def leaves(term: Term) -> Iterator[Term]:
    """Return what arithmetic is over, of columns too."""
    if isinstance(term, Operation):
        for part in term.parts:
            yield from leaves(part)
    else:
        yield term
        if isinstance(term, Call):
            yield from leaves(term.column)


def evaluate(
    term: Term,
    of: Callable[[Any], Any],
    combine: Callable[[Callable[..., Any], list[Any]], Any] = lambda apply, parts: apply(*parts),
) -> Any:  # noqa: ANN401 - a number, or what numbers are combined to
    """Return a term's value, of the values of its leaves."""
    if isinstance(term, Operation):
        return combine(term.operator, [evaluate(part, of, combine) for part in term.parts])
    return term if isinstance(term, float) else of(term)


def _term(node: ast.expr, leaf: Callable[[ast.expr], Term]) -> Term:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            if not abs(number) <= sys.float_info.max:
                raise ValueError("a number is beyond 1.8e308")
            return float(number)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return Operation(operator.neg, (_term(operand, leaf),))
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _BINARY:
            return Operation(_BINARY[type(sign)], (_term(left, leaf), _term(right, leaf)))
        case ast.Call(func=ast.Name(id="abs"), args=[_, _, *_]):
            raise ValueError("abs is of one number")
        case ast.Call(func=ast.Name(id=name), args=[_, *_], keywords=[]) if name in _NAMED:
            return Operation(_NAMED[name], tuple(_term(each, leaf) for each in node.args))
    return leaf(node)


def _call(node: ast.expr) -> Term:
    match node:
        case ast.Call(func=ast.Name(id="claim"), args=[ast.Constant(value=str(name))], keywords=[]):
            return Reference(name)
        case ast.Call(func=ast.Name(id=name), args=[column, *schemes]):
            said = [each.arg or "**" for each in node.keywords]
            if (twice := content.duplicate(said)) is not None:
                raise ValueError(f"{name}: {twice}")
            texts = tuple(map(_plain, schemes))
            if not all(isinstance(each, str) for each in texts):
                raise ValueError(f"{name}: schemes are texts in quotes, behind the column")
            return Call(name, _term(column, _figure), texts, _keywords(name, node.keywords))
    raise ValueError(f"{ast.unparse(node)} is neither a number nor a function of a column")


def _keywords(name: str, said: list[ast.keyword]) -> Keywords:
    given = {each.arg or "**": _plain(each.value) for each in said}
    try:
        return Keywords(**given)
    except ValidationError as error:
        (key, *_), first = error.errors()[0]["loc"], error.errors()[0]
        if first["type"] == "extra_forbidden":
            raise ValueError(f"{name}: no keyword {key}") from None
        number = "a number is beyond 1.8e308" if first["type"] == "finite_number" else first["msg"]
        raise ValueError(f"{name}: {key} = {given[str(key)]!r}: {number}") from None


def _figure(node: ast.expr) -> Term:
    if isinstance(node, ast.Name):
        return node.id
    raise ValueError(f"{ast.unparse(node)} is no figure and no arithmetic over figures")


def _reading(node: ast.expr) -> Term:
    match node:
        case ast.Attribute():
            return ast.unparse(node)
        case ast.Call(func=ast.Name(id=name), args=told, keywords=more):
            named = {each.arg or "**": _plain(each.value) for each in more}
            return MethodCall(name, tuple(map(_plain, told)), named)
    return _figure(node)


def _plain(node: ast.expr) -> Any:  # noqa: ANN401 - whatever a literal may be
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise ValueError(f"{ast.unparse(node)} is no text, number or list of these") from None


_NUMBER = r"-?\d+(?:\.\d+)?"


#: A figure of a paper, such as `at most 15 % of the time` or `-47 ± 3 %`.
_FIGURE = re.compile(
    rf"(?P<limit>at most )?(?P<low>{_NUMBER})(?: to (?P<high>{_NUMBER}))?"
    rf"(?: ± (?P<tolerance>{_NUMBER}))?(?: (?P<unit>\S.*?))??(?: or (?P<better>above|below))?"
)


@dataclass(frozen=True)
class Expected:
    """What the paper has: one of six forms, which say how a claim is judged."""

    #: "number", "limit", "range", "direction", "order" or "words".
    form: str
    paper: Any
    tolerance: float = 0.0
    unit: str = ""
    #: Where ours is further than the paper's on this side of it, "above" or "below", ours is
    #: better, and no less the claim.
    better: str = ""


def expected(said: object) -> Expected:
    """Return what a claim's `paper` says; raises ValueError."""
    if isinstance(said, list) and said and all(isinstance(each, str) for each in said):
        return Expected("order", said)
    if isinstance(said, int | float) and not isinstance(said, bool):
        if not math.isfinite(said):
            raise ValueError("it is not finite")
        return Expected("number", said)
    if not isinstance(said, str) or not said:
        raise ValueError("it is a number, a text or a list of schemes")
    if said in ("above", "below"):
        return Expected("direction", said)
    found = _FIGURE.fullmatch(said)
    if found is None:
        return Expected("words", said)
    low, high = _number(found["low"]), found["high"]
    if high and _number(high) < low:
        raise ValueError("the range ends below its beginning")
    if (found["tolerance"] or "").startswith("-"):
        raise ValueError("the tolerance must be 0 or more")
    form = "limit" if found["limit"] else "range" if high else "number"
    paper = [low, _number(high)] if high else low
    tolerance, unit, better = (found[key] or "" for key in ("tolerance", "unit", "better"))
    return Expected(form, paper, _number(tolerance or "0"), unit, better)


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)
