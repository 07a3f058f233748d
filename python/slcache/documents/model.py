"""Models of documents: what they have in common, and that of a comparison."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, create_model
from typing_extensions import TypedDict

from slcache import metrics
from slcache.documents.figures import COMPARED, OF_DISK, OF_FLUSHES, Gain, Unbound
from slcache.documents.schemata import shape, title
from slcache.results.intervals import Factor, Spread

Positive = Annotated[int, Field(ge=1)]
#: The default of a key that is there only where there is something to tell.
ABSENT: Any = None


class DocumentPart(BaseModel):
    """A part of a document: it has its own keys alone."""

    model_config = ConfigDict(
        extra="forbid", use_attribute_docstrings=True, model_title_generator=title
    )


@shape
class Provenance(TypedDict):
    """The program that made a document."""

    version: str
    commit: str


#: null where the reference is zero or one of both has no such requests.
Ratio = Annotated[float, Field(ge=0)] | None
#: Figures that older documents lack, or traces without flushes, or devices without a disk.
_SOME = ("iops", "bytes_per_s", "utilisation", "duration_ns", *OF_FLUSHES, *OF_DISK)


_FIGURES: dict[str, Any] = {
    metrics.short(name): (Ratio, None if name in _SOME else ...)
    for name in (*COMPARED, *OF_FLUSHES, *OF_DISK)
}
Figures = create_model("Figures", __base__=DocumentPart, **_FIGURES)


class ResultShape(BaseModel):
    """The document of one run, whose schema is the engine's."""


class Normalised(DocumentPart):
    """Figures divided by those of one scheme."""

    to: str
    """The reference scheme."""
    schemes: dict[str, Figures]  # type: ignore[valid-type]
    """One entry per run, in the same order; the reference's own figures are 1."""


class Gains(DocumentPart):
    """What each scheme programs dense (or writes to its disk), and the least with such a cache."""

    to: str
    """The reference scheme."""
    schemes: dict[str, Gain | Unbound]
    """One entry per run, in the same order."""


class Bound(DocumentPart):
    """The least that is programmed dense, in mapping units, for a cache of a size."""

    slots: Positive
    """Units that the cache and the controller's memory hold."""
    least: int
    """Where what lives on stays in the cache."""
    least_drained: int
    """Where the cache is emptied at the end."""


class Bounds(DocumentPart):
    """The least that is programmed dense, for caches of several sizes."""

    unit_bytes: Positive
    """Bytes of a mapping unit."""
    versions: int
    """Units touched by writes, each write counted."""
    sizes: list[Bound] = Field(min_length=1)
    """By rising size."""


class One(DocumentPart):
    """A comparison with one seed."""

    runs: list[ResultShape] = Field(min_length=1)
    """One result document per scheme, in the order compared."""
    normalised: Normalised
    gains: Gains = ABSENT
    """Only where the least was counted."""


class Against(DocumentPart):
    """Each scheme beside the reference, by scheme and metric."""

    to: str
    """The reference scheme."""
    schemes: dict[str, dict[str, Factor]]


class SeedsShape(DocumentPart):
    """All seeds or draws: what is beside this is of the first, or of the recording itself."""

    seeds: list[int] = Field(min_length=2)
    """Of the seeds, or of the draws."""
    confidence: float
    """How sure intervals are."""
    method: str
    schemes: dict[str, dict[str, Spread]]
    """By scheme and metric, which ends in its unit."""
    against: Against
    others: list[One] = Field(min_length=1)
    """The comparisons with the other seeds, in their order; beside a recording, with all draws."""


class ComparisonShape(One):
    """Schemes over one trace on one device, and figures divided by the reference scheme's."""

    bounds: Bounds = ABSENT
    """Only where the least was counted."""
    seeds: SeedsShape = ABSENT
    """Only of several seeds or draws."""
