"""What becomes of a figure in the ledger, and why those fail that do, as far as it is known."""

from __future__ import annotations

from collections.abc import Mapping

from slcache.drives.published import Trial

REPRODUCED, FAILED, SHOWN = "reproduced", "failed", "not judged"
#: Whole drives that law 3 says nothing of: a dip of unprinted length, no printed end of a phase.
LAWLESS = {"msi-m390-1tb": "a dip of unprinted length follows the cache"}

_LATER = "folding begins 180 GB later: law 1 asks for less room than the user's data take"
_DEAR = "folding costs this drive 1.6 times a direct write or more, and the law takes it as 1"
_RETURNS = "the cache comes back, which raises the mean of what is printed as one speed"
_ONE_SPEED = "one later speed is printed, which holds flushing beside writing"

#: Why simulated figures fail.
FAILS: Mapping[tuple[str, str], str] = {
    ("intel-660p-1tb", "cache_gb_at_75_percent"): (
        "the preset's cache falls in a line to 12 GB at 80 %, as another source prints it"
    ),
    ("lexar-nm790-2tb", "speed 3"): _LATER,
    ("lexar-nm790-2tb", "average"): _LATER,
    ("hp-fx700-2tb", "speed 1"): "the cache has one speed here, the mean of the two printed",
    ("samsung-970-evo-500gb", "speed 2"): _RETURNS,
    ("samsung-980-pro-1tb", "speed 2"): _RETURNS,
    ("samsung-980-pro-1tb", "second_burst_gb_at"): (
        "it is as long as the cache, of which this laboratory prints 170 GB, and the one that the "
        "preset is calibrated to 113"
    ),
}
#: Why law 3 fails.
LAW_FAILS: Mapping[str, str] = {
    "samsung-980-1tb": _ONE_SPEED,
    "samsung-980-pro-1tb": _ONE_SPEED,
    "adata-atom-50-1tb": _DEAR,
    "hp-fx900-1tb": _DEAR,
    "lexar-nm620-1tb": _DEAR,
    "lexar-nm790-2tb": _DEAR,
}


def reason(drive: str, figure: str, verdict: str, by: str) -> str:
    """Return why a figure fails, as far as it is known."""
    if verdict == SHOWN:
        return LAWLESS.get(drive, "context: another protocol, or a contradicted figure")
    if verdict == REPRODUCED:
        return ""
    known = LAW_FAILS.get(drive) if by == "law" else FAILS.get((drive, figure))
    return known or "not explained"


_ERASES = "blocks whose data were overwritten are erased while the host waits"
_STRIPES = "room comes back a stripe at a time here, and more evenly on the drive"
_EVEN = "each write takes one time here; on hosts and drives it varies"
_CLEANING = "planes clean whole blocks together, and all writes wait for that"
_FOLDING = "reads of the drive wait 1 to 2 ms for folding beside writes"
_FLUSHES = "all flushes take one time here; of one drive 0.7 to 4.6 ms are printed"

#: Why a figure of a trial fails, or of all of a drive; without a figure, why all do.
LATE: Mapping[tuple[str, str], str] = {
    ("pm981a-256-rw-q1", ""): _EVEN,
    ("pm981a-512-mix0-q1", ""): _EVEN,
    ("pm981a-256-sw128-q1", ""): _ERASES,
    ("pm981a-512-mix0-q8", "p50"): _STRIPES,
    ("pm981a-512-mix0-q64", ""): _STRIPES,
    ("pm981a-256-mix0-q32", "p50"): "the cache begins empty here, and was full on the drive",
    ("980pro-l1-t1x128", ""): _CLEANING,
    ("980pro-r1-w1", ""): _CLEANING,
    ("980pro-r1-w256", ""): _CLEANING,
    ("sn530-512", ""): "used, it has no room for a cache here, and a write costs two for cleaning",
}
#: Why figures of other trials fail, by kind, side and whether ours is above the published one.
LATE_KINDS: Mapping[tuple[str, str, bool], str] = {
    ("mixed", "read", False): _FOLDING,
    ("mixed", "read", True): _FOLDING,
    ("mixed", "write", False): _EVEN,
    ("mixed", "write", True): "reads are too fast beside them, so that more writes come",
    ("flush", "write", True): "time of the host is in it, some of it for encryption",
    ("flush", "sync", False): _FLUSHES,
    ("flush", "sync", True): _FLUSHES,
}


def late(trial: Trial, side: str, figure: str, verdict: str, above: bool) -> str:
    """Return why a latency fails or is not judged, as far as it is known."""
    if verdict == REPRODUCED:
        return ""
    if verdict == SHOWN:
        return "a file system's journal is in it" if figure == "fsync_mean" else "context"
    places = ((trial.name, figure), (trial.name, ""), (trial.drive.name, ""))
    known = next((LATE[place] for place in places if place in LATE), None)
    return known or LATE_KINDS.get((trial.kind, side, above), "not explained")
