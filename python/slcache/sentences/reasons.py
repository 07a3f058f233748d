"""Why schemes are left out, one sentence per reason: many schemes often share it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from slcache.sentences import wording

#: Stands for the scheme's own name where schemes share a reason.
_OWN = "NAME"


def told(reasons: Mapping[str, str], one: str, many: str) -> list[str]:
    """Return a sentence for each reason, such as `a and b are left out: ...`.

    `one` and `many` are what is said of a scheme and of several.
    """
    return [
        f"{wording.listed(names)} {one if len(names) == 1 else many}: {reason}"
        for names, reason in grouped(reasons)
    ]


def grouped(reasons: Mapping[str, str]) -> list[tuple[Sequence[str], str]]:
    """Return the schemes of each reason; where they share it, NAME stands for their names in it."""
    groups: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        own = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", _OWN, reason)
        groups.setdefault(own, []).append(name)
    return [
        (names, reasons[names[0]] if len(names) == 1 else shared)
        for shared, names in groups.items()
    ]
