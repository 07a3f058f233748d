"""What a shell offers when a name is half typed: devices, schemes, formats and keys."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from cyclopts import Parameter

from slcache import catalogue
from slcache.cli.streams import results

Offered = list[tuple[str, str]]


Shell = Literal["bash", "zsh", "fish", "powershell"]


def show(shell: Annotated[Shell, Parameter(help="The shell.")], /) -> None:
    """Print the script that completes names in a shell."""
    results().write(_script(shell))


def install() -> None:
    """Have the shell that is used complete names."""
    from cyclopts.completion import detect_shell
    from cyclopts.completion.install import add_to_rc_file, get_default_completion_path

    shell = detect_shell()
    place = get_default_completion_path(shell, "slcache")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(_script(shell), encoding="utf-8")
    if shell != "fish":
        add_to_rc_file(place, "slcache", shell)
    results().write(f"written: {place}; a new shell reads it\n")


def _script(shell: Shell) -> str:
    from slcache.cli import verbs

    script = verbs.app().generate_completion(shell=shell)
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
    return _fitting(incomplete, ((f"{name}=", _first(key.text)) for name, key in plain))


def key(incomplete: str) -> Offered:
    """Offer the keys that can be explained."""
    from slcache import explain

    entries = ((entry.key.name, _first(entry.key.text)) for entry in explain.entries())
    return _fitting(incomplete, entries)


def _schemes() -> Iterator[tuple[str, str]]:
    for entry in catalogue.schemes():
        yield entry["name"], entry["summary"]
        for alias in entry["aliases"]:
            yield alias["name"], f"{entry['name']} with {alias['set']}"


def _fitting(incomplete: str, known: Iterable[tuple[str, str]]) -> Offered:
    return [(name, text) for name, text in known if name.startswith(incomplete)]


def _first(text: str) -> str:
    return text.partition("\n")[0]
