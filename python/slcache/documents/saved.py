"""Saved results: read, checked, and brought to the present version."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from slcache import files
from slcache.documents import Runs, checks
from slcache.errors import ResultError, about
from slcache.names import few, leaves, shown
from slcache.options import parsing

#: What is written and read.
VERSION = 3
#: What a trace is told by, where runs are compared.
_TRACE = ("sha256", "requests", "reads", "writes", "read_bytes", "write_bytes")


def current(document: object) -> Mapping[str, Any]:
    """Return a result document; raises ResultError, naming the key, unless it is a whole one."""
    if not isinstance(document, Mapping):
        raise ResultError(f"a result document is an object, not {checks.kind(document)}")
    _check_version(document)
    checks.check_values(document, "", 0)
    checks.check_schema(document)
    checks.check_sense(document)
    checks.check_figures(document)
    return document


def current_comparison(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a comparison's document; raises ResultError, naming the key, unless it is whole."""
    for key in ("runs", "normalised"):
        if key not in document:
            raise checks.wrong(key, ": missing")
    runs, normalised = document["runs"], document["normalised"]
    if not isinstance(runs, list) or not runs:
        raise checks.wrong("runs", f" = {checks.short(runs)}: must be a list of result documents")
    raised = [_within(f"runs[{i}]", run, current) for i, run in enumerate(runs)]
    schemes = normalised.get("schemes") if isinstance(normalised, Mapping) else None
    if not isinstance(schemes, Mapping) or len(schemes) != len(runs):
        raise ResultError(f"normalised.schemes: must name the {len(runs)} runs, in their order")
    reference = normalised.get("to")
    if not isinstance(reference, str) or reference not in schemes:
        raise ResultError(
            f"normalised.to = {checks.short(reference)}: must be one of {few(schemes)}"
        )
    if "bounds" in document:
        checks.check_bounds(document["bounds"])
    if "seeds" not in document:
        return {**document, "runs": raised}
    seeds = document["seeds"]
    others = seeds.get("others") if isinstance(seeds, Mapping) else None
    if not isinstance(others, list) or not all(isinstance(other, Mapping) for other in others):
        raise checks.wrong("seeds.others", ": must be a list of comparisons")
    found = [
        _within(f"seeds.others[{i}]", other, current_comparison) for i, other in enumerate(others)
    ]
    return {**document, "runs": raised, "seeds": {**seeds, "others": found}}


def _within(
    place: str, document: Mapping[str, Any], read: Callable[[Any], Mapping[str, Any]]
) -> Mapping[str, Any]:
    """Return a document within another one, whose errors say where it stands."""
    try:
        return read(document)
    except ResultError as error:
        key = f"{place}.{error.key}" if error.key else place
        raise about(ResultError(f"{place}: {error}"), key) from None


def check_comparable(labels: Sequence[str], documents: Sequence[Mapping[str, Any]]) -> None:
    """Raise ResultError, naming the key, where runs are not of one trace."""
    for key in _TRACE:
        first = documents[0]["trace"][key]
        for label, document in zip(labels, documents, strict=True):
            if document["trace"][key] != first:
                told = (
                    f"runs of different traces cannot be compared: trace.{key} is {shown(first)} "
                    f"in {labels[0]} and {shown(document['trace'][key])} in {label}"
                )
                raise about(ResultError(told), f"trace.{key}")


def differences(runs: Runs) -> str | None:
    """Return a sentence where runs differ in more than their schemes, such as in the device."""
    labels, flat = list(runs), list(map(_settings, runs.values()))
    found = [
        (key, place, other[key])
        for place, other in enumerate(flat)
        for key in flat[0].keys() | other.keys()
        if flat[0].get(key) != other.setdefault(key, None)
    ]
    if not found:
        return None
    keys = sorted({key for key, _, _ in found})
    key, place, value = min(found, key=lambda each: each[:2])
    more = f", and {len(keys) - 1} more keys differ" if len(keys) > 1 else ""
    return (
        f"These runs differ in more than their schemes: {key} is {shown(flat[0].get(key))} in "
        f"{labels[0]} and {shown(value)} in {labels[place]}{more}; "
        "their differences may come from that."
    )


def _settings(document: Mapping[str, Any]) -> dict[str, Any]:
    config = document["config"]
    settings = dict(leaves({name: part for name, part in config.items() if name != "scheme"}))
    # Whether a bound is counted changes nothing of the run.
    settings.pop("run.bound", None)
    # Another model is another device: older documents do not tell theirs.
    for key in ("model_version", "reading"):
        settings[f"provenance.{key}"] = document.get("provenance", {}).get(key)
    return settings


#: What verbs print that is no result of a run, by a key that a result has not.
_PRINTED = {
    "asked": "a search, which slcache tune has made",
    "study": "a study, which slcache sweep has run",
    "pattern": "what slcache cliff has measured",
    "states": "a comparison in several states, each of which --state with --out keeps",
}


def _check_version(document: Mapping[str, Any]) -> None:
    for key, what in _PRINTED.items():
        if key in document and "host" not in document:
            raise checks.wrong(key, f": this is {what}, and no result of a run")
    if "schema_version" not in document:
        raise checks.wrong("schema_version", ": missing; is this a result document of slcache?")
    version = document["schema_version"]
    if version != VERSION or isinstance(version, bool):
        older = "; run the trace again" if version in range(1, VERSION) else ""
        raise checks.wrong(
            "schema_version",
            f" = {checks.short(version)}: this slcache reads version {VERSION}{older}",
        )


Path = str | os.PathLike[str]

#: The name of a result's document in a folder of results.
NAME = "result.json"
#: What a folder without a result is, by the first of these files that it has.
_OTHERS = {
    "points.parquet": "a study's table: slcache sweep show {0} tells what it found, and "
    "slcache report {0} draws it",
    "study.toml": "a study that has not ended: slcache sweep {0} goes on with it",
    "ledger.json": "an evaluation: its page is {0}/report.html",
    "cliff.json": "the bandwidth of slcache cliff: its picture is {0}/cliff.svg",
}


def file_of(path: Path) -> pathlib.Path:
    """Return the document's file: the path itself, or `result.json` in a folder."""
    named = pathlib.Path(path)
    return named / NAME if named.is_dir() else named


def read(path: Path) -> dict[str, Any]:
    """Return a checked document, of one run or of a comparison; raises ResultError, OSError."""
    file = file_of(path)
    if not file.exists() and (other := _other(pathlib.Path(path))) is not None:
        raise about(ResultError(other), file=str(file))
    if not file.exists() and (why := files.unfinished(file.parent)):
        raise about(ResultError(f"{file}: is not there yet{why}"), file=str(file))
    try:
        document = parsing.json_file(file)
    except parsing.MalformedError as error:
        raise about(ResultError(str(error)), line=error.line, file=str(file)) from None
    except files.TooLongError as error:
        raise about(ResultError(str(error)), file=str(file)) from None
    try:
        checked = current_comparison if is_comparison(document) else current
        return dict(checked(document))
    except ResultError as error:
        raise about(ResultError(f"{file}: {error}"), error.key, file=str(file)) from None


def _other(folder: pathlib.Path) -> str | None:
    """Return what a folder holds that has no result, where it is something of ours."""
    for name, told in _OTHERS.items():
        if (folder / name).is_file():
            return f"{folder} has no {NAME}; it holds {told.format(folder)}"
    return None


def is_comparison(document: object) -> bool:
    """Return whether a document holds several runs, or claims to."""
    return isinstance(document, Mapping) and "runs" in document


def read_by(document: Mapping[str, Any]) -> Iterator[Path]:
    """Yield the files that the runs of a checked document have read."""
    for run in document.get("runs", [document]):
        yield from files.inputs(run["trace"]["path"])
        memory = run["provenance"].get("memory_in")
        if memory is not None:
            yield memory["file"]
        own = (run["config"].get("scheme") or {}).get("custom") or {}
        if (place := str(own.get("source")).rpartition(":")[0]).endswith(".py"):
            yield place


def named(document: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return a comparison's runs by what they are called there."""
    return dict(zip(document["normalised"]["schemes"], document["runs"], strict=True))
