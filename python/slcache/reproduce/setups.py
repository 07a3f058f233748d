"""The set-up of a paper's evaluation by its name, such as `ips/daily:probable`, for other runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from slcache import catalogue
from slcache.errors import UsageError, about
from slcache.reproduce.experiment import DEFAULT
from slcache.reproduce.parts import Variant, settings_of
from slcache.reproduce.plan import load, papers
from slcache.reproduce.reading import LITERAL


@dataclass(frozen=True)
class Setup:
    """A device, settings and a way of replay, as one part of an evaluation has them."""

    #: With part and reading, whether or not they were said.
    name: str
    title: str
    device: str
    replay: str | None
    settings: Mapping[str, Any]
    #: Settings of single workloads over these, by their twins.
    of_traces: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def settings_for(self, schemes: Sequence[str], trace: str = "") -> dict[str, Any]:
        """Return the settings of these schemes, and those of none, on a trace."""
        known = catalogue.canonical()
        own = [Variant(name, known.get(name, name)) for name in schemes]
        whole = {**self.settings, **self.of_traces.get(trace, {})}
        return {key: said for each in own for key, said in settings_of(each, whole).items()}

    def left_out(self, trace: str) -> str:
        """Say what of it is for other traces alone; empty where nothing is."""
        if not self.of_traces or trace in self.of_traces:
            return ""
        keys = dict.fromkeys(key for of in self.of_traces.values() for key in of)
        return f"its {', '.join(keys)} is for {', '.join(self.of_traces)}, and {trace} is none"


def named(text: str) -> Setup:
    """Return the set-up that `PAPER[/PART][:READING]` names; raises UsageError for other texts.

    Without a part it is the plan's first one, without a reading the literal one.
    """
    whole, _, reading = text.partition(":")
    paper, slash, part = whole.partition("/")
    _check("paper", paper, papers(), text)
    plan = load(paper)
    if slash:
        _check("part", part, [each.name for each in plan.parts], text)
    if ":" in text:
        _check("reading", reading, [LITERAL, *plan.reading], text)
    reading = reading or LITERAL
    read = plan.under(reading)
    found = read.part(part)
    settings = {key: value for key, value in found.settings.items() if value != DEFAULT}
    return Setup(
        name=f"{plan.name}/{found.name}:{reading}",
        title=f"{plan.title}, {found.name}, {reading} reading",
        device=found.device,
        replay=settings.pop("replay", found.replay),
        settings=settings,
        of_traces={
            each.twin: each.settings
            for each in read.workloads
            if each.settings and found.name in (each.parts or [found.name])
        },
    )


def _check(what: str, given: str, known: Sequence[str], text: str) -> None:
    if given not in known:
        told = f"reading = {text!r}: no {what} {given!r}; allowed: {', '.join(known)}"
        raise about(UsageError(told), "reading")
