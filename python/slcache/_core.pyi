"""The native simulator: everything that computes a model quantity lives behind these functions."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from _typeshed import WriteableBuffer
from numpy.typing import NDArray

from slcache.options.content import EngineRun

#: Before Python 3.12, arrays are no buffers for type checkers.
Room = WriteableBuffer | NDArray[np.float64]

class Error(Exception):
    """Whatever slcache refuses or cannot do.

    `key` is the configuration key, argument, option or column that is wrong, `file` the file and
    `line` its line; None where there is none. The message says all of it.
    """

    key: str | None
    line: int | None
    file: str | None

class ConfigError(Error):
    """The configuration is not valid; the message lists every problem, one a line.

    `key`, `line` and `file` are those of the first.
    """

class TraceError(Error):
    """The trace cannot be read as asked."""

class RunError(Error):
    """The run failed after it started."""

class EpisodeError(Error):
    """An episode cannot do what it was asked; nothing changed."""

class Rereadable:
    """A trace that can be replayed again and again, whatever it was before."""

class DeviceContent:
    """What a device file holds: an object in JSON."""

    def __init__(self, json: str) -> None: ...

def workload_content(json: str) -> Rereadable:
    """Make a trace of what a workload file holds, an object in JSON."""

def rereadable(
    trace: str, *, progress: Callable[[str, int, int], bool | None] | None
) -> Rereadable:
    """Make a trace rereadable: a pipe is copied to a temporary file, which goes with it."""

def is_read_once(trace: str) -> bool:
    """Return whether a trace can be read only once, such as a pipe."""

def fingerprint(
    trace: str | Rereadable,
    *,
    trace_options: list[tuple[str, str]],
    progress: Callable[[str, int, int], bool | None] | None,
) -> str:
    """Return a SHA-256 that tells a trace's bytes, or a workload's draw, from others."""

def prepare(
    trace: str | Rereadable,
    output: Path,
    *,
    trace_options: list[tuple[str, str]],
    progress: Callable[[str, int, int], bool | None] | None,
) -> None:
    """Read a trace to its end and write it as a file that runs read without parsing."""

def prepared(trace: str, file: Path) -> Rereadable:
    """Return a trace that is read from what was prepared of it, and keeps its name."""

def save_state(
    output: Path,
    run: EngineRun,
    *,
    progress: Callable[[str, int, int], bool | None] | None,
) -> None:
    """Precondition a device and save its state, for runs that start from it."""

def run(
    trace: str | Rereadable,
    run: EngineRun,
    *,
    progress: Callable[[str, int, int], bool | None] | None,
) -> str:
    """Replay a trace and return the result document as JSON.

    `progress(phase, done, total)` is called a few times a second; returning False cancels.
    """

def resolve(run: EngineRun) -> str:
    """Return the configuration that would run, as JSON."""

def shortage(run: EngineRun) -> str | None:
    """Return why the configuration's device does not fit into memory; None where it does."""

def memory_outlook(run: EngineRun) -> tuple[int, int, int | None]:
    """Return bytes taken as a run begins, and once all is written; and what there is, if known."""

def check_scheme(
    *,
    scheme: str,
    sets: list[str],
    cases: int,
    seed: int,
    progress: Callable[[str, int, int], bool | None] | None,
) -> str:
    """Run small random cases of a scheme up to the first that fails; return JSON."""

def figures() -> str:
    """Return the table of a run's figures, as a JSON list."""

def kinds() -> str:
    """Return what causes of flash work and components of latencies are in words, as JSON."""

def schemes() -> str:
    """Return the catalogue of schemes, as a JSON list."""

def knobs(run: EngineRun) -> str:
    """Return the knobs of a scheme on a device, as they stand, as a JSON list."""

def devices() -> str:
    """Return the catalogue of device presets, as a JSON list."""

def scaled_device(device: str | DeviceContent, divisor: int) -> str:
    """Return what a device file would hold of a part of a device, as JSON."""

def config_missed(config: str, depth: int) -> list[tuple[str, float, float]]:
    """Return the peaks that writes miss without a buffer: mode, what they reach, the peak, MB/s."""

def config_cache_bytes(config: str) -> int:
    """Return what the SLC cache of a resolved configuration takes on a new device."""

def device_facts(device: str) -> str:
    """Return what can be told of a device before anything runs on it, as JSON."""

def config_notes(config: str) -> list[str]:
    """Return what to know of a resolved configuration, in sentences; none of an older version's."""

def config_regions(config: str) -> list[tuple[int, str, int]]:
    """Return the blocks of a configuration's regions before the first write: pool, mode, blocks."""

def config_file(path: str) -> list[tuple[str, str, str]]:
    """Return what a TOML file says: key, value as a setting has it, and place of each."""

def placed(place: str, setting: str) -> str:
    """Return a setting with the place in a file where it is said, for errors to name."""

def device_line(device: str, key: str) -> tuple[str, str] | None:
    """Return where a preset or device file says a key, and that line with its comment."""

def schema(document: str) -> str | None:
    """Return the JSON schema of a document; None of one that is made in Python."""

def trace_info(
    trace: str,
    trace_options: list[tuple[str, str]],
    progress: Callable[[str, int, int], bool | None] | None = None,
) -> str:
    """Return a trace's counts and statistics, as JSON."""

def trace_bound(
    trace: str,
    trace_options: list[tuple[str, str]],
    unit_bytes: int,
    sizes: list[int],
    progress: Callable[[str, int, int], bool | None] | None = None,
) -> str:
    """Return what caches of some sizes, in bytes, can keep from dense programs, as JSON."""

def run_bounds(
    trace: str | Rereadable,
    run: EngineRun,
    *,
    slots: list[int],
    progress: Callable[[str, int, int], bool | None] | None,
) -> str:
    """Return the bounds of a trace as a run places it, for caches of some sizes, as JSON."""

def device_bound(
    trace: str | Rereadable,
    run: EngineRun,
    *,
    sizes: list[int],
    progress: Callable[[str, int, int], bool | None] | None,
) -> str:
    """Return the same for sizes in bytes beside the buffer, with least program time and wear."""

def cache_sizes(run: EngineRun) -> tuple[int, int, int, list[int]]:
    """Return the mapping unit, blocks of a plane, bytes of all in SLC mode, and sizes to bound."""

def trace_lint(
    trace: str,
    trace_options: list[tuple[str, str]],
    progress: Callable[[str, int, int], bool | None] | None = None,
) -> str:
    """Return every problem found in a trace, as JSON."""

def trace_formats() -> str:
    """Return the formats: whether each is read and written, what it may lose; as a JSON list."""

def workloads(described: bool) -> str:
    """Return the shipped workloads, with their figures if `described`, as a JSON list."""

def workload_names() -> list[str]:
    """Return the names of the shipped workloads."""

def workload(spec: str, overrides: list[tuple[str, str]]) -> str:
    """Return a workload's figures, given, free and derived, as JSON."""

def trace_convert(
    inputs: list[str],
    output: str,
    *,
    trace_options: list[tuple[str, str]],
    format: str | None,
    lossy: str,
    blocks: str | None,
    progress: Callable[[str, int, int], bool | None] | None,
) -> str:
    """Write traces in another format, several as one, and return the report as JSON.

    `lossy` names, separated by commas, what may get lost: time, flush, trim, volume, response,
    label. `blocks` is a JSON object with the parameters of a twin that is written in their place.
    """

def trace_generate(
    spec: str,
    output: str,
    *,
    seed: int,
    overrides: list[tuple[str, str]],
    format: str | None,
    lossy: str,
    progress: Callable[[str, int, int], bool | None] | None,
) -> str:
    """Make the requests of a workload, write them and return the report as JSON."""

def input_files(trace: str) -> list[Path]:
    """Return every file that reading a trace reads."""

class Outputs:
    """Files that appear together or not at all, and replace none of `inputs`."""

    def __init__(self, inputs: list[str]) -> None: ...
    def folder(self, folder: str) -> None:
        """Make a folder for outputs."""

    def reserve(self, path: str) -> None:
        """Take a name, or say why it may not be written."""

    def write(self, path: str, content: bytes) -> None:
        """Stage a whole file."""

    def publish(self) -> None:
        """Give all files their names, or none of them."""

    def discard(self) -> None:
        """Remove what is staged."""

class Scratch:
    """A hidden folder for temporary files, removed at the end and after a kill."""

    def __init__(self, parent: str | None = None) -> None: ...
    @property
    def path(self) -> Path | None:
        """Where it is; None once it is removed."""

    def close(self) -> None:
        """Remove it."""

def remove_scratches() -> None:
    """Remove the hidden folders of this process, when it ends with work still going on."""

class Write:
    """A piece of a host write, as `Scheme.place` gets it."""

    @property
    def page(self) -> int:
        """The logical page."""

    @property
    def bytes(self) -> int:
        """Bytes of the piece."""

    @property
    def request_bytes(self) -> int:
        """Bytes of the whole request."""

    @property
    def stream(self) -> int:
        """Stream of the request."""

    @property
    def hint(self) -> int:
        """What the host says about the data, such as a write hint or a UFS group; 0: nothing."""

    @property
    def first(self) -> bool:
        """Whether it is the first piece of its request."""

    @property
    def time_ns(self) -> int:
        """The present time, ns."""

    @property
    def age_ns(self) -> int | None:
        """Time since the page was last written, ns; None before, or without `history`."""

    @property
    def frequency(self) -> int:
        """How often the page was written before; 0 without `history`."""

class Window:
    """What a window of write requests came to."""

    @property
    def index(self) -> int:
        """Number of the window, from 0."""

    @property
    def duration_ns(self) -> int:
        """How long it lasted, ns."""

    @property
    def reads(self) -> int:
        """Reads that arrived in it."""

    @property
    def read_bytes(self) -> int:
        """Bytes they read."""

    @property
    def writes(self) -> int:
        """Writes that arrived in it."""

    @property
    def write_bytes(self) -> int:
        """Bytes they wrote."""

class View:
    """The device during one decision; asked later it raises RuntimeError."""

    @property
    def now_ns(self) -> int:
        """The present time, ns."""

    @property
    def plane(self) -> int | None:
        """The plane that the decision is about; None where it is about the whole device."""

    @property
    def planes(self) -> int:
        """Planes of the device."""

    @property
    def unit_bytes(self) -> int:
        """Bytes of a mapping unit."""

    @property
    def units(self) -> int:
        """Mapping units of the device."""

    @property
    def mapped_units(self) -> int:
        """Mapping units that hold data in flash."""

    def free_blocks(self, region: str, plane: int | None = None) -> int:
        """Return free blocks of a region: of a plane, of the decision's, or of all."""

    def used_blocks(self, region: str, plane: int | None = None) -> int:
        """Return blocks of a region that were opened and not erased since, as `free_blocks`."""

    def quota(self, region: str) -> int:
        """Return the blocks per plane that a region may have."""

    def live_units(self, region: str) -> int:
        """Return the live mapping units of a region."""

    def mode(self, region: str) -> str:
        """Return a region's cell mode: slc, mlc, tlc or qlc."""

    def pages_per_block(self, region: str) -> int:
        """Return the pages of a region's blocks."""

    def queued_ns(self, plane: int) -> int:
        """Return the service time of what a plane's unit was given and has not done, ns."""

    def queued_ops(self, plane: int) -> int:
        """Return the operations that a plane's unit was given and has not done."""

    def region_of(self, page: int) -> str | None:
        """Return the region that holds a logical page, or its first unit with data."""

    def closed_blocks(self, region: str) -> list[tuple[int, int, int]]:
        """Return a region's full blocks in the decision's plane.

        Each is its number, its live pages and how many blocks were opened before it.
        """

class Stream:
    """A random stream of the model, derived from a seed and a name."""

    def __init__(self, seed: int, name: str) -> None: ...
    def below(self, bound: int) -> int:
        """Return a uniform integer in `range(bound)`; the bound has 32 bits."""

    def fraction(self) -> float:
        """Return a uniform fraction in [0, 1) with 53 bits."""

class Episode:
    """A run that stops at the end of every window, for knobs to be turned.

    The inputs are those of `run`. `window` is (unit, count) with unit `requests`, `write-requests`
    or `write-bytes`; None takes the scheme's own windows, or 32 MiB of writes where it has none.
    """

    def __init__(
        self,
        trace: str | Rereadable,
        run: EngineRun,
        *,
        window: tuple[str, int] | None,
        progress: Callable[[str, int, int], bool | None] | None,
    ) -> None: ...
    def step(
        self,
        turns: Sequence[tuple[int, float]],
        out: Room | None = None,
        go_on: Callable[[], bool] | None = None,
    ) -> bool:
        """Turn knobs, all or none, and run to the end of the next window.

        A turn is (index of the knob in `knobs()`, value). `out`, a writable contiguous buffer of
        float64, gets the observation. Returns whether the trace is at its end. A refused step
        changes nothing; after Ctrl-C, or where `go_on` says no (KeyboardInterrupt), the next one
        goes on with the window.
        """

    def observe(self, out: Room | None = None) -> tuple[float, ...] | None:
        """Return the observation, or put it into `out`; before the first step its counts are 0."""

    def turn(self, turns: Sequence[tuple[int, float]]) -> None:
        """Turn knobs, all or none, before the next window."""

    def knob_values(self) -> tuple[float, ...]:
        """Return the knobs' values now, in the order of `knobs()`."""

    def knob_bounds(self) -> tuple[tuple[float, float], ...]:
        """Return the least and the most that each knob takes now."""

    def operations(self) -> list[dict[str, Any]]:
        """Return the window's flash operations: pool, kind, mode, cause and counts of each."""

    def knobs(self) -> str:
        """Return the knobs, as a JSON list: name, unit, summary, value, and steps or ladder.

        With `steps` `{"min", "max", "step"}`, with `ladder` the values; both are those allowed now.
        """

    def observations(self) -> str:
        """Return what is observed, as a JSON list: name, unit, min, max (null: none), summary."""

    def config(self) -> str:
        """Return the configuration that runs, as JSON."""

    def fork(self) -> Episode:
        """Return an exact copy: device, queue and scheme; the requests are shared."""

    def finish(self) -> str:
        """Run what is left of the trace with the knobs as they are; return the result document.

        It is what `run` gives, and has `episode` in addition if knobs were turned. The episode
        is over then.
        """

def victim_utilisation(utilisation: list[float]) -> list[float]:
    """Return the victim's utilisation in tiers of these utilisations, 0 to 1."""

def hyssd_tiers(
    *, device: str | DeviceContent, sets: list[str]
) -> tuple[dict[str, float], dict[str, float], float]:
    """Return the fast and the dense tier of a device and the bytes of its logical pages."""

def hyssd_cost(
    *,
    fast: dict[str, float],
    dense: dict[str, float],
    data_bytes: float,
    utilisation: list[float],
    write_share: float,
    write_hits: list[float],
    read_hits: list[float],
) -> tuple[list[float], list[float], list[float], list[float], float | None]:
    """Return cost of an access, a write and a read, dense utilisation, and best utilisation."""

def nvc_lifespan(
    *, chip: dict[str, float], slc_share: float, volumes: dict[str, float]
) -> tuple[
    float | None,
    float | None,
    float,
    float | None,
    Literal["slc", "dense", "both", "neither"],
    float | None,
]:
    """Return passes of SLC, dense and both, host bytes, the first region, the even share."""

def losses() -> list[str]:
    """Return what writing a trace may lose, by name."""

def version() -> str:
    """Return the version of the simulator."""

def model_version() -> int:
    """Return the version of the model, raised whenever its results move."""

def commit() -> str:
    """Return the commit the simulator was built from."""
