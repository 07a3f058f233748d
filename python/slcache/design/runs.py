"""The runs of one candidate: both regions together, and each of them alone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slcache import catalogue
from slcache.design.flash import Flash
from slcache.design.source import Source
from slcache.runs.run import Run

BOTH, SLC_ONLY, DENSE_ONLY = "nvc", "nvc-slc-only", "nvc-mlc-only"
#: What says how many blocks a scheme's region has, which the search decides.
SIZES = {
    BOTH: "scheme.nvc.slc_blocks",
    SLC_ONLY: "scheme.nvc-slc-only.blocks",
    DENSE_ONLY: "scheme.nvc-mlc-only.blocks",
}
SCHEMES = tuple(SIZES)
#: What a region alone has from `scheme.nvc`, unless it is told otherwise.
_SHARED = ("plane_order", "placement", "flush_clean")


@dataclass(frozen=True)
class Setup:
    """What all runs of a design have in common."""

    source: Source
    device: str
    settings: Mapping[str, Any]
    replay: str | None
    #: Whether a region is measured alone as if it had all blocks.
    only_full_chip: bool

    def config(self) -> dict[str, Any]:
        """Return a configuration with two regions; raises ConfigError."""
        return catalogue.resolve(
            device=self.device,
            scheme=BOTH,
            settings=catalogue.settings_for(self.settings, BOTH, SCHEMES),
            replay=self.replay,
            seed=self.source.seed,
        )

    def runs(self, flash: Flash, slc_blocks: int) -> dict[str, Run]:
        """Return a candidate's runs by scheme: of two regions three, of one just that."""
        if slc_blocks == 0:
            return {DENSE_ONLY: self._run(DENSE_ONLY, flash.blocks, flash)}
        if slc_blocks == flash.blocks:
            return {SLC_ONLY: self._run(SLC_ONLY, flash.blocks, flash)}
        slc, dense = slc_blocks, flash.blocks - slc_blocks
        if self.only_full_chip:
            slc = dense = flash.blocks
        sizes = {BOTH: slc_blocks, SLC_ONLY: slc, DENSE_ONLY: dense}
        return {scheme: self._run(scheme, blocks, flash) for scheme, blocks in sizes.items()}

    def _run(self, scheme: str, blocks: int, flash: Flash) -> Run:
        source = self.source
        return Run(
            title=f"{scheme}, {blocks} blocks, passes: {source.copies}",
            trace=source.path,
            device=self.device,
            scheme=scheme,
            settings={**self._own(scheme, flash), SIZES[scheme]: blocks},
            trace_options=source.options,
            replay=self.replay,
            seed=source.seed,
            changed=source.changed,
            written=None if source.written is None else os.fspath(source.written),
        )

    def _own(self, scheme: str, flash: Flash) -> dict[str, Any]:
        """Return a scheme's settings: a region alone is built as it is beside the other."""
        own = catalogue.settings_for(self.settings, scheme, SCHEMES)
        if scheme == BOTH:
            return own
        shared = {
            f"scheme.{scheme}.{key}": self.settings[f"scheme.nvc.{key}"]
            for key in _SHARED
            if f"scheme.nvc.{key}" in self.settings
        }
        if scheme == DENSE_ONLY:
            shared[f"scheme.{scheme}.dense_mode"] = flash.dense_mode
        return {**shared, **own}
