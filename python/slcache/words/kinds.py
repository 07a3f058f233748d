"""What time and bytes go to: one table of every kind's name, colour and words.

A kind that a result has and the tables do not is drawn and told under its own name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """How one kind is drawn and told.

    `words` is the phrase of sentences; `label` replaces the bare name in keys of figures where
    that would not be understood.
    """

    colour: str
    words: str
    label: str = ""


#: Work done for the request itself.
SERVICES = {
    "array": Kind("#6B7889", "flash array time"),
    "transfer": Kind("#8D99A8", "channel transfers"),
    "link": Kind("#B3BCC7", "host link transfers"),
    "buffer": Kind("#D0D6DD", "controller buffer time"),
    "disk-positioning": Kind("#5C5347", "the disk's overhead, seeks and rotation"),
    "disk-transfer": Kind("#A0927D", "transfers from and to the disk"),
    "controller": Kind("#9A8FB5", "the controller's own time"),
}

#: Flash operations that store a page.
STORES = ("program", "reprogram", "copy-back")

#: Why something is programmed.
CAUSES = {
    "host": Kind("#5B86B8", "the host's own data"),
    "rmw": Kind("#A3C1E0", "read-modify-write (old data programmed again beside it)"),
    "migration": Kind("#E0944A", "migration"),
    "gc": Kind("#C05A6E", "garbage collection"),
    "promote": Kind("#7FA65B", "promotion of dense data that were read"),
    "fill": Kind("#A68FBF", "filling with data read from the disk"),
    "map": Kind("#4F7F5B", "pages of the map that are not cached"),
    "agc": Kind("#CDB450", "idle-time cleaning (agc)"),
    "flush": Kind("#6FA8A0", "buffer flushes"),
    "wear": Kind("#9C755F", "wear levelling"),
    "pad": Kind("#A9AFB6", "padding of unfilled pages and wordlines"),
}

#: What keeps the room in the DRAM buffer that a write waits for: what write-backs do or wait for.
_KEEPERS = {
    **{name: kind.words for name, kind in CAUSES.items() if name != "wear"},
    "host": "programs of host data",
    "rmw": "read-modify-write",
    "flush": "programs for flushes",
    "pad": "padding",
    "channel": "transfers on a channel",
    "order": "an earlier operation of the block",
    "source": "reading the data to program",
    "suspended": "reads that suspend programs",
    "spin-up": "the disk, which wakes up",
    "disk": "the disk's work",
    "fetch": "fetching from the disk",
    "stage": "a one-shot wordline to fill",
    "merge": "a packed page to fill",
    "look-up": "entries of the map",
    "stripe": "a stripe's journal and map",
}

#: What requests wait for: work of some cause, or a resource.
WAITS = {
    **{name: Kind(kind.colour, f"waiting behind {kind.words}") for name, kind in CAUSES.items()},
    "host": Kind(CAUSES["host"].colour, "waiting behind host operations"),
    "rmw": Kind(CAUSES["rmw"].colour, "waiting behind read-modify-write"),
    "pad": Kind(CAUSES["pad"].colour, "waiting behind padding"),
    "channel": Kind("#C9A0C9", "waiting for a channel"),
    "link": Kind("#8F6FA8", "waiting for the host link"),
    "queue": Kind("#5E4B8B", "waiting for a place in the device", "place in the device"),
    "order": Kind("#C4C8CD", "waiting for an earlier operation of the block", "block order"),
    "source": Kind("#7C9BB0", "waiting for the data to program or read", "source data"),
    "suspended": Kind("#B57B8F", "being suspended by reads", "suspended"),
    "stage": Kind("#B9A58A", "waiting for a one-shot wordline to fill", "wordline to fill"),
    "merge": Kind("#8C8F5A", "waiting for a packed page to fill", "packed page to fill"),
    "buffer": Kind(
        "#6A8CA8", "waiting for room in the DRAM buffer or the merge buffer", "room in the buffer"
    ),
    "spin-up": Kind("#8C2D3F", "waiting for the disk to wake up", "disk to wake up"),
    "fetch": Kind("#2F5D73", "waiting for data that another request fetches from the disk"),
    "look-up": Kind("#7A9E2F", "waiting for entries of the map", "entries of the map"),
    "controller": Kind(
        "#57507A", "waiting for the controller to take the command", "the controller"
    ),
}

#: What a disk is doing or waiting in, from the most power to the least.
POWER = {
    "active": Kind("#E0944A", "working, or ready at once"),
    "from-idle": Kind("#D9B13B", "on the way from idle to active"),
    "to-idle": Kind("#EBD48F", "on the way from active to idle"),
    "idle": Kind("#5B86B8", "idle, the platters turning"),
    "spin-up": Kind("#8C2D3F", "spinning up"),
    "spin-down": Kind("#C98793", "spinning down"),
    "standby": Kind("#D0D6DD", "standby, the platters at rest"),
}


def _tint(colour: str) -> str:
    """Return a colour half as strong."""
    parts = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{(part + 0x100) // 2:02X}" for part in parts)


def _for_room() -> dict[str, Kind]:
    like = {**WAITS, "disk": SERVICES["disk-transfer"], "stripe": SERVICES["controller"]}
    return {
        f"buffer-{name}": Kind(
            _tint(like[name].colour),
            f"waiting for room in the DRAM buffer behind {words}",
            f"room in the buffer ({name})",
        )
        for name, words in _KEEPERS.items()
    }


WAITS |= _for_room()

_SPARE = ("#3E7C7B", "#B07AA1", "#7B8E3C", "#A05195", "#D4A6C8", "#4E5D94")


def of(table: Mapping[str, Kind], names: Iterable[str]) -> dict[str, Kind]:
    """Return the kinds of these names in the table's order; those it lacks come last, by name."""
    wanted = set(names)
    unknown = sorted(wanted - table.keys())
    known = {name: kind for name, kind in table.items() if name in wanted}
    return known | {
        name: Kind(_SPARE[i % len(_SPARE)], _unknown(table, name)) for i, name in enumerate(unknown)
    }


def words(table: Mapping[str, Kind], name: str) -> str:
    """Return a kind in words."""
    return of(table, [name])[name].words


def explained(shown: Mapping[str, Kind]) -> str:
    """Return a sentence that says what each of these kinds is."""
    return "Here " + "; ".join(f"{name} is {kind.words}" for name, kind in shown.items()) + "."


def label(name: str, kind: Kind) -> str:
    """Return what a figure's key calls a kind."""
    return kind.label or name


def _unknown(table: Mapping[str, Kind], name: str) -> str:
    if table is WAITS:
        return f"waiting behind {name}"
    return f"{name} time" if table is SERVICES else name
