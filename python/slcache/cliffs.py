"""The cliff: write bandwidth over data written, where an SLC cache runs out and recovers."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slcache import catalogue, execute
from slcache.bandwidth import CACHES, Pattern, PatternLoad, cache_bytes, default_amount, loads
from slcache.documents import Pictured, figures
from slcache.errors import UsageError, about
from slcache.execute.run import Run, reference
from slcache.options import content as texts
from slcache.options import models, option, parsing, takes
from slcache.options.content import Content
from slcache.results.result import Result
from slcache.sentences import endurance, notes
from slcache.trace import Progress

if TYPE_CHECKING:
    from slcache.bandwidth.curves import BandwidthCurve
    from slcache.tables.table import Cells

__all__ = ["FILES", "Cliff", "Pattern", "cache_bytes", "cliff", "default_amount", "loads"]

#: What a picture of it is written as.
FILES = ("cliff.json", "cliff.svg", "cliff.png")


class Cliff(Pictured):
    """Write bandwidth over data written, for several schemes on one device."""

    def __init__(
        self,
        runs: Mapping[str, tuple[PatternLoad, Result]],
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
    def curves(self) -> dict[str, BandwidthCurve]:
        """The bandwidth by scheme; pauses are left out."""
        return {name: _curve(load, result) for name, (load, result) in self.runs.items()}

    @property
    def too_coarse(self) -> dict[str, int]:
        """The cache in bytes of each scheme that wrote so much more that its end is not seen."""
        from slcache.bandwidth.curves import STRETCHES

        caches = {
            name: (int(result.documents[0]["cache"]["slc_bytes"]), load.written_bytes)
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

    def __repr__(self) -> str:
        return f"<slcache.Cliff of {', '.join(self.curves)} on {self.device}>"

    def _pairs(self) -> dict[str, tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
        """Return the document of each scheme whose bound was counted, and the one beside it."""
        found = {name: result.documents[0] for name, (_, result) in self.runs.items()}
        others = {name: result.documents[0] for name, result in self.beside.items()}
        return {name: (d, others.get(name)) for name, d in found.items() if "bound" in d}

    def _gains(self) -> dict[str, dict[str, Any]]:
        return {name: figures.gain(*pair) for name, pair in self._pairs().items()}

    def gained(self) -> list[Cells | str]:
        """Return what is programmed dense beside the least, if counted: a table and sentences."""
        return [*endurance.gains_beside(self._pairs()), *endurance.gain_lines_beside(self._pairs())]

    def picture(self) -> dict[str, Any]:
        """Return bandwidth over data written as a Vega-Lite specification."""
        from slcache.charts import performance

        return performance.cliff(self.curves, self.pattern.bursts, self.device)


def _curve(load: PatternLoad, result: Result) -> BandwidthCurve:
    from slcache.bandwidth import curves

    document = result.documents[0]
    cache = document["cache"]["slc_bytes"]
    # What it does at first shows in a tenth of the data, or of its caches where those are less.
    first_bytes = min(load.written_bytes, CACHES * cache or load.written_bytes) / 10
    if load.pattern.bursts == 1:
        return curves.sustained(document, first_bytes)
    return curves.in_bursts(document, load.burst_bytes, load.pattern.pause_ns, first_bytes)


#: Bursts of a pattern of them, and the time from one to the next.
_BURSTS, _PAUSE_NS = 5, 600 * 10**9


def divisor(text: str) -> int:
    """Return k of `1/k`."""
    found = re.fullmatch(r"1(?:/([1-9][0-9]{0,5}))?", text.strip())
    if found is None:
        raise ValueError(f"{text!r}: expected 1/k, such as 1/16")
    return int(found[1] or 1)


@dataclass(frozen=True, kw_only=True)
class _CliffTarget:
    """Schemes on a device, or on a part of it."""

    schemes: Sequence[str] | str | None = option(
        "A,B,...|all",
        "The schemes to compare, separated by commas, or all that the device can run; not with "
        "--like.",
        alias="--scheme",
        offer="schemes",
    )
    device: Content | None = option(*models.DEVICE, offer="devices")
    scale: int = option(
        "1/K",
        "Simulate a K-th of the device, with all its planes.",
        default=1,
        read=divisor,
        range=(1, 999_999),
    )


@dataclass(frozen=True, kw_only=True)
class Writes(models.ExecutionOptions, models.ConfigurationOptions, _CliffTarget):
    """What is written to a device, and under which schemes."""

    pattern: str | None = option(
        "",
        "Write without a pause, or in bursts (default: sustained).",
        words=("sustained", "bursts"),
    )
    amount_bytes: int | None = option(
        "SIZE",
        "Bytes to write in total (default: three times the largest cache of a fixed size on "
        "the device, or the scheme's own if that is larger; at most the device's capacity).",
        name="--amount",
        read=parsing.some_bytes,
        range=parsing.SOME_BYTES,
    )
    bursts: int | None = option(
        "N", "Number of bursts that the amount is divided into (default: 5).", range=(2, 100)
    )
    pause_ns: int | None = option(
        "TIME",
        "Time from the start of a burst to the next (default: 10m).",
        name="--pause",
        read=parsing.some_time_ns,
    )
    write_bytes: int = option(
        "SIZE",
        "Size of each write (default: 128k).",
        default=128 << 10,
        name="--bs",
        read=parsing.some_bytes,
        range=parsing.SOME_BYTES,
    )
    queue_depth: int = option(
        "N", "Writes outstanding (default: 32).", default=32, name="--iodepth", range=(1, 65536)
    )
    span_bytes: int | None = option(
        "SIZE",
        "Address range: continue at its start after so many bytes (default: the device).",
        name="--span",
        read=parsing.some_bytes,
        range=parsing.SOME_BYTES,
    )
    bound: bool = option(
        "",
        "Compare the dense programs with their lower bound, and print the share of the possible"
        " gain. Also simulates a device without a cache.",
        default=False,
    )
    on_progress: Progress | None = None

    @property
    def chosen(self) -> Pattern:
        """The pattern: bursts where there are several, or where they are asked for."""
        named = self.pattern == "bursts"
        count = self.bursts or (_BURSTS if named else 1)
        if self.pause_ns and count == 1:
            told = f"pause_ns = {self.pause_ns}: has no effect without bursts"
            raise about(UsageError(told), "pause_ns")
        pause_ns = (_PAUSE_NS if named else 0) if self.pause_ns is None else self.pause_ns
        return Pattern(
            self.amount_bytes, self.write_bytes, self.queue_depth, count, pause_ns, self.span_bytes
        )

    def rivals(self) -> tuple[Content, list[str], dict[str, Any], dict[str, str]]:
        """Return the device or its part, schemes, settings, and those that cannot run with why."""
        device, _, settings = self.placed(self.device)
        schemes = self.schemes or "all"

        def runs(part: Content) -> None:
            names, _ = catalogue.named_schemes(schemes, device=part, settings=settings)
            catalogue.check_schemes(names)
            catalogue.labels_of(names, device=part, settings=settings)

        if self.scale > 1:
            from slcache.drives import fills

            device = fills.scaled(device, self.scale, runs)
        names, left_out = catalogue.named_schemes(schemes, device=device, settings=settings)
        catalogue.check_schemes(names)
        # It says which scheme does not run.
        catalogue.labels_of(names, device=device, settings=settings)
        return device, names, settings, left_out


@takes(Writes)
def cliff(asked: Writes) -> Cliff:
    """Write sequentially to a device and tell the bandwidth over the data written.

    Writes go on without a break until the amount is written; with `bursts` in so many equal
    parts, one every `pause_ns`. `device`, `schemes` and `settings` are those of `compare`. With
    `bound` the least dense programs are counted, and each scheme's load is written without a cache
    too, where the device can. Raises ConfigError, UsageError or RunError.
    """
    asked.check_executor()
    device, schemes, given, left_out = asked.rivals()
    for sentence in notes.reasons(left_out, "is left out", "are left out"):
        warnings.warn(sentence, stacklevel=4)
    pattern = asked.chosen
    planned = loads(pattern, device=device, schemes=schemes, settings=given)
    chosen = {**given, "trace.prefill": "none"}
    if pattern.bursts > 1:
        chosen["host.queue_depth"] = pattern.queue_depth
    if asked.bound:
        chosen["run.bound"] = True
    runs = [
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
    others, more = _beside(runs) if asked.bound else ({}, [])
    every = [*runs, *more]
    done = execute.results(every, asked, asked.on_progress)
    labels = catalogue.labels_of(schemes, device=device, settings=given)
    for result, name in zip(done, planned, strict=False):
        result.label = labels[name]
    labelled = zip(planned.values(), done[: len(runs)], strict=True)
    of_title = {run.title: result for run, result in zip(every, done, strict=True)}
    names = {run.title: result.label for run, result in zip(runs, done, strict=False)}
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
        if (other := reference(run)) is not None:
            titles[run.title] = known.setdefault((other.trace, other.device), other).title
    return titles, list(known.values())
