"""The verbs that make twins of traces: of their figures, and of their own requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import typer

from slcache import api
from slcache.cli import console, joint
from slcache.cli import options as opt
from slcache.cli.trace_job import Writing, bytes_of, ns_of, size_option, time_option
from slcache.documents.keys import unit_of
from slcache.tables.sheets import Sheet
from slcache.words.leaves import leaves


def _check_workload(value: str) -> str:
    if not value.endswith(".toml"):
        raise typer.BadParameter(f"{value}: a workload's name ends with .toml")
    return value


def twin(
    *,
    trace: opt.TracePath,
    out: Annotated[
        str, opt.option("FILE.toml", "The file to write.", "--out", "-o", callback=_check_workload)
    ],
    reader: joint.Recording,
    form: joint.Shown,
) -> None:
    """Write a workload whose requests have the figures measured in a trace.

    Figures that conflict are left out, and the skews are fitted to the trace's hot set; the
    file says so, and what else of the trace it does not carry. slcache trace bootstrap makes
    a twin from the trace's own requests, which comes nearer to its results.

    \b
    [bold]Examples[/bold]
      slcache trace twin web.csv.gz -o web.toml
      slcache trace info web.csv.gz --against web.toml
      slcache run web.toml --device tiny --scheme baseline
    """
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


def bootstrap(
    *,
    trace: opt.TracePath,
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
        Literal["kept", "drawn"],
        typer.Option(
            help="How recently a request's place was used: as its own, or as that of another "
            "request of its operation and size."
        ),
    ] = "kept",
    regions: Annotated[
        Literal["shuffled", "kept"],
        typer.Option(
            help="Where data that lie together go: anywhere, cut after 4 MiB, or in the order of "
            "the trace's addresses."
        ),
    ] = "shuffled",
    seed: opt.Seed = None,
    job: Writing,
) -> None:
    """Write a twin of a trace: its blocks in random order, at addresses of their own.

    Blocks are cut at pauses; times, operations and sizes stay together in them. They change
    places within the sixteenth of the trace that they are in, so its phases stay. No address of
    the trace is left. What is: docs/twins-by-bootstrap.md.

    \b
    [bold]Examples[/bold]
      slcache trace bootstrap web.csv.gz -o twin.parquet
      slcache trace bootstrap web.csv.gz -o long.parquet --requests 10000000 --seed 7
      slcache trace bootstrap web.csv.gz -o near.parquet --regions kept
      slcache trace info web.csv.gz --against twin.parquet
    """
    job.transform(
        trace,
        "bootstrap",
        requests=requests,
        footprint_bytes=bytes_of(footprint),
        pause_ns=ns_of(pause),
        block_requests=block_requests,
        stages=stages,
        places=places,
        regions=regions,
        seed=seed,
    )
