"""The table of a study, checked, read as configurations with figures, and spelled in words."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from slcache import catalogue, units
from slcache.frame import FIGURES
from slcache.metrics import metric_of
from slcache.results.intervals import Estimate
from slcache.sentences import notes
from slcache.study.axes import PARAMETERS_MAX
from slcache.tables.grid import THIN
from slcache.tables.table import Source

if TYPE_CHECKING:
    import polars as pl

    from slcache.study import document

Setting = str | float | int | bool | None
DONE = "done"
#: What every study's table has beside the parameters that it varies and the metrics.
TRACE = "trace"
#: Of a recording that was drawn anew: the number of the draw. Older tables have no such column.
DRAW = "draw"
INPUTS = (TRACE, "device", "scheme")
#: What of a point is told of percentiles; older tables have no such column.
THIN_COLUMN = "thin"
OTHERS = ("point", "seed", DRAW, "key", "status", "reason", THIN_COLUMN)
_LIFE = "lifetime_host_bytes"
#: The column of the rows' numbers, from 1, which no table has of its own.
_NUMBER = "#"
#: The figures that are no result, but what the device was like.
_STATE = (
    *("full_share", "overwritten_share", "steady"),
    *("cache_peak_bytes", "cache_full_ns", "cache_left_bytes"),
)
#: What begins the name of a parameter that is the load: it is met, and not chosen.
_LOADS = (
    *("workload.", "reader.", "trace."),
    *("host.queue_depth", "host.replay", "host.time_scale", "host.turnaround"),
)
#: What columns hold that must be there, and what figures and parameters may.
_TEXT, _WHOLE = ("text",), ("whole numbers", "nothing")
_FIGURES = ("whole numbers", "numbers", "nothing")
_ANY = ("text", "whole numbers", "numbers", "true and false", "nothing")
_KINDS = {"Float64": "numbers", "String": "text", "Boolean": "true and false", "Null": "nothing"}
_MUST = {**dict.fromkeys((*INPUTS, "status"), _TEXT), "seed": _WHOLE}
_WANTED = _MUST | dict.fromkeys(FIGURES, _FIGURES)


def check(table: pl.DataFrame) -> None:
    """Raise ValueError, naming the column, for what no study's table has."""
    if _NUMBER in table.columns:
        raise ValueError(f"column {_NUMBER}: no study has it")
    missing = [name for name in (*INPUTS, "seed", "status") if name not in table.columns]
    if missing:
        raise ValueError(f"no column {', '.join(missing)}: this is no table of a study")
    for name, kind in table.schema.items():
        wanted = _WANTED.get(name, _ANY)
        holds = "whole numbers" if kind.is_integer() else _KINDS.get(str(kind))
        if holds not in wanted:
            told = " or ".join(each for each in wanted if each != "nothing")
            raise ValueError(f"column {name}: holds {kind}, and must hold {told}")
        if kind.is_float() and not table[name].is_finite().all():
            raise ValueError(f"column {name}: a value is not finite")
        if wanted == _TEXT and table[name].null_count():
            raise ValueError(f"column {name}: a row has none")


def is_load(name: str) -> bool:
    """Return whether a parameter is part of the load, as the trace is."""
    return name == TRACE or name.startswith(_LOADS)


class _Chosen(Protocol):
    @property
    def settings(self) -> Mapping[str, Any]: ...


Point = TypeVar("Point", bound=_Chosen)


@dataclass(frozen=True)
class Configuration:
    """What was set alike, and the figures of each seed it was run with."""

    #: By parameter; None where a configuration has no such parameter.
    settings: Mapping[str, Setting]
    #: The first row of the table that has it, from 1.
    number: int
    seeds: Sequence[int | None]
    #: By metric, a figure for each seed.
    figures: Mapping[str, Sequence[float | None]]

    def values(self, metric: str) -> list[float]:
        """Return a metric's values, one for each seed that has one."""
        return [value for value in self.figures.get(metric, ()) if value is not None]

    def mean(self, metric: str) -> float | None:
        """Return the mean of a metric over the seeds, or None where no seed has it."""
        values = self.values(metric)
        return sum(values) / len(values) if values else None

    def means(self, metrics: Sequence[str]) -> dict[str, float | None]:
        """Return the means of metrics by their names."""
        return {name: self.mean(name) for name in metrics}

    def to_dict(self, metrics: Sequence[str]) -> document.ConfigurationShape:
        """Return settings and means as plain data."""
        return {"settings": dict(self.settings), "metrics": self.means(metrics)}


def choices(points: Sequence[Point]) -> list[Point]:
    """Return the points that a device can be: what knew the trace is none, unless all did."""
    scheme = {"scheme": ""}
    built = [each for each in points if not catalogue.known_by({**scheme, **each.settings})]
    return built or list(points)


@dataclass(frozen=True)
class Outcome:
    """A study's table apart by what its columns are."""

    frame: pl.DataFrame
    #: What was varied: parameters, and the inputs of which there are several.
    factors: Sequence[str]
    #: Parameters and inputs of which every point has the same.
    fixed: Mapping[str, Setting]
    metrics: Sequence[str]

    @classmethod
    def of(cls, table: pl.DataFrame) -> Outcome:
        """Read a table; ValueError where it lacks a column that studies have."""
        check(table)
        own = [n for n in table.columns if n not in FIGURES and n not in (*INPUTS, *OTHERS)]
        asked = table.select(*own, *INPUTS)
        factors = [column.name for column in asked if column.n_unique() > 1]
        varied = [name for name in factors if name not in INPUTS]
        if len(varied) > PARAMETERS_MAX:
            told = f"{len(varied):,} columns vary; at most {PARAMETERS_MAX} may, as in a study"
            raise ValueError(f"column {varied[PARAMETERS_MAX]}: {told}")
        first = asked.row(0, named=True) if asked.height else {}
        fixed = {name: value for name, value in first.items() if name not in factors}
        metrics = [name for name in table.columns if name in FIGURES]
        return cls(table.with_row_index(_NUMBER, 1), factors, fixed, metrics)

    def check_once(self) -> None:
        """Raise ValueError where two rows with figures are one point: only one can be true."""
        numbers = self._grouped([*self.factors, "seed"]).get_column(_NUMBER)
        twice = next((each for each in numbers if len(each) > 1), None)
        if twice is not None:
            raise ValueError(f"rows {twice[0]} and {twice[1]} are one point with one seed")

    def _grouped(self, by: Sequence[str]) -> pl.DataFrame:
        """Return the points that are done, in groups of which every other column is a list."""
        import polars as pl

        others = pl.exclude(by)
        if not by:
            return self.done.select(others.implode()).filter(pl.col(_NUMBER).list.len() > 0)
        return self.done.group_by(by, maintain_order=True).agg(others)

    @property
    def loads(self) -> list[str]:
        """The parameters that are the load, the trace first: they are met, and not chosen."""
        return sorted(filter(is_load, self.factors), key=lambda name: name != TRACE)

    def by_load(self) -> list[tuple[Mapping[str, Setting], Outcome]]:
        """Return each load with what the study has of it; one that is empty where all have one.

        A load is no parameter of what was run under it.
        """
        if not (loads := self.loads):
            return [({}, self)]
        factors = [name for name in self.factors if name not in loads]
        parts = self.frame.partition_by(loads, maintain_order=True)
        found = [(part.select(loads).row(0, named=True), part) for part in parts]
        return [
            (load, Outcome(part, factors, {**self.fixed, **load}, self.metrics))
            for load, part in found
        ]

    @property
    def has_draws(self) -> bool:
        """Whether what repeats a configuration are draws of a recording."""
        return DRAW in self.frame.columns and self.frame[DRAW].n_unique() > 1

    @property
    def repeats(self) -> str:
        """What repeats a configuration, in a word."""
        return "draw" if self.has_draws else "seed"

    @property
    def counts(self) -> Mapping[str, int]:
        """How many points there are of each status."""
        return dict(self.frame.group_by("status", maintain_order=True).len().rows())

    @property
    def state(self) -> str:
        """The state that decides the figures, in a line; empty of an older table."""
        names = [name for name in _STATE if name in self.frame.columns]
        rows = self.done.select("device", *names).iter_rows(named=True)
        return notes.states_line([found for row in rows if (found := notes.state_of_row(row))])

    @cached_property
    def done(self) -> pl.DataFrame:
        """The points that have figures."""
        return self.frame.filter(status=DONE)

    def row(self, number: int) -> dict[str, Any]:
        """Return a row of the table by its number in this outcome's frame."""
        import polars as pl

        return self.frame.row(by_predicate=pl.col(_NUMBER) == number, named=True)

    @cached_property
    def configurations(self) -> list[Configuration]:
        """The points that are done, those together that differ in nothing but the seed."""
        return [
            Configuration(
                {name: row[name] for name in self.factors},
                row[_NUMBER][0],
                row["seed"],
                {name: row[name] for name in self.metrics},
            )
            for row in self._grouped(self.factors).iter_rows(named=True)
        ]

    def with_metric(self, *metrics: str) -> list[Configuration]:
        """Return the configurations that have a value of each of these metrics."""
        return [c for c in self.configurations if all(c.values(m) for m in metrics)]

    def missing(self, metric: str) -> int:
        """Return how many of the points that are done have no value of a metric."""
        return self.done[metric].null_count()

    def columns(
        self, settings: Mapping[str, str], metrics: Iterable[str]
    ) -> list[tuple[str, Source]]:
        """Return a configuration's columns: its settings, titled as told here, then metrics."""

        def spelled(name: str) -> Source:
            return lambda row: value_text(row.get(name))

        found = [(short, spelled(name)) for name, short in settings.items()]
        return [*found, *((self.title(metric), metric) for metric in metrics)]

    def title(self, metric: str) -> str:
        """Return the title of a metric's column, whose cells have their unit.

        Guesses are marked, and percentiles that few requests lie beyond.
        """
        mark = notes.GUESS if metric == _LIFE and self._has_guesses else ""
        return mark + metric.removesuffix("_ns") + THIN * (metric in self.thin)

    @cached_property
    def thin(self) -> Mapping[str, int]:
        """Of how many points few requests lie beyond a percentile, by its name."""
        if THIN_COLUMN not in self.frame.columns:
            return {}
        every = (named for named in self.done[THIN_COLUMN] if isinstance(named, str) and named)
        return Counter(itertools.chain.from_iterable(named.split(",") for named in every))

    @cached_property
    def _has_guesses(self) -> bool:
        """Whether the life of any point is a guess."""
        return any(why == notes.LIFE_GUESS for _, why, _ in self.reasons())

    def reasons(self) -> Iterator[tuple[str, str, int]]:
        """Yield status, reason and count of points without figures, or of part of the trace only.

        Most come first.
        """
        import polars as pl

        known = "reason" in self.frame.columns
        reason = (pl.col("reason") if known else pl.lit("")).cast(pl.String)
        is_told = reason.str.len_bytes() > 0
        others = self.frame.filter((pl.col("status") != DONE) | is_told)
        told = pl.when(is_told).then(reason)
        others = others.select("status", told.otherwise(pl.lit("no reason was kept")).alias("why"))
        # Of one that is done each note is a reason of its own.
        apart = pl.col("why").str.split(notes.BETWEEN)
        why = pl.when(pl.col("status") == DONE).then(apart).otherwise(pl.concat_list("why"))
        others = others.with_columns(why).explode("why")
        found = others.group_by("status", "why", maintain_order=True).len()
        yield from found.sort("len", descending=True, maintain_order=True).iter_rows()


def figure_text(metric: str, value: float | None) -> str:
    """Return a metric's value with its unit; a dash where there is none."""
    return "–" if value is None else units.figure(value, metric_of(metric).unit)


def interval_texts(metric: str, found: Sequence[Estimate | None]) -> list[str]:
    """Return means with half their intervals, where there are any, in one unit."""
    means = [None if each is None else each.mean for each in found]
    show = units.figures(means, metric_of(metric).unit)
    halves = [
        "" if each is None or each.half is None else f" ± {show(each.half)}" for each in found
    ]
    pairs = zip(found, halves, strict=True)
    return ["–" if each is None else f"{show(each.mean)}{half}" for each, half in pairs]


def interval_text(metric: str, found: Estimate | None) -> str:
    """Return a mean with half its interval, where there is one; a dash for nothing."""
    return interval_texts(metric, [found])[0]


def value_text(value: Setting) -> str:
    """Return a parameter's value as settings spell it."""
    match value:
        case None:
            return "–"
        case bool():
            return "true" if value else "false"
        case float():
            return f"{value:.6g}"
    return str(value)


def level_text(low: Setting, high: Setting) -> str:
    """Return a level: a value, or a range of them."""
    return value_text(low) if low == high else f"{_bound(low)}–{_bound(high)}"


def _bound(value: Setting) -> str:
    return f"{value:.3g}" if isinstance(value, float) else value_text(value)


def short_names(names: Sequence[str], dot: str = ".") -> dict[str, str]:
    """Return dotted names without the beginning that is not needed to tell them apart."""
    found: dict[str, str] = {}
    left = list(names)
    count = 0
    while left:
        count += 1
        tails = {name: dot.join(name.split(dot)[-count:]) for name in names}
        times = Counter(tails[name] for name in names)
        done = {n for n in left if times[tails[n]] == 1 or n.count(dot) < count}
        found |= {name: tails[name] for name in done}
        left = [name for name in left if name not in done]
    return {name: found[name] for name in names}


def short_files(names: Sequence[str]) -> dict[str, str]:
    """Return files without the folders that are not needed to tell them apart."""
    return short_names(names, "/")


def settings_text(values: Mapping[str, Setting], short: Mapping[str, str]) -> str:
    """Return settings in a line."""
    said = (f"{short[n]}={value_text(v)}" for n, v in values.items() if v is not None)
    return ", ".join(said) or "the only one"
