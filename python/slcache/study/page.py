"""The page of a study: what is shown of it, with pictures and the command of each point."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup
from rich.text import Text

from slcache import catalogue
from slcache.charts import pictures
from slcache.charts import study as charts
from slcache.charts.spec import Spec
from slcache.metrics import metric_of
from slcache.options import content
from slcache.study import show
from slcache.study.analysis import Analysis
from slcache.study.axes import Value, plain
from slcache.study.fronts import LoadFront
from slcache.study.model import BOUND, Study
from slcache.study.outcome import DRAW, INPUTS, TRACE, figure_text, settings_text, value_text
from slcache.study.points import READER, WORKLOAD, all_schemes
from slcache.tables.table import Cells

#: So many loads have pictures, the first: each takes its time to draw and its room on the page.
DRAWN = 8
#: The page tells the commands of so many points, the first: they would be most of it.
_MOST = 1000


def command(
    trace: str,
    device: str,
    scheme: str,
    *,
    config: str | None = None,
    replay: str | None = None,
    settings: Mapping[str, str] | None = None,
    options: Mapping[str, str] | None = None,
    seed: int | None = None,
) -> str:
    """Return the command that runs a point; options of a workload begin with `workload.`."""
    pairs = [("--device", device), ("--scheme", scheme), ("--config", config), ("--replay", replay)]
    pairs += [("--set", f"{key}={said}") for key, said in (settings or {}).items()]
    for key, said in (options or {}).items():
        own = key.removeprefix(WORKLOAD)
        pairs.append(("--trace-option" if own == key else "--workload", f"{own}={said}"))
    pairs.append(("--seed", None if seed is None else str(seed)))
    words = (word for name, said in pairs if said is not None for word in (name, said))
    return shlex.join(["slcache", "run", trace, *words])


def tells(study: Study, factors: Sequence[str]) -> bool:
    """Return whether a study varies all that a table does: whoever edits one may not the other."""
    return set(factors) <= {*study.keys, *INPUTS}


def of_row(study: Study, row: Mapping[str, Any]) -> str | None:
    """Return the command of a row; None where no command can say what was run.

    That is a trace or device that was given as a dict, or a setting that is a table or list.
    """
    trace, device = _path(study.traces, row["trace"]), _path(study.devices, row["device"])
    varied = {key: row[key] for key in study.keys if row.get(key) is not None}
    own = {k: v for k, v in varied.items() if k.startswith((READER, WORKLOAD))}
    fixed = catalogue.settings_for(study.fixed, row["scheme"], all_schemes(study))
    counted = {BOUND: True} if study.counts_bound and BOUND not in fixed else {}
    settings = {**fixed, **counted, **{k: v for k, v in varied.items() if k not in own}}
    if trace is None or device is None or not all(isinstance(v, Value) for v in settings.values()):
        return None
    options = {**study.reader(), **{k.removeprefix(READER): v for k, v in own.items()}}
    drawn = study.drawn(trace)(options, row.get(DRAW)) or {}
    return command(
        trace,
        device,
        row["scheme"],
        config=study.keys_file,
        replay=study.replay,
        settings={key: _said(value) for key, value in settings.items()},
        options={key: _said(value) for key, value in drawn.items()},
        seed=row["seed"] if study.repeats > 1 or study.seed is not None else None,
    )


def _path(texts: Sequence[str], label: object) -> str | None:
    found = next((text for text in texts if content.label(text) == label), None)
    return None if found is None else content.path_of(found)


def _said(value: Any) -> str:  # noqa: ANN401
    """Return a value as options spell it; a column of numbers has whole ones with a point."""
    whole = isinstance(value, float) and value.is_integer()
    return plain(int(value) if whole else value)


def _points(analysis: Analysis, study: Study | None) -> Iterator[dict[str, Any]]:
    """Yield what the page tells of each point: its row in the table, from 1, and its command."""
    known = study if study and tells(study, analysis.outcome.factors) else None
    left = _MOST
    for judged in analysis.judged:
        for one in judged.front.configurations:
            means = one.means(judged.front.metrics).items()
            row = analysis.outcome.row(one.number)
            yield {
                "number": one.number,
                "name": _name(analysis, judged, one.settings),
                "figures": ", ".join(f"{name} {figure_text(name, of)}" for name, of in means),
                "command": of_row(known, row) if known and left > 0 else None,
            }
            left -= 1


def _name(analysis: Analysis, judged: LoadFront, settings: Mapping[str, Any]) -> str:
    return settings_text({**judged.load, **settings}, analysis.short)


def _metric(name: str) -> tuple[str, str, str]:
    return name, metric_of(name).summary, metric_of(name).goal or "–"


def _note(analysis: Analysis) -> str:
    """Return what is said of figures beside commands; nothing where each has one run."""
    several = any(len(one.seeds) > 1 for one in analysis.outcome.configurations)
    repeat = analysis.outcome.repeats
    return f"Figures are means over the {repeat}s; the command runs the first." if several else ""


def front_chart(
    judged: LoadFront, schemes: Sequence[str] = (), told: Sequence[tuple[str, str]] = ()
) -> Spec:
    """Draw a front, each scheme in its colour where schemes are varied, in this order if any.

    `told` is what each point is called, and where the page tells more of it.
    """
    found = judged.front
    by_scheme = "scheme" in judged.outcome.factors
    return charts.front(
        found.metrics,
        list(found.goals.values()),
        found.points,
        found.places,
        [str(c.settings["scheme"]) for c in found.configurations] if by_scheme else [],
        schemes,
        told,
    )


def figure(level: int, title: str, drawn: Spec, caption: str) -> Markup:
    """Return a picture with its heading and what is said below it."""
    return Markup(
        "<h{0}>{1}</h{0}>\n<figure>\n{2}\n<figcaption>{3}</figcaption>\n</figure>\n"
    ).format(level, title, pictures.chart(drawn, title), caption)


class _Pictures:
    """The pictures of what is shown of a study."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        found = (c for each in analysis.judged for c in each.front.configurations)
        by_scheme = "scheme" in analysis.outcome.factors
        #: The schemes in the order of their colours, which are the same on all traces.
        self._schemes = list(dict.fromkeys(str(c.settings["scheme"]) for c in found if by_scheme))

    def __call__(self, part: str, judged: LoadFront | None) -> Iterator[Markup | Cells]:
        """Yield the pictures of a part, and the table of seeds."""
        if judged is None:
            for metric in self._analysis.metrics:
                yield from self._effects(metric)
        else:
            drawn = any(each is judged for each in self._analysis.judged[:DRAWN])
            name = self._analysis.names[judged.trace]
            titled = f" on {name}" if name else ""
            if part == "front":
                yield from [self._front(judged, titled)] if drawn else []
                return
            yield from self._seeds(judged, titled) if drawn else ()
            table = show.intervals(self._analysis, judged)
            yield from [] if table is None else [table]

    def _front(self, judged: LoadFront, titled: str) -> Markup:
        told = [
            (_name(self._analysis, judged, one.settings), f"#point-{one.number}")
            for one in judged.front.configurations
        ]
        more = len(judged.front.metrics) - charts.FRONT_MOST
        return figure(
            3 if titled else 2,
            f"Pareto front{titled}",
            front_chart(judged, self._schemes, told),
            "Each panel shows two of the metrics; an arrow says where better is. Diamonds are the "
            "front, dots what it dominates. In a panel a point "
            "of the front may look dominated: it is better in another metric."
            + (
                f" {more} more {'metric is' if more == 1 else 'metrics are'} judged, and not drawn."
                if more > 0
                else ""
            ),
        )

    def _seeds(self, judged: LoadFront, titled: str) -> Iterator[Markup]:
        """Yield a picture for each metric that seeds change."""
        for metric, found in judged.spreads.items():
            if not found.repeated or found.still:
                continue
            short = self._analysis.short
            names = [settings_text(one.settings, short) for one in found.configurations]
            shown = "All configurations, in order."
            if len(names) > charts.SPREAD_MOST:
                shown = f"Of {len(names):,} configurations, the first {charts.SPREAD_MOST}."
            drawn = charts.spread(found, names, most_is_best=metric_of(metric).goal == "max")
            yield figure(3, f"{metric} over the {judged.outcome.repeats}s{titled}", drawn, shown)

    def _effects(self, metric: str) -> Iterator[Markup]:
        """Yield a metric's main effects, and a map of two parameters."""
        found, short = self._analysis.effects[metric], self._analysis.short
        if not found:
            return
        said = "A level's mean is over all other parameters; bars hold the middle half of its "
        said += "points."
        if (hidden := len(found) - charts.EFFECTS_MOST) > 0:
            said += f" Not drawn are the {hidden} parameters whose means lie nearest together."
        yield figure(2, f"Main effects on {metric}", charts.effects(metric, found, short), said)
        over = self._analysis.map(metric)
        if over is not None:
            across, up, panels = over
            left = TRACE in self._analysis.outcome.factors and TRACE not in (across, up)
            yield figure(
                2,
                f"{metric} over {short[across]} and {short[up]}",
                charts.heat_map(metric, across, up, panels),
                "The two parameters whose means lie furthest apart"
                f"{', the trace left aside' if left else ''}; a cell is the mean of all points "
                "there, over all else, and a dash where there is none.",
            )


def _marked(part: Any) -> Markup:  # noqa: ANN401
    """Return a part of what is shown as HTML; names are escaped."""
    match part:
        case show.Heading():
            return Markup("<h2>{}</h2>\n").format(part.title)
        case Text():
            headline = Markup(' class="headline"' if "bold" in str(part.style) else "")
            return Markup("<p{}>{}</p>\n").format(headline, part.plain)
    return Markup("{}").format(part)


def render(
    analysis: Analysis,
    title: str,
    asked: str = "",
    *,
    study: Study | None = None,
    notes: Sequence[str] = (),
    first: Sequence[Markup] = (),
) -> str:
    """Return the page; `asked` is the study as it was asked for, in TOML.

    With `study` the page tells the command of each point. `notes` and the pictures `first` come
    before all else.
    """
    outcome, count = analysis.outcome, len(analysis.judged)
    left = f"Pictures are of the first {DRAWN} of {count} {analysis.each_load}s."
    told = [*map(Text, notes), *first, *([Text(left)] if count > DRAWN else [])]
    return pictures.page(
        "sweep.html.j2",
        title=title,
        parts=map(_marked, [*told, *show.parts(analysis, _Pictures(analysis), None)]),
        varied=show.parameters(outcome),
        fixed=[(name, value_text(value)) for name, value in outcome.fixed.items()],
        metrics=Cells(["metric", "what it is", "better"], map(_metric, analysis.metrics)),
        asked=asked,
        points=list(_points(analysis, study)),
        points_note=_note(analysis),
    )
