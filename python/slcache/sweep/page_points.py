"""The points of a study's fronts, for the part of its page that names them and how to run them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from markupsafe import Markup

from slcache.report import pages
from slcache.study import wording
from slcache.study.analysis import Analysis
from slcache.sweep import commands
from slcache.sweep.study import Study
from slcache.words.names import printable


def data(analysis: Analysis, short: Mapping[str, str], study: Study | None) -> Markup | None:
    """Return the JSON of it, safe inside a page; None where no front has a point.

    `points` has a list per configuration: its number, name, figures and the end of its command,
    whose beginning, `begun`, all share; null where there is no command.
    """
    known = study if study and commands.tells(study, analysis.outcome.factors) else None
    points: list[list[Any]] = []
    for judged in analysis.judged:
        found = judged.front
        if not found.metrics:
            continue
        for one in found.configurations:
            named = wording.settings({**judged.load, **one.settings}, short)
            figures = [f"{n} {wording.figure(n, one.mean(n))}" for n in found.metrics]
            command = commands.of_row(known, analysis.outcome.row(one.number)) if known else None
            points.append([one.number, printable(named), figures, command and printable(command)])
    begun = _common([point[3] for point in points if point[3] is not None])
    for point in points:
        point[3] = None if point[3] is None else point[3][len(begun) :]
    several = any(len(one.seeds) > 1 for one in analysis.outcome.configurations)
    repeat = analysis.outcome.repeats
    note = f"Figures are means over the {repeat}s; the command runs the first." if several else ""
    return pages.data({"begun": begun, "note": note, "points": points}) if points else None


def _common(texts: Sequence[str]) -> str:
    """Return what all texts begin with."""
    alike = zip(min(texts, default=""), max(texts, default=""), strict=False)
    return "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], alike))
