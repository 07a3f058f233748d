"""The comparison: a trace under several schemes, once, with several seeds or as several draws."""

from __future__ import annotations

import itertools
import os
import pathlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from slcache import api, bounds, catalogue
from slcache.errors import UsageError, about
from slcache.execute import given as texts
from slcache.execute import several
from slcache.execute.run import Run
from slcache.files import Path
from slcache.given import content
from slcache.given.arguments import checked
from slcache.given.content import Content, Settings
from slcache.given.once import twice
from slcache.given.quantity import WORN
from slcache.results import Comparison, Result, comparison
from slcache.sentences import notes
from slcache.traces.api import Progress
from slcache.words.names import in_file_name

if TYPE_CHECKING:
    from slcache.execute.driver import Executor


#: What a comparison may turn round between.
BOTH = ("empty", WORN)


@checked
def compare(
    trace: Content,
    *,
    device: Content | Sequence[Content] | None = None,
    schemes: Sequence[str] | str,
    normalise: str | None = None,
    settings: Settings | None = None,
    trace_format: str | None = None,
    trace_options: Mapping[str, str] | None = None,
    address: str | None = None,
    replay: str | None = None,
    window: str | None = None,
    seed: int | None = None,
    state: str | None = None,
    seeds: int = 1,
    resample: int | None = None,
    resample_block: str | None = None,
    equal_cells: bool = False,
    memory_in: Path | None = None,
    log: Path | None = None,
    timeline: Path | None = None,
    timeline_from: str | None = None,
    timeline_until: str | None = None,
    timeline_around: str | None = None,
    timeline_every: int | None = None,
    jobs: int | None = None,
    executor: Executor | str = "local",
    store: Path | None = None,
    gb_per_day: float | None = None,
    on_progress: Progress | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Replay a trace on a device under several schemes.

    `schemes` is a list, or `"all"` for every one that the device can run; a warning names those
    left out. `"client:dynamic.share=0.5"` is a scheme with settings of its own, so that one scheme
    can be compared with itself. Of several devices, a list, each runs every scheme. Figures are
    normalised to `normalise`, by default the first scheme. A setting under `scheme.<name>` goes to
    that scheme only, and `memory_in` to those that have a memory. `log` writes a table of requests
    for each scheme: `requests.parquet` means `requests-NAME.parquet`; so does `timeline`. Around
    `slowest` and `cliff` is each scheme's own slowest request or cliff, `request=N` is one request
    in all of them.

    `state` is that of `run`: which scheme wins may hang on it, which `in_states` shows.

    With `seeds` above 1 everything is run with so many seeds from `seed` on, a workload drawn
    anew for each: a `SeededComparison` tells means with intervals, and which differences are
    inside the noise. A recording is the same for every seed, and is refused where nothing else is
    drawn: `resample` runs it as it is and drawn anew so many times. A draw is its stretches of time
    in random order, `resample_block` long on average, such as `"30s"`; by default a twentieth of
    the recording.

    `equal_cells` leaves schemes without a cache as many dense blocks as those with one have
    beside it. `jobs` runs go on at a time, each in a process of its own where that is more than
    one, or on the `executor` of `slcache.sweep`; the figures are the same. Results are kept in
    the folder `store`, where there is one, and found there: a comparison that was ended goes on.
    Runs that write a log or a timeline or read a memory are not kept. The other arguments are those
    of `run`.
    """
    unpacked = [content.unpacked(each, settings) for each in _several(device)]
    given = api.addressed(unpacked[0][2], address, window, state)
    progress = api.reporting(on_progress, progress)
    drawn = texts.of_trace(resample, resample_block, texts.text_of(trace), seeds)
    count = resample or seeds
    groups: list[list[Run]] = []
    # No comprehension: the warning is for whoever called this.
    for place, _, _ in unpacked:
        run = Run("", texts.text_of(trace), texts.text_of(place), "", given, (), replay, seed)
        groups.append(_of_schemes(replace(run, memory_in=memory_in), schemes, normalise))
    groups = groups if len(groups) == 1 else _named(groups)
    whole = [run.config for group in groups for run in group]
    if seeds > 1 and not texts.is_workload(texts.text_of(trace)):
        texts.check_seeds(seeds, whole)
    every = _seeds(whole[0], seed, count)
    own = {} if resample is None else {"": next(iter(every.values()))}
    groups = _equal_cells(groups) if equal_cells else groups

    def seeded(run: Run, mark: str, number: int | None) -> Run:
        options = drawn(trace_options, number) if mark or not own else trace_options
        own_settings = {k: v for k, v in run.settings.items() if count == 1 or k != "run.seed"}
        return replace(
            run,
            title=run.title + mark,
            settings=own_settings,
            trace_options=api.reader_options_of(trace, trace_format, options, number),
            seed=number,
            log=None if log is None else _log_of(log, run.title + mark),
        )

    runs = [run for group in groups for run in group]
    labelled = [run.title for run in runs]
    _check_file_names(labelled, log, timeline)
    asked = [seeded(run, mark, number) for mark, number in (own | every).items() for run in runs]

    def done(runs: Sequence[Run]) -> list[Result]:
        return several.results(runs, jobs=jobs, executor=executor, store=store, progress=progress)

    stretch = (timeline_from, timeline_until, timeline_around, timeline_every)
    if timeline is not None or stretch != (None,) * 4:
        # What reads logs is loaded by whoever wants a timeline.
        from slcache.execute import timelines

        files_of = [label + mark for mark in own | every for label in labelled]
        results = timelines.results(asked, files_of, timeline, stretch, done)
    else:
        results = done(asked)
    for result, label in zip(results, itertools.cycle(labelled), strict=False):
        result.label = label
    reference = next((run.title for run in runs if run.scheme == normalise), None)
    each = len(labelled)
    curve = bounds.of_comparison(asked[0], results[:each]) if len(groups) == 1 else None
    if count == 1:
        return Comparison(results, reference, curve).told_at(gb_per_day)
    # Pictures are of the first seed, or of the recording.
    found = [
        Comparison(results[start : start + each], reference, None if start else curve)
        for start in range(0, len(results), each)
    ]
    from slcache.results.seeded import SeededComparison

    return SeededComparison(found).told_at(gb_per_day)


def in_states(
    trace: Content,
    states: Sequence[str] = BOTH,
    **how: Any,  # noqa: ANN401
) -> dict[str, Comparison]:
    """Replay a trace under several schemes in each of some states of the device before it.

    `states` are those of `run`, by default an empty and a worn device; `how` has the other
    arguments of `compare`.
    """
    return {state: compare(trace, state=state, **how) for state in states}


def _of_schemes(run: Run, schemes: Sequence[str] | str, normalise: str | None) -> list[Run]:
    """Return a run under each of some schemes, of which those that learn have its memory.

    A warning names those of all that the device cannot run.
    """
    device, settings = texts.content_of(run.device), run.settings
    names, left_out = catalogue.named(schemes, device=device, settings=settings)
    for sentence in notes.told(left_out, "is left out", "are left out"):
        warnings.warn(sentence, stacklevel=4)
    catalogue.check_schemes(names, normalise)
    learning = [] if run.memory_in is None else catalogue.remembering(names)
    labels = catalogue.called(
        names, device=device, settings=settings, replay=run.replay, seed=run.seed
    )
    # The bound of each run is counted, unless something is said of it.
    counted = {} if "run.bound" in settings else {"run.bound": True}
    return [
        replace(
            run,
            title=labels[name],
            scheme=name,
            settings=counted | catalogue.settings_for(settings, name, names),
            memory_in=run.memory_in if name in learning else None,
        )
        for name in names
    ]


def _several(device: Content | Sequence[Content] | None) -> Sequence[Content | None]:
    """Return the devices, of which there may be one; UsageError for an empty list."""
    many = device if isinstance(device, Sequence) and not isinstance(device, str) else [device]
    if not many:
        raise about(UsageError("device: a comparison needs at least one"), "device")
    return many


def _named(groups: Sequence[Sequence[Run]]) -> list[list[Run]]:
    """Name the device in each title; UsageError where two are called the same."""
    names = [group[0].config["device"]["name"] for group in groups]
    if said := twice(names):
        raise about(UsageError(f"device: {said}"), "device")
    return [
        [replace(run, title=f"{run.title} on {device}") for run in group]
        for group, device in zip(groups, names, strict=True)
    ]


def _check_file_names(labels: Sequence[str], *files: Path | None) -> None:
    """Raise UsageError where two runs would write one of these files."""
    if files == (None, None):
        return
    names = [in_file_name(label) for label in labels]
    if said := twice(names):
        raise about(
            UsageError(f"log, timeline: the files of two runs have one name: {said}"), "log"
        )


def _seeds(config: Mapping[str, Any], seed: int | None, count: int) -> dict[str, int | None]:
    """Return the seeds of the runs by what marks them, from that of a single comparison on."""
    if count == 1:
        return {"": seed}
    first = int(config["run"]["seed"])
    return {f"-seed{number}": number for number in range(first, first + count)}


def _equal_cells(groups: Sequence[Sequence[Run]]) -> list[list[Run]]:
    """Return runs with settings with which none cleans with more room than another."""
    found = [comparison.equalised({run.scheme: run.config for run in group}) for group in groups]
    if not any(any(each.values()) for each in found):
        told = "equal cells have no effect: none has more dense blocks than a scheme with a cache"
        raise about(UsageError(told), "equal_cells")
    return [
        [replace(run, settings={**run.settings, **more.get(run.scheme, {})}) for run in group]
        for group, more in zip(groups, found, strict=True)
    ]


def _log_of(log: Path, label: str) -> pathlib.Path:
    """Return where a comparison logs the requests of one scheme: the name with the scheme's."""
    path = pathlib.Path(log)
    if not path.name:
        raise about(UsageError(f"log = {os.fspath(log)!r}: must name a file"), "log")
    return path.with_name(f"{path.stem}-{in_file_name(label)}{path.suffix}")
