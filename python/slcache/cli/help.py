"""What is told of a verb: by --help to a reader, and to a shell that completes words."""

from __future__ import annotations

import glob
import inspect
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Literal, get_args

from cyclopts import Group, Parameter

from slcache import catalogue
from slcache.cli import stdout
from slcache.options import OTHER_WORDS

if TYPE_CHECKING:
    from cyclopts import App, Argument


#: Columns in front of what an option is, and of a page at least and at most.
_INDENT, _LEAST, _MOST = 24, 40, 100
#: A row of a list: names with what stands for a value, and what it is.
Row = tuple[str, str]


def page(path: str, app: App) -> str:
    """Return the page of a verb, or of a group of them."""
    every = arguments(app)
    parts = [f"Usage: {_usage(path, app, every)}", *_paragraphs(app.help)]
    lists = [("Arguments", [row(each) for each in every if not each.name.startswith("-")])]
    lists += [("Options", [row(each) for each in every if each.name.startswith("-")])]
    lists += _verbs(app)
    parts += [_listed(title, rows) for title, rows in lists if rows]
    return "\n\n".join(parts) + "\n"


def _usage(path: str, app: App, every: Sequence[Argument]) -> str:
    """Return how a verb is called that takes `every` argument."""
    if app.default_command is None:
        return f"{path} VERB"
    words = [name(each) for each in every if not each.name.startswith("-")]
    needed = [each for each in every if each.name.startswith("-") and each.required]
    return " ".join([path, *words, *(f"{each.name} {value(each)}" for each in needed), "[OPTIONS]"])


def arguments(app: App) -> list[Argument]:
    """Return what a verb takes, in the order in which it is told."""
    if app.default_command is None:
        return []
    return [each for each in app.assemble_argument_collection() if each.show]


def name(argument: Argument) -> str:
    """Return what an option is called, or what stands for an argument."""
    return argument.name if argument.name.startswith("-") else value(argument)


def value(argument: Argument) -> str:
    """Return what stands for an option's value; nothing for one that is there or not."""
    if argument.parameter.metavar is not None:
        return str(argument.parameter.metavar)
    kinds = [argument.hint, *get_args(argument.hint)]
    words = [word for kind in kinds for word in get_args(kind) if isinstance(word, str)]
    return "|".join(dict.fromkeys(words))


def row(argument: Argument) -> Row:
    """Return the names of an option with what stands for its value, and what it is."""
    if not argument.name.startswith("-"):
        return value(argument), argument.parameter.help or ""
    own = argument.name
    others = [each for each in argument.names if OTHER_WORDS.get(each[2:]) != own[2:]]
    names = sorted(dict.fromkeys([own, *others]), key=len)
    return " ".join([", ".join(names), value(argument)]).rstrip(), argument.parameter.help or ""


def _verbs(app: App) -> Iterator[tuple[str, list[Row]]]:
    """Yield the verbs of a group, under what they are for."""
    groups: dict[str, list[Row]] = {}
    for verb in app:
        if not verb.startswith("-"):
            found = app[verb].group
            every = found if isinstance(found, tuple) else (found,)
            of = [g.name for g in every if isinstance(g, Group) and g.name != "Commands"]
            row = verb, _paragraphs(app[verb].help)[0]
            groups.setdefault(of[0] if of else "Verbs", []).append(row)
    yield from groups.items()


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text in the page's width; those with examples as they are."""
    parts = re.split(r"\n\s*\n", inspect.cleandoc(text))
    return [part if part.startswith("Example") else _filled(part) for part in parts]


def _filled(text: str, indent: int = 0) -> str:
    columns, margin = min(max(shutil.get_terminal_size().columns, _LEAST), _MOST), " " * indent
    return textwrap.fill(
        " ".join(text.split()),
        columns,
        initial_indent=margin,
        subsequent_indent=margin,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _listed(title: str, rows: Iterable[Row]) -> str:
    """Return a list of rows, the text beside the name where the name is short."""
    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ
    lines = [title if plain else f"\x1b[1m{title}\x1b[0m"]
    for names, told in rows:
        text = _filled(told, _INDENT)
        if len(names) + 4 <= _INDENT:
            text = f"  {names}".ljust(_INDENT) + text[_INDENT:]
            lines.append(text.rstrip())
        else:
            lines += [f"  {names}", text] if told else [f"  {names}"]
    return "\n".join(lines)


#: Names that a shell offers, with what they are.
Offered = list[Row]
Shell = Literal["bash", "zsh", "fish", "powershell"]


def show_completion(shell: Annotated[Shell, Parameter(help="The shell.")], /) -> None:
    """Print the script that completes names in a shell."""
    stdout().write(_script(shell))


def install_completion() -> None:
    """Have the shell that is used complete names."""
    from cyclopts.completion import detect_shell
    from cyclopts.completion.install import add_to_rc_file, get_default_completion_path

    shell = detect_shell()
    place = get_default_completion_path(shell, "slcache")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(_script(shell), encoding="utf-8")
    if shell != "fish":
        add_to_rc_file(place, "slcache", shell)
    stdout().write(f"written: {place}; a new shell reads it\n")


def _script(shell: Shell) -> str:
    from slcache.cli import app

    script = app.command_line().generate_completion(shell=shell)
    # A folder is followed by what is in it, not by a blank.
    return script.replace("complete -F _slcache", "complete -o filenames -F _slcache")


def devices(incomplete: str) -> Offered:
    """Offer the device presets; where none fits, files."""
    presets = ((entry["name"], entry["summary"]) for entry in catalogue.devices())
    return _fitting(incomplete, presets) or _files(incomplete)


def workloads(incomplete: str) -> Offered:
    """Offer files and the workload presets."""
    from slcache import trace as traces

    presets = ((entry["name"], entry["about"]) for entry in traces.workloads(described=False))
    return _files(incomplete) + _fitting(incomplete, presets)


def _files(incomplete: str) -> Offered:
    found = sorted(glob.glob(glob.escape(incomplete) + "*"))  # noqa: PTH207
    return [(f"{name}/" if os.path.isdir(name) else name, "") for name in found]  # noqa: PTH112


def scheme(incomplete: str) -> Offered:
    """Offer the schemes, with those that are other names."""
    return _fitting(incomplete, _schemes())


def schemes(incomplete: str) -> Offered:
    """Offer the schemes for the last name of a list, and `all` for the first."""
    front, comma, last = incomplete.rpartition(",")
    known = _schemes() if comma else [*_schemes(), ("all", "every scheme that the device can run")]
    given = set(front.split(","))
    return [
        (f"{front}{comma}{name}", text) for name, text in _fitting(last, known) if name not in given
    ]


def formats(incomplete: str) -> Offered:
    """Offer the trace formats."""
    return _fitting(incomplete, ((entry["name"], "") for entry in catalogue.formats()))


def settings(incomplete: str) -> Offered:
    """Offer the keys of the configuration, and behind `=` the words that a key may be."""
    from slcache.documents import schemata

    known = schemata.config_keys()
    name, equals, value = incomplete.partition("=")
    if equals:
        key = known.get(name.replace("[0]", "[]"))
        words = key.allowed if key is not None else ()
        return [
            (f"{name}={word}", text) for word, text in _fitting(value, words) if " " not in word
        ]
    plain = ((key.name.replace("[]", "[0]"), key) for key in known.values() if not key.section)
    return _fitting(incomplete, ((f"{name}=", _first_line(key.text)) for name, key in plain))


def key(incomplete: str) -> Offered:
    """Offer the keys that can be explained."""
    from slcache import explain

    entries = ((entry.key.name, _first_line(entry.key.text)) for entry in explain.entries())
    return _fitting(incomplete, entries)


def _schemes() -> Iterator[tuple[str, str]]:
    for entry in catalogue.schemes():
        yield entry["name"], entry["summary"]
        for alias in entry["aliases"]:
            yield alias["name"], f"{entry['name']} with {alias['set']}"


def _fitting(incomplete: str, known: Iterable[tuple[str, str]]) -> Offered:
    return [(name, text) for name, text in known if name.startswith(incomplete)]


def _first_line(text: str) -> str:
    return text.partition("\n")[0]
