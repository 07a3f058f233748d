"""Studies from Python, by the name of their package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from slcache import api
from slcache.given.arguments import checked, refuse
from slcache.given.content import Content
from slcache.named import listed

if TYPE_CHECKING:
    from slcache.study.axes import Value
    from slcache.study.run import Sweep


@checked
def sweep(
    trace: Content | Sequence[Content],
    *,
    device: Content | Sequence[Content] | None = None,
    scheme: str | Sequence[str] | None = None,
    vary: Mapping[str, object] | None = None,
    points: Iterable[Mapping[str, Value]] | None = None,
    sample: str = "grid",
    sample_seed: int = 1,
    seeds: int = 1,
    resample: int | None = None,
    resample_block: str | None = None,
    seed: int | None = None,
    settings: Mapping[str, Any] | None = None,
    config: api.Path | None = None,
    trace_options: Mapping[str, str] | None = None,
    replay: str | None = None,
    state: str | None = None,
    metrics: Sequence[str] | str = (),
    **how: Any,  # noqa: ANN401
) -> Sweep:
    """Run every combination of traces, devices, schemes, varied keys and seeds.

    `vary` has the values of a key as a list or as text, `"1..32"`, `"0.1..1:0.1"`, `"1..64*2"` or
    `"0.1..10/9@log"`; a key is one of the configuration, `reader.KEY` for the trace's reader or
    `workload.KEY`. `sample` is `grid`, `random:N` or `latin-hypercube:N`; `points` lists points in
    place of `vary`. `config` is a file with keys below `settings`, or a whole configuration with
    its device and scheme. Devices and traces may be dicts, as in `run`. With `seeds` every point is
    run with so many seeds from `seed` (or 1) on, and with `resample` on so many draws of each
    recording, as in `compare`. `state` is that of `run`. `metrics` are those that the report judges
    by; `gain_share` holds every point against the same run without a cache. Further arguments are
    those of `run_study`.
    """
    # What runs studies is loaded by whoever runs one.
    from slcache.study.model import Study
    from slcache.study.run import run_study

    asked = Study(
        trace=trace,
        device=device,
        scheme=listed(scheme) if isinstance(scheme, str) else scheme,
        vary=vary,
        point=None if points is None else _listed(points),
        sample=sample,
        sample_seed=sample_seed,
        seeds=seeds,
        resample=resample,
        resample_block=resample_block,
        seed=seed,
        set=api.addressed(settings, None, state=state),
        trace_options=trace_options,
        replay=replay,
        metric=metrics,
        config=config,
    )
    return run_study(asked, **how)


def _listed(points: Iterable[Mapping[str, Value]]) -> list[Mapping[str, Value]]:
    """Return points that are listed one by one; UsageError for what is none."""
    if not isinstance(points, Iterable) or isinstance(points, str | bytes | Mapping):
        refuse("points", points, "must be a list of points, each a dict of keys and values")
    listed = list(points)
    if not listed:
        refuse("points", listed, "must have a point; leave it out where keys are varied")
    for number, point in enumerate(listed, 1):
        if not (isinstance(point, Mapping) and point and all(isinstance(k, str) for k in point)):
            refuse("points", point, f"point {number} must be a dict of keys and values")
    return listed
