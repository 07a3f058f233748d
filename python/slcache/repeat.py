"""A saved run repeated from what its result holds, and the new result held against the old."""

from __future__ import annotations

import hashlib
import os
import pathlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from slcache import _core, names, simulation
from slcache.code import names_of
from slcache.documents import Document
from slcache.documents.saved import file_of
from slcache.errors import ConfigError, ResultError, TraceError, UsageError, about
from slcache.execute import with_title
from slcache.files import Path
from slcache.names import few
from slcache.options import checked
from slcache.options.content import Content, is_workload
from slcache.results import Comparison, Result, differences
from slcache.results.differences import Difference, load
from slcache.results.seeded import SeededComparison
from slcache.trace import Progress

#: What results call a workload that is in no file.
_OF_DICT = "workload.toml"


@dataclass(frozen=True)
class Rerun:
    """What a repeated run gave, beside what it was expected to give."""

    result: Result | Comparison
    difference: Difference
    #: What was known to be different before the run, in sentences.
    notes: list[str]

    @property
    def equal(self) -> bool:
        """Whether the result is the same."""
        return self.difference.equal


@checked
def rerun(
    saved: Path | Result | Comparison,
    *,
    trace: Content | None = None,
    scheme: str | None = None,
    on_note: Callable[[str], None] | None = None,
    on_progress: Progress | None = None,
) -> Rerun:
    """Repeat a run, a comparison or some runs of it (`scheme`) from what the result holds.

    The configuration, the trace with the options it was read with, the seed and the memory that the
    scheme began with are those of the result. A class of Python is loaded where `scheme` names it,
    if it has the checksum of the result. `trace` says where the trace is now, or is the workload
    that was given as a dict. `on_note` hears, before the run, where the trace or the program
    differ. A run that began with a saved state is repeated by preconditioning, which led to that
    state. What cannot be repeated from a result, an episode in which knobs were turned, is a
    ResultError.
    """
    old = _chosen(saved if isinstance(saved, Result | Comparison) else load(saved), scheme)
    notes: list[str] = []
    parts = old.parts if isinstance(old, SeededComparison) else [old]
    documents = (document for part in parts for document in part.documents)
    for note in dict.fromkeys(note for d in documents for note in _notes(d, trace)):
        notes.append(note)
        if on_note is not None:
            on_note(note)
    try:
        # The classes that are named, by what results call their runs.
        sources = {names.of_source(name): name for name in names_of(scheme or "") if ":" in name}
        every = [_again(part, trace, sources, on_progress) for part in parts]
    except (ConfigError, UsageError) as error:
        # Only an edited document holds a configuration that cannot run, or is not whole.
        if isinstance(saved, Result | Comparison):
            raise
        told = ConfigError(f"{file_of(saved)}: config: {error}")
        raise about(told, error.key, file=str(file_of(saved))) from None
    compared = [each for each in every if isinstance(each, Comparison)]
    new = SeededComparison(compared) if len(compared) > 1 else every[0]
    return Rerun(new, differences.diff(old, new), notes)


def _again(
    old: Result | Comparison,
    trace: Content | None,
    sources: Mapping[str, str],
    progress: Progress | None,
) -> Result | Comparison:
    """Repeat a run, or the runs of a comparison of one seed."""
    runs = [
        _repeated(label, document, trace, sources, with_title(label, progress))
        for label, document in zip(old.labels, old.documents, strict=True)
    ]
    return Comparison(runs, old.reference, old.bounds) if isinstance(old, Comparison) else runs[0]


def _chosen(old: Result | Comparison, scheme: str | None) -> Result | Comparison:
    """Return the runs that are named, by what they are called or by their class."""
    # A run alone is called by its scheme, whatever it is.
    alone = [names.of_scheme(document["config"]) for document in old.documents[:1]]
    called = old.labels if isinstance(old, Comparison) else alone
    wanted = [name if name in called else names.of_source(name) for name in names_of(scheme or "")]
    if scheme is None or set(wanted) == set(called):
        return old
    if isinstance(old, SeededComparison):
        told = f"the comparison has {len(old.seeds)} seeds, and a run of one scheme one; repeat all"
        raise about(ResultError(f"{told}: {','.join(called)}"), "scheme")
    runs = dict(zip(called, old.runs if isinstance(old, Comparison) else [old], strict=True))
    lacking = [name for name in wanted if name not in runs]
    if lacking:
        told = f"the result has no run of {lacking[0]!r}; it has {few(runs)}"
        raise about(ResultError(told), "scheme")
    chosen = [runs[name] for name in wanted]
    if len(chosen) == 1:
        return chosen[0]
    assert isinstance(old, Comparison)
    return Comparison(chosen, old.reference if old.reference in wanted else None, old.bounds)


def _repeated(
    label: str,
    document: Document,
    trace: Content | None,
    sources: Mapping[str, str],
    progress: Progress | None,
) -> Result:
    memory = document["provenance"].get("memory_in")
    run = simulation.run(
        _place(document, trace),
        scheme=sources.get(names.of_scheme(document["config"])),
        settings=document["config"],
        trace_options=dict(document["trace"]["options"]),
        memory_in=None if memory is None else memory["file"],
        progress=progress,
    )
    reading = document["provenance"].get("reading")
    if reading is not None:
        run.documents[0]["provenance"]["reading"] = reading
    return Result.made(run.documents[0], label, run.inputs)


def _place(document: Document, trace: Content | None) -> str | Mapping[str, Any]:
    if trace is None:
        return str(document["trace"]["path"])
    return trace if isinstance(trace, Mapping) else os.fspath(trace)


def _notes(document: Document, trace: Content | None) -> Iterator[str]:
    """Yield what is different before the run; raise for what cannot be repeated."""
    if document.get("episode") is not None:
        raise about(
            ResultError(
                "knobs were turned in this run, and a result does not hold when: its configuration "
                "alone gives another run"
            ),
            "episode",
        )
    yield from _of_trace(document, trace)
    _check_memory(document)
    origin = document["provenance"]
    if origin["version"] != _core.version():
        yield f"the result is of slcache {origin['version']}, and this is {_core.version()}"
    elif origin["commit"] != _core.commit():
        yield f"the result is of commit {origin['commit']}, and this is {_core.commit()}"
    model = _core.model_version()
    if origin.get("model_version") != model:
        was = origin.get("model_version", "not told")
        yield f"the model's version was {was} and is {model}: figures may have moved with it"


def _of_trace(document: Document, trace: Content | None) -> Iterator[str]:
    """Yield a sentence where the trace is another; a TraceError where it is not there."""
    place = _place(document, trace)
    if isinstance(place, Mapping):
        return
    is_preset = is_workload(place) and not place.endswith(".toml")
    if place == "-" or not (is_preset or pathlib.Path(place).exists()):
        told = f"{place}: the trace is not there; the option trace says where it is now"
        if place == _OF_DICT:
            told += ", or is the workload, if that was given as a dict"
        if place == "-":
            told = "the trace was read from standard input; the option trace says where it is now"
        raise about(TraceError(told), "trace", file=place)
    files = [] if is_workload(place) else _core.input_files(place)
    if len(files) != 1 or not files[0].is_file():
        return
    want, found = document["trace"]["sha256"], _sha256(files[0])
    if found != want:
        yield f"{place} is not the trace of the result: its SHA-256 is {found}, and it was {want}"


def _check_memory(document: Document) -> None:
    memory = document["provenance"].get("memory_in")
    if memory is None:
        return
    file = pathlib.Path(memory["file"])
    found = _sha256(file) if file.is_file() else None
    if found != memory["sha256"]:
        state = "is not there" if found is None else f"has SHA-256 {found} now"
        told = (
            f"the scheme began with the memory {file} (SHA-256 {memory['sha256']}), which {state}"
        )
        raise about(ResultError(told), "provenance.memory_in", file=str(file))


def _sha256(file: pathlib.Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
