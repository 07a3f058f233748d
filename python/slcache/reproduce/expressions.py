"""Expressions: claims' over functions of points, their columns over figures, figures over a run."""

from __future__ import annotations

import ast
import operator
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from slcache.options import content


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
class Reading:
    """A method that reads a figure of a run, and what it is told."""

    method: str
    told: tuple[Any, ...]
    more: dict[str, Any]


#: A text is a figure of a run by its name, or with dots by its place in the result.
Term = float | str | Operation | Reference | Call | Reading


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
            return Reading(name, tuple(map(_plain, told)), named)
    return _figure(node)


def _plain(node: ast.expr) -> Any:  # noqa: ANN401 - whatever a literal may be
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise ValueError(f"{ast.unparse(node)} is no text, number or list of these") from None
