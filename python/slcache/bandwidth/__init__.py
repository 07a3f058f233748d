"""Write bandwidth: what is written to see it, each pattern with its load under each scheme."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from slcache import _core, catalogue
from slcache.errors import ConfigError, about
from slcache.options import refuse
from slcache.options.content import Content

#: The default amount is so many times the largest cache.
CACHES = 3
#: The least that each number of a pattern can be.
_LEAST = {"amount_bytes": 1, "write_bytes": 512, "queue_depth": 1, "bursts": 1, "span_bytes": 1}
#: Settings that a pattern makes, each with the part that makes it.
OWN_KEYS = {
    "host.queue_depth": "the queue depth",
    "host.replay": "whether it comes in bursts",
    "trace.prefill": "--state, which fills a device,",
}


@dataclass(frozen=True)
class Pattern:
    """Sequential writes of one size: without a break, or in bursts with pauses between.

    Without an amount every scheme writes what `default_amount` says. Writes start over after
    `span_bytes`, by default when the device is full.
    """

    amount_bytes: int | None = None
    write_bytes: int = 128 << 10
    queue_depth: int = 32
    bursts: int = 1
    pause_ns: int = 0
    span_bytes: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the pattern as plain data; a pattern without bursts has no pause."""
        plain = dict(vars(self))
        if self.bursts == 1:
            del plain["pause_ns"]
        return plain


@dataclass(frozen=True)
class PatternLoad:
    """A pattern as it is written under one scheme: the amount, and where writes start over."""

    pattern: Pattern
    amount_bytes: int
    footprint_bytes: int

    @property
    def burst_writes(self) -> int:
        """Writes in a burst."""
        return self.amount_bytes // self.pattern.write_bytes // self.pattern.bursts

    @property
    def burst_bytes(self) -> int:
        """Bytes in a burst."""
        return self.burst_writes * self.pattern.write_bytes

    @property
    def written_bytes(self) -> int:
        """Bytes in all: every burst has as many."""
        return self.burst_bytes * self.pattern.bursts

    def workload(self) -> dict[str, Any]:
        """Return what a workload file of it would hold."""
        told, of = "sequential writes for the cliff", self.pattern
        load = (self.burst_writes, of.write_bytes, self.footprint_bytes)
        return sequential(told, *load, of.bursts, of.pause_ns)


def sequential(
    about: str,
    writes: int,
    write_bytes: int,
    footprint_bytes: int,
    bursts: int = 1,
    every_ns: int = 0,
) -> dict[str, Any]:
    """Return what a workload file of sequential writes would hold, `writes` in each burst."""
    found: dict[str, Any] = {
        "about": about,
        "requests": writes * bursts,
        "footprint_bytes": footprint_bytes,
        "global": {"rw": "write", "bs": str(write_bytes)},
    }
    if bursts > 1:
        found["arrivals"] = {
            "process": "bursts",
            "burst_requests": writes,
            "burst_length": "fixed",
            "idle_ns": every_ns,
            "idle_distribution": "fixed",
        }
    return found


def default_amount(device: Content, scheme: str, settings: Mapping[str, Any] | None = None) -> int:
    """Return how many bytes to write so that the cache overflows, at most the device once.

    It is the same for all schemes of a device, so that they can be compared, unless a scheme's
    own settings give it a larger cache, or its cache is no number of blocks.
    Which schemes run together does not matter. Raises ConfigError.
    """
    given = catalogue.flat(settings)
    own = catalogue.settings_for(given, scheme, _schemes())
    config = catalogue.resolve(device=device, scheme=scheme, settings=own)
    return _overflowing(config, _largest_fixed(device, given))


def _overflowing(config: Mapping[str, Any], cache: int) -> int:
    """Return what overflows the cache of a resolved configuration, and one of so many bytes."""
    user_bytes = int(config["device"]["user_bytes"])
    return min(user_bytes, CACHES * max(cache, cache_bytes(config)) or user_bytes)


def _largest_fixed(device: Content, settings: Mapping[str, Any]) -> int:
    """Return the bytes of the largest cache of a scheme whose size does not change."""
    shared = {key: value for key, value in settings.items() if not key.startswith("scheme.")}
    caches = [0]
    for name in _schemes():
        with suppress(ConfigError):
            config = catalogue.resolve(device=device, scheme=name, settings=shared)
            # Of those of Python one may have none, or regions that name their own.
            if name.startswith("ips") or config["scheme"][name].get("slc_blocks"):
                caches.append(cache_bytes(config))
    return max(caches)


def _schemes() -> list[str]:
    return [str(entry["name"]) for entry in catalogue.schemes()]


def cache_bytes(config: Mapping[str, Any]) -> int:
    """Return what the cache of a resolved configuration takes in SLC mode on a new device."""
    return _core.config_cache_bytes(json.dumps(config))


def loads(
    pattern: Pattern,
    *,
    device: Content,
    schemes: Sequence[str],
    settings: Mapping[str, Any] | None = None,
) -> dict[str, PatternLoad]:
    """Return what each scheme will write, which depends on that scheme, device and pattern alone.

    Raises ConfigError, and UsageError where a pattern does not fit the device.
    """
    catalogue.check_schemes(schemes)
    given = catalogue.flat(settings)
    _check(pattern, given)
    # Where no amount is said, all schemes but those with larger caches write the same.
    cache = _largest_fixed(device, given) if pattern.amount_bytes is None else 0
    return {
        name: _load(pattern, device, name, catalogue.settings_for(given, name, schemes), cache)
        for name in schemes
    }


def _check(pattern: Pattern, given: Mapping[str, Any]) -> None:
    """Refuse numbers that mean nothing, and settings that the pattern would override."""
    for name, lowest in _LEAST.items():
        value = getattr(pattern, name)
        if value is not None and value < lowest:
            refuse(name, value, f"must be {lowest} or more")
    if pattern.write_bytes % 512:
        refuse("write_bytes", pattern.write_bytes, "must be a multiple of 512 bytes")
    if pattern.bursts > 1 and pattern.pause_ns < 1:
        refuse("pause_ns", pattern.pause_ns, "must be 1 or more")
    for key, maker in OWN_KEYS.items():
        if key in given:
            told = f"{key} = {given[key]}: has no effect here; {maker} decides it"
            raise about(ConfigError(told), key)


def _load(
    pattern: Pattern, device: Content, scheme: str, own: Mapping[str, Any], cache: int
) -> PatternLoad:
    resolved = catalogue.resolve(device=device, scheme=scheme, settings=own)
    user_bytes = int(resolved["device"]["user_bytes"])
    amount = pattern.amount_bytes
    if amount is None:
        amount = _overflowing(resolved, cache)
    span = user_bytes if pattern.span_bytes is None else pattern.span_bytes
    if span > user_bytes:
        refuse("span_bytes", span, f"the device has {user_bytes} bytes")
    if pattern.span_bytes is not None and span % pattern.write_bytes and span > pattern.write_bytes:
        below = span // pattern.write_bytes * pattern.write_bytes
        told = f"must be whole writes of {pattern.write_bytes} bytes, such as {below}"
        refuse("span_bytes", span, told)
    load = PatternLoad(pattern, amount, span // pattern.write_bytes * pattern.write_bytes)
    if not load.footprint_bytes:
        told = f"does not fit the span of {span} bytes ({scheme})"
        refuse("write_bytes", pattern.write_bytes, told)
    if load.burst_writes < 2:
        least = 2 * pattern.write_bytes * pattern.bursts
        told = f"less than two writes of {pattern.write_bytes} a burst, {least} in all ({scheme})"
        refuse("amount_bytes", amount, told)
    return load
