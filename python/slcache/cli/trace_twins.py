"""The verbs that make twins of traces: of their figures, and of their own requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from slcache import api
from slcache.cli import checks, console, joint
from slcache.cli import options as opt
from slcache.cli.trace_job import (
    Format,
    Job,
    Lossy,
    Out,
    bytes_of,
    ns_of,
    size_option,
    time_option,
)
from slcache.documents.keys import unit_of
from slcache.tables.sheets import Sheet
from slcache.words.leaves import leaves

#: Parameters of a twin by blocks.
_OF_BLOCKS = "of a twin by blocks, which --by blocks asks for"


def twin(
    trace: opt.TracePath,
    /,
    *,
    out: Out,
    by: Annotated[
        Literal["figures", "blocks"],
        opt.choice("From what is measured in the trace, or from its own requests."),
    ] = "figures",
    requests: Annotated[
        int | None, opt.option("N", "Requests to make (as many as the trace has).", min=1)
    ] = None,
    footprint: Annotated[
        str | None, size_option("Addresses of a volume stay below this (no bound).")
    ] = None,
    pause: Annotated[str | None, time_option("Cut at gaps longer than this (100ms).")] = None,
    block_requests: Annotated[
        int | None, opt.option("N", "Requests of a block at least (256).", min=1)
    ] = None,
    stages: Annotated[
        int | None,
        opt.option(
            "N", "Blocks change places only within one of so many parts of the trace (16).", min=1
        ),
    ] = None,
    places: Annotated[
        Literal["kept", "drawn"] | None,
        opt.choice(
            "How recently a request's place was used: as its own (default), or as that of "
            "another request of its operation and size."
        ),
    ] = None,
    regions: Annotated[
        Literal["shuffled", "kept"] | None,
        opt.choice(
            "Where data that lie together go: anywhere, cut after 4 MiB (default), or in the "
            "order of the trace's addresses."
        ),
    ] = None,
    seed: opt.Seed = None,
    format: Format = None,
    lossy: Lossy = None,
    reader: joint.Recording = joint.Recording(),
    shown: joint.Shown = joint.Shown(),
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
    blocks = {
        "requests": requests,
        "footprint": footprint,
        "pause": pause,
        "block-requests": block_requests,
        "stages": stages,
        "places": places,
        "regions": regions,
        "seed": seed,
        "as": format,
        "lossy": lossy,
    }
    if by == "figures":
        for name, value in blocks.items():
            if value is not None:
                raise checks.wrong(f"--{name} is {_OF_BLOCKS}")
        _by_figures(trace, out, reader.options(), shown.form)
        return
    form = shown.form
    if form not in ("table", "json"):
        raise checks.wrong(f"--format {form} is of a twin by figures; one by blocks has none")
    job = Job(out=out, format=format, lossy=lossy, json=form == "json", progress=progress)
    source = api.Trace(trace, options=reader.options())
    job.write(
        lambda **how: source.twin_by_blocks(
            out,
            **how,
            requests=requests,
            footprint_bytes=bytes_of(footprint),
            pause_ns=ns_of(pause),
            block_requests=block_requests,
            stages=stages,
            places=places,
            regions=regions,
            seed=seed,
        )
    )


def _by_figures(trace: str, out: str, reader: dict[str, str], form: opt.Form) -> None:
    if not out.endswith(".toml"):
        raise checks.wrong(f"{out}: a workload's name ends with .toml")
    report = api.Trace(trace, options=reader).twin(out)
    if console.in_form(form, lambda: console.json_of(report), lambda: _twin_sheets(report)):
        return
    taken, fitted = len(report["figures"]), len(report["fitted"])
    console.show(f"wrote {out}: {taken} figures, {fitted} of them fitted")
    given_up = [f"given up: {name}: {why}" for name, why in report["given_up"].items()]
    console.show(*given_up, *(f"not carried: {what}" for what in report["not_carried"]))


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
