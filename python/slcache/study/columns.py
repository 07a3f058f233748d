"""The columns of a study's table from outside: anybody may have edited it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from slcache.given.once import twice

if TYPE_CHECKING:
    import pyarrow as pa


#: Most parameters of a study: what each does is told from what each of the others does.
PARAMETERS_MAX = 100


def check_count(varied: Sequence[str]) -> None:
    """Raise ValueError for more parameters than are told apart."""
    if len(varied) > PARAMETERS_MAX:
        told = f"{len(varied):,} columns vary; at most {PARAMETERS_MAX} may, as in a study"
        raise ValueError(f"column {varied[PARAMETERS_MAX]}: {told}")


def check(table: pa.Table, inputs: Sequence[str], figures: Collection[str]) -> None:
    """Raise ValueError, naming the column, for what no study's table has.

    `inputs`, seed and status must be there; `figures` are numbers, each finite or left out.
    """
    from pyarrow import types

    texts, names = (*inputs, "status"), table.column_names
    missing = [name for name in (*inputs, "seed", "status") if name not in names]
    if missing:
        raise ValueError(f"no column {', '.join(missing)}: this is no table of a study")
    if (said := twice(names)) is not None:
        raise ValueError(f"column {said}")
    for field in table.schema:
        wanted = _wanted(field.name, texts, figures)
        if _kind(field.type) not in wanted:
            told = " or ".join(kind for kind in wanted if kind != "nothing")
            raise ValueError(f"column {field.name}: holds {field.type}, and must hold {told}")
        if types.is_float64(field.type):
            _check_finite(field.name, table[field.name])
    for name in texts:
        if table[name].null_count:
            raise ValueError(f"column {name}: a row has none")


def _wanted(name: str, texts: Sequence[str], figures: Collection[str]) -> tuple[str, ...]:
    if name in figures:
        return "whole numbers", "numbers", "nothing"
    if name == "seed":
        return "whole numbers", "nothing"
    if name in texts:
        return ("text",)
    return "text", "whole numbers", "numbers", "true and false", "nothing"


def _kind(kind: pa.DataType) -> str:
    from pyarrow import types

    known = {
        "whole numbers": types.is_integer,
        "numbers": types.is_float64,
        "text": types.is_string,
        "true and false": types.is_boolean,
        "nothing": types.is_null,
    }
    return next((name for name, fits in known.items() if fits(kind)), "other")


def _check_finite(name: str, column: pa.ChunkedArray) -> None:
    from pyarrow import compute

    if compute.all(compute.is_finite(column)).as_py() is False:
        raise ValueError(f"column {name}: a value is not finite")
