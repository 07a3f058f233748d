"""Readers of figures in result documents, and of figures that are made of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from typing import Any

Document = Mapping[str, Any]
#: Returns a figure of a result; None where the run has no such.
Reader = Callable[[Document], float | None]


def at(*path: str, per: float = 1.0) -> Reader:
    """Return a reader of the number at the end of a path; None where the path ends before."""

    def read(document: Document) -> float | None:
        found: Any = document
        for key in path:
            found = None if found is None else found.get(key)
        return None if found is None else float(found) / per

    return read


def figure(name: str) -> Reader:
    """Return a reader of a figure that the scheme reports under its own name."""
    return at("scheme", "figures", name)


def table(name: str, field: str) -> Reader:
    """Return a reader of one of the scheme's mapping tables."""

    def read(document: Document) -> float | None:
        tables = [t for t in document["scheme"]["tables"] if t["name"] == name]
        return float(tables[0][field]) if tables else None

    return read


def ops(
    field: str,
    *kinds: str,
    causes: Collection[str] = (),
    but: Collection[str | tuple[str, str]] = (),
    slc: bool | None = None,
) -> Reader:
    """Return a reader of a sum over flash operations: of all kinds and causes where none is named.

    `but` are causes that are left out, or kinds with their cause; `slc` chooses operations in SLC
    mode, or all others.
    """

    def read(document: Document) -> float:
        chosen = (
            op[field]
            for op in document["flash"]["ops"]
            if (not kinds or op["kind"] in kinds)
            and (not causes or op["cause"] in causes)
            and op["cause"] not in but
            and (op["kind"], op["cause"]) not in but
            and (slc is None or slc == (op["mode"] == "slc"))
        )
        return float(sum(chosen))

    return read


def ratio(part: Reader, whole: Reader) -> Reader:
    """Return a reader of a part of a whole; None where either is missing, or there is no whole."""

    def read(document: Document) -> float | None:
        above, below = part(document), whole(document)
        return None if above is None or not below else above / below

    return read


def scaled(reader: Reader, per: float) -> Reader:
    """Return a reader of the same in a larger unit."""

    def read(document: Document) -> float | None:
        found = reader(document)
        return None if found is None else found / per

    return read


def series(document: Document, name: str) -> tuple[int, list[float]]:
    """Return a scheme's values over its windows, and what lies between two of them.

    That is a number of requests, write requests or bytes, as the scheme counts its windows.
    """
    for entry in document["scheme"]["series"]:
        if entry["name"] == name:
            step = next(entry[key] for key in entry if key.endswith("_per_value"))
            return int(step), [
                math.inf if value is None else float(value) for value in entry["values"]
            ]
    return 1, []


def over(name: str, reduce: Callable[[list[float]], float]) -> Reader:
    """Return a reader of one number for all of a series; None where there is none."""

    def read(document: Document) -> float | None:
        _, values = series(document, name)
        return reduce(values) if values else None

    return read
