"""The verb cliff: write bandwidth over data written, also as a laboratory measures it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from slcache import catalogue, cliffs, units
from slcache.cli import console
from slcache.cli import options as opt
from slcache.options import option
from slcache.sentences import notes as states
from slcache.tables.table import Cells, Columns, Source, Table

if TYPE_CHECKING:
    from slcache.bandwidth.curves import BandwidthCurve
    from slcache.cliffs import Cliff
    from slcache.documents import Document
    from slcache.drives.protocol import ProtocolRun
    from slcache.files import Transaction


#: What a laboratory's measurement has too.
_LIKE = ("device", "config", "settings", "state", "scale", "jobs")
#: From here on the amount of all runs is told before the first of them.
_MUCH_BYTES = 128 << 30
FILES = ("like.json", "like.csv", "like.svg", "like.png")


def whole_buffer(config: Mapping[str, Any], scale: int) -> None:
    """Tell of a buffer that a part of a device has whole."""
    buffer = config["buffer"]
    if scale > 1 and buffer is not None:
        console.note(
            f"--scale 1/{scale} leaves buffer.bytes = {units.size(buffer['bytes'])} undivided, "
            f"because it feeds all planes: relative to this part it is {scale} times as large, "
            "which may affect the first phase"
        )


def _like(asked: CliffOptions) -> None:
    """Measure as a laboratory does, tell, and write what was found."""
    from slcache.drives import fills, protocol

    plain = [each.name for each in fields(cliffs.Writes) if each.name not in _LIKE]
    opt.refuse(asked, plain, "has no effect with --like")
    if asked.like != "recovery":
        opt.refuse(asked, ["fill"], "has no effect without --like recovery")
    assert asked.like is not None
    device, _, settings = asked.placed(asked.device)
    with (
        console.output(asked.out, FILES, asked.reads) as files,
        console.meter(asked.meter) as meter,
    ):
        part = fills.scaled(device, asked.scale, fills.as_client(settings))
        console.tell(part, [fills.SCHEME], settings)
        found = protocol.measure(
            asked.like,
            device=device,
            against=asked.against,
            scale=asked.scale,
            fill=asked.fill or 0.0,
            settings=settings,
            jobs=asked.jobs or 1,
            on_progress=meter,
        )
        if files is not None:
            files.write("like.csv", found.table().csv().encode())
            _write(files, "like", found)
    depth = 1 if asked.like == fills.FIRST else fills.BURST_DEPTH
    config = catalogue.resolve(
        device=device, scheme=fills.SCHEME, settings=settings, replay=f"closed:{depth}"
    )
    console.notes({fills.SCHEME: {**found.documents[0], "config": config}})
    whole_buffer(config, found.scale)
    drawn = console.written("picture", asked.out and asked.out / "like.png")
    console.answer(asked.form, found.to_json, _parts(found.documents, _told(found), drawn))


def _write(files: Transaction, name: str, found: Cliff | ProtocolRun) -> None:
    """Write what was found as JSON and as a picture."""
    from slcache.charts import pictures as charts

    picture = found.picture()
    files.write(f"{name}.json", (found.to_json() + "\n").encode())
    for kind in (".svg", ".png"):
        files.write(f"{name}{kind}", charts.written(picture, kind))


def _parts(
    documents: Sequence[Document], told: Iterable[RenderableType], picture: Sequence[RenderableType]
) -> list[RenderableType]:
    """Return what is told of runs below the state of their devices."""
    line = states.state_line(documents)
    return [*([Text(line)] if line else []), *told, *picture]


def _told(found: ProtocolRun) -> Iterator[Cells | str]:
    """Yield what a protocol finds: the phases of its passes, or what pauses give back."""
    from slcache.drives import protocol

    if (recovery := found.recovery) is not None:
        yield (
            f"bursts of {_gb(recovery.burst_gb)} on a device {100 * recovery.fill:.0f} % full; "
            f"at first {_gb(recovery.first_gb_s)}/s for {_gb(recovery.cache_gb)}"
        )
        yield found.table(_PAUSE)
        return
    yield found.table()
    rows = (
        {**phase, "pass": number, "phase": place, "published": _published(found, number, place)}
        for number, each in enumerate(found.passes, 1)
        for place, phase in enumerate(each.phases, 1)
    )
    parts = f"its parts: the slowest and the fastest of {protocol.PARTS} at most"
    yield Table(rows, _PHASE, caption=parts)
    yield from (_averages(found, number) for number in range(1, len(found.passes) + 1))
    yield f"points with a write of more than 100 ms: {found.stall_windows}"


def _gb(gb: float) -> str:
    """Return an amount of 10^9 bytes; little of it in MB."""
    return f"{units.significant(gb)} GB" if gb >= 1 else f"{units.significant(1000 * gb)} MB"


_PAUSE: Columns = {
    "pause s": "seconds",
    "at the first speed": lambda pause: _gb(pause["regained_gb"]),
}
_PHASE: Columns = {
    "phase": lambda row: f"pass {row['pass']}, {row['phase']}",
    "from": lambda row: _gb(row["from_gb"]),
    "to": lambda row: _gb(row["to_gb"]),
    "a second": lambda row: _gb(row["gb_s"]),
    "its parts": lambda row: f"{_gb(row['low_gb_s'])} … {_gb(row['high_gb_s'])}",
    "published": "published",
}


def _published(found: ProtocolRun, number: int, place: int) -> str:
    if found.drive is None or number > 1 or place > len(found.drive.phases):
        return ""
    bar = found.drive.phases[place - 1]
    held = ", held out" if bar.held_out else ""
    return f"to {bar.to_gb:g} GB at {bar.value:g} GB/s{held}"


def _averages(found: ProtocolRun, number: int) -> str:
    from slcache.drives import protocol

    each = found.passes[number - 1]
    text = f"pass {number}: {_gb(each.average_gb_s)}/s on average"
    average = None if found.drive is None or number > 1 else found.drive.average
    if average is not None:
        text += f" (published: {average.value:g} GB/s, held out)"
    last = _gb(min(protocol.LAST_GB, each.phases[-1]["to_gb"]))
    return f"{text}; last {last} {_gb(each.last_gb_s)}/s; cache {_gb(each.cache_gb)}"


@dataclass(frozen=True, kw_only=True)
class CliffOptions(opt.ProgressOptions, opt.OutputOptions, cliffs.Writes):
    """Writes as they are asked for, or as a laboratory has them."""

    like: str | None = option(
        "",
        "Repeat a laboratory's test with scheme client on one device: a fill by one writer of 1"
        " MB; two fills with 128 KiB at depth 32; or bursts with pauses from 1 s to 30 min.",
        words=("techpowerup", "anandtech", "recovery"),
    )
    against: str | None = option(
        "DRIVE",
        "With --like: the drive whose published figures the picture shows (default: the preset's).",
    )
    fill: float | None = option(
        "SHARE",
        "With --like recovery: share of the device filled at first (default: 0).",
        range=(0, 1),
    )
    out: Path | None = option("DIR", "Write cliff.json, .svg and .png to this folder.")

    @property
    def reads(self) -> list[Path | str]:
        """The files that it reads."""
        return [str(path) for path in (self.device, self.config) if path is not None]


@opt.verb
def cliff(asked: CliffOptions) -> None:
    """Write sequentially to a device and show where the bandwidth falls.

    `sustained` keeps --iodepth writes outstanding until --amount is written. The table
    has the first bandwidth (over a tenth of the amount, or of three times the
    scheme's cache if that is less, without what the DRAM buffer holds), the data
    written before it falls below 70 % of that, and the bandwidth of the last tenth.
    It falls where it is so low over a tenth of the amount, and over the rest; the
    place is known to a hundredth. The figures of a scheme do not depend on the other
    schemes.

    `bursts` divides the amount into --bursts equal parts, one every --pause. The writes
    of a part arrive at once, --iodepth at a time on the device; the rest of the
    pause is idle. If the cache recovers in the pause, the last burst is as fast as
    the first. The table has the bandwidth at the start and of the whole burst for
    both, without pauses.

    `--like` repeats the test of a laboratory: it prints the phases and averages of
    fills, the cache in a second pass, or the cache that pauses give back. The
    device is empty at first, unless `--state` is given. For a preset that is like a
    drive, the picture also shows the published figures.

    Examples:
      slcache cliff --device ips-384g --schemes all --out cliff
      slcache cliff --device ips-384g --schemes turbo-write,ips,ips-agc \\
        --pattern bursts --amount 30GiB --bursts 5 --pause 10m --out cliff
      slcache cliff --device lexar-nm790-2tb-like --like techpowerup --scale 1/16

    """
    if asked.like is not None:
        _like(asked)
        return
    opt.refuse(asked, ("against", "fill"), "has no effect without --like")
    if asked.schemes is None:
        raise opt.wrong("give the schemes, or --like", "--schemes")
    if asked.pattern != "bursts":
        told = "has no effect without --pattern bursts"
        opt.refuse(asked, ("bursts", "pause_ns"), told)
    device, names, settings, _ = asked.rivals()
    console.tell(device, names, settings)
    planned = cliffs.loads(asked.chosen, device=device, schemes=names, settings=settings)
    amounts = [load.written_bytes for load in planned.values()]
    # Each load is written without a cache too.
    amounts += set(amounts) if asked.bound else ()
    if sum(amounts) >= _MUCH_BYTES:
        console.note(
            f"{len(amounts)} runs write {units.size(sum(amounts))} in all, and each up to "
            f"{units.size(max(amounts))}; --amount takes less"
        )
    with (
        console.output(asked.out, cliffs.FILES, asked.reads) as files,
        console.meter(asked.meter, sizes=amounts) as meter,
    ):
        result = cliffs.cliff.of(replace(asked, on_progress=meter))
        if files is not None:
            _write(files, "cliff", result)
    for name, cache in result.too_coarse.items():
        console.note(
            f"{name}: its cache of {units.size(cache)} is less than a hundredth of the amount, too "
            "little to show; choose a smaller --amount"
        )
    documents = [found.documents[0] for _, found in result.runs.values()]
    console.notes(dict(zip(result.runs, documents, strict=True)))
    whole_buffer(documents[0]["config"], asked.scale)
    merged = [name for name, curve in result.curves.items() if not curve.bursts]
    if merged and result.pattern.bursts > 1:
        pause = units.span(result.pattern.pause_ns / 1e3)
        told = (
            f"a burst lasts longer than the {pause} from one to the next: figures are of the whole "
            "amount, without idle time"
        )
        console.note(f"{', '.join(merged)}: {told}")
    figures = table(result.curves)
    drawn = console.written("picture", asked.out and asked.out / "cliff.png")
    parts = _parts(documents, [figures, *result.gained()], drawn)
    console.answer(asked.form, result.to_json, parts)


def _speed(key: str) -> Source:
    """Return the column of a speed, all of whose rows have as many digits."""
    return lambda row: units.number(row[key])


#: What is told of writes without a break, and of each burst.
_SUSTAINED: Columns = {
    "scheme": "scheme",
    "first MB/s": _speed("first_mb_per_s"),
    "cliff after": lambda row: (
        "none" if row["cliff_bytes"] is None else units.size(row["cliff_bytes"])
    ),
    "last MB/s": _speed("last_mb_per_s"),
    "written": "written_bytes",
}
_BURSTS: Columns = {
    "scheme": "scheme",
    "burst": "burst",
    "start MB/s": _speed("start_mb_per_s"),
    "mean MB/s": _speed("mean_mb_per_s"),
}


def table(curves: Mapping[str, BandwidthCurve]) -> Table:
    """Return the figures of each curve; one of bursts with pauses has a row for each."""
    records: list[dict[str, Any]] = []
    for name, curve in curves.items():
        if curve.bursts:
            rows = enumerate(curve.bursts, 1)
            records += [{"scheme": name, "burst": i, **vars(burst)} for i, burst in rows]
        else:
            figures = {
                "first_mb_per_s": curve.first_mb_per_s,
                "cliff_bytes": curve.cliff_bytes,
                "last_mb_per_s": curve.last_mb_per_s,
                "written_bytes": float(curve.written_bytes[-1]),
            }
            records.append({"scheme": name, **figures})
    columns = _BURSTS if any(curve.bursts for curve in curves.values()) else _SUSTAINED
    return Table(records, columns)
