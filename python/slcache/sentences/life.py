"""How a device wears, in words: by cell mode, and its life in bytes and years."""

from __future__ import annotations

from slcache.documents.normalise import Document
from slcache.words import units

Rows = list[tuple[str, str]]

#: Written a day where nothing else is said, GB of 10^9 bytes.
GB_PER_DAY = 50.0


def rows(document: Document, gb_per_day: float = GB_PER_DAY) -> Rows:
    """Return a run's write amplification and wear by mode, and how long the device lives."""
    wear = document["wear"]
    found = [
        (f"write amplification in {mode}", f"{value:.3f}")
        for mode, value in document["waf"].get("by_mode", {}).items()
    ]
    for mode, each in wear.get("by_mode", {}).items():
        factor, used = each["erase_factor"], each["percent_used"]
        found.append((f"erase factor in {mode}", "–" if factor is None else f"{factor:.3f}"))
        found.append((f"life used in {mode}", "–" if used is None else f"{used:.3g} %"))
    written = wear["lifetime_host_bytes"]
    if written is None:
        return [*found, ("estimated lifetime", "–")]
    first = wear.get("lifetime_by")
    by = "" if first is None else f"; {first['mode']} of {first['pool']} wears out first"
    found.append(("estimated lifetime", f"{units.size(written)} written{by}"))
    years = written / (365 * gb_per_day * 1e9)
    return [*found, ("years", f"{units.significant(years)} at {gb_per_day:g} GB a day")]
