"""The command line's verbs put together, and errors turned into messages and exit statuses."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated

import typer

from slcache import ConfigError, Error, TraceError, UsageError, _core
from slcache.cli import (
    catalogue,
    cliff,
    console,
    design,
    devices,
    diff,
    env,
    explain,
    report,
    reproduce,
    rerun,
    simulate,
    sweep,
    sweep_show,
    trace,
    trace_files,
    trace_generate,
    tune,
)
from slcache.cli.verb import UNNAMED, Verb, VerbOfItsOwn
from slcache.names import printable

OK, FAILED, USAGE, CONFIG, TRACE, INTERRUPTED = 0, 1, 2, 3, 4, 130

#: The verbs by what they are for, in the order in which help lists them.
_SIMULATE = "Simulate"
_SEARCH = "Vary and search"
_RESULTS = "Results and recordings"
_LOOK = "Devices, schemes, traces, keys"

app = typer.Typer(
    name="slcache",
    rich_markup_mode="rich",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run", cls=Verb, rich_help_panel=_SIMULATE)(simulate.run)
app.command("compare", cls=Verb, rich_help_panel=_SIMULATE)(simulate.compare)
app.command("rerun", cls=Verb, rich_help_panel=_RESULTS)(rerun.rerun)
app.command("diff", cls=Verb, rich_help_panel=_RESULTS)(diff.diff)
app.command("report", cls=Verb, rich_help_panel=_RESULTS)(report.report)
app.command("explain", cls=Verb, rich_help_panel=_LOOK)(explain.explain)
app.command("reproduce", cls=Verb, rich_help_panel=_SEARCH)(reproduce.reproduce)
app.command("cliff", cls=Verb, rich_help_panel=_SIMULATE)(cliff.cliff)
sweeps = typer.Typer(cls=VerbOfItsOwn)
sweeps.command(UNNAMED, cls=Verb)(sweep.sweep)
sweeps.command("show", cls=Verb)(sweep_show.show)
app.add_typer(
    sweeps,
    name="sweep",
    help="Run a study; sweep show: show what one found.",
    rich_help_panel=_SEARCH,
)
app.command("tune", cls=Verb, rich_help_panel=_SEARCH)(tune.tune)
app.add_typer(trace.app, name="trace", rich_help_panel=_LOOK)
app.add_typer(env.app, name="env", rich_help_panel=_RESULTS)
app.add_typer(design.app, name="design", rich_help_panel=_SEARCH)
app.add_typer(
    devices.app,
    name="devices",
    help="List the device presets; devices show: one of them, or a device file, in figures.",
    rich_help_panel=_LOOK,
)
for verb in (
    trace_files.convert,
    trace_files.split,
    trace_files.sample,
    trace_files.window,
    trace_files.scale,
    trace_files.remap,
    trace_files.repeat,
    trace_files.merge,
    trace_generate.generate,
    trace_generate.formats,
    trace_generate.workloads,
):
    trace.app.command(cls=Verb)(verb)
app.command("schemes", cls=Verb, rich_help_panel=_LOOK)(catalogue.schemes)
app.command("schema", cls=Verb, rich_help_panel=_LOOK)(catalogue.schema)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"slcache {_core.version()} ({_core.commit()})")
        raise typer.Exit


@app.callback()
def _root(
    _: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Simulate hybrid SSDs: replay a block trace under several SLC-cache schemes.

    \b
    [bold]Example[/bold]
      slcache compare web.csv.gz --device tiny --schemes tlc-only,baseline

    Exit status: 0 done, 1 the run failed (also: it needs more memory than there is),
    2 wrong usage, 3 configuration not valid, 4 trace not readable, 130 interrupted
    (by Ctrl-C or SIGTERM).
    """


def execute(arguments: Sequence[str]) -> int:
    """Run the command line on these arguments and return the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _noted
            status = app(args=list(arguments), prog_name="slcache", standalone_mode=False)
        sys.stdout.flush()
    except Exception as error:
        _abandon_stdout(error)
        message, status = _explain(error)
        _complain(message)
    else:
        if status == INTERRUPTED:
            _complain("interrupted")
    return int(status or OK)


def _noted(message: Warning | str, *_: object, **__: object) -> None:
    console.note(str(message))


def _explain(error: Exception) -> tuple[str, int]:
    """Return the message and exit status that an exception deserves; raise what is a bug."""
    match error:
        case ConfigError():
            told = getattr(error, "_command_line", str(error))
            return _listed("the configuration is not valid", told), CONFIG
        case TraceError():
            return f"error: {error}", TRACE
        case UsageError():
            return f"error: {error}; see slcache --help", USAGE
        case Error():
            return f"error: {error}", FAILED
        case typer.TyperException():
            # The help alone, on standard output, would leave a script without a reason.
            message = error.format_message().rstrip(".") or "a command is missing"
            page = getattr(error, "ctx", None)
            # A group's own verb has no name, and leaves a gap in the path.
            path = " ".join(page.command_path.split()) if page else "slcache"
            hint = f"; see {path} --help"
            return f"error: {message}{hint}", error.exit_code
        case UnicodeEncodeError():
            return "error: an argument is not valid UTF-8", USAGE
        case BrokenPipeError():
            return "", FAILED
        case OSError():
            where = f": {error.filename}" if error.filename else ""
            return f"error: {error.strerror or error}{where}", FAILED
        case MemoryError():
            return "error: out of memory", FAILED
    raise error


def _listed(headline: str, problems: str) -> str:
    """Return an error with one problem on its line, or with several below it."""
    lines = [line for line in problems.splitlines() if line.strip()]
    if len(lines) == 1:
        return f"error: {lines[0]}"
    return "\n  ".join([f"error: {headline}", *lines])


def _complain(message: str) -> None:
    if message:
        sys.stderr.write(printable(message) + "\n")


def _abandon_stdout(error: Exception) -> None:
    """Drop what a full or closed standard output would not take, so that exiting is quiet."""
    if isinstance(error, OSError):
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, sys.stdout.fileno())
        os.close(sink)
