"""A study as a reader gets it: headings, sentences and tables, of the terminal and of the page."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from slcache import catalogue, units
from slcache.frame import UNITS
from slcache.metrics import COUNTED, absence, metric_of
from slcache.names import joined, said_of
from slcache.results.intervals import LEVEL
from slcache.study.analysis import Analysis, is_numeric
from slcache.study.fronts import Front, LoadFront, SeedSpread
from slcache.study.outcome import (
    DONE,
    TRACE,
    Outcome,
    choices,
    figure_text,
    interval_text,
    interval_texts,
    is_load,
    level_text,
    settings_text,
    value_text,
)
from slcache.tables.grid import THIN, THIN_NOTE
from slcache.tables.table import Cells, Source, Table

#: So many of the best points, rows of other tables, and loads are shown; --json has all.
_POINTS, MOST, _LOADS = 20, 60, 20
#: Of each of many loads so many points; reasons, and sentences with them, in an answer.
_OF_LOAD, _REASONS, _SENTENCES = 3, 3, 5
#: So many configurations are named in a sentence, and values of a parameter.
_NAMED, _VALUES = 5, 12


@dataclass(frozen=True)
class Heading:
    """What the parts behind it are about."""

    title: str

    def __rich__(self) -> Text:
        """Return it as a terminal has it."""
        return Text(f"{self.title}:", "bold")


#: Draws what a part of a study shows: `effects`, or the `front` or `seeds` of a load.
Draw = Callable[[str, LoadFront | None], Iterable[Any]]


def parts(
    analysis: Analysis, draw: Draw = lambda *_: (), loads: int | None = _LOADS
) -> Iterator[Any]:
    """Yield what is shown of a study from first to last: Text, Heading, Table, and what is drawn.

    Of more `loads` the last are only counted.
    """
    outcome = analysis.outcome
    if outcome.state:
        yield Text(outcome.state)
    yield Text(points(outcome), "bold")
    for status, reason, count in outcome.reasons():
        yield Text(f"{count:,} {status}: {reason}", "yellow")
    for line in [*ahead(analysis), *few(analysis), *missing(analysis)]:
        yield Text(line, "yellow")
    yield _ranked(analysis)
    if analysis.levels:
        # Of one parameter the points are the levels.
        yield from [_levels(analysis)] if len(outcome.factors) > 1 else []
        yield from map(Text, means(analysis))
        yield from draw("effects", None)
    for judged in analysis.judged[:loads]:
        yield from _of_load(analysis, judged, draw)
    if loads is not None and (more := len(analysis.judged) - loads) > 0:
        yield Text(f"{more:,} more {analysis.each_load}s: --json has their fronts")
    yield from map(Text, seeds_meant(analysis))
    if len(analysis.judged) > 1 and (lines := list(across(analysis))):
        yield Heading(f"On all {analysis.each_load}s")
        yield _everywhere(analysis)
        if analysis.across.least:
            yield _across(analysis)
        yield from map(Text, lines)


def brief(
    analysis: Analysis, headline: str = "", problems: Iterable[str] | None = None, more: str = ""
) -> Iterator[Any]:
    """Yield the answer of a study: its points, the best, and at most so many sentences.

    `problems` are those of the points, by default what the table tells; `more` prints the rest.
    """
    outcome = analysis.outcome
    if outcome.state:
        yield Text(outcome.state)
    yield Text(headline or points(outcome), "bold")
    if problems is None:
        every = [f"{count:,} {status}: {reason}" for status, reason, count in outcome.reasons()]
        left = len(every) - _REASONS
        problems = [*every[:_REASONS], *([f"{left:,} more reasons"] if left > 0 else [])]
    told = list(problems)
    yield from (Text(line, "yellow") for line in told)
    yield _ranked(analysis)
    lines = [*best(analysis), *ahead(analysis), *few(analysis), *missing(analysis)]
    if len(analysis.judged) > 1:
        lines += itertools.islice(across(analysis), 1)
    else:
        (judged,) = analysis.judged
        lines += seeds(analysis, judged)
        lines += [*front(judged.front)][-1:] if len(judged.front.goals) > 1 else []
    yield from map(Text, lines[: max(0, _SENTENCES - len(told))])
    yield Text(f"{more or '--explain'} prints more: main effects, the Pareto front, seeds", "dim")


def _ranked(analysis: Analysis) -> Table:
    """Return the configurations, the best of each load first."""
    outcome, loads = analysis.outcome, analysis.apart
    rows = analysis.ranked.to_dicts()
    count = max(1, len({tuple(row[name] for name in loads) for row in rows}))
    shown = max(_OF_LOAD, _POINTS // count)
    hidden = sum(row["place"] > shown for row in rows)
    factors = [*loads, *(name for name in outcome.factors if name not in loads)]
    columns = _columns(analysis, factors, analysis.metrics)
    first = analysis.metrics[0] if analysis.metrics else "points"
    # There is no best where each load has one configuration, or none has a figure.
    ordered = len(rows) > count and any(row.get(first, row) is not None for row in rows)
    if ordered:
        columns.insert(0, (f"by {first}", "place"))
    return Table(
        rows,
        columns if rows else [],
        most=MOST,
        caption=f"{hidden:,} in later places: --json has them" if hidden else "",
        units=UNITS,
        told=lambda row: row["place"] <= shown,
    )


def best(analysis: Analysis) -> Iterator[str]:
    """Yield which configuration is the best of each load in the first metric."""
    first = analysis.metrics[0] if analysis.metrics else None
    if first is None or (goal := metric_of(first).goal) is None:
        return
    told = []
    for judged in analysis.judged if len(analysis.judged) > 1 or not analysis.apart else ():
        having = [one for one in choices(judged.outcome.configurations) if one.values(first)]
        means = [(one.mean(first) or 0.0, one) for one in having]
        if len(means) < 2:
            continue
        figure = (max if goal == "max" else min)(mean for mean, _ in means)
        alike = [one for mean, one in means if mean == figure]
        name = settings_text(alike[0].settings, analysis.short)
        others = f" and {len(alike) - 1:,} more" if len(alike) > 1 else ""
        which = "all alike" if len(alike) == len(means) else f"{name}{others}"
        where = "" if judged.trace is None else f"on {analysis.names[judged.trace]}"
        told.append((where, which, figure, _doubt(judged, first)))
    if told:
        mark = THIN * (first in analysis.outcome.thin)
        yield f"The best by {first}{mark}: {'; '.join(_by_load(analysis, first, told))}."


def ahead(analysis: Analysis) -> Iterator[str]:
    """Say which schemes knew the trace, as no device can: whatever is best, they are no choice."""
    outcome = analysis.outcome
    every = (catalogue.known_by({**outcome.fixed, **c.settings}) for c in outcome.configurations)
    if found := [*dict.fromkeys(filter(None, every))]:
        knew = (
            "knew the trace: a yardstick, and no choice.",
            "knew the trace: yardsticks, no choice.",
        )
        yield said_of(found, *knew)


def few(analysis: Analysis) -> Iterator[str]:
    """Say of how many points few requests lie beyond a percentile that is shown."""
    outcome = analysis.outcome
    if told := [f"{n} ({outcome.thin[n]:,})" for n in analysis.metrics if n in outcome.thin]:
        yield f"{THIN_NOTE}, by points that are done: {joined(told)}."


def _doubt(judged: LoadFront, metric: str) -> str:
    """Return from how many others the repeats do not tell the best, or nothing."""
    found = judged.spreads.get(metric)
    if found is None or not _judges(found) or not found.alike:
        return ""
    return f", not told from {len(found.alike):,} of {found.others:,} by {judged.outcome.repeats}s"


def _by_load(
    analysis: Analysis, metric: str, told: Sequence[tuple[str, str, float, str]]
) -> Iterator[str]:
    """Yield the best of each load; once where it is the same of all."""
    every = {which for _, which, _, _ in told}
    if len(told) > 1 and len(every) == 1:
        found, doubts = [figure for _, _, figure, _ in told], [d for *_, d in told if d]
        ends = dict.fromkeys(figure_text(metric, end) for end in (min(found), max(found)))
        word = analysis.outcome.repeats
        unsure = f", not told from others by {word}s on {len(doubts):,}" if doubts else ""
        yield f"on {_all_loads(analysis, len(told))} {every.pop()} ({' to '.join(ends)}{unsure})"
        return
    for where, which, figure, doubt in told[:_NAMED]:
        yield f"{where} {which} ({figure_text(metric, figure)}{doubt})".lstrip()
    if len(told) > _NAMED:
        yield f"{len(told) - _NAMED:,} more {analysis.each_load}s"


def _all_loads(analysis: Analysis, count: int) -> str:
    return f"both {analysis.each_load}s" if count == 2 else f"all {count:,} {analysis.each_load}s"


def _of_load(analysis: Analysis, judged: LoadFront, draw: Draw) -> Iterator[Any]:
    """Yield what is best under a load, and what seeds say of it."""
    if judged.trace is not None:
        yield Heading(f"On {analysis.names[judged.trace]}")
    yield from draw("front", judged)
    # Where all points are on the front their table is above.
    whole = judged.trace is None and len(judged.front.places) == len(analysis.configurations)
    if judged.front.places and not (whole and len(judged.front.places) <= _POINTS):
        metrics = judged.front.metrics
        rows = (
            {"front": number, **judged.load, **one.settings, **one.means(metrics)}
            for number, one in enumerate(judged.front.best, 1)
        )
        columns = _columns(analysis, judged.outcome.factors, metrics)
        yield Table(rows, [("front", "front"), *columns], most=MOST, units=UNITS)
    told = front(judged.front) if judged.outcome.configurations else ()
    yield from map(Text, [*told, *seeds(analysis, judged)])
    yield from draw("seeds", judged)


def _columns(
    analysis: Analysis, names: Iterable[str], metrics: Iterable[str]
) -> list[tuple[str, Source]]:
    """Return the columns of a configuration: its settings by their short names, then metrics."""
    return analysis.outcome.columns({name: analysis.short[name] for name in names}, metrics)


def _levels(analysis: Analysis) -> Table:
    """Return a row for each level of each parameter: its points, and each metric's mean."""

    def level(row: Mapping[str, Any]) -> str:
        return f"{analysis.short[row['parameter']]} = {level_text(row['from'], row['to'])}"

    columns: list[tuple[str, Source]] = [("main effects", level), ("points", "points")]
    columns += _columns(analysis, (), analysis.metrics)
    more = " levels: --json has them"
    return Table(analysis.levels, columns, most=MOST, more=more, units=UNITS)


def _across(analysis: Analysis) -> Cells:
    """Return a row for each configuration whose worst factor over the loads is the least.

    It says in which metrics that is, then its settings, then its worst factors.
    """
    found = analysis.across
    factors = [name for name in analysis.outcome.factors if not is_load(name)]
    rows = []
    for number, (one, names) in enumerate(found.least):
        whole = ["all"] if number == 0 and len(found.metrics) > 1 else []
        every = len(names) == len(found.metrics) > 1
        rows.append(
            [
                "all, and each of them" if every else ", ".join([*whole, *names]),
                *(value_text(one.settings[name]) for name in factors),
                *(units.factor(one.worst[name].factor) for name in found.metrics),
            ]
        )
    named = (title for title, _ in _columns(analysis, factors, found.metrics))
    return Cells(["nearest to the best", *named], rows)


def _everywhere(analysis: Analysis) -> Table:
    """Return the worst factors of each configuration, for other programs."""
    rows = (
        {
            f"over all {analysis.each_load}s": number,
            **one.settings,
            **{f"{name} worst factor": worst.factor for name, worst in one.worst.items()},
            **{f"{name} worst on": worst.trace for name, worst in one.worst.items()},
        }
        for number, one in enumerate(analysis.across.configurations, 1)
    )
    return Table(rows, {}, units=UNITS)


def intervals(analysis: Analysis, judged: LoadFront) -> Cells | None:
    """Return a row for each configuration with several seeds: its means with intervals."""
    known = {
        metric: dict(zip(map(id, found.configurations), found.estimates, strict=True))
        for metric, found in judged.spreads.items()
    }
    repeated = [one for one in judged.outcome.configurations if len(one.seeds) > 1]
    columns = [
        [settings_text(one.settings, analysis.short) for one in repeated],
        [f"{len(one.seeds):,}" for one in repeated],
        *(
            interval_texts(m, [found.get(id(one)) for one in repeated])
            for m, found in known.items()
        ),
    ]
    rows = list(zip(*columns, strict=True))
    titles = ["configuration", f"{analysis.outcome.repeats}s", *map(analysis.outcome.title, known)]
    return Cells(titles, rows, most=MOST) if rows else None


def points(outcome: Outcome) -> str:
    """Return how many points there are, and of each status."""
    counts = dict(outcome.counts)
    done = counts.pop(DONE, 0)
    others = "".join(f", {count:,} {status}" for status, count in sorted(counts.items()))
    configurations = len(outcome.configurations)
    seeds = f"; {configurations:,} configurations" if configurations < done else ""
    return f"{_counted(outcome.frame.height, 'point')}: {done:,} done{others}{seeds}"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def parameters(outcome: Outcome) -> list[tuple[str, str]]:
    """Return each parameter that was varied with its values, or how many and which range."""
    return [(name, _values(outcome, name)) for name in outcome.factors]


def _values(outcome: Outcome, name: str) -> str:
    values = outcome.frame[name].drop_nulls().unique().to_list()
    numeric = is_numeric(values)
    listed = sorted(values) if numeric else sorted(values, key=str)
    if len(listed) <= _VALUES:
        return ", ".join(map(value_text, listed))
    span = f", {level_text(listed[0], listed[-1])}" if numeric else ""
    return f"{len(listed):,} values{span}"


def missing(analysis: Analysis) -> list[str]:
    """Return a sentence for each metric that some of the points that are done have not."""
    done = analysis.outcome.done.height
    return [
        f"{name}: {lacking:,} of the {done:,} points that are done have no value and are not in "
        f"its figures{_why(name, analysis.outcome)}."
        for name in analysis.metrics
        if (lacking := analysis.outcome.missing(name))
    ]


def _why(metric: str, outcome: Outcome) -> str:
    """Say why points lack a metric that is counted where it is asked for; empty for others."""
    if metric not in COUNTED:
        return ""
    if outcome.missing(metric) == outcome.done.height:
        return f"; a sweep has it where it is asked for, with metric {metric}; {absence(metric)}"
    bound = outcome.done.drop_nulls("dense_bytes")["scheme"].unique().to_list()
    schemes = outcome.done["scheme"].unique(maintain_order=True)
    free = [scheme for scheme in schemes if scheme not in bound]
    return f"; no bound holds for {joined(free)}" if free else f"; {absence(metric)}"


def means(analysis: Analysis) -> list[str]:
    """Return how the means of levels are meant for the points there are."""
    told: list[str] = []
    short, outcome = analysis.short, analysis.outcome
    for metric in analysis.metrics:
        found = analysis.effects[metric]
        if mixed := [short[effect.factor] for effect in found if not effect.balanced]:
            told.append(
                "The points are not a full grid: effects of other parameters are in the means of "
                f"{joined(mixed)}."
            )
        for effect in found:
            count = sum(level.count for level in effect.levels)
            if effect.absent:
                told.append(
                    f"{short[effect.factor]} is a parameter of {count:,} of these "
                    f"{count + effect.absent:,} configurations, and judged among them."
                )
    if len(analysis.judged) > 1 and len(outcome.factors) > 1:
        loads = ", ".join(short[name] for name in outcome.loads)
        named = "The trace" if outcome.loads == [TRACE] else f"The load ({loads})"
        told.append(
            f"{named} cannot be chosen, unlike the other parameters. A mean over "
            f"{analysis.each_load}s is dominated by those with the largest figures."
        )
    return [*dict.fromkeys(told)]


def seeds(analysis: Analysis, judged: LoadFront) -> list[str]:
    """Return what seeds say of each metric on a trace."""
    found = _comparable(judged)
    if not any(each.repeated for each in found):
        return []
    word = judged.outcome.repeats
    still = [each.metric for each in found if each.still]
    nothing = [f"{word.capitalize()}s change nothing in {joined(still)}."] if still else []
    return [*nothing, *(_noise(analysis, each, word) for each in found if _judges(each))]


def seeds_meant(analysis: Analysis) -> list[str]:
    """Return how what seeds say is meant, or that they say nothing."""
    found = [each for judged in analysis.judged for each in _comparable(judged)]
    if found and not any(each.repeated for each in found):
        return ["Each configuration has one seed, so the spread over seeds is not known."]
    return [_intervals(analysis.outcome)] if any(map(_judges, found)) else []


def _comparable(judged: LoadFront) -> list[SeedSpread]:
    return [each for each in judged.spreads.values() if len(each.configurations) > 1]


def _judges(found: SeedSpread) -> bool:
    """Return whether seeds can tell the best of a metric from others."""
    return not found.still and found.best is not None and found.repeated > 0


def _noise(analysis: Analysis, found: SeedSpread, word: str) -> str:
    """Return whether the best of a metric is told from the others by more than seeds do."""
    names = [settings_text(one.settings, analysis.short) for one in found.configurations]
    best = found.best or 0
    told = f"{names[best]}: {interval_text(found.metric, found.estimates[best])}"
    if not found.alike:
        significant = f"differs significantly from all others over the {word}s"
        return f"{found.metric}: the best ({told}) {significant}."
    count = len(found.alike)
    more = f" and {count - _NAMED:,} more" if count > _NAMED else ""
    return (
        f"{found.metric}: the difference between the best ({told}) and {count:,} of "
        f"{found.others:,} others is not significant over the {word}s: "
        f"{'; '.join(names[i] for i in found.alike[:_NAMED])}{more}."
    )


def _intervals(outcome: Outcome) -> str:
    """Return how intervals are meant."""
    word, draws = outcome.repeats, outcome.has_draws
    of = " around the mean of the draws, for another recording of the same length" if draws else ""
    off = (
        " The recording itself is not run, and means of draws may be biased: `compare --resample` "
        "runs it too, with intervals around its own figure."
    )
    return (
        f"Intervals are Student's at {100 * LEVEL:.0f} %{of}. The best is compared with the others "
        f"{word} by {word}, by logarithms of ratios, with Holm's correction over the others of a "
        f"metric.{off if draws else ''}"
    )


def front(found: Front) -> Iterator[str]:
    """Yield what is on the front, and what could not be judged."""
    if found.loads:
        are = "is" if len(found.loads) == 1 else "are"
        yield (
            f"No front: {joined(list(found.loads))} {are} the load, which cannot be chosen, "
            "and few configurations have the same."
        )
    for names, why, then in (
        (found.without, "all points have the same or none", ""),
        (found.absent, "some configurations have none", "; --metric takes them in"),
        (found.neutral, "neither less nor more is better", ""),
    ):
        if names:
            yield f"Not in the front, since {why}: {', '.join(names)}{then}."
    if found.left_out:
        counted = _counted(found.left_out, "configuration")
        yield f"{counted} without one of the front's metrics: not judged."
    if found.broken:
        yield f"{_counted(found.broken, 'configuration')} out of bounds: not on the front."
    if found.goals:
        yield (
            f"{len(found.places):,} of {len(found.configurations):,} configurations "
            f"{'is' if len(found.places) == 1 else 'are'} on the front of "
            f"{joined(found.metrics)}: none is at least as good in all of them and better in one."
        )


def across(analysis: Analysis) -> Iterator[str]:
    """Yield which configuration is good under all loads, and what could not be judged."""
    found, word = analysis.across, analysis.each_load
    if not found.configurations:
        if found.metrics:
            yield f"No configuration has figures on all {word}s."
        return
    one = found.configurations[0]
    name = settings_text(one.settings, analysis.short)
    where = f"on {_all_loads(analysis, len(analysis.judged))}"
    if one.factor == 1:
        yield f"The best {where}, in every metric, is {name}."
    else:
        worst = one.worst[one.greatest]
        yield (
            f"The nearest to the best {where} is {name}: at worst {units.factor(worst.factor)}, in "
            f"{one.greatest} on {analysis.names[worst.trace]}."
        )
    yield (
        f"A factor says how many times worse a mean is than the best on the same {word}. The table "
        f"has the configurations whose largest factor over the {word}s is smallest. Seeds are not "
        "taken into account."
    )
    if found.zero:
        yield f"No factors of what is 0 somewhere: {', '.join(found.zero)}."
    if found.absent:
        yield f"No factors of what some configurations have none of: {', '.join(found.absent)}."
    if found.left_out:
        counted = _counted(found.left_out, "configuration")
        yield f"{counted} without figures on all {word}s: not judged over them."
