"""What a paper claims: a row each, with an expression for ours and what the paper has for it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import AfterValidator, ConfigDict, Field, ValidationInfo

from slcache import ConfigError
from slcache.options import typed
from slcache.options.typed import refuse
from slcache.reproduce import functions
from slcache.reproduce.functions import (
    CANNOT_HOLD,
    NOT_JUDGED,
    NOT_RUN,
    NOT_SIMULABLE,
    Finding,
    Number,
)
from slcache.reproduce.measures import AbsentError, measures
from slcache.reproduce.notation import (
    Call,
    Expected,
    Reference,
    Term,
    evaluate,
    expected,
    leaves,
    parse,
)
from slcache.reproduce.parts import PROBABLE, PartName
from slcache.reproduce.points import PointSelection, PointTable

#: What makes a claim come out as it does. `by construction`: the scheme cannot do otherwise;
#: `calibrated`: an option was chosen so that it holds; `emergent`: neither, so that it says
#: something.
EMERGENT: Final = "emergent"
CLASSES = (EMERGENT, "calibrated", "by construction")
#: Forms of what a paper has, or the very words, that functions fit.
_NUMBER = ("number", "limit", "direction")
_EACH = ("every trace",)
_STEPS, _PLACES = (*_EACH, "at every step"), (*_EACH, "range")
_AHEAD, _THERE = (*_EACH, "on average"), (*_EACH, "above there")


@dataclass(frozen=True)
class ClaimFunction:
    """A function: how it is found, what it takes, and which forms of a paper's figure it fits."""

    find: Callable[..., Any]
    #: Its keywords, and those of them that it cannot do without.
    keywords: str = "on at"
    needs: str = ""
    #: The least and the most schemes that it takes.
    schemes: tuple[int, int] = (1, 1)
    forms: tuple[str, ...] = _NUMBER
    #: Whether the scheme is a grid: always, or where no other is named.
    grid: str = ""
    #: Whether it is of the traces named beside all others.
    of_others: bool = False

    @property
    def stands_alone(self) -> bool:
        """Whether it comes to no number."""
        return self.forms != _NUMBER

    def is_of_a_grid(self, call: Call) -> bool:
        """Return whether a call's first scheme must be a grid."""
        return self.grid == "always" or (self.grid == "alone" and len(call.schemes) == 1)


_grid = partial(ClaimFunction, grid="always")


FUNCTIONS = {
    "change": ClaimFunction(functions.change, "on at which", schemes=(2, 9)),
    "largest": ClaimFunction(functions.largest),
    "total": ClaimFunction(functions.total, schemes=(0, 1)),
    "span": _grid(partial(functions.widest_of, reduce=functions.span, seeds=True)),
    "swing": _grid(partial(functions.widest_of, reduce=functions.swing)),
    "count": ClaimFunction(functions.count_above, "on of more_than", "more_than"),
    "where_least": _grid(partial(functions.where, which="least"), "on", "on"),
    "where_most": _grid(partial(functions.where, which="most"), "on", "on"),
    "reaches": _grid(functions.reaches, "on times", "on times"),
    "more_there": _grid(functions.more_there, "on at", "at", (2, 2)),
    "ends": ClaimFunction(functions.ends, schemes=(1, 2), forms=("range",)),
    "order": ClaimFunction(functions.order, "on", schemes=(0, 0), forms=("order",)),
    "least": ClaimFunction(partial(functions.ahead, which="least"), "on among", forms=_AHEAD),
    "most": ClaimFunction(partial(functions.ahead, which="most"), "on among", forms=_AHEAD),
    "up_on": ClaimFunction(
        partial(functions.counted_on, way=1), "on of", schemes=(2, 2), forms=("range",)
    ),
    "down_on": ClaimFunction(
        partial(functions.counted_on, way=-1), "on of", schemes=(2, 2), forms=("range",)
    ),
    "rises": ClaimFunction(
        partial(functions.goes, way=1), schemes=(1, 2), forms=_STEPS, grid="alone"
    ),
    "falls": ClaimFunction(
        partial(functions.goes, way=-1), schemes=(1, 2), forms=_STEPS, grid="alone"
    ),
    "valley": _grid(partial(functions.inside, which="least"), "on times", forms=_PLACES),
    "peak": _grid(partial(functions.inside, which="most"), "on times", forms=_PLACES),
    "above": ClaimFunction(functions.is_above, "on at more_than", forms=_THERE),
    "ends_below": _grid(functions.ends_below, forms=_EACH),
    "widest": _grid(functions.widest, forms=("words",)),
    "apart": ClaimFunction(functions.apart, "on", "on", (1, 2), ("direction",), of_others=True),
}


def find(term: Term, paper: Expected, table: PointTable, before: Mapping[str, Finding]) -> Finding:
    """Return what the runs say of an expression; `before` are the claims judged before it."""

    def number(leaf: Call | Reference) -> Number:
        if isinstance(leaf, Call):
            found: Number = FUNCTIONS[leaf.function].find(PointSelection(leaf, table))
            return found
        known = before[leaf.claim]
        # A direction against nothing has no size.
        if not isinstance(known.ours, int | float):
            raise AbsentError
        return Number(known.ours, ends=known.spread, relative=known.same_sign is not None)

    try:
        if isinstance(term, Call) and (function := FUNCTIONS[term.function]).stands_alone:
            stated: Finding = function.find(PointSelection(term, table), paper)
            return stated
        return functions.judged(evaluate(term, number, functions.combined), paper)
    except (AbsentError, ZeroDivisionError):
        return Finding(None)


def _held_against(paper: Any, info: ValidationInfo) -> Any:  # noqa: ANN401
    """Refuse what no paper has, and ranks of schemes that nothing bears."""
    try:
        found = expected(paper)
    except ValueError as error:
        raise ValueError(f"{paper!r}: {error}") from error
    ranked = found.paper if found.form == "order" else []
    names = [name for group in ranked for name in group.split(" = ")]
    if unknown := _unknown("scheme", names, info.context or {}):
        raise ValueError("; ".join(unknown))
    return paper


def _measured(ours: str, info: ValidationInfo) -> str:
    """Refuse an expression that nothing can be found by, or that names something in vain."""
    try:
        faults = _of_term(parse(ours), info.context or {}) if ours else []
    except ValueError as error:
        faults = [str(error)]
    if faults:
        raise ValueError(f"{ours!r:.80}: {'; '.join(faults)}")
    return ours


def _unknown(kind: str, names: Iterable[str], known: Mapping[str, Any]) -> list[str]:
    """Return which of some names the plan does not have, where it is known."""
    return [f"no {kind} {name}" for name in names if name not in known.get(kind, (name,))]


@dataclass(frozen=True)
class PaperClaim:
    """One claim: the paper's figure, how ours is found, and what is said beside."""

    __pydantic_config__: ClassVar[ConfigDict] = typed.CLOSED

    id: str
    #: The paper's figure, table or section.
    figure: str
    text: str
    #: What the paper has, as it is written, and what it means.
    paper: Annotated[Any, AfterValidator(_held_against)]
    #: The expression over the part's points; none where no run can tell.
    ours: Annotated[str, AfterValidator(_measured)] = ""
    part: PartName = ""
    unit: str = ""
    #: How the claim's words are taken.
    note: str = ""
    #: The argument why the paper's own figures exclude it.
    cannot_hold: str = ""
    #: Why no run can tell; nothing is measured then.
    not_simulable: str = ""
    class_: Literal["emergent", "calibrated", "by construction"] = EMERGENT

    def __post_init__(self) -> None:
        """Refuse what cannot be judged, naming claim and key."""
        refuse([f"{self.id}: {fault}" for fault in self._faults()])

    @cached_property
    def expected(self) -> Expected:
        """What the paper has."""
        return expected(self.paper)

    @cached_property
    def term(self) -> Term:
        """The expression, read."""
        return parse(self.ours)

    @cached_property
    def calls(self) -> list[Call]:
        """The functions of points that it is made of."""
        return [each for each in leaves(self.term) if isinstance(each, Call)] if self.ours else []

    @property
    def of(self) -> list[str]:
        """The claims before that it is made of."""
        found = leaves(self.term) if self.ours else ()
        return [each.claim for each in found if isinstance(each, Reference)]

    @property
    def traces(self) -> list[str]:
        """The traces that it names."""
        return list(dict.fromkeys(itertools.chain.from_iterable(c.more.on for c in self.calls)))

    @property
    def of_others(self) -> bool:
        """Whether it is of all traces, those named beside the others."""
        return any(FUNCTIONS[call.function].of_others for call in self.calls)

    def _faults(self) -> list[str]:
        if self.not_simulable:
            idle = [key for key in ("ours", "cannot_hold") if getattr(self, key)]
            return [f"{key}: has no effect beside not_simulable" for key in idle]
        if not self.ours:
            return ["ours = '': an expression is missing"]
        one = FUNCTIONS.get(self.term.function) if isinstance(self.term, Call) else None
        forms, paper = (one or ClaimFunction).forms, self.expected
        if paper.form in forms or paper.paper in forms:
            return []
        told = paper.paper if paper.form == "words" else f"a {paper.form}"
        return [f"ours = {self.ours!r}: paper is {told}; it can be {', '.join(forms)}"]


def _of_term(term: Term, known: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with an expression in a plan that has these names."""
    if not any(isinstance(each, Call | Reference) for each in leaves(term)):
        return ["it has no function of a column"]
    found = []
    for each in leaves(term):
        match each:
            case str() if each not in measures():
                found.append(f"no figure {each}")
            case Reference(claim):
                found += _unknown("claim before", [claim], known)
            case Call():
                faults = _of_call(each, known, whole=each is term)
                found += [f"{each.function}: {fault}" for fault in faults]
    return found


def _of_call(call: Call, known: Mapping[str, Any], *, whole: bool) -> list[str]:
    function = FUNCTIONS.get(call.function)
    if function is None:
        return [f"no such function; there are {', '.join(FUNCTIONS)}"]
    more, said, keywords = call.more, call.more.model_fields_set, function.keywords.split()
    least, most = function.schemes
    found = _unknown("workload", more.on, known) + _unknown("scheme", call.named, known)
    found += [f"no keyword {key}; allowed: {keywords}" for key in said if key not in keywords]
    found += [f"{key} is missing" for key in function.needs.split() if key not in said]
    if function.needs.startswith("on") and not function.of_others and len(more.on) > 1:
        found.append(f"on = {more.on}: it is of one trace")
    if not least <= len(call.schemes) <= most:
        found.append(f"{len(call.schemes)} schemes; it takes {least} to {most}")
    if function.stands_alone and not whole:
        found.append("it comes to no number, and stands alone")
    if not call.schemes or "settings" not in known:
        return found
    scheme, settings = call.schemes[0], known["settings"].get(call.schemes[0])
    if settings is None:
        return found + ([f"{scheme} is no grid"] if function.is_of_a_grid(call) else [])
    if call.function == "above" and not more.at:
        found.append(f"at is missing: {scheme} is a grid")
    told = f"there are {settings}"
    return found + [f"no setting {at} of {scheme}; {told}" for at in more.at if at not in settings]


@dataclass(frozen=True, kw_only=True)
class ClaimRow(Finding):
    """One claim's line: what was found under the literal reading, and beside it the other."""

    id: str
    figure: str
    claim: str
    class_: Annotated[str, Field(alias="class")]
    """What makes it come out as it does."""
    unit: str
    paper: Any
    """The paper's figure."""
    tolerance: float
    reason: str
    """The argument against the claim, what it lacks, how its words are taken."""
    probable: Finding | None = None
    """Under the most probable reading; null where it was not run."""

    def under(self, reading: str) -> Finding | None:
        """Return what is said under a reading."""
        return self.probable if reading == PROBABLE else self

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        return {key.rstrip("_"): value for key, value in asdict(self).items()}


def rows_of(
    claims: Sequence[PaperClaim],
    tables: Mapping[str, PointTable] | None,
    probable: Mapping[str, PointTable] | None = None,
) -> list[ClaimRow]:
    """Return one row per claim, in order; `tables` are by part, the first also as "".

    Those of the literal reading are None where it was not run, and so are those of the other.
    """
    # Claims may be about those before them.
    literal: dict[str, Finding] = {}
    other: dict[str, Finding] = {}
    rows = []
    for claim in claims:
        own = literal[claim.id] = _finding(claim, tables, literal)
        if probable is not None:
            other[claim.id] = _finding(claim, probable, other)
        beside = other.get(claim.id)
        reasons = (
            claim.cannot_hold,
            claim.not_simulable,
            _lacks(own) or _lacks(beside),
            claim.note,
        )
        rows.append(
            ClaimRow(
                **vars(own),
                id=claim.id,
                figure=claim.figure,
                claim=claim.text,
                class_=claim.class_,
                unit=claim.unit or claim.expected.unit,
                paper=claim.expected.paper,
                tolerance=claim.expected.tolerance,
                reason=" ".join(part for part in reasons if part),
                probable=beside,
            )
        )
    return rows


def _finding(
    claim: PaperClaim, tables: Mapping[str, PointTable] | None, before: Mapping[str, Finding]
) -> Finding:
    if claim.not_simulable:
        return Finding(None, verdict=NOT_SIMULABLE)
    if tables is None:
        return Finding(None)
    table = tables[claim.part]
    found = find(claim.term, claim.expected, table, before)
    missing = table.missing(claim.traces, others=claim.of_others) if claim.calls else []
    missing += [name for of in claim.of for name in before[of].missing]
    found = replace(found, missing=list(dict.fromkeys(missing)))
    if found.verdict == NOT_RUN:
        return found
    if claim.cannot_hold:
        return replace(found, verdict=CANNOT_HOLD)
    return replace(found, verdict=NOT_JUDGED) if missing else found


def _lacks(finding: Finding | None) -> str:
    """Say which traces a finding lacks, where it is no verdict for that."""
    if finding is None or not finding.missing or finding.verdict not in (NOT_JUDGED, NOT_RUN):
        return ""
    return f"Not run: {', '.join(finding.missing)}."


def load(path: Path, where: str, names: Mapping[str, Any]) -> list[PaperClaim]:
    """Return the claims of a plan with these names; raises ConfigError for all faults at once."""
    found: list[PaperClaim] = []
    faults = []
    for name, row in typed.load(path).items():
        known = {**names, "claim before": [claim.id for claim in found]}
        try:
            found.append(of_row(name, row, where, known))
        except ConfigError as error:
            faults += [
                f"{where}: {line.removeprefix(f'{where}: ')}" for line in str(error).split("\n")
            ]
    refuse(faults)
    return found


def of_row(
    name: str, row: Mapping[str, Any], where: str, known: Mapping[str, Any] | None = None
) -> PaperClaim:
    """Return the claim of a row; raises ConfigError."""
    if not isinstance(row, dict):
        raise ConfigError(f"{name} = {row!r} is no table of a claim")
    # Python keeps `class` for itself.
    keys = {"class_" if key == "class" else key: said for key, said in row.items()}
    return typed.build(PaperClaim, {"id": name, **keys}, f"{where}: {name}", known)
