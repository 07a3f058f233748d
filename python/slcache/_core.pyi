"""The native simulator: everything that computes a model quantity lives behind these functions."""

from collections.abc import Callable
from pathlib import Path

class ConfigError(Exception):
    """The configuration is not valid; the message lists every problem, one a line."""

class TraceError(Exception):
    """The trace cannot be read as asked."""

class RunError(Exception):
    """The run failed after it started."""

class Rereadable:
    """A trace that can be replayed again and again, whatever it was before."""

def rereadable(
    trace: str, *, progress: Callable[[str, int, int], bool | None] | None
) -> Rereadable:
    """Make a trace rereadable: a pipe is copied to a temporary file, which goes with it."""

def is_read_once(trace: str) -> bool:
    """Return whether a trace can be read only once, such as a pipe."""

def run(
    trace: str | Rereadable,
    *,
    device: str,
    scheme: str,
    sets: list[str],
    trace_options: list[tuple[str, str]],
    seed: int | None,
    replay: str | None,
    snapshot_in: str | None,
    snapshot_out: str | None,
    progress: Callable[[str, int, int], bool | None] | None,
) -> str:
    """Replay a trace and return the result document as JSON.

    `progress(phase, done, total)` is called a few times a second; returning False cancels.
    """

def resolve(
    *, device: str, scheme: str, sets: list[str], seed: int | None, replay: str | None
) -> str:
    """Return the configuration that would run, as JSON."""

def schemes() -> str:
    """Return the catalogue of schemes, as a JSON list."""

def devices() -> str:
    """Return the catalogue of device presets, as a JSON list."""

def formats() -> str:
    """Return the catalogue of trace formats, as a JSON list."""

def config_schema() -> str:
    """Return the JSON schema of the configuration."""

def trace_info(
    trace: str,
    trace_options: list[tuple[str, str]],
    progress: Callable[[str, int, int], bool | None] | None = None,
) -> str:
    """Return a trace's counts and statistics, as JSON."""

def trace_lint(
    trace: str,
    trace_options: list[tuple[str, str]],
    progress: Callable[[str, int, int], bool | None] | None = None,
) -> str:
    """Return every problem found in a trace, as JSON."""

def trace_formats() -> str:
    """Return the formats: whether each is read and written, what it may lose; as a JSON list."""

def workloads() -> str:
    """Return the shipped workloads with their figures, as a JSON list."""

def workload(spec: str, overrides: list[tuple[str, str]]) -> str:
    """Return a workload's figures, given, free and derived, as JSON."""

def trace_convert(
    input: str,
    output: str,
    *,
    trace_options: list[tuple[str, str]],
    format: str | None,
    lossy: str,
    progress: Callable[[str, int, int], bool | None] | None,
) -> str:
    """Write a trace in another format and return the report as JSON.

    `lossy` names, separated by commas, what may get lost: time, flush, trim, volume, response,
    label.
    """

def trace_transform(
    kind: str,
    inputs: list[str],
    output: str,
    *,
    params: str,
    trace_options: list[tuple[str, str]],
    format: str | None,
    lossy: str,
    progress: Callable[[str, int, int], bool | None] | None,
) -> str:
    """Transform traces and return the report as JSON.

    `kind` is sample, window, scale, remap, repeat, merge, split or pipeline, and `params` a JSON
    object with its parameters; those of pipeline are `{"steps": [{"kind": ..., parameters}, ...]}`.
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

def version() -> str:
    """Return the version of the simulator."""

def commit() -> str:
    """Return the commit the simulator was built from."""
