"""The verbs that look at a trace: `trace info` and `trace lint`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.text import Text

from slcache import bounds
from slcache import trace as traces
from slcache.charts import pictures
from slcache.cli import console
from slcache.cli import options as opt
from slcache.errors import TraceError
from slcache.names import leaves, printable, shown
from slcache.options import option
from slcache.options.content import is_workload
from slcache.options.models import TRACE, RecordingOptions
from slcache.tables import trace_sections
from slcache.tables.table import Cells, Columns, Pairs, Table
from slcache.trace import Trace, comparison
from slcache.units import unit_of

trace_app = opt.group(
    "trace",
    "Inspect traces, convert them, or make new ones.\n\nExample:\n  slcache trace info web.csv.gz",
)
for _name in ("twin", "convert", "generate", "formats", "workloads"):
    trace_app.command(f"slcache.cli.trace_write:{_name}", name=_name)

_LISTED = 20
_OFF, _PROBLEMS = 1, 4


@dataclass(frozen=True, kw_only=True)
class InfoOptions(opt.OutputOptions, bounds.SeededTraceOptions):
    """What a trace's figures are held against, and where they are drawn."""

    picture: Path | None = option(
        "FILE.png|svg|pdf|html", "Draw the trace in a file.", check=opt.checked_picture()
    )
    expected: list[str] | None = option(
        "NAME=VALUE,...|WORKLOAD",
        "Check the trace against figures of a paper, or of a workload's source; exit with "
        "status 1 if one differs.",
        name="--expect",
        several=True,
    )
    other: str | None = option(
        "TRACE",
        "Print another trace or workload beside this one, and the differences.",
        name="--against",
    )
    other_option: dict[str, str] | None = option(
        "KEY=VALUE",
        "Set a reader option of the other trace: format, volume, unsorted, seed, workload.KEY, "
        "and those of --trace-option.",
        name="--against-option",
    )


@trace_app.command
@opt.verb
def info(rival: InfoOptions) -> int:
    """Print a trace's counts, sizes, footprint, times and hot set.

    With --expect the figures must match: 0.701 stands for 0.7005 to 0.7015; 0.701~1% or
    0.701~0.01 set the tolerance; a workload stands for the figures of its source, within 1 %.
    Names are those of --json; _kib, _mib and _gib may replace _bytes, and _percent may
    replace _share and _ratio. With --against the figures of both traces are printed side by
    side, with warnings where schemes would probably differ.

    Examples:
      slcache trace info web.csv.gz
      slcache trace info web.csv.gz --picture web.pdf --json
      slcache trace info web.csv.gz --expect requests=2029945,write_percent=70.1
      slcache trace info web.csv.gz --expect hierarchy-web_0
      slcache trace info web.csv.gz --against hierarchy-web_0
      slcache trace info all.csv.gz --volume each

    """
    with opt.as_usage("--expect"):
        figures = [each for text in rival.expected or [] for each in _figures(text)]
    if rival.other_option and rival.other is None:
        raise opt.wrong("--against-option is of the trace that --against names")
    document = Trace(str(rival.trace), options=dict(rival.reader_options())).info()
    with opt.as_usage():
        findings = comparison.check(document, figures)
    second = None if rival.other is None else _info_of_other(rival.other, rival.other_option or {})
    both = [document] if second is None else [document, second]
    if rival.picture is not None:
        pictures.save_trace(document, rival.picture, [each["file"] for each in both[1:]])
    console.cut_short(each["file"] for each in both if each["summary"]["last_line_unterminated"])
    compared = [] if second is None else comparison.figures(document, second)
    beside: dict[str, Any] = {}
    if findings:
        beside["expected"] = [vars(finding) for finding in findings]
    if second is not None:
        told = comparison.warnings(document, second)
        beside["against"] = asdict(comparison.Beside(second["file"], compared, told))
    drawn = console.written("picture", rival.picture)
    parts = _parts(both, compared, findings)
    console.answer(rival.form, {**document, **beside}, [*parts, *drawn])
    return 0 if all(finding.agrees for finding in findings) else _OFF


def _info_of_other(trace: str, options: dict[str, str]) -> dict[str, Any]:
    try:
        return Trace(trace, options=options).info()
    except TraceError as error:
        told = getattr(error, "_command_line", str(error))
        told = console.other_message(told, "--against-option")
        raise TraceError(console.workload_message(told, "--against-option workload.")) from None


@dataclass(frozen=True, kw_only=True)
class LintOptions(opt.OutputOptions, RecordingOptions):
    """A trace that may have problems."""

    trace: str = opt.argument(*TRACE, offer="workloads")


@trace_app.command
@opt.verb
def lint(asked: LintOptions) -> int:
    """List everything in a trace that would stop or distort a run.

    Exits with status 4 when there is a problem, 0 when the trace is clean.

    Example:
      slcache trace lint web.csv.gz --trace-format msr

    """
    document = Trace(asked.trace, options=asked.reader()).lint()
    for problem in document["problems"]:
        problem["message"] = console.trace_message(problem["message"])
    console.answer(asked.form, document, _problems(document))
    return _PROBLEMS if document["counts"] else 0


def _figures(text: str) -> list[comparison.Expectation]:
    """Return the figures of a text, or those that a workload's source gives."""
    if "=" not in text and is_workload(text):
        return comparison.of_workload(traces.workload(text))
    return comparison.parse(text)


def _parts(
    both: Sequence[Mapping[str, Any]],
    compared: list[comparison.ComparedFigure],
    findings: list[comparison.MeasuredFigure],
) -> Iterator[Cells | Text]:
    """Yield a trace's figures, or those of two side by side, and what was expected."""
    yield from (Text(pictures.trace_title(told), "bold") for told in both)
    if len(both) == 1:
        figures = leaves(both[0])
        rows = [{"figure": key, "unit": unit_of(key), "value": value} for key, value in figures]
        yield Table(rows, {})
        yield from trace_sections.sections(both[0])
    else:
        names = [printable(Path(told["file"]).name) for told in both]
        titles = comparison.titles(*both)
        columns: Pairs = (
            ("figure", lambda each: titles[each.name]),
            (names[0], lambda each: each.shown(each.value)),
            (names[1], lambda each: each.shown(each.against)),
            ("second to first", lambda each: each.differs),
        )
        yield Table(compared, columns)
        for line in comparison.warnings(*both):
            yield Text(f"schemes would probably differ: {line}", "yellow", overflow="fold")
    if findings:
        yield Table(findings, _FINDING)


_FINDING: Columns = {
    "expected": "name",
    "value": lambda finding: shown(finding.expected),
    "tolerance": lambda finding: shown(finding.tolerance),
    "found": lambda finding: shown(finding.found),
    "": lambda finding: Text("agrees", "green") if finding.agrees else Text("is off", "bold red"),
}
_PROBLEM = {"line": "line", "kind": "kind", "problem": "message"}


def _problems(document: dict[str, Any]) -> Iterator[Table | str]:
    """Yield what is wrong with a trace."""
    summary = document["summary"]
    requests = _many(summary["reads"] + summary["writes"], "request")
    total = sum(document["counts"].values())
    columns = _PROBLEM if total else {}
    yield Table(document["problems"], columns, most=_LISTED, only=_PROBLEM.values())
    counts = ", ".join(f"{kind} {number:,}" for kind, number in document["counts"].items())
    told = f"{_many(total, 'problem')}: {counts}" if total else "no problems"
    yield f"{requests}, {told}"
    if document["unanswered"]:
        issues = _many(document["unanswered"], "issue")
        yield (
            f"at least {issues} without a completion: in flight at the end, or issued again while "
            "no requeue was recorded (blktrace -a requeue), which counts each time"
        )


def _many(number: int, word: str) -> str:
    return f"{number:,} {word}{'s' * (number != 1)}"
