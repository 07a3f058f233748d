"""Arguments that several options make together, for the verbs that have all of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slcache import catalogue
from slcache.cli import checks
from slcache.cli import options as opt
from slcache.cli.made import Made
from slcache.given import config_files, states
from slcache.given.config_files import Configuration
from slcache.given.once import once

if TYPE_CHECKING:
    from slcache.reproduce.setups import Setup


def _form(json: opt.Json = False, form: opt.Format = "table") -> opt.Form:
    """Return how to print; --json is short for --format json."""
    if json and form not in ("table", "json"):
        raise typer.BadParameter(f"--json and --format {form} are two forms; give one")
    return "json" if json else form


def recording(
    trace_format: opt.TraceFormat = None,
    trace_option: opt.TraceOptions = None,
    volume: opt.Volume = None,
    unsorted: opt.Unsorted = None,
) -> dict[str, str]:
    """Return what the user says about a trace as options of its reader."""
    named = {"format": trace_format, "volume": volume, "unsorted": unsorted}
    said = {key: value for key, value in named.items() if value is not None}
    return once([*said.items(), *checks.pairs(trace_option).items()], "trace option ")


def trace(
    reader: Annotated[dict[str, str], Made(recording)], workload: opt.Workload = None
) -> dict[str, str]:
    """Return the same of what may be a workload."""
    changed = {f"workload.{key}": value for key, value in checks.pairs(workload).items()}
    return once([*reader.items(), *changed.items()], "trace option ")


def _drawn(
    trace: opt.TracePath,
    reader: Annotated[dict[str, str], Made(trace)],
    seed: opt.Seed = None,
) -> dict[str, str]:
    """Return the same with a seed; only workloads are drawn."""
    from slcache.traces import api as traces

    if seed is None:
        return reader
    if not traces.is_workload(trace):
        raise typer.BadParameter(f"--seed draws a workload, and {trace} is a file")
    return once([("seed", str(seed)), *reader.items()], "trace option ")


def _here(
    jobs: opt.Jobs = None, executor: opt.Executor = "local", store: opt.Kept = None
) -> dict[str, Any]:
    """Return where runs go on and are kept; with an executor that is none nothing is read."""
    checks.check_executor(executor, jobs)
    return {"jobs": jobs, "executor": executor, "store": store}


def _spread_out(
    jobs: opt.Workers = None, executor: opt.Executor = "local", store: opt.Store = None
) -> dict[str, Any]:
    """Return the same of a verb that runs as many at a time as there are processors."""
    return _here(jobs, executor, store)


def _points(
    *,
    config: opt.Config = None,
    sets: opt.Sets = None,
    reader: Annotated[dict[str, str], Made(trace)],
    address: opt.AddressPolicy = None,
    state: opt.State = None,
    replay: opt.Replay = None,
    seeds: opt.EachSeeds = 1,
) -> dict[str, Any]:
    """Return what each point of a search is run with, as Python names it."""
    said = {"config": config, "settings": checks.pairs(sets), "trace_options": reader}
    return {**said, "address": address, "state": state, "replay": replay, "seeds": seeds}


Shown = Annotated[opt.Form, Made(_form)]
Recording = Annotated[dict[str, str], Made(recording)]
Trace = Annotated[dict[str, str], Made(trace)]
DrawnTrace = Annotated[dict[str, str], Made(_drawn)]
Here = Annotated[dict[str, Any], Made(_here)]
Points = Annotated[dict[str, Any], Made(_points)]
SpreadOut = Annotated[dict[str, Any], Made(_spread_out)]


def set_up(reading: str | None) -> Setup | None:
    """Return the set-up of a paper's evaluation that --reading names."""
    if reading is None:
        return None
    # It loads what judges evaluations; other runs do without.
    from slcache.reproduce import setups

    return setups.named(reading)


def configured(
    config: Path | None,
    device: str | None,
    sets: list[str] | None,
    reading: Setup | None = None,
) -> Configuration:
    """Return what --config, --device and --set say together; there must be a device.

    A reading stands for a --device that is not given; its settings are the verb's to add.
    """
    said = checks.pairs(sets)
    found = Configuration() if config is None else config_files.read(config)
    if reading is not None:
        if found.device is not None:
            raise typer.BadParameter(f"{config} describes a device; leave --reading out")
        device = device or reading.device
    if device is not None and found.device is not None:
        raise typer.BadParameter(f"{config} describes a device; leave --device out")
    chosen = found.device if device is None else device
    if chosen is None:
        raise typer.BadParameter(
            "give a device, or a --config that describes one", param_hint="--device"
        )
    return replace(found, device=chosen, settings={**found.settings, **said})


def scheme(named: str | None, given: Configuration) -> str:
    """Return the scheme that --scheme or --config names; there must be one."""
    found = named or given.scheme
    if found is None:
        told = "give a scheme, or a --config with one"
        raise typer.BadParameter(told, param_hint="--scheme")
    return found


def settings(
    sets: list[str] | None, address: opt.Address | None, state: str | None = None
) -> dict[str, Any]:
    """Return what --set, --address and --state say together."""
    own = [] if address is None else [("trace.address", str(address))]
    said = once([*checks.pairs(sets).items(), *own])
    return {**said, **states.begun(state, said)}


def scheme_names(
    text: str,
    device: Any,  # noqa: ANN401
    settings: dict[str, Any],
    normalise: str | None = None,
) -> tuple[list[str], dict[str, str]]:
    """Return the schemes that `--schemes` means, and of `all` those left out with the reason."""
    names, left_out = catalogue.named(text, device=device, settings=settings)
    with checks.told():
        catalogue.check_schemes(names, normalise)
    return names, left_out
