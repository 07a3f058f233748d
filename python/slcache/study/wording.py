"""A study's parameters and figures in words: short names, values with units, levels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from slcache import units
from slcache.metrics import named
from slcache.results.intervals import Estimate
from slcache.study.outcome import Setting
from slcache.tables.table import Source


def figure(metric: str, value: float | None) -> str:
    """Return a metric's value with its unit; a dash where there is none."""
    return "–" if value is None else units.figure(value, named(metric).unit)


def columns(settings: Mapping[str, str], metrics: Iterable[str]) -> list[tuple[str, Source]]:
    """Return the columns of a configuration: its settings, titled as told here, then metrics."""
    found: list[tuple[str, Source]] = [
        (short, partial(_setting, name)) for name, short in settings.items()
    ]
    return [*found, *((title(metric), metric) for metric in metrics)]


def _setting(name: str, row: Mapping[str, Setting]) -> str:
    return setting(row.get(name))


def title(metric: str) -> str:
    """Return the title of a metric's column, whose cells have their unit."""
    return metric.removesuffix("_ns")


def intervals(metric: str, found: Sequence[Estimate | None]) -> list[str]:
    """Return means with half their intervals, where there are any, in one unit."""
    means = [None if each is None else each.mean for each in found]
    show = units.figures(means, named(metric).unit)
    return ["–" if each is None else _interval(each, show) for each in found]


def interval(metric: str, found: Estimate | None) -> str:
    """Return a mean with half its interval, where there is one; a dash for nothing."""
    return intervals(metric, [found])[0]


def _interval(found: Estimate, show: Callable[[float], str]) -> str:
    half = "" if found.half is None else f" ± {show(found.half)}"
    return show(found.mean) + half


def setting(value: Setting) -> str:
    """Return a parameter's value as settings spell it."""
    match value:
        case None:
            return "–"
        case bool():
            return "true" if value else "false"
        case float():
            return f"{value:.6g}"
    return str(value)


def level(low: Setting, high: Setting) -> str:
    """Return a level: a value, or a range of them."""
    return setting(low) if low == high else f"{_bound(low)}–{_bound(high)}"


def _bound(value: Setting) -> str:
    return f"{value:.3g}" if isinstance(value, float) else setting(value)


def short_names(names: Sequence[str], dot: str = ".") -> dict[str, str]:
    """Return dotted names without the beginning that is not needed to tell them apart."""
    found: dict[str, str] = {}
    left = list(names)
    count = 0
    while left:
        count += 1
        tails = {name: dot.join(name.split(dot)[-count:]) for name in names}
        times = Counter(tails[name] for name in names)
        done = {n for n in left if times[tails[n]] == 1 or n.count(dot) < count}
        found |= {name: tails[name] for name in done}
        left = [name for name in left if name not in done]
    return {name: found[name] for name in names}


def files(names: Sequence[str]) -> dict[str, str]:
    """Return files without the folders that are not needed to tell them apart."""
    return short_names(names, "/")


def settings(values: Mapping[str, Setting], short: Mapping[str, str]) -> str:
    """Return settings in a line."""
    said = (f"{short[n]}={setting(v)}" for n, v in values.items() if v is not None)
    return ", ".join(said) or "the only one"
