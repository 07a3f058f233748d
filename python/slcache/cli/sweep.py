"""The verb sweep, which runs studies, and sweep show, which shows their tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from slcache import ConfigError, ResultError, bounded, frame
from slcache.cli import checks, console, reader_words
from slcache.cli import options as opt
from slcache.documents import saved
from slcache.files import Transaction
from slcache.options import needed, no_folder, option
from slcache.study import api as study
from slcache.tables.table import Table

if TYPE_CHECKING:
    import polars as pl

    from slcache.study.model import Study
    from slcache.study.run import Sweep

#: What a sweep and a search call their table and what was asked.
TABLE, ASKED = "points.parquet", "study.toml"


@dataclass(frozen=True, kw_only=True)
class Show(opt.Shown):
    """A study that was run, and how it is shown."""

    folder: Path = field(kw_only=False, metadata=needed("DIR", "The folder of a sweep or a tune."))
    metrics: list[str] | None = option(
        "NAME",
        "Sort and judge the points by this metric. Repeat it (default: the study's, else "
        "read_p99_ns, write_p99_ns, waf, lifetime_host_bytes, slc_bytes).",
        name="--metric",
        several=True,
    )
    html: Path | None = option("FILE", "Write the report to this HTML file.", check=no_folder)


@opt.verb
def show(asked: Show) -> None:
    """Show a study: points, main effects, the Pareto front, the spread over seeds.

    The points come first, the best in the first metric on top. Points that failed, are
    impossible or lack a metric are counted with their reasons. The mean of a level is over
    all other parameters.

    Examples:
      slcache sweep show out/sizes
      slcache sweep show out/sizes --metric write_p99_ns --metric waf --html sizes.html

    """
    show_study(asked.folder, asked.metrics, asked.html, asked.form)


def show_study(folder: Path, metrics: list[str] | None, html: Path | None, form: opt.Form) -> None:
    """Show what a study found, and write its page."""
    from slcache.study import folder as folders
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
        own = study if study is not None and folders.is_of(path, study) else None
    except ValueError as error:
        raise checks.wrong(f"{path}: {error}") from error
    if own is not study:
        told = f"{folder / ASKED}: was changed after the table was written: points without commands"
        console.note(f"{told}; slcache sweep {folder} runs what it says now")
    if html is not None:
        # Whatever else a study has there is no page.
        if html.suffix not in (".html", ".htm"):
            told = f"{html}: a page is named FILE.html"
            raise checks.wrong(told, "--html")
        name, asked = folder.resolve().name, "" if own is None else _asked(folder / ASKED)
        page = pages.render(analysis, name, asked, study=own)
        with Transaction(html.parent, [html.name], [path, folder / ASKED]) as files:
            files.write(html.name, page.encode())
    written = console.written("report", html)
    shown = map(reader_words.in_text, parts.parts(analysis))
    console.answer(form, analysis.to_json, [*shown, *written])


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
    return bounded.read(path, bounded.STUDY_BYTES_MAX).decode(errors="replace")


app = opt.group("sweep")
app.command(show)

#: What failed in a sweep that went to its end.
FAILED = 1


@dataclass(frozen=True, kw_only=True)
class Sweeping(opt.Metered, opt.Shown, study.Points):
    """A study, run and shown."""

    report: bool = option("", "Write report.html.", default=True, negative=("--no-report",))


@app.default
@opt.verb
def sweep(asked: Sweeping) -> int:
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

    whole, course = study.begun(asked)
    if course.out is None:
        raise checks.wrong("say where the tables go", "--out")
    with console.meter(asked.meter, kept=True) as meter:
        found = run.run_study(whole, replace(course, on_progress=meter))
    parts = _parts(found, Path(course.out), report=asked.report)
    console.answer(asked.form, found.to_json, parts)
    if failed := found.counts()["failed"]:
        console.note(f"{failed:,} of {len(found.points):,} points failed; the table says why")
        return FAILED
    return 0


def _parts(found: Sweep, out: Path, *, report: bool) -> Iterator[RenderableType]:
    from slcache.study import folder, run
    from slcache.study.outcome import Outcome

    yield Table(found.table.to_dicts(), {}, units=frame.UNITS)
    if state := Outcome.of(found.table).state:
        yield Text(state)
    counts = found.counts()
    told = [f"{count:,} {status}" for status, count in counts.items() if count]
    kept = f"; {found.kept:,} results were there before" if found.kept else ""
    points = "1 point" if len(found.points) == 1 else f"{len(found.points):,} points"
    yield Text(f"{points}: {', '.join(told)}{kept}", "bold")
    yield from (reader_words.in_text(Text(line, "yellow")) for line in found.problems())
    yield from (Text(f"table: {out / name}") for name in folder.TABLES)
    yield from console.written("report", out / run.REPORT if report else None)
