"""Result documents in files: read and checked, with errors that name the file and the key."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterator, Mapping
from typing import Any

from slcache import bounded, files
from slcache.documents import agreement
from slcache.documents.contract import current, current_comparison
from slcache.errors import ResultError, about
from slcache.given import parsing

Path = str | os.PathLike[str]

#: The name of a result's document in a folder of results.
NAME = "result.json"
#: What a folder without a result is, by the first of these files that it has.
_OTHERS = {
    "points.parquet": "a study's table: slcache sweep show {0} tells what it found, and "
    "slcache report {0} draws it",
    "study.toml": "a study that has not ended: slcache sweep {0} goes on with it",
    "ledger.json": "an evaluation: its page is {0}/report.html",
    "cliff.json": "the bursts of slcache cliff: its picture is {0}/cliff.svg",
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
    except bounded.TooLongError as error:
        raise about(ResultError(str(error)), file=str(file)) from None
    try:
        checked = current_comparison if is_comparison(document) else current
        whole = dict(checked(document))
        agreement.check(whole)
    except ResultError as error:
        raise about(ResultError(f"{file}: {error}"), error.key, file=str(file)) from None
    return whole


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
