"""The cliff: write bandwidth over data written, where an SLC cache runs out and recovers."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from slcache import api, catalogue
from slcache.bandwidth.loads import CACHES, Load, Pattern, cache_bytes, default_amount, loads
from slcache.documents import gains as figures
from slcache.errors import ConfigError
from slcache.execute import given as texts
from slcache.execute import several
from slcache.execute.run import Run, beside
from slcache.given.arguments import checked
from slcache.given.content import Content
from slcache.results.result import Result
from slcache.sentences import gains, notes

if TYPE_CHECKING:
    from altair import ConcatChart as Chart

    from slcache.bandwidth.curves import Curve
    from slcache.execute.driver import Executor

__all__ = ["FILES", "Cliff", "Pattern", "cache_bytes", "cliff", "default_amount", "loads", "run"]

#: What a picture of it is written as.
FILES = ("cliff.json", "cliff.svg", "cliff.png")


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

    def plot(self) -> Chart:
        """Draw bandwidth over data written."""
        from slcache.charts import files

        return files.notebook(self.picture())

    def picture(self) -> dict[str, Any]:
        """Return bandwidth over data written as a Vega-Lite specification."""
        from slcache.charts import bandwidth

        return bandwidth.cliff(self.curves, self.pattern.bursts, self.device)


def _curve(load: Load, result: Result) -> Curve:
    from slcache.bandwidth import curves

    document = result.documents[0]
    cache = cache_bytes(document["config"]) or document["cache"]["slc_bytes"]
    # What it does at first shows in a tenth of the data, or of its caches where those are less.
    first_bytes = min(load.written_bytes, CACHES * cache or load.written_bytes) / 10
    if load.pattern.bursts == 1:
        return curves.sustained(document, first_bytes)
    return curves.in_bursts(document, load.burst_bytes, load.pattern.pause_ns, first_bytes)


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
    """Write a pattern to a device under each scheme, `jobs` of them at a time.

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
    labels = catalogue.called(schemes, device=device, settings=given)
    for result, name in zip(done, planned, strict=False):
        result.label = labels[name]
    labelled = zip(planned.values(), done[: len(asked)], strict=True)
    of_title = {run.title: result for run, result in zip(every, done, strict=True)}
    names = {run.title: result.label for run, result in zip(asked, done, strict=False)}
    return Cliff(
        {each.label: (load, each) for load, each in labelled},
        pattern,
        texts.label(texts.text_of(device)),
        {names[title]: of_title[other] for title, other in others.items()},
    )


def _beside(asked: Sequence[Run]) -> tuple[dict[str, str], list[Run]]:
    """Return the titles of runs without a cache by those that they stand beside, and these runs.

    Equal ones are one; a device that cannot run without a cache has none.
    """
    known: dict[tuple[str, str], Run] = {}
    titles = {}
    for run in asked:
        other = beside(run)
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
    state: str | None = None,
    jobs: int | None = None,
    executor: Executor | str = "local",
    store: api.Path | None = None,
    bound: bool = False,
    on_progress: api.Progress | None = None,
) -> Cliff:
    """Write sequentially to a device and tell the bandwidth over the data written.

    Writes of `write_bytes` go on without a break until `amount_bytes` are written, `queue_depth`
    at a time; with `bursts` above 1 in so many equal parts, one every `pause_ns`. Without an
    amount every scheme writes three times what its device takes in SLC mode. Writes start over
    after `span_bytes`, by default when the device is full. `device`, `schemes`, `settings`,
    `state`, `jobs`, `executor` and `store` are those of `compare`, `bound` that of `run`. Raises
    ConfigError, UsageError or RunError.
    """
    given = api.addressed(settings, None, state=state)
    names, left_out = catalogue.named(schemes, device=device, settings=given)
    for sentence in notes.told(left_out, "is left out", "are left out"):
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
