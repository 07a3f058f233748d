"""What a command line with changed inputs owes its user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Case:
    """A command line, and words of which an error must name one."""

    arguments: list[str]
    names: tuple[str, ...]
    #: What is said where it succeeds.
    said: str = ""
    #: Documents that hold, where it succeeds, what they held before.
    same: Mapping[str, bytes] = field(default_factory=dict)

    def broken(self, folder: Path, told: str) -> list[str]:
        """Return what a success has not said, or has written otherwise."""
        found = [] if self.said in told else [f"nothing says {self.said!r}"]
        for name, content in self.same.items():
            path = folder / name
            if not path.is_file() or path.read_bytes() != content:
                found.append(f"{name} is another")
        return found
