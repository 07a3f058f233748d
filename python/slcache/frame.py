"""The one frame of many results: Polars, with a row per run, window, operation or latency point.

Columns are named with their units. Parquet is read and written here alone.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slcache import _boot, files
from slcache.documents.figures import draw
from slcache.errors import ResultError, about
from slcache.metrics import METRICS, PARTS

if TYPE_CHECKING:
    import polars as pl

#: What several runs have tables of; the last two where there is a disk.
TABLES = ("series", "latency", "ops", "disk", "power")
OF_DISK = ("disk", "power")
#: Every figure of a run, by the name of its column.
FIGURES = METRICS | PARTS
#: Units of the columns that are figures.
UNITS = {name: metric.unit for name, metric in FIGURES.items()}
#: Columns that hold words and whole numbers, in every table; all others are fractions.
_WORDS = (
    *("trace", "device", "scheme", "key", "status", "reason", "thin"),
    *("pool", "kind", "mode", "cause", "side", "state"),
)
_WHOLE = ("seed", "draw", "count", "pages", "bytes", "t_ns", "peak_rss_bytes")
_COLUMNS = {
    "series": ("scheme", "t_ns"),
    "latency": ("scheme", "side", "latency_us", "fraction"),
    "ops": ("scheme", "pool", "kind", "mode", "cause", "count", "pages", "bytes", "time_us"),
    "disk": (
        *("scheme", "kind", "cause", "count", "bytes"),
        *("seek_us", "rotation_us", "transfer_us", "time_us"),
    ),
    "power": ("scheme", "t_ns", "state", "share"),
}
#: What a file says of its columns of figures: unit, goal and a sentence of each.
ABOUT = "slcache.columns"
#: What the table of a study says of the study: a hash.
STUDY = "slcache.study"

#: What Polars needs of the address space, with room for the threads of a large machine: it ends
#: the process where there is less.
LEAST_BYTES = 2 << 30

Labelled = Sequence[tuple[str, Mapping[str, Any]]]


def figures(runs: Labelled) -> pl.DataFrame:
    """Return what runs are judged by, a row for each, in the columns that any of them has.

    Draws have their numbers beside the seed, which may be that of the recording.
    """
    rows = [
        {
            "scheme": label,
            "device": document["config"]["device"]["name"],
            "seed": document["provenance"]["seed"],
            "draw": draw(document),
            **{name: value for name, value in document["figures"].items() if name in FIGURES},
        }
        for label, document in runs
    ]
    known = {name for row in rows for name, value in row.items() if name != "draw" or value}
    columns = [name for name in ("scheme", "device", "seed", "draw", *FIGURES) if name in known]
    return of_rows(rows, columns)


def table(name: str, runs: Labelled) -> pl.DataFrame:
    """Return one of `TABLES` of several runs, one after another."""
    files.check_addresses(LEAST_BYTES, "tables")
    import polars as pl

    if name == "series":
        return pl.concat([_series(*run) for run in runs], how="diagonal")
    found = {
        "latency": _latency,
        "ops": lambda document: document["flash"]["ops"],
        "disk": lambda document: (document.get("disk") or {"ops": []})["ops"],
        "power": _power,
    }[name]
    rows = [{"scheme": label, **row} for label, document in runs for row in found(document)]
    return of_rows(rows, _COLUMNS[name])


def _series(label: str, document: Mapping[str, Any]) -> pl.DataFrame:
    import polars as pl

    columns = document["series"]["columns"]
    schema = {"scheme": pl.String, **dict.fromkeys(columns, pl.Int64)}
    return pl.DataFrame({"scheme": [label] * len(columns["t_ns"]), **columns}, schema=schema)


def _latency(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for side in ("read", "write"):
        for point, fraction in document["host"][side]["cdf"]:
            yield {"side": side, "latency_us": point, "fraction": fraction}


def _power(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    series = (document.get("disk") or {"series": {"states": {}}})["series"]
    for state, shares in series["states"].items():
        for i, share in enumerate(shares):
            yield {"t_ns": i * series["window_ns"], "state": state, "share": share}


def of_rows(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> pl.DataFrame:
    """Return a frame of rows; each column has the same type wherever it stands.

    What a row lacks is null there.
    """
    files.check_addresses(LEAST_BYTES, "tables")
    import polars as pl

    whole = {*_WHOLE, *(name for name, metric in FIGURES.items() if metric.whole)}
    schema = {
        name: pl.String if name in _WORDS else pl.Int64 if name in whole else pl.Float64
        for name in columns
    }
    return pl.DataFrame({name: [row.get(name) for row in rows] for name in columns}, schema=schema)


def parquet(frame: pl.DataFrame, study: str = "") -> bytes:
    """Return a frame as the bytes of a Parquet file, which says what its figures are."""
    told = {
        name: {"unit": metric.unit, "goal": metric.goal or "", "summary": metric.summary}
        for name, metric in FIGURES.items()
        if name in frame.columns
    }
    about = {ABOUT: json.dumps(told) if told else "", STUDY: study}
    file = io.BytesIO()
    frame.write_parquet(file, metadata={key: said for key, said in about.items() if said} or None)
    return file.getvalue()


def read(path: Path) -> pl.DataFrame:
    """Return what a Parquet file holds; ResultError, which names it, for one that is damaged."""
    with reading(path) as file:
        import polars as pl

        return pl.read_parquet(file)


def study_of(path: Path) -> str | None:
    """Return the hash of the study that a table says it is of."""
    with reading(path) as file:
        import polars as pl

        return pl.read_parquet_metadata(file).get(STUDY)


@contextlib.contextmanager
def reading(path: Path) -> Iterator[Path]:
    """Have a Parquet file read: whatever its reader says against it is a ResultError."""
    files.check_addresses(LEAST_BYTES, "tables")
    from polars import exceptions

    try:
        with _boot.held(), _hushed():
            yield files.regular(path)
    except (OSError, exceptions.PolarsError, exceptions.PanicException) as error:
        told = getattr(error, "strerror", None) or str(error).partition("\n")[0]
        raise about(
            ResultError(f"{path}: cannot be read as Parquet: {told}"), file=str(path)
        ) from None


@contextlib.contextmanager
def _hushed() -> Iterator[None]:
    """Keep standard error quiet: where a reader gives up, a damaged file has it print its stack."""
    try:
        kept = os.dup(2)
    except OSError:
        # It is closed already.
        yield
        return
    try:
        with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
