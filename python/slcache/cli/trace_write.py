"""The verbs that write traces or say what can be: twin, convert, generate, workloads, formats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from rich.text import Text

from slcache import api, catalogue
from slcache.cli import annotated as opt
from slcache.cli import checks, console, shared
from slcache.documents.keys import unit_of
from slcache.given import quantity
from slcache.tables.sheets import Sheet
from slcache.tables.tabular import Column, Table
from slcache.traces import api as traces
from slcache.words import units
from slcache.words.names import leaves, shown

Out = Annotated[
    str,
    opt.option("FILE", "The file to write (.gz, .zst, .xz compress; - prints).", alias="-o"),
]
Format = Annotated[
    str | None,
    opt.option(
        "FORMAT",
        "Its format (see `slcache trace formats`); FILE.parquet tells it itself.",
        name="--as",
    ),
]
Lossy = Annotated[
    str | None,
    opt.option(
        "LOSS,...", "What may get lost, and is counted: time, flush, trim, volume, response, label."
    ),
]


@shared.together
@dataclass(frozen=True, kw_only=True)
class Job:
    """A trace to be written, with everything the user said about it."""

    out: Out
    format: Format = None
    lossy: Lossy = None
    json: opt.Json = False
    progress: opt.Progress = "auto"

    def write(self, work: Callable[..., dict[str, Any]]) -> None:
        """Call what writes the file, with how to write it, and tell what was done."""
        lossy = [name.strip() for name in (self.lossy or "").split(",") if name.strip()]
        with console.meter(self.progress) as meter:
            report = work(to=self.format, lossy=lossy, on_progress=meter)
        inputs = report["inputs"]
        console.cut_short(i["file"] for i in inputs if i["summary"]["last_line_unterminated"])
        # A trace on standard output leaves only standard error for the report.
        aside = self.out == "-"
        if self.json:
            console.emit_json(report, aside=aside)
        else:
            console.show(*(Text(line, overflow="fold") for line in _lines(report)), aside=aside)


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


@shared.together
@dataclass(frozen=True, kw_only=True)
class Reading(Job):
    """The same of a verb that reads traces."""

    reader: shared.Recording = shared.Recording()


@shared.together
@dataclass(frozen=True, kw_only=True)
class Blocks:
    """How a trace is made of another one's blocks."""

    requests: Annotated[int | None, opt.count(min=1)] = None
    """Requests to make (as many as the trace has)."""
    footprint_bytes: Annotated[
        int | None, opt.option("SIZE", name="--footprint", read=quantity.size_bytes)
    ] = None
    """Addresses of a volume stay below this (no bound)."""
    pause_ns: Annotated[int | None, opt.option("TIME", name="--pause", read=quantity.time_ns)] = (
        None
    )
    """Cut at gaps longer than this (100ms)."""
    block_requests: Annotated[int | None, opt.count(min=1)] = None
    """Requests of a block at least (256)."""
    stages: Annotated[int | None, opt.count(min=1)] = None
    """Blocks change places only within one of so many parts of the trace (16)."""
    places: Literal["kept", "drawn"] | None = None
    """How recently a request's place was used: as its own (default), or as that of another request
    of its operation and size."""
    regions: Literal["shuffled", "kept"] | None = None
    """Where data that lie together go: anywhere, cut after 4 MiB (default), or in the order of the
    trace's addresses."""
    seed: opt.Seed = None


def twin(
    trace: opt.TracePath,
    /,
    *,
    out: Out,
    by: Annotated[
        Literal["figures", "blocks"],
        opt.plain("From what is measured in the trace, or from its own requests."),
    ] = "figures",
    blocks: Blocks = Blocks(),
    format: Format = None,
    lossy: Lossy = None,
    reader: shared.Recording = shared.Recording(),
    shown: shared.Shown = shared.Shown(),
    progress: opt.Progress = "auto",
) -> None:
    """Write a twin of a trace: a workload of its figures, or a trace of its own blocks.

    By figures: a .toml whose requests have what is measured in the trace. Figures that conflict are
    left out, and the skews are fitted to the trace's hot set; the file says so, and what else
    of the trace it does not carry.

    By blocks, which comes nearer to the trace's results: blocks are cut at pauses; times,
    operations and sizes stay together in them. They change places within the sixteenth of the
    trace that they are in, so its phases stay. No address of the trace is left. What is:
    docs/twins.md.

    Examples:
      slcache trace twin web.csv.gz -o web.toml
      slcache trace info web.csv.gz --against web.toml
      slcache trace twin web.csv.gz -o twin.parquet --by blocks
      slcache trace twin web.csv.gz -o long.parquet --by blocks --requests 10000000 --seed 7

    """
    if by == "figures":
        of_blocks = {**vars(blocks), "format": format, "lossy": lossy}
        checks.refuse(of_blocks, "is of a twin by blocks, which --by blocks asks for")
        _by_figures(trace, out, reader.options(), shown.form)
        return
    form = shown.form
    if form not in ("table", "json"):
        raise checks.wrong(f"--format {form} is of a twin by figures; one by blocks has none")
    job = Job(out=out, format=format, lossy=lossy, json=form == "json", progress=progress)
    source = api.Trace(trace, options=reader.options())
    job.write(lambda **how: source.twin_by_blocks(out, **how, **vars(blocks)))


def _by_figures(trace: str, out: str, reader: dict[str, str], form: opt.Form) -> None:
    if not out.endswith(".toml"):
        raise checks.wrong(f"{out}: a workload's name ends with .toml")
    report = api.Trace(trace, options=reader).twin(out)
    taken, fitted = len(report["figures"]), len(report["fitted"])
    lines = [
        f"wrote {out}: {taken} figures, {fitted} of them fitted",
        *(f"given up: {name}: {why}" for name, why in report["given_up"].items()),
        *(f"not carried: {what}" for what in report["not_carried"]),
    ]
    console.answer(form, report, lambda: _twin_sheets(report), lambda: lines)


def _twin_sheets(report: Mapping[str, Any]) -> list[Sheet]:
    """Return a twin's figures, and what of the trace it does not have with the reasons."""
    fitted = report["fitted"]
    figures = [
        {"figure": name, "unit": unit_of(name), "value": value, "fitted": fitted.get(name)}
        for name, value in leaves(report["figures"])
    ]
    given_up = [{"left out": name, "reason": why} for name, why in report["given_up"].items()]
    others = [{"left out": what, "reason": None} for what in report["not_carried"]]
    return [Sheet(figures), Sheet([*given_up, *others], always=("left out", "reason"))]


def convert(
    *sources: Annotated[str, opt.argument("TRACE...", "The trace, or several.")],
    job: Reading,
) -> None:
    """Write a trace in another format: slcache's Parquet layout, or a text format.

    A format without a place for something, such as flushes, refuses it unless --lossy names
    the loss, which is then counted. Several traces become one in the order of time, each a
    volume of its own; --volume merge puts all in one address space. Options of the reader take a
    part of a trace, copies of it, or scale its times.

    Examples:
      slcache trace convert web.csv.gz -o web.parquet
      slcache trace convert web.parquet -o web.trace --as mqsim --lossy flush,trim
      slcache trace convert week.parquet -o hour.parquet --trace-option take=1000000
      slcache trace convert web.csv.gz mail.csv.gz -o both.parquet

    """
    job.write(
        lambda **how: traces.convert(sources, job.out, trace_options=job.reader.options(), **how)
    )


def generate(
    spec: Annotated[str, opt.argument("SPEC", "A workload: FILE.toml or a preset.")],
    /,
    *,
    seed: opt.Seed = None,
    workload: opt.Workload = None,
    job: Job,
) -> None:
    """Write the requests of a workload as a trace.

    The same specification and seed give the same requests on every machine. A twin stays
    labelled a twin; only the Parquet layout has a place for that.

    Examples:
      slcache trace generate zipf-4k -o zipf.parquet --workload requests=1000000 --seed 7
      slcache trace generate hierarchy-web_0 -o web_0.parquet
      slcache trace generate mine.toml -o mine.csv --as msr

    """
    overrides = checks.pairs(workload)
    drawn = traces.DEFAULT_SEED if seed is None else seed
    job.write(lambda **how: traces.generate(spec, job.out, seed=drawn, overrides=overrides, **how))


def workloads(
    name: Annotated[
        str | None, opt.argument("[SPEC]", "One workload: its figures in full.")
    ] = None,
    /,
    *,
    workload: opt.Workload = None,
    shown: shared.Shown = shared.Shown(),
) -> None:
    """List the workload presets, or the figures of one: given, free and what follows.

    Examples:
      slcache trace workloads
      slcache trace workloads hierarchy-web_0

    """
    if name is None:
        if workload:
            raise checks.wrong("--workload changes one workload: name it")
        _list(traces.workloads(described=shown.form == "json"), shown.form)
    else:
        _describe(traces.workload(name, checks.pairs(workload)), shown.form)


def _list(entries: list[dict[str, Any]], form: opt.Form) -> None:
    sheet = Sheet(
        [{name: entry[name] for name in ("name", "about", "source")} for entry in entries]
    )
    listed = Table("workload", [Column("what it is", text=True), Column("source", text=True)])
    for entry in entries:
        listed.add(entry["name"], entry["about"], entry["source"] or "–")
    console.answer(form, entries, lambda: [sheet], lambda: [listed])


def _describe(description: Mapping[str, Any], form: opt.Form) -> None:
    names, figures = ("state", "stated", "reached"), description["figures"].items()
    sheet = Sheet([{"figure": n} | {key: f[key] for key in names} for n, f in figures])
    console.answer(form, description, lambda: [sheet], lambda: _described(description))


def _described(description: Mapping[str, Any]) -> Iterator[Table | Text]:
    facts = [description["label"], description["about"], description["source"]]
    yield from (Text(str(fact)) for fact in facts if fact)
    if description["scale"] != 1:
        yield Text(f"scaled: {shown(description['scale'])} of its requests")
    if description["figures"]:
        yield _figures(description["figures"])


def _figures(figures: Mapping[str, Any]) -> Table:
    listed = Table("figure", ["", "stated", "reached", Column("why and what to sweep", text=True)])
    order = ("given", "overridden", "free", "derived")
    for name, figure in sorted(figures.items(), key=lambda item: order.index(item[1]["state"])):
        free = figure["free"]
        why = "" if free is None else f"{free['reason']} ({shown(free['sweep'])})"
        cells = (_readable(name, figure["stated"]), _readable(name, figure["reached"]), why)
        listed.add(name, figure["state"], *cells)
    return listed


def _readable(name: str, value: object) -> str:
    """Return a figure in the unit that suits it, where its name says which it is in."""
    if isinstance(value, int | float):
        if name.endswith("_ns"):
            return units.span(value / 1e3)
        if name.endswith("_bytes"):
            return units.size(value)
    return shown(value)


def formats(*, shown: shared.Shown = shared.Shown()) -> None:
    """List the trace formats: which are read, which written, and what each may lose.

    Example:
      slcache trace formats

    """
    entries = catalogue.formats()
    listed = Table(
        "format",
        ["read", "written", Column("may lose", text=True), Column("what it is", text=True)],
    )
    for entry in entries:
        does = ("yes" if entry[what] else "–" for what in ("reads", "writes"))
        listed.add(entry["name"], *does, ", ".join(entry["losses"]) or "–", entry["about"])
    console.answer(shown.form, entries, lambda: [Sheet(entries)], lambda: [listed])
