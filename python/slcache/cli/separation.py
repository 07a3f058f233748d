"""`reproduce separation`: what a store that separates data leaves of a cache's gain."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from slcache.cli import checks, console
from slcache.files import Transaction
from slcache.tables.table import Columns, Table

if TYPE_CHECKING:
    from slcache.cli.reproduce import Asked
    from slcache.reproduce.separation import Row, Separation

#: What the verb's argument calls it.
NAME = "separation"
#: Minutes on two cores.
MINUTES = 10


def reproduce(asked: Asked) -> None:
    """Run the study and write separation.json."""
    from slcache.reproduce import separation

    out, names = asked.place, asked.workloads or []
    for name in names:
        if name not in separation.workloads():
            told = f"{NAME} has no workload {name!r}; allowed: {', '.join(separation.workloads())}"
            raise checks.wrong(told, "--workloads")
    if not asked.quick:
        console.note(
            f"all of it takes about {MINUTES} minutes on two cores; finished runs are kept"
        )
    with (
        Transaction(out, ["separation.json"], []) as written,
        console.meter(asked.meter, kept=True) as meter,
    ):
        found = separation.make(asked.kept, asked.quick, asked.jobs, meter, only=names)
        written.write("separation.json", (found.to_json() + "\n").encode())
    if found.missing:
        told = ", ".join(found.missing)
        console.note(f"left out: {told}: no recording below the folder that SLCACHE_SHARED names")
    cells = console.written("cells", out / "separation.json")
    console.answer(asked.form, found.to_json, [*_tables(found), *cells])


def _tables(found: Separation) -> list[Table]:
    title = "Programs and wear per byte written"
    gained = "Dense programs per byte written, without a cache and with it"
    survivals = found.survivals()
    return [
        Table(found.cells, _CELL if found.cells else {}, title=title),
        *([Table(survivals, _GAIN, title=gained)] if survivals else []),
    ]


def _three(key: str) -> Callable[[Row], str]:
    return lambda row: f"{row[key]:.3f}"


def _survival(each: Row) -> str:
    left = "–" if each["survival"] is None else f"{each['survival']:.2f}"
    if each["survival_least"] is not None and each["survival_most"] is not None:
        left += f" ({each['survival_least']:.2f} to {each['survival_most']:.2f})"
    return left


_GAIN: Columns = {
    "workload": "workload",
    "cache": "scheme",
    "SLC blocks": "slc_blocks",
    "rule": "rule",
    "alone": _three("alone"),
    "behind": _three("cached"),
    "gain": lambda each: (
        f"{each['gain']:+.3f} ({each['gain_least']:+.3f} to {each['gain_most']:+.3f})"
    ),
    "survival": _survival,
}
_CELL: Columns = {
    "workload": "workload",
    "scheme": "scheme",
    "SLC blocks": "slc_blocks",
    "rule": "rule",
    "seed": "seed",
    "dense": _three("dense"),
    "all": _three("programs"),
    "damage": _three("damage"),
    "as dense": _three("damage_same"),
    "read p99, us": lambda cell: f"{cell['read_p99_us']:.0f}",
    "drift": lambda cell: f"{cell['drift']:+.1%}",
}
