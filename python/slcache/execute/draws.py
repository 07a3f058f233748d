"""Draws of a recording in place of seeds: the options of its reader, and what means nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from slcache.documents.drawn import by_seed
from slcache.errors import UsageError, about
from slcache.execute import given
from slcache.given.quantity import time_ns

#: The reader's options: the number of a draw, and how long its stretches are on average.
DRAW, BLOCK = "resample", "resample_block_ns"

#: Adds the draw of a seed to the options of a trace's reader.
Drawn = Callable[[Mapping[str, str] | None, int | None], Mapping[str, str] | None]


def of_trace(draws: int | None, block: str | None, trace: str, seeds: int) -> Drawn:
    """Return what draws add to a reader's options; UsageError where they mean nothing."""
    if draws is None:
        if block is not None:
            _refuse("resample_block", block, "is the length of a draw's stretches; give resample")
        return lambda said, _: said
    if seeds > 1:
        _refuse("resample", draws, "every draw has a seed of its own; leave seeds out")
    if given.is_workload(trace):
        _refuse("resample", draws, "a workload is drawn anew by seeds; only a recording needs it")
    own = {} if block is None else {BLOCK: str(_length_ns(block))}

    def drawn(said: Mapping[str, str] | None, number: int | None) -> Mapping[str, str]:
        options = {**own, DRAW: str(number)}
        for key in options.keys() & (said or {}).keys():
            argument = "resample" if key == DRAW else "resample_block"
            told = f"says the reader's option {key} of every draw; leave that option out"
            _refuse(argument, draws if key == DRAW else block, told)
        return {**(said or {}), **options}

    return drawn


def check_seeds(seeds: int, configs: Iterable[Mapping[str, Any]]) -> None:
    """Raise UsageError where every seed would give the same figures of a recording."""
    if not any(map(by_seed, configs)):
        told = (
            "the trace is a recording, and nothing else of these runs is drawn: every seed would "
            "give the same figures; resample=N of compare, sweep and tune draws it anew"
        )
        _refuse("seeds", seeds, told)


def _length_ns(block: str) -> int:
    try:
        return time_ns(block)
    except ValueError as error:
        raise about(UsageError(f"resample_block: {error}"), "resample_block") from error


def _refuse(name: str, value: object, told: str) -> None:
    raise about(UsageError(f"{name} = {value}: {told}"), name)
