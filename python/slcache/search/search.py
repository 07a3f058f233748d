"""What a search is asked for beside its study: the one model of the verb and the function."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from slcache.errors import UsageError, about
from slcache.search import optuna
from slcache.search.goals import Goals
from slcache.search.prefixes import SHARES
from slcache.sweep.study import problems

#: Points that are tried where neither points nor minutes are given.
POINTS = 100
#: What bisection has no use for.
_OF_A_SAMPLER = ("sampler", "sampler_seed", "points", "minutes", "prefixes")


def _listed(said: object) -> object:
    return (said,) if isinstance(said, str) else said


Texts = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class Search(BaseModel):
    """What is wanted of the points of a study, and who suggests them; raises UsageError."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    minimise: Texts = ()
    maximise: Texts = ()
    #: The key whose least or most value is wanted, found by bisection.
    least: str | None = None
    most: str | None = None
    such_that: Texts = ()
    sampler: optuna.Name | None = None
    sampler_seed: int = Field(1, ge=0, le=2**32 - 1)
    points: int | None = Field(None, ge=1, le=1_000_000)
    minutes: float | None = Field(None, ge=0, le=1e6)
    #: Whether points are stopped that do badly over the beginning of the trace.
    prefixes: bool = False

    def __init__(self, /, **said: Any) -> None:  # noqa: ANN401
        own = {
            key: value for key, value in said.items() if value is not None and value is not False
        }
        try:
            super().__init__(**own)
        except ValidationError as error:
            raise UsageError("\n".join(problems(error, type(self)))) from None
        if self.goals.key is not None:
            for name in _OF_A_SAMPLER:
                if name in self.model_fields_set:
                    told = "is of a sampler, and the least or most of a key is found by bisection"
                    raise about(UsageError(f"{name} = {getattr(self, name)}: {told}"), name)

    @cached_property
    def goals(self) -> Goals:
        """What is searched by; raises UsageError."""
        try:
            return Goals.read(self.minimise, self.maximise, self.such_that, self.least, self.most)
        except ValueError as error:
            raise UsageError(str(error)) from error

    @property
    def suggested_by(self) -> optuna.Name | None:
        """The sampler; None where bisection finds the points."""
        return None if self.goals.key is not None else self.sampler or "tpe"

    @property
    def points_most(self) -> int | None:
        """Most points that are tried; None where only time ends the search."""
        return POINTS if self.points is None and self.minutes is None else self.points

    @property
    def shares(self) -> Sequence[Fraction]:
        """Shares of the trace that points are run over before all of it, smallest first."""
        return SHARES if self.prefixes else ()
