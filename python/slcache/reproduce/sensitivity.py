"""How the verdicts move with what the paper leaves open and with what the twins leave free."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from slcache.reproduce import inputs
from slcache.reproduce.inputs import Input
from slcache.reproduce.ledger import Row, ledger
from slcache.reproduce.plan import Plan, Variation
from slcache.reproduce.runs import Progress
from slcache.reproduce.store import Store
from slcache.reproduce.table import Table

Tabulate = Callable[..., dict[str, Table]]


class _NotKeptError(Exception):
    """A run that only an asked-for study would make."""


def study(
    plan: Plan, store: Store, progress: Progress | None, tabulate: Tabulate
) -> list[dict[str, Any]]:
    """Return the claims under every value of every variation, one varied at a time.

    Without `progress` nothing is run: the study is what an earlier one has left, or empty.
    """
    assert plan.sensitivity is not None
    spec = plan.sensitivity
    plain = inputs.twins(plan, spec.workloads)
    try:
        default = _rows(plan, plain, {}, store, progress, tabulate)
        return [
            _variation(plan, variation, default, store, progress, tabulate)
            for variation in spec.vary
        ]
    except _NotKeptError:
        return []


def _variation(
    plan: Plan,
    variation: Variation,
    default: Sequence[Row],
    store: Store,
    progress: Progress | None,
    tabulate: Tabulate,
) -> dict[str, Any]:
    assert plan.sensitivity is not None
    names = variation.names or [str(value) for value in variation.values]
    points = [{"value": "default", "claims": [_point(row) for row in default]}]
    for name, value in zip(names, variation.values, strict=True):
        chosen = inputs.twins(plan, plan.sensitivity.workloads)
        settings: dict[str, Any] = {}
        if variation.twin:
            chosen = inputs.varied(plan, plan.sensitivity.workloads, variation.twin, value)
        else:
            settings = dict.fromkeys(variation.settings, value)
        rows = _rows(plan, chosen, settings, store, progress, tabulate)
        points.append({"value": name, "claims": [_point(row) for row in rows]})
    return {"name": variation.name, "why": variation.why, "points": points}


def _point(row: Row) -> dict[str, Any]:
    return {"id": row.id, "ours": row.ours, "verdict": row.verdict}


def _rows(
    plan: Plan,
    chosen: Sequence[Input],
    settings: dict[str, Any],
    store: Store,
    progress: Progress | None,
    tabulate: Tabulate,
) -> list[Row]:
    assert plan.sensitivity is not None
    seeds = plan.sensitivity.seeds
    tables = tabulate(plan, chosen, seeds, settings, store, progress or _only_kept)
    return ledger(plan.claims, tables)


def _only_kept(done: float, total: int, _: str) -> bool:
    """Stop before the first run that is not kept."""
    if done < total:
        raise _NotKeptError
    return True
