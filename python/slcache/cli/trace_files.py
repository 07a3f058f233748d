"""The verbs that write traces: convert, change, merge and generate."""

from __future__ import annotations

from typing import Annotated

import typer

from slcache.cli import checks
from slcache.cli import options as opt
from slcache.cli.trace_job import Writing, bytes_of, ns_of, size_option, time_option
from slcache.given import quantity
from slcache.traces import api as traces

Rebase = Annotated[bool, opt.flag("--rebase", "Make the first request time 0.")]


def convert(*, trace: opt.TracePath, job: Writing) -> None:
    """Write a trace in another format: slcache's Parquet layout, or a text format.

    A format without a place for something, such as flushes, refuses it unless --lossy names
    the loss, which is then counted.

    \b
    [bold]Examples[/bold]
      slcache trace convert web.csv.gz -o web.parquet
      slcache trace convert web.parquet -o web.trace --as mqsim --lossy flush,trim
    """
    source = job.trace(trace)
    job.write(lambda **how: source.convert(job.out, **how))


def split(
    *,
    trace: opt.TracePath,
    volumes: Annotated[bool, opt.flag("--volumes", "A file for each volume.")] = False,
    requests: Annotated[int | None, opt.option("N", "A file for each N requests.", min=1)] = None,
    time: Annotated[str | None, time_option("A file for each span of time.")] = None,
    rebase: Rebase = False,
    job: Writing,
) -> None:
    """Split a trace into one file per volume, count of requests or span of time.

    {} in the name of the output stands for the volume or the number of the part.

    \b
    [bold]Examples[/bold]
      slcache trace split all.csv.gz -o 'volume-{}.parquet' --volumes
      slcache trace split week.parquet -o 'hour-{}.parquet' --time 1h --rebase
    """
    given = {"volume": volumes, "requests": requests, "time": time}
    chosen = [name for name, value in given.items() if value]
    if len(chosen) != 1:
        raise typer.BadParameter("choose one of --volumes, --requests and --time")
    job.transform(
        trace, "split", by=chosen[0], requests=requests, window_ns=ns_of(time), rebase=rebase
    )


def sample(
    *,
    trace: opt.TracePath,
    every: Annotated[int | None, opt.option("K", "Keep every K-th request.", min=1)] = None,
    share: Annotated[
        str | None, opt.option("SHARE", "Keep this share, such as 0.1 or 1/16.")
    ] = None,
    addresses: Annotated[
        bool, opt.flag("--addresses", "Choose addresses, and keep all that goes there.")
    ] = False,
    unit: Annotated[str | None, size_option("Addresses are chosen in such units (1m).")] = None,
    seed: opt.Seed = None,
    job: Writing,
) -> None:
    """Keep a part of a trace's requests: every K-th, a random share, or those to some addresses.

    Choosing addresses keeps what each of them sees whole, and so reuse and updates.

    \b
    [bold]Examples[/bold]
      slcache trace sample web.parquet -o tenth.parquet --share 0.1 --seed 7
      slcache trace sample web.parquet -o part.parquet --share 1/16 --addresses
    """
    if (every is None) == (share is None):
        raise typer.BadParameter("choose one of --every and --share")
    if every is not None and seed is not None:
        raise typer.BadParameter("--seed draws a --share; every K-th request needs none")
    if unit is not None and not addresses:
        raise typer.BadParameter("--unit is of the addresses chosen with --addresses")
    by = "address" if addresses else None
    job.transform(
        trace, "sample", every=every, share=share, by=by, unit_bytes=bytes_of(unit), seed=seed
    )


def window(
    *,
    trace: opt.TracePath,
    start: Annotated[str | None, time_option("Begin at this time.", "--from")] = None,
    end: Annotated[str | None, time_option("End before this time.", "--to")] = None,
    skip: Annotated[int | None, opt.option("N", "Leave out the first N requests.", min=0)] = None,
    take: Annotated[int | None, opt.option("N", "Keep N requests from there.", min=1)] = None,
    rebase: Rebase = False,
    job: Writing,
) -> None:
    """Cut a piece out of a trace, by time or by number of requests.

    \b
    [bold]Examples[/bold]
      slcache trace window week.parquet -o hour.parquet --from 2h --to 3h --rebase
      slcache trace window week.parquet -o first.csv.gz --as msr --take 100000
    """
    bounds = {"from_ns": ns_of(start), "to_ns": ns_of(end), "skip": skip, "take": take}
    if all(bound is None for bound in bounds.values()):
        raise typer.BadParameter("give at least one of --from, --to, --skip and --take")
    job.transform(trace, "window", **bounds, rebase=rebase)


def scale(
    *,
    trace: opt.TracePath,
    time: Annotated[
        str | None, opt.option("FACTOR", "Multiply times: 0.5 arrives twice as fast.")
    ] = None,
    address: Annotated[
        str | None, opt.option("FACTOR", "Multiply addresses: 1/4 shrinks their range.")
    ] = None,
    unit: Annotated[str | None, size_option("Addresses are moved in such units.")] = None,
    job: Writing,
) -> None:
    """Stretch or squeeze a trace in time or in its range of addresses.

    \b
    [bold]Examples[/bold]
      slcache trace scale web.parquet -o fast.parquet --time 0.1
      slcache trace scale web.parquet -o small.parquet --address 1/4
    """
    if time is None and address is None:
        raise typer.BadParameter("give at least one of --time and --address")
    if unit is not None and address is None:
        raise typer.BadParameter("--unit is of the addresses multiplied with --address")
    job.transform(trace, "scale", time=time, address=address, unit_bytes=bytes_of(unit))


def remap(
    *,
    trace: opt.TracePath,
    page: Annotated[str | None, size_option("Number pages of this size (4k).")] = None,
    job: Writing,
) -> None:
    """Renumber the pages a trace touches densely, in the order of their addresses.

    Neighbours stay neighbours; what nobody touches goes, so that a trace of a large volume
    fits a small device.

    \b
    [bold]Example[/bold]
      slcache trace remap web.parquet -o dense.parquet --page 16k
    """
    job.transform(trace, "remap", page_bytes=bytes_of(page))


def repeat(
    *,
    trace: opt.TracePath,
    times: Annotated[int, opt.option("N", "Copies in all.", min=1)],
    gap: Annotated[str | None, time_option("Time between two copies (0).")] = None,
    shifted: Annotated[
        bool, opt.flag("--shifted", "Put each copy's addresses behind those before.")
    ] = False,
    job: Writing,
) -> None:
    """Write a trace several times, one copy after the other.

    \b
    [bold]Example[/bold]
      slcache trace repeat day.parquet -o week.parquet --times 7 --gap 1s
    """
    addresses = "shifted" if shifted else "same"
    job.transform(trace, "repeat", times=times, gap_ns=ns_of(gap), addresses=addresses)


def merge(
    *,
    sources: Annotated[list[str], opt.argument("TRACE...", "The traces.")],
    addresses: Annotated[
        opt.MergedAddresses,
        typer.Option(
            help="Each trace a volume, all in one address space, or one behind the other."
        ),
    ] = "streams",
    offset: Annotated[
        list[str] | None,
        opt.option("SIZE", "Added to a trace's addresses: once for each, with one."),
    ] = None,
    job: Writing,
) -> None:
    """Write several traces as one, in the order of time.

    \b
    [bold]Examples[/bold]
      slcache trace merge web.csv.gz mail.csv.gz -o both.parquet
      slcache trace merge a.parquet b.parquet -o ab.parquet --addresses one --offset 0 --offset 8g
    """
    with checks.told("--offset"):
        offsets = None if offset is None else [quantity.size_bytes(text) for text in offset]
    job.write(
        lambda **how: traces.merge(
            sources,
            job.out,
            addresses=addresses,
            offsets_bytes=offsets,
            trace_options=job.reader,
            **how,
        )
    )
