"""The points of a study's fronts, as its page tells them: name, figures and command of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from slcache.study import wording
from slcache.study.analysis import Analysis
from slcache.study.judged import Judged
from slcache.study.outcome import Configuration
from slcache.sweep import commands
from slcache.sweep.study import Study

#: The page tells the commands of so many points, the first: they would be most of it.
_MOST = 1000


@dataclass(frozen=True)
class Point:
    """A configuration: the row of the table, from 1, that first has it, and what is told of it."""

    number: int
    name: str
    figures: str
    #: None where no command can say what was run.
    command: str | None


def name(judged: Judged, one: Configuration, short: Mapping[str, str]) -> str:
    """Return what a configuration is called on a page of several loads."""
    return wording.settings({**judged.load, **one.settings}, short)


def told(analysis: Analysis, short: Mapping[str, str], study: Study | None) -> list[Point]:
    """Return what the page tells of each point."""
    known = study if study and commands.tells(study, analysis.outcome.factors) else None
    points: list[Point] = []
    for judged in analysis.judged:
        shown = judged.front.metrics
        for one in judged.front.configurations if shown else ():
            figures = ", ".join(f"{n} {wording.figure(n, one.mean(n))}" for n in shown)
            row = analysis.outcome.row(one.number)
            command = commands.of_row(known, row) if known and len(points) < _MOST else None
            points.append(Point(one.number, name(judged, one, short), figures, command))
    return points


def note(analysis: Analysis) -> str:
    """Return what is to be said of figures beside commands; nothing where each has one run."""
    several = any(len(one.seeds) > 1 for one in analysis.outcome.configurations)
    repeat = analysis.outcome.repeats
    return f"Figures are means over the {repeat}s; the command runs the first." if several else ""
