"""The verb `cliff`: write bandwidth over data written."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from slcache import api, units
from slcache.cli import console
from slcache.cli import options as opt

if TYPE_CHECKING:
    from slcache.cliff import Cliff

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
    typer.Option(metavar="SIZE", help="Bytes to write in all (default: the device once)."),
]


def cliff(
    device: opt.Device,
    schemes: opt.Schemes,
    pattern: Annotated[Kind, typer.Option(help="Without a break, or in bursts.")] = Kind.sustained,
    amount: Amount = None,
    bursts: Annotated[int, typer.Option(min=2, help="Bursts the amount is cut into.")] = 5,
    pause: Annotated[str, typer.Option(metavar="TIME", help="Pause between bursts.")] = "10m",
    bs: Annotated[str, typer.Option(metavar="SIZE", help="Size of every write.")] = "128k",
    iodepth: Annotated[int, typer.Option(min=1, max=65536, help="Writes outstanding.")] = 32,
    sets: opt.Sets = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write cliff.json, .svg and .png here.")
    ] = None,
    json: opt.Json = False,
    progress: opt.Progress = opt.When.auto,
) -> None:
    """Write sequentially to an empty device and show where the bandwidth falls.

    In bursts, each pause begins when the last write of a burst has been handed to the host's
    queue; the writes of a burst wait there, --iodepth of them at a time on the device.

    \b
    [bold]Examples[/bold]
      slcache cliff --device ips-384g --schemes turbo-write,ips --out cliff
      slcache cliff --device ips-384g --schemes turbo-write,ips-agc \\
        --pattern bursts --amount 20GiB --bursts 5 --pause 10m
    """
    from slcache import cliff as cliffs

    names = [name.strip() for name in schemes.split(",") if name.strip()]
    try:
        api.check_schemes(names, None)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    settings = opt.pairs(sets)
    chosen = cliffs.Pattern(
        amount_bytes=size_bytes(amount) if amount else _capacity(device, names[0], settings),
        write_bytes=size_bytes(bs),
        queue_depth=iodepth,
        bursts=bursts if pattern == Kind.bursts else 1,
        pause_ns=time_ns(pause),
    )
    if chosen.writes < 2 * chosen.bursts:
        raise typer.BadParameter(f"--amount is less than two writes of {bs} a burst")
    with console.output(out) as files, console.meter(progress) as meter:
        result = cliffs.run(chosen, device=device, schemes=names, settings=settings, progress=meter)
        if files is not None:
            from slcache.plots import style

            figure = result.plot()
            files.write("cliff.json", (result.to_json() + "\n").encode())
            files.write("cliff.svg", style.svg(figure, "cliff", "write bandwidth").encode())
            files.write("cliff.png", style.png(figure))
    if json:
        console.emit(result.to_json())
        return
    console.show(_table(result))
    if out is not None:
        console.show(Text(f"picture: {out / 'cliff.png'}"))


def _capacity(device: str, scheme: str, settings: dict[str, str]) -> int:
    resolved = api.resolve(device=device, scheme=scheme, settings=settings)
    return int(resolved["device"]["user_bytes"])


def _table(result: Cliff) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("scheme", "first MB/s", "cliff after", "last MB/s"):
        table.add_column(title, justify="left" if title == "scheme" else "right")
    for name, row in result.figures().items():
        cliff_gib = row["cliff_gib"]
        after = "none" if cliff_gib is None else units.size(cliff_gib * (1 << 30))
        table.add_row(name, _rate(row["first_mb_per_s"]), after, _rate(row["last_mb_per_s"]))
    return table


def _rate(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"
