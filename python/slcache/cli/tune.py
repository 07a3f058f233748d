"""The verb that searches: `tune`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from slcache.cli import console, reader_words
from slcache.cli import options as opt
from slcache.search import api as search
from slcache.tables.table import Table

if TYPE_CHECKING:
    from slcache.search.sized import Sized
    from slcache.search.tuning import Tuning

#: Where no point is done, none can be best.
FAILED = 1
#: The terminal lists so many points of the front.
_SHOWN = 30
#: And so many of the reasons for which points could not be run.
_REASONS = 3


@dataclass(frozen=True, kw_only=True)
class Tuned(opt.Metered, opt.Shown, search.Tune):
    """A search, and how it is shown."""


@opt.verb
def tune(asked: Tuned) -> int:
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
    console.answer(asked.form, found.to_json, [*map(reader_words.in_text, _parts(found)), *page])
    return 0 if found.counts()["done"] else FAILED


def _parts(found: Tuning) -> list[RenderableType]:
    told = [Text(line)] if (line := found.analysis.outcome.state) else []
    every = list(found.analysis.outcome.reasons())
    reasons = [
        Text(f"{count:,} {status}: {reason}", "yellow")
        for status, reason, count in every[:_REASONS]
    ]
    if more := sum(count for _, _, count in every[_REASONS:]):
        reasons.append(Text(f"{more:,} more for other reasons (--out has them)", "yellow"))
    table = _front(found) if found.sized is None else _sized(found, found.sized)
    return [*told, *reasons, table, *map(Text, found.told())]


def _sized(found: Tuning, sized: Sized) -> Table:
    """Return the values that were tried, the best marked."""
    from slcache.frame import UNITS
    from slcache.study import wording

    rows = [
        {
            sized.key: each.settings[sized.key],
            "status": each.found.status,
            "best": each is found.best,
            "in_bounds": sized.keeps(each),
            **{name: each.found.figures.get(name) for name in sized.metrics},
        }
        for each in found.tried
    ]
    columns = [*wording.columns({sized.key: sized.key}, sized.metrics), ("bounds", _kept)]
    ran = {sized.value(each) for each in sized.run}
    return Table(rows, columns, units=UNITS, best=_best, told=lambda row: row[sized.key] in ran)


def _kept(row: Mapping[str, Any]) -> str:
    if row["status"] != "done":
        return str(row["status"])
    return "kept" if row["in_bounds"] else "broken"


def _front(found: Tuning) -> Table:
    """Return the front, the best marked; of points of equal figures readers have one."""
    from slcache.frame import UNITS
    from slcache.study import wording

    metrics, same = found.goals.names, {id(each): count for each, count in found.distinct}
    rows = [
        {
            "front": number,
            "best": each is found.best,
            **each.settings,
            **{name: each.found.figures[name] for name in metrics},
            "same figures": same.get(id(each), 0),
        }
        for number, each in enumerate(found.front, 1)
    ]
    keys = list(dict.fromkeys(key for each in found.front for key in each.settings))
    shown = [key for key in keys if key != "scheme" or len(found.study.schemes) > 1]
    columns = [("front", "front"), *wording.columns(wording.short_names(shown), metrics)]
    if any(count > 1 for count in same.values()):
        columns.append(("same figures", _others))
    only = ("front", "best", *keys, *metrics)
    return Table(
        rows,
        columns,
        units=UNITS,
        most=_SHOWN,
        only=only,
        best=_best,
        told=lambda row: row["same figures"] > 0,
    )


def _best(row: Mapping[str, Any]) -> bool:
    return bool(row["best"])


def _others(row: Mapping[str, Any]) -> str:
    return f"{row['same figures'] - 1:,} more" if row["same figures"] > 1 else ""
