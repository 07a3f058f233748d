"""What a search for the SLC region found: the points tried and the smallest that suffices."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from slcache import _core
from slcache.design.answer import Answer
from slcache.design.constraint import Constraint
from slcache.design.flash import Flash
from slcache.design.point import Goal, Point
from slcache.words import units

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What a design is written as, beside the runs it keeps.
FILES = ("design.json", "design.svg", "design.png")


@dataclass(frozen=True)
class Design(Answer[Point]):
    """The points that were tried, by size, and what the constraint makes of them."""

    trace: str
    label: str | None
    flash: Flash
    constraint: Constraint
    goal: Goal
    policy: int
    only_full_chip: bool
    #: The last of so many passes of the trace is what counts.
    passes: int
    #: How many requests of the trace are a pass; None for all.
    first_requests: int | None
    #: Sizes that could have been the answer.
    candidates: Sequence[int]
    points: Sequence[Point]
    #: Sizes that the device or the scheme refuses, with the reason.
    left_out: Mapping[int, str] = field(default_factory=dict)

    @property
    def dense_only_bytes(self) -> float:
        """What a chip of dense blocks alone lasts."""
        return self.points[0].life_bytes

    @property
    def least_bytes(self) -> float:
        """The constraint in bytes of host writes."""
        return self.constraint.least_bytes(self.dense_only_bytes)

    def size_of(self, point: Point) -> int:
        """Return the SLC blocks of a plane."""
        return point.slc_blocks

    def figure(self, point: Point) -> float:
        """Return the lifespan."""
        return point.life_bytes

    def meets(self, point: Point) -> bool:
        """Return whether a point lasts long enough."""
        return point.life_bytes >= self.least_bytes

    def times(self, point: Point) -> float:
        """Return how many times as long as a chip of dense blocks a point lasts."""
        return point.life_bytes / self.dense_only_bytes

    @property
    def r_min(self) -> float | None:
        """The share of SLC blocks of the chosen point."""
        return None if self.chosen is None else self.chosen.slc_share

    @property
    def slc_blocks(self) -> int | None:
        """SLC blocks of a plane of the chosen point."""
        return None if self.chosen is None else self.chosen.slc_blocks

    @property
    def rises(self) -> bool:
        """Whether the lifespan never falls from a point tried to the next larger region."""
        return all(a.life_bytes <= b.life_bytes for a, b in pairwise(self.points))

    @property
    def better(self) -> list[Point]:
        """Points tried that last long enough and are better than the chosen one in the goal."""
        chosen = None if self.chosen is None else self.chosen.of(self.goal)
        if chosen is None:
            return []
        found = [(point.of(self.goal), point) for point in self.points if self.meets(point)]
        return [point for figure, point in found if figure is not None and figure < chosen]

    def to_dict(self) -> dict[str, Any]:
        """Return the design as one document."""
        nearest = self.nearest
        return {
            "schema_version": 1,
            "scheme": "nvc",
            "policy": self.policy,
            "device": self.flash.device,
            "trace": self.trace,
            "label": self.label,
            "passes": self.passes,
            "first_requests": self.first_requests,
            "chip": {**self.flash.chip, "dense_mode": self.flash.dense_mode},
            "blocks_per_plane": self.flash.blocks,
            "only_full_chip": self.only_full_chip,
            "goal": self.goal,
            "constraint": {
                "times_dense_only": self.constraint.times,
                "host_bytes": self.least_bytes,
                "met": self.chosen is not None,
            },
            "slc_blocks": self.slc_blocks,
            "slc_bytes": None if self.chosen is None else self.chosen.slc_bytes,
            "r_min": self.r_min,
            "neighbours": [point.slc_blocks for point in self.neighbours],
            "better_in_goal": [point.slc_blocks for point in self.better],
            "lifespan_rises": self.rises,
            "nearest": {
                "slc_blocks": nearest.slc_blocks,
                "slc_share": nearest.slc_share,
                "share_of_constraint": nearest.life_bytes / self.least_bytes,
            },
            "points": [
                {**p.to_dict(), "times_dense_only": self.times(p), "meets": self.meets(p)}
                for p in self.points
            ],
            "left_out": [
                {"slc_blocks": size, "reason": reason} for size, reason in self.left_out.items()
            ],
            "provenance": {"version": _core.version(), "commit": _core.commit()},
        }

    def to_json(self) -> str:
        """Return the document as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def plot(self) -> Figure:
        """Draw lifespan, read latency and energy over the share of SLC blocks."""
        from slcache.plots import design

        whole = units.size(self.flash.slc_bytes(self.flash.blocks))
        return design.draw(
            [point.slc_share for point in self.points],
            times=[self.times(point) for point in self.points],
            read_us=[point.read_us for point in self.points],
            energy_j=[point.energy_j for point in self.points],
            chosen=self.r_min,
            least_times=self.least_bytes / self.dense_only_bytes,
            device=f"{self.flash.device}, {whole} if all of them are",
            trace=self.label or self.trace,
        )

    def files(self) -> dict[str, bytes]:
        """Return the contents of `FILES`."""
        from slcache.plots import images

        figure = self.plot()
        title = "lifespan, read latency and energy over the share of SLC blocks"
        contents = (
            (self.to_json() + "\n").encode(),
            images.svg(figure, "design", title).encode(),
            images.png(figure),
        )
        return dict(zip(FILES, contents, strict=True))
