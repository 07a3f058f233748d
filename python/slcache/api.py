"""The Python interface of a single run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from slcache import _core, catalogue, files
from slcache import named as code
from slcache.execute.run import Run as Execution
from slcache.execute.run import reader_options_of
from slcache.files import Path
from slcache.options import content, no_folder, option, parsing, takes
from slcache.options.content import Content, trace_of
from slcache.options.models import DEVICE, SimulationOptions
from slcache.results.result import Result
from slcache.trace import Progress, Trace

if TYPE_CHECKING:
    from slcache.reproduce.plan import Setup

__all__ = ["Path", "Progress", "Trace", "run"]


@dataclass(frozen=True, kw_only=True)
class _Target:
    """A device and a scheme."""

    device: Content | None = option(*DEVICE, offer="devices")
    scheme: str | None = option(
        "NAME",
        "A scheme (see `slcache schemes`); not needed if --config has one.",
        offer="scheme",
        alias="--schemes",
    )


@dataclass(frozen=True, kw_only=True)
class Run(SimulationOptions, _Target):
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


@takes(Run)
def run(asked: Run) -> Result:
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
    whole = Execution(
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

    def done(runs: Sequence[Execution]) -> list[Result]:
        return [_replayed(each, trace_of(asked.trace), read, asked.report) for each in runs]

    if asked.is_drawn:
        # What reads logs is loaded by whoever wants a timeline.
        from slcache.execute import timelines

        (result,) = timelines.results([whole], [""], asked.timeline, asked.stretch, done)
    else:
        (result,) = done([whole])
    name_reading(asked.setup, [result])
    return result.told_at(asked.gb_per_day)


def name_reading(setup: Setup | None, runs: Sequence[Result]) -> None:
    """Name the reading in the documents of runs that have just been made."""
    if setup is not None:
        for run in runs:
            run.documents[0]["provenance"]["reading"] = setup.name


def _replayed(
    run: Execution,
    trace: str | _core.Rereadable,
    read: Sequence[Path],
    progress: Progress | None,
) -> Result:
    """Replay a trace and write what is asked for, none of it in the place of what is read."""
    # Who imports slcache runs nothing yet.
    from slcache.execute import tasks

    files.check(run.writes, read)
    document = tasks.document(run, trace, progress=progress)
    return Result.made(json.loads(document), None, read)
