"""A study in sentences and tables, the same on the terminal and in the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from slcache.metrics import COUNTED, absence
from slcache.sentences import wording as words
from slcache.study import spread, wording
from slcache.study.analysis import Analysis
from slcache.study.effects import Effect, is_numeric
from slcache.study.fronts import Front, Judged, Rated
from slcache.study.outcome import DONE, TRACE, Configuration, Outcome, is_load
from slcache.study.spread import Estimate, Spread
from slcache.words import units

_NAMED = 5


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
    return f"; no bound holds for {words.listed(free)}" if free else f"; {absence(metric)}"


def means(analysis: Analysis, short: Mapping[str, str]) -> list[str]:
    """Return how the means of levels are meant for the points there are."""
    told = [line for name in analysis.metrics for line in _means(analysis.effects[name], short)]
    if len(analysis.judged) > 1 and len(analysis.outcome.factors) > 1:
        word, loads = analysis.each_load, [short[name] for name in analysis.outcome.loads]
        named = (
            "The trace is a parameter"
            if loads == [TRACE]
            else (f"What the load is ({', '.join(loads)}) is a parameter")
        )
        told.append(
            f"{named} here as others are, though none that can be chosen: a mean over {word}s is "
            "above all that of those with the greatest figures."
        )
    return [*dict.fromkeys(told)]


def _means(found: Sequence[Effect], short: Mapping[str, str]) -> Iterator[str]:
    mixed = [short[effect.factor] for effect in found if not effect.balanced]
    if mixed:
        yield (
            "The points are no full grid: what other parameters do is in the means of "
            f"{words.listed(mixed)}."
        )
    for effect in found:
        count = sum(level.count for level in effect.levels)
        if effect.absent:
            yield (
                f"{short[effect.factor]} is a parameter of {count:,} of these "
                f"{count + effect.absent:,} configurations, and judged among them."
            )


def seeds(judged: Judged, short: Mapping[str, str]) -> list[str]:
    """Return what seeds say of each metric on a trace."""
    found = _comparable(judged)
    if not any(each.repeated for each in found):
        return []
    word = judged.outcome.repeats
    still = [each.metric for each in found if each.still]
    told = [sentence for each in found if (sentence := _noise(each, short, word))]
    nothing = f"{word.capitalize()}s change nothing in"
    return [*([f"{nothing} {words.listed(still)}."] if still else []), *told]


def seeds_meant(analysis: Analysis) -> list[str]:
    """Return how what seeds say is meant, or that they say nothing."""
    found = [each for judged in analysis.judged for each in _comparable(judged)]
    if found and not any(each.repeated for each in found):
        return ["Each configuration has one seed: how far seeds spread the figures is not known."]
    return [_intervals(analysis.outcome)] if any(_judges(each) for each in found) else []


def _comparable(judged: Judged) -> list[Spread]:
    return [each for each in judged.spreads.values() if len(each.configurations) > 1]


def _judges(found: Spread) -> bool:
    """Return whether seeds can tell the best of a metric from others."""
    return not found.still and found.best is not None and found.repeated > 0


def _noise(found: Spread, short: Mapping[str, str], word: str) -> str:
    """Return whether the best of a metric is told from the others by more than seeds do."""
    metric = found.metric
    if found.best is None or not _judges(found):
        return ""
    best = found.estimates[found.best]
    value = wording.interval(metric, best.mean, best.half)
    name = wording.configuration(found.configurations[found.best], short)
    if not found.alike:
        return (
            f"{metric}: the best ({name}: {value}) differs from each other by more than {word}s do."
        )
    alike = [wording.configuration(found.configurations[i], short) for i in found.alike]
    more = f" and {len(alike) - _NAMED:,} more" if len(alike) > _NAMED else ""
    return (
        f"{metric}: the difference between the best ({name}: {value}) and "
        f"{len(alike):,} of {len(found.configurations) - 1:,} others lies inside the noise of the "
        f"{word}s: {'; '.join(alike[:_NAMED])}{more}."
    )


def _intervals(outcome: Outcome) -> str:
    """Return how intervals are meant."""
    word, draws = outcome.repeats, outcome.has_draws
    of = " around the mean of the draws, for another recording of the same length" if draws else ""
    off = (
        " The recording itself is not run, and means of draws may lie off it: `compare --resample` "
        "runs it too, and its intervals lie around its own figure."
    )
    return (
        f"Intervals are Student's at {100 * spread.LEVEL:.0f} %{of}. The best is held against the "
        f"others {word} by {word}, by the logarithms of ratios: all others of a metric together "
        f"(Holm), each metric by itself.{off if draws else ''}"
    )


def front(found: Front) -> Iterator[str]:
    """Yield what is on the front, and what could not be judged."""
    if found.loads:
        are = "is" if len(found.loads) == 1 else "are"
        yield (
            f"No front: {words.listed(list(found.loads))} {are} the load, which cannot be chosen, "
            "and few configurations have the same."
        )
    if found.without:
        names = ", ".join(found.without)
        yield f"Not in the front, since all points have the same or none: {names}."
    if found.absent:
        names = ", ".join(found.absent)
        yield (
            f"Not in the front, since some configurations have none: {names}; --metric takes "
            "them in."
        )
    if found.neutral:
        names = ", ".join(found.neutral)
        yield f"Not in the front, since neither less nor more is better: {names}."
    if found.left_out:
        yield (
            f"{_counted(found.left_out, 'configuration')} without one of the front's metrics: "
            "not judged."
        )
    if found.broken:
        yield f"{_counted(found.broken, 'configuration')} out of bounds: not on the front."
    if found.metrics:
        yield (
            f"{len(found.places):,} of {len(found.configurations):,} configurations are on the "
            f"front of {words.listed(list(found.metrics))}: none is at least as good in all of "
            "them and better in one."
        )


def across(analysis: Analysis, short: Mapping[str, str]) -> Iterator[str]:
    """Yield which configuration is good under all loads, and what could not be judged."""
    found, word = analysis.across, analysis.each_load
    if not found.configurations:
        if found.metrics:
            yield f"No configuration has figures on all {word}s."
        return
    yield _nearest(analysis, found.configurations[0], short)
    yield (
        f"A factor says how many times worse a mean is than the best on the same {word}; those "
        f"here are the greatest over the {word}s, of the configurations for which they are least. "
        "What seeds do to them is not judged."
    )
    if found.zero:
        yield f"No factors of what is 0 somewhere: {', '.join(found.zero)}."
    if found.absent:
        yield f"No factors of what some configurations have none of: {', '.join(found.absent)}."
    if found.left_out:
        yield (
            f"{_counted(found.left_out, 'configuration')} without figures on all {word}s: not "
            "judged over them."
        )


def _nearest(analysis: Analysis, one: Rated, short: Mapping[str, str]) -> str:
    """Return which configuration is the nearest to the best under all loads, and how near."""
    name = wording.settings(one.settings, short)
    where = f"on all {len(analysis.judged):,} {analysis.each_load}s"
    if one.factor == 1:
        return f"The best {where}, in every metric, is {name}."
    worst = one.worst[one.greatest]
    names = wording.files([str(each.trace) for each in analysis.judged])
    return (
        f"The nearest to the best {where} is {name}: at worst {units.factor(worst.factor)}, in "
        f"{one.greatest} on {names[worst.trace]}."
    )


#: A table has so many rows at most; the rest is told by number.
MOST = 60
_VALUES = 12

Rows = list[list[str]]


def varied(outcome: Outcome) -> list[tuple[str, str]]:
    """Return each parameter that was varied with its values, or how many and which range."""
    return [(name, _values(outcome, name)) for name in outcome.factors]


def _values(outcome: Outcome, name: str) -> str:
    values = outcome.frame[name].drop_nulls().unique().to_list()
    numeric = is_numeric(values)
    listed = sorted(values) if numeric else sorted(values, key=str)
    if len(listed) <= _VALUES:
        return ", ".join(map(wording.setting, listed))
    if not numeric:
        return f"{len(listed):,} values"
    return f"{len(listed):,} values, {wording.level(listed[0], listed[-1])}"


def effect_rows(analysis: Analysis, short: Mapping[str, str]) -> Rows:
    """Return a row for each level of each parameter: name, points, and each metric's mean."""
    return [
        [
            f"{short[row['parameter']]} = {wording.level(row['from'], row['to'])}",
            f"{row['points']:,}",
            *(wording.figure(metric, row.get(metric)) for metric in analysis.metrics),
        ]
        for row in analysis.levels
    ]


def point_rows(analysis: Analysis) -> Rows:
    """Return a row for each configuration, the best first: its settings, then its metrics."""
    return _rows(analysis.ranked, analysis.metrics)


def front_rows(judged: Judged) -> Rows:
    """Return a row for each configuration on the front: its settings, then its metrics."""
    return _rows(judged.front.best, judged.front.metrics)


def _rows(configurations: Sequence[Configuration], metrics: Sequence[str]) -> Rows:
    return [
        [
            *map(wording.setting, one.settings.values()),
            *(wording.figure(metric, one.mean(metric)) for metric in metrics),
        ]
        for one in configurations
    ]


def across_rows(analysis: Analysis) -> Rows:
    """Return a row for each configuration whose worst factor over the loads is the least.

    It says in which metrics that is, then its settings, then its worst factors.
    """
    found = analysis.across
    factors = [name for name in analysis.outcome.factors if not is_load(name)]
    return [
        [
            _nearest_in(names, found.metrics, whole=number == 0),
            *(wording.setting(one.settings[name]) for name in factors),
            *(units.factor(one.worst[name].factor) for name in found.metrics),
        ]
        for number, (one, names) in enumerate(found.least)
    ]


def _nearest_in(names: Sequence[str], metrics: Sequence[str], *, whole: bool) -> str:
    if len(names) == len(metrics) > 1:
        return "all, and each of them"
    return ", ".join((["all"] if whole and len(metrics) > 1 else []) + list(names))


def across_columns(analysis: Analysis, short: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return the titles of the columns of `across` behind the first: settings, and metrics."""
    factors = [short[name] for name in analysis.outcome.factors if not is_load(name)]
    return factors, list(analysis.across.metrics)


def seed_rows(judged: Judged, short: Mapping[str, str]) -> Rows:
    """Return a row for each configuration with several seeds: its means with intervals."""
    known = {
        metric: dict(zip(map(id, spread.configurations), spread.estimates, strict=True))
        for metric, spread in judged.spreads.items()
    }
    return [
        [
            wording.configuration(one, short),
            f"{len(one.seeds):,}",
            *(_interval(metric, found.get(id(one))) for metric, found in known.items()),
        ]
        for one in judged.outcome.configurations
        if len(one.seeds) > 1
    ]


def _interval(metric: str, found: Estimate | None) -> str:
    return "–" if found is None else wording.interval(metric, found.mean, found.half)
