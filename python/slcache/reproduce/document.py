"""The document of an evaluation: its published schema is derived from these shapes."""

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from slcache.documents.model import Provenance, shape
from slcache.reproduce import gains, optima
from slcache.reproduce.ledger import Row
from slcache.reproduce.verdicts import Verdict

#: Claims by verdict.
Counts = dict[Verdict, int]


@shape
class Input(TypedDict):
    """A trace."""

    workload: str
    parts: list[str]
    source: Literal["twin", "published file"]
    path: str
    set: dict[str, Any]
    """Figures of the twin that were set."""
    reduced: dict[str, Any]
    """Settings that make the experiment as much smaller as its twin."""
    repeat_to_write_bytes: int
    """0: once."""


@shape
class Part(TypedDict):
    """A part of the evaluation."""

    name: str
    device: str
    replay: str | None
    schemes: list[str]


@shape
class Reading(TypedDict):
    """What the most probable reading changes."""

    name: str
    options: list[dict[str, Any]]
    run: list[str]


@shape
class Claim(TypedDict):
    """A claim under a value of what was varied."""

    id: str
    ours: Any
    verdict: Verdict


@shape
class Point(TypedDict):
    """The claims under a value of what was varied."""

    value: str
    claims: list[Claim]
    yardstick: list[optima.Learned]


@shape
class Unbeaten(TypedDict):
    """A point that no other beats on all of the paper's figures."""

    value: str
    met: int
    """How many emergent claims it meets."""


@shape
class Variation(TypedDict):
    """The claims under every value of what was varied."""

    name: str
    why: str
    reading: str
    front: list[Unbeaten]
    """Where factors are combined."""
    points: list[Point]


@shape
class Evaluation(TypedDict):
    """The claims of a paper beside what its evaluation came to here: the ledger."""

    schema_version: Literal[1]
    paper: str
    title: str
    mode: str
    inputs: list[Input]
    parts: list[Part]
    seeds: list[int]
    counts: Counts
    """Claims by verdict, read to the letter."""
    counts_probable: Counts | None
    """The same under the most probable reading; null where it was not run."""
    counts_by_class: dict[str, dict[str, Counts | None]]
    """By class of claim and reading; null where a reading was not run."""
    reading: Reading | None
    """Null where the paper leaves nothing open."""
    claims: list[Row]
    sensitivity: list[Variation]
    """Empty where it was not run."""
    beyond: dict[str, Any]
    """The schemes on recordings; empty where there were none."""
    yardstick: list[optima.Learned]
    """A learned scheme beside the best constant setting, by trace."""
    optima: list[optima.Optimum]
    """Where a setting is best, by part and trace."""
    gains: NotRequired[dict[str, list[gains.Row]]]
    """How far from the least dense programs, by reading; only where it was asked for."""
    provenance: Provenance
