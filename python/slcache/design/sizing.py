"""The search for the smallest or largest size of anything that keeps bounds on metrics."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

from slcache import api, catalogue, files
from slcache.design import search
from slcache.design.answer import Find
from slcache.design.pace import Pace
from slcache.design.sized import FILES, Plan, Size, Sized
from slcache.errors import RunError, UsageError, about
from slcache.given import quantity
from slcache.given.arguments import checked
from slcache.given.content import Content
from slcache.given.once import flatten, once
from slcache.runs import given
from slcache.runs.executors import Executor, named
from slcache.sweep import points as sweep_points
from slcache.sweep.axes import Axis
from slcache.sweep.study import StudyError
from slcache.traces.api import Progress
from slcache.tune import asking
from slcache.tune.runs import Asked, Runs
from slcache.tune.search import Found, check_figures
from slcache.tune.space import SCHEME

#: The configuration of each is made before the first runs, which takes about a millisecond.
SIZES_MOST = 10_000
_WHOLE = Fraction(1)


@checked
def size(
    trace: Content,
    *,
    device: Content | None = None,
    scheme: str | None = None,
    size: Mapping[str, object],
    keep: str | Sequence[str],
    find: str = "smallest",
    seeds: int = 1,
    seed: int | None = None,
    settings: Mapping[str, Any] | None = None,
    config: api.Path | None = None,
    trace_options: Mapping[str, str] | None = None,
    address: str | None = None,
    state: str | None = None,
    replay: str | None = None,
    out: api.Path | None = None,
    store: api.Path | None = None,
    jobs: int | None = None,
    executor: Executor | str = "local",
    on_progress: Progress | None = None,
) -> Sized:
    """Find the smallest size that keeps bounds on metrics, or the largest.

    `size` has a key and what it may be, as in `slcache.sweep`:
    `{"scheme.baseline.slc_blocks": "4..64"}`, a range with a step or a list of numbers. `keep`
    has one bound or several, such as `"waf<=2"`, `"write_p99<=5ms"` or
    `"lifetime_host_bytes>=50TiB"`, of the metrics of `slcache.metrics`; `find` says which of the
    sizes that keep them all is wanted, the `"smallest"` or the `"largest"`. A coarse grid is
    followed by bisection. Sizes that the device or scheme refuses are left out. That no size
    keeps the bounds is an answer too: `chosen` is None, `nearest` the best. `out` gets
    design.json, a picture and chosen.toml. The other arguments are those of `slcache.tune`.
    """
    if find not in ("smallest", "largest"):
        raise about(UsageError(f"find = {find}: must be smallest or largest"), "find")
    way: Find = "smallest" if find == "smallest" else "largest"
    place, schemes, config = asking.configured(config, device, scheme)
    space = asking.space(schemes, place, size)
    if len(space.schemes) != 1 or len(space.axes) != 1:
        told = "a design is of one scheme and one key; slcache tune searches over several"
        raise about(UsageError(told), "size")
    goals = asking.goals((), (), [keep] if isinstance(keep, str) else keep)
    if not goals.bounds:
        raise about(UsageError("keep: a design needs a bound, such as waf<=2"), "keep")
    asked = Asked(
        trace=asking.trace(trace),
        device=place,
        schemes=space.schemes,
        settings=catalogue.flat(api.addressed(settings, address, state=state)),
        trace_options=dict(trace_options or {}),
        replay=replay,
        seeds=seeds,
        seed=seed,
        config=config,
        metrics=list(dict.fromkeys(bound.metric for bound in goals.bounds)),
    )
    asking.check(asked, space)
    (axis,) = space.axes
    (said,) = once(flatten(size)).values()
    plan = Plan(axis.key, _said(said), _numbers(axis), goals, way)
    return _designed(asked, plan, out, store, executor, jobs, on_progress)


def _said(said: object) -> str:
    """Return what the key may be, as it could be said."""
    return ",".join(map(str, said)) if isinstance(said, list | tuple) else str(said)


def _numbers(axis: Axis) -> list[int | float]:
    """Return the sizes, the smallest first; raises UsageError for what is none."""
    if not axis.values:
        told = f"size: {axis.key} = {axis.low}..{axis.high}: which sizes are there? Add a step"
        raise about(UsageError(f"{told}, as in A..B:STEP, or a number of points, A..B/9"), "size")
    found = sorted({_number(axis.key, value) for value in axis.values})
    if len(found) > SIZES_MOST:
        told = f"size: {axis.key}: {len(found):,} sizes; at most {SIZES_MOST:,} are allowed"
        # What every size is a multiple of, each of fewer is.
        least = min(after - before for before, after in pairwise(found))
        step = least * math.ceil((found[-1] - found[0]) / least / (SIZES_MOST - 1))
        by = step if isinstance(step, int) else f"{step:.9g}"
        stepped = f"{axis.key}={found[0]}..{found[-1]}:{by}"
        raise about(UsageError(f"{told}. Add a step, such as {stepped}"), "size")
    return found


def _number(key: str, value: object) -> int | float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    try:
        return quantity.size_bytes(str(value))
    except ValueError as error:
        told = f"size: {key} = {str(value)[:60]}: is no number and no size, such as 64 or 4MiB"
        raise about(UsageError(told), "size") from error


def _designed(
    asked: Asked,
    plan: Plan,
    out: api.Path | None,
    store: api.Path | None,
    executor: Executor | str,
    jobs: int | None,
    progress: Progress | None,
) -> Sized:
    """Search, and write what was found to `out`."""
    read = given.inputs((asked.trace,), (asked.device,), asked.config)
    if out is not None:
        files.Transaction(out, FILES, read).check()
    plan, left_out = _possible(asked, plan)
    with tempfile.TemporaryDirectory() as scratch:
        kept = Path(store or (scratch if out is None else Path(out) / "store"))
        with named.workers(executor, jobs) as workers:
            pace = Pace("points", search.steps_most(len(plan.sizes) - 1) * asked.seeds, progress)
            measuring = _Measuring(plan, asked, Runs(asked, kept, workers, None, pace), pace)
            search.smallest(len(plan.sizes) - 1, measuring, lambda _: 0.0)
    found = Sized(asked, plan, plan.sizes, measuring.in_order(), left_out)
    _check_figures(found)
    if out is not None:
        files.write(out, found.files(), read)
    return found


def _possible(asked: Asked, plan: Plan) -> tuple[Plan, dict[int | float, str]]:
    """Return the plan with the sizes that can run, and the reason for each that cannot.

    Raises StudyError where none can.
    """
    (scheme,) = asked.schemes
    listed = [{plan.key: each} for each in plan.sizes]
    # A size is refused or not whatever the seed.
    every = sweep_points.points(asked.study(scheme, listed))[:: asked.seeds]
    if all(point.reason is not None for point in every):
        raise StudyError("\n".join(sweep_points.told(every)))
    pairs = list(zip(plan.sizes, every, strict=True))
    left_out = {
        each: search.reason_of(point.reason) for each, point in pairs if point.reason is not None
    }
    sizes = [each for each in plan.sizes if each not in left_out]
    return replace(plan, sizes=sizes), left_out


def _check_figures(found: Sized) -> None:
    """Raise RunError where nothing was measured that a bound is about."""
    done = [point.found for point in found.points if point.found.status == "done"]
    if not done:
        reasons = dict.fromkeys(str(point.found.reason) for point in found.points)
        raise RunError(f"no size of {found.plan.key} can be run: {'; '.join(reasons)}")
    check_figures(found.plan.metrics, done)


class _Measuring:
    """Runs sizes by their places, several at once; place 0 is that of the size wanted most."""

    def __init__(self, plan: Plan, asked: Asked, runs: Runs, pace: Pace) -> None:
        self._plan, self._runs, self._pace = plan, runs, pace
        (self._scheme,) = asked.schemes
        self._seeds = asked.seeds
        self._sizes = plan.sizes if plan.find == "smallest" else plan.sizes[::-1]
        self._points: dict[int | float, Size] = {}

    def __call__(self, places: Sequence[int]) -> dict[int, float]:
        """Return how far the sizes at these places are within the bounds, 0 or more if they are."""
        settings = [{SCHEME: self._scheme, self._plan.key: self._sizes[i]} for i in places]
        found: Sequence[Found] = self._runs.evaluate(settings, _WHOLE)
        self._pace.ended(len(places) * self._seeds)
        told = {i: Size(self._sizes[i], each) for i, each in zip(places, found, strict=True)}
        self._points |= {point.size: point for point in told.values()}
        return {i: self._plan.within(point) for i, point in told.items()}

    def in_order(self) -> list[Size]:
        """Return the points, the smallest size first."""
        return [self._points[each] for each in sorted(self._points)]
