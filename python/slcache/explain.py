"""What a key of the configuration or of a result means, and the names of figures."""

from __future__ import annotations

import contextlib
import difflib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from slcache import _core, catalogue, kinds, metrics
from slcache.documents import schemata
from slcache.documents.schemata import Key
from slcache.files import Path
from slcache.metrics import METRICS, PARTS
from slcache.names import few
from slcache.options.parsing import counts_blocks

#: Values that any list has at most: windows of a series.
PLACES = 65_536
#: How a size is meant at keys of schemes that count SLC blocks per plane.
_SIZED = "Or a size, such as 8GiB: what the blocks of all planes hold in SLC mode."
#: How like a key has to be to be suggested.
_ALIKE = 0.85
#: Names that vary in a result, and what each means.
_WORDS = (
    ("waf.by_cause.", kinds.CAUSES),
    (".attribution_us.wait.", kinds.WAITS),
    (".attribution_us.service.", kinds.SERVICES),
    ("disk.series.states.", kinds.POWER),
)


@dataclass(frozen=True)
class Entry:
    """A key with what it belongs to: `configuration`, `result` or `metric`."""

    of: str
    key: Key
    #: Where the key's meaning was published, if it is a scheme's.
    paper: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        key = self.key
        return {
            "of": self.of,
            "key": key.name,
            "text": key.text,
            "type": key.type,
            "unit": key.unit,
            "allowed": [{"value": value, "text": text} for value, text in key.allowed],
            "default": key.default,
            "paper": self.paper,
            "no_effect": self.no_effect(),
        }

    def no_effect(self) -> str:
        """Return why a key does nothing while a scheme's others are as by default, if so."""
        _, _, rest = self.key.name.partition("scheme.")
        scheme = rest.partition(".")[0]
        if self.of != "configuration" or not scheme or self.key.default in ("", None):
            return ""
        for device in catalogue.devices():
            given = {self.key.name: self.key.default}
            try:
                catalogue.resolve(device=device["name"], scheme=scheme, settings=given)
            except _core.ConfigError as error:
                _, found, why = str(error).partition("has no effect: ")
                if found:
                    return why.partition("\n")[0]
            else:
                return ""
        return ""


@cache
def entries() -> tuple[Entry, ...]:
    """Return every key there is, in the order of configuration, result and metrics."""
    papers = {entry["name"]: entry.get("paper") or "" for entry in catalogue.schemes()}
    config = (Entry("configuration", key, _paper(key.name, papers)) for key in _config())
    known = METRICS | PARTS
    units = {f"figures.{name}": m.unit for name, m in known.items()}
    result = (
        Entry("result", replace(key, unit=units.get(key.name, key.unit)))
        for key in schemata.result_keys().values()
    )
    metrics = (
        Entry("metric", Key(m.name, m.summary, "whole number" if m.whole else "number", m.unit))
        for m in known.values()
    )
    return (*config, *result, *metrics)


def _config() -> Iterator[Key]:
    # A choice that a policy has is told where the policy is; its own figure has no other words.
    for key in schemata.config_keys().values():
        inner = key.name.rpartition(".")[2]
        text = key.text or f"The choice {inner} with its figures."
        is_sized = counts_blocks(inner) and key.name.startswith("scheme.")
        yield replace(key, text=f"{text}\n{_SIZED}" if is_sized else text)


def _paper(key: str, papers: dict[str, str]) -> str:
    steps = key.split(".")
    return papers.get(steps[1], "") if steps[0] == "scheme" and len(steps) > 1 else ""


def find(wanted: str) -> list[Entry]:
    """Return what a key names: one entry, or all keys that end like it.

    `pool[0]`, `pool[]` and `pool` are the same (some shells take brackets for patterns), and so are
    `config.device` and `device`. Raises ValueError, with what comes near, where there is no such
    key.
    """
    plain = re.sub(r"\[\d*\]", "[]", wanted.strip())
    of_config = plain.removeprefix("config.")
    known = [each for each in entries() if of_config == plain or each.of == "configuration"]
    found = _whole(known, of_config)
    if not found and of_config == plain:
        found = [entry for entry in known if entry.key.name.endswith(f".{plain}")]
    if not found:
        with contextlib.suppress(ValueError):
            # A metric's name may come without its unit.
            name = metrics.metric_of(plain).name
            found = [entry for entry in known if (entry.of, entry.key.name) == ("metric", name)]
    if not found or "*" in plain:
        of_result = of_config != plain and bool(_whole(entries(), of_config))
        near = f"; did you mean {of_config}?" if of_result else _near(of_config, known)
        raise ValueError(f"{wanted!r} is no key{near}")
    _check_places(wanted, found[0].key.name)
    return found


def _whole(known: Sequence[Entry], plain: str) -> list[Entry]:
    """Return the entries that a name is of: configuration and results share a few."""
    whole = [entry for entry in known if entry.key.name == plain]
    whole = whole or [entry for entry in known if entry.key.name.replace("[]", "") == plain]
    whole = whole or [_named(entry, plain) for entry in known if _varies(entry, plain)]
    if whole:
        return whole
    # A place in a list of values has no key of its own.
    listed = re.sub(r"(\[\])+$", "", plain)
    of_list = [entry for entry in known if entry.key.name == listed != plain]
    return [entry for entry in of_list if entry.key.type.startswith("list")]


def _check_places(wanted: str, name: str) -> None:
    """Raise ValueError for a place that no list of a key has."""
    known = name.split(".")
    for end, step in enumerate(reversed(wanted.strip().split("."))):
        listed = ".".join(known[: len(known) - end]).removesuffix("[]")
        most = next((e.key.most for e in entries() if e.key.name == listed), None) or PLACES
        for place in re.findall(r"\[(\d+)\]", step):
            if int(place) >= most:
                told = f"{listed} has no [{place}]; the last that may be is [{most - 1}]"
                raise ValueError(f"{wanted!r} is no key: {told}")


def below(name: str, of: str) -> list[Entry]:
    """Return the keys directly below a section."""
    pattern = re.compile(re.escape(name) + r"(\[\])?\.[^.]+")
    return [entry for entry in entries() if entry.of == of and pattern.fullmatch(entry.key.name)]


def sections() -> list[Entry]:
    """Return the first level of the configuration and of a result."""
    return [entry for entry in entries() if "." not in entry.key.name and entry.of != "metric"]


def _varies(entry: Entry, wanted: str) -> bool:
    """Return whether a name is one of those that vary; those of a set are no others."""
    front, star, behind = entry.key.name.partition(".*")
    if not star or not wanted.startswith(f"{front}.") or not wanted.endswith(behind):
        return False
    word = wanted[len(front) + 1 : len(wanted) - len(behind)]
    names = _names(front)
    if names:
        return word in names
    # Options of a trace's reader have sections.
    more = r"(\.\w[\w-]*)*" if entry.of == "result" else ""
    return re.fullmatch(rf"\w[\w-]*{more}", word) is not None


def _names(section: str) -> tuple[str, ...]:
    """Return what the keys of a section may be called, where they vary within a set."""
    return next((entry.key.names for entry in entries() if entry.key.name == section), ())


def _named(entry: Entry, name: str) -> Entry:
    """Return an entry of names that vary for one of them, with what that name means."""
    word = name.rpartition(".")[2]
    table = next((table for place, table in _WORDS if place in f".{name}"), {})
    more = f" Here: {kinds.words(table, word)}." if word in table else ""
    return replace(entry, key=replace(entry.key, name=name, text=entry.key.text + more))


def _near(wanted: str, known: Sequence[Entry]) -> str:
    """Return `; did you mean ...?` for keys close to what was asked for, whole or in their end.

    Where none is, what the section has that was asked for.
    """
    names = [each for entry in known for each in spelt(entry.key.name)]
    last = {name.rpartition(".")[2]: name for name in reversed(names)}
    ends = difflib.get_close_matches(wanted.rpartition(".")[2], last, n=2, cutoff=_ALIKE)
    close = difflib.get_close_matches(wanted, names, cutoff=_ALIKE)
    found = list(dict.fromkeys([*close, *(last[end] for end in ends)]))[:3]
    if found:
        return f"; did you mean {' or '.join(found)}?"
    front = wanted.rpartition(".")[0]
    while front:
        inner = [name[len(front) + 1 :] for name in names if name.startswith(f"{front}.")]
        if inner:
            return f"; {front} has {few(dict.fromkeys(name.partition('.')[0] for name in inner))}"
        front = front.rpartition(".")[0]
    return "; slcache explain lists sections"


def spelt(name: str) -> list[str]:
    """Return a key with each of the names that vary in it, none where any may be there."""
    front, star, behind = name.partition(".*")
    return [f"{front}.{each}{behind}" for each in _names(front)] if star else [name]


@dataclass(frozen=True)
class Standing:
    """What a key stands at on a device."""

    key: str
    value: Any
    #: File and line where the device says it, and that line; empty for a default.
    where: str
    line: str
    #: The scheme whose key it is, and why it does not run there, if so.
    scheme: str = ""
    problem: str = ""


def standing(entry: Entry, device: Path, wanted: str) -> Standing | None:
    """Return what a key, as it was asked for, stands at on a device; None if not of configuration.

    Keys of a scheme stand as that scheme has them there, which may not run on the device; others as
    every scheme has them. Raises ValueError where a list has no such place.
    """
    if entry.of != "configuration":
        return None
    name = _placed(entry.key.name, wanted)
    steps = name.split(".")
    own = steps[1] if steps[0] == "scheme" and len(steps) > 1 else ""
    every = [own] if own else [str(entry["name"]) for entry in catalogue.schemes()]
    config = _resolved(device, every)
    if config is None:
        # Raises where no scheme fits: then it is the device that is wrong.
        _, problems = catalogue.fitting(device=device)
        return Standing(name, None, "", "", own, problems[own])
    try:
        value = _value(config, name)
    except KeyError:
        return None
    except ValueError:
        # A list that has nothing here is wrong where its place was asked for.
        if "[" in wanted:
            raise
        return None
    where, line = _core.device_line(os.fspath(device), name) or ("", "")
    return Standing(name, value, where, line)


def _resolved(device: Path, schemes: Sequence[str]) -> dict[str, Any] | None:
    """Return the configuration of the first of some schemes that fits a device, if one does."""
    for scheme in schemes:
        with contextlib.suppress(_core.ConfigError):
            return catalogue.resolve(device=device, scheme=scheme)
    return None


def _placed(name: str, wanted: str) -> str:
    """Return a key with the places in lists that were asked for, the first where none was."""
    steps, said = name.split("."), wanted.strip().split(".")
    for at in range(1, len(steps) + 1):
        asked = re.search(r"(\[\d+\])+$", said[-at]) if at <= len(said) else None
        bare = steps[-at].removesuffix("[]")
        steps[-at] = bare + (asked[0] if asked else "[0]" if bare != steps[-at] else "")
    return ".".join(steps)


def _value(config: Any, name: str) -> Any:  # noqa: ANN401
    """Return what a key stands at; KeyError for sections, and where there is no such key."""
    for key, places in re.findall(r"([^.\[]+)((?:\[\d+\])*)", name):
        config = config[key] if isinstance(config, Mapping) else {}[key]
        for place in map(int, re.findall(r"\d+", places)):
            if not isinstance(config, list) or place >= len(config):
                count = len(config) if isinstance(config, list) else 0
                raise ValueError(f"{name}: {key} has no [{place}]; it has {count}, from [0] on")
            config = config[place]
    parts = config[:1] if isinstance(config, list) else []
    if any(isinstance(each, Mapping) for each in (config, *parts)):
        raise KeyError(name)
    return config
