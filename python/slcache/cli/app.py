"""One call of the command line: its verbs, and errors turned into messages and exit statuses."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, get_args

from slcache import ConfigError, Error, TraceError, UsageError, _boot, code
from slcache.cli import aside
from slcache.names import near, printable

if TYPE_CHECKING:
    from cyclopts import App, Argument

OK, FAILED, USAGE, CONFIG, TRACE, INTERRUPTED = 0, 1, 2, 3, 4, 130


def execute(arguments: Sequence[str]) -> int:
    """Run the command line on these arguments and return the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    call = _Call()
    try:
        with warnings.catch_warnings(), code.command(arguments):
            warnings.showwarning = _noted
            # What a verb warns of is a note, whatever the interpreter was told of warnings.
            warnings.simplefilter("always", UserWarning)
            status = call.run(list(arguments))
        sys.stdout.flush()
    except KeyboardInterrupt:
        _complain("interrupted")
        return INTERRUPTED
    except Exception as error:
        _abandon_stdout(error)
        message, status = _explain(error, call)
        _complain(message)
    return status


class _Call:
    """What is called: the words of a verb, and what it takes."""

    def __init__(self) -> None:
        self.path = "slcache"
        self.takes: Callable[[], list[Argument]] = list
        #: The verbs below it.
        self.verbs: Sequence[str] = ()

    def run(self, arguments: list[str]) -> int:
        """Run the verb that is meant."""
        if arguments == ["--version"]:
            _boot.write_version()
            return OK
        from slcache.cli import help

        app = command_line()
        chain, apps, rest = app.parse_commands(arguments)
        self.path = " ".join(("slcache", *chain))
        self.takes = lambda: help.arguments(apps[-1])
        self.verbs = [name for name in apps[-1] if not name.startswith("-")]
        before = rest[: rest.index("--")] if "--" in rest else rest
        if {"-h", "--help"} & {*before}:
            sys.stdout.write(help.page(self.path, apps[-1]))
            return OK
        if not arguments or (not rest and apps[-1].default_command is None):
            # The help alone, on standard output, would leave a script without a reason.
            sys.stdout.write(help.page(self.path, apps[-1]))
            raise UsageError("a command is missing")
        verb, bound, _ = app.parse_args(arguments, print_error=False, exit_on_error=False)
        # What a shell is offered is printed by cyclopts itself.
        beside = contextlib.nullcontext() if arguments[0] == "__complete" else aside()
        with beside:
            return verb(*bound.args, **bound.kwargs) or OK


def _noted(message: Warning | str, *_: object, **__: object) -> None:
    from slcache.cli import console

    console.note(str(message))


def _explain(error: Exception, call: _Call) -> tuple[str, int]:
    """Return the message and exit status that an exception deserves; raise what is a bug."""
    match error:
        case ConfigError():
            return _listed("the configuration is not valid", _in_options(error, call)), CONFIG
        case TraceError():
            told = _in_options(error, call)
            # A verb below this one, misspelled, is taken for a trace.
            return f"error: {told}{near(told.partition(':')[0], call.verbs)}", TRACE
        case UsageError():
            return _with_help(_of_option(error, call), call), USAGE
        case Error():
            return f"error: {error}", FAILED
        case UnicodeEncodeError():
            return "error: an argument is not valid UTF-8", USAGE
        case BrokenPipeError():
            return "", FAILED
        case OSError():
            where = f": {error.filename}" if error.filename else ""
            return f"error: {error.strerror or error}{where}", FAILED
        case _ if _lacks_memory(error):
            return "error: out of memory", FAILED
    return _with_help(_misused(error, call), call), USAGE


def _with_help(told: str, call: _Call) -> str:
    """Return a message that ends with where help is."""
    return f"error: {told}{' See' if told.endswith('?') else '; see'} {call.path} --help"


def _misused(error: Exception, call: _Call) -> str:
    """Return what is wrong with the words of a command line; raise what is a bug."""
    from cyclopts import exceptions as of

    if not isinstance(error, of.CycloptsError):
        raise error
    match error:
        case of.ValidationError(argument=argument) if argument is not None:
            return f"{_name(argument)}: {error.exception_message}"
        case of.CoercionError(argument=argument, token=token) if argument is not None:
            words = get_args(error.target_type)
            if error.msg is not None or token is None:
                return f"{_name(argument)}: {error.msg}"
            told = f"is none of {', '.join(words)}" if words else "cannot be read"
            return f"{_name(argument)}: {token.value!r} {told}"
        case of.MissingArgumentError(argument=argument) if argument is not None:
            said = error.keyword is not None or argument.tokens
            return f"{_name(argument)}{': its value' if said else ''} is missing"
        case of.RepeatArgumentError():
            given = error.token.keyword
            name = next((each.name for each in call.takes() if given in each.names), given)
            return f"{name} is given twice; give it once"
        case of.UnknownOptionError(token=token):
            return _refused(token.keyword or token.value, call)
        case of.UnusedCliTokensError(unused_tokens=[first, *_]):
            return _refused(first, call)
    told = str(error).partition(" Available commands:")[0].rstrip(".")
    return told.replace(". Did you mean", "; did you mean")


def _refused(word: str, call: _Call) -> str:
    """Return why there is no place for a word."""
    from slcache.cli import options

    try:
        options.check_word(word, call.takes())
    except UsageError as error:
        return str(error)
    if call.verbs and all(each.name.startswith("-") for each in call.takes()):
        return f"{call.path} has no verb {word!r}{near(word, call.verbs)}"
    return f"{word!r} is one argument too many"


def _name(argument: Argument) -> str:
    from slcache.cli import help

    return help.name(argument)


def _of_option(error: UsageError, call: _Call) -> str:
    """Return what is wrong with an argument of Python by the name of its option."""
    options = {o.field_info.name: o.name for o in call.takes() if o.name.startswith("-")}
    said = error.key
    if said is None or said not in options:
        return str(error)
    names = "|".join({said, *(name for name in options if "_" in name)})
    # Not within a path, nor a value or the word.
    told = re.sub(
        rf"(?:^|(?<=\s))(?<!= )(?:{names})(?= = |: | is )", lambda f: options[f[0]], str(error)
    )
    told = re.sub(rf"\b({'|'.join(options)})=N\b", lambda f: f"{options[f[1]]} N", told)
    return told if options[said] in told else f"{options[said]}: {told}"


def _lacks_memory(error: Exception) -> bool:
    """Return whether there was no memory, for data or to load a library."""
    is_unloaded = isinstance(error, ImportError) and "failed to map segment" in str(error)
    return isinstance(error, MemoryError) or is_unloaded


def _in_options(error: Error, call: _Call) -> str:
    """Return a message with the options that say what it is about."""
    from slcache.cli import console

    told = console.trace_message(getattr(error, "_command_line", str(error)))
    names = {name for each in call.takes() for name in each.names}
    if "--device" not in names:
        # It is an argument, which has no name.
        told = re.sub("^--device ", "", told, flags=re.MULTILINE)
    own = "--workload" in names
    return console.workload_message(told, "--workload " if own else "--trace-option workload.")


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


#: What verbs are for, in the order in which help lists them, and the module of each.
_VERBS = {
    "Simulate": {"run": "simulate", "compare": "simulate", "cliff": "cliff"},
    "Vary and search": {
        "sweep": "studies",
        "tune": "studies",
        "fit": "fit",
        "bound": "bound",
        "reproduce": "reproduce",
    },
    "Results": {"diff": "results", "report": "results", "why": "why"},
    "Devices, schemes, traces, keys": {
        "devices": "catalogue",
        "schemes": "catalogue",
        "trace": "trace",
        "explain": "explain",
    },
}
#: Verbs that have further verbs below them: what they are is `NAME_app` in their module.
_GROUPS = ("sweep", "devices", "schemes", "trace")

_ABOUT = """Simulate hybrid SSDs: replay a block trace under several SLC-cache schemes.

Example:
  slcache compare web.csv.gz --device tiny --schemes tlc-only,baseline

Exit status: 0 done, 1 the run failed (also: it needs more memory than there is),
2 wrong usage, 3 configuration not valid, 4 trace not readable, 130 interrupted
(by Ctrl-C or SIGTERM). `slcache --version` prints the version, and
`slcache --install-completion` installs the completion of your shell.
"""


def command_line() -> App:
    """Return the command line."""
    from cyclopts import App, Group

    from slcache.cli import options

    made = App(
        name="slcache",
        help=_ABOUT,
        help_flags=(),
        version_flags=(),
        config=options.said_once,
    )
    for purpose, verbs in _VERBS.items():
        group = Group(purpose)
        for name, module in verbs.items():
            place = f"slcache.cli.{module}:{name}{'_app' * (name in _GROUPS)}"
            made.command(place, name=name, group=group)
    made.command("slcache.cli.help:show_completion", name="--show-completion", show=False)
    made.command("slcache.cli.help:install_completion", name="--install-completion", show=False)
    return made
