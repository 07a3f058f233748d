"""Saved results: loaded, gathered, and what separates two of them."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NotRequired

from rich.text import Text
from typing_extensions import TypedDict

from slcache import units
from slcache.documents import Document, saved
from slcache.documents.schemata import shape
from slcache.errors import ResultError, about
from slcache.files import Path
from slcache.metrics import METRICS, PARTS
from slcache.names import few, leaves, shown
from slcache.options import checked
from slcache.results.comparison import Comparison
from slcache.results.result import Result, runs_of
from slcache.results.seeded import SeededComparison
from slcache.sentences import notes
from slcache.tables.table import Columns, Table, plain


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
        if isinstance(result, SeededComparison):
            if len(found) == 1:
                parts = (Comparison(each.runs, normalise, each.bounds) for each in result.parts)
                return SeededComparison(list(parts))
            told = f"{path}: a comparison of several seeds has a report of its own; give it alone"
            raise about(ResultError(told), file=str(path))
    runs = [
        (path, run)
        for path, result in found
        for run in (result.runs if isinstance(result, Comparison) else [result])
    ]
    times = Counter(run.label for _, run in runs)
    labels = [run.label if times[run.label] == 1 else _with_place(run, path) for path, run in runs]
    if len(set(labels)) < len(labels):
        labels = [f"{run.label} ({saved.file_of(path)})" for path, run in runs]
    named = [
        Result.made(run.documents[0], label, ())
        for label, (_, run) in zip(labels, runs, strict=True)
    ]
    return Comparison(named, normalise)


def _with_place(run: Result, path: saved.Path) -> str:
    file = saved.file_of(path)
    return f"{run.label} ({file.parent.name if file.name == saved.NAME else file.stem})"


#: What may differ between two runs of one program with one configuration and trace.
_INCIDENTAL = ("sim",)
_INCIDENTAL_ORIGIN = ("time", "host", "version", "commit", "memory_out", "timeline")
_INCIDENTAL_TRACE = ("path",)
#: Parts of a document that are figures, in the order they are told.
_FIGURES = ("host", "flash", "map", "waf", "cache", "wear", "disk", "scheme")
#: Lists in them of which only whether they differ is of use.
_LONG = ("cdf", "histogram", "histograms", "series", "curves")
#: What names a row of them, in this order.
_ROW = ("pool", "kind", "mode", "cause")


@dataclass(frozen=True)
class Change:
    """One key with its value on either side; None where a side does not have it."""

    key: str
    first: Any
    second: Any
    #: Empty where there is none.
    unit: str = ""

    @property
    def factor(self) -> float | None:
        """The second value divided by the first, where that is a number."""
        both = (self.first, self.second)
        numbers = [v for v in both if isinstance(v, int | float) and not isinstance(v, bool)]
        return numbers[1] / numbers[0] if len(numbers) == 2 and numbers[0] else None

    @property
    def size(self) -> float:
        """How far apart the values are, whichever is larger; infinite where one is 0 or missing."""
        factor = self.factor
        return abs(math.log(factor)) if factor is not None and factor > 0 else math.inf

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        plain = {"key": self.key, "first": self.first, "second": self.second}
        return {**plain, "unit": self.unit, "factor": self.factor} if self.unit else plain


@shape
class ChangeShape(TypedDict):
    """One key with its value on either side; null where a side does not have it."""

    key: str
    first: Any
    second: Any
    unit: NotRequired[str]
    """Of metrics."""
    factor: NotRequired[float | None]
    """The second value divided by the first, where that is a number; of metrics."""


@shape
class RunShape(TypedDict):
    """What separates two runs."""

    first: str
    second: str
    equal: bool
    """Whether everything is equal that decides a result or follows from it."""
    config: list[ChangeShape]
    trace: list[ChangeShape]
    origin: list[ChangeShape]
    """Program, model and what a scheme had learned before."""
    metrics: list[ChangeShape]
    """The largest difference first."""
    others: list[ChangeShape]
    """Every other figure, the largest difference first."""


@shape
class DifferenceShape(TypedDict):
    """What separates two results, run by run."""

    equal: bool
    only_first: list[str]
    """Schemes that only the first of two comparisons has."""
    only_second: list[str]
    runs: list[RunShape]
    notes: NotRequired[list[str]]
    """What was known to be different before the run of --rerun, in sentences."""
    result: NotRequired[dict[str, Any]]
    """What that run gave: a result or a comparison, which have schemas of their own."""


@dataclass(frozen=True)
class RunDifference:
    """What separates two runs."""

    labels: tuple[str, str]
    #: Keys of the configuration, in its order; of schemes that are not one, only that.
    config: list[Change]
    trace: list[Change]
    #: Program, model and what a scheme had learned before.
    origin: list[Change]
    #: The figures of `slcache.metrics`, the largest difference first.
    metrics: list[Change]
    #: Every other figure, the largest difference first.
    others: list[Change]
    #: Whether everything is equal that decides a result or follows from it.
    equal: bool

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        parts = ("config", "trace", "origin", "metrics", "others")
        return {
            "first": self.labels[0],
            "second": self.labels[1],
            "equal": self.equal,
            **{part: [change.to_dict() for change in getattr(self, part)] for part in parts},
        }


@dataclass(frozen=True, repr=False)
class Difference:
    """What separates two results, run by run."""

    runs: list[RunDifference]
    #: Schemes that only one of two comparisons has.
    only_first: list[str]
    only_second: list[str]
    #: The state that decides the figures of all runs, in a line.
    state: str

    @property
    def equal(self) -> bool:
        """Whether the results are the same."""
        return not self.only_first and not self.only_second and all(r.equal for r in self.runs)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "equal": self.equal,
            "only_first": self.only_first,
            "only_second": self.only_second,
            "runs": [run.to_dict() for run in self.runs],
        }

    def parts(self, *, everything: bool = False) -> Iterator[Table | Text | str]:
        """Yield each key or figure that differs, and what else separates the results."""
        yield Text(self.state)
        parts = ("config", "trace", "origin", "metrics", *(["others"] if everything else []))
        rows = [
            {"run": _name(run), "part": part, **vars(change), "factor": change.factor}
            for run in self.runs
            for part in parts
            for change in getattr(run, part)
        ]
        latencies = [value for row in rows if _is_latency(row) for value in _numbers(row)]
        several: Columns = {"run": "run"} if len(self.runs) > 1 else {}
        columns: Columns = {
            **several,
            "part": "part",
            "key": lambda row: row["key"].removesuffix("_ns") if _is_latency(row) else row["key"],
            "A": lambda row: _shown(row, "first", latencies),
            "B": lambda row: _shown(row, "second", latencies),
            "B / A": lambda row: "–" if row["factor"] is None else units.factor(row["factor"]),
        }
        yield Table(rows, columns if rows else {}, only=_KEYS)
        for run in self.runs:
            if run.equal:
                yield Text(f"{_name(run)}: identical", "bold green")
            if run.others and not everything:
                yield f"{_name(run)}: {len(run.others)} other figures differ; --all shows them"
        for side, only in (("A", self.only_first), ("B", self.only_second)):
            if only:
                yield f"only in {side}: {', '.join(only)}"

    def __str__(self) -> str:
        return plain(*self.parts())

    def __repr__(self) -> str:
        return f"<slcache.Difference of {len(self.runs)} runs>"


_KEYS = ("run", "part", "key", "unit", "first", "second", "factor")


def _name(run: RunDifference) -> str:
    return " and ".join(dict.fromkeys(run.labels))


def _is_latency(row: Mapping[str, Any]) -> bool:
    """Return whether a figure is one of the latencies, which are in one unit."""
    return bool(row["unit"] == "ns" and row["key"].startswith(("read_", "write_")))


def _numbers(row: Mapping[str, Any]) -> list[float]:
    return [value for value in (row["first"], row["second"]) if isinstance(value, int | float)]


def _shown(row: Mapping[str, Any], side: str, latencies: Sequence[float]) -> str:
    """Return one side's value, in the unit that suits both, or all latencies."""
    value, alike = row[side], latencies if _is_latency(row) else _numbers(row)
    is_figure = row["unit"] and value in _numbers(row)
    return units.figures(alike, row["unit"])(value) if is_figure else shown(value)


@checked
def diff(
    first: Result | Comparison | saved.Path, second: Result | Comparison | saved.Path
) -> Difference:
    """Return what separates two results, given as such or as the paths they were saved to.

    Runs of comparisons are matched by what they are called; a single run is held against a single
    run whatever it is called. Raises ResultError where nothing can be matched.
    """
    a, b = (
        side if isinstance(side, Result | Comparison) else load(side) for side in (first, second)
    )
    x, y = _runs(a), _runs(b)
    told = notes.state_line([*x.values(), *y.values()])
    if isinstance(a, Result) and isinstance(b, Result):
        runs = [of_runs((a.label, b.label), a.documents[0], b.documents[0])]
        return Difference(runs, [], [], told)
    both = [label for label in x if label in y]
    if not both:
        raise ResultError(f"no run of the first result ({few(x)}) is in the second ({few(y)})")
    return Difference(
        [of_runs((label, label), x[label], y[label]) for label in both],
        [label for label in x if label not in both],
        [label for label in y if label not in both],
        told,
    )


def _runs(side: Result | Comparison) -> dict[str, Document]:
    """Return runs by what they are called; those of several seeds have theirs beside the name."""
    if isinstance(side, SeededComparison):
        return {
            f"{run.label} ({mark})": run.documents[0]
            for mark, part in side.marked.items()
            for run in part.runs
        }
    return runs_of(side)


def of_runs(labels: tuple[str, str], first: Document, second: Document) -> RunDifference:
    """Return what separates two runs' documents."""
    metrics = _changes(_metrics(first), _metrics(second))
    units = {name: metric.unit for name, metric in (METRICS | PARTS).items()}
    return RunDifference(
        labels,
        _changes(_config(first, second), _config(second, first)),
        _changes(_trace(first), _trace(second)),
        _changes(_origin(first), _origin(second)),
        _sorted(Change(c.key, c.first, c.second, units[c.key]) for c in metrics),
        _sorted(_changes(_figures(first), _figures(second))),
        same(first, second),
    )


def same(first: Document, second: Document) -> bool:
    """Return whether two runs are one: everything but where, when and by which build they ran."""
    return _essence(first) == _essence(second)


def _essence(document: Document) -> dict[str, Any]:
    whole = {key: part for key, part in document.items() if key not in _INCIDENTAL}
    for key, incidental in (("provenance", _INCIDENTAL_ORIGIN), ("trace", _INCIDENTAL_TRACE)):
        whole[key] = {name: v for name, v in document[key].items() if name not in incidental}
    return _without_place(whole)


def _without_place(whole: dict[str, Any]) -> dict[str, Any]:
    """Return a document without where the class of its scheme is, which has a checksum."""
    own = (whole["config"].get("scheme") or {}).get("custom")
    if not isinstance(own, Mapping) or not own.get("sha256"):
        return whole
    scheme = {"custom": {key: value for key, value in own.items() if key != "source"}}
    # It follows from the configuration, which is compared.
    origin = {key: value for key, value in whole["provenance"].items() if key != "config_hash"}
    return {**whole, "config": {**whole["config"], "scheme": scheme}, "provenance": origin}


def _changes(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Change]:
    keys = list(dict.fromkeys([*first, *second]))
    # A key that only one side has differs from one that is null there.
    return [
        Change(key, first.get(key), second.get(key))
        for key in keys
        if (key in first, first.get(key)) != (key in second, second.get(key))
    ]


def _sorted(changes: Iterator[Change] | list[Change]) -> list[Change]:
    return sorted(changes, key=lambda change: -change.size)


def _config(document: Document, other: Document) -> dict[str, Any]:
    """Return the configuration's values; of a scheme that the other has not, its name only."""
    config = document["config"]
    scheme = config.get("scheme")
    if not isinstance(scheme, Mapping) or scheme.keys() == other["config"].get("scheme", {}).keys():
        return dict(leaves(config))
    named = {"scheme": ", ".join(scheme)}
    return named | dict(leaves({key: part for key, part in config.items() if key != "scheme"}))


def _trace(document: Document) -> dict[str, Any]:
    return {key: value for key, value in leaves(document["trace"]) if value != []}


def _origin(document: Document) -> dict[str, Any]:
    """Return what made the result, but for what is different in every run."""
    keep = ("version", "commit", "model_version", "reading")
    found = {key: document["provenance"].get(key) for key in keep}
    memory = document["provenance"].get("memory_in")
    return found if memory is None else {**found, "memory_in.sha256": memory["sha256"]}


def _metrics(document: Document) -> dict[str, Any]:
    return {name: metric.value(document) for name, metric in (METRICS | PARTS).items()}


def _figures(document: Document) -> dict[str, Any]:
    """Return every figure by its key; rows of lists are named by the words in them."""
    parts = {name: document[name] for name in _FIGURES if name in document}
    figures = dict(_leaves({**parts, "series": document["series"]}, ""))
    return {**figures, "episode": document.get("episode")}


def _leaves(value: Any, key: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    if isinstance(value, Mapping):
        for name, inner in value.items():
            path = f"{key}.{name}" if key else str(name)
            if name in _LONG:
                yield path, _marked(inner)
            else:
                yield from _leaves(inner, path)
    elif isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
        for row in value:
            names = dict.fromkeys((*_ROW, *row))
            words = " ".join(row[name] for name in names if isinstance(row.get(name), str))
            numbers = {name: item for name, item in row.items() if not isinstance(item, str)}
            yield from _leaves(numbers, f"{key}[{words}]")
    else:
        yield key, value


def _marked(values: object) -> str:
    """Return how many values there are, and a mark of them that others do not have."""
    text = json.dumps(values, sort_keys=True)
    mark = hashlib.sha256(text.encode()).hexdigest()[:8]
    count = len(values) if isinstance(values, list) else text.count(",") + 1
    return f"{count} values ({mark})"
