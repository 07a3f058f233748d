"""Studies: traces, devices, schemes and keys whose combinations are run, and told as one table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from slcache.errors import UsageError, about
from slcache.files import Path
from slcache.options import option, options_of, takes
from slcache.options.models import ParallelOptions
from slcache.study import model
from slcache.study.model import Study

if TYPE_CHECKING:
    from slcache.study.run import Sweep
    from slcache.trace import Progress


@dataclass(frozen=True, kw_only=True)
class Course(ParallelOptions):
    """Where points are run, and what becomes of them and of their tables."""

    out: Path | None = option(
        "DIR",
        "Where points.parquet, costs.parquet, study.toml and report.html are written and, in "
        "store, results are kept (default: the folder of a study.toml that is given).",
    )
    skip_impossible: bool = option(
        "", "Leave out points that cannot run; the table names them.", default=False
    )
    fail_fast: bool = option("", "End at the first run that fails.", default=False)
    report: bool = option("", "Write report.html.", default=False, negative=("--no-report",))
    on_progress: Progress | None = None


@dataclass(frozen=True, kw_only=True)
class SweepArguments(Course, Study):
    """What a study varies, what it is judged by, and how it is run."""


def study_of(asked: SweepArguments) -> tuple[Study, Course]:
    """Return the study that is asked for, which a file may say, and where its points are run.

    Its tables go beside the file where nothing else is said.
    """
    file = model.file_of(asked.trace)
    if file is None:
        study = Study(**{name: getattr(asked, name) for name in options_of(Study)})
        study.check()
        if "sample_seed" in asked.given and study.sampling.kind == "grid":
            raise about(UsageError("sample_seed: a grid draws no points"), "sample_seed")
        return study, asked
    for name in options_of(Study):
        if name in asked.given and name != "trace":
            raise about(UsageError(f"{name}: a study's file says that itself"), name)
    return model.read_study(file), replace(asked, out=asked.out or file.parent)


@takes(SweepArguments)
def sweep(asked: SweepArguments) -> Sweep:
    """Run every combination of traces, devices, schemes, varied keys and seeds.

    `vary` has the values of a key as a list or as text, `"1..32"` or `"0.1..10/9@log"`; `points`
    is a list of dicts, or a CSV file. `config` is a file with keys below `settings`, or a whole
    configuration with its device and scheme. Devices and traces may be dicts, as in `run`.
    `gain_share` holds every point against the same run without a cache. `out` gets the tables;
    without it nothing is written. Results are kept in `store`, by default `out/store`: what is
    there is not run again. Points that cannot run are a ConfigError, or rows of the table with
    `skip_impossible`, which is an error again where none can run. A run that fails is a row too;
    with `fail_fast` it is a RunError at once. Raises ConfigError, UsageError, TraceError or
    RunError.
    """
    # What runs studies is loaded by whoever runs one.
    from slcache.study.run import run_study

    return run_study(*study_of(asked))
