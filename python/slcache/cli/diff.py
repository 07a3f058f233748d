"""The verb `diff`: what separates two results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from rich.text import Text

from slcache.cli import console, joint
from slcache.cli import options as opt
from slcache.results.differences import Change, Difference, RunDifference
from slcache.tables.sheets import Sheet
from slcache.tables.tabular import Column, Table
from slcache.words import units
from slcache.words.leaves import shown

#: Exit status of --exit-code where results differ.
DIFFERENT = 1


def diff(
    *,
    first: opt.Saved,
    second: opt.Saved,
    everything: Annotated[
        bool, opt.flag("--all", "Show every other figure of the documents as well.")
    ] = False,
    exit_code: Annotated[
        bool, opt.flag("--exit-code", "Exit with 1 where the results differ.")
    ] = False,
    form: joint.Shown,
) -> int:
    """Show what separates two results: configuration, trace, and figures with factors.

    A result is a folder of --out or its result.json, of a run or a comparison; runs of
    comparisons are matched by scheme. Figures are sorted by how far apart they are.
    Exits with 0 once the results were held against each other, unless --exit-code asks
    for 1 where they differ.

    \b
    [bold]Examples[/bold]
      slcache diff out/before out/after
      slcache diff before.json after.json --exit-code --json
    """
    from slcache.results import differences

    found = differences.diff(first, second)
    if form == "json":
        console.emit_json(found.to_dict())
    elif form != "table":
        console.sheets(form, sheet(found, everything=everything))
    else:
        for run in found.runs:
            console.show(*lines(run, ("A", "B"), everything=everything))
        for side, names in (("A", found.only_first), ("B", found.only_second)):
            if names:
                console.show(f"only in {side}: {', '.join(names)}")
        console.show(f"A: {first}", f"B: {second}")
    return DIFFERENT if exit_code and not found.equal else 0


def sheet(found: Difference, *, everything: bool) -> Sheet:
    """Return a row for each key or figure that differs."""
    parts = ("config", "trace", "origin", "metrics", *(["others"] if everything else []))
    columns = ("run", "part", "key", "unit", "first", "second", "factor")
    return Sheet(
        [
            {
                "run": run.labels[0] if len(set(run.labels)) == 1 else " and ".join(run.labels),
                "part": part,
                "key": change.key,
                "unit": change.unit,
                "first": change.first,
                "second": change.second,
                "factor": change.factor,
            }
            for run in found.runs
            for part in parts
            for change in getattr(run, part)
        ],
        always=columns,
    )


def lines(
    run: RunDifference, sides: tuple[str, str], *, everything: bool
) -> Iterator[Text | Table | str]:
    """Yield what separates two runs, for a reader."""
    one, other = run.labels
    name = one if one == other else f"{one} and {other}"
    if run.equal:
        yield Text(f"{name}: identical", "bold green")
    else:
        yield Text(name, "bold")
    for title, changes in (
        ("configuration", run.config),
        ("trace", run.trace),
        ("made by", run.origin),
    ):
        if changes:
            yield _values(title, changes, sides)
    figures = [*run.metrics, *(run.others if everything else [])]
    if figures:
        yield _figures(figures, sides)
    if run.others and not everything:
        yield f"{len(run.others)} other figures differ; --all shows them"


def _values(title: str, changes: Sequence[Change], sides: tuple[str, str]) -> Table:
    table = Table(title, [Column(side, text=True) for side in sides])
    for change in changes:
        table.add(change.key, shown(change.first), shown(change.second))
    return table


def _figures(changes: Sequence[Change], sides: tuple[str, str]) -> Table:
    table = Table("figure", [*sides, "B / A"])
    for change in changes:
        factor = "–" if change.factor is None else units.factor(change.factor)
        table.add(change.key, _shown(change.first, change), _shown(change.second, change), factor)
    return table


def _shown(value: object, change: Change) -> str:
    if change.unit and isinstance(value, int | float):
        return units.figure(value, change.unit)
    return shown(value)
