"""The verbs that simulate: run, and compare with both states of a device side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from rich.console import RenderableType
from rich.text import Text

from slcache import _core, api, catalogue, comparing
from slcache.cli import checks, complete, console, shared
from slcache.cli import options as opt
from slcache.documents import normalise
from slcache.files import inputs as files_of
from slcache.given.quantity import WORN
from slcache.report import terminal
from slcache.results import Comparison, Result
from slcache.results.result import FILES
from slcache.sentences import state, verdict
from slcache.tables import grid
from slcache.words import units

if TYPE_CHECKING:
    from slcache.reproduce.setups import Setup

States = Annotated[
    bool,
    opt.plain(
        f"Compare on an empty device and on a full and overwritten one ({WORN}), and show side by "
        "side what turns round.",
        name="--states",
    ),
]

#: What stands side by side.
TITLES = ("write mean", "read mean", "WAF")

ByState = Mapping[str, Comparison]


def _check_states(trace: str, alone: Mapping[str, object]) -> None:
    """Refuse what one comparison has and two side by side have not."""
    if alone["format"] not in ("table", "json"):
        told = "has no tables for other programs with --states; give it with each --state alone"
        raise checks.wrong(told, "--format")
    told = "has no effect with --states; give it with each --state alone"
    checks.refuse({**alone, "format": None}, told)
    if _core.is_read_once(trace):
        told = "reads the trace once for each state; give a file"
        raise checks.wrong(told, "--states")


def _show_states(trace: str, how: Mapping[str, Any], form: opt.Form, progress: opt.When) -> None:
    """Compare in both states and print what turns round."""
    with console.meter(progress, kept=how["store"] is not None) as meter:
        same = {name: value for name, value in how.items() if name not in ("state", "gb_per_day")}
        found = comparing.in_states(trace, **same, progress=meter)
    if form == "json":
        console.emit_json({"states": {name: each.to_dict() for name, each in found.items()}})
        return
    lines = [Text(f"{name}: {state.line(each.documents)}") for name, each in found.items()]
    never = [
        Text(f"{name}: {told}", "yellow")
        for name, each in found.items()
        if (told := state.unfilled(zip(each.labels, each.documents, strict=True)).strip())
    ]
    console.show(*lines, *never, terminal.pace_table(_rows(found)), *map(Text, sentences(found)))


def _rows(compared: ByState) -> list[grid.Row]:
    """Return a scheme's figures in each state, as factors of the reference there."""
    tables = zip(*(comparison.rows() for comparison in compared.values()), strict=True)
    return [
        grid.Row(
            same[0].label,
            same[0].reference,
            [
                replace(cell, title=f"{title}\n{state}")
                for title in TITLES
                for state, row in zip(compared, same, strict=True)
                for cell in row.cells
                if cell.title == title
            ],
            "",
        )
        for same in tables
    ]


def sentences(compared: ByState) -> list[str]:
    """Return for each side who wins in each state, by how much, and whether that is the same."""
    lines = []
    for side in ("write", "read"):
        told = {
            state: verdict.winner(side, each.labels, each.documents, each.reference)
            for state, each in compared.items()
        }
        if not any(told.values()):
            continue
        turns = "turn round" if _turns(side, compared) else "do not turn round"
        parts = "; ".join(
            f"{state}: {text.removeprefix(f'{side}s: ')}" for state, text in told.items()
        )
        lines.append(f"{side.capitalize()}s {turns} with the state. {parts}.")
    return lines


def _turns(side: str, compared: ByState) -> bool:
    """Return whether not the same schemes have the least mean in each state."""
    best = [
        frozenset(normalise.winners([normalise.latency(d, side, "mean") for d in each.documents]))
        for each in compared.values()
    ]
    return len(set(best)) > 1


@shared.together
@dataclass(frozen=True, kw_only=True)
class Handover:
    """What a run hands over to another one, or begins with."""

    save_state: Annotated[str | None, opt.option("FILE")] = None
    """Save the device's state as it is when the replay begins."""
    load_state: Annotated[str | None, opt.option("FILE")] = None
    """Start from a saved device state instead of preconditioning."""
    memory_out: Annotated[str | None, opt.option("FILE")] = None
    """Save what the scheme has learned in the end."""


def run(
    trace: opt.TracePath,
    /,
    *,
    device: opt.MaybeDevice = None,
    scheme: Annotated[
        str | None,
        opt.option(
            "NAME",
            "A scheme (see `slcache schemes`); not needed if --config has one.",
            offer=complete.scheme,
            alias="--schemes",
        ),
    ] = None,
    replayed: shared.Simulated = shared.Simulated(),
    handover: Handover = Handover(),
    out: opt.Out = None,
    shown: shared.Shown = shared.Shown(),
    progress: opt.Progress = "auto",
) -> None:
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
    begun = shared.set_up(replayed.reading)
    given = replayed.on(device, begun)
    named = shared.scheme(scheme, given)
    settings, how = _begun(begun, [named], trace, given.settings, replayed)
    kept = files_of(trace, device, replayed.config, handover.load_state, replayed.memory_in)
    written = (replayed.log, replayed.timeline.timeline, handover.save_state, handover.memory_out)
    beside = [path for path in written if path is not None]
    console.tell(given.device, [named], settings, replayed.state)
    with (
        console.output(out, FILES, kept, beside) as files,
        console.meter(progress) as meter,
    ):
        result = api.run(
            trace,
            device=given.device,
            scheme=named,
            settings=settings,
            progress=meter,
            **vars(handover),
            **how,
        )
        _name(begun, [result])
        if files is not None:
            result.stage(files)
    _print(
        result,
        shown.form,
        [
            terminal.run_table(result.label, result.documents[0], replayed.gb_per_day),
            *(Text(line, "yellow") for line in result.notes()),
        ],
        out,
    )


@shared.together
@dataclass(frozen=True, kw_only=True)
class Repeats:
    """How often schemes are compared, and in which states of a device."""

    states: States = False
    seeds: Annotated[int, opt.count(min=1, max=1000)] = 1
    """Run everything with N seeds, from --seed on: means with intervals."""
    equal_cells: Annotated[bool, opt.plain()] = False
    """Leave schemes without a cache as many dense blocks as those with one have beside it."""


def compare(
    trace: opt.TracePath,
    /,
    *,
    schemes: Annotated[
        str,
        opt.schemes(
            "The schemes to compare, separated by commas, or all that the device can run. "
            "NAME:KEY=VALUE is one with a setting of its own.",
            alias="--scheme",
        ),
    ],
    device: Annotated[
        list[str] | None,
        opt.device(
            "A preset (see `slcache devices`) or a file; not needed if --config has a "
            "device. Give several to compare them."
        ),
    ] = None,
    normalise: opt.Normalise = None,
    replayed: shared.Compared = shared.Compared(),
    repeats: Repeats = Repeats(),
    where: shared.Here = shared.Here(),
    explain: opt.Explain = False,
    out: opt.Out = None,
    shown: shared.Shown = shared.Shown(),
    progress: opt.Progress = "auto",
) -> None:
    """Replay a trace under several schemes and show which wins, by how much and why.

    The first scheme (or --normalise) is printed in units, the others as factors of it;
    the best of each column stands out. A key under scheme.NAME reaches that scheme only,
    and so does NAME:KEY=VALUE, which compares settings of one scheme; commas inside
    brackets separate none. An alias is compared with its scheme in the same way.

    Examples:
      slcache compare web.csv.gz --device tiny --schemes tlc-only,baseline
      slcache compare web.csv.gz --device ips-384g --schemes all --out out/web
      slcache compare web.csv.gz --device samsung-980-1tb-like --device wd-sn580-1tb-like \\
        --schemes client,client:static_blocks=8
      slcache compare hierarchy-web_0 --device hierarchy-44g \\
        --schemes tlc-only,baseline,baseline:slc_blocks=4GiB --seeds 5
      slcache compare web.csv.gz --device tiny --schemes tlc-only,baseline --resample 20
      slcache compare web.csv.gz --device crucial-p1-1tb-like --schemes baseline,client --states
      slcache compare web.csv.gz --device tiny --schemes tlc-only,baseline \\
        --timeline t.pftrace.gz --around request=812

    """
    begun = shared.set_up(replayed.reading)
    checks.check_explained(shown.form, explain=explain)
    given = replayed.on(device[0] if device else None, begun)
    devices = [given.device, *(device or ())[1:]]
    drawn = any(vars(replayed.timeline).values())
    if len(devices) > 1 and drawn:
        raise checks.wrong("--timeline: is of one device, and several are given")
    names, left_out = shared.scheme_names(schemes, given.device, given.settings, normalise)
    if replayed.memory_in is not None:
        catalogue.remembering(names)
    console.left_out(left_out)
    settings, how = _begun(begun, names, trace, given.settings, replayed)
    for each in devices:
        console.tell(each, names, settings, replayed.state)
    how |= {"device": devices, "schemes": names, "normalise": normalise, "settings": settings,
            "equal_cells": repeats.equal_cells, **vars(where)}  # fmt: skip
    if repeats.states:
        alone = {"state": replayed.state, "out": out, "log": replayed.log, "format": shown.form,
                 "resample": replayed.resample, "explain": explain, "seeds": repeats.seeds > 1,
                 "timeline": drawn}  # fmt: skip
        _check_states(trace, alone)
        _show_states(trace, how, shown.form, progress)
        return
    if _core.is_read_once(trace):
        name = "standard input" if trace == "-" else trace
        console.note(f"{name} is copied to a temporary file: every scheme reads it anew")
    kept = files_of(trace, *(device or ()), replayed.config, replayed.memory_in)
    with (
        console.output(out, FILES, kept) as files,
        console.meter(progress, kept=where.store is not None) as meter,
    ):
        comparison = comparing.compare(trace, seeds=repeats.seeds, progress=meter, **how)
        _name(begun, comparison.every_run)
        if files is not None:
            comparison.stage(files)
    _print(comparison, shown.form, parts_of(comparison, explain=explain), out)


def parts_of(comparison: Comparison, *, explain: bool) -> list[RenderableType]:
    """Return what is printed of a comparison: the answer, or all that is known of it."""
    from slcache.results.seeded import SeededComparison

    rows = comparison.life_rows()
    lives = terminal.life_tables(rows, comparison.life_columns())
    if isinstance(comparison, SeededComparison):
        tables = [terminal.seeds_table(comparison.seed_rows())]
    else:
        tables = [terminal.comparison_table(comparison.rows())]
    if not explain:
        asked = lives if comparison.gb_per_day is not None else []
        more = Text("--explain tells pace, life, the least that is possible, and why", "dim")
        return [*tables, *asked, *map(Text, comparison.brief()), more]
    if not isinstance(comparison, SeededComparison):
        tables.append(terminal.pace_table(comparison.pace_rows()))
    cautions = [Text(line, "yellow") for line in comparison.notes()]
    gained = terminal.gain_tables(
        comparison.gain_rows(), comparison.gain_lines(), comparison.documents
    )
    return [*tables, *lives, *cautions, *map(Text, comparison.verdict()), *gained]


def _begun(
    reading: Setup | None,
    schemes: Sequence[str],
    trace: str,
    given: dict[str, Any],
    replayed: shared.Replayed,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return settings and what else is said on top of those of a reading; say which it is."""
    how = replayed.how()
    if reading is None:
        return given, how
    console.note(f"reading {reading.name}: {reading.title}")
    if left_out := reading.left_out(trace):
        console.note(f"reading {reading.name}: {left_out} of them")
    settings = {**reading.settings_for(schemes, trace), **given}
    return settings, {**how, "replay": how["replay"] or reading.replay}


def _name(reading: Setup | None, runs: Sequence[Result]) -> None:
    """Name the reading in the documents of runs that have just been made."""
    if reading is not None:
        for run in runs:
            run.documents[0]["provenance"]["reading"] = reading.name


def _note_windows(documents: Sequence[Mapping[str, Any]]) -> None:
    """Say where the windows are longer than asked for."""
    for document in documents:
        asked = document["config"]["run"].get("series_window_ns")
        kept = document["series"]["window_ns"]
        if asked is not None and asked != kept:
            console.note(
                f"{document['scheme']['name']}: the windows of the series last "
                f"{units.duration(kept / 1e3)}, since so short ones as asked for would be more "
                "than 65,536"
            )


def _print(result: Result | Comparison, form: opt.Form, parts: list[Any], out: opt.Out) -> None:
    """Print a result as JSON or for a reader, and where its files are."""
    traces = (document["trace"] for document in result.documents)
    _note_windows(result.documents)
    if form != "table":
        console.notes(result.documents)
    console.cut_short(t["path"] for t in traces if t["adjusted"]["unterminated_last_line"])
    lines = terminal.label_line(result.documents)
    page = console.written("report", out and out / "report.html")
    console.answer_of_runs(result, form, [*lines, *parts, *page])
