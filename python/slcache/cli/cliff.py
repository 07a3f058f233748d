"""The verb cliff: write bandwidth over data written, also as a laboratory measures it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from rich.console import RenderableType
from rich.text import Text

from slcache import api, catalogue
from slcache.cli import annotated as opt
from slcache.cli import checks, console, shared
from slcache.given.content import Configuration, Content
from slcache.report import terminal
from slcache.sentences import state as states
from slcache.tables import sheets
from slcache.tables.sheets import Sheet
from slcache.tables.tabular import Table
from slcache.words import units

if TYPE_CHECKING:
    from slcache.bandwidth.curves import Curve
    from slcache.cliffs import Cliff, Pattern
    from slcache.documents.normalise import Document
    from slcache.drives.like import Like
    from slcache.files import Transaction

FILES = ("like.json", "like.csv", "like.svg", "like.png")


#: How a laboratory measures.
Protocol = Literal["techpowerup", "anandtech", "recovery"]


def divisor(text: str) -> int:
    """Return k of `1/k`."""
    found = re.fullmatch(r"1(?:/([1-9][0-9]{0,5}))?", text.strip())
    if found is None:
        raise ValueError(f"{text!r}: expected 1/k, such as 1/16")
    return int(found[1] or 1)


def partly(
    given: Configuration, scale: int, schemes: str, others: Mapping[str, object]
) -> Configuration:
    """Return a configuration with a part of its device; `others` are options of --like alone."""
    from slcache.drives import fills

    checks.refuse(others, "has no effect without --like")
    assert given.device is not None

    def runs(part: Content) -> None:
        names, _ = shared.scheme_names(schemes, part, given.settings)
        catalogue.called(names, device=part, settings=catalogue.flat(given.settings))

    return replace(given, device=fills.scaled(given.device, scale, runs))


def whole_buffer(config: Mapping[str, Any], scale: int) -> None:
    """Tell of a buffer that a part of a device has whole."""
    buffer = config["buffer"]
    if scale > 1 and buffer is not None:
        console.note(
            f"--scale 1/{scale} leaves buffer.bytes = {units.size(buffer['bytes'])} whole, for all "
            f"planes are filled from it: it is {scale} times as large a share of this part, which "
            "a first phase may show"
        )


def run_like(
    laboratory: Laboratory,
    given: Configuration,
    others: Mapping[str, object],
    state: str | None,
    jobs: int,
    *,
    out: Path | None,
    kept: Sequence[Path | str],
    form: opt.Form,
    progress: opt.When,
) -> None:
    """Measure, tell, and write what was found."""
    from slcache.drives import fills
    from slcache.drives import like as likes

    checks.refuse(others, "has no effect with --like")
    if laboratory.like != "recovery":
        checks.refuse({"fill": laboratory.fill}, "has no effect without --like recovery")
    assert given.device is not None
    assert laboratory.like is not None
    with console.output(out, FILES, kept) as files, console.meter(progress) as meter:
        part = fills.scaled(given.device, laboratory.scale, fills.as_client(given.settings))
        console.tell(part, [fills.SCHEME], api.addressed(given.settings, None, state=state))
        found = likes.like(
            laboratory.like,
            device=given.device,
            against=laboratory.against,
            scale=laboratory.scale,
            fill=laboratory.fill or 0.0,
            state=state,
            settings=given.settings,
            jobs=jobs,
            on_progress=meter,
        )
        if files is not None:
            files.write("like.csv", sheets.csv([found.sheet()]).encode())
            _write(files, "like", found)
    depth = 1 if laboratory.like == fills.FIRST else fills.BURST_DEPTH
    whole = {"device": given.device, "scheme": fills.SCHEME, "settings": given.settings}
    config = catalogue.resolve(**whole, replay=f"closed:{depth}")
    console.notes([{"config": config}])
    whole_buffer(config, found.scale)
    drawn = console.written("picture", out and out / "like.png")
    parts = partial(_parts, found.documents, _told(found), drawn)
    console.answer(form, found.to_json, lambda: [found.sheet()], parts)


def _write(files: Transaction, name: str, found: Cliff | Like) -> None:
    """Write what was found as JSON and as a picture."""
    from slcache.charts import files as charts

    picture = found.picture()
    files.write(f"{name}.json", (found.to_json() + "\n").encode())
    for kind in (".svg", ".png"):
        files.write(f"{name}{kind}", charts.written(picture, kind))


def _parts(
    documents: Sequence[Document], told: Sequence[RenderableType], picture: Sequence[RenderableType]
) -> list[RenderableType]:
    """Return what is told of runs below the state of their devices."""
    line = states.line(documents)
    return [*([Text(line)] if line else []), *told, *picture]


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


_BURSTS, _PAUSE_NS = 5, 600 * 10**9


@shared.together
@dataclass(frozen=True)
class Load:
    """The writes, by the names that Python has for them."""

    pattern: Literal["sustained", "bursts"] | None = None
    """Without a break, or in bursts (sustained)."""
    amount_bytes: Annotated[int | None, opt.size(name="--amount")] = None
    """Bytes to write in all (default: three times what the device takes in SLC mode under the
    scheme with the largest cache, at most the device once)."""
    bursts: Annotated[int | None, opt.count(min=2, max=100)] = None
    """Bursts the amount is cut into (5)."""
    pause_ns: Annotated[int | None, opt.time(name="--pause")] = None
    """Time from burst to burst (10m)."""
    write_bytes: Annotated[int | None, opt.size(name="--bs")] = None
    """Size of every write (128k)."""
    queue_depth: Annotated[int | None, opt.count(name="--iodepth", min=1, max=65536)] = None
    """Writes outstanding (32)."""
    span_bytes: Annotated[int | None, opt.size(name="--span")] = None
    """Start over after so many bytes (default: the device's)."""

    def chosen(self) -> Pattern:
        """Return the pattern that the options say."""
        from slcache import cliffs

        in_bursts = self.pattern == "bursts"
        if not in_bursts:
            of_bursts = {"bursts": self.bursts, "pause_ns": self.pause_ns}
            checks.refuse(of_bursts, "has no effect without --pattern bursts")
        return cliffs.Pattern(
            amount_bytes=self.amount_bytes,
            write_bytes=self.write_bytes or 128 << 10,
            queue_depth=self.queue_depth or 32,
            bursts=(self.bursts or _BURSTS) if in_bursts else 1,
            pause_ns=(self.pause_ns or _PAUSE_NS) if in_bursts else 0,
            span_bytes=self.span_bytes,
        )


@shared.together
@dataclass(frozen=True, kw_only=True)
class Laboratory:
    """How a laboratory measures, and on which part of the device."""

    like: Protocol | None = None
    """Measure one device with scheme client as a laboratory does: a fill by one writer of 1 MB; two
    fills with 128 KiB at depth 32; or bursts with pauses from 1 s to 30 min."""
    against: Annotated[str | None, opt.option("DRIVE")] = None
    """The drive whose published figures the picture shows (default: the preset's)."""
    scale: Annotated[int, opt.option("1/K", read=divisor)] = 1
    """Run a K-th of the device, with all its planes."""
    fill: Annotated[float | None, opt.option("SHARE", kind=float, min=0, max=1)] = None
    """With --like recovery: filled at first (0)."""


def cliff(
    *,
    schemes: Annotated[
        str | None,
        opt.schemes(
            "The schemes to compare, separated by commas, or all that the device can run; not with "
            "--like.",
            alias="--scheme",
        ),
    ] = None,
    device: opt.MaybeDevice = None,
    laboratory: Laboratory = Laboratory(),
    load: Load = Load(),
    bound: Annotated[
        bool,
        opt.plain(
            "Tell what is programmed dense beside the least, and the share of what could be "
            "gained; the load is written without a cache too.",
            name="--bound",
        ),
    ] = False,
    said: shared.Configured = shared.Configured(),
    where: shared.Here = shared.Here(),
    out: Annotated[Path | None, opt.option("DIR", "Write cliff.json, .svg and .png here.")] = None,
    shown: shared.Shown = shared.Shown(),
    progress: opt.Progress = "auto",
) -> None:
    """Write sequentially to a device and show where the bandwidth falls.

    `sustained` keeps --iodepth writes outstanding until --amount is written.
    Told are the bandwidth at first (over a tenth of the amount, or of three
    times the scheme's cache if that is less), how much was written before it
    fell below 70 % of that (to a hundredth of the amount), and the bandwidth
    of the last tenth. What is told of a scheme does not depend on the others.

    `bursts` cuts the amount into --bursts equal parts, one every --pause.
    The writes of a part are all there at once, --iodepth at a time on the
    device; what is left of the pause is idle. A cache that recovers in it is
    as fast in the last burst as in the first. Told are for both the bandwidth
    at the start and of the whole burst, pauses left out.

    `--like` measures as a laboratory does that tests drives: what is told are the
    phases, the averages, the cache of a second pass or what pauses give back.
    The device is empty at first, unless `--state` says another state.
    Of a preset that is like a drive, the picture shows what was published too.

    Examples:
      slcache cliff --device ips-384g --schemes all --out cliff
      slcache cliff --device ips-384g --schemes turbo-write,ips,ips-agc \\
        --pattern bursts --amount 30GiB --bursts 5 --pause 10m --out cliff
      slcache cliff --device lexar-nm790-2tb-like --like techpowerup --scale 1/16

    """
    from slcache import cliffs

    given = said.on(device)
    kept = [path for path in (device, said.config) if path is not None]
    if laboratory.like is not None:
        others = {"schemes": schemes, **vars(load), "store": where.store, "bound": bound,
                  "executor": where.executor != "local"}  # fmt: skip
        run_like(
            laboratory,
            given,
            others,
            said.state,
            where.jobs or 1,
            out=out,
            kept=kept,
            form=shown.form,
            progress=progress,
        )
        return
    if schemes is None:
        raise checks.wrong("give the schemes, or --like", "--schemes")
    of_like = {"against": laboratory.against, "fill": laboratory.fill}
    given = partly(given, laboratory.scale, schemes, of_like)
    names, left_out = shared.scheme_names(schemes, given.device, given.settings)
    settings = api.addressed(given.settings, None, state=said.state)
    console.left_out(left_out)
    console.tell(given.device, names, settings)
    chosen = load.chosen()
    cliffs.loads(chosen, device=given.device, schemes=names, settings=settings)
    with console.output(out, cliffs.FILES, kept) as files, console.meter(progress) as meter:
        result = cliffs.run(
            chosen,
            device=given.device,
            schemes=names,
            settings=settings,
            bound=bound,
            progress=meter,
            **vars(where),
        )
        if files is not None:
            _write(files, "cliff", result)
    for name, cache in result.too_coarse.items():
        console.note(
            f"{name}: its cache of {units.size(cache)} is less than a hundredth of the amount, too "
            "little to show; choose a smaller --amount"
        )
    documents = [found.documents[0] for _, found in result.runs.values()]
    console.notes(documents)
    whole_buffer(documents[0]["config"], laboratory.scale)
    table = (_sustained if chosen.bursts == 1 else _bursts)(result.curves)
    gained = terminal.gain_tables(result.gain_rows(), result.gain_lines(), documents)
    drawn = console.written("picture", out and out / "cliff.png")
    parts = partial(_parts, documents, [table, *gained], drawn)
    console.answer(shown.form, result.to_json, lambda: [_sheet(result.curves)], parts)


def _sheet(curves: dict[str, Curve]) -> Sheet:
    """Return the figures of each curve; those of bursts have one row for each."""
    records: list[dict[str, float | str | None]] = []
    for name, curve in curves.items():
        if curve.bursts:
            rows = enumerate(curve.bursts, 1)
            records += [{"scheme": name, "burst": i, **vars(burst)} for i, burst in rows]
        else:
            figures = {
                "first_mb_per_s": curve.first_mb_per_s,
                "cliff_gib": curve.cliff_gib,
                "last_mb_per_s": curve.last_mb_per_s,
                "written_gib": float(curve.written_gib[-1]),
            }
            records.append({"scheme": name, **figures})
    return Sheet(records, {"cliff_gib": "GiB", "written_gib": "GiB"})


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
