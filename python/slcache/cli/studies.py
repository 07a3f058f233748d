"""The verbs about many runs: `sweep`, `sweep show` and `tune`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from slcache import ConfigError, ResultError, frame, search, study
from slcache.cli import console
from slcache.cli import options as opt
from slcache.documents import saved
from slcache.files import STUDY_BYTES_MAX, Transaction, bytes_of
from slcache.options import no_folder, option
from slcache.tables.table import Table

if TYPE_CHECKING:
    import polars as pl

    from slcache.search.tuning import Sizing, Tuning
    from slcache.study.model import Study
    from slcache.study.run import Sweep


#: What a sweep and a search call their table and what was asked.
TABLE, ASKED = "points.parquet", "study.toml"


@dataclass(frozen=True, kw_only=True)
class StudyOptions(opt.ExplanationOptions):
    """A study that was run, and how it is shown."""

    folder: Path = opt.argument("DIR", "The folder of a sweep or a tune.")
    metrics: list[str] | None = option(
        "NAME",
        "Sort and judge the points by this metric. Repeat it (default: the study's, else "
        "read_p99_ns, write_p99_ns, waf, lifetime_host_bytes, slc_bytes).",
        name="--metric",
        several=True,
    )
    html: Path | None = option("FILE", "Write the report to this HTML file.", check=no_folder)


@opt.verb
def show(asked: StudyOptions) -> None:
    """Show a study: its points, and which is the best.

    The points are sorted by the first metric, those of each load apart. Points that failed,
    are impossible or lack a metric are counted with their reasons. --explain adds main
    effects, the Pareto front and the spread over seeds; the mean of a level is over all other
    parameters.

    Examples:
      slcache sweep show out/sizes
      slcache sweep show out/sizes --explain
      slcache sweep show out/sizes --metric write_p99_ns --metric waf --html sizes.html

    """
    show_study(asked.folder, asked.metrics, asked.html, asked)


def show_study(
    folder: Path, metrics: list[str] | None, html: Path | None, how: opt.ExplanationOptions
) -> None:
    """Show what a study found, and write its page."""
    from slcache.study import page as pages
    from slcache.study import run as folders
    from slcache.study import show as parts
    from slcache.study.analysis import Analysis
    from slcache.study.outcome import Outcome

    how.check_explained()
    path = folder / TABLE
    table = _read(path)
    try:
        outcome = Outcome.of(table)
        outcome.check_once()
        study = _study_of(folder / ASKED, metrics)
        analysis = Analysis.of(outcome, metrics or (study.judged_by if study else []))
        own = study if study is not None and folders.is_of(path, study) else None
    except ValueError as error:
        raise opt.wrong(f"{path}: {error}") from error
    if own is not study:
        told = f"{folder / ASKED}: was changed after the table was written: points without commands"
        console.note(f"{told}; slcache sweep {folder} runs what it says now")
    if html is not None:
        # Whatever else a study has there is no page.
        if html.suffix not in (".html", ".htm"):
            raise opt.wrong(f"{html}: a page is named FILE.html", "--html")
        name, asked = folder.resolve().name, "" if own is None else _text_of(folder / ASKED)
        page = pages.render(analysis, name, asked, study=own)
        with Transaction(html.parent, [html.name], [path, folder / ASKED]) as files:
            files.write(html.name, page.encode())
    written = console.written("report", html)
    # Other programs get all tables.
    whole = how.explain or how.form != "table"
    shown = map(console.in_options, (parts.parts if whole else parts.brief)(analysis))
    console.answer(how.form, analysis.to_json, [*shown, *written])


def is_study(folder: Path) -> bool:
    """Return whether a folder has the table of a study and no result of a run."""
    return (folder / TABLE).is_file() and not saved.file_of(folder).exists()


def _read(path: Path) -> pl.DataFrame:
    if path.parent.is_file():
        raise opt.wrong(
            f"{path.parent}: a file; give the folder of the study, {path.parent.parent}"
        )
    if not path.exists():
        raise opt.wrong(f"{path}: there is no such file{_unended(path.parent)}")
    try:
        return frame.read(path)
    except ResultError as error:
        raise opt.wrong(str(error)) from error


def _unended(folder: Path) -> str:
    """Return how far a sweep is that has not written its table."""
    if not (folder / ASKED).exists():
        return ""
    kept = sum(1 for _ in (folder / "store" / "results").glob("*.json.gz"))
    return f": {kept:,} results are kept; slcache sweep {folder} goes on"


def _study_of(path: Path, metrics: Sequence[str] | None) -> Study | None:
    """Return what was asked for; None where its file is gone or was broken, which is said."""
    from slcache.study import model

    if not path.exists():
        return None
    told = "points without commands" if metrics else "judged by the default metrics"
    try:
        return model.read_study(path)
    except ConfigError as error:
        console.note(f"{told}: {error}")
        return None


def _text_of(path: Path) -> str:
    return bytes_of(path, STUDY_BYTES_MAX).decode(errors="replace")


sweep_app = opt.group("sweep")
sweep_app.command(show)

#: What failed in a sweep that went to its end.
FAILED = 1


@dataclass(frozen=True, kw_only=True)
class SweepOptions(opt.ProgressOptions, opt.OutputOptions, study.SweepArguments):
    """A study, run and shown."""

    report: bool = option("", "Write report.html.", default=True, negative=("--no-report",))


@sweep_app.default
@opt.verb
def sweep(asked: SweepOptions) -> int:
    """Run a study: every combination of traces, devices, schemes and values of keys.

    Impossible points are reported before the first run. Each result is stored at once, and
    finished points are never run again: after Ctrl-C or a crash the same command continues.
    The table points.parquet has a row for each point.

    Examples:
      slcache sweep web.csv.gz --device ips-384g --scheme tlc-only,baseline \\
        --vary scheme.baseline.slc_blocks=16..128*2 --seeds 5 --out out/sizes
      slcache sweep web.csv.gz --device tiny --scheme baseline \\
        --vary host.time_scale=0.1..10/9@log --out out/load
      slcache sweep study.toml --jobs 8
      slcache sweep show out/sizes --metric waf

    """
    from slcache.study import run

    whole, course = study.study_of(asked)
    if course.out is None:
        raise opt.wrong("say where the tables go", "--out")
    with console.meter(asked.meter, kept=True) as meter:
        found = run.run_study(whole, replace(course, on_progress=meter))
    parts = _sweep_parts(found, Path(course.out), report=asked.report)
    console.answer(asked.form, found.to_json, parts)
    if failed := found.counts()["failed"]:
        console.note(f"{failed:,} of {len(found.points):,} points failed; the table says why")
        return FAILED
    return 0


def _sweep_parts(found: Sweep, out: Path, *, report: bool) -> Iterator[RenderableType]:
    from slcache.study import run
    from slcache.study import show as parts

    yield Table(found.table.to_dicts(), {}, units=frame.UNITS)
    analysis = found.analysis()
    kept = f"; {found.kept:,} results were there before" if found.kept else ""
    headline = f"{parts.points(analysis.outcome)}{kept}"
    more = f"slcache sweep show {shlex.quote(str(out))} --explain"
    yield from map(console.in_options, parts.brief(analysis, headline, found.problems(), more))
    yield from (Text(f"table: {out / name}") for name in run.TABLES)
    yield from console.written("report", out / run.REPORT if report else None)


#: Where no point is done, none can be best.
FAILED = 1
#: The terminal lists so many points of the front.
_SHOWN = 30
#: And so many of the reasons for which points could not be run.
_REASONS = 3


@dataclass(frozen=True, kw_only=True)
class TuneOptions(opt.ProgressOptions, opt.OutputOptions, search.TuneArguments):
    """A search, and how it is shown."""


@opt.verb
def tune(asked: TuneOptions) -> int:
    """Search for the settings that minimise or maximise metrics, or one key.

    A sampler suggests points in batches of eight and learns from their results; the same
    command tries the same points with any number of --jobs. With several metrics the answer
    is their Pareto front, and best.toml is its point nearest to the best of each. Points that
    the device or scheme refuses are counted, and the sampler avoids them. Finished points are
    stored: the same command, or one with more --points, continues.

    --least or --most finds the smallest or largest value of one key that keeps the bounds,
    such as the blocks of a cache or a queue depth. The search runs five values first, then
    bisects, and runs both neighbours of the answer. Metrics that are not monotonic are
    reported. "No value keeps the bounds" is also an answer (status 0, best null in --json),
    with both ends and the nearest value.

    Examples:
      slcache tune web.csv.gz --device ips-384g --scheme baseline --out found \\
        --vary scheme.baseline.slc_blocks=3..166 \\
        --vary scheme.baseline.slc.start_free_ratio=0.1..0.9
      slcache tune web.csv.gz --device ips-384g --scheme baseline,turbo-write \\
        --vary scheme.baseline.slc_blocks=8..128@log --points 60 \\
        --maximise lifetime_host_bytes --such-that 'waf<=2' --out found
      slcache tune hierarchy-web_0 --device hierarchy-44g --scheme baseline \\
        --vary scheme.baseline.slc_blocks=4..84:4 \\
        --least scheme.baseline.slc_blocks --such-that 'write_p99<=5ms'

    """
    with console.meter(asked.meter, kept=True) as meter:
        found = search.tune.of(replace(asked, on_progress=meter))
    page = console.written("report", None if asked.out is None else Path(asked.out) / "report.html")
    console.answer(asked.form, found.to_json, [*map(console.in_options, _tune_parts(found)), *page])
    return 0 if found.counts()["done"] else FAILED


def _tune_parts(found: Tuning) -> list[RenderableType]:
    told = [Text(line)] if (line := found.analysis.outcome.state) else []
    every = list(found.reasons())
    reasons = [
        Text(f"{count:,} {status}: {reason}", "yellow")
        for status, reason, count in every[:_REASONS]
    ]
    if more := sum(count for _, _, count in every[_REASONS:]):
        reasons.append(Text(f"{more:,} more for other reasons (--out has them)", "yellow"))
    table = _front(found) if found.sized is None else _sizes(found, found.sized)
    from slcache.study.show import ahead, few

    known = (Text(line, "yellow") for line in [*ahead(found.analysis), *few(found.analysis)])
    return [*told, *reasons, *known, table, *map(Text, found.told())]


def _sizes(found: Tuning, sized: Sizing) -> Table:
    """Return the values that were tried, the best marked."""
    from slcache.frame import UNITS

    rows = [
        {
            sized.key: each.settings[sized.key],
            "status": each.found.status,
            "best": each is found.best,
            "in_bounds": sized.keeps(each),
            **{name: each.found.figures.get(name) for name in sized.search.names},
            "cache": "never full" if each.found.is_unfilled else "",
        }
        for each in found.tried
    ]
    columns = [
        *found.analysis.outcome.columns({sized.key: sized.key}, sized.search.names),
        ("bounds", _kept),
    ]
    if any(row["cache"] for row in rows):
        columns.append(("SLC cache", "cache"))
    ran = {sized.value(each) for each in sized.run}
    return Table(
        rows, columns, units=UNITS, best=itemgetter("best"), told=lambda row: row[sized.key] in ran
    )


def _kept(row: Mapping[str, Any]) -> str:
    if row["status"] != "done":
        return str(row["status"])
    return "kept" if row["in_bounds"] else "broken"


def _front(found: Tuning) -> Table:
    """Return the front, the best marked; of points of equal figures readers have one."""
    from slcache.frame import UNITS
    from slcache.study.outcome import short_names

    metrics, same = found.goals.names, {id(each): count for each, count in found.distinct}
    rows = [
        {
            "front": number,
            "best": each is found.best,
            **each.settings,
            **{name: each.found.figures[name] for name in metrics},
            "same figures": same.get(id(each), 0),
            "cache": "never full" if each.found.is_unfilled else "",
        }
        for number, each in enumerate(found.front, 1)
    ]
    keys = list(dict.fromkeys(key for each in found.front for key in each.settings))
    shown = [key for key in keys if key != "scheme" or len(found.study.schemes) > 1]
    columns = [("front", "front"), *found.analysis.outcome.columns(short_names(shown), metrics)]
    if any(count > 1 for count in same.values()):
        columns.append(("same figures", _others))
    if any(row["cache"] for row in rows):
        columns.append(("SLC cache", "cache"))
    only = ("front", "best", *keys, *metrics, "cache")
    return Table(
        rows,
        columns,
        units=UNITS,
        most=_SHOWN,
        only=only,
        best=itemgetter("best"),
        told=lambda row: row["same figures"] > 0,
    )


def _others(row: Mapping[str, Any]) -> str:
    return f"{row['same figures'] - 1:,} more" if row["same figures"] > 1 else ""
