"""The columns of a study's table from outside: anybody may have edited it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


#: Most parameters of a study: what each does is told from what each of the others does.
PARAMETERS_MAX = 100


def check_count(varied: Sequence[str]) -> None:
    """Raise ValueError for more parameters than are told apart."""
    if len(varied) > PARAMETERS_MAX:
        told = f"{len(varied):,} columns vary; at most {PARAMETERS_MAX} may, as in a study"
        raise ValueError(f"column {varied[PARAMETERS_MAX]}: {told}")


def check(
    table: pl.DataFrame, inputs: Sequence[str], figures: Collection[str], without: str
) -> None:
    """Raise ValueError, naming the column, for what no study's table has, such as one `without`.

    `inputs`, seed and status must be there; `figures` are numbers, each finite or left out.
    """
    if without in table.columns:
        raise ValueError(f"column {without}: no study has it")
    texts = (*inputs, "status")
    missing = [name for name in (*inputs, "seed", "status") if name not in table.columns]
    if missing:
        raise ValueError(f"no column {', '.join(missing)}: this is no table of a study")
    for name, kind in table.schema.items():
        wanted = _wanted(name, texts, figures)
        if _kind(kind) not in wanted:
            told = " or ".join(each for each in wanted if each != "nothing")
            raise ValueError(f"column {name}: holds {kind}, and must hold {told}")
        if kind.is_float() and not table[name].is_finite().all():
            raise ValueError(f"column {name}: a value is not finite")
        if name in texts and table[name].null_count():
            raise ValueError(f"column {name}: a row has none")


def _wanted(name: str, texts: Sequence[str], figures: Collection[str]) -> tuple[str, ...]:
    if name in figures:
        return "whole numbers", "numbers", "nothing"
    if name == "seed":
        return "whole numbers", "nothing"
    if name in texts:
        return ("text",)
    return "text", "whole numbers", "numbers", "true and false", "nothing"


def _kind(kind: pl.DataType) -> str:
    if kind.is_integer():
        return "whole numbers"
    told = {"Float64": "numbers", "String": "text", "Boolean": "true and false", "Null": "nothing"}
    return told.get(str(kind), "other")
