"""Studies from Python, by the name of their package."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from slcache.errors import UsageError, about
from slcache.files import Path
from slcache.given import content
from slcache.given.arguments import refuse
from slcache.given.content import Content
from slcache.given.options import (
    Drawn,
    SpreadOut,
    a_file,
    checked_ranges,
    checked_schemes,
    needed,
    of,
    option,
    takes,
)
from slcache.named import listed

if TYPE_CHECKING:
    from slcache.study.axes import Value
    from slcache.study.model import Study
    from slcache.study.run import Sweep
    from slcache.traces.api import Progress


@dataclass(frozen=True, kw_only=True)
class Course(SpreadOut):
    """Where points are run, and what becomes of them and of their tables."""

    out: Path | None = option(
        "DIR",
        "Folder for points.parquet, costs.parquet, study.toml, report.html and the finished "
        "runs in store (default: the folder of the given study.toml).",
    )
    skip_impossible: bool = option(
        "", "Leave out impossible points; the table names them.", default=False
    )
    fail_fast: bool = option("", "Stop at the first failed run.", default=False)
    report: bool = option(
        "", "Write report.html (default: yes).", default=False, negative=("--no-report",)
    )
    on_progress: Progress | None = None


def course(asked: Course) -> dict[str, Any]:
    """Return where points are run as arguments."""
    return {name: getattr(asked, name) for name in (*of(Course), "on_progress")}


@dataclass(frozen=True, kw_only=True)
class _Varied:
    """What a study varies, and what it is judged by."""

    device: Content | Sequence[Content] | None = option(
        "PRESET|FILE.toml",
        "A preset (see `slcache devices`) or a device file. Repeat it for several.",
        offer="devices",
        several=True,
    )
    scheme: str | Sequence[str] | None = option(
        "A,B,...|all",
        "Schemes (see `slcache schemes`), or all that the device can run.",
        check=checked_schemes,
        alias="--schemes",
        offer="schemes",
        several=True,
    )
    vary: Mapping[str, object] | None = option(
        "KEY=VALUES",
        "A key of the configuration, reader.KEY or workload.KEY, and its values: 1,2,4 or "
        "1..32, 0.1..1:0.1 (step), 1..64*2 (factor), 1..100/5 (number of points), "
        "0.1..10/9@log. Repeat it.",
        check=checked_ranges,
    )
    points: Iterable[Mapping[str, Value]] | Path | None = option(
        "FILE.csv",
        "Read the points from a file instead of --vary: a column for each key.",
        check=a_file,
    )
    sample: str | None = option(
        "grid|random:N|latin-hypercube:N",
        "Run all combinations (default: grid), or N random points.",
    )
    sample_seed: int | None = option(
        "N", "Seed of the random points (default: 1).", range=(0, None)
    )
    seeds: int | None = option("N", "Run every point with N seeds, from --seed (or 1) on.")
    metrics: Sequence[str] | str = option(
        "NAME",
        "Metric of the report. Repeat it. gain_share also runs each point without a cache and "
        "counts the least dense programs.",
        default=(),
        name="--metric",
        several=True,
    )


@dataclass(frozen=True, kw_only=True)
class Points(Course, Drawn, _Varied):
    """What a study varies, what it is judged by, and how it is run."""

    trace: Content | Sequence[Content] = field(
        kw_only=False,
        metadata=needed(
            "TRACE...|STUDY.toml|DIR",
            "Traces or workloads; or a study file; or the folder of an earlier sweep, to continue "
            "it.",
            several=True,
        ),
    )


def study_of(asked: Drawn, **own: Any) -> Study:  # noqa: ANN401
    """Return a study of what is asked, and of what it has of its own."""
    from slcache.study.model import Study

    return Study(
        set=asked.keyed(content.of(asked.settings).settings),
        trace_options=asked.reader(),
        replay=asked.replay,
        seed=asked.seed,
        resample=asked.resample,
        resample_block=asked.resample_block,
        **own,
    )


def placed(asked: Drawn, device: Any, scheme: str | Sequence[str] | None) -> dict[str, Any]:  # noqa: ANN401
    """Return device, schemes and the file below the settings; UsageError where one is missing."""
    from slcache.study.model import configured

    texts = [scheme] if isinstance(scheme, str) else scheme or ()
    names = [name for text in texts for name in listed(text)]
    found = configured({"config": asked.config, "device": device, "scheme": names})
    for what in ("device", "scheme"):
        if not found.get(what):
            raise about(UsageError(f"{what} is missing: there must be at least one"), what)
    return found


@takes(Points)
def sweep(asked: Points) -> Sweep:
    """Run every combination of traces, devices, schemes, varied keys and seeds.

    `vary` has the values of a key as a list or as text, `"1..32"` or `"0.1..10/9@log"`; `points`
    is a list of dicts, or a CSV file. `config` is a file with keys below `settings`, or a whole
    configuration with its device and scheme. Devices and traces may be dicts, as in `run`.
    `gain_share` holds every point against the same run without a cache. `out` gets the tables;
    without it nothing is written. Results are kept in `store`, by default `out/store`: what is
    there is not run again. Raises ConfigError, UsageError, TraceError or RunError.
    """
    # What runs studies is loaded by whoever runs one.
    from slcache.metrics import named
    from slcache.study import axes
    from slcache.study.run import run_study

    points, file = asked.points, None
    if isinstance(points, str | os.PathLike):
        file = pathlib.Path(points)
        if not file.is_file():
            refuse("points", str(file), "must be a list of points, or a CSV file that is there")
    elif points is not None:
        points = _listed(points)
    metrics = [asked.metrics] if isinstance(asked.metrics, str) else asked.metrics
    try:
        names = [named(name).name for name in metrics]
        listed = points if file is None else axes.listed(file)
    except ValueError as error:
        raise UsageError(str(error)) from error
    study = study_of(
        asked,
        **placed(asked, asked.device, asked.scheme),
        trace=asked.trace,
        vary=asked.vary,
        point=listed,
        sample=asked.sample,
        sample_seed=asked.sample_seed,
        seeds=asked.seeds,
        metric=names,
        read_from=() if file is None else (str(file),),
    )
    if asked.sample_seed is not None and study.sampling.kind == "grid":
        raise about(UsageError("sample_seed: a grid draws no points"), "sample_seed")
    return run_study(study, **course(asked))


def _listed(points: Any) -> list[Mapping[str, Value]]:  # noqa: ANN401
    """Return points that are listed one by one; UsageError for what is none."""
    if not isinstance(points, Iterable) or isinstance(points, bytes | Mapping):
        refuse("points", points, "must be a list of points, each a dict of keys and values")
    every = list(points)
    if not every:
        refuse("points", every, "must have a point; leave it out where keys are varied")
    for number, point in enumerate(every, 1):
        if not (isinstance(point, Mapping) and point and all(isinstance(k, str) for k in point)):
            refuse("points", point, f"point {number} must be a dict of keys and values")
    return every
