"""What a search is asked: from arguments to a plan and what its points have in common, checked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from slcache import _core, api, catalogue
from slcache.errors import ConfigError, UsageError, about
from slcache.execute import draws, given
from slcache.given import config_files, quantity
from slcache.given.content import Content
from slcache.given.once import flatten, once, twice
from slcache.search.goals import Goals
from slcache.search.runs import Asked
from slcache.search.search import Plan
from slcache.search.space import Space
from slcache.sweep import points as sweep_points
from slcache.sweep import study, table
from slcache.sweep.axes import Axis, Value
from slcache.sweep.points import READER, WORKLOAD

#: The configuration of each is made before the first runs, which takes about a millisecond.
VALUES_MOST = 10_000


def trace(said: Content | Sequence[Content]) -> str:
    """Return the trace as a text; raises UsageError for several."""
    if isinstance(said, Sequence) and not isinstance(said, str):
        told = f"trace: a search is of one trace, and {len(said)} are given; a sweep takes several"
        raise about(UsageError(told), "trace")
    return given.text_of(said)


def configured(
    config: api.Path | None, device: Content | None, scheme: str | Sequence[str] | None
) -> tuple[str, Sequence[str], str | None]:
    """Return the device, the schemes and the file of single keys that arguments say together."""
    devices = () if device is None else (given.text_of(device),)
    listed = scheme.split(",") if isinstance(scheme, str) else scheme or ()
    said = {"config": config, "device": devices, "scheme": [name.strip() for name in listed]}
    found = study.configured(said)
    for what in ("device", "scheme"):
        if not found[what]:
            raise config_files.missing(what)
    schemes = found["scheme"]
    return (
        found["device"] if isinstance(found["device"], str) else found["device"][0],
        [schemes] if isinstance(schemes, str) else schemes,
        found.get("config"),
    )


def space(schemes: Sequence[str], device: str, vary: Mapping[str, object]) -> Space:
    """Return the space; raises UsageError or ConfigError."""
    names, _ = catalogue.named(schemes, device=given.content_of(device))
    if not names:
        raise about(UsageError("scheme: a search needs at least one"), "scheme")
    try:
        axes = [Axis.read(key, said) for key, said in once(flatten(vary)).items()]
    except ValueError as error:
        raise ConfigError(str(error)) from error
    said = twice(names, catalogue.canonical())
    if said is not None:
        raise about(UsageError(f"scheme: {said}"), "scheme")
    if not axes and len(names) < 2:
        raise about(UsageError("vary: a search needs at least one key that may be varied"), "vary")
    return Space(names, axes)


def goals(
    minimise: Sequence[str],
    maximise: Sequence[str],
    such_that: Sequence[str],
    least: str | None,
    most: str | None,
) -> Goals:
    """Return what is searched by; raises UsageError."""
    try:
        return Goals.read(minimise, maximise, such_that, least, most)
    except ValueError as error:
        raise UsageError(str(error)) from error


def sized(space: Space, key: str) -> Space:
    """Return the space of one key with its values as numbers, the smallest first.

    Raises UsageError for a space of other keys, or of values that are no numbers.
    """
    if len(space.schemes) != 1 or [axis.key for axis in space.axes] != [key]:
        told = "is searched for alone, under one scheme: vary this key and no other"
        raise about(UsageError(f"vary: {key} {told}"), "vary")
    (axis,) = space.axes
    return replace(space, axes=[axis.model_copy(update={"values": tuple(_numbers(axis))})])


def _numbers(axis: Axis) -> list[int | float]:
    if not axis.values:
        told = f"vary: {axis.key} = {axis.low}..{axis.high}: which values are there? Add a step"
        raise about(UsageError(f"{told}, as in A..B:STEP, or a number of points, A..B/9"), "vary")
    found = sorted({_number(axis.key, value) for value in axis.values})
    if len(found) > VALUES_MOST:
        told = f"vary: {axis.key}: {len(found):,} values; at most {VALUES_MOST:,} are allowed"
        # What every value is a multiple of, each of fewer is.
        least = min(after - before for before, after in pairwise(found))
        step = least * math.ceil((found[-1] - found[0]) / least / (VALUES_MOST - 1))
        by = step if isinstance(step, int) else f"{step:.9g}"
        stepped = f"{axis.key}={found[0]}..{found[-1]}:{by}"
        raise about(UsageError(f"{told}. Add a step, such as {stepped}"), "vary")
    return found


def _number(key: str, value: Value) -> int | float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    try:
        return quantity.size_bytes(str(value))
    except ValueError as error:
        told = f"vary: {key} = {str(value)[:60]}: is no number and no size, such as 64 or 4MiB"
        raise about(UsageError(told), "vary") from error


def check(asked: Asked, space: Space) -> None:
    """Raise UsageError or ConfigError for a search that cannot be, before anything is run."""
    if _core.is_read_once(given.label(asked.trace)):
        told = f"a search reads its trace again and again, and {asked.trace} can be read only once"
        raise about(UsageError(f"{told}: give a file that stays"), "trace")
    whole = asked.whole(axis.key for axis in space.axes)
    table.check_names(whole)
    sweep_points.check_keys(whole)
    if asked.seeds > 1 and not given.is_workload(asked.trace):
        single = replace(asked, seeds=1)
        studies = (single.study(scheme, space.corners(scheme)) for scheme in asked.schemes)
        every = (point.config for study in studies for point in sweep_points.points(study))
        if known := [config for config in every if config is not None]:
            draws.check_seeds(asked.seeds, known)


def check_plan(plan: Plan, asked: Asked) -> None:
    """Raise UsageError or ConfigError for a search by a sampler that cannot be."""
    check(asked, plan.space)
    for scheme in asked.schemes:
        # A key that no scheme knows is an error before anything is run.
        sweep_points.points(asked.study(scheme, [plan.space.first(scheme)]))
    if plan.prefixes:
        _check_prefixes(plan, asked.trace)


def _check_prefixes(plan: Plan, trace: str) -> None:
    """Raise UsageError for a search that cannot judge points by a beginning of the trace."""
    told = None
    if given.path_of(trace) is None:
        told = "need a trace or workload that is a file or a preset, not a dict"
    of_trace = [a.key for a in plan.space.axes if a.key.startswith((READER, WORKLOAD))]
    if plan.goals.several:
        names = ", ".join(plan.goals.metrics)
        told = f"points are stopped by one metric, not by several: {names}"
    elif plan.sampler not in ("tpe", "random"):
        told = f"go with the samplers tpe and random, not {plan.sampler}"
    elif of_trace:
        told = f"{of_trace[0]} is varied, and with it the trace"
    if told is not None:
        raise about(UsageError(f"prefixes: {told}"), "prefixes")
