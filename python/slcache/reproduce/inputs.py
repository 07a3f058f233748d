"""One run of an evaluation: its trace or twin, its settings, and what can be told before."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from slcache import ConfigError, TraceError, _core, api, catalogue
from slcache import trace as traces
from slcache.documents import checks
from slcache.execute import given, store
from slcache.execute.engine import Engine
from slcache.execute.run import REPEAT, Options, Run
from slcache.options.content import device_of
from slcache.reproduce.parts import Part, Workload
from slcache.reproduce.plan import Plan
from slcache.reproduce.reading import has_figures

#: How far a file's figures may be from the paper's for the file to be the paper's trace.
RECOGNISED = 0.005

#: A published file's path and statistics.
File = tuple[str, Mapping[str, Any]]

#: For an estimate of how long a repeated trace is.
TYPICAL_WRITE_BYTES = 8192


@dataclass(frozen=True)
class Input(Workload):
    """A workload as it is run: its twin, all of whose figures are in `set`, or a published file."""

    #: The file that is read in place of the twin.
    file: str = ""
    #: Seed of the twin's draw, where that is what is varied.
    draw: int | None = None

    @property
    def path(self) -> str:
        """What is read."""
        return self.file or self.twin

    @property
    def size(self) -> int:
        """About how many requests it has."""
        return self.requests + self.repeat_to_write_bytes // TYPICAL_WRITE_BYTES

    def options(self, seed: int) -> dict[str, str]:
        """Return the trace options of a run; a twin is drawn anew for each seed."""
        if self.file:
            return {}
        return {"seed": str(seed), **{f"workload.{key}": said for key, said in self.set.items()}}

    def within(self, requests: int) -> Input:
        """Return it with at most so many requests, 0 for all, where it is a twin."""
        if self.file or not 0 < requests < self.requests or not has_figures(self.twin):
            return self
        return replace(self, requests=requests, set={**self.set, "requests": str(requests)})


def twins(
    plan: Plan, names: Sequence[str], changes: Mapping[str, object] | None = None
) -> list[Input]:
    """Return the twins of the named workloads; `changes` sets figures that they have."""
    # Only twins have figures to change: the sequential writes of a burst have none.
    return [_twin(w, changes) for w in plan.named(names) if not changes or has_figures(w.twin)]


def recognise(plan: Plan, directory: Path, engine: Engine) -> dict[str, File]:
    """Return the published files that a directory holds, by the workload each of them is.

    Files are recognised by their contents, never by their names.
    """
    found: dict[str, File] = {}
    for path in sorted(p for p in directory.rglob("*") if p.is_file()):
        engine.tell(f"looking at {path.name}", 0, 0)
        told = statistics(str(path), [], engine)
        near = {w.name for w in plan.workloads if told and _matches(w, told)}
        if told and len(near) == 1:
            found.setdefault(near.pop(), (str(path), told))
    return found


def published(plan: Plan, names: Sequence[str], files: Mapping[str, File]) -> list[Input]:
    """Return the workloads, each from its published file where there is one."""
    found = []
    for workload in plan.named(names):
        file, told = files.get(workload.name, ("", {}))
        if file and not workload.as_many_writes:
            said = {"requests": int(told["requests"]), "set": {}, "reduced": {}}
            found.append(Input(**{**vars(workload), **said}, file=file))
        else:
            found.append(_twin(workload, {"requests": told["writes"]} if file else None))
    return found


def _twin(workload: Workload, more: Mapping[str, object] | None = None) -> Input:
    settings = ("buffer.", "device.", "scheme.")
    reduced = {k: v for k, v in workload.reduced.items() if k.startswith(settings)}
    smaller = {k: v for k, v in workload.reduced.items() if k not in reduced}
    repeat = smaller.pop("repeat_to_write_bytes", workload.repeat_to_write_bytes)
    figures = {**workload.set, **smaller, **(more or {})}
    chosen = {key: str(value) for key, value in figures.items()}
    draw = chosen.pop("seed", None)
    said = {
        "requests": int(chosen.get("requests", workload.requests)),
        "set": chosen,
        "reduced": reduced,
        "repeat_to_write_bytes": repeat,
    }
    return Input(**{**vars(workload), **said}, draw=None if draw is None else int(draw))


def statistics(path: str, options: Options, engine: Engine) -> dict[str, Any] | None:
    """Return a trace's statistics, kept from one evaluation to the next; None if unreadable."""
    try:
        read = engine.fingerprint(path, options)
    except TraceError:
        return None
    key = store.key({"info": [read, sorted(options)]})
    kept = engine.store.get(key, _check_statistics)
    if kept is None:
        try:
            kept = api.Trace(path, options=dict(options)).info(engine.progress)
        except TraceError as error:
            kept = {"error": str(error)}
        engine.store.put(key, kept)
    return None if "error" in kept else kept


def _check_statistics(document: object) -> None:
    """Raise ResultError or ValueError for neither a trace's statistics nor why it has none."""
    if not (isinstance(document, dict) and set(map(type, document.values())) == {str}):
        checks.check_printed(document, "trace-info")
        json.dumps(document, allow_nan=False)


def _matches(workload: Workload, told: Mapping[str, Any]) -> bool:
    """Return whether a file is a workload's trace, by what the plan knows of it."""
    # A file that says it is something else, such as a twin, is not the trace.
    if told["summary"]["label"] or not (workload.volume or workload.figures):
        return False
    volumes = [volume["name"] for volume in told["summary"]["volumes"]]
    if workload.volume and volumes != [workload.volume]:
        return False
    return float(told["duration_s"]) >= workload.least_duration_s and all(
        math.isclose(told[name], figure, rel_tol=RECOGNISED)
        for name, figure in workload.figures.items()
    )


@dataclass(frozen=True)
class Job:
    """One run of a part: an input under what the tables call a scheme."""

    part: Part
    input: Input
    name: str
    seed: int
    run: Run


def run_of(each: Input, name: str, lessons: Sequence[Input], draw: int, **said: Any) -> Run:  # noqa: ANN401
    """Return the run of an input; what is `said` of it is a Run's.

    A twin is drawn with the seed `draw`. `lessons` are inputs that the scheme has run before, one
    after the other, and whose memory it brings.
    """
    run = None
    for one in (*lessons, each):
        repeat = one.repeat_to_write_bytes
        run = Run(
            title=f"{one.name}, {name}, seed {said['seed']}",
            trace=one.path,
            trace_options=list(one.options(draw).items()),
            changed={REPEAT: repeat} if repeat else {},
            after=run,
            size=one.size,
            **said,
        )
    assert run is not None
    return run


def refuse(faults: Sequence[str]) -> None:
    """Raise ConfigError for all faults at once, where there are any."""
    if faults:
        raise ConfigError("\n".join(faults))


def faults(jobs: Iterable[Job], where: str) -> list[str]:
    """Return why runs cannot be made, each reason once."""
    found: dict[str, None] = {}
    for job in jobs:
        runs = [job.run]
        while (before := runs[-1].after) is not None:
            runs.append(before)
        # Only twins have options.
        reasons = [_of_workload(run.trace, tuple(run.trace_options)) for run in runs]
        sets = tuple(catalogue.sets(job.run.settings))
        if why := _of_settings(job.run.device, job.run.scheme, sets, job.run.replay):
            reasons.append(f"{job.run.device}, {job.name}: {why}")
        found |= {f"{where}: {reason}": None for reason in reasons if reason}
    return list(found)


@functools.cache
def _of_workload(path: str, options: tuple[tuple[str, str], ...]) -> str:
    """Return why a workload cannot be made with these figures; many runs share one."""
    told = ((key.partition("workload."), said) for key, said in options)
    try:
        if options:
            traces.workload(path, {key: said for (_, of, key), said in told if of})
    except (ConfigError, TraceError) as error:
        return str(error)
    return ""


@functools.cache
def _of_settings(device: str, scheme: str, sets: tuple[str, ...], replay: str | None) -> str:
    """Return why a device does not take these settings; many traces and seeds share them."""
    try:
        _core.resolve(
            {
                "device": device_of(given.content_of(device)),
                "scheme": scheme,
                "sets": list(sets),
                "replay": replay,
            }
        )
    except ConfigError as error:
        return str(error)
    return ""
