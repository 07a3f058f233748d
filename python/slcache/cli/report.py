"""The verb `report`: saved results as one page, several of them side by side."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from slcache import ResultError
from slcache.cli import checks, console, sweep
from slcache.cli import options as opt
from slcache.cli.simulate import parts_of
from slcache.documents import saved
from slcache.files import Transaction
from slcache.options import needed, option
from slcache.options.models import GB_PER_DAY, NORMALISE
from slcache.results import Comparison
from slcache.results.result import FILES

_PAGE = Path("report.html")


@dataclass(frozen=True, kw_only=True)
class Report(opt.Explained):
    """Results that are reported, and where."""

    results: Sequence[Path] = field(
        kw_only=False,
        metadata=needed(
            "RESULT...",
            "Saved results: folders of --out, or their result.json.",
            several=True,
        ),
    )
    normalise: str | None = option(*NORMALISE, alias="--normalize")
    out: Path = option(
        "FILE.html|DIR",
        "Write the page to this file, or page, tables and result.json to this folder.",
        default=_PAGE,
    )
    gb_per_day: float | None = option(*GB_PER_DAY)


@opt.verb
def report(asked: Report) -> None:
    """Write the report of saved results; several results of one trace become a comparison.

    A result is a folder of --out or its result.json, of a run or a comparison; or the folder
    of a study, whose page is that of sweep show. Runs of one scheme are distinguished by
    their folders or files, and the verdict begins with the settings in which runs differ.

    Examples:
      slcache report out/baseline
      slcache report before/result.json after/result.json --out both.html
      slcache report out/baseline --gb-per-day 20
      slcache report out/sizes --out sizes.html

    """
    from slcache.results.differences import gather

    results, out = [Path(each) for each in asked.results], asked.out
    normalise, gb_per_day, explain = asked.normalise, asked.gb_per_day, asked.explain
    asked.check_explained()
    is_page = out.suffix == ".html" and not out.is_dir()
    page = out if is_page else out / _PAGE
    if len(results) == 1 and sweep.is_study(results[0]):
        if normalise is not None or gb_per_day is not None or explain:
            of_runs = "--normalise, --gb-per-day and --explain are for results of runs"
            raise checks.wrong(f"{results[0]} is a study: {of_runs}")
        sweep.show_study(results[0], None, page, asked.form)
        return
    try:
        result = gather(results, normalise).told_at(gb_per_day)
    except ResultError:
        raise
    except ValueError as error:
        raise checks.wrong(str(error)) from error
    if explain and not isinstance(result, Comparison):
        raise checks.wrong("--explain: has no effect on one run; give several")
    read = (saved.read_by(document) for document in result.documents)
    kept = [*map(saved.file_of, results), *itertools.chain.from_iterable(read)]
    folder, names = (out.parent, (out.name,)) if is_page else (out, FILES)
    with Transaction(folder, names, kept) as files:
        if is_page:
            files.write(out.name, result.report().encode())
        else:
            result.stage(files)
    parts = [*parts_of(result, explain=explain), *console.written("report", page)]
    console.answer_of_runs(result, asked.form, parts)
