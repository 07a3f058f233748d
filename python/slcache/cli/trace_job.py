"""What all verbs that write a trace have in common: reading, writing and reporting."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, get_type_hints

import typer

from slcache.cli import console, trace_report
from slcache.cli import options as opt
from slcache.traces import api as traces

Out = Annotated[
    str,
    typer.Option(
        "--out", "-o", metavar="FILE", help="The file to write (.gz, .zst, .xz compress; - prints)."
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="FORMAT",
        help="Its format (see [bold]slcache trace formats[/bold]); FILE.parquet tells it itself.",
    ),
]
Lossy = Annotated[
    str | None,
    typer.Option(
        metavar="LOSS,...",
        help="What may get lost, and is counted: time, flush, trim, volume, response, label.",
    ),
]


@dataclass(frozen=True)
class Job:
    """A trace to be written, with everything the user said about it."""

    reader: dict[str, str]
    out: str
    format: str | None
    lossy: list[str]
    json: bool
    progress: opt.When

    def trace(self, path: str) -> traces.Trace:
        """Return the trace to read."""
        return traces.Trace(path, options=self.reader)

    def transform(self, path: str, kind: str, **parameters: Any) -> None:  # noqa: ANN401
        """Write a changed copy of a trace and tell what was done."""
        source = self.trace(path)
        self.write(lambda **how: source.transform(kind, self.out, **how, **parameters))

    def write(self, work: Callable[..., dict[str, Any]]) -> None:
        """Call what writes the file, with how to write it, and tell what was done."""
        with console.meter(self.progress) as meter:
            report = work(to=self.format, lossy=self.lossy, on_progress=meter)
        inputs = report["inputs"]
        console.cut_short(i["file"] for i in inputs if i["summary"]["last_line_unterminated"])
        # A trace on standard output leaves only standard error for the report.
        aside = self.out == "-"
        if self.json:
            console.emit_json(report, aside=aside)
        else:
            console.show(*trace_report.lines(report), aside=aside)


def verb(function: Callable[..., None]) -> Callable[..., None]:
    """Give a verb that reads traces and writes one its common options, as its `job`."""
    return _with_options(function, {**_WRITING, **_READING, **_TELLING})


def making_verb(function: Callable[..., None]) -> Callable[..., None]:
    """Give a verb that writes a trace from nothing its common options, as its `job`."""
    return _with_options(function, {**_WRITING, **_TELLING})


def _with_options(
    function: Callable[..., None], common: Mapping[str, tuple[Any, Any]]
) -> Callable[..., None]:
    hints = get_type_hints(function, include_extras=True)
    own = [p for p in inspect.signature(function).parameters.values() if p.name != "job"]

    def called(**arguments: Any) -> None:  # noqa: ANN401
        said = {name: arguments.pop(name) for name in common}
        function(_job(said), **arguments)

    parameters = [
        *(_parameter(p.name, hints[p.name], p.default) for p in own),
        *(_parameter(name, hint, default) for name, (hint, default) in common.items()),
    ]
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    called.__doc__ = function.__doc__
    called.__name__ = function.__name__
    return called


def _job(said: Mapping[str, Any]) -> Job:
    return Job(
        reader=opt.reader(*(said.get(name) for name in _READING)),
        out=said["out"],
        format=said["format"],
        lossy=[name.strip() for name in (said["lossy"] or "").split(",") if name.strip()],
        json=said["json"],
        progress=said["progress"],
    )


def _parameter(name: str, hint: Any, default: Any) -> inspect.Parameter:  # noqa: ANN401
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=hint, default=default)


_WRITING: dict[str, tuple[Any, Any]] = {
    "out": (Out, inspect.Parameter.empty),
    "format": (Format, None),
    "lossy": (Lossy, None),
}
#: In the order of the arguments of `options.reader`.
_READING: dict[str, tuple[Any, Any]] = {
    "trace_format": (opt.TraceFormat, None),
    "trace_option": (opt.TraceOptions, None),
    "volume": (opt.Volume, None),
    "unsorted": (opt.Unsorted, None),
}
_TELLING: dict[str, tuple[Any, Any]] = {
    "json": (opt.Json, False),
    "progress": (opt.Progress, "auto"),
}
