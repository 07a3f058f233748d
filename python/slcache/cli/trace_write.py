"""The verbs that write traces or say what can be: twin, convert, generate, workloads, formats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.text import Text

from slcache import _core, catalogue, units
from slcache import trace as traces
from slcache.cli import console
from slcache.cli import options as opt
from slcache.names import leaves, shown
from slcache.options import arguments_of, needed, no_folder, option, parsing
from slcache.options.content import SEED_MAX
from slcache.options.models import CHANGED, TRACE, RecordingOptions
from slcache.tables.table import Columns, Table
from slcache.trace import Trace


@dataclass(frozen=True, kw_only=True)
class WriteOptions(opt.ProgressOptions, opt.OutputOptions):
    """How a trace is written, and how that is told."""

    out: str = field(
        metadata=needed(
            "FILE",
            "The file to write (.gz, .zst, .xz are compressed; - is standard output).",
            alias="-o",
            check=no_folder,
        )
    )
    to: str | None = option(
        "FORMAT",
        "Its format (see `slcache trace formats`); not needed for FILE.parquet.",
        name="--as",
    )
    lossy: str | None = option(
        "LOSS,...",
        f"Losses to permit and count: {', '.join(_core.losses())}.",
    )

    def write(self, work: Callable[..., dict[str, Any]]) -> None:
        """Call what writes the file, with how to write it, and tell what was done."""
        lossy = [name.strip() for name in (self.lossy or "").split(",") if name.strip()]
        with console.meter(self.meter) as meter:
            report = work(to=self.to, lossy=lossy, on_progress=meter)
        inputs = report["inputs"]
        console.cut_short(i["file"] for i in inputs if i["summary"]["last_line_unterminated"])
        outputs = Table(report["outputs"], {}, only=("file", "format", "requests", "bytes"))
        lines = [Text(line, overflow="fold") for line in _lines(report)]
        # A trace on standard output leaves only standard error for the report.
        console.answer(self.form, report, [outputs, *lines], aside=self.out == "-")


def _lines(report: Mapping[str, Any]) -> Iterator[str]:
    if report["label"]:
        yield str(report["label"])
    for source in report["inputs"]:
        summary = source["summary"]
        yield f"read {source['file']} ({source['format']}): {_taken(summary)}"
        for skipped in summary["skipped"]:
            yield f"  left out: {skipped['reason']}: {units.count(skipped['count'])}"
    for step in report["steps"]:
        counts = ", ".join(f"{name} {units.count(n)}" for name, n in step["counts"].items())
        yield f"{step['step']}{': ' if counts else ''}{counts}"
    for written in report["outputs"]:
        count, size = units.count(written["requests"]), units.size(written["bytes"])
        yield f"wrote {written['file']} ({written['format']}): {count} requests, {size}"
        for what, number in written["lost"].items():
            yield f"  lost: {what}, of {units.count(number)} requests"


def _taken(summary: Mapping[str, Any]) -> str:
    counts = ((kind, summary[kind]) for kind in ("reads", "writes", "flushes", "trims"))
    return ", ".join(f"{units.count(number)} {kind}" for kind, number in counts if number)


@dataclass(frozen=True, kw_only=True)
class BlockOptions:
    """How a trace is made of another one's blocks."""

    requests: int | None = option(
        "N", "Number of requests (default: that of the trace).", range=(1, None)
    )
    footprint_bytes: int | None = option(
        "SIZE",
        "Limit of a volume's addresses (default: none).",
        name="--footprint",
        read=parsing.size_bytes,
    )
    pause_ns: int | None = option(
        "TIME",
        "Divide into blocks at gaps longer than this (default: 100ms).",
        name="--pause",
        read=parsing.time_ns,
    )
    block_requests: int | None = option(
        "N", "Fewest requests of a block (default: 256).", range=(1, None)
    )
    stages: int | None = option(
        "N",
        "Divide the trace into N parts; blocks are reordered only within a part (default: 16).",
        range=(1, None),
    )
    places: str | None = option(
        "",
        "Reuse distance of a request's address: its own (default), or that of another request "
        "of the same operation and size.",
        words=("kept", "drawn"),
    )
    regions: str | None = option(
        "",
        "Order of regions of neighbouring data: random, in pieces of up to 4 MiB (default), or "
        "that of the trace's addresses.",
        words=("shuffled", "kept"),
    )
    seed: int | None = option("N", "Seed of all random choices.", range=(0, SEED_MAX))


@dataclass(frozen=True, kw_only=True)
class TwinOptions(RecordingOptions, BlockOptions, WriteOptions):
    """A twin, of which trace and how it is written."""

    trace: str = opt.argument(*TRACE, offer="workloads")
    by: str = option(
        "",
        "Make the twin from the trace's statistics, or from its own requests.",
        default="figures",
        words=("figures", "blocks"),
    )


@opt.verb
def twin(asked: TwinOptions) -> None:
    """Write a twin of a trace: a workload with its figures, or a trace of its own blocks.

    By figures: a .toml workload with the measured statistics of the trace. Figures that
    conflict are left out, and the skews are fitted to the trace's hot set. The file lists
    these, and the properties of the trace that it lacks.

    By blocks, which is closer to the trace's results: the trace is divided into blocks at
    pauses; times, operations and sizes stay together in a block. Blocks are reordered within
    a sixteenth of the trace, so its phases stay. No address of the trace is left. For what
    remains see docs/twins.md.

    Examples:
      slcache trace twin web.csv.gz -o web.toml
      slcache trace info web.csv.gz --against web.toml
      slcache trace twin web.csv.gz -o twin.parquet --by blocks
      slcache trace twin web.csv.gz -o long.parquet --by blocks --requests 10000000 --seed 7

    """
    blocks = arguments_of(asked, BlockOptions)
    if asked.by == "figures":
        of_blocks = (*blocks, "to", "lossy")
        opt.refuse(asked, of_blocks, "is of a twin by blocks, which --by blocks asks for")
        _by_figures(asked.trace, asked.out, asked.reader(), asked.form)
        return
    source = Trace(asked.trace, options=asked.reader())
    asked.write(lambda **how: source.twin_by_blocks(asked.out, **how, **blocks))


def _by_figures(trace: str, out: str, reader: dict[str, str], form: opt.Form) -> None:
    if not out.endswith(".toml"):
        raise opt.wrong(f"{out}: a workload's name ends with .toml")
    report = Trace(trace, options=reader).twin(out)
    fitted = report["fitted"]
    figures = [
        {"figure": name, "unit": units.unit_of(name), "value": value, "fitted": fitted.get(name)}
        for name, value in leaves(report["figures"])
    ]
    reasons = {**report["given_up"], **dict.fromkeys(report["not_carried"])}
    left_out = [{"left out": name, "reason": why} for name, why in reasons.items()]
    lines = [
        f"wrote {out}: {len(report['figures'])} figures, {len(fitted)} of them fitted",
        *(f"given up: {name}: {why}" for name, why in report["given_up"].items()),
        *(f"not carried: {what}" for what in report["not_carried"]),
    ]
    console.answer(form, report, [Table(figures, {}), Table(left_out, {}, only=_LEFT_OUT), *lines])


_LEFT_OUT = ("left out", "reason")


@dataclass(frozen=True, kw_only=True)
class ConvertOptions(RecordingOptions, WriteOptions):
    """Traces that are written in another format."""

    sources: Sequence[str] = opt.argument("TRACE...", "One or more traces.", several=True)


@opt.verb
def convert(asked: ConvertOptions) -> None:
    """Write a trace in another format: slcache's Parquet layout, or a text format.

    If the format cannot store something, such as flushes, the conversion stops unless --lossy
    names the loss, which is then counted. Several traces are merged in the order of time,
    each a separate volume; --volume merge puts all in one address space. Reader options take
    a part of a trace, copies of it, or scale its times.

    Examples:
      slcache trace convert web.csv.gz -o web.parquet
      slcache trace convert web.parquet -o web.trace --as mqsim --lossy flush,trim
      slcache trace convert week.parquet -o hour.parquet --trace-option take=1000000
      slcache trace convert web.csv.gz mail.csv.gz -o both.parquet

    """
    asked.write(
        lambda **how: traces.convert(asked.sources, asked.out, trace_options=asked.reader(), **how)
    )


@dataclass(frozen=True, kw_only=True)
class GenerateOptions(WriteOptions):
    """A workload that is written as a trace."""

    spec: str = opt.argument("SPEC", "A workload: FILE.toml or a preset.")
    seed: int = option(
        "N", "Seed of all random choices.", default=traces.DEFAULT_SEED, range=(0, SEED_MAX)
    )
    workload: dict[str, str] | None = option(*CHANGED)


@opt.verb
def generate(asked: GenerateOptions) -> None:
    """Write the requests of a workload as a trace.

    The same specification and seed give the same requests on every machine. A twin stays
    labelled a twin; only the Parquet layout has a place for that.

    Examples:
      slcache trace generate zipf-4k -o zipf.parquet --workload requests=1000000 --seed 7
      slcache trace generate hierarchy-web_0 -o web_0.parquet
      slcache trace generate mine.toml -o mine.csv --as msr

    """
    asked.write(
        lambda **how: traces.generate(
            asked.spec, asked.out, seed=asked.seed, overrides=asked.workload, **how
        ),
    )


@dataclass(frozen=True, kw_only=True)
class WorkloadsOptions(opt.OutputOptions):
    """A workload, of which its figures are told."""

    name: str | None = opt.argument("[SPEC]", "Show all figures of this workload.", default=None)
    workload: dict[str, str] | None = option(*CHANGED)


@opt.verb
def workloads(asked: WorkloadsOptions) -> None:
    """List the workload presets, or the figures of one: given, free and derived.

    Examples:
      slcache trace workloads
      slcache trace workloads hierarchy-web_0

    """
    if asked.name is not None:
        description = traces.workload(asked.name, asked.workload)
        console.answer(asked.form, description, _described(description))
        return
    if asked.workload:
        raise opt.wrong("--workload changes one workload: name it")
    entries = traces.workloads(described=asked.form == "json")
    console.answer(
        asked.form, entries, [Table(entries, _WORKLOAD, only=("name", "about", "source"))]
    )


_WORKLOAD = {"workload": "name", "what it is": "about", "source": "source"}


def _described(description: Mapping[str, Any]) -> Iterator[Table | Text]:
    """Yield what a workload is, and its figures by where they come from."""
    facts = [description["label"], description["about"], description["source"]]
    yield from (Text(str(fact)) for fact in facts if fact)
    if description["scale"] != 1:
        yield Text(f"scaled: {shown(description['scale'])} of its requests")
    if figures := description["figures"]:
        order = ("given", "overridden", "free", "derived")
        rows = [{"figure": name, **figure} for name, figure in figures.items()]
        rows.sort(key=lambda row: order.index(row["state"]))
        yield Table(rows, _FIGURE, only=("figure", "state", "stated", "reached"))


_FIGURE: Columns = {
    "figure": "figure",
    "is": "state",
    "stated": lambda row: units.shown(row["figure"], row["stated"]),
    "reached": lambda row: units.shown(row["figure"], row["reached"]),
    "why and what to sweep": lambda row: (
        f"{free['reason']} ({shown(free['sweep'])})" if (free := row["free"]) else ""
    ),
}


@opt.verb
def formats(shown: opt.OutputOptions) -> None:
    """List the trace formats: which are read, which written, and what each may lose.

    Example:
      slcache trace formats

    """
    entries = catalogue.formats()
    console.answer(shown.form, entries, [Table(entries, _FORMAT)])


_FORMAT: Columns = {
    "format": "name",
    "read": "reads",
    "written": "writes",
    "may lose": "losses",
    "what it is": "about",
}
