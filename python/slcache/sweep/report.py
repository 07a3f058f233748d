"""The report of a study: one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from slcache.charts import page
from slcache.charts import study as charts
from slcache.metrics import named
from slcache.report.figures import Picture
from slcache.study import sentences, show, wording
from slcache.study.analysis import Analysis
from slcache.study.outcome import TRACE
from slcache.sweep import of_traces, page_points
from slcache.sweep.study import Study


def render(
    analysis: Analysis,
    title: str,
    asked: str = "",
    *,
    study: Study | None = None,
    notes: Sequence[str] = (),
    first: Sequence[Picture] = (),
) -> str:
    """Return the page; `asked` is the study as it was asked for, in TOML.

    With `study` the page tells the command of each point.

    `notes` and the pictures `first` come before all else.
    """
    outcome = analysis.outcome
    short = wording.short_names(outcome.factors)
    return page.render(
        "sweep.html.j2",
        title=title,
        state=outcome.state,
        counts=sentences.points(outcome),
        notes=[*notes, *sentences.missing(analysis)],
        varied=show.varied(outcome),
        fixed=[(name, wording.setting(value)) for name, value in outcome.fixed.items()],
        reasons=[[status, f"{count:,}", reason] for status, reason, count in outcome.reasons()],
        metrics=[(name, named(name).summary, named(name).goal or "–") for name in analysis.metrics],
        each_load=analysis.each_load,
        fronts=of_traces.fronts(analysis, short),
        across=of_traces.across(analysis, short) if len(analysis.judged) > 1 else None,
        first=list(first),
        means=sentences.means(analysis, short),
        sections=[(name, list(_section(analysis, name, short))) for name in analysis.metrics],
        seeds=[each for each in of_traces.spreads(analysis, short) if each.notes or each.rows],
        repeats=outcome.repeats,
        seeds_meant=sentences.seeds_meant(analysis) if len(analysis.judged) > 1 else [],
        not_drawn=of_traces.not_drawn(analysis),
        asked=asked,
        points=page_points.told(analysis, short, study),
        points_note=page_points.note(analysis),
    )


def _section(analysis: Analysis, metric: str, short: Mapping[str, str]) -> Iterator[Picture]:
    """Yield a metric's figures: main effects, and a map of two parameters."""
    found = analysis.effects[metric]
    if not found:
        return
    title = f"Main effects on {metric}"
    said = "A level's mean is over all other parameters; bars hold the middle half of its points."
    hidden = len(found) - charts.EFFECTS_MOST
    if hidden > 0:
        said += f" Not drawn are the {hidden} parameters whose means lie nearest together."
    yield Picture(title, page.chart(charts.effects(metric, found, short), title), said)
    over = analysis.map(metric)
    if over is not None:
        title = f"{metric} over {short[over.across]} and {short[over.up]}"
        drawn = charts.heat_map(metric, over.across, over.up, over.panels)
        left = TRACE in analysis.outcome.factors and TRACE not in (over.across, over.up)
        yield Picture(
            title,
            page.chart(drawn, title),
            "The two parameters whose means lie furthest apart"
            f"{', the trace left aside' if left else ''}; a cell is the mean of all points there, "
            "over all else, and a dash where there is none.",
        )
