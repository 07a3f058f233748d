"""The points of an evaluation, and the expressions of claims over them."""

from __future__ import annotations

import ast
import operator
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from slcache.given import once
from slcache.reproduce.measures import value
from slcache.reproduce.parts import Grid

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


Key = tuple[str, str, int]
#: Figures by setting; a scheme that is no grid has one, at 0.
Curve = dict[float, float]
#: A figure of a run by its name, or arithmetic over figures.
Column = str | Term


class Table:
    """Results by (workload, scheme, seed)."""

    def __init__(
        self,
        documents: Mapping[Key, Mapping[str, Any]],
        reference: str,
        workloads: Sequence[str],
        grids: Sequence[Grid] = (),
        wanted: Sequence[str] | None = None,
    ) -> None:
        """Hold results; `wanted` are the traces that claims are of, None in a study of some."""
        self.documents = documents
        self.reference = reference
        self._grids = grids
        self._wanted = wanted
        held = {workload for workload, _, _ in documents}
        self.workloads = [name for name in workloads if name in held]
        self.schemes = list(dict.fromkeys(scheme for _, scheme, _ in documents))
        self.seeds = sorted({seed for _, _, seed in documents})

    def run_of(self, names: Sequence[str]) -> list[str]:
        """Return the workloads named that were run; all that were where none is named."""
        return [name for name in names or self.workloads if name in self.workloads]

    def get(self, measure: str, workload: str, scheme: str, seed: int) -> float | None:
        """Return one figure; None where it was not measured."""
        document = self.documents.get((workload, scheme, seed))
        return None if document is None else value(measure, document)

    def figure(self, column: Column, workload: str, scheme: str, seed: int) -> float | None:
        """Return what a column comes to in one run."""
        if isinstance(column, str):
            return self.get(column, workload, scheme, seed)

        def of(leaf: Figure) -> float | None:
            return self.get(leaf.name, workload, scheme, seed)

        found: float | None = evaluate(column, of)
        return found

    def missing(self, named: Sequence[str], *, others: bool = False) -> list[str]:
        """Return the workloads that were not run, of those named or of all (`others`)."""
        if self._wanted is None:
            return []
        wanted = [*named, *self._wanted] if others or not named else named
        return [name for name in dict.fromkeys(wanted) if name not in self.workloads]

    def is_grid(self, name: str) -> bool:
        """Return whether it is a grid, and no one scheme."""
        return any(each.name == name for each in self._grids)

    def by_setting(
        self, measure: Column, name: str, workload: str, seed: int | None = None
    ) -> Curve:
        """Return a grid's curve, or one scheme's figure as the curve's only point, at 0."""
        if self.is_grid(name):
            return self.curve(measure, name, workload, seed)
        one = self.mean(measure, name, workload, seed)
        return {} if one is None else {0.0: one}

    def values(self, measure: Column, scheme: str, workload: str) -> list[float]:
        """Return a figure for every seed that has it."""
        every = [self.figure(measure, workload, scheme, seed) for seed in self.seeds]
        return [figure for figure in every if figure is not None]

    def mean(
        self, measure: Column, scheme: str, workload: str, seed: int | None = None
    ) -> float | None:
        """Return a figure's mean over the seeds, or that of one seed."""
        if seed is not None:
            return self.figure(measure, workload, scheme, seed)
        figures = self.values(measure, scheme, workload)
        return statistics.fmean(figures) if figures else None

    def curve(self, measure: Column, grid: str, workload: str, seed: int | None = None) -> Curve:
        """Return a figure over a grid of one setting, by its value: a seed's, or the means."""
        figures = {
            float(point.point[0]): self.mean(measure, point.name, workload, seed)
            for each in self._grids
            if each.name == grid
            for point in each.variants()
        }
        return {at: figure for at, figure in figures.items() if figure is not None}

    def beside(
        self,
        curve: Mapping[float, float],
        measure: Column,
        rival: str,
        workload: str,
        seed: int | None = None,
    ) -> Curve:
        """Return a rival's figure at every setting of a curve: a grid's own, or one scheme's."""
        own = self.curve(measure, rival, workload, seed)
        if own:
            return {at: own[at] for at in curve if at in own}
        one = self.mean(measure, rival, workload, seed)
        return {} if one is None else dict.fromkeys(curve, one)

    def relative(
        self, measure: Column, scheme: str, workload: str, seed: int | None = None
    ) -> float | None:
        """Return a figure relative to the reference scheme's on the same workload."""
        own = self.mean(measure, scheme, workload, seed)
        reference = self.mean(measure, self.reference, workload, seed)
        return None if own is None or not reference else own / reference

    def relative_means(self, measure: Column, names: Sequence[str] = ()) -> dict[str, float]:
        """Return every scheme's mean over workloads, each relative to the reference."""
        means = {}
        for scheme in self.schemes:
            ratios = [self.relative(measure, scheme, name) for name in names or self.workloads]
            known = [ratio for ratio in ratios if ratio is not None]
            if known:
                means[scheme] = statistics.fmean(known)
        return means


Curves = dict[str, Curve]


@dataclass(frozen=True)
class Points:
    """The points that a function is of: a column by trace, setting and seed."""

    call: Call
    table: Table

    @property
    def scheme(self) -> str:
        """The scheme, or grid, that it is about."""
        return self.call.schemes[0]

    @property
    def rivals(self) -> Sequence[str]:
        """The schemes that it is held against."""
        return self.call.schemes[1:]

    @property
    def is_grid(self) -> bool:
        """Judge whether it is of a grid."""
        return self.table.is_grid(self.scheme)

    @property
    def traces(self) -> list[str]:
        """The traces that it is of, of those that were run."""
        return [name for name in self.table.workloads if not self.call.on or name in self.call.on]

    def without(self, *keys: str) -> Points:
        """Return the points of everything that these keywords leave out, too."""
        more = {key: said for key, said in self.call.more.items() if key not in keys}
        return replace(self, call=replace(self.call, more=more))

    def mean(self, scheme: str, trace: str) -> float | None:
        """Return the column's mean over the seeds."""
        return self.table.mean(self.call.column, scheme, trace)

    def figures(self, seed: int | None = None, scheme: str = "") -> Curves:
        """Return the column by trace and setting: the means over the seeds, or one seed's."""
        found, at = {}, self.call.more.get("at")
        for name in self.traces:
            curve = self.table.by_setting(self.call.column, scheme or self.scheme, name, seed)
            found[name] = {x: y for x, y in curve.items() if not at or x in at}
        return {name: curve for name, curve in found.items() if curve}

    def changes(self, seed: int | None = None, rival: str = "") -> Curves:
        """Return scheme / rival - 1 in percent: a seed's, or the means over those that have it."""
        rival = rival or self.rivals[0]
        if seed is None:
            return _mean_curves(
                [self.changes(each, rival) for each in self.table.seeds], self.traces
            )
        found = {}
        for name, curve in self.figures(seed).items():
            others = self.table.beside(curve, self.call.column, rival, name, seed)
            found[name] = {x: 100 * (curve[x] / other - 1) for x, other in others.items() if other}
        return {name: of for name, of in found.items() if of}

    def curves(self) -> Curves:
        """Return the changes against the rival where there is one, else the column."""
        return self.changes() if self.rivals else self.figures()


def _mean_curves(every: Sequence[Curves], traces: Sequence[str]) -> Curves:
    gathered: dict[str, dict[float, list[float]]] = {name: {} for name in traces}
    for curves in every:
        for name, curve in curves.items():
            for at, figure in curve.items():
                gathered[name].setdefault(at, []).append(figure)
    return {n: {x: statistics.fmean(of) for x, of in c.items()} for n, c in gathered.items() if c}


def means(curves: Curves) -> dict[str, float]:
    """Return each trace's mean over the settings."""
    return {name: statistics.fmean(of.values()) for name, of in curves.items()}
