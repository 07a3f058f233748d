"""How a device wears, in words: by cell mode, and its life in bytes, drive writes and years."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from slcache import units
from slcache.documents import Document, Runs
from slcache.names import by_reason, joined
from slcache.tables import grid
from slcache.tables.table import Cells

Rows = list[tuple[str, str]]

_UNKNOWN = "–"
#: What is said below a table of lives.
CAPTION = (
    "TBW and drive writes a day for five years by the mean block, then TBW by the most worn one"
)


@dataclass(frozen=True)
class Life:
    """How long a device lives; what is not known is None."""

    host_bytes: float | None
    #: Until the most worn block is used up, as if it went on wearing faster than the others.
    most_worn_bytes: float | None
    drive_writes_per_day: float | None
    years: float | None
    #: Written a day, 10^9 bytes.
    gb_per_day: float | None
    #: Whether that is what the trace does in its own times.
    own: bool

    @classmethod
    def of(cls, document: Document, gb_per_day: float | None = None) -> Life:
        """Return a run's, at the trace's own rate or at another one."""
        wear, own = document["wear"], document["trace"]["write_bytes_per_day"]
        written = wear["lifetime_host_bytes"]
        if gb_per_day is None:
            rate, years = (None if own is None else own / 1e9), wear["years"]
        else:
            rate, years = gb_per_day, None if written is None else written / (365e9 * gb_per_day)
        return cls(
            written,
            wear["lifetime_most_worn_host_bytes"],
            wear["drive_writes_per_day"],
            years,
            rate,
            gb_per_day is None,
        )

    @property
    def rate(self) -> str:
        """What is written a day, as the title of its years."""
        if self.gb_per_day is None:
            return "years (the trace has no times)"
        whose = " (the trace's own)" if self.own else ""
        return f"years at {units.significant(self.gb_per_day)} GB a day{whose}"


def rows(document: Document, gb_per_day: float | None = None) -> Rows:
    """Return a run's write amplification and wear by mode, and how long the device lives."""
    wear = document["wear"]
    found = [
        (f"write amplification in {mode}", f"{value:.3f}")
        for mode, value in document["waf"]["by_mode"].items()
    ]
    for mode, each in wear["by_mode"].items():
        factor, used = each["erase_factor"], each["percent_used"]
        found.append((f"erase factor in {mode}", "–" if factor is None else f"{factor:.3f}"))
        found.append((f"life used in {mode}", "–" if used is None else f"{used:.3g} %"))
    damage, life = wear["damage"], Life.of(document, gb_per_day)
    if damage is not None:
        by = f"{damage['pool']} in {joined(damage['modes'])}"
        used = f"{100 * damage['mean']:.3g} % of the mean block, {100 * damage['max']:.3g} % of"
        found.append(("life used", f"{used} the most worn ({by}, {damage['cycles']:.3g} cycles)"))
    found += [("estimated lifetime", _written(life.host_bytes))]
    if life.most_worn_bytes is not None:
        found.append(("lifetime by the most worn block", _written(life.most_worn_bytes)))
    by_rule = {rule: each["lifetime_host_bytes"] for rule, each in wear.get("by_rule", {}).items()}
    if len(set(by_rule.values())) > 1:
        found += [(f"lifetime by rule {rule}", _written(own)) for rule, own in by_rule.items()]
    found += [
        ("TBW", _tbw(life.host_bytes)),
        ("drive writes a day for five years", _number(life.drive_writes_per_day)),
    ]
    return [*found, (life.rate, _number(life.years))]


def line(document: Document, gb_per_day: float | None = None) -> str | None:
    """Return a run's life in one sentence, or None where there is none to tell."""
    life = Life.of(document, gb_per_day)
    if life.host_bytes is None:
        return None
    worn = "" if life.most_worn_bytes is None else f" ({_tbw(life.most_worn_bytes)} by the worst)"
    daily = (
        f", {_number(life.drive_writes_per_day)} drive writes a day"
        if life.drive_writes_per_day is not None
        else ""
    )
    years = "" if life.years is None else f", {_number(life.years)} {life.rate}"
    return f"life {_tbw(life.host_bytes)} TBW{worn}{daily}{years}"


def table(
    runs: Runs,
    gb_per_day: float | None = None,
    repeated: Mapping[str, Sequence[Document]] | None = None,
) -> list[Cells]:
    """Return the table of lives; none without a life.

    Where each scheme has `repeated` runs, lives are their means, at the rate of the first document.
    """
    every = repeated or {label: [document] for label, document in runs.items()}
    lives = {
        label: [Life.of(each, gb_per_day) for each in of_one] for label, of_one in every.items()
    }
    if all(life.host_bytes is None for of_one in lives.values() for life in of_one):
        return []
    rate = Life.of(next(iter(runs.values())), gb_per_day).rate
    titles = ["scheme", "TBW", "drive writes a day", "TBW, most worn", rate]
    rows = ([grid.named(label), *_cells(_mean(each))] for label, each in lives.items())
    return [Cells(titles, rows, caption=CAPTION)]


def _mean(lives: Sequence[Life]) -> Life:
    """Return the mean of lives over seeds; None of what any of them does not tell."""
    names = ("host_bytes", "most_worn_bytes", "drive_writes_per_day", "years")
    known = {name: [getattr(life, name) for life in lives] for name in names}
    means: dict[str, Any] = {
        name: None if None in each else fmean(each) for name, each in known.items()
    }
    return replace(lives[0], **means)


def _cells(life: Life) -> list[str]:
    return [
        _tbw(life.host_bytes),
        _number(life.drive_writes_per_day),
        _tbw(life.most_worn_bytes),
        _number(life.years),
    ]


def notes(runs: Runs, gb_per_day: float | None = None) -> list[str]:
    """Return why lives are guesses or not told, each reason once with those that it holds for.

    Of a device that says no endurance at all nobody expects a life, but who says what is written.
    """
    found = by_reason(
        (label, document["wear"]["note"])
        for label, document in runs.items()
        if document["host"]["write"]["bytes"]
        and (gb_per_day or any(pool["endurance_cycles"] for pool in document["wear"]["pools"]))
    )
    return [f"{joined(names)}: {told}" for told, names in found.items()]


def _written(host_bytes: float | None) -> str:
    return _UNKNOWN if host_bytes is None else f"{units.size(host_bytes)} written"


def _tbw(host_bytes: float | None) -> str:
    return _number(None if host_bytes is None else host_bytes / 1e12)


def _number(value: float | None) -> str:
    return _UNKNOWN if value is None else units.significant(value)
