"""Schemes under settings of their own: variants, grids of them, and the best of a grid."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from slcache.reproduce.parts import GridName, PartName, SchemeName, TraceName


@dataclass(frozen=True)
class Variant:
    """A scheme under settings of its own, by a name of its own."""

    name: str
    scheme: str
    settings: dict[str, Any] = field(default_factory=dict)
    #: Workloads that it has run before, one after the other, and whose memory it brings.
    after: list[TraceName] = field(default_factory=list)
    #: The grid it is a point of, and which.
    grid: str = ""
    point: tuple[Any, ...] = ()


@dataclass(frozen=True)
class ShareOf:
    """A setting's value as a share of another whole number of the configuration."""

    share: float
    #: Its key, such as device.pool.0.blocks.
    whole: str


@dataclass(frozen=True)
class Grid:
    """A scheme under every combination of some settings' values."""

    name: str
    scheme: str
    #: Settings, each with its values.
    vary: dict[str, list[Any]]
    settings: dict[str, Any] = field(default_factory=dict)
    #: A setting of which the values are shares: each run gets so many of its own, in whole numbers.
    share_of: str = ""
    #: Schemes that stand for the grid's own at some values of its only setting, by the value.
    instead: dict[str, str] = field(default_factory=dict)

    def variants(self) -> list[Variant]:
        """Return one variant for every point, the last setting running fastest."""
        return [self._variant(point) for point in itertools.product(*self.vary.values())]

    def _variant(self, point: tuple[Any, ...]) -> Variant:
        name = " ".join([self.name, *map(str, point)])
        other = self.instead.get(str(point[0])) if len(point) == 1 else None
        if other is not None:
            return Variant(name, other, grid=self.name, point=point)
        varied = dict(zip(self.vary, point, strict=True))
        if self.share_of:
            varied = {key: ShareOf(share, self.share_of) for key, share in varied.items()}
        return Variant(name, self.scheme, {**self.settings, **varied}, grid=self.name, point=point)


@dataclass(frozen=True)
class Pick:
    """The variant of a grid that does best, or worst, on each trace, shown as one more scheme."""

    name: str
    #: The parts that show it.
    parts: list[PartName]
    measure: str
    #: "most" or "least".
    which: str
    #: The part that runs the grid, where it is another.
    source: PartName = ""
    #: The grid to pick from, where the part runs other schemes too.
    grid: GridName = ""

    def of(self, values: dict[str, float]) -> str:
        """Return the name with the largest or smallest value, the first of equals."""
        order = max if self.which == "most" else min
        return order(values, key=lambda name: values[name])


@dataclass(frozen=True)
class Yardstick:
    """What a learned scheme is held against: the best and the worst constant, and chance."""

    part: PartName
    measure: str
    scheme: SchemeName
    best: SchemeName
    worst: SchemeName
    random: SchemeName


def settings_of(variant: Variant, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings for a variant: those of no scheme, of its scheme, its name or grid."""
    own = f"scheme.{variant.scheme}."
    keys = {k: _meant(variant, k) for k in settings}
    return {
        key: settings[k]
        for k, key in keys.items()
        if key is not None and (not key.startswith("scheme.") or key.startswith(own))
    }


def _meant(variant: Variant, key: str) -> str | None:
    """Return a setting's key without the variant or grid it is for; None if that is another."""
    name, colon, rest = key.rpartition(":")
    return rest if not colon or name in (variant.name, variant.grid) else None


def expand(
    names: Sequence[str], variants: Sequence[Variant], grids: Sequence[Grid]
) -> list[Variant]:
    """Return what names mean: variants, all of a grid, or schemes as they are."""
    known = {variant.name: [variant] for variant in variants}
    known |= {grid.name: grid.variants() for grid in grids}
    return [one for name in names for one in known.get(name, [Variant(name, name)])]
