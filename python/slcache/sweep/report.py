"""The report of a study: one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from matplotlib.figure import Figure

from slcache import pages
from slcache.metrics import named
from slcache.plots import effects as effects_figure
from slcache.plots import heat_map, style
from slcache.plots import pareto as pareto_figure
from slcache.plots import spread as spread_figure
from slcache.report import Picture
from slcache.study import sentences, show, wording
from slcache.study.analysis import Analysis


def render(
    analysis: Analysis,
    title: str,
    asked: str = "",
    *,
    notes: Sequence[str] = (),
    first: Sequence[Picture] = (),
) -> str:
    """Return the page; `asked` is the study as it was asked for, in TOML.

    `notes` and the pictures `first` come before all else.
    """
    outcome = analysis.outcome
    short = wording.short_names(outcome.factors)
    seeds = show.seeds(analysis, short)
    return pages.render(
        "sweep.html.j2",
        title=title,
        counts=sentences.points(outcome),
        notes=[*notes, *sentences.missing(analysis)],
        varied=show.varied(outcome),
        fixed=[(name, wording.setting(value)) for name, value in outcome.fixed.items()],
        reasons=[[status, f"{count:,}", reason] for status, reason, count in outcome.reasons()],
        metrics=[(name, named(name).summary, named(name).goal or "–") for name in analysis.metrics],
        front_notes=list(sentences.front(analysis.front)),
        front_columns=[*(short[n] for n in outcome.factors), *analysis.front.metrics],
        front=show.front(analysis)[: show.MOST],
        front_more=max(0, len(analysis.front.places) - show.MOST),
        front_picture=_front(analysis),
        first=list(first),
        names=list(analysis.metrics),
        shares=show.shares(analysis, short) if len(outcome.factors) > 1 else [],
        design=sentences.design(analysis),
        sections=[(name, list(_section(analysis, name, short))) for name in analysis.metrics],
        seeds_notes=sentences.seeds(analysis, short),
        seeds=seeds[: show.MOST],
        seeds_more=max(0, len(seeds) - show.MOST),
        seeds_pictures=list(_spreads(analysis, short)),
        asked=asked,
    )


def front_figure(analysis: Analysis) -> Figure:
    """Draw the front, each scheme in its colour where schemes are varied."""
    found = analysis.front
    by_scheme = "scheme" in analysis.outcome.factors
    return pareto_figure.draw(
        found.metrics,
        found.goals,
        found.points,
        found.places,
        [str(c.settings["scheme"]) for c in found.configurations] if by_scheme else [],
    )


def _front(analysis: Analysis) -> Picture:
    title = "Pareto front"
    svg = style.svg(front_figure(analysis), "front", title)
    more = len(analysis.front.metrics) - pareto_figure.MOST
    return Picture(
        title,
        svg,
        "Each panel shows two of the metrics; an arrow says where better is. In a panel a point "
        "of the front may look dominated: it is better in another metric."
        + (f" {more} more metrics are judged, and not drawn." if more > 0 else ""),
    )


def _section(analysis: Analysis, metric: str, short: Mapping[str, str]) -> Iterator[Picture]:
    """Yield a metric's figures: main effects, and a map of two parameters."""
    found = analysis.effects[metric]
    if not found.effects:
        return
    title = f"Main effects on {metric}"
    said = ["A level's mean is over all other parameters.", *sentences.effects(found, short)]
    hidden = len(found.effects) - effects_figure.MOST
    if hidden > 0:
        said.append(f"Not drawn are the {hidden} parameters that explain least.")
    figure = effects_figure.draw(metric, found, short)
    yield Picture(title, style.svg(figure, f"effects-{metric}", title), " ".join(said))
    over = analysis.map(metric)
    if over is not None:
        title = f"{metric} over {short[over.across]} and {short[over.up]}"
        figure = heat_map.draw(metric, over.across, over.up, over.panels)
        yield Picture(
            title,
            style.svg(figure, f"map-{metric}", title),
            "The two parameters that explain most; a cell is the mean of all points there, over "
            "all else, and a dash where there is none.",
        )


def _spreads(analysis: Analysis, short: Mapping[str, str]) -> Iterator[Picture]:
    """Yield a figure for each metric that seeds change."""
    for metric, found in analysis.spreads.items():
        if not found.repeated or found.still:
            continue
        names = [wording.configuration(one, short) for one in found.configurations]
        title = f"{metric} over the seeds"
        figure = spread_figure.draw(found, names, most_is_best=named(metric).goal == "max")
        hidden = len(names) - spread_figure.MOST
        caption = f"Of {len(names):,} configurations, the first {spread_figure.MOST}."
        svg = style.svg(figure, f"seeds-{metric}", title)
        yield Picture(title, svg, caption if hidden > 0 else "All configurations, in order.")
