"""What results call traces, schemes and readings: a twin is always called one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def of_info(info: Mapping[str, Any]) -> str | None:
    """Return the label of a trace by its `info` document; None for a recording."""
    label: str | None = info["summary"]["label"]
    return label


def of_run(document: Mapping[str, Any]) -> str | None:
    """Return the label of a run's trace by its result document; None for a recording."""
    label: str | None = document["trace"]["label"]
    return label


def of_runs(documents: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the label of the trace that runs have in common."""
    return of_run(documents[0]) if documents else None


def of_scheme(config: Mapping[str, Any]) -> str:
    """Return what results call the scheme of a resolved configuration."""
    name, options = next(iter(config["scheme"].items()))
    if name == "custom" and options.get("source"):
        return of_source(options["source"])
    if name != "tlc-only":
        return str(name)
    # "qlc-only" is a scheme of its own.
    return "tlc-only mode=qlc" if options["mode"] == "qlc" else f"{options['mode']}-only"


def of_source(scheme: str) -> str:
    """Return the class that the source of a scheme of one's own names; others by their name."""
    return scheme.rpartition(":")[2].rpartition(".")[2]


def name_reading(document: Mapping[str, Any], reading: str) -> None:
    """Name in a new result document the paper's set-up that the run began with."""
    document["provenance"]["reading"] = reading


def reading_of(document: Mapping[str, Any]) -> str | None:
    """Return the paper's set-up that a run began with; None where it began with none."""
    reading: str | None = document["provenance"].get("reading")
    return reading
