"""What can be told of runs before the first: twins that cannot be made, settings refused."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence

from slcache import ConfigError, TraceError, _core, catalogue
from slcache.execute import given
from slcache.given.content import device_of
from slcache.reproduce.jobs import Job
from slcache.traces import api as traces


def refuse(faults: Sequence[str]) -> None:
    """Raise ConfigError for all faults at once, where there are any."""
    if faults:
        raise ConfigError("\n".join(faults))


def faults(jobs: Iterable[Job], where: str) -> list[str]:
    """Return why runs cannot be made, each reason once."""
    found: dict[str, None] = {}
    for job in jobs:
        twins = (each for each in (job.input, *job.after) if each.twin)
        reasons = [_of_workload(t.path, tuple(sorted(t.workload.items()))) for t in twins]
        sets = tuple(catalogue.sets(job.settings))
        if why := _of_settings(job.device, job.scheme, sets, job.replay):
            reasons.append(f"{job.device}, {job.name}: {why}")
        found |= {f"{where}: {reason}": None for reason in reasons if reason}
    return list(found)


@functools.cache
def _of_workload(path: str, figures: tuple[tuple[str, str], ...]) -> str:
    """Return why a workload cannot be made with these figures; many runs share one."""
    try:
        traces.workload(path, dict(figures))
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
