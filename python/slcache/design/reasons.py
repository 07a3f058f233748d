"""Why a size cannot be."""

from __future__ import annotations

import re


def reason_of(refused: object) -> str:
    """Return why a size is refused, in one line, without the setting: the search made it."""
    line = " ".join(str(refused).split())
    return re.sub(r"^settings \S+=\S+: ", "", line)
