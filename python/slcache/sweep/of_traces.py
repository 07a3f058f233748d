"""What a study's report has of each trace: the front, and how far seeds spread the metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from slcache.charts import page
from slcache.charts import study as charts
from slcache.charts.spec import Spec
from slcache.metrics import named
from slcache.report.figures import Picture
from slcache.study import sentences, show, wording
from slcache.study.analysis import Analysis
from slcache.study.judged import Judged
from slcache.sweep import page_points

#: So many traces have pictures, the first: each takes its time to draw and its room on the page.
DRAWN = 8


@dataclass(frozen=True)
class Part:
    """What is told of a trace: pictures, sentences and a table."""

    #: Empty where the study has one trace.
    trace: str
    pictures: Sequence[Picture]
    notes: Sequence[str]
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    #: Rows that are not listed.
    more: int


def fronts(analysis: Analysis, short: Mapping[str, str]) -> list[Part]:
    """Return the front of each trace."""
    schemes = _schemes(analysis)
    return [
        _part(
            trace,
            [_front(judged, trace, schemes, short)] if number < DRAWN else [],
            list(sentences.front(judged.front)),
            [*(short[n] for n in judged.outcome.factors), *judged.front.metrics],
            show.front(judged),
        )
        for number, (trace, judged) in enumerate(_named(analysis))
    ]


def spreads(analysis: Analysis, short: Mapping[str, str]) -> list[Part]:
    """Return what seeds say of each trace; where there is one, how that is meant too."""
    meant = sentences.seeds_meant(analysis) if len(analysis.judged) == 1 else []
    return [
        _part(
            trace,
            list(_spreads(judged, trace, short)) if number < DRAWN else [],
            [*sentences.seeds(judged, short), *meant],
            ["configuration", f"{analysis.outcome.repeats}s", *analysis.metrics],
            show.seeds(judged, short),
        )
        for number, (trace, judged) in enumerate(_named(analysis))
    ]


def across(analysis: Analysis, short: Mapping[str, str]) -> Part:
    """Return which configurations are good on all traces."""
    settings, metrics = show.across_columns(analysis, short)
    columns = ["nearest to the best in", *settings, *metrics]
    return _part("", [], list(sentences.across(analysis, short)), columns, show.across(analysis))


def not_drawn(analysis: Analysis) -> str:
    """Return how many loads have no pictures; nothing where all have."""
    count, word = len(analysis.judged), analysis.each_load
    return f"Pictures are of the first {DRAWN} of {count} {word}s." if count > DRAWN else ""


def _named(analysis: Analysis) -> Iterator[tuple[str, Judged]]:
    """Yield what is judged with the trace's short name, empty where there is one."""
    names = wording.files([each.trace for each in analysis.judged if each.trace is not None])
    for each in analysis.judged:
        yield "" if each.trace is None else names[each.trace], each


def _part(
    trace: str,
    pictures: Sequence[Picture],
    notes: Sequence[str],
    columns: Sequence[str],
    rows: show.Rows,
) -> Part:
    more = max(0, len(rows) - show.MOST)
    return Part(trace, pictures, notes, columns, rows[: show.MOST], more)


def _schemes(analysis: Analysis) -> list[str]:
    """Return the schemes in the order of their colours, which are the same on all traces."""
    found = (c for each in analysis.judged for c in each.front.configurations)
    if "scheme" not in analysis.outcome.factors:
        return []
    return list(dict.fromkeys(str(one.settings["scheme"]) for one in found))


def front_chart(
    judged: Judged, schemes: Sequence[str] = (), told: Sequence[tuple[str, str]] = ()
) -> Spec:
    """Draw a front, each scheme in its colour where schemes are varied, in this order if any.

    `told` is what each point is called, and where the page tells more of it.
    """
    found = judged.front
    by_scheme = "scheme" in judged.outcome.factors
    return charts.front(
        found.metrics,
        found.goals,
        found.points,
        found.places,
        [str(c.settings["scheme"]) for c in found.configurations] if by_scheme else [],
        schemes,
        told,
    )


def _titled(title: str, trace: str) -> str:
    return f"{title} on {trace}" if trace else title


def _front(judged: Judged, trace: str, schemes: Sequence[str], short: Mapping[str, str]) -> Picture:
    title = _titled("Pareto front", trace)
    told = [
        (page_points.name(judged, one, short), f"#point-{one.number}")
        for one in judged.front.configurations
    ]
    drawn = front_chart(judged, schemes, told)
    more = len(judged.front.metrics) - charts.FRONT_MOST
    return Picture(
        title,
        page.chart(drawn, title),
        "Each panel shows two of the metrics; an arrow says where better is. Diamonds are the "
        "front, dots what it dominates. In a panel a point "
        "of the front may look dominated: it is better in another metric."
        + (f" {more} more metrics are judged, and not drawn." if more > 0 else ""),
    )


def _spreads(judged: Judged, trace: str, short: Mapping[str, str]) -> Iterator[Picture]:
    """Yield a figure for each metric that seeds change."""
    for metric, found in judged.spreads.items():
        if not found.repeated or found.still:
            continue
        names = [wording.configuration(one, short) for one in found.configurations]
        title = _titled(f"{metric} over the {judged.outcome.repeats}s", trace)
        drawn = charts.spread(found, names, most_is_best=named(metric).goal == "max")
        hidden = len(names) - charts.SPREAD_MOST
        caption = f"Of {len(names):,} configurations, the first {charts.SPREAD_MOST}."
        shown = page.chart(drawn, title)
        yield Picture(title, shown, caption if hidden > 0 else "All configurations, in order.")
