"""Options that several verbs have, of traces, devices and execution, and those of `reproduce`."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

from slcache import files
from slcache.errors import UsageError, about
from slcache.files import Path
from slcache.options import Options, content, known, matching, needed, no_folder, option, parsing
from slcache.options.content import (
    SEED_MAX,
    Content,
    OptionValues,
    Settings,
    duplicate,
    flatten,
    unique,
)

if TYPE_CHECKING:
    from slcache.execute.executors import Executor
    from slcache.reproduce.plan import Setup
    from slcache.trace import Progress


def _formats() -> list[str]:
    from slcache import catalogue

    return [entry["name"] for entry in catalogue.formats()]


@dataclass(frozen=True, kw_only=True)
class RecordingOptions(Options):
    """What is said of a trace that is a file."""

    trace_format: str | None = option(
        "FORMAT",
        "The trace's format (default: detected).",
        check=known("trace format", _formats),
        offer="formats",
    )
    trace_options: OptionValues | None = option(
        "KEY=VALUE",
        "Set an option of the trace reader, such as take=1000. Repeat it.",
        name="--trace-option",
    )
    volume: str | None = option(
        "NAME|each|merge",
        "Of a file with several volumes, read one, each at addresses of its own, or all in one "
        "address space.",
    )
    unsorted: str | None = option(
        "error|sort:N|keep",
        "Arrival times that go backwards: refuse, sort within N requests, or keep.",
        check=matching(r"error|keep|sort:[1-9][0-9]*", "is none of 'error', 'keep' and 'sort:N'"),
    )

    def reader(self) -> dict[str, str]:
        """Return it as options of the trace's reader."""
        named = {"format": self.trace_format, "volume": self.volume, "unsorted": self.unsorted}
        said = [(key, value) for key, value in named.items() if value is not None]
        return unique([*said, *(self.trace_options or {}).items()], "trace option ")


#: What stands for a trace, and what it is.
TRACE = (
    "TRACE",
    "A block trace, plain or compressed, or - for standard input. Or a workload: FILE.toml "
    "or a preset (see `slcache trace workloads`).",
)
#: What stands for a key of a workload, and what it is.
CHANGED = ("KEY=VALUE", "Change a key of a workload, such as requests=20000. Repeat it.")


@dataclass(frozen=True, kw_only=True)
class TraceOptions(RecordingOptions):
    """What is said of traces that may be workloads."""

    trace: Content | Sequence[Content] = field(
        kw_only=False, metadata=needed(*TRACE, offer="workloads")
    )
    workload_options: OptionValues | None = option(*CHANGED, name="--workload")

    def reader(self) -> dict[str, str]:
        """Return it as options of the trace's reader; UsageError for keys of what has none."""
        said = self.workload_options or {}
        traces = [self.trace] if isinstance(self.trace, str | PathLike | Mapping) else self.trace
        if said and (files := [each for each in traces if not content.is_workload(each)]):
            first = "=".join(next(iter(said.items())))
            told = f"{first} is a key of a workload, and {content.path_of(files[0])} is none"
            raise about(UsageError(f"workload_options: {told}"), "workload_options")
        changed = {f"workload.{key}": each for key, each in said.items()}
        return unique([*super().reader().items(), *changed.items()], "trace option ")


#: What stands for a device, and what it is.
DEVICE = (
    "PRESET|FILE.toml",
    "A preset (see `slcache devices`) or a device file; not needed if --config has a device.",
)
#: The same of what is written a day, and of the scheme that others are divided by.
GB_PER_DAY = (
    "N",
    "Give the lifetime in years at N GB (10^9 bytes) written per day (default: the trace's "
    "own rate).",
)
NORMALISE = ("NAME", "Print the other figures as factors of this scheme's (default: the first).")
#: The same of a key of the configuration.
SET = (
    "KEY=VALUE",
    "Change a key of the configuration, such as buffer.bytes=16MiB (see `slcache explain`)."
    " Repeat it.",
)


@dataclass(frozen=True, kw_only=True)
class ConfigurationOptions(Options):
    """What is said of a device's configuration, and of its state at first."""

    config: Path | None = option(
        "FILE",
        "A configuration file, TOML or JSON. Its keys override the device's, and --set "
        "overrides them. A complete one, such as a result.json, also has device and scheme.",
    )
    settings: Settings | None = option(*SET, name="--set", key="set", offer="settings")
    state: str | None = option(
        parsing.STATE_FORMS,
        "State of the device before the run: full=0.9 is 90 % filled; worn=0.9,0.3 the same, "
        "then 30 % of it overwritten at random; steady is 90 % filled, then overwritten until "
        "the write amplification is steady. Sets precondition.fill, .overwrite and .steady "
        "(default: the device's, else empty except for the data that the trace accesses).",
        check=parsing.state_keys,
    )

    def placed(
        self, device: Content | None, word: str = "device"
    ) -> tuple[Content, str | None, dict[str, Any]]:
        """Return the device, the scheme that a whole configuration has, and all settings.

        `word` is the argument that the device is from.
        """
        place, scheme, settings = content.unpack(device, self.settings, self.config, word)
        return place, scheme, self.keyed(settings)

    def keyed(self, settings: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return settings with what has an option of its own; no key may be said twice."""
        return combined_settings(settings, self.state, self._keys())

    def _keys(self) -> list[tuple[str, Any]]:
        """Return the keys that options of their own say."""
        return []


def combined_settings(
    settings: Mapping[str, Any] | None,
    state: str | None,
    more: Iterable[tuple[str, Any]] = (),
) -> dict[str, Any]:
    """Return settings by dotted keys, with those of a state and `more`; none may be said twice."""
    flat = unique(flatten(settings or {}))
    # What a file says is below all others.
    below = {key: said for key, said in flat.items() if isinstance(said, content.FileValue)}
    own = [(key, said) for key, said in flat.items() if key not in below]
    above = unique([*own, *more])
    return {**below, **above, **parsing.state_settings(state, above)}


#: What to do with requests beyond the device's capacity.
ADDRESSES = ("error", "wrap", "compact", "clip")
BEYOND = "Requests beyond the capacity: refuse, or change and count them."


@dataclass(frozen=True, kw_only=True)
class ReplayOptions(TraceOptions, ConfigurationOptions):
    """How a trace is read and replayed: what everything takes that replays one."""

    address: str | None = option("", BEYOND, words=ADDRESSES)
    replay: str | None = option(
        "open|closed:N",
        "Issue requests at the trace's arrival times, or keep N requests outstanding.",
        check=matching(
            r"open|closed:[1-9][0-9]*", "is neither 'open' nor 'closed:N' with N at least 1"
        ),
    )
    seed: int | None = option("N", "Seed of all random choices.", range=(0, SEED_MAX))

    def _keys(self) -> list[tuple[str, Any]]:
        return [] if self.address is None else [("trace.address", self.address)]


@dataclass(frozen=True, kw_only=True)
class ResamplingOptions(ReplayOptions):
    """The same of what can draw a recording anew."""

    resample: int | None = option(
        "N",
        "Run N bootstrap draws of a recording (its intervals of time in random order), for "
        "means with confidence intervals, as --seeds gives for a workload.",
    )
    resample_block: str | None = option(
        "TIME",
        "Mean length of these intervals of time, such as 30s (default: a twentieth of the "
        "recording).",
    )


@dataclass(frozen=True, kw_only=True)
class ExecutionOptions(Options):
    """Where runs go on and are kept: one at a time, and nowhere, unless it is said."""

    jobs: int | None = option("N", "Number of parallel runs, one process each (default: 1).")
    executor: Executor | str = option(
        "local|dask://[HOST:PORT]|ray://[HOST:PORT]",
        "Execute runs in local processes, or on a Dask or Ray cluster. Without a host, a local "
        "cluster of --jobs processes is started.",
        default="local",
    )
    store: Path | None = option(
        "DIR",
        "Folder of finished runs, which are not repeated; several verbs can share it (default: "
        "none).",
    )

    def check_executor(self) -> None:
        """Raise UsageError for an executor that is none, before anything is read."""
        if isinstance(self.executor, str) and self.executor != "local":
            from slcache.execute import executors

            executors.check(self.executor, self.jobs)


@dataclass(frozen=True, kw_only=True)
class ParallelOptions(ExecutionOptions):
    """The same of what runs as many at a time as there are processors."""

    jobs: int | None = option("N", "Number of parallel processes (default: one per processor).")
    store: Path | None = option(
        "DIR",
        "Folder of finished runs, which are not repeated; several verbs can share it (default: "
        "OUT/store).",
    )


@dataclass(frozen=True, kw_only=True)
class SimulationOptions(ReplayOptions):
    """The same of what shows runs one by one, with all that they write."""

    trace: Content = field(kw_only=False, metadata=needed(*TRACE, offer="workloads"))
    reading: str | None = option(
        "PAPER[/PART][:READING]",
        "Start from the set-up of a paper's evaluation, such as ips/daily:probable: its device,"
        " settings and replay. Other options override it.",
    )
    window: str | None = option(
        "TIME",
        "Window length of the time series, such as 10ms (default: at most 1,024 windows).",
    )
    memory_in: Path | None = option(
        "FILE", "Start a learning scheme with the memory that an earlier run saved (--memory-out)."
    )
    log: Path | None = option(
        "FILE.parquet",
        "Write the request log: a row per request, with its times and the parts of its latency.",
        check=no_folder,
    )
    timeline: Path | None = option(
        "FILE",
        "Write a timeline of requests, channels and planes for ui.perfetto.dev; FILE.gz is "
        "compressed, FILE.parquet a table of operations.",
        check=no_folder,
    )
    timeline_from: str | None = option(
        "TIME", "Begin of the timeline: leave out operations that end before.", name="--from"
    )
    timeline_until: str | None = option(
        "TIME", "End of the timeline: leave out operations that begin later.", name="--until"
    )
    timeline_around: str | None = option(
        "slowest|request=N|cliff",
        "Limit the timeline to the time around a request, or around the point where writes "
        "become slow. Simulates twice.",
        name="--around",
    )
    timeline_every: int | None = option(
        "N",
        "Keep in the timeline every N-th request with its operations, and all background "
        "operations.",
        name="--every",
    )
    gb_per_day: float | None = option(*GB_PER_DAY)
    on_progress: Progress | None = None
    #: Its former name.
    progress: Progress | None = None

    def _keys(self) -> list[tuple[str, Any]]:
        own = [] if self.window is None else [("run.series_window_ns", window_ns(self.window))]
        return [*super()._keys(), *own]

    @property
    def devices(self) -> Sequence[Content | None]:
        """The devices that it runs on."""
        return ()

    @property
    def reads(self) -> list[Path]:
        """The files that it reads, whatever settings name beside them."""
        known = (each for each in (self.trace, *self.devices) if each is not None)
        return files.inputs(*map(content.path_of, known), self.config, self.memory_in)

    @property
    def stretch(self) -> tuple[str | None, str | None, str | None, int | None]:
        """What of the run its timeline is of."""
        ends = self.timeline_from, self.timeline_until
        return *ends, self.timeline_around, self.timeline_every

    @property
    def is_drawn(self) -> bool:
        """Whether anything is said of a timeline."""
        return self.timeline is not None or self.stretch != (None,) * 4

    @cached_property
    def setup(self) -> Setup | None:
        """The set-up of a paper's evaluation that it begins with."""
        if self.reading is None:
            return None
        # It loads what judges evaluations; other runs do without.
        from slcache.reproduce import plan

        return plan.setup_of(self.reading)

    def begun(self, device: Content | None) -> tuple[Content, str | None, dict[str, Any]]:
        """Return what `placed` does, on the device of a set-up where no other is said."""
        if self.setup is None or device is not None:
            return self.placed(device)
        return self.placed(self.setup.device, "reading")

    def above_setup(self, schemes: Sequence[str], settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return settings above those of a set-up."""
        trace = str(content.path_of(self.trace))
        below = {} if self.setup is None else self.setup.settings_for(schemes, trace)
        return {**below, **settings}

    @property
    def report(self) -> Progress | None:
        """What is told of progress, by the name it has or the one it had."""
        if self.on_progress is not None and self.progress is not None:
            told = "on_progress and progress are one argument; give one"
            raise about(UsageError(told), "progress")
        return self.progress if self.on_progress is None else self.on_progress

    @property
    def replayed_as(self) -> str | None:
        """How the trace is replayed, by a set-up where nothing else is said."""
        return self.replay or (None if self.setup is None else self.setup.replay)


def window_ns(window: str) -> int:
    """Return how long windows are; UsageError for what is no such length."""
    try:
        found = parsing.time_ns(window)
    except ValueError as error:
        raise about(UsageError(f"window = {window}: {error}"), "window") from error
    if found <= 0:
        raise about(UsageError(f"window = {window}: must be longer than 0"), "window")
    return found


#: Without a further word, the readings that a plan is judged by.
BOTH = "both"


def _a_folder(path: pathlib.Path) -> None:
    """Refuse what is no folder that is there."""
    if not path.is_dir():
        raise ValueError(f"{path} {'is no folder' if path.exists() else 'does not exist'}")


def _names(text: str) -> list[str]:
    """Return the names of a list, each once; ValueError for anything else."""
    names = [name.strip() for name in text.split(",")]
    if said := "a name is empty" if "" in names else duplicate(names):
        raise ValueError(f"{text!r}: {said}")
    return names


def _seeds(text: str) -> list[int]:
    """Return the seeds of a list; each once, and such as a run can have."""
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"{text!r}: expected whole numbers, as in 1,2,3") from None
    wild = [f"{n} is not between 0 and {SEED_MAX}" for n in numbers if not 0 <= n <= SEED_MAX]
    if said := next(iter(wild), duplicate(map(str, numbers))):
        raise ValueError(f"{text!r}: {said}")
    return numbers


@dataclass(frozen=True, kw_only=True)
class Extent:
    """What of an evaluation is run."""

    quick: bool = option(
        "", "Run few or short workloads with one seed, in about a minute.", default=False
    )
    sensitivity: bool = option(
        "",
        "Also vary, one at a time, options that the paper leaves open and free figures of the "
        "twins.",
        default=False,
    )
    full: bool = option(
        "",
        "Run twins at the paper's size, if the plan has a smaller one (hyssd, nvc).",
        default=False,
    )
    bound: bool = option(
        "",
        "Also compare the dense programs of each scheme with their lower bound. Runs devices "
        "without a cache too, and repeats earlier runs.",
        default=False,
    )
    traces: Path | None = option(
        "DIR",
        "Folder with the published traces; files are identified by their statistics.",
        check=_a_folder,
    )
    recordings: Path | None = option(
        "DIR",
        "Folder of blkparse recordings; the schemes also run on these.",
        check=_a_folder,
    )
    workloads: list[str] | None = option(
        "A,B,...", "Run only these of the paper's workloads.", read=_names
    )
    seeds: list[int] | None = option(
        "N,N,...", "Seeds of the twins (default: the plan's).", read=_seeds
    )
    out: Path | None = option(
        "DIR",
        "Folder for report.html, ledger.json and the finished runs in store (default: "
        "out/reproduce/PAPER). The same command again resumes.",
    )
    reading: str = option(
        "NAME",
        "Interpretation of the paper: its text (literal), its most probable meaning (probable),"
        " or another of its plan, such as fast-clock (default: literal, and probable if the "
        "plan has one).",
        default=BOTH,
    )


@dataclass(frozen=True, kw_only=True)
class Request(ParallelOptions, Extent):
    """An evaluation, what of it is run, and how."""

    paper: str

    @property
    def place(self) -> pathlib.Path:
        """The folder that it is written to."""
        return pathlib.Path(self.out or pathlib.Path("out") / "reproduce" / self.paper)

    @property
    def kept(self) -> pathlib.Path:
        """The folder of finished runs."""
        return pathlib.Path(self.store or self.place / "store")

    @property
    def reads(self) -> list[pathlib.Path]:
        """The files that may be read."""
        folders = [pathlib.Path(each) for each in (self.traces, self.recordings) if each]
        return [path for folder in folders for path in folder.rglob("*") if path.is_file()]
