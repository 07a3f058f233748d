"""What all verbs that write a trace have in common: reading, writing and reporting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from cyclopts import Parameter
from rich.text import Text

from slcache.cli import checks, console, joint
from slcache.cli import options as opt
from slcache.given import quantity
from slcache.words import units

Out = Annotated[
    str, opt.option("FILE", "The file to write (.gz, .zst, .xz compress; - prints).", "--out", "-o")
]
Format = Annotated[
    str | None,
    opt.option(
        "FORMAT",
        "Its format (see `slcache trace formats`); FILE.parquet tells it itself.",
        "--as",
    ),
]
Lossy = Annotated[
    str | None,
    opt.option(
        "LOSS,...", "What may get lost, and is counted: time, flush, trim, volume, response, label."
    ),
]


@joint.together
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


@joint.together
@dataclass(frozen=True, kw_only=True)
class Reading(Job):
    """The same of a verb that reads traces."""

    reader: joint.Recording = joint.Recording()


def size_option(help: str) -> Parameter:
    """Return an option that takes a size."""
    return opt.option("SIZE", help, validator=checks.readable(quantity.size_bytes))


def time_option(help: str, *names: str) -> Parameter:
    """Return an option that takes a time."""
    return opt.option("TIME", help, *names, validator=checks.readable(quantity.time_ns))


def ns_of(text: str | None) -> int | None:
    """Return a time in nanoseconds, where there is one."""
    return None if text is None else quantity.time_ns(text)


def bytes_of(text: str | None) -> int | None:
    """Return a size in bytes, where there is one."""
    return None if text is None else quantity.size_bytes(text)
