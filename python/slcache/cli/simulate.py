"""The verbs that simulate: run, and compare with both states of a device side by side."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from slcache import _core, catalogue, simulation, units
from slcache.cli import console
from slcache.cli import options as opt
from slcache.documents import figures
from slcache.errors import Error
from slcache.options import arguments_of, option, options_of
from slcache.options import content as texts
from slcache.options.content import Content
from slcache.options.models import SimulationOptions
from slcache.options.parsing import WORN
from slcache.results import Comparison, Result
from slcache.results.result import FILES, runs_of
from slcache.sentences import notes, verdict
from slcache.tables.table import Cells

#: What stands side by side.
TITLES = ("write\nmean", "read\nmean", "flush\nmean", "WAF")

#: What an answer calls a device that begins with the data that the trace accesses, and no others.
_FRESH = "fresh"

ByState = Mapping[str, Comparison]


def _check_states(asked: CompareOptions) -> None:
    """Refuse what one comparison has and two side by side have not."""
    told = "has no effect with --states; give it with each --state alone"
    if asked.form not in ("table", "json"):
        raise opt.wrong(f"has no tables for other programs: it {told}", "--format")
    alone = ("state", "out", "log", "resample", "explain", "seeds", "gb_per_day")
    of_timelines = (name for name in options_of(SimulationOptions) if name.startswith("timeline"))
    opt.refuse(asked, (*alone, *of_timelines), told)
    if _core.is_read_once(str(asked.trace)):
        told = "reads the trace once for each state; give a file"
        raise opt.wrong(told, "--states")


def _show_states(asked: CompareOptions) -> None:
    """Compare in both states and print what turns round."""
    same = arguments_of(asked, simulation.CompareArguments)
    with console.meter(asked.meter, kept=asked.store is not None) as meter:
        found = simulation.in_states(**same, on_progress=meter)
    lines = [
        Text(f"{_called(name, whole=True)}: {notes.state_line(each.documents)}")
        for name, each in found.items()
    ]
    never = [
        Text(f"{_called(name)}: {told}", "yellow")
        for name, each in found.items()
        if (told := notes.untested(each.labelled).strip())
    ]
    document = {"states": {name: each.to_dict() for name, each in found.items()}}
    shown: list[RenderableType] = [*lines, *never, _side_by_side(found)]
    console.answer(asked.form, document, [*shown, *sentences(found)])


def _called(state: str, *, whole: bool = False) -> str:
    """Return what an answer calls a state: `empty` is without data but for those of the trace."""
    if state != "empty":
        return state
    return f"{_FRESH} (empty but for the data that the trace accesses)" if whole else _FRESH


def _side_by_side(compared: ByState) -> Cells:
    """Return a scheme's figures in each state, as factors of the reference there."""
    tables = {state: comparison.tables()[0] for state, comparison in compared.items()}
    found = [title for title in TITLES if any(title in each.columns for each in tables.values())]
    titles = [f"{title}\n{_called(state)}" for title in found for state in tables]

    def cell(row: int, title: str, table: Cells) -> str | Text:
        return table.rows[row][table.columns.index(title)] if title in table.columns else "–"

    rows = (
        [name, *(cell(i, title, table) for title in found for table in tables.values())]
        for i, (name, *_) in enumerate(next(iter(tables.values())).rows)
    )
    return Cells(["scheme", *titles], rows)


def sentences(compared: ByState) -> list[str]:
    """Return for each side who wins in each state, by how much, and whether that is the same."""
    lines = []
    documents = [run for each in compared.values() for run in runs_of(each).values()]
    for side, many in verdict.kinds_of(documents).items():
        told = {
            state: verdict.winner(side, runs_of(each), each.reference)
            for state, each in compared.items()
        }
        if not any(told.values()):
            continue
        parts = "; ".join(
            f"{_called(state)}: {text.removeprefix(f'{many}: ')}" for state, text in told.items()
        )
        lines.append(f"{many.capitalize()}: {_turn(side, compared)}. {parts}.")
    return lines


def _turn(side: str, compared: ByState) -> str:
    """Say whether who is best in one state is worse in another; ties are no winners."""
    best = []
    for each in compared.values():
        built = figures.buildable(runs_of(each)).values()
        means = [figures.latency(document, side, "mean") for document in built]
        every = {place for place, mean in enumerate(means) if mean is not None}
        best.append(figures.winners(means) or every)
    if not set.intersection(*best):
        return "the winner changes with the state"
    if any(each != best[0] for each in best):
        return "the winner of one state ties in another"
    return "the winner does not change with the state"


@dataclass(frozen=True, kw_only=True)
class RunOptions(
    opt.ProgressOptions, opt.OutputOptions, opt.FolderOptions, simulation.RunArguments
):
    """A single run, printed and saved."""


@opt.verb
def run(asked: RunOptions) -> None:
    """Replay a trace on a device under one scheme.

    Examples:
      slcache run web.csv.gz --device tiny --scheme baseline
      slcache run web.csv.gz --device my.toml --scheme tlc-only --json
      slcache run web.csv.gz --device tiny --scheme baseline --address wrap
      slcache run web.csv.gz --config out/before/result.json --set run.seed=2
      slcache run web.csv.gz --device tiny --scheme baseline --log requests.parquet
      slcache run web.csv.gz --device tiny --scheme baseline \\
        --timeline slowest.pftrace.gz --around slowest

    """
    _check_years(asked)
    _tell(asked, [asked.device], asked.scheme)
    with (
        console.output(asked.out, FILES, asked.reads, asked.writes) as files,
        console.meter(asked.meter) as meter,
    ):
        result = simulation.run.of(replace(asked, on_progress=meter))
        if files is not None:
            result.stage(files)
    _print(result, asked.form, result.shown(), asked.out)


def _check_years(asked: RunOptions | CompareOptions) -> None:
    """Refuse a rate for years that nothing tells: what is for other programs has the trace's."""
    if asked.gb_per_day is not None and asked.form != "table" and asked.out is None:
        told = (
            f"has no effect with --format {asked.form}, which tells years at the trace's own rate"
        )
        raise opt.wrong(f"{told}; --out writes a page with them", "--gb-per-day")


def _tell(
    asked: SimulationOptions, devices: Sequence[Content | None], schemes: Sequence[str] | str | None
) -> None:
    """Tell what reading is begun with, and what runs take; what cannot run says so itself."""
    if (setup := asked.setup) is not None:
        console.note(f"reading {setup.name}: {setup.title}")
        if left_out := setup.left_out(str(asked.trace)):
            console.note(f"reading {setup.name}: {left_out} of them")
    with contextlib.suppress(Error):
        for device in devices:
            place, own, given = asked.begun(device)
            names, _ = catalogue.named_schemes(schemes or own or (), device=place, settings=given)
            on = texts.label(texts.text_of(place)) if len(devices) > 1 else ""
            console.tell(place, names, asked.above_setup(names, given), on)


@dataclass(frozen=True, kw_only=True)
class CompareOptions(
    opt.ProgressOptions, opt.ExplanationOptions, opt.FolderOptions, simulation.CompareArguments
):
    """A comparison, printed and saved."""

    states: bool = option(
        "",
        "Compare on a fresh device, with no data but those that the trace accesses, and on a full "
        f"and overwritten one ({WORN}), and show side by side what turns round.",
        default=False,
    )


@opt.verb
def compare(asked: CompareOptions) -> None:
    """Replay a trace under several schemes and show which wins, by how much and why.

    The first scheme (or --normalise) is printed in units, the others as factors of it; the
    best of each column is highlighted. A key scheme.NAME.KEY changes one scheme only.
    NAME:KEY=VALUE compares several settings of one scheme; commas inside brackets do not
    separate schemes. An alias can be compared with its scheme in the same way.

    Examples:
      slcache compare web.csv.gz --device tiny --schemes tlc-only,baseline
      slcache compare web.csv.gz --device ips-384g --schemes all --out out/web
      slcache compare web.csv.gz --device samsung-980-1tb-like --device wd-sn580-1tb-like \\
        --schemes client,client:static_blocks=8
      slcache compare hierarchy-web_0 --device hierarchy-44g \\
        --schemes tlc-only,baseline,baseline:slc_blocks=1GiB --seeds 5
      slcache compare web.csv.gz --device tiny --schemes tlc-only,baseline --resample 20
      slcache compare web.csv.gz --device crucial-p1-1tb-like --schemes baseline,client --states
      slcache compare web.csv.gz --device tiny --schemes tlc-only,baseline \\
        --timeline t.pftrace.gz --around request=812

    """
    asked.check_explained()
    if not asked.states:
        _check_years(asked)
    _tell(asked, asked.devices, asked.schemes)
    if asked.states:
        _check_states(asked)
        _show_states(asked)
        return
    if _core.is_read_once(str(asked.trace)):
        name = "standard input" if asked.trace == "-" else asked.trace
        console.note(f"{name} is copied to a temporary file: every scheme reads it anew")
    with (
        console.output(asked.out, FILES, asked.reads) as files,
        console.meter(asked.meter, kept=asked.store is not None) as meter,
    ):
        comparison = simulation.compare.of(replace(asked, on_progress=meter))
        if files is not None:
            comparison.stage(files)
    _print(comparison, asked.form, console.parts_of(comparison, explain=asked.explain), asked.out)


def _note_windows(result: Result | Comparison) -> None:
    """Say where the windows are longer than asked for."""
    for label, document in zip(result.labels, result.documents, strict=True):
        asked = document["config"]["run"].get("series_window_ns")
        kept = document["series"]["window_ns"]
        if asked is not None and asked != kept:
            console.note(
                f"{label}: the windows of the series last "
                f"{units.duration(kept / 1e3)}, since so short ones as asked for would be more "
                "than 65,536"
            )


def _print(result: Result | Comparison, form: opt.Form, parts: list[Any], out: Path | None) -> None:
    """Print a result as JSON or for a reader, and where its files are."""
    traces = (document["trace"] for document in result.documents)
    _note_windows(result)
    if form != "table":
        console.notes(runs_of(result))
    console.cut_short(t["path"] for t in traces if t["adjusted"]["unterminated_last_line"])
    page = console.written("report", out and out / "report.html")
    console.answer_of_runs(result, form, [*parts, *page])
