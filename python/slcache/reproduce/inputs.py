"""The traces of an evaluation: published files where the user has them, else twins."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from slcache import TraceError, api
from slcache.reproduce.plan import Plan, Workload
from slcache.reproduce.store import Store

#: How far a file's figures may be from the paper's for the file to be the paper's trace.
RECOGNISED = 0.005


@dataclass(frozen=True)
class Input:
    """One trace, or the twin that stands for it."""

    name: str
    path: str
    twin: bool
    requests: int
    workload: Mapping[str, str] = field(default_factory=dict)

    def options(self, seed: int) -> dict[str, str]:
        """Return the trace options of a run; a twin is drawn anew for each seed."""
        if not self.twin:
            return {}
        return {"seed": str(seed), **{f"workload.{k}": v for k, v in self.workload.items()}}

    def identity(self, seed: int) -> dict[str, Any]:
        """Return what tells this input from others."""
        if self.twin:
            return {"twin": self.path, **self.options(seed)}
        stat = Path(self.path).stat()
        return {
            "file": str(Path(self.path).resolve()),
            "bytes": stat.st_size,
            "ns": stat.st_mtime_ns,
        }

    def __hash__(self) -> int:
        return hash((self.name, self.path, self.twin, *sorted(self.workload.items())))


def twins(plan: Plan, names: Sequence[str]) -> list[Input]:
    """Return the twins of the named workloads."""
    return [_twin(plan.workload(name)) for name in names]


def varied(plan: Plan, names: Sequence[str], key: str, value: object) -> list[Input]:
    """Return twins with one of their free figures set."""
    return [_twin(plan.workload(name), {key: value}) for name in names]


def published(
    plan: Plan, directory: Path, names: Sequence[str], store: Store, tell: Callable[[str], None]
) -> list[Input]:
    """Return the workloads, each from its published file where the directory holds it.

    Files are recognised by their statistics, never by their names.
    """
    found: dict[str, Input] = {}
    for path in sorted(p for p in directory.rglob("*") if p.is_file()):
        tell(path.name)
        statistics = _statistics(path, store)
        workload = _recognise(plan, statistics) if statistics else None
        if workload and workload.name in names and workload.name not in found:
            found[workload.name] = Input(workload.name, str(path), False, workload.requests)
    return [found.get(name) or _twin(plan.workload(name)) for name in names]


def _twin(workload: Workload, more: Mapping[str, object] | None = None) -> Input:
    chosen = {key: str(value) for key, value in {**workload.set, **(more or {})}.items()}
    return Input(workload.name, workload.twin, True, workload.requests, chosen)


def _statistics(path: Path, store: Store) -> dict[str, Any] | None:
    """Return a file's statistics, kept from one evaluation to the next; None for other files."""
    key = store.key({"info": Input(path.name, str(path), False, 0).identity(0)})
    kept = store.get(key)
    if kept is None:
        try:
            kept = api.Trace(path).info()
        except TraceError as error:
            kept = {"error": str(error)}
        store.put(key, kept)
    return None if "error" in kept else kept


def _recognise(plan: Plan, statistics: Mapping[str, Any]) -> Workload | None:
    near = [w for w in plan.workloads if _matches(w, statistics)]
    return near[0] if len(near) == 1 else None


def _matches(workload: Workload, statistics: Mapping[str, Any]) -> bool:
    wanted = {
        "requests": workload.requests,
        "write_share": workload.write_share,
        "mean_write_bytes": workload.mean_write_kib * 1024,
    }
    if workload.mean_read_kib is not None:
        wanted["mean_read_bytes"] = workload.mean_read_kib * 1024
    return all(math.isclose(statistics[k], v, rel_tol=RECOGNISED) for k, v in wanted.items())
