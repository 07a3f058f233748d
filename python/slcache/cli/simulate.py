"""The verbs that simulate: `run` and `compare`."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from slcache import _core, api, terminal
from slcache.cli import console
from slcache.cli import options as opt
from slcache.files import inputs as files_of
from slcache.once import once
from slcache.results import FILES, Comparison, Result


def run(
    trace: opt.TracePath,
    device: opt.Device,
    scheme: opt.Scheme,
    sets: opt.Sets = None,
    trace_format: opt.TraceFormat = None,
    trace_option: opt.TraceOptions = None,
    address: opt.AddressPolicy = None,
    volume: opt.Volume = None,
    unsorted: opt.Unsorted = None,
    workload: opt.Workload = None,
    replay: opt.Replay = None,
    seed: opt.Seed = None,
    save_state: opt.SaveState = None,
    load_state: opt.LoadState = None,
    memory_in: opt.MemoryIn = None,
    memory_out: opt.MemoryOut = None,
    out: opt.Out = None,
    json: opt.Json = False,
    progress: opt.Progress = opt.When.auto,
) -> None:
    """Replay a trace on a device under one scheme.

    \b
    [bold]Examples[/bold]
      slcache run web.csv.gz --device tiny --scheme baseline
      slcache run web.csv.gz --device my.toml --scheme tlc-only --json
      slcache run web.csv.gz --device tiny --scheme baseline --address wrap
    """
    reader = opt.reader(trace_format, trace_option, volume, unsorted, workload)
    arguments = _arguments(sets, address, reader, replay, seed)
    kept = files_of(trace, device, load_state, save_state, memory_in, memory_out)
    with (
        console.output(out, FILES, kept) as files,
        console.meter(progress) as meter,
    ):
        result = api.run(
            trace,
            device=device,
            scheme=scheme,
            load_state=load_state,
            save_state=save_state,
            memory_in=memory_in,
            memory_out=memory_out,
            progress=meter,
            **arguments,
        )
        if files is not None:
            result.stage(files)
    _print(result, json, [terminal.run_table(result.label, result.documents[0])], out)


def compare(
    trace: opt.TracePath,
    device: opt.Device,
    schemes: opt.Schemes,
    normalise: opt.Normalise = None,
    sets: opt.Sets = None,
    trace_format: opt.TraceFormat = None,
    trace_option: opt.TraceOptions = None,
    address: opt.AddressPolicy = None,
    volume: opt.Volume = None,
    unsorted: opt.Unsorted = None,
    workload: opt.Workload = None,
    replay: opt.Replay = None,
    seed: opt.Seed = None,
    memory_in: opt.MemoryIn = None,
    out: opt.Out = None,
    json: opt.Json = False,
    progress: opt.Progress = opt.When.auto,
) -> None:
    """Replay a trace under several schemes and show which wins, by how much and why.

    The first scheme (or --normalise) is printed in units, the others as factors of it;
    the best of each column stands out. A key under scheme.NAME reaches that scheme only.

    \b
    [bold]Examples[/bold]
      slcache compare web.csv.gz --device tiny --schemes tlc-only,baseline
      slcache compare web.csv.gz --device ips-384g --schemes all --out out/web
    """
    names, left_out = opt.scheme_names(schemes, device, opt.pairs(sets), normalise)
    if memory_in is not None:
        api.remembering(names)
    console.left_out(left_out)
    reader = opt.reader(trace_format, trace_option, volume, unsorted, workload)
    arguments = _arguments(sets, address, reader, replay, seed)
    if _core.is_read_once(trace):
        name = "standard input" if trace == "-" else trace
        console.note(f"{name} is copied to a temporary file: every scheme reads it anew")
    with (
        console.output(out, FILES, files_of(trace, device, memory_in)) as files,
        console.meter(progress) as meter,
    ):
        comparison = api.compare(
            trace,
            device=device,
            schemes=names,
            normalise=normalise,
            memory_in=memory_in,
            progress=meter,
            **arguments,
        )
        if files is not None:
            comparison.stage(files)
    notes = [Text(line, "yellow") for line in comparison.notes()]
    sentences = [*notes, *(Text(line) for line in comparison.verdict())]
    _print(comparison, json, [terminal.comparison_table(comparison.rows()), *sentences], out)


def _arguments(
    sets: list[str] | None,
    address: opt.Address | None,
    reader: dict[str, str],
    replay: str | None,
    seed: int | None,
) -> dict[str, Any]:
    """Return the keyword arguments that both verbs hand to the Python interface."""
    own = [] if address is None else [("trace.address", address.value)]
    settings = once([*opt.pairs(sets).items(), *own])
    return {"settings": settings, "trace_options": reader, "replay": replay, "seed": seed}


def _print(result: Result | Comparison, json: bool, parts: list[Any], out: opt.Out) -> None:
    """Print a result as JSON or for a reader, and where its files are."""
    traces = (document["trace"] for document in result.documents)
    console.cut_short(t["path"] for t in traces if t["adjusted"]["unterminated_last_line"])
    if json:
        console.emit(result.to_json())
        return
    console.show(*terminal.label_line(result.documents), *parts)
    if out is not None:
        console.show(Text(f"report: {out / 'report.html'}"))
