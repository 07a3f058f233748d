"""Results from outside: what was saved, whatever it is of, and several of them as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from slcache.documents import saved
from slcache.errors import ResultError, about
from slcache.files import Path
from slcache.options.arguments import checked
from slcache.results.comparison import Comparison
from slcache.results.result import Result
from slcache.results.seeded import SeededComparison


@checked
def load(path: Path) -> Result | Comparison:
    """Return what was saved, a run or a comparison, from a `.json` file or a folder with one.

    Raises ResultError, which names file and key, for what is no whole document of either.
    """
    document = saved.read(path)
    if not saved.is_comparison(document):
        return Result.of(document, path)
    if "seeds" not in document:
        return Comparison.of(document, path)
    try:
        return SeededComparison(
            list(map(Comparison.made, [document, *document["seeds"]["others"]]))
        )
    except (ResultError, ValueError) as error:
        raise ResultError(f"{saved.file_of(path)}: {error}") from None


def gather(paths: Sequence[saved.Path], normalise: str | None = None) -> Result | Comparison:
    """Return what was saved: a single run as such, else a comparison of all runs.

    Runs are called as they were; those of one name get that of their folder or file beside it.
    Raises ResultError where they are not of one trace, ValueError for a reference that is none.
    """
    found = [(path, load(path)) for path in paths]
    if len(found) == 1 and normalise is None:
        return found[0][1]
    for path, result in found:
        if isinstance(result, SeededComparison) and len(found) == 1:
            parts = result.parts
            return SeededComparison([Comparison(p.runs, normalise, p.bounds) for p in parts])
        if isinstance(result, SeededComparison):
            told = f"{path}: a comparison of several seeds has a report of its own; give it alone"
            raise about(ResultError(told), file=str(path))
    runs = [
        (path, run)
        for path, result in found
        for run in (result.runs if isinstance(result, Comparison) else [result])
    ]
    times = Counter(run.label for _, run in runs)
    labels = [run.label if times[run.label] == 1 else _beside(run, path) for path, run in runs]
    if len(set(labels)) < len(labels):
        labels = [f"{run.label} ({saved.file_of(path)})" for path, run in runs]
    named = [
        Result.made(run.documents[0], label, ())
        for label, (_, run) in zip(labels, runs, strict=True)
    ]
    return Comparison(named, normalise)


def _beside(run: Result, path: saved.Path) -> str:
    file = saved.file_of(path)
    return f"{run.label} ({file.parent.name if file.name == saved.NAME else file.stem})"
