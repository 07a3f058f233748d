"""What time and bytes go to: the colours of the model's kinds beside their words.

A kind that a result has and the tables do not is drawn and told under its own name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from slcache import _core


@dataclass(frozen=True)
class Kind:
    """How one kind is drawn and told.

    `words` is the phrase of sentences; `label` replaces the bare name in keys of figures where
    that would not be understood.
    """

    colour: str
    words: str
    label: str = ""


#: The model's causes and components in words, by name.
_WORDS: Mapping[str, Mapping[str, str]] = json.loads(_core.kinds())


def _of(group: str, colours: Mapping[str, str], labels: Mapping[str, str]) -> dict[str, Kind]:
    words = _WORDS[group]
    return {
        name: Kind(colour, words[name], labels.get(name, "")) for name, colour in colours.items()
    }


#: Work done for the request itself.
SERVICES = _of(
    "service",
    {
        "array": "#6B7889",
        "transfer": "#8D99A8",
        "link": "#B3BCC7",
        "buffer": "#D0D6DD",
        "disk-positioning": "#5C5347",
        "disk-transfer": "#A0927D",
        "controller": "#9A8FB5",
        "retry": "#C97B63",
    },
    {},
)

#: Flash operations that store a page.
STORES = ("program", "reprogram", "copy-back")

_CAUSE_COLOURS = {
    "host": "#5B86B8",
    "rmw": "#A3C1E0",
    "migration": "#E0944A",
    "gc": "#C05A6E",
    "promote": "#7FA65B",
    "fill": "#A68FBF",
    "map": "#4F7F5B",
    "agc": "#CDB450",
    "refresh": "#B98A5E",
    "reclaim": "#8E5A7B",
    "wear": "#6B7A8F",
    "flush": "#6FA8A0",
    "pad": "#A9AFB6",
}

#: Why something is programmed.
CAUSES = _of("causes", _CAUSE_COLOURS, {})

#: What requests wait for: work of some cause, or a resource.
WAITS = _of(
    "wait",
    {
        **_CAUSE_COLOURS,
        "channel": "#C9A0C9",
        "link": "#8F6FA8",
        "queue": "#5E4B8B",
        "order": "#C4C8CD",
        "source": "#7C9BB0",
        "suspended": "#B57B8F",
        "stage": "#B9A58A",
        "merge": "#8C8F5A",
        "buffer": "#6A8CA8",
        "spin-up": "#8C2D3F",
        "fetch": "#2F5D73",
        "look-up": "#7A9E2F",
        "controller": "#57507A",
    },
    {
        "queue": "place in the device",
        "order": "block order",
        "source": "source data",
        "suspended": "suspended",
        "stage": "wordline to fill",
        "merge": "packed page to fill",
        "buffer": "room in the buffer",
        "spin-up": "disk to wake up",
        "look-up": "entries of the map",
        "controller": "the controller",
    },
)

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
    """Return what keeps the room in the DRAM buffer, in lighter colours of the same elsewhere."""
    like = {**WAITS, "disk": SERVICES["disk-transfer"], "stripe": SERVICES["controller"]}
    keepers = {name: name.removeprefix("buffer-") for name in _WORDS["wait"] if "buffer-" in name}
    return {
        name: Kind(_tint(like[each].colour), _WORDS["wait"][name], f"room in the buffer ({each})")
        for name, each in keepers.items()
    }


WAITS |= _for_room()

_SPARE = ("#3E7C7B", "#B07AA1", "#7B8E3C", "#A05195", "#D4A6C8", "#4E5D94")


def of(table: Mapping[str, Kind], names: Iterable[str]) -> dict[str, Kind]:
    """Return the kinds of these names in the table's order; those it lacks come last, by name."""
    wanted = set(names)
    unknown = sorted(wanted - table.keys())
    known = {name: kind for name, kind in table.items() if name in wanted}
    form = "waiting behind {}" if table is WAITS else "{} time" if table is SERVICES else "{}"
    return known | {
        name: Kind(_SPARE[i % len(_SPARE)], form.format(name)) for i, name in enumerate(unknown)
    }


def words(table: Mapping[str, Kind], name: str) -> str:
    """Return a kind in words."""
    return of(table, [name])[name].words


def explained(shown: Mapping[str, Kind]) -> str:
    """Return a sentence that says what each of these kinds is."""
    if not shown:
        return ""
    return "Here " + "; ".join(f"{name} is {kind.words}" for name, kind in shown.items()) + "."
