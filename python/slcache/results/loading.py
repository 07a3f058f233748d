"""Results from outside: what was saved, whatever it is of."""

from __future__ import annotations

from slcache.documents import saved
from slcache.errors import ResultError
from slcache.files import Path
from slcache.given.arguments import checked
from slcache.results.result import Comparison, Result
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
        every = [document, *document["seeds"]["others"]]
        return SeededComparison([Comparison.made(each) for each in every])
    except (ResultError, ValueError) as error:
        raise ResultError(f"{saved.file_of(path)}: {error}") from None
