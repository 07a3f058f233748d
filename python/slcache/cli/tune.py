"""The verb that searches: `tune`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from slcache.cli import console
from slcache.cli import options as opt
from slcache.search import api as search
from slcache.tables.sheets import Sheet
from slcache.tables.tabular import Table, Words

if TYPE_CHECKING:
    from slcache.search.sized import Sized
    from slcache.search.tuning import Tuning

#: The terminal lists so many points of the front.
_SHOWN = 30
#: And so many of the reasons for which points could not be run.
_REASONS = 3


@dataclass(frozen=True, kw_only=True)
class Tuned(opt.Metered, opt.Shown, search.Tune):
    """A search, and how it is shown."""


@opt.verb
def tune(asked: Tuned) -> None:
    """Search for the settings that minimise or maximise metrics, or one key.

    A sampler suggests points in batches of eight and learns from their results; the same
    command tries the same points with any number of --jobs. With several metrics the answer
    is their Pareto front, and best.toml is its point nearest to the best of each. Points that
    the device or scheme refuses are counted, and the sampler avoids them. Finished points are
    stored: the same command, or one with more --points, continues.

    --least or --most finds the smallest or largest value of one key that keeps the bounds,
    such as the blocks of a cache or a queue depth. The search runs five values first, then
    bisects, and runs both neighbours of the answer. Metrics that are not monotonic are
    reported. "No value keeps the bounds" is also an answer (status 0, best null in --json),
    with both ends and the nearest value.

    Examples:
      slcache tune web.csv.gz --device ips-384g --scheme baseline --out found \\
        --vary scheme.baseline.slc_blocks=3..166 \\
        --vary scheme.baseline.slc.start_free_ratio=0.1..0.9
      slcache tune web.csv.gz --device ips-384g --scheme baseline,turbo-write \\
        --vary scheme.baseline.slc_blocks=8..128@log --points 60 \\
        --maximise lifetime_host_bytes --such-that 'waf<=2' --out found
      slcache tune hierarchy-web_0 --device hierarchy-44g --scheme baseline \\
        --vary scheme.baseline.slc_blocks=4..84:4 \\
        --least scheme.baseline.slc_blocks --such-that 'write_p99<=5ms'

    """
    with console.meter(asked.meter, kept=True) as meter:
        found = search.tune.of(replace(asked, on_progress=meter))
    page = console.written("report", None if asked.out is None else Path(asked.out) / "report.html")
    sheets, parts = (lambda: [_sheet(found)]), (lambda: [*_parts(found), *page])
    console.answer(asked.form, found.to_json, sheets, parts)


def _parts(found: Tuning) -> list[RenderableType]:
    told = [Text(line)] if (line := found.analysis.outcome.state) else []
    every = list(found.analysis.outcome.reasons())
    reasons = [
        Text(f"{count:,} {status}: {reason}", "yellow")
        for status, reason, count in every[:_REASONS]
    ]
    if more := sum(count for _, _, count in every[_REASONS:]):
        reasons.append(Text(f"{more:,} more for other reasons (--out has them)", "yellow"))
    table = _front(found) if found.sized is None else _sized(found.sized)
    shown = [table] if found.front or found.sized is not None else []
    return [*told, *reasons, *shown, *map(Text, found.told())]


def _sheet(found: Tuning) -> Sheet:
    """Return the front with all digits, the best marked; points of equal figures each."""
    from slcache.frame import UNITS

    metrics = found.goals.names
    if found.sized is not None:
        rows = [
            {
                found.sized.key: each.settings[found.sized.key],
                "status": each.found.status,
                "best": each is found.best,
                "in_bounds": found.sized.keeps(each),
                **{name: each.found.figures.get(name) for name in metrics},
            }
            for each in found.tried
        ]
    else:
        rows = [
            {
                "front": number,
                "best": each is found.best,
                **each.settings,
                **{name: each.found.figures[name] for name in metrics},
            }
            for number, each in enumerate(found.front, 1)
        ]
    return Sheet(rows, UNITS)


def _sized(found: Sized) -> Table:
    """Return the values that were run, the best marked."""
    from slcache.study import wording

    rows = []
    told = wording.rows(found.metrics, [each.found.figures for each in found.run])
    for each, figures in zip(found.run, told, strict=True):
        kept = "kept" if found.keeps(each) else "broken"
        cells = [wording.setting(each.settings[found.key]), *figures]
        cells += [kept if each.found.status == "done" else each.found.status]
        rows.append(_styled(cells, best=each is found.best))
    titles = map(wording.title, found.metrics)
    return Table(found.key, [*titles, Words("bounds")], rows)


def _styled(cells: list[str], *, best: bool) -> list[Text]:
    return [Text(cell, "bold green" if best else "") for cell in cells]


def _front(found: Tuning) -> Table:
    """Return the front, the best marked."""
    from slcache.study import wording

    keys = list(dict.fromkeys(key for each in found.front for key in each.settings))
    keys = [key for key in keys if key != "scheme" or len(found.study.schemes) > 1]
    short = wording.short_names(keys)
    metrics = found.goals.names
    shown = found.distinct
    same = ["same figures"] if any(count > 1 for _, count in shown) else []
    rows = []
    told = wording.rows(metrics, [each.found.figures for each, _ in shown])
    for number, ((each, count), figures) in enumerate(zip(shown, told, strict=True), 1):
        cells = [wording.setting(each.settings.get(key)) for key in keys]
        cells += figures
        cells += [f"{count - 1:,} more" if count > 1 else ""] if same else []
        rows.append([Text(f"{number}"), *_styled(cells, best=each is found.best)])
    titles = [*(Words(short[key]) for key in keys), *map(wording.title, metrics), *same]
    return Table("front", titles, rows, most=_SHOWN)
