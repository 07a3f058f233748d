"""The verbs that write traces or say what can be: `convert`, `generate`, `workloads`, `formats`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from rich.text import Text

from slcache import catalogue
from slcache.cli import checks, console, joint, trace_job
from slcache.cli import options as opt
from slcache.tables.sheets import Sheet
from slcache.tables.tabular import Column, Table
from slcache.traces import api as traces
from slcache.words import units
from slcache.words.leaves import shown


def convert(
    *sources: Annotated[str, opt.argument("TRACE...", "The trace, or several.")],
    job: trace_job.Reading,
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
    job: trace_job.Job,
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
    shown: joint.Shown = joint.Shown(),
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
    if console.in_form(form, lambda: console.json_of(entries), lambda: [sheet]):
        return
    listed = Table("workload", [Column("what it is", text=True), Column("source", text=True)])
    for entry in entries:
        listed.add(entry["name"], entry["about"], entry["source"] or "–")
    console.show(listed)


def _describe(description: Mapping[str, Any], form: opt.Form) -> None:
    names, figures = ("state", "stated", "reached"), description["figures"].items()
    sheet = Sheet([{"figure": n} | {key: f[key] for key in names} for n, f in figures])
    if console.in_form(form, lambda: console.json_of(description), lambda: [sheet]):
        return
    facts = [description["label"], description["about"], description["source"]]
    console.show(*(Text(str(fact)) for fact in facts if fact))
    if description["scale"] != 1:
        console.show(Text(f"scaled: {shown(description['scale'])} of its requests"))
    if description["figures"]:
        console.show(_figures(description["figures"]))


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


def formats(*, shown: joint.Shown = joint.Shown()) -> None:
    """List the trace formats: which are read, which written, and what each may lose.

    Example:
      slcache trace formats

    """
    entries = catalogue.formats()
    if console.in_form(shown.form, lambda: console.json_of(entries), lambda: [Sheet(entries)]):
        return
    listed = Table(
        "format",
        ["read", "written", Column("may lose", text=True), Column("what it is", text=True)],
    )
    for entry in entries:
        does = ("yes" if entry[what] else "–" for what in ("reads", "writes"))
        listed.add(entry["name"], *does, ", ".join(entry["losses"]) or "–", entry["about"])
    console.show(listed)
