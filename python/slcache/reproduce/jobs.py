"""One run of an evaluation, as its tables know it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from slcache.execute.run import Run
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

    @property
    def run(self) -> Run:
        """The run itself."""
        *before, last = self.after or (None,)
        lesson = None if last is None else replace(self, input=last, after=tuple(before))
        return Run(
            title=self.title,
            trace=self.input.path,
            device=self.device,
            scheme=self.scheme,
            settings=self.settings,
            trace_options=list(self.input.options(self.drawn).items()),
            replay=self.replay,
            seed=self.seed,
            changed=self.input.changed,
            after=None if lesson is None else lesson.run,
            size=self.input.size,
        )
