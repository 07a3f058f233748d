"""Means over seeds or draws: their cells and sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from slcache import metrics, units
from slcache.documents import Document, figures
from slcache.names import joined
from slcache.results.intervals import LEVEL, Estimate, Figure, Paired, against
from slcache.tables import grid
from slcache.tables.grid import Column, Show

#: Marks a difference that seeds do not tell from none.
NOISE = "≈"
#: Marks a mean of draws within whose interval the recording's own figure is not.
OFF = "!"


#: Those of the tables of one seed that are better or worse.
COLUMNS = tuple(c.of_means for c in (*grid.COLUMNS, *grid.PACE_COLUMNS) if c.is_judged)
#: The table of dense programs beside the least, behind the size of the cache.
GAINS = (
    Column("dense", "dense_bytes", lambda value: units.size(round(value))),
    Column("at least", "dense_least_bytes", lambda value: units.size(round(value))),
    Column("dense / least", "dense_over_least", units.significant),
    Column("share of the gain", metrics.GAIN_SHARE, units.percent),
)


def text(show: Show, mean: Estimate | None, beside: Paired | None) -> str:
    """Return a figure as a factor of the reference's; in its unit where it is the reference's."""
    if mean is None:
        return "–"
    if beside is None:
        half = (
            "" if not mean.half or not mean.centre else units.percent(mean.half / abs(mean.centre))
        )
        return show(mean.centre) + (f" ±{half}" if half else "")
    told = show(mean.centre) if beside.factor is None else factor(beside)
    return f"{told} {NOISE}" if beside.inside_noise else told


def drawn(show: Show, mean: Estimate | None, beside: Paired | None) -> str:
    """Return the mean of the draws in the same way, marked where the recording is not near it."""
    if mean is None:
        return "–"
    if beside is None or beside.mean is None:
        return show(mean.mean) + (f" {OFF}" if mean.is_off else "")
    return units.factor(beside.mean) + (f" {OFF}" if beside.is_off else "")


def factor(found: Paired) -> str:
    """Return a factor with its interval, as in `0.60× [0.57, 0.63]`; empty where there is none."""
    if found.factor is None:
        return ""
    text = units.factor(found.factor)
    if found.low is None or found.high is None:
        return text
    low, high = (units.factor(end) for end in (found.low, found.high))
    return text if low == high else f"{text} [{low[:-1]}, {high[:-1]}]"


#: More schemes than these are not told one by one.
FEW = 3
_RATIOS = (
    "beside the reference on the logarithms of the ratios of equal {0}: a factor is {1}; "
    "inside_noise by Holm's correction over the schemes, each metric by itself"
)
#: How intervals are made.
METHOD = "Student's t on the means of seeds; " + _RATIOS.format("seeds", "their geometric mean")
METHOD_OF_DRAWS = (
    "the recording's own figure, and Student's t times the standard deviation of draws by the "
    "stationary bootstrap; " + _RATIOS.format("draws", "the recording's own ratio")
)
#: How the intervals of draws are meant.
DRAWN = (
    "A draw is the recording's time in stretches of random order. The interval is for another "
    "recording of the same length: more draws make it surer, not narrower. Draws are of one "
    "recording: that all of them agree is no test."
)

Figures = Mapping[str, Figure]


def winner(title: str, of: Figures, to: str) -> str:
    """Say who has the lowest mean of a side, who cannot be told from it, and the others."""
    found = {name: each.estimate for name, each in of.items()}
    known = {name: each.centre for name, each in found.items() if each is not None}
    if not known:
        return ""
    best = min(known, key=lambda name: known[name])
    rivals = against({name: of[name] for name in known}, best)
    beside = against(of, to)
    alike = {name: each for name, each in rivals.items() if each.inside_noise}
    if best != to and to in known and beside[best].inside_noise:
        # What the table marks as noise the verdict does not tell apart.
        alike[to] = rivals[to]
    if rivals and len(alike) == len(rivals):
        return f"{title}: mean latencies are not told apart ({_few(alike, best)})."
    near = [n for n in rivals if n not in alike and figures.equal(known[n], known[best])]
    text = f"{title}: {best} has the lowest mean latency"
    if best != to and to in known and to not in alike:
        text += f", {_than(beside[best], to)}"
    if near:
        text += f"; {joined(near)} {'is' if len(near) == 1 else 'are'} within 1 % of it"
    if alike:
        text += f"; not told from it: {_few(alike, best)}"
    others = {name: beside[name] for name in rivals if name not in (*alike, *near, to)}
    return f"{text}. Others: {_few(others, to)}." if others else f"{text}."


def differing(title: str, found: Mapping[str, Paired], to: str, *, most: bool = False) -> str:
    """Say in which schemes a metric differs from the reference's by more than noise; or nothing.

    The best is told first: the least, unless the `most` is best.
    """
    apart = [name for name, each in found.items() if each.inside_noise is False]
    apart.sort(key=lambda name: found[name].factor or 0.0, reverse=most)
    if not apart:
        return ""
    noise = sum(bool(each.inside_noise) for each in found.values())
    rest = f"; {noise} not told apart" if noise else ""
    return f"{title}: {_few({name: found[name] for name in apart}, to)}{rest}."


def _few(found: Mapping[str, Paired], to: str) -> str:
    """Tell the first of schemes beside another, equal ones together, and how many are left."""
    groups: dict[str, list[str]] = {}
    for name, each in found.items():
        groups.setdefault(_than(each, to), []).append(name)
    first = list(groups.items())[:FEW]
    more = len(found) - sum(len(names) for _, names in first)
    told = [f"{joined(names)} {words}" for words, names in first]
    return "; ".join([*told, *([f"{more} more"] if more else [])])


def _than(one: Paired, to: str) -> str:
    """Return a factor of another scheme's figure, and how many pairs say so."""
    if one.pairs and not one.agreeing:
        return f"equal to {to} in all {one.pairs}"
    times = f"{factor(one)} that of {to}, " if one.factor is not None else ""
    though = "though " if one.inside_noise and one.agreeing == one.pairs > 1 else ""
    return f"{times}{though}{counted(one)}" + ("" if times else f" than that of {to}")


def counted(found: Paired) -> str:
    """Return in how many pairs a figure is on which side, as in `lower in 9 of 10`."""
    if not found.pairs:
        return "of which there is nothing to compare"
    side = "lower" if found.less > found.more else "higher"
    return f"{side} in {found.agreeing} of {found.pairs}"


def off(columns: Sequence[Column], figures: Mapping[str, Figures]) -> list[str]:
    """Say where the recording's own figure is not within the interval of its draws, and why.

    `figures` are by metric.
    """
    found = [
        (column, name, told)
        for column in columns
        for name, each in figures[column.metric].items()
        if (told := each.estimate) is not None and told.is_off
    ]
    if not found:
        return []
    named = []
    for column, name, told in found[:FEW]:
        ends = (told.mean, *(told.mean + sign * (told.half or 0.0) for sign in (-1, 1)))
        mean, low, high = map(column.show, ends)
        own = column.show(told.centre)
        named.append(f"{column.words} of {name}, {own} against {mean} [{low}, {high}]")
    more = f", and {len(found) - FEW} more" if len(found) > FEW else ""
    return [
        f"{OFF} Draws lie off the recording: {'; '.join(named)}{more}. A stretch meets a device "
        "that another one left, and order across joints is lost. So trust the recording's figures, "
        "and try longer stretches (--resample-block)."
    ]


def meant(of: str, *, recording: bool) -> str:
    """Say what the table's figures and intervals are; `of` names the seeds or draws."""
    level, word = f"{100 * LEVEL:.0f} %", of.split()[0]
    first = f"Means over {of}, ± half their {level} interval."
    if recording:
        first = (
            f"The recording's own figures, ± half the {level} interval from its draws; below them "
            f"the means over {of}."
        )
    return (
        f"{first} Factors have the {level} interval [low, high] of the ratios of equal {word}, on "
        "logarithms (Student's t)."
    )


def together(others: int) -> str:
    """Say what is judged together."""
    by = "" if others < 2 else f"The {others} schemes of a metric are judged together (Holm). "
    return (
        f"{NOISE} marks a difference that is not significant. {by}There is no correction over "
        "metrics: of twenty equal ones, one differs significantly by chance."
    )


def of_counts(seeds: int) -> str:
    """Say what can be concluded of the number of seeds that agree."""
    p = 2.0 ** (1 - seeds)
    if p > 1 - LEVEL:
        return (
            f"That all {seeds} seeds agree is not significant by itself (sign test: p = {p:.2g})."
        )
    return f"That all {seeds} seeds agree is significant by itself (sign test: p = {p:.2g})."


def of_recording(documents: Sequence[Document]) -> str:
    """Say that seeds draw no other trace, and what they change."""
    settings = dict.fromkeys(each for d in documents for each in figures.by_seed(d["config"]))
    what = f"only what is drawn differs ({', '.join(settings)})"
    if not settings:
        what = "nothing is drawn here, and no figure has an interval. All seeds gave the same"
    return f"The trace is a recording, the same for every seed: {what}."
