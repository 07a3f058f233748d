"""The evaluation as one self-contained HTML page: ledger, figures, sensitivity, beyond."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from slcache import _core, units
from slcache.charts import pictures
from slcache.reproduce import figures, ledger
from slcache.reproduce.evaluation import TIMES
from slcache.reproduce.functions import JUDGED
from slcache.reproduce.ledger import PaperEvaluation, ReadingRun, shown
from slcache.reproduce.parts import TableSpec
from slcache.reproduce.points import NEAR, Learned, PointTable, sentence


def render(evaluation: PaperEvaluation) -> str:
    """Return the page."""
    plan = evaluation.plan
    return pictures.page(
        "reproduce.html.j2",
        plan=plan,
        title=f"{plan.title}, reproduced",
        evaluation=evaluation,
        real=_names(evaluation, twin=False),
        twins=_names(evaluation, twin=True),
        shown=shown,
        detail=ledger.detail,
        two=len(evaluation.readings) > 1,
        pictures=_pictures(evaluation),
        tables=_tables(evaluation),
        sentence=sentence,
        near=f"{100 * NEAR:g} %",
        sensitivity=[_variation(entry) for entry in evaluation.sensitivity],
        overview=_overview(evaluation),
        times=TIMES,
        # How figures are written; a missing one is a dash.
        figure=_figure,
        percent=_percent,
        ends=_ends,
        with_ends=_with_ends,
        duration=units.duration,
        of_gain=units.percent,
        two_digits="{:.2f}".format,
        version=_core.version(),
        commit=_core.commit(),
    )


def _names(evaluation: PaperEvaluation, *, twin: bool) -> list[str]:
    """Return the workloads that are twins, or published files, each once."""
    return list(dict.fromkeys(i.name for i in evaluation.inputs if twin is not bool(i.file)))


def _apart(evaluation: PaperEvaluation, part: str) -> list[tuple[str, ReadingRun]]:
    """Return the views that differ in a part, each with what its reading is called."""
    first, *others = evaluation.views
    results = first.tables[part].documents
    apart = [first, *(view for view in others if view.tables[part].documents != results)]
    if others and len(apart) == 1:
        return [("both readings", first)]
    return [(evaluation.title(view.reading), view) for view in apart]


def _pictures(evaluation: PaperEvaluation) -> list[dict[str, Any]]:
    """Return every figure, once for each reading that makes it another."""
    found = []
    for spec in evaluation.plan.figures:
        title = f"Figure {spec.id}: {spec.title}"
        views = _apart(evaluation, spec.part)
        drawn = [figures.draw(spec, view.plan, view.tables[spec.part]) for _, view in views]
        figures.same_scale(spec, drawn)
        shown = [
            (name, pictures.chart(picture, f"{title}, {name}" if name else title))
            for (name, _), picture in zip(views, drawn, strict=True)
        ]
        found.append({"title": title, "drawn": shown, "note": spec.note})
    return found


def _tables(evaluation: PaperEvaluation) -> list[dict[str, Any]]:
    """Return the tables of measures, once for each reading that makes them another."""
    return [
        _table(spec, view.tables[spec.part], f"{spec.title}, {name}" if name else spec.title)
        for spec in evaluation.plan.tables
        for name, view in _apart(evaluation, spec.part)
    ]


def _table(spec: TableSpec, table: PointTable, title: str) -> dict[str, Any]:
    """Return the measures of every workload and scheme as text, means over the seeds."""
    lines = []
    for workload in table.workloads:
        for scheme in spec.schemes or table.schemes:
            means = [table.mean(measure, scheme, workload) for measure in spec.measures]
            lines.append((workload, scheme, [shown(mean, "") for mean in means]))
    return {"title": title, "note": spec.note, "names": spec.names, "lines": lines}


def _ends(figure: float | None, ends: list[float]) -> str:
    low, high = ends
    behind = f"{low:g} … {high:g}" if low != high else f"{low:g}"
    if figure is None:
        return behind
    return f"{figure:g}" if low == high else f"{figure:g} ({behind})"


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _percent(share: float | None, digits: str = ".0f") -> str:
    return "–" if share is None else f"{100 * share:{digits}} %"


def _variation(entry: ledger.Variation) -> dict[str, Any]:
    """Return a variation as a table: one line per claim whose verdict or figure moves."""
    names = [point["value"] for point in entry["points"]]
    lines = []
    for i, first in enumerate(entry["points"][0]["claims"]):
        points = [point["claims"][i] for point in entry["points"]]
        verdicts = {point["verdict"] for point in points}
        if len(verdicts) > 1:
            texts = [shown(point["ours"], _unit(point["ours"])) for point in points]
            cells = list(zip(texts, (point["verdict"] for point in points), strict=True))
            lines.append({"id": first["id"], "cells": cells})
    shares = [_shares(point["yardstick"]) for point in entry["points"]]
    if any(shares):
        lines.append({"id": "way to the best constant", "cells": [(text, "") for text in shares]})
    told = {key: entry[key] for key in ("name", "why", "front")}
    return {**told, "names": names, "lines": lines}


def _shares(lines: Sequence[Learned]) -> str:
    return ", ".join(f"{line['workload']} {_percent(line['share'])}" for line in lines)


def _overview(evaluation: PaperEvaluation) -> list[tuple[str, str, list[str]]]:
    """Return how many claims get each verdict, for every point that differs from the default."""
    lines = []
    for entry in evaluation.sensitivity:
        name = entry["name"]
        (_, usual), *points = [(p["value"], _counts(p["claims"])) for p in entry["points"]]
        for value, counts in points:
            pairs = zip(usual, counts, strict=True)
            texts = [str(n) if n == u else f"{u} → {n}" for u, n in pairs]
            lines += [(name, str(value), texts)] if counts != usual else []
    return lines


def _counts(claims: Sequence[ledger.Claim]) -> list[int]:
    verdicts = [claim["verdict"] for claim in claims]
    return [verdicts.count(verdict) for verdict in JUDGED]


def _unit(figure: object) -> str:
    numbers = figure if isinstance(figure, list) else [figure]
    return "%" if all(isinstance(n, float) for n in numbers) else ""


def _with_ends(figures_: dict[str, Any], name: str, write: Callable[[float], str]) -> str:
    """Return a figure, and behind it how far the seeds are apart."""
    if figures_[name] is None:
        return "–"
    ends = figures_.get("spread", {}).get(name)
    behind = f" ({write(ends[0])} … {write(ends[1])})" if ends and ends[0] != ends[1] else ""
    return write(figures_[name]) + behind
