"""One run of an evaluation: what it is called and what its result depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from slcache import api
from slcache.reproduce.inputs import Input


@dataclass(frozen=True)
class Job:
    """One run: an input on a device under a scheme, with a seed and settings."""

    input: Input
    device: str
    scheme: str
    seed: int
    replay: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    #: What the tables call the scheme, where it is not the scheme's own name.
    label: str = ""
    #: Seed of the twin's draw, where it is not that of the run.
    draw: int | None = None
    #: Inputs that the scheme has run before, whose memory it brings.
    after: tuple[Input, ...] = ()

    @property
    def name(self) -> str:
        """What the tables call the scheme."""
        return self.label or self.scheme

    @property
    def drawn(self) -> int:
        """Seed of the twin's draw."""
        return self.seed if self.draw is None else self.draw

    @property
    def title(self) -> str:
        """What is shown while it runs."""
        return f"{self.input.name}, {self.name}, seed {self.seed}"

    def resolved(self) -> dict[str, Any]:
        """Return the configuration it runs with; raises ConfigError."""
        return api.resolve(
            device=self.device,
            scheme=self.scheme,
            settings=self.settings,
            replay=self.replay,
            seed=self.seed,
        )

    def identity(self) -> dict[str, Any]:
        """Return what its result depends on, but for the version; raises ConfigError."""
        parts: dict[str, Any] = {
            "config": self.resolved(),
            "trace": self.input.identity(self.drawn),
        }
        if self.after:
            parts["after"] = [each.identity(self.drawn) for each in self.after]
        return parts

    def arguments(self) -> dict[str, Any]:
        """Return how it is run, but for the trace's path and for what is kept."""
        repeated = bool(self.input.repeat_to_write_bytes)
        return {
            "device": self.device,
            "scheme": self.scheme,
            # As a setting the seed is that of the run alone, and not also of the twin.
            "settings": {**self.settings, "run.seed": self.seed},
            "trace_options": {} if repeated else self.input.options(self.drawn),
            "replay": self.replay,
        }
