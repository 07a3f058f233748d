"""The verbs about saved results: `diff` and `report`."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slcache import ResultError
from slcache.cli import console
from slcache.cli import options as opt
from slcache.documents import saved
from slcache.files import Transaction
from slcache.files import inputs as files_of
from slcache.options import option
from slcache.options.models import GB_PER_DAY, NORMALISE
from slcache.results import Comparison, differences
from slcache.results.differences import Difference, gather
from slcache.results.result import FILES

#: Exit status where results differ, of --rerun and of --exit-code.
DIFFERENT = 1


@dataclass(frozen=True, kw_only=True)
class DiffOptions(opt.ProgressOptions, opt.OutputOptions):
    """Two results, or one that is repeated."""

    first: Path = opt.argument("RESULT", "A saved result: a folder of --out, or its result.json.")
    second: Path | None = opt.argument(
        "[OTHER]", "The result to compare it with; not with --rerun.", default=None
    )
    rerun: bool = option("", "Repeat the run of the result now, and compare.", default=False)
    trace: str | None = option("PATH", "With --rerun: the new path of the trace, if it was moved.")
    scheme: str | None = option(
        "A,B,...",
        "With --rerun: repeat only these runs of a comparison. A Python class, FILE.py:CLASS, "
        "is loaded only if it is named here.",
        alias="--schemes",
    )
    out: Path | None = option(
        "DIR", "With --rerun: write the new result, its tables and its page to this folder."
    )
    everything: bool = option(
        "",
        "Show all figures of the documents.",
        default=False,
        name="--all",
    )
    exit_code: bool = option("", "Exit with status 1 if the results differ.", default=False)


@opt.verb
def diff(asked: DiffOptions) -> int:
    """Compare two results, or a result with the same run repeated now.

    It compares configuration, trace and figures, the largest difference first. A result is a
    folder of --out or its result.json, of a run or a comparison; runs of comparisons are
    matched by scheme. The exit status is 0 after a comparison; with --exit-code it is 1 if
    the results differ.

    `--rerun` repeats one result: its configuration, its trace with the same reader options,
    its seed. A difference in the trace (SHA-256), the program or its model is reported before
    the run. The exit status is 1 if the new result differs in more than time, place and build
    of the run.

    Examples:
      slcache diff out/before out/after
      slcache diff before.json after.json --exit-code --json
      slcache diff --rerun out/before
      slcache diff --rerun result.json --trace /data/web.csv.gz --out out/again
      slcache diff --rerun out/mine --scheme ./mine.py:Small

    """
    if asked.rerun:
        if asked.second is not None:
            raise opt.wrong("--rerun takes one result")
        return _rerun(asked)
    opt.refuse(asked, ("trace", "scheme", "out"), "has no effect without --rerun")
    if asked.second is None:
        raise opt.wrong("give a second result, or --rerun to repeat the first")
    found = differences.diff(asked.first, asked.second)
    _print(found, {}, (str(asked.first), str(asked.second)), asked)
    return DIFFERENT if asked.exit_code and not found.equal else 0


def _rerun(asked: DiffOptions) -> int:
    """Repeat a saved run or comparison, and show what separates the new one from it."""
    from slcache import repeat

    read = saved.read_by(saved.read(asked.first))
    kept = [saved.file_of(asked.first), *files_of(asked.trace), *read]
    with console.output(asked.out, FILES, kept) as files, console.meter(asked.meter) as meter:
        found = repeat.rerun(
            asked.first,
            trace=asked.trace,
            scheme=asked.scheme,
            on_note=console.note,
            on_progress=meter,
        )
        if files is not None:
            found.result.stage(files)
    told = {"notes": found.notes, "result": found.result.to_dict()}
    names = (str(asked.first), "the run just now")
    _print(found.difference, told if asked.form == "json" else {}, names, asked)
    if asked.form == "table":
        console.show(*console.written("report", asked.out and asked.out / "report.html"))
    return 0 if found.equal else DIFFERENT


def _print(
    found: Difference,
    beside: Mapping[str, Any],
    names: tuple[str, str],
    asked: DiffOptions,
) -> None:
    """Print a difference; as JSON with what is `beside` it."""
    parts = found.parts(everything=asked.everything)
    sides = (f"{side}: {name}" for side, name in zip("AB", names, strict=True))
    console.answer(asked.form, {**found.to_dict(), **beside}, [*parts, *sides])


_PAGE = Path("report.html")
#: What the head of every page has.
_OWN, _HEAD_BYTES = b"<title>slcache: ", 4096


@dataclass(frozen=True, kw_only=True)
class ReportOptions(opt.ExplanationOptions):
    """Results that are reported, and where."""

    results: Sequence[Path] = opt.argument(
        "RESULT...", "Saved results: folders of --out, or their result.json.", several=True
    )
    normalise: str | None = option(*NORMALISE, alias="--normalize")
    out: Path = option(
        "FILE.html|DIR",
        "Write the page to this file, or page, tables and result.json to this folder (default: "
        f"{_PAGE}, which replaces no file but such a page).",
        default=_PAGE,
    )
    gb_per_day: float | None = option(*GB_PER_DAY)


@opt.verb
def report(asked: ReportOptions) -> None:
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
    from slcache.cli import studies

    results, out = [Path(each) for each in asked.results], asked.out
    normalise, gb_per_day, explain = asked.normalise, asked.gb_per_day, asked.explain
    asked.check_explained()
    is_page = out.suffix == ".html" and not out.is_dir()
    page = out if is_page else out / _PAGE
    if "out" not in asked.given and page.is_file():
        with page.open("rb") as file:
            if _OWN not in file.read(_HEAD_BYTES):
                raise opt.wrong(f"{page} is there, and no page of slcache; name another", "--out")
    if len(results) == 1 and studies.is_study(results[0]):
        if normalise is not None or gb_per_day is not None:
            of_runs = "--normalise and --gb-per-day are for results of runs"
            raise opt.wrong(f"{results[0]} is a study: {of_runs}")
        studies.show_study(results[0], None, page, asked)
        return
    try:
        result = gather(results, normalise).told_at(gb_per_day)
    except ResultError:
        raise
    except ValueError as error:
        raise opt.wrong(str(error)) from error
    if explain and not isinstance(result, Comparison):
        raise opt.wrong("--explain: has no effect on one run; give several")
    read = (saved.read_by(document) for document in result.documents)
    kept = [*map(saved.file_of, results), *itertools.chain.from_iterable(read)]
    folder, names = (out.parent, (out.name,)) if is_page else (out, FILES)
    with Transaction(folder, names, kept) as files:
        if is_page:
            files.write(out.name, result.report().encode())
        else:
            result.stage(files)
    parts = [*console.parts_of(result, explain=explain), *console.written("report", page)]
    console.answer_of_runs(result, asked.form, parts)
