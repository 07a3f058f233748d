"""What models of documents have in common; `schemata.of` derives their schemas."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from slcache.documents.schemata import SPARSE

_T = TypeVar("_T", bound=type)
Positive = Annotated[int, Field(ge=1)]
#: The default of a key that is there only where there is something to tell.
ABSENT: Any = None


class Part(BaseModel):
    """A part of a document: it has its own keys alone."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


def shape(kind: _T) -> _T:
    """Have the keys of a typed dictionary be all that there are, with their docstrings."""
    kind.__pydantic_config__ = SPARSE  # type: ignore[attr-defined]
    return kind


def open_shape(kind: _T) -> _T:
    """Have further keys beside those of a typed dictionary, each with a plain value."""
    kinds = {"type": ["number", "string", "boolean", "null"]}
    extra = {"json_schema_extra": {"additionalProperties": kinds}}
    kind.__pydantic_config__ = SPARSE | extra | {"extra": "allow"}  # type: ignore[attr-defined]
    return kind


@shape
class Provenance(TypedDict):
    """The program that made a document."""

    version: str
    commit: str
