"""What every verb and group of verbs has of its own beyond Typer's: no option is given twice."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import typer
from typer.core import TyperCommand, TyperGroup

from slcache.cli import streams
from slcache.errors import Error
from slcache.given.arguments import OTHER_WORDS, own_word

#: Options with two words, of which a verb has one. `--workload KEY=VALUE` is another thing.
_SPELLED = {f"--{word}" for word in OTHER_WORDS} - {"--trace", "--workload"}
#: Options that take a key with its value, what is most often meant first.
_OF_KEYS = ("--workload", "--set", "--trace-option")
_PAIR = re.compile(r"[a-z][\w.\[\]-]*=")
#: Options whose every value counts: one for each trace, and figures that are all checked.
_EVERY = ("--offset", "--expect")


class _AsGiven:
    """Lets pass what has its type already; Typer's own checks load a library that takes long."""

    def __init__(self, parameter: Any) -> None:  # noqa: ANN401
        self._parameter = parameter

    def coerce(self, value: Any, **where: Any) -> Any:  # noqa: ANN401
        """Return a value of the parameter's type."""
        told = self._parameter.type_descriptor
        wanted = told.annotation
        if value is None or type(value) is wanted:
            return () if value is None and self._parameter.multiple else value
        if wanted == list[str]:
            return list(value)
        if wanted is Path and _passes(value, told.parameter_info):
            return Path(value)
        if get_origin(wanted) is Literal and value in get_args(wanted):
            return value
        self._parameter._runtime_param = None
        return self._parameter.get_runtime_param().coerce(value, **where)


def _passes(path: str, checks: Any) -> bool:  # noqa: ANN401
    """Return whether no check of a path would change or refuse it."""
    if not Path(path).exists():
        return not checks.exists and not checks.resolve_path
    plain = checks.file_okay and checks.dir_okay and not checks.writable
    return plain and not checks.resolve_path and os.access(path, os.R_OK)


def _ease(command: TyperCommand | TyperGroup, ctx: typer.Context) -> None:
    """Have a command's parameters checked as `_AsGiven` does."""
    for parameter in command.get_params(ctx):
        # Where Typer's checks are made when first needed; other versions do not look at it.
        parameter._runtime_param = _AsGiven(parameter)  # type: ignore[attr-defined]


class Verb(TyperCommand):
    """A verb that refuses an option given twice or empty; its errors know whose they are."""

    def parse_args(  # type: ignore[override]
        self, ctx: typer.Context, args: list[str]
    ) -> list[str]:
        """Parse the arguments; the last of two values must not win in silence."""
        args = self._spelled(ctx, args)
        given, beyond, order = self.make_parser(ctx).parse_args(args=list(args))
        _ease(self, ctx)
        self._check_bare(ctx, [*beyond, *self._arguments(given)])
        for parameter, times in Counter(order).items():
            if parameter.param_type_name != "option":
                continue
            name = max(parameter.opts, key=len)
            # An empty path, for one, would be the folder one is in.
            if given[parameter.name] == "" or (parameter.multiple and "" in given[parameter.name]):
                ctx.fail(f"{name}: its value is empty")
            if times == 1:
                continue
            if not parameter.multiple:
                ctx.fail(f"{name} is given {times} times; give it once")
            twice = [value for value, n in Counter(given[parameter.name]).items() if n > 1]
            if twice and name not in _EVERY:
                ctx.fail(f"{name} {twice[0]} is given twice; give it once")
        return super().parse_args(ctx, args)

    def _arguments(self, given: Mapping[str, Any]) -> Iterator[str]:
        """Yield what is given for arguments, which have no name."""
        for parameter in self.params:
            if parameter.param_type_name == "argument" and parameter.name in given:
                value = given[parameter.name]
                yield from [value] if isinstance(value, str) else value or ()

    def _check_bare(self, ctx: typer.Context, texts: Iterable[str]) -> None:
        """Refuse KEY=VALUE without the option it belongs to, unless it is the name of a file."""
        taken = {name for each in self.params if each.metavar == "KEY=VALUE" for name in each.opts}
        options = [name for name in _OF_KEYS if name in taken]
        for text in texts:
            if options and _PAIR.match(text) and not Path(text).exists():
                told = " or ".join(f"{option} {text}" for option in options)
                ctx.fail(f"{text}: is no trace; is it {told}?")

    def _of_workload(self) -> str:
        """Return how this verb changes a key of its workload."""
        pairs = [each.opts for each in self.params if each.metavar == "KEY=VALUE"]
        return "--workload " if ["--workload"] in pairs else "--trace-option workload."

    def _spelled(self, ctx: typer.Context, args: list[str]) -> list[str]:
        """Return the arguments with the verb's own word for each option (`OTHER_WORDS`)."""
        words = [name.removeprefix("--") for each in self.get_params(ctx) for name in each.opts]
        end = args.index("--") if "--" in args else len(args)
        spelled = list(args)
        for place, text in enumerate(args[:end]):
            option, equals, value = text.partition("=")
            if option in _SPELLED:
                own = own_word(option.removeprefix("--"), words)
                spelled[place] = f"--{own}{equals}{value}"
        return spelled

    def get_usage(self, ctx: typer.Context) -> str:  # type: ignore[override]
        """Return the usage; the verb without a name leaves no gap in it."""
        return re.sub(r"(?<=\S)  (?=\S)", " ", super().get_usage(ctx))

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]  # noqa: ANN401
        """Run the verb."""
        try:
            with streams.aside():
                return super().invoke(ctx)
        except typer.BadParameter as error:
            error.ctx = error.ctx or ctx
            raise
        except Error as error:
            # Only a verb knows by which option it changes a workload.
            error._of_workload = self._of_workload()  # type: ignore[attr-defined]
            raise


#: The name of the verb that needs none; nothing else is called so.
UNNAMED = " "


class Verbs(TyperGroup):
    """A group of verbs that begins quickly."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Parse the arguments before the verb."""
        _ease(self, ctx)
        return super().parse_args(ctx, args)


class VerbOfItsOwn(Verbs):
    """A group in which one verb, called `UNNAMED`, is meant where no other is named."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Parse the arguments; what names no verb is for the one without a name."""
        named = args and args[0] in self.commands
        return super().parse_args(ctx, args if named else [UNNAMED, *args])

    def resolve_command(self, ctx, args):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
        """Return the verb that is meant; the one without a name does not show in its path."""
        name, verb, rest = super().resolve_command(ctx, args)
        return (None if name == UNNAMED else name), verb, rest
