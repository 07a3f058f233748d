"""The runs without a cache that the points of a study are held against."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from slcache import catalogue
from slcache._core import ConfigError
from slcache.documents import gains
from slcache.runs import given
from slcache.runs.reference import scheme_of, without_scheme
from slcache.runs.tasks import Values
from slcache.sweep.points import Point


def of(points: Iterable[Point]) -> dict[int, Point]:
    """Return the reference of each point that can run, by the point's index; equal ones are one.

    It has the point's trace, seed and configuration, but for the scheme. Where the device cannot
    run without a cache it has a reason.
    """
    points = list(points)
    first = max((point.index for point in points), default=0) + 1
    known: dict[str, Point] = {}
    found = {}
    for point in points:
        if point.config is None:
            continue
        device = without_scheme(point.config)
        name = json.dumps([point.trace, point.seed, dict(point.trace_options), device])
        if name not in known:
            known[name] = _reference(point, device, first + len(known))
        found[point.index] = known[name]
    return found


def _reference(point: Point, device: Mapping[str, Any], index: int) -> Point:
    assert point.config is not None
    scheme = scheme_of(point.config)
    config, reason = None, None
    try:
        config = catalogue.resolve(device=device, scheme=scheme)
    except ConfigError as error:
        reason = "; ".join(line.strip() for line in str(error).splitlines())
    return replace(
        point,
        index=index,
        device=given.text_of(device),
        scheme=scheme,
        varied={},
        settings={},
        replay=None,
        config=config,
        reason=reason,
    )


def share(values: Values, reference: Values) -> float | None:
    """Return the share of what could be gained over a reference, of the figures of both runs."""
    done, least = values["dense_bytes"], values["dense_least_bytes"]
    return gains.share_of(done, least, reference.get("dense_bytes"))
