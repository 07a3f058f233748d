"""Expressions of claims over the frame of points: a small part of Python's grammar, never run.

`change(write_mean_us, "ips", "turbo-write", on=["hm_0"])`: a column of the frame, which is a figure
of a run or arithmetic over figures; then the scheme and those it is held against; then what narrows
the points. What comes to a number may be combined by arithmetic, `mean` and `abs`; `claim("id")` is
the number of a claim before.
"""

from __future__ import annotations

import ast
import operator
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from slcache.given import once

V = TypeVar("V")


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
class Figure:
    """A figure of a run, by its name."""

    name: str


@dataclass(frozen=True)
class Reference:
    """The number of a claim before."""

    claim: str


@dataclass(frozen=True)
class Call:
    """A function of the points: its column, schemes, and what is said beside them."""

    function: str
    column: Term
    schemes: tuple[str, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def on(self) -> list[str]:
        """The traces that it is of; all when empty."""
        return list(self.more.get("on", ()))


Term = float | Operation | Figure | Reference | Call


def parse(text: str) -> Term:
    """Return what a text says; raises ValueError for everything beyond the grammar."""
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(getattr(error, "msg", None) or "it is no expression") from error
    return _term(tree.body, _call)


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
    of: Callable[[Any], V | None],
    combine: Callable[[Callable[..., Any], list[Any]], Any] = lambda apply, parts: apply(*parts),
) -> V | Any | None:  # noqa: ANN401 - a number, or what numbers are combined to
    """Return a term's value; None where a leaf has none, or a divisor is 0."""
    if not isinstance(term, Operation):
        return term if isinstance(term, float) else of(term)
    parts = [evaluate(part, of, combine) for part in term.parts]
    if any(part is None for part in parts):
        return None
    try:
        return combine(term.operator, parts)
    except ZeroDivisionError:
        return None


def _term(node: ast.expr, leaf: Callable[[ast.expr], Term]) -> Term:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return float(_finite(number))
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
            if (twice := once.twice(said)) is not None:
                raise ValueError(f"{name}: {twice}")
            more = {each.arg or "**": _plain(each.value) for each in node.keywords}
            texts = tuple(_plain(each) for each in schemes)
            if not all(isinstance(each, str) for each in texts):
                raise ValueError(f"{name}: schemes are texts in quotes, behind the column")
            return Call(name, _term(column, _figure), texts, more)
    raise ValueError(f"{ast.unparse(node)} is neither a number nor a function of a column")


def _figure(node: ast.expr) -> Term:
    if isinstance(node, ast.Name):
        return Figure(node.id)
    raise ValueError(f"{ast.unparse(node)} is no figure and no arithmetic over figures")


def _plain(node: ast.expr) -> Any:  # noqa: ANN401 - a text, a number or a list of these
    match node:
        case ast.Constant(value=str() | int() | float() as value) if not isinstance(value, bool):
            return value if isinstance(value, str) else _finite(value)
        case ast.List(elts=[_, *_]):
            return [_plain(each) for each in node.elts]
    raise ValueError(f"{ast.unparse(node)} is no text, number or list of these")


def _finite(number: float) -> float:
    """Return a number; ValueError for one that arithmetic cannot take, such as 1e400."""
    if not abs(number) <= sys.float_info.max:
        raise ValueError("a number is beyond 1.8e308")
    return number
