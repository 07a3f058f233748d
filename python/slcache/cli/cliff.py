"""The verb `cliff`: write bandwidth over data written."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from slcache import units
from slcache.cli import console
from slcache.cli import options as opt
from slcache.tabular import Table

if TYPE_CHECKING:
    from slcache.bandwidth import Curve

_SIZE = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_TIME = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}


class Kind(StrEnum):
    """How the writes come."""

    sustained = "sustained"
    bursts = "bursts"


def size_bytes(text: str) -> int:
    """Return `4k`, `20GiB` or `1048576` in bytes, counting in 1024s."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:ib|b)?", text.strip().lower())
    value = int(float(match[1]) * _SIZE[match[2]]) if match else 0
    if value <= 0:
        raise typer.BadParameter(f"{text!r} is not a size, such as 128k, 20GiB or 1048576")
    return value


def time_ns(text: str) -> int:
    """Return `500ms`, `30s` or `10m` in nanoseconds."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ns|us|ms|s|m|h)", text.strip().lower())
    if not match:
        raise typer.BadParameter(f"{text!r} is not a time, such as 500ms, 30s or 10m")
    return int(float(match[1]) * _TIME[match[2]])


Amount = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="Bytes to write in all (default: three times what the device takes in SLC mode "
        "under the scheme with the largest cache, at most the device once).",
    ),
]


def cliff(
    device: opt.Device,
    schemes: opt.Schemes,
    pattern: Annotated[Kind, typer.Option(help="Without a break, or in bursts.")] = Kind.sustained,
    amount: Amount = None,
    bursts: Annotated[int, typer.Option(min=2, max=100, help="Bursts the amount is cut into.")] = 5,
    pause: Annotated[str, typer.Option(metavar="TIME", help="Time from burst to burst.")] = "10m",
    bs: Annotated[str, typer.Option(metavar="SIZE", help="Size of every write.")] = "128k",
    iodepth: Annotated[int, typer.Option(min=1, max=65536, help="Writes outstanding.")] = 32,
    span: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE", help="Start over after so many bytes (default: the device's)."
        ),
    ] = None,
    sets: opt.Sets = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write cliff.json, .svg and .png here.")
    ] = None,
    json: opt.Json = False,
    progress: opt.Progress = opt.When.auto,
) -> None:
    """Write sequentially to an empty device and show where the bandwidth falls.

    [bold]sustained[/bold] keeps --iodepth writes outstanding until --amount is written.
    Told are the bandwidth at first (over a tenth of the amount, or of three
    times the scheme's cache if that is less), how much was written before it
    fell below 70 % of that (to a hundredth of the amount), and the bandwidth
    of the last tenth. What is told of a scheme does not depend on the others.

    [bold]bursts[/bold] cuts the amount into --bursts equal parts, one every --pause.
    The writes of a part are all there at once, --iodepth at a time on the
    device; what is left of the pause is idle. A cache that recovers in it is
    as fast in the last burst as in the first. Told are for both the bandwidth
    at the start and of the whole burst, pauses left out.

    \b
    [bold]Examples[/bold]
      slcache cliff --device ips-384g --schemes all --out cliff
      slcache cliff --device ips-384g --schemes turbo-write,ips,ips-agc \\
        --pattern bursts --amount 30GiB --bursts 5 --pause 10m --out cliff
    """
    from slcache import cliff as cliffs

    settings = opt.pairs(sets)
    names, left_out = opt.scheme_names(schemes, device, settings)
    console.left_out(left_out)
    chosen = cliffs.Pattern(
        amount_bytes=size_bytes(amount) if amount else None,
        write_bytes=size_bytes(bs),
        queue_depth=iodepth,
        bursts=bursts if pattern == Kind.bursts else 1,
        pause_ns=time_ns(pause),
        span_bytes=size_bytes(span) if span else None,
    )
    if chosen.span_bytes is not None and chosen.span_bytes < chosen.write_bytes:
        raise typer.BadParameter(f"--span is less than one write of {bs}")
    try:
        cliffs.loads(chosen, device=device, schemes=names, settings=settings)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    with console.output(out, cliffs.FILES, [device]) as files, console.meter(progress) as meter:
        result = cliffs.run(chosen, device=device, schemes=names, settings=settings, progress=meter)
        if files is not None:
            from slcache.plots import style

            figure = result.plot()
            files.write("cliff.json", (result.to_json() + "\n").encode())
            files.write("cliff.svg", style.svg(figure, "cliff", "write bandwidth").encode())
            files.write("cliff.png", style.png(figure))
    for name, cache in result.too_coarse.items():
        console.note(
            f"{name}: its cache of {units.size(cache)} is less than a hundredth of the amount, too "
            "little to show; choose a smaller --amount"
        )
    if json:
        console.emit(result.to_json())
        return
    console.show((_sustained if chosen.bursts == 1 else _bursts)(result.curves))
    if out is not None:
        console.show(Text(f"picture: {out / 'cliff.png'}"))


def _sustained(curves: dict[str, Curve]) -> Table:
    """Return the table of writes without a break."""
    table = _columns("first MB/s", "cliff after", "last MB/s", "written")
    for name, curve in curves.items():
        after = "none" if curve.cliff_gib is None else units.size(curve.cliff_gib * (1 << 30))
        rates = _rate(curve.first_mb_per_s), after, _rate(curve.last_mb_per_s)
        table.add(name, *rates, units.size(float(curve.written_gib[-1]) * (1 << 30)))
    return table


def _bursts(curves: dict[str, Curve]) -> Table:
    """Return the table of the first and the last burst."""
    ends = ("first", "last")
    table = _columns(*(f"{end} burst\n{what} MB/s" for end in ends for what in ("start", "mean")))
    for name, curve in curves.items():
        shown = (curve.bursts[0], curve.bursts[-1]) if curve.bursts else ()
        rates = [_rate(v) for b in shown for v in (b.start_mb_per_s, b.mean_mb_per_s)]
        table.add(name, *(rates or ["no pause left"]))
    return table


def _columns(*titles: str) -> Table:
    return Table("scheme", titles, boxed=False)


def _rate(value: float) -> str:
    return f"{value:,.0f}"
