"""What there is of devices, schemes and formats, what goes together, and with which settings."""

from __future__ import annotations

import functools
import itertools
import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from slcache import _core, names
from slcache.code import OWN, parts
from slcache.errors import ConfigError, UsageError, about, one_line
from slcache.files import Path
from slcache.names import few
from slcache.options import checked, content
from slcache.options.content import (
    Content,
    Settings,
    checked_seed,
    device_of,
    flatten,
    one_name,
    unique,
)
from slcache.sentences import notes

#: Writes outstanding at which peaks are held, as many as `cliff` has.
_OUTSTANDING = 32


@checked
def schemes(*, device: Content | None = None) -> list[dict[str, Any]]:
    """Return the catalogue of schemes.

    With a device, knobs have the values that they may have there, `steps` or a `ladder`, and the
    `value` at which they stand; a scheme that the device cannot run has a `problem` instead.
    """
    entries: list[dict[str, Any]] = json.loads(_schemes())
    if device is None:
        return entries
    fit, problems = fitting(device=device)
    for entry in entries:
        name = entry["name"]
        if name in fit:
            entry["knobs"] = json.loads(_core.knobs(engine_run(device, name)))
        else:
            entry["problem"] = problems[name]
    return entries


@functools.cache
def _schemes() -> str:
    """Return the text of the catalogue, which takes as long as a command's other work."""
    return _core.schemes()


def devices() -> list[dict[str, Any]]:
    """Return the catalogue of device presets."""
    return list(json.loads(_core.devices()))


@checked
def device_facts(device: Path) -> dict[str, Any]:
    """Return what can be told of a preset or device file before anything runs on it.

    Sizes, over-provisioning, latencies of a single request, peak bandwidths, what each scheme's
    cache takes by default, at least and at most, and warnings; `slcache devices show` prints it.
    """
    facts = dict(json.loads(_core.device_facts(os.fspath(device))))
    runs = [each["scheme"] for each in facts["schemes"] if "problem" not in each]
    if runs:
        told = notes.missed_peaks(resolve(device=device, scheme=runs[0]), _OUTSTANDING)
        facts["warnings"] += [] if told is None else [f"without [buffer] {told}"]
    return facts


def formats() -> list[dict[str, Any]]:
    """Return the catalogue of trace formats, with what is read, written and lost."""
    return list(json.loads(_core.trace_formats()))


@checked
def resolve(
    *,
    device: Content | None = None,
    scheme: str | None = None,
    settings: Settings | None = None,
    replay: str | None = None,
    seed: int | None = None,
) -> dict[str, Any]:
    """Return the complete configuration that would run; raises ConfigError with all problems."""
    device, own, said = content.unpack(device, settings)
    chosen = scheme or own
    if chosen is None:
        raise content.missing("scheme")
    return dict(
        json.loads(_core.resolve(engine_run(device, chosen, said, replay=replay, seed=seed)))
    )


def engine_run(
    device: Content,
    scheme: str,
    settings: Mapping[str, Any] | None = None,
    *,
    replay: str | None = None,
    seed: int | None = None,
) -> content.EngineRun:
    """Return what is run as the engine takes it; a scheme may have settings in its name."""
    name, said = variant(scheme, settings)
    return {
        "device": device_of(device),
        "scheme": name,
        "sets": sets(said),
        "seed": None if seed is None else checked_seed(seed),
        "replay": replay,
    }


def sets(settings: Mapping[str, Any] | None) -> list[str]:
    """Return the settings as the engine takes them."""
    return [content.setting_text(key, value) for key, value in flat(settings).items()]


def flat(settings: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return settings, dotted or nested, by their dotted names; no name may come twice."""
    return unique(flatten(settings or {}))


@checked
def fitting(
    *, device: Content, settings: Mapping[str, Any] | None = None
) -> tuple[list[str], dict[str, str]]:
    """Return the schemes that a device can run, and the reason for each that it cannot.

    A scheme that only these settings keep from running is a ConfigError, as are settings that
    no scheme takes: what is wrong with them must not look like a property of the device.
    """
    said = flat(settings)
    known = [str(entry["name"]) for entry in schemes()]
    fit: list[str] = []
    refused: dict[str, ConfigError] = {}
    for name in known:
        own = settings_for(said, name, known)
        problem = _problem(device, name, own)
        if problem is None:
            fit.append(name)
        elif own and _problem(device, name, {}) is None:
            raise problem
        else:
            refused[name] = problem
    problems = {name: one_line(problem) for name, problem in refused.items()}
    if not fit:
        alike = len(set(problems.values())) == 1
        first = next(iter(refused.values()))
        lines = [f"{', '.join(names)}: {reason}" for names, reason in notes.grouped(problems)]
        raise first if alike else ConfigError("\n".join(lines))
    return fit, problems


def _problem(device: Content, scheme: str, settings: Mapping[str, Any]) -> ConfigError | None:
    """Return why a scheme cannot run, or None."""
    try:
        resolve(device=device, scheme=scheme, settings=settings)
    except ConfigError as error:
        return error
    return None


def settings_for(
    settings: Mapping[str, Any], scheme: str, schemes: Sequence[str]
) -> dict[str, Any]:
    """Return the settings meant for one of several compared schemes, and above them its own."""
    others = set(itertools.chain.from_iterable(map(sections, schemes))) - sections(scheme)
    front = tuple(f"scheme.{other}." for other in others)
    meant = {key: value for key, value in settings.items() if not key.startswith(front)}
    return variant(scheme, meant)[1]


def variant(scheme: str, settings: Mapping[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
    """Return the scheme that `NAME:KEY=VALUE` means, and above the settings those it names.

    There may be several, as in `client:dynamic.share=0.5:slc_blocks=8`. A key outside the sections
    of the configuration is the scheme's.
    """
    name, *said = OWN.split(scheme)
    below = flat(settings)
    if not said:
        return scheme, below
    section = of_catalogue(name)
    own = [(key, value) for key, _, value in (text.partition("=") for text in said)]
    above = unique((one_name(key, section), value) for key, value in own)
    return name, {k: v for k, v in below.items() if one_name(k, section) not in above} | dict(own)


def known_by(settings: Mapping[str, Any]) -> str:
    """Return what of a point's settings knew the trace, as no device can; empty of others."""
    scheme = str(settings["scheme"])
    name, own = variant(scheme)
    if name in _ahead():
        return scheme
    for keys in (own, settings):
        for key, rule in keys.items():
            if key.rpartition(".")[2] == "separation" and str(rule).startswith("oracle"):
                return scheme if keys is own else f"{key}={rule}"
    return ""


@functools.cache
def _ahead() -> frozenset[str]:
    return frozenset(str(entry["name"]) for entry in schemes() if entry.get("looks_ahead"))


def sections(scheme: str) -> set[str]:
    """Return the sections of a scheme's settings: one's own has that of its class, too."""
    name, _ = variant(scheme)
    return {of_catalogue(name), names.of_source(name)}


def of_catalogue(scheme: str) -> str:
    """Return a scheme as settings know it: without alias, `custom` for a source."""
    name, _ = variant(scheme)
    return "custom" if ":" in name else canonical().get(name, name)


@functools.cache
def canonical() -> dict[str, str]:
    """Return the schemes by their aliases: settings know them by one name."""
    return {alias["name"]: entry["name"] for entry in schemes() for alias in entry["aliases"]}


@functools.cache
def modes() -> dict[str, str]:
    """Return the aliases for a cell mode: on a device without denser cells they are the scheme."""
    every = ((entry["name"], alias) for entry in schemes() for alias in entry["aliases"])
    return {alias["name"]: name for name, alias in every if alias["set"].startswith("mode=")}


def named_schemes(
    schemes: Sequence[str] | str, *, device: Content, settings: Mapping[str, Any] | None = None
) -> tuple[list[str], dict[str, str]]:
    """Return the schemes that a list, names with commas or `all` mean, and those left out of all.

    Those left out are there with the reason. A name that is empty among others is a UsageError.
    """
    names = parts(schemes) if isinstance(schemes, str) else [name.strip() for name in schemes]
    if "" in names and any(names):
        raise about(UsageError(f"schemes = {schemes!r}: a name is empty"), "schemes")
    names = list(filter(None, names))
    return rivals(device=device, settings=settings) if names == ["all"] else (names, {})


def rivals(
    *, device: Content, settings: Mapping[str, Any] | None = None
) -> tuple[list[str], dict[str, str]]:
    """Return the schemes of `fitting` that a device can be, and somebody proposed."""
    fit, problems = fitting(device=device, settings=settings)
    # `custom` without a class is no scheme that anyone proposed.
    return [name for name in fit if name not in _ahead() | {"custom"}], problems


def labels_of(
    schemes: Sequence[str],
    *,
    device: Content,
    settings: Mapping[str, Any],
    replay: str | None = None,
    seed: int | None = None,
) -> dict[str, str]:
    """Return what results will call each of several schemes; two of one name are a ConfigError."""
    labelled = {}
    for name in schemes:
        own = settings_for(settings, name, schemes)
        try:
            config = resolve(device=device, scheme=name, settings=own, replay=replay, seed=seed)
        except ConfigError as error:
            # What is wrong with a setting, or is no scheme at all, is wrong on every device.
            plain = _problem(device, variant(name)[0], {})
            if len(schemes) > 1 and plain is not None and plain.key != "scheme":
                fit = ", ".join(fitting(device=device)[0])
                told = f"{name} does not run on this device: {one_line(error)}; these do: {fit}"
                raise about(ConfigError(told), error.key, file=error.file) from error
            _, *said = OWN.split(name)
            if not said:
                raise
            told = str(error)
            for text in said:
                told = told.replace(f"settings {text}: ", f"{name}: ")
            raise about(ConfigError(told), error.key, file=error.file) from error
        alone = variant(name)[0]
        # An alias is a setting, which the configuration does not name.
        called = alone if alone in canonical() else names.of_scheme(config)
        labelled[name] = called + name.removeprefix(alone)
    unique(((label, name) for name, label in labelled.items()), "scheme ")
    return labelled


def check_schemes(schemes: Sequence[str]) -> None:
    """Raise ValueError unless there are schemes and they are distinct."""
    if not schemes:
        raise about(UsageError("no scheme to compare"), "schemes")
    twice = sorted(name for name, count in Counter(schemes).items() if count > 1)
    if twice:
        raise about(UsageError(f"scheme named twice: {few(twice)}"), "schemes")


def remembering(names: Sequence[str]) -> list[str]:
    """Return those of several schemes that have a memory; a ConfigError where none has."""
    known = [entry["name"] for entry in schemes() if entry["memory_version"] is not None]
    found = [name for name in names if of_catalogue(name) in known]
    if not found:
        told = f"none of the schemes {few(names)} has a memory; schemes with one: "
        raise about(ConfigError(told + ", ".join(known)), "memory_in")
    return found
