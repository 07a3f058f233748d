"""The verb `rerun`: a saved run repeated, and held against what it was."""

from __future__ import annotations

from typing import Annotated

from rich.text import Text

from slcache.cli import console, joint
from slcache.cli import options as opt
from slcache.cli.diff import lines, sheet
from slcache.documents import saved
from slcache.files import inputs as files_of
from slcache.results.frames import FILES

#: Exit status where the new result differs from the old.
DIFFERENT = 1


def rerun(
    *,
    result: opt.Saved,
    trace: Annotated[
        str | None, opt.option("PATH", "Where the trace is now, if it has moved.")
    ] = None,
    scheme: Annotated[
        str | None,
        opt.option(
            "A,B,...",
            "Of a comparison, repeat these runs only; a class of Python, FILE.py:CLASS, is loaded "
            "only where it is named here.",
        ),
    ] = None,
    out: opt.Out = None,
    form: joint.Shown,
    progress: opt.Progress = "auto",
) -> int:
    """Repeat a saved run or comparison from what its result holds, and compare.

    Configuration, trace, the options it was read with, and seed are those of the
    result. Where the trace (by its SHA-256), the program or its model differ, that is
    said before the run. Exits with 0 if the new result is identical to the old but for
    where, when and by which build it ran, with 1 if it differs.

    \b
    [bold]Examples[/bold]
      slcache rerun out/before
      slcache rerun out/mine --scheme ./mine.py:Small
      slcache rerun result.json --trace /data/web.csv.gz --out out/again
    """
    from slcache import repeat

    read = saved.read_by(saved.read(result))
    kept = [saved.file_of(result), *files_of(trace), *read]
    with console.output(out, FILES, kept) as files, console.meter(progress) as meter:
        found = repeat.rerun(
            result, trace=trace, scheme=scheme, on_note=console.note, on_progress=meter
        )
        if files is not None:
            found.result.stage(files)
    if form == "json":
        console.emit_json(
            {
                "equal": found.equal,
                "notes": found.notes,
                "difference": found.difference.to_dict(),
                "result": found.result.to_dict(),
            }
        )
    elif form != "table":
        console.sheets(form, sheet(found.difference, everything=False))
    else:
        for run in found.difference.runs:
            console.show(*lines(run, ("A", "B"), everything=False))
        if not found.equal:
            console.show(f"A: {result}", "B: the run just now")
        if out is not None:
            console.show(Text(f"report: {out / 'report.html'}"))
    return 0 if found.equal else DIFFERENT
