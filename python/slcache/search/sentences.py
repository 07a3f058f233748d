"""What a search has found, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from slcache.execute import given
from slcache.search.answer import Answer
from slcache.search.batches import Tried
from slcache.study import wording
from slcache.sweep.axes import Axis, plain


def title(found: Answer) -> str:
    """Return what was searched, in a line."""
    names = " and ".join(goal(found.goals.metrics or dict([found.goals.wanted])))
    return f"{' or '.join(found.study.schemes)} on {given.label(found.study.devices[0])}: {names}"


def goal(metrics: Mapping[str, str]) -> Iterable[str]:
    """Yield `least waf` and the like."""
    return (f"{'least' if way == 'min' else 'most'} {name}" for name, way in metrics.items())


def axis(one: Axis) -> str:
    """Return what a key may be, as it could be said."""
    if one.values:
        return ",".join(map(plain, one.values))
    return f"{one.low}..{one.high}{'@log' if one.log else ''}"


def point(one: Tried) -> str:
    """Return a point's settings in a line."""
    return ", ".join(f"{key}={wording.setting(value)}" for key, value in one.settings.items())


def figures(found: Answer, one: Tried) -> str:
    """Return a point's metrics in a line."""
    shown = one.found.figures
    return ", ".join(f"{n} {wording.figure(n, shown[n])}" for n in found.goals.names)


def told(found: Answer) -> list[str]:
    """Return how many points were tried, of how many, and which is the best."""
    said = [_counts(found)]
    if found.sized is not None:
        return [*said, *found.sized.sentences()]
    said += [
        f"{name} is better the {'less' if way == 'max' else 'more'} of it there is, but was "
        "searched the other way, as asked."
        for name, way in found.goals.metrics.items()
        if name in found.goals.against()
    ]
    if found.goals.bounds:
        done = sum(each.found.status == "done" for each in found.tried)
        bounds = " and ".join(map(str, found.goals.bounds))
        said.append(f"{len(found.good):,} of {done:,} points that are done keep {bounds}.")
    if found.best is None:
        return [*said, "No point is done, has all metrics and keeps all bounds: there is no best."]
    which = "The best"
    if found.goals.several:
        which = f"Of {len(found.front):,} on the front, the nearest to the best of each metric"
    return [*said, f"{which}: {point(found.best)}: {figures(found, found.best)}."]


def _counts(found: Answer) -> str:
    counts = found.counts()
    others = "".join(
        f", {counts[name]:,} {name}" for name in ("failed", "impossible") if counts[name]
    )
    if counts["stopped"]:
        others += f", {counts['stopped']:,} stopped after a beginning of the trace"
    size = found.space.size
    of = "" if size is None else f" of {size:,}"
    kept = f"; {found.kept:,} results were there before" if found.kept else ""
    return f"{len(found.tried):,}{of} points tried: {counts['done']:,} done{others}{kept}."
