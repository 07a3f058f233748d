"""The comparison: a trace under several schemes, once, with several seeds or as several draws."""

from __future__ import annotations

import os
import pathlib
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from slcache import api, bounds, catalogue
from slcache.errors import UsageError, about
from slcache.files import Path
from slcache.given import config_files
from slcache.given.arguments import checked
from slcache.given.config_files import Settings
from slcache.given.content import Content
from slcache.given.states import WORN
from slcache.results import Comparison, Result, spare
from slcache.runs import draws, several
from slcache.runs import given as texts
from slcache.runs.run import Run
from slcache.sentences import reasons
from slcache.traces.api import Progress

if TYPE_CHECKING:
    from slcache.runs.executors import Executor


#: What a comparison may turn round between.
BOTH = ("empty", WORN)


@checked
def compare(
    trace: Content,
    *,
    device: Content | None = None,
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
    timeline_kept: bool = True,
    jobs: int | None = None,
    executor: Executor | str = "local",
    store: Path | None = None,
    gb_per_day: float | None = None,
    on_progress: Progress | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Replay a trace on a device under several schemes.

    `schemes` is a list, or `"all"` for every one that the device can run; a warning names those
    left out. Figures are normalised to `normalise`, by default the first scheme. A setting under
    `scheme.<name>` goes to that scheme only, and `memory_in` to those that have a memory. `log`
    writes a table of requests for each scheme: `requests.parquet` means `requests-NAME.parquet`;
    so does `timeline`. Around `slowest` and `cliff` is each scheme's own slowest request or cliff,
    `request=N` is one request in all of them. Of several seeds the first one's
    operations are kept.

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
    device, _, said = config_files.unpacked(device, settings)
    given = api.addressed(said, address, window, state)
    progress = api.reporting(on_progress, progress)
    names = _names(schemes, normalise, device, given)
    learning = catalogue.remembering(names) if memory_in is not None else []
    labelled = catalogue.called(names, device=device, settings=given, replay=replay, seed=seed)
    drawn = draws.of_trace(resample, resample_block, texts.text_of(trace), seeds)
    count = resample or seeds
    if seeds > 1 and not texts.is_workload(texts.text_of(trace)):
        sets = {name: catalogue.settings_for(given, name, names) for name in names}
        whole = (catalogue.resolve(device=device, scheme=n, settings=sets[n]) for n in names)
        draws.check_seeds(seeds, whole)
    every = _seeds(device, names, given, seed, count)
    own = {} if resample is None else {"": next(iter(every.values()))}
    if count > 1:
        given = {key: value for key, value in given.items() if key != "run.seed"}
    cells = _equal_cells(names, device, given) if equal_cells else {}
    asked = [
        Run(
            title=name + mark,
            trace=texts.text_of(trace),
            device=texts.text_of(device),
            scheme=name,
            settings={
                # The bound of each run is counted, unless something is said of it.
                **({} if "run.bound" in given else {"run.bound": True}),
                **catalogue.settings_for(given, name, names),
                **cells.get(name, {}),
            },
            trace_options=api.reader_options_of(
                trace,
                trace_format,
                drawn(trace_options, number) if mark or not own else trace_options,
                number,
            ),
            replay=replay,
            seed=number,
            memory_in=memory_in if name in learning else None,
            log=None if log is None else log_of(log, labelled[name] + mark),
        )
        for mark, number in (own | every).items()
        for name in names
    ]

    def done(runs: Sequence[Run]) -> list[Result]:
        return several.results(runs, jobs=jobs, executor=executor, store=store, progress=progress)

    stretch = (timeline_from, timeline_until, timeline_around, timeline_every)
    if timeline is not None or stretch != (None,) * 4:
        # What reads logs is loaded by whoever wants a timeline.
        from slcache.runs import timelines

        files_of = [labelled[name] + mark for mark in own | every for name in names]
        kept = len(names) if timeline_kept else 0
        results = timelines.results(asked, files_of, timeline, stretch, done, kept)
    else:
        results = done(asked)
    reference = normalise if normalise is None else labelled[normalise]
    each = len(names)
    curve = bounds.of_comparison(asked[0], results[:each])
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


def _names(
    schemes: Sequence[str] | str,
    normalise: str | None,
    device: Content,
    settings: Mapping[str, Any],
) -> list[str]:
    """Return the schemes to compare; a warning names those of all that the device cannot run."""
    names, left_out = catalogue.named(schemes, device=device, settings=settings)
    for sentence in reasons.told(left_out, "is left out", "are left out"):
        warnings.warn(sentence, stacklevel=4)
    catalogue.check_schemes(names, normalise)
    return names


def _seeds(
    device: Content,
    names: Sequence[str],
    settings: Mapping[str, Any],
    seed: int | None,
    count: int,
) -> dict[str, int | None]:
    """Return the seeds of the runs by what marks them, from that of a single comparison on."""
    if count == 1:
        return {"": seed}
    own = catalogue.settings_for(settings, names[0], names)
    config = catalogue.resolve(device=device, scheme=names[0], settings=own, seed=seed)
    first = int(config["run"]["seed"])
    return {f"-seed{number}": number for number in range(first, first + count)}


def _equal_cells(
    names: Sequence[str], device: Content, settings: Mapping[str, Any]
) -> dict[str, dict[str, int]]:
    """Return the settings of each scheme with which none cleans with more room than another."""
    own = {name: catalogue.settings_for(settings, name, names) for name in names}
    found = spare.equalised(
        {name: catalogue.resolve(device=device, scheme=name, settings=own[name]) for name in names}
    )
    if not any(found.values()):
        told = "equal cells have no effect: none has more dense blocks than a scheme with a cache"
        raise about(UsageError(told), "equal_cells")
    return found


def log_of(log: Path, label: str) -> pathlib.Path:
    """Return where a comparison logs the requests of one scheme: the name with the scheme's."""
    path = pathlib.Path(log)
    if not path.name:
        raise about(UsageError(f"log = {os.fspath(log)!r}: must name a file"), "log")
    return path.with_name(f"{path.stem}-{label}{path.suffix}")
