"""One call of the command line: errors are turned into messages and exit statuses."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Sequence

import typer

from slcache import ConfigError, Error, TraceError, UsageError, named
from slcache.cli import reader_words, verbs
from slcache.words.names import printable

OK, FAILED, USAGE, CONFIG, TRACE, INTERRUPTED = 0, 1, 2, 3, 4, 130


def execute(arguments: Sequence[str]) -> int:
    """Run the command line on these arguments and return the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        with warnings.catch_warnings(), named.command(arguments):
            warnings.showwarning = _noted
            line = verbs.command(arguments)
            status = line(args=list(arguments), prog_name="slcache", standalone_mode=False)
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
    from slcache.cli import console

    console.note(str(message))


def _explain(error: Exception) -> tuple[str, int]:
    """Return the message and exit status that an exception deserves; raise what is a bug."""
    match error:
        case ConfigError():
            return _listed("the configuration is not valid", _in_options(error)), CONFIG
        case TraceError():
            return f"error: {_in_options(error)}", TRACE
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
        case _ if _lacks_memory(error):
            return "error: out of memory", FAILED
    raise error


def _lacks_memory(error: Exception) -> bool:
    """Return whether there was no memory, for data or to load a library."""
    is_unloaded = isinstance(error, ImportError) and "failed to map segment" in str(error)
    return isinstance(error, MemoryError) or is_unloaded


def _in_options(error: Error) -> str:
    """Return a message with the options that say what it is about."""
    told = reader_words.of_trace(getattr(error, "_command_line", str(error)))
    return reader_words.of_workload(told, getattr(error, "_of_workload", "--workload "))


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
