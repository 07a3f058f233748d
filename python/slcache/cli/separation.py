"""`reproduce separation`: what a store that separates data leaves of a cache's gain."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from slcache.cli import checks, console
from slcache.cli import options as opt
from slcache.files import Transaction
from slcache.tables.sheets import Sheet
from slcache.tables.tabular import Table, Words

if TYPE_CHECKING:
    from slcache.separation.study import Row, Study

#: What the verb's argument calls it.
NAME = "separation"
#: Minutes on two cores.
MINUTES = 10


def reproduce(
    out: Path,
    names: list[str],
    quick: bool,
    _sensitivity: bool,
    jobs: int | None,
    store: Path | None,
    form: opt.Form,
    progress: opt.When,
) -> None:
    """Run the study and write separation.json."""
    from slcache.separation import study

    for name in names:
        if name not in study.workloads():
            told = f"{NAME} has no workload {name!r}; allowed: {', '.join(study.workloads())}"
            raise checks.wrong(told, "--workloads")
    if not quick:
        console.note(
            f"all of it takes about {MINUTES} minutes on two cores; finished runs are kept"
        )
    with (
        Transaction(out, ["separation.json"], []) as written,
        console.meter(progress, kept=True) as meter,
    ):
        found = study.make(store or out / "store", quick, jobs, meter, only=names)
        written.write("separation.json", (found.to_json() + "\n").encode())
    if found.missing:
        told = ", ".join(found.missing)
        console.note(f"left out: {told}: no recording below the folder that SLCACHE_SHARED names")
    cells = console.written("cells", out / "separation.json")
    console.answer(form, found.to_json, lambda: _sheets(found), lambda: [*_tables(found), *cells])


def _sheets(found: Study) -> list[Sheet]:
    parts = (found.cells, found.survivals())
    return [Sheet(rows) for rows in parts if rows]


def _tables(found: Study) -> list[Table | Text]:
    gains = Table(
        "workload",
        [Words("cache"), "SLC blocks", Words("rule"), "alone", "behind",
         "gain", "survival"],
        map(_gain, found.survivals()),
        title="Dense programs per byte written, without a cache and with it",
        boxed=False,
    )  # fmt: skip
    cells = Table(
        "workload",
        [Words("scheme"), "SLC blocks", Words("rule"), "seed", "dense",
         "all", "damage", "as dense", "read p99, us", "drift"],
        map(_cell, found.cells),
        title="Programs and wear per byte written",
        boxed=False,
    )  # fmt: skip
    return [gains, Text(), cells]


def _gain(each: Row) -> list[str]:
    left = "–" if each["survival"] is None else f"{each['survival']:.2f}"
    if each["survival_least"] is not None and each["survival_most"] is not None:
        left += f" ({each['survival_least']:.2f} to {each['survival_most']:.2f})"
    gain = f"{each['gain']:+.3f} ({each['gain_least']:+.3f} to {each['gain_most']:+.3f})"
    figures = f"{each['alone']:.3f}", f"{each['cached']:.3f}", gain, left
    return [each["workload"], each["scheme"], str(each["slc_blocks"]), each["rule"], *figures]


def _cell(cell: Row) -> list[str]:
    figures = cell["dense"], cell["programs"], cell["damage"], cell["damage_same"]
    told = [f"{figure:.3f}" for figure in figures]
    place = [cell["workload"], cell["scheme"], str(cell["slc_blocks"] or "–"), cell["rule"]]
    return [*place, str(cell["seed"]), *told, f"{cell['read_p99_us']:.0f}", f"{cell['drift']:+.1%}"]
