"""What to know of the configurations that runs had, in sentences."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from slcache import _core
from slcache.documents.normalise import Document
from slcache.sentences import reach


def of_runs(documents: Sequence[Document]) -> list[str]:
    """Return each note once: a rounded capacity, times that no chip has, tiers on shared dies."""
    notes = (note for document in documents for note in _of(document["config"]))
    return list(dict.fromkeys(notes))


def _of(config: Mapping[str, Any]) -> Iterator[str]:
    yield from _core.config_notes(json.dumps(config))
    if "client" in config["scheme"]:
        # In open replay the trace says how many requests are outstanding.
        host = config["host"]
        told = reach.sentence(config, host["queue_depth"] if host["replay"] == "closed" else 1)
        if told is not None:
            yield f"client: the device has no [buffer], as drives have, so that {told}"
