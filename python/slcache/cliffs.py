"""The cliff: write bandwidth over data written, where an SLC cache runs out and recovers."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slcache import _core, api, catalogue
from slcache.documents import gains as figures
from slcache.documents.pools import planes
from slcache.errors import ConfigError, UsageError, about
from slcache.given.arguments import checked
from slcache.given.content import Content
from slcache.results.result import Result
from slcache.runs import given as texts
from slcache.runs import reference, several
from slcache.runs.run import Run
from slcache.sentences import gains, reasons

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from slcache.bandwidth.curves import Curve
    from slcache.runs.executors import Executor

#: What a picture of it is written as.
FILES = ("cliff.json", "cliff.svg", "cliff.png")
#: The default amount is so many times what the device takes in SLC mode.
CACHES = 3


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
class Load:
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
        pattern = self.pattern
        found: dict[str, Any] = {
            "about": "sequential writes for the cliff",
            "requests": self.burst_writes * pattern.bursts,
            "footprint_bytes": self.footprint_bytes,
            "global": {"rw": "write", "bs": str(pattern.write_bytes)},
        }
        if pattern.bursts > 1:
            found["arrivals"] = {
                "process": "bursts",
                "burst_requests": self.burst_writes,
                "burst_length": "fixed",
                "idle_ns": pattern.pause_ns,
                "idle_distribution": "fixed",
            }
        return found


class Cliff:
    """Write bandwidth over data written, for several schemes on one device."""

    def __init__(
        self,
        runs: Mapping[str, tuple[Load, Result]],
        pattern: Pattern,
        device: str,
        beside: Mapping[str, Result] | None = None,
    ) -> None:
        self.runs = dict(runs)
        #: The same runs without a cache, by scheme, where they were asked for and can be.
        self.beside = dict(beside or {})
        self.pattern = pattern
        self.device = device

    @property
    def curves(self) -> dict[str, Curve]:
        """The bandwidth by scheme; pauses are left out."""
        return {name: _curve(load, result) for name, (load, result) in self.runs.items()}

    @property
    def too_coarse(self) -> dict[str, int]:
        """The cache in bytes of each scheme that wrote so much more that its end is not seen."""
        from slcache.bandwidth.curves import STRETCHES

        caches = {
            name: (cache_bytes(result.documents[0]["config"]), load.written_bytes)
            for name, (load, result) in self.runs.items()
        }
        return {
            name: cache
            for name, (cache, written) in caches.items()
            if 0 < cache * STRETCHES < written
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the curves and figures as plain data."""
        rows = {
            name: {"amount_bytes": self.runs[name][0].written_bytes, **curve.to_dict()}
            for name, curve in self.curves.items()
        }
        for name, told in self._gains().items():
            rows[name]["gain"] = told
        return {"device": self.device, "pattern": self.pattern.to_dict(), "schemes": rows}

    def _pairs(self) -> dict[str, tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
        """Return the document of each scheme whose bound was counted, and the one beside it."""
        found = {name: result.documents[0] for name, (_, result) in self.runs.items()}
        others = {name: result.documents[0] for name, result in self.beside.items()}
        return {name: (d, others.get(name)) for name, d in found.items() if "bound" in d}

    def _gains(self) -> dict[str, dict[str, Any]]:
        return {name: figures.told_of(*pair) for name, pair in self._pairs().items()}

    def gain_rows(self) -> list[gains.Row]:
        """Return the table of what is programmed dense beside the least; empty if not counted."""
        return gains.beside(self._pairs())

    def gain_lines(self) -> list[str]:
        """Return the sentences on that table."""
        return gains.lines_beside(self._pairs())

    def to_json(self) -> str:
        """Return the curves and figures as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def plot(self) -> Figure:
        """Draw bandwidth over data written."""
        from slcache.plots import cliff

        return cliff.draw(self.curves, self.pattern.bursts, self.device)


def _curve(load: Load, result: Result) -> Curve:
    from slcache.bandwidth import curves

    document = result.documents[0]
    cache = cache_bytes(document["config"]) or document["cache"]["slc_bytes"]
    # What it does at first shows in a tenth of the data, or of its caches where those are less.
    first_bytes = min(load.written_bytes, CACHES * cache or load.written_bytes) / 10
    if load.pattern.bursts == 1:
        return curves.sustained(document, first_bytes)
    return curves.in_bursts(document, load.burst_bytes, load.pattern.pause_ns, first_bytes)


def default_amount(device: Content, scheme: str, settings: Mapping[str, Any] | None = None) -> int:
    """Return how many bytes to write so that the cache overflows, at most the device once.

    It is the same for all schemes of a device, so that they can be compared, unless a scheme's
    own settings give it a larger cache, or its cache is no number of blocks.
    Which schemes run together does not matter. Raises ConfigError.
    """
    known = [str(entry["name"]) for entry in catalogue.schemes()]
    given = catalogue.flat(settings)
    shared = {key: value for key, value in given.items() if not key.startswith("scheme.")}
    own = catalogue.resolve(
        device=device, scheme=scheme, settings=catalogue.settings_for(given, scheme, known)
    )
    caches = [cache_bytes(own) or _core.config_cache_bytes(json.dumps(own))]
    for name in known:
        with suppress(ConfigError):
            caches.append(
                cache_bytes(catalogue.resolve(device=device, scheme=name, settings=shared))
            )
    user_bytes = int(own["device"]["user_bytes"])
    return min(user_bytes, CACHES * max(caches) or user_bytes)


def cache_bytes(config: Mapping[str, Any]) -> int:
    """Return what a device takes in SLC mode under the scheme of a resolved configuration."""
    blocks = next(iter(config["scheme"].values())).get("slc_blocks", 0)
    return sum(_slc_bytes(pool, blocks) for pool in config["device"]["pool"])


def _slc_bytes(pool: Mapping[str, Any], slc_blocks: int) -> int:
    """Return what a pool takes in SLC mode: in SLC blocks, and in blocks of two-layer layout."""
    layers = pool.get("reprogram")
    pages = slc_blocks * pool["wordlines"]
    if layers:
        pages += pool["blocks"] * layers["wordlines_per_layer"] * layers["layers"]
    return int(planes(pool) * pages * pool["page_bytes"])


#: The least that each number of a pattern can be.
_LEAST = {
    "amount_bytes": 1,
    "write_bytes": 512,
    "queue_depth": 1,
    "bursts": 1,
    "span_bytes": 1,
}
#: Settings that a pattern makes, each with the part that makes it.
OWN_KEYS = {
    "host.queue_depth": "the queue depth",
    "host.replay": "whether it comes in bursts",
    "trace.prefill": "an empty device",
}


def loads(
    pattern: Pattern,
    *,
    device: Content,
    schemes: Sequence[str],
    settings: Mapping[str, Any] | None = None,
) -> dict[str, Load]:
    """Return what each scheme will write, which depends on that scheme, device and pattern alone.

    Raises ConfigError, and UsageError where a pattern does not fit the device.
    """
    catalogue.check_schemes(schemes, None)
    given = catalogue.flat(settings)
    _check(pattern, given)
    catalogue.called(schemes, device=device, settings=given)
    return {
        name: _load(pattern, device, name, catalogue.settings_for(given, name, schemes))
        for name in schemes
    }


def _check(pattern: Pattern, given: Mapping[str, Any]) -> None:
    """Refuse numbers that mean nothing, and settings that the pattern would override."""
    for name, lowest in _LEAST.items():
        value = getattr(pattern, name)
        if value is not None and value < lowest:
            raise _wrong(name, value, f"must be {lowest} or more")
    if pattern.write_bytes % 512:
        raise _wrong("write_bytes", pattern.write_bytes, "must be a multiple of 512 bytes")
    if pattern.bursts > 1 and pattern.pause_ns < 1:
        raise _wrong("pause_ns", pattern.pause_ns, "must be 1 or more")
    for key, maker in OWN_KEYS.items():
        if key in given:
            told = f"{key} = {given[key]}: has no effect here; {maker} decides it"
            raise about(ConfigError(told), key)


def _wrong(name: str, value: int, told: str) -> UsageError:
    return about(UsageError(f"{name} = {value}: {told}"), name)


def _load(pattern: Pattern, device: Content, scheme: str, own: Mapping[str, Any]) -> Load:
    resolved = catalogue.resolve(device=device, scheme=scheme, settings=own)
    fill = resolved["precondition"]["fill"]
    if fill:
        # Wherever it was said: a device file and a whole configuration may have it too.
        told = f"precondition.fill = {fill:g}: must be 0: the pattern begins on an empty device"
        raise about(ConfigError(told), "precondition.fill")
    user_bytes = int(resolved["device"]["user_bytes"])
    amount = pattern.amount_bytes
    if amount is None:
        amount = default_amount(device, scheme, own)
    span = user_bytes if pattern.span_bytes is None else pattern.span_bytes
    if span > user_bytes:
        raise _wrong("span_bytes", span, f"the device has {user_bytes} bytes")
    load = Load(pattern, amount, span // pattern.write_bytes * pattern.write_bytes)
    if not load.footprint_bytes:
        told = f"does not fit the span of {span} bytes ({scheme})"
        raise _wrong("write_bytes", pattern.write_bytes, told)
    if load.burst_writes < 2:
        least = 2 * pattern.write_bytes * pattern.bursts
        told = f"less than two writes of {pattern.write_bytes} a burst, {least} in all ({scheme})"
        raise _wrong("amount_bytes", amount, told)
    return load


def run(
    pattern: Pattern,
    *,
    device: Content,
    schemes: Sequence[str],
    settings: Mapping[str, Any] | None = None,
    jobs: int | None = None,
    executor: Executor | str = "local",
    store: api.Path | None = None,
    bound: bool = False,
    progress: api.Progress | None = None,
) -> Cliff:
    """Write a pattern to an empty device under each scheme, `jobs` of them at a time.

    `executor` and `store` are those of `compare`. With `bound` the least dense programs are
    counted, and each scheme's load is written without a cache too, where the device can. Raises
    ConfigError or RunError, and UsageError where a pattern does not fit the device.
    """
    given = catalogue.flat(settings)
    planned = loads(pattern, device=device, schemes=schemes, settings=given)
    chosen = {**given, "trace.prefill": "none"}
    if pattern.bursts > 1:
        chosen["host.queue_depth"] = pattern.queue_depth
    if bound:
        chosen["run.bound"] = True
    asked = [
        Run(
            title=name,
            trace=texts.text_of(load.workload()),
            device=texts.text_of(device),
            scheme=name,
            settings=catalogue.settings_for(chosen, name, schemes),
            replay=f"closed:{pattern.queue_depth}" if pattern.bursts == 1 else None,
        )
        for name, load in planned.items()
    ]
    others, more = _beside(asked) if bound else ({}, [])
    every = [*asked, *more]
    done = several.results(every, jobs=jobs, executor=executor, store=store, progress=progress)
    labelled = zip(planned.values(), done[: len(asked)], strict=True)
    of_title = {run.title: result for run, result in zip(every, done, strict=True)}
    names = {run.title: result.label for run, result in zip(asked, done, strict=False)}
    return Cliff(
        {each.label: (load, each) for load, each in labelled},
        pattern,
        _name(device),
        {names[title]: of_title[other] for title, other in others.items()},
    )


def _beside(asked: Sequence[Run]) -> tuple[dict[str, str], list[Run]]:
    """Return the titles of runs without a cache by those that they stand beside, and these runs.

    Equal ones are one; a device that cannot run without a cache has none.
    """
    known: dict[tuple[str, str], Run] = {}
    titles = {}
    for run in asked:
        other = reference.beside(run)
        with suppress(ConfigError):
            if other.config and other.scheme != run.scheme:
                titles[run.title] = known.setdefault((other.trace, other.device), other).title
    return titles, list(known.values())


@checked
def cliff(
    *,
    device: Content,
    schemes: Sequence[str] | str = "all",
    amount_bytes: int | None = None,
    write_bytes: int = 128 << 10,
    queue_depth: int = 32,
    bursts: int = 1,
    pause_ns: int = 0,
    span_bytes: int | None = None,
    settings: Mapping[str, Any] | None = None,
    jobs: int | None = None,
    executor: Executor | str = "local",
    store: api.Path | None = None,
    bound: bool = False,
    on_progress: api.Progress | None = None,
) -> Cliff:
    """Write sequentially to an empty device and tell the bandwidth over the data written.

    Writes of `write_bytes` go on without a break until `amount_bytes` are written, `queue_depth`
    at a time; with `bursts` above 1 in so many equal parts, one every `pause_ns`. Without an
    amount every scheme writes three times what its device takes in SLC mode. Writes start over
    after `span_bytes`, by default when the device is full. `device`, `schemes`, `settings`,
    `jobs`, `executor` and `store` are those of `compare`, `bound` that of `run`. Raises
    ConfigError, UsageError or RunError.
    """
    given = catalogue.flat(settings)
    names, left_out = catalogue.named(schemes, device=device, settings=given)
    for sentence in reasons.told(left_out, "is left out", "are left out"):
        warnings.warn(sentence, stacklevel=2)
    pattern = Pattern(amount_bytes, write_bytes, queue_depth, bursts, pause_ns, span_bytes)
    return run(
        pattern,
        device=device,
        schemes=names,
        settings=given,
        jobs=jobs,
        executor=executor,
        store=store,
        bound=bound,
        progress=on_progress,
    )


def _name(device: Content) -> str:
    """Return what a picture calls a device."""
    if isinstance(device, Mapping):
        return str(device.get("device", {}).get("name", "device"))
    return os.fspath(device)
