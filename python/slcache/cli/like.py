"""`cliff --like`: a laboratory's protocol on one device."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from rich.text import Text

from slcache import catalogue
from slcache.cli import checks, console, joint, memory
from slcache.cli import options as opt
from slcache.given.config_files import Configuration
from slcache.given.content import Content
from slcache.sentences import state as states
from slcache.tables import sheets
from slcache.tables.tabular import Table
from slcache.words import units

if TYPE_CHECKING:
    from slcache.drives.like import Like

FILES = ("like.json", "like.csv", "like.svg", "like.png")


#: How a laboratory measures.
Protocol = Literal["techpowerup", "anandtech", "recovery"]


MaybeLike = Annotated[
    Protocol | None,
    opt.choice(
        "Measure one device with scheme client as a laboratory does: a fill by one writer of "
        "1 MB; two fills with 128 KiB at depth 32; or bursts with pauses from 1 s to 30 min.",
    ),
]
Against = Annotated[
    str | None,
    opt.option(
        "DRIVE", "The drive whose published figures the picture shows (default: the preset's)."
    ),
]
Scale = Annotated[str, opt.option("1/K", "Run a K-th of the device, with all its planes.")]
Fill = Annotated[
    float | None,
    opt.option("SHARE", "With --like recovery: filled at first (0).", kind=float, min=0, max=1),
]


def divisor(text: str) -> int:
    """Return k of `1/k`."""
    found = re.fullmatch(r"1(?:/([1-9][0-9]{0,5}))?", text.strip())
    if found is None:
        raise checks.wrong(f"{text!r}: expected 1/k, such as 1/16", "--scale")
    return int(found[1] or 1)


def partly(
    given: Configuration, scale: str, schemes: str, others: Mapping[str, object]
) -> Configuration:
    """Return a configuration with a part of its device; `others` are options of --like alone."""
    from slcache.drives import fills

    _refuse(others, "has no effect without --like")
    assert given.device is not None

    def runs(part: Content) -> None:
        names, _ = joint.scheme_names(schemes, part, given.settings)
        catalogue.called(names, device=part, settings=catalogue.flat(given.settings))

    return replace(given, device=fills.scaled(given.device, divisor(scale), runs))


def whole_buffer(config: Mapping[str, Any], scale: int) -> None:
    """Tell of a buffer that a part of a device has whole."""
    buffer = config["buffer"]
    if scale > 1 and buffer is not None:
        console.note(
            f"--scale 1/{scale} leaves buffer.bytes = {units.size(buffer['bytes'])} whole, for all "
            f"planes are filled from it: it is {scale} times as large a share of this part, which "
            "a first phase may show"
        )


def _refuse(given: Mapping[str, object], why: str) -> None:
    for option, value in given.items():
        if value is not None:
            raise checks.wrong(why, f"--{option}")


def run(
    protocol: Protocol,
    given: Configuration,
    load: Mapping[str, object],
    *,
    against: str | None,
    scale: str,
    fill: float | None,
    state: str | None,
    jobs: int,
    out: Path | None,
    kept: Sequence[Path | str],
    form: opt.Form,
    progress: opt.When,
) -> None:
    """Measure, tell, and write what was found."""
    from slcache.drives import fills
    from slcache.drives import like as likes

    _refuse(load, "has no effect with --like")
    if fill is not None and protocol != "recovery":
        raise checks.wrong("has no effect without --like recovery", "--fill")
    assert given.device is not None
    with console.output(out, FILES, kept) as files, console.meter(progress) as meter:
        part = fills.scaled(given.device, divisor(scale), fills.as_client(given.settings))
        memory.tell(part, [fills.SCHEME], given.settings, state)
        found = likes.like(
            protocol,
            device=given.device,
            against=against,
            scale=divisor(scale),
            fill=fill or 0.0,
            state=state,
            settings=given.settings,
            jobs=jobs,
            on_progress=meter,
        )
        if files is not None:
            from slcache.charts import files as charts

            picture = found.picture()
            files.write("like.json", (found.to_json() + "\n").encode())
            files.write("like.csv", sheets.csv([found.sheet()]).encode())
            for kind in (".svg", ".png"):
                files.write(f"like{kind}", charts.written(picture, kind))
    depth = 1 if protocol == fills.FIRST else fills.BURST_DEPTH
    whole = {"device": given.device, "scheme": fills.SCHEME, "settings": given.settings}
    config = catalogue.resolve(**whole, replay=f"closed:{depth}")
    console.notes([{"config": config}])
    whole_buffer(config, found.scale)
    if console.in_form(form, found.to_json, lambda: [found.sheet()]):
        return
    if told := states.line(found.documents):
        console.show(Text(told))
    console.show(*_told(found))
    if out is not None:
        console.show(Text(f"picture: {out / 'like.png'}"))


def _told(found: Like) -> list[Table | Text]:
    from slcache.drives import like as likes

    if found.recovery is not None:
        return _recovery(found)
    table = Table(
        "phase",
        ["from GB", "to GB", "GB/s", "its parts", "published"],
        caption=f"its parts: the slowest and the fastest of {likes.PARTS} at most",
        boxed=False,
    )
    for number, each in enumerate(found.passes, 1):
        for place, phase in enumerate(each.phases):
            speeds = f"{phase['low_gb_s']:.3g} … {phase['high_gb_s']:.3g}"
            ends = f"{phase['from_gb']:,.0f}", f"{phase['to_gb']:,.0f}"
            name = f"pass {number}, {place + 1}"
            table.add(name, *ends, f"{phase['gb_s']:.3g}", speeds, _published(found, number, place))
    lines = [Text(_averages(found, number)) for number in range(1, len(found.passes) + 1)]
    stalls = found.stall_windows
    lines.append(Text(f"points with a write of more than 100 ms: {stalls}"))
    return [table, Text(), *lines]


def _published(found: Like, number: int, place: int) -> str:
    if found.drive is None or number > 1 or place >= len(found.drive.phases):
        return ""
    bar = found.drive.phases[place]
    held = ", held out" if bar.gb_s.held_out else ""
    return f"to {bar.to_gb:g} GB at {bar.gb_s.value:g}{held}"


def _averages(found: Like, number: int) -> str:
    each = found.passes[number - 1]
    text = f"pass {number}: {each.average_gb_s:.3g} GB/s on average"
    average = None if found.drive is None or number > 1 else found.drive.average
    if average is not None:
        text += f" (published: {average.value:g}, held out)"
    return f"{text}; last 16 GB {each.last_gb_s:.3g}; cache {each.cache_gb:,.0f} GB"


def _recovery(found: Like) -> list[Table | Text]:
    assert found.recovery is not None
    table = Table("pause s", ["GB at the first speed"], boxed=False)
    for pause in found.recovery.pauses:
        table.add(f"{pause.seconds:g}", f"{pause.regained_gb:,.1f}")
    head = (
        f"bursts of {found.recovery.burst_gb:,.0f} GB on a device "
        f"{100 * found.recovery.fill:.0f} % full; "
        f"at first {found.recovery.first_gb_s:.3g} GB/s for {found.recovery.cache_gb:,.1f} GB"
    )
    return [Text(head), table]
