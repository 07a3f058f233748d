"""The report of a study: one self-contained HTML page, with the command of each point."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slcache import catalogue
from slcache.charts import page
from slcache.charts import study as charts
from slcache.charts.spec import Spec
from slcache.execute import given
from slcache.metrics import named
from slcache.report.figures import Picture
from slcache.study import show, wording
from slcache.study.analysis import Analysis
from slcache.study.fronts import Judged
from slcache.study.outcome import DRAW, INPUTS, TRACE, Configuration
from slcache.sweep.axes import Value, plain
from slcache.sweep.points import READER, WORKLOAD, all_schemes
from slcache.sweep.study import BOUND, Study


def tells(study: Study, factors: Sequence[str]) -> bool:
    """Return whether a study varies all that a table does: whoever edits one may not the other."""
    return set(factors) <= {*study.keys, *INPUTS}


def of_row(study: Study, row: Mapping[str, Any]) -> str | None:
    """Return the command; None where no command can say what was run.

    That is a trace or device that was given as a dict, or a setting that is a table or list.
    """
    trace, device = _path(study.traces, row["trace"]), _path(study.devices, row["device"])
    settings = _settings(study, row)
    if trace is None or device is None or not all(isinstance(v, Value) for v in settings.values()):
        return None
    words = ["slcache", "run", trace, "--device", device, "--scheme", row["scheme"]]
    words += [] if study.config is None else ["--config", study.config]
    words += [] if study.replay is None else ["--replay", study.replay]
    for key, value in settings.items():
        words += ["--set", f"{key}={_said(value)}"]
    words += of_options({k: _said(v) for k, v in _options(study, trace, row).items()})
    if study.repeats > 1 or study.seed is not None:
        words += ["--seed", str(row["seed"])]
    return shlex.join(words)


def of_options(options: Mapping[str, str]) -> list[str]:
    """Return the words for options of a trace's reader, keys of a workload among them."""
    return [
        word
        for key, said in options.items()
        for word in (
            ("--workload", f"{key.removeprefix(WORKLOAD)}={said}")
            if key.startswith(WORKLOAD)
            else ("--trace-option", f"{key}={said}")
        )
    ]


def _path(texts: Sequence[str], label: object) -> str | None:
    found = next((text for text in texts if given.label(text) == label), None)
    return None if found is None else given.path_of(found)


def _settings(study: Study, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the point's keys of the configuration, those that were set before those varied."""
    own = catalogue.settings_for(study.settings, row["scheme"], all_schemes(study))
    counted = {BOUND: True} if study.counts_bound and BOUND not in own else {}
    varied = {k: v for k, v in _varied(study, row).items() if not k.startswith((READER, WORKLOAD))}
    return {**own, **counted, **varied}


def _options(study: Study, trace: str, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options of the trace's reader, with the draw that the point is of."""
    varied = _varied(study, row).items()
    told = {k.removeprefix(READER): v for k, v in varied if k.startswith((READER, WORKLOAD))}
    options = {**study.trace_options, **told}
    return study.drawn(trace)(options, row.get(DRAW)) or {}


def _varied(study: Study, row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: row[key] for key in study.keys if row.get(key) is not None}


def _said(value: Any) -> str:  # noqa: ANN401
    """Return a value as options spell it; a column of numbers has whole ones with a point."""
    whole = isinstance(value, float) and value.is_integer()
    return plain(int(value) if whole else value)


#: The page tells the commands of so many points, the first: they would be most of it.
_MOST = 1000


@dataclass(frozen=True)
class Point:
    """A configuration: the row of the table, from 1, that first has it, and what is told of it."""

    number: int
    name: str
    figures: str
    #: None where no command can say what was run.
    command: str | None


def name(judged: Judged, one: Configuration, short: Mapping[str, str]) -> str:
    """Return what a configuration is called on a page of several loads."""
    return wording.settings({**judged.load, **one.settings}, short)


def told(analysis: Analysis, short: Mapping[str, str], study: Study | None) -> list[Point]:
    """Return what the page tells of each point."""
    known = study if study and tells(study, analysis.outcome.factors) else None
    points: list[Point] = []
    for judged in analysis.judged:
        shown = judged.front.metrics
        for one in judged.front.configurations if shown else ():
            figures = ", ".join(f"{n} {wording.figure(n, one.mean(n))}" for n in shown)
            row = analysis.outcome.row(one.number)
            command = of_row(known, row) if known and len(points) < _MOST else None
            points.append(Point(one.number, name(judged, one, short), figures, command))
    return points


def note(analysis: Analysis) -> str:
    """Return what is to be said of figures beside commands; nothing where each has one run."""
    several = any(len(one.seeds) > 1 for one in analysis.outcome.configurations)
    repeat = analysis.outcome.repeats
    return f"Figures are means over the {repeat}s; the command runs the first." if several else ""


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
            list(show.front(judged.front)),
            [*(short[n] for n in judged.outcome.factors), *judged.front.metrics],
            show.front_rows(judged),
        )
        for number, (trace, judged) in enumerate(_named(analysis))
    ]


def spreads(analysis: Analysis, short: Mapping[str, str]) -> list[Part]:
    """Return what seeds say of each trace; where there is one, how that is meant too."""
    meant = show.seeds_meant(analysis) if len(analysis.judged) == 1 else []
    return [
        _part(
            trace,
            list(_spreads(judged, trace, short)) if number < DRAWN else [],
            [*show.seeds(judged, short), *meant],
            ["configuration", f"{analysis.outcome.repeats}s", *analysis.metrics],
            show.seed_rows(judged, short),
        )
        for number, (trace, judged) in enumerate(_named(analysis))
    ]


def across(analysis: Analysis, short: Mapping[str, str]) -> Part:
    """Return which configurations are good on all traces."""
    settings, metrics = show.across_columns(analysis, short)
    columns = ["nearest to the best in", *settings, *metrics]
    return _part("", [], list(show.across(analysis, short)), columns, show.across_rows(analysis))


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
        (name(judged, one, short), f"#point-{one.number}") for one in judged.front.configurations
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
        counts=show.points(outcome),
        notes=[*notes, *show.missing(analysis)],
        varied=show.varied(outcome),
        fixed=[(name, wording.setting(value)) for name, value in outcome.fixed.items()],
        reasons=[[status, f"{count:,}", reason] for status, reason, count in outcome.reasons()],
        metrics=[(name, named(name).summary, named(name).goal or "–") for name in analysis.metrics],
        each_load=analysis.each_load,
        fronts=fronts(analysis, short),
        across=across(analysis, short) if len(analysis.judged) > 1 else None,
        first=list(first),
        means=show.means(analysis, short),
        sections=[(name, list(_section(analysis, name, short))) for name in analysis.metrics],
        seeds=[each for each in spreads(analysis, short) if each.notes or each.rows],
        repeats=outcome.repeats,
        seeds_meant=show.seeds_meant(analysis) if len(analysis.judged) > 1 else [],
        not_drawn=not_drawn(analysis),
        asked=asked,
        points=told(analysis, short, study),
        points_note=note(analysis),
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
