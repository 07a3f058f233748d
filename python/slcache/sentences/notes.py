"""What to know of the configurations that runs had, in sentences."""

from __future__ import annotations

import json
from collections.abc import Sequence

from slcache import _core
from slcache.documents.normalise import Document


def of_runs(documents: Sequence[Document]) -> list[str]:
    """Return each note once: a rounded capacity, times that no chip has, tiers on shared dies."""
    told = (_core.config_notes(json.dumps(document["config"])) for document in documents)
    return list(dict.fromkeys(note for notes in told for note in notes))
