"""What a paper claims: a row each, with an expression for ours and what the paper has for it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict

from slcache import ConfigError
from slcache.reproduce import toml
from slcache.reproduce.expressions import Call, Reference, Term, leaves, parse
from slcache.reproduce.functions import FUNCTIONS, Function
from slcache.reproduce.measures import measures
from slcache.reproduce.verdicts import Expected, expected

#: What makes a claim come out as it does. `by construction`: the scheme cannot do otherwise;
#: `calibrated`: an option was chosen so that it holds; `emergent`: neither, so that it says
#: something.
EMERGENT = "emergent"
CLASSES = (EMERGENT, "calibrated", "by construction")


@dataclass(frozen=True)
class Claim:
    """One claim: the paper's figure, how ours is found, and what is said beside."""

    __pydantic_config__: ClassVar[ConfigDict] = toml.CLOSED

    id: str
    #: The paper's figure, table or section.
    figure: str
    text: str
    #: What the paper has, as it is written, and what it means.
    paper: Any
    #: The expression over the part's points; none where no run can tell.
    ours: str = ""
    part: str = ""
    unit: str = ""
    #: How the claim's words are taken.
    note: str = ""
    #: The argument why the paper's own figures exclude it.
    cannot_hold: str = ""
    #: Why no run can tell; nothing is measured then.
    not_simulable: str = ""
    class_: str = EMERGENT

    def __post_init__(self) -> None:
        """Refuse what cannot be judged, naming claim and key."""
        faults = [f"{self.id}: {key}: {fault}" for key, fault in self._faults()]
        if faults:
            raise ConfigError("\n".join(faults))

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
    def schemes(self) -> list[str]:
        """The schemes and grids that it names."""
        return list(dict.fromkeys(itertools.chain.from_iterable(c.named for c in self.calls)))

    @property
    def of_others(self) -> bool:
        """Whether it is of all traces, those named beside the others."""
        return any(FUNCTIONS[call.function].of_others for call in self.calls)

    def _faults(self) -> list[tuple[str, str]]:
        found = []
        if self.class_ not in CLASSES:
            found.append(("class", f"{self.class_!r}; allowed: {', '.join(CLASSES)}"))
        try:
            _ = self.expected
        except ValueError as error:
            return [*found, ("paper", f"{self.paper!r}: {error}")]
        if self.not_simulable:
            idle = [key for key in ("ours", "cannot_hold") if getattr(self, key)]
            return found + [(key, "has no effect beside not_simulable") for key in idle]
        try:
            told = _of_term(self.term, self.expected)
        except ValueError as error:
            told = [str(error)]
        return found + [("ours", f"{self.ours!r}: {fault}") for fault in told]


def _of_term(term: Term, paper: Expected) -> list[str]:
    """Return what is wrong with an expression that is held against what the paper has."""
    if not any(isinstance(each, Call | Reference) for each in leaves(term)):
        return ["it has no function of a column"]
    found = []
    for each in leaves(term):
        if isinstance(each, str) and each not in measures():
            found.append(f"no figure {each}")
        elif isinstance(each, Call):
            found += _of_call(each, whole=each is term)
    one = FUNCTIONS.get(term.function) if isinstance(term, Call) else None
    forms = (one or Function).forms
    if not found and paper.form not in forms and paper.paper not in forms:
        told = paper.paper if paper.form == "words" else f"a {paper.form}"
        found.append(f"paper is {told}; it can be {', '.join(forms)}")
    return found


def _of_call(call: Call, *, whole: bool) -> list[str]:
    function = FUNCTIONS.get(call.function)
    if function is None:
        return [f"no function {call.function}; there are {', '.join(FUNCTIONS)}"]
    said, known = call.more.model_fields_set, function.keywords.split()
    least, most = function.schemes
    found = [f"no keyword {key}; allowed: {function.keywords}" for key in said if key not in known]
    found += [f"{key} is missing" for key in function.needs.split() if key not in said]
    if function.needs.startswith("on") and not function.of_others and len(call.more.on) > 1:
        found.append(f"on = {call.more.on}: it is of one trace")
    if not least <= len(call.schemes) <= most:
        found.append(f"{len(call.schemes)} schemes; it takes {least} to {most}")
    if function.stands_alone and not whole:
        found.append("it comes to no number, and stands alone")
    return [f"{call.function}: {fault}" for fault in found]


def load(path: Path, where: str) -> list[Claim]:
    """Return the claims of a file, in order; raises ConfigError for all faults at once."""
    found, faults = [], []
    for name, row in toml.load(path).items():
        try:
            found.append(of_row(name, row, where))
        except ConfigError as error:
            faults += [
                f"{where}: {line.removeprefix(f'{where}: ')}" for line in str(error).split("\n")
            ]
    if faults:
        raise ConfigError("\n".join(faults))
    return found


def of_row(name: str, row: Mapping[str, Any], where: str) -> Claim:
    """Return the claim of a row; raises ConfigError."""
    if not isinstance(row, dict):
        raise ConfigError(f"{name} = {row!r} is no table of a claim")
    # Python keeps `class` for itself.
    keys = {"class_" if key == "class" else key: said for key, said in row.items()}
    return toml.build(Claim, {"id": name, **keys}, f"{where}: {name}")
