"""What a command line with changed inputs owes its user."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """A command line, and words of which an error must name one."""

    arguments: list[str]
    names: tuple[str, ...]
