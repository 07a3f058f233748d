"""What a design found in words, whichever search it was."""

from __future__ import annotations

from slcache.design import told, wording
from slcache.design.outcome import Design
from slcache.design.sized import Sized


def sentences(found: Design | Sized) -> list[str]:
    """Return what was found, what stands beside it and what weakens it."""
    return told.sentences(found) if isinstance(found, Sized) else wording.sentences(found)
