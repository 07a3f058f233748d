"""What the document of a cliff holds: its published schema is derived from this."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from slcache.documents.figures import Gain, Unbound
from slcache.documents.model import ABSENT, DocumentPart, Positive

Amount = Annotated[float, Field(ge=0)]


class PatternShape(DocumentPart):
    """What was asked to be written."""

    amount_bytes: Positive | None
    """null: three times the largest cache of a fixed size or the own, at most the device once."""
    write_bytes: int = Field(ge=512)
    queue_depth: Positive
    bursts: Positive
    """1 without a break."""
    pause_ns: Positive = ABSENT
    """From burst to burst; only where there are several."""
    span_bytes: Positive | None
    """After how much writes start over; null: when the device is full."""


class Burst(DocumentPart):
    """One burst, pauses left out."""

    start_mb_per_s: Amount
    mean_mb_per_s: Amount
    seconds: Amount


class Curve(DocumentPart):
    """The bandwidth of a scheme over data written."""

    amount_bytes: Positive
    """Written in all."""
    first_mb_per_s: Amount
    """At first: over a tenth of the amount, or of three times the cache if that is less,
    without what the DRAM buffer holds."""
    last_mb_per_s: Amount
    """Over the last tenth."""
    cliff_bytes: Amount | None
    """Written before the bandwidth fell below 70 % of that at first; null where it did not.

    Without pauses it is below over a tenth of the amount, and over the rest.
    """
    gain: Gain | Unbound = ABSENT
    """Only where it was asked for, beside the same load without a cache."""
    bursts: list[Burst] = Field(ABSENT, min_length=1)
    """Only of bursts with a pause between them."""
    written_bytes: list[Amount]
    """Written by the end of each stretch."""
    mb_per_s: list[Amount]
    """The bandwidth of each stretch."""


class CliffShape(DocumentPart):
    """Write bandwidth over data written, by scheme. MB are 10^6 bytes."""

    device: str
    """The device as it was named."""
    pattern: PatternShape
    schemes: dict[str, Curve] = Field(min_length=1)
