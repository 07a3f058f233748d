"""The table of a study, read as configurations: what was set, and each seed's figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from slcache.metrics import METRICS, PARTS
from slcache.sentences import state
from slcache.study import columns

if TYPE_CHECKING:
    import polars as pl

Setting = str | float | int | bool | None

DONE = "done"
#: What every study's table has beside the parameters that it varies and the metrics.
TRACE = "trace"
#: Of a recording that was drawn anew: the number of the draw. Older tables have no such column.
DRAW = "draw"
INPUTS = (TRACE, "device", "scheme")
OTHERS = ("point", "seed", DRAW, "key", "status", "reason")


@dataclass(frozen=True)
class Configuration:
    """What was set alike, and the figures of each seed it was run with."""

    #: By parameter; None where a configuration has no such parameter.
    settings: Mapping[str, Setting]
    #: Figures by seed, then by metric.
    seeds: dict[Any, Mapping[str, float | None]] = field(default_factory=dict)

    def values(self, metric: str) -> list[float]:
        """Return a metric's values, one for each seed that has one."""
        found = (figures.get(metric) for figures in self.seeds.values())
        return [value for value in found if value is not None]

    def mean(self, metric: str) -> float | None:
        """Return the mean of a metric over the seeds, or None where no seed has it."""
        values = self.values(metric)
        return sum(values) / len(values) if values else None


@dataclass(frozen=True)
class Outcome:
    """A study's table apart by what its columns are."""

    rows: Sequence[Mapping[str, Any]]
    #: What was varied: parameters, and the inputs of which there are several.
    factors: Sequence[str]
    #: Parameters and inputs of which every point has the same.
    fixed: Mapping[str, Setting]
    metrics: Sequence[str]

    @classmethod
    def of(cls, table: pl.DataFrame) -> Outcome:
        """Read a table; ValueError where it lacks a column that studies have."""
        known = METRICS | PARTS
        columns.check(table, INPUTS, known)
        names = table.columns
        rows = table.to_dicts()
        settings = [n for n in names if n not in known and n not in (*INPUTS, *OTHERS)]
        distinct = {n: {row[n] for row in rows} for n in (*settings, *INPUTS)}
        factors = [name for name, values in distinct.items() if len(values) > 1]
        columns.check_count([name for name in factors if name not in INPUTS])
        fixed = {n: rows[0][n] for n in distinct if n not in factors} if rows else {}
        return cls(rows, factors, fixed, [name for name in names if name in known])

    def check_once(self) -> None:
        """Raise ValueError where two rows with figures are one point: only one can be true."""
        first: dict[tuple[object, ...], int] = {}
        for number, row in enumerate(self.rows, 1):
            own = tuple((type(row[key]), row[key]) for key in (*self.factors, "seed"))
            if row["status"] == DONE and first.setdefault(own, number) != number:
                raise ValueError(f"rows {first[own]} and {number} are one point with one seed")

    def by_trace(self) -> Mapping[str | None, Outcome]:
        """Return what each trace has of the study, by its name; all under None where there is one.

        On a trace of several, the trace is no parameter.
        """
        if TRACE not in self.factors:
            return {None: self}
        factors = [name for name in self.factors if name != TRACE]
        rows: dict[str, list[Mapping[str, Any]]] = {}
        for row in self.rows:
            rows.setdefault(str(row[TRACE]), []).append(row)
        return {
            name: Outcome(own, factors, {**self.fixed, TRACE: name}, self.metrics)
            for name, own in rows.items()
        }

    @property
    def has_draws(self) -> bool:
        """Whether what repeats a configuration are draws of a recording."""
        return len({row.get(DRAW) for row in self.rows}) > 1

    @property
    def repeats(self) -> str:
        """What repeats a configuration, in a word."""
        return "draw" if self.has_draws else "seed"

    @property
    def counts(self) -> Mapping[str, int]:
        """How many points there are of each status."""
        return Counter(str(row["status"]) for row in self.rows)

    @property
    def state(self) -> str:
        """The state that decides the figures, in a line; empty of an older table."""
        return state.told([found for row in self.done if (found := state.of_row(row))])

    @property
    def done(self) -> list[Mapping[str, Any]]:
        """The points that have figures."""
        return [row for row in self.rows if row["status"] == DONE]

    @cached_property
    def configurations(self) -> list[Configuration]:
        """The points that are done, those together that differ in nothing but the seed."""
        found: dict[tuple[object, ...], Configuration] = {}
        for row in self.done:
            settings = {name: row[name] for name in self.factors}
            key = tuple(settings.values())
            one = found.setdefault(key, Configuration(settings))
            one.seeds[row["seed"]] = {name: row[name] for name in self.metrics}
        return list(found.values())

    def with_metric(self, *metrics: str) -> list[Configuration]:
        """Return the configurations that have a value of each of these metrics."""
        return [c for c in self.configurations if all(c.mean(m) is not None for m in metrics)]

    def missing(self, metric: str) -> int:
        """Return how many of the points that are done have no value of a metric."""
        return sum(row[metric] is None for row in self.done)

    def reasons(self) -> Iterator[tuple[str, str, int]]:
        """Yield status, reason and count of the points without figures, most first."""
        told = Counter(
            (str(row["status"]), str(row.get("reason") or "no reason was kept"))
            for row in self.rows
            if row["status"] != DONE
        )
        for (status, reason), count in told.most_common():
            yield status, reason, count
