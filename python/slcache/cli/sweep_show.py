"""The verb that shows a study's table: `slcache sweep show`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.text import Text

from slcache import ConfigError, ResultError, bounded, frame
from slcache.cli import checks, console, joint
from slcache.cli import options as opt
from slcache.documents import saved
from slcache.files import Transaction

if TYPE_CHECKING:
    import polars as pl

    from slcache.sweep.study import Study

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
            "--metric",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        opt.option("FILE", "Write the report to this file (.html).", validator=checks.no_folder),
    ] = None,
    shown: joint.Shown = joint.Shown(),
) -> None:
    """Show what a study found: points, main effects, the Pareto front, the spread over seeds.

    The points come first, the best in the first metric on top. Points that failed,
    cannot run or lack a metric are counted with their reasons. A level's mean is
    over all other parameters.

    Examples:
      slcache sweep show out/sizes
      slcache sweep show out/sizes --metric write_p99_ns --metric waf --html sizes.html

    """
    from slcache.study.analysis import Analysis
    from slcache.study.outcome import Outcome
    from slcache.sweep import report, sheets, terminal

    path = folder / TABLE
    table = _read(path)
    try:
        outcome = Outcome.of(table)
        outcome.check_once()
        study = _study(folder / ASKED, metrics)
        analysis = Analysis.of(outcome, metrics or (study.judged_by if study else []))
    except ValueError as error:
        raise checks.wrong(f"{path}: {error}") from error
    if html is not None:
        # Whatever else a study has there is no page.
        if html.suffix not in (".html", ".htm"):
            told = f"{html}: a page is named FILE.html"
            raise checks.wrong(told, "--html")
        name, asked = folder.resolve().name, _asked(folder / ASKED)
        page = report.render(analysis, name, asked, study=study)
        with Transaction(html.parent, [html.name], [path, folder / ASKED]) as files:
            files.write(html.name, page.encode())
    if console.in_form(shown.form, analysis.to_json, lambda: sheets.of_analysis(analysis)):
        return
    console.show(*terminal.parts(analysis))
    if html is not None:
        console.show(Text(f"report: {html}"))


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


def _study(path: Path, metrics: Sequence[str] | None) -> Study | None:
    """Return what was asked for; None where its file is gone or was broken, which is said."""
    from slcache.sweep import study_file

    if not path.exists():
        return None
    told = "points without commands" if metrics else "judged by the default metrics"
    try:
        return study_file.read(path)
    except ConfigError as error:
        console.note(f"{told}: {error}")
        return None


def _asked(path: Path) -> str:
    return (
        bounded.read(path, bounded.STUDY_BYTES_MAX).decode(errors="replace")
        if path.exists()
        else ""
    )
