"""Single runs and comparisons: a trace under one scheme or several, with one seed or several."""

from __future__ import annotations

import itertools
import json
import os
import pathlib
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from slcache import _core, bounds, catalogue, code, execute, files
from slcache.documents.figures import equalised
from slcache.errors import UsageError, about
from slcache.execute.run import Run, check_seeds, draws_of, reader_options_of
from slcache.files import Path
from slcache.names import few, in_file_name
from slcache.options import content, needed, no_folder, option, parsing, takes
from slcache.options.content import Content, duplicate, trace_of
from slcache.options.models import (
    DEVICE,
    NORMALISE,
    ExecutionOptions,
    ResamplingOptions,
    SimulationOptions,
)
from slcache.options.parsing import WORN
from slcache.results import Comparison, Result
from slcache.sentences import notes
from slcache.trace import Progress

if TYPE_CHECKING:
    from slcache.reproduce.plan import Setup


@dataclass(frozen=True, kw_only=True)
class _RunTarget:
    """A device and a scheme."""

    device: Content | None = option(*DEVICE, offer="devices")
    scheme: str | None = option(
        "NAME",
        "A scheme (see `slcache schemes`); not needed if --config has one.",
        offer="scheme",
        alias="--schemes",
    )


@dataclass(frozen=True, kw_only=True)
class RunArguments(SimulationOptions, _RunTarget):
    """What a single run takes."""

    save_state: Path | None = option(
        "FILE",
        "Save the device's state at the start of the replay, after preconditioning.",
        check=no_folder,
    )
    load_state: Path | None = option(
        "FILE", "Start from a saved device state instead of preconditioning."
    )
    memory_out: Path | None = option(
        "FILE", "Save what the scheme has learned during the run.", check=no_folder
    )

    @property
    def devices(self) -> list[Content | None]:
        """The device that it runs on."""
        return [self.device]

    @property
    def reads(self) -> list[Path]:
        """The files that it reads, whatever settings name beside them."""
        return [*super().reads, *files.inputs(None, self.load_state)]

    @property
    def writes(self) -> list[Path]:
        """The files that it writes."""
        every = (self.log, self.timeline, self.save_state, self.memory_out)
        return [path for path in every if path is not None]


@takes(RunArguments)
def run(asked: RunArguments) -> Result:
    """Replay a trace on a device under one scheme.

    A trace is a file, or a workload: a `.toml` file, the name of a preset or a dict with what such
    a file holds. A device is a preset's name, the path of a `.toml` file or a dict with what such a
    file holds. `settings` has keys of the configuration, dotted or nested:
    `{"scheme.baseline.slc_blocks": 64}`; or is a configuration file, or all of a configuration with
    its device and scheme, such as a result's `config`. `on_progress(phase, done, total)` is called
    a few times a second, and cancels by returning False; `progress` is its former name. Other
    threads go on while the simulation runs. Raises ConfigError, TraceError or RunError.
    """
    parsing.check_not_loaded(asked.state, asked.load_state)
    device, own, settings = asked.begun(asked.device)
    chosen = asked.scheme or own
    if chosen is None:
        raise content.missing("scheme")
    settings = asked.above_setup([chosen], settings)
    whole = Run(
        "",
        content.text_of(asked.trace, "trace"),
        content.text_of(device),
        chosen,
        settings,
        reader_options_of(asked.trace, asked.reader(), asked.seed),
        asked.replayed_as,
        asked.seed,
        memory_in=asked.memory_in,
        memory_out=asked.memory_out,
        load_state=asked.load_state,
        save_state=asked.save_state,
        log=asked.log,
    )
    if catalogue.of_catalogue(chosen) == "custom":
        # The files that a class is written in are known when it is loaded.
        _ = whole.config
    read = [*asked.reads, *content.settings_files(settings), *code.files()]

    def done(runs: Sequence[Run]) -> list[Result]:
        return [_replayed(each, trace_of(asked.trace), read, asked.report) for each in runs]

    (result,) = _results(asked, [whole], [""], done)
    name_reading(asked.setup, [result])
    return result.told_at(asked.gb_per_day)


def _results(
    asked: SimulationOptions,
    runs: Sequence[Run],
    names: Sequence[str],
    run: Callable[[Sequence[Run]], list[Result]],
) -> list[Result]:
    """Return the results of runs, each with a timeline of its name where one is asked for."""
    if not asked.is_drawn:
        return run(runs)
    # What reads logs is loaded by whoever wants a timeline.
    from slcache.execute import timelines

    return timelines.results(runs, names, asked.timeline, asked.stretch, run)


def name_reading(setup: Setup | None, runs: Sequence[Result]) -> None:
    """Name the reading in the documents of runs that have just been made."""
    if setup is not None:
        for run in runs:
            run.documents[0]["provenance"]["reading"] = setup.name


def _replayed(
    run: Run,
    trace: str | _core.Rereadable,
    read: Sequence[Path],
    progress: Progress | None,
) -> Result:
    """Replay a trace and write what is asked for, none of it in the place of what is read."""
    files.check(run.writes, read)
    document = run.document(trace, progress=progress)
    return Result.made(json.loads(document), None, read)


#: What a comparison may turn round between.
STATES = ("empty", WORN)


@dataclass(frozen=True, kw_only=True)
class _CompareTarget:
    """Schemes on devices."""

    schemes: Sequence[str] | str = field(
        metadata=needed(
            "A,B,...|all",
            "The schemes to compare, separated by commas, or all that the device can run. "
            "NAME:KEY=VALUE is a scheme with one setting changed.",
            alias="--scheme",
            offer="schemes",
        )
    )
    device: Content | Sequence[Content] | None = option(
        "PRESET|FILE.toml",
        "A preset (see `slcache devices`) or a device file; not needed if --config has a "
        "device. Repeat it to compare devices.",
        offer="devices",
        several=True,
    )
    normalise: str | None = option(*NORMALISE, alias="--normalize")


@dataclass(frozen=True, kw_only=True)
class CompareArguments(ExecutionOptions, SimulationOptions, ResamplingOptions, _CompareTarget):
    """What a comparison takes."""

    seeds: int = option(
        "N",
        "Run every scheme with N seeds, from --seed on, for means with confidence intervals.",
        default=1,
    )
    equal_cells: bool = option(
        "",
        "Give schemes without a cache no more dense blocks than schemes with one have.",
        default=False,
    )

    @property
    def devices(self) -> Sequence[Content | None]:
        """The devices, of which there may be one; UsageError for an empty list."""
        said = self.device
        many = said if isinstance(said, Sequence) and not isinstance(said, str) else [said]
        if not many:
            raise about(UsageError("device: a comparison needs at least one"), "device")
        return many


@takes(CompareArguments)
def compare(asked: CompareArguments) -> Comparison:
    """Replay a trace on a device under several schemes.

    Schemes are a list, or `"all"` for every one that the device can run; a warning names those left
    out. Of several devices, a list, each runs every scheme. A setting under `scheme.<name>` goes to
    that scheme only, and `memory_in` to those that have a memory. `log` writes a table of requests
    for each scheme: `requests.parquet` means `requests-NAME.parquet`; so does `timeline`. Around
    `slowest` and `cliff` is each scheme's own slowest request or cliff, `request=N` is one request
    in all of them. Which scheme wins may hang on `state`, which `in_states` shows.

    With `seeds` above 1 a workload is drawn anew for each: a `SeededComparison` tells means with
    intervals, and which differences are inside the noise. A recording is the same for every seed,
    and is refused where nothing else is drawn: `resample` runs it as it is and drawn anew. Runs
    that write a log or a timeline or read a memory are not kept. All else is as in `run`.
    """
    asked.check_executor()
    trace, count = asked.trace, asked.resample or asked.seeds
    placed = [asked.begun(each) for each in asked.devices]
    if asked.is_drawn and len(placed) > 1:
        raise about(UsageError("timeline: is of one device, and several are given"), "timeline")
    given = placed[0][2]
    text = content.text_of(trace)
    drawn = draws_of(asked.resample, asked.resample_block, text, asked.seeds)
    groups: list[list[Run]] = []
    # No comprehension: the warning is for whoever called this.
    for place, _, _ in placed:
        run = Run("", text, content.text_of(place), "", given, (), asked.replayed_as, asked.seed)
        groups.append(_of_schemes(replace(run, memory_in=asked.memory_in), asked))
    called = [{run.scheme, run.title} for group in groups for run in group]
    groups = groups if len(groups) == 1 else _named_by_device(groups)
    titles = [run.title for group in groups for run in group]
    reference = _reference(asked.normalise, titles, called)
    whole = [run.config for group in groups for run in group]
    if asked.seeds > 1 and not content.is_workload(text):
        check_seeds(asked.seeds, whole)
    every = _seeds(whole[0], asked.seed, count)
    own = {} if asked.resample is None else {"": next(iter(every.values()))}
    groups = _equal_cells(groups) if asked.equal_cells else groups
    options = asked.reader()

    def seeded(run: Run, mark: str, number: int | None) -> Run:
        said = drawn(options, number) if mark or not own else options
        own_settings = {k: v for k, v in run.settings.items() if count == 1 or k != "run.seed"}
        return replace(
            run,
            title=run.title + mark,
            settings=own_settings,
            trace_options=reader_options_of(trace, said, number),
            seed=number,
            log=None if asked.log is None else _log_of(asked.log, run.title + mark),
        )

    runs = [run for group in groups for run in group]
    labelled = [run.title for run in runs]
    _check_file_names(labelled, asked.log, asked.timeline)
    marked = [seeded(run, mark, number) for mark, number in (own | every).items() for run in runs]
    results = _results(
        asked,
        marked,
        [label + mark for mark in own | every for label in labelled],
        lambda runs: execute.results(runs, asked, asked.report),
    )
    for result, label in zip(results, itertools.cycle(labelled), strict=False):
        result.label = label
    name_reading(asked.setup, results)
    each = len(labelled)
    curve = bounds.of_comparison(marked[0], results[:each]) if len(groups) == 1 else None
    if count == 1:
        return Comparison(results, reference, curve).told_at(asked.gb_per_day)
    # Pictures are of the first seed, or of the recording.
    found = [
        Comparison(results[start : start + each], reference, None if start else curve)
        for start in range(0, len(results), each)
    ]
    from slcache.results.seeded import SeededComparison

    return SeededComparison(found).told_at(asked.gb_per_day)


def in_states(
    trace: Content,
    states: Sequence[str] = STATES,
    **how: Any,  # noqa: ANN401
) -> dict[str, Comparison]:
    """Replay a trace under several schemes in each of some states of the device before it.

    `states` are those of `run`, by default an empty and a worn device; `how` has the other
    arguments of `compare`.
    """
    told = _PartProgress(how.pop("on_progress", None), len(states))
    return {state: compare(trace, state=state, **how, on_progress=told.next()) for state in states}


class _PartProgress:
    """Tells how far several comparisons are that follow each other, as if they were one."""

    def __init__(self, progress: Progress | None, count: int) -> None:
        self._progress, self._count = progress, count
        #: Which of them goes on, from 0, and how many runs it has; one of a single run tells none.
        self._place, self._runs = -1, 1

    def next(self) -> Progress | None:
        """Return what the next comparison tells its progress."""
        self._place += 1
        if self._progress is None:
            return None
        if self._of_runs(0) is False:
            raise KeyboardInterrupt
        return self._told

    def _told(self, phase: str, done: int, total: int) -> bool | None:
        assert self._progress is not None
        if not phase.startswith("runs"):
            return self._progress(phase, done, total)
        self._runs = total
        return self._of_runs(done)

    def _of_runs(self, done: int) -> bool | None:
        assert self._progress is not None
        return self._progress("runs", self._place * self._runs + done, self._count * self._runs)


def _of_schemes(run: Run, asked: CompareArguments) -> list[Run]:
    """Return a run under each of some schemes, of which those that learn have its memory.

    A warning names those of all that the device cannot run.
    """
    device = content.content_of(run.device)
    names, left_out = catalogue.named_schemes(asked.schemes, device=device, settings=run.settings)
    on = f" on {content.label(run.device)}" if len(asked.devices) > 1 else ""
    for sentence in notes.reasons(left_out, f"is left out{on}", f"are left out{on}"):
        warnings.warn(sentence, stacklevel=4)
    catalogue.check_schemes(names)
    settings = asked.above_setup(names, run.settings)
    learning = [] if run.memory_in is None else catalogue.remembering(names)
    labels = catalogue.labels_of(
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


def _reference(
    normalise: str | None, titles: Sequence[str], called: Sequence[Collection[str]]
) -> str | None:
    """Return the title of the first run that is called so, as it was asked for or as it is told."""
    if normalise is None:
        return None
    for title, others in zip(titles, called, strict=True):
        if normalise in (title, *others):
            return title
    told = f"cannot normalise to {normalise!r}: comparing {few(titles)}"
    raise about(UsageError(told), "normalise")


def _named_by_device(groups: Sequence[Sequence[Run]]) -> list[list[Run]]:
    """Name the device in each title; UsageError where two are called the same."""
    names = [group[0].config["device"]["name"] for group in groups]
    labels = [content.label(group[0].device) for group in groups]
    if said := duplicate(labels, dict(zip(labels, names, strict=True))):
        told = f"device: {said}; give each a device.name of its own"
        raise about(UsageError(told), "device")
    return [
        [replace(run, title=f"{run.title} on {device}") for run in group]
        for group, device in zip(groups, names, strict=True)
    ]


def _check_file_names(labels: Sequence[str], *files: Path | None) -> None:
    """Raise UsageError where two runs would write one of these files."""
    if files == (None, None):
        return
    names = [in_file_name(label) for label in labels]
    if said := duplicate(names):
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
    found = [equalised({run.scheme: run.config for run in group}) for group in groups]
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
