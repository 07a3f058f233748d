"""The verb sweep, which runs studies, and sweep show, which shows their tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from rich.console import RenderableType
from rich.text import Text

from slcache import ConfigError, ResultError, api, bounded, frame
from slcache.cli import annotated as opt
from slcache.cli import checks, console, shared
from slcache.documents import saved
from slcache.files import Transaction
from slcache.given import options
from slcache.named import listed
from slcache.tables.sheets import Sheet

if TYPE_CHECKING:
    import polars as pl

    from slcache.study.model import Study
    from slcache.study.run import Sweep

#: What a sweep and a search call their table and what was asked.
TABLE, ASKED = "points.parquet", "study.toml"


def show(
    folder: Annotated[
        Path, opt.argument("DIR", "The folder that a sweep or a search has written.")
    ],
    /,
    *,
    metrics: Annotated[
        list[str] | None,
        opt.option(
            "NAME",
            "Judge by this metric. Repeat it (default: those of the study; without any, "
            "read_p99_ns, write_p99_ns, waf, lifetime_host_bytes, slc_bytes).",
            name="--metric",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        opt.option("FILE", "Write the report to this file (.html).", check=options.no_folder),
    ] = None,
    shown: shared.Shown = shared.Shown(),
) -> None:
    """Show what a study found: points, main effects, the Pareto front, the spread over seeds.

    The points come first, the best in the first metric on top. Points that failed,
    cannot run or lack a metric are counted with their reasons. A level's mean is
    over all other parameters.

    Examples:
      slcache sweep show out/sizes
      slcache sweep show out/sizes --metric write_p99_ns --metric waf --html sizes.html

    """
    from slcache.study import page as pages
    from slcache.study import show as parts
    from slcache.study.analysis import Analysis
    from slcache.study.outcome import Outcome

    path = folder / TABLE
    table = _read(path)
    try:
        outcome = Outcome.of(table)
        outcome.check_once()
        study = _asked_study(folder / ASKED, metrics)
        analysis = Analysis.of(outcome, metrics or (study.judged_by if study else []))
    except ValueError as error:
        raise checks.wrong(f"{path}: {error}") from error
    if html is not None:
        # Whatever else a study has there is no page.
        if html.suffix not in (".html", ".htm"):
            told = f"{html}: a page is named FILE.html"
            raise checks.wrong(told, "--html")
        name, asked = folder.resolve().name, _asked(folder / ASKED)
        page = pages.render(analysis, name, asked, study=study)
        with Transaction(html.parent, [html.name], [path, folder / ASKED]) as files:
            files.write(html.name, page.encode())
    console.answer(
        shown.form,
        analysis.to_json,
        lambda: parts.sheets(analysis),
        lambda: [*parts.parts(analysis), *console.written("report", html)],
    )


def is_study(folder: Path) -> bool:
    """Return whether a folder has the table of a study and no result of a run."""
    return (folder / TABLE).is_file() and not saved.file_of(folder).exists()


def _read(path: Path) -> pl.DataFrame:
    if not path.exists():
        raise checks.wrong(f"{path}: there is no such file{_unended(path.parent)}")
    try:
        return frame.read(path)
    except ResultError as error:
        raise checks.wrong(str(error)) from error


def _unended(folder: Path) -> str:
    """Return how far a sweep is that has not written its table."""
    if not (folder / ASKED).exists():
        return ""
    kept = sum(1 for _ in (folder / "store" / "results").glob("*.json.gz"))
    return f": {kept:,} results are kept; slcache sweep {folder} goes on"


def _asked_study(path: Path, metrics: Sequence[str] | None) -> Study | None:
    """Return what was asked for; None where its file is gone or was broken, which is said."""
    from slcache.study import model

    if not path.exists():
        return None
    told = "points without commands" if metrics else "judged by the default metrics"
    try:
        return model.read(path)
    except ConfigError as error:
        console.note(f"{told}: {error}")
        return None


def _asked(path: Path) -> str:
    return (
        bounded.read(path, bounded.STUDY_BYTES_MAX).decode(errors="replace")
        if path.exists()
        else ""
    )


app = opt.group("sweep")
app.command(show)

#: What failed in a sweep that went to its end.
FAILED = 1


@shared.together
@dataclass(frozen=True)
class Varied:
    """What a study varies, and what it is judged by."""

    device: Annotated[list[str] | None, opt.device()] = None
    """A preset (see `slcache devices`) or a file; give several if wanted."""
    scheme: Annotated[
        list[str] | None, opt.schemes(check=checks.checked_schemes, alias="--schemes")
    ] = None
    """Schemes (see `slcache schemes`), or all that the device can run."""
    vary: Annotated[list[str] | None, opt.ranges()] = None
    """A key of the configuration, reader.KEY or workload.KEY, and its values: 1,2,4 or 1..32,
    0.1..1:0.1 (step), 1..64*2 (factor), 1..100/5 (points), 0.1..10/9@log."""
    points: Annotated[Path | None, opt.option("FILE.csv", check=checks.a_file)] = None
    """Points one by one in place of --vary: a column for each key."""
    sample: Annotated[str | None, opt.option("grid|random:N|latin-hypercube:N")] = None
    """All combinations (default: grid), or N points drawn."""
    sample_seed: Annotated[int | None, opt.count(min=0)] = None
    """Seed of the drawn points (default: 1)."""
    seeds: Annotated[int | None, opt.count(min=1, max=1000)] = None
    """Run every point with N seeds, from --seed (or 1) on."""
    metric: Annotated[list[str] | None, opt.option("NAME")] = None
    """Judge the report by this metric; repeat it. gain_share runs each point without a cache too,
    and has the least dense programs counted."""


@shared.together
@dataclass(frozen=True, kw_only=True)
class Course:
    """What becomes of points, and where tables go."""

    out: Annotated[Path | None, opt.option("DIR")] = None
    """Where points.parquet, costs.parquet, study.toml and report.html are written and, in store,
    results are kept (default: the folder of a study.toml that is given)."""
    skip_impossible: Annotated[bool, opt.plain()] = False
    """Leave out points that cannot run; the table names them."""
    fail_fast: Annotated[bool, opt.plain()] = False
    """End at the first run that fails."""
    report: Annotated[bool, Parameter(negative="--no-report", help="Write report.html.")] = True


@app.default
def sweep(
    *what: Annotated[
        str,
        opt.argument(
            "TRACE...|STUDY.toml|DIR",
            "Traces or workloads; or the file of a study; or a folder that a sweep has written, to "
            "go on with it.",
        ),
    ],
    varied: Varied = Varied(),
    replayed: shared.Drawn = shared.Drawn(),
    course: Course = Course(),
    where: shared.SpreadOut = shared.SpreadOut(),
    shown: shared.Shown = shared.Shown(),
    progress: opt.Progress = "auto",
) -> int:
    """Run a study: traces on devices under schemes, with every combination of what is varied.

    Points that cannot run are told before anything runs. Every result is kept
    as soon as it is there, and a point that exists is never run again: after
    Ctrl-C or a crash the same command goes on where it stopped. The table
    points.parquet has a row for each point.

    Examples:
      slcache sweep web.csv.gz --device ips-384g --scheme tlc-only,baseline \\
        --vary scheme.baseline.slc_blocks=16..128*2 --seeds 5 --out out/sizes
      slcache sweep web.csv.gz --device tiny --scheme baseline \\
        --vary host.time_scale=0.1..10/9@log --out out/load
      slcache sweep study.toml --jobs 8
      slcache sweep show out/sizes --metric waf

    """
    from slcache.study import run

    path = _study_file(what)
    if path is None:
        asked: Study | Path = _study(what, varied, replayed)
    else:
        said = {**vars(varied), **vars(replayed), **vars(replayed.reader), "reader": None}
        checks.refuse(said, "a study's file says that itself")
        asked = path
    out = course.out or (path and path.parent)
    if out is None:
        raise checks.wrong("say where the tables go", "--out")
    with console.meter(progress, kept=True) as meter:
        found = run.run_study(
            asked,
            on_progress=meter,
            **{**vars(course), "out": out},
            **vars(where),
        )
    _print(found, shown.form, out, report=course.report)
    if failed := found.counts()["failed"]:
        console.note(f"{failed:,} of {len(found.points):,} points failed; the table says why")
        return FAILED
    return 0


def _study_file(what: Sequence[str]) -> Path | None:
    """Return the file of a study, if one is meant: a workload is TOML too, but no study."""
    from slcache.study import model

    first = Path(what[0])
    if len(what) > 1:
        return None
    if first.is_dir():
        return model.of_folder(first)
    return first if first.suffix == ".toml" and model.is_study(first) else None


def _study(traces: Sequence[str], varied: Varied, replayed: shared.Drawn) -> Study:
    """Return the study of what options say, by the keys that its file has for them."""
    from slcache.metrics import named
    from slcache.study import axes, model

    how = replayed.how()
    own = api.addressed(checks.pairs(replayed.sets), how.pop("address"), state=how.pop("state"))
    said = {
        **vars(varied),
        **how,
        "trace": list(traces),
        "config": None if replayed.config is None else str(replayed.config),
        "scheme": [name for names in varied.scheme or () for name in listed(names)],
        "vary": checks.pairs(varied.vary),
        "set": own,
    }
    points = said.pop("points")
    told = {key: value for key, value in said.items() if value not in (None, [], {})}
    configured = model.configured(told)
    for what, option in (("device", "--device"), ("scheme", "--scheme")):
        if not configured.get(what):
            raise checks.wrong("is missing: a study needs at least one", option)
    with checks.told():
        if points is not None:
            told["point"] = list(axes.listed(points))
        if "metric" in told:
            told["metric"] = [named(name).name for name in told["metric"]]
        found = model.of(told, () if points is None else (str(points),))
    if "sample_seed" in told and found.sampling.kind == "grid":
        raise checks.wrong("a grid draws no points", "--sample-seed")
    return found


def _print(found: Sweep, form: opt.Form, out: Path, *, report: bool) -> None:
    from slcache.study import show

    def sheets() -> list[Sheet]:
        return [show.of_points(found.table)]

    console.answer(form, found.to_json, sheets, lambda: _parts(found, out, report=report))


def _parts(found: Sweep, out: Path, *, report: bool) -> Iterator[RenderableType]:
    from slcache.study import run

    counts = found.counts()
    told = [f"{count:,} {status}" for status, count in counts.items() if count]
    kept = f"; {found.kept:,} results were there before" if found.kept else ""
    points = "1 point" if len(found.points) == 1 else f"{len(found.points):,} points"
    yield Text(f"{points}: {', '.join(told)}{kept}", "bold")
    yield from (Text(line, "yellow") for line in found.problems())
    yield from (Text(f"table: {out / name}") for name in run.TABLES)
    yield from console.written("report", out / run.REPORT if report else None)
