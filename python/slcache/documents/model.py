"""What models of documents have in common; `schemata.of` derives their schemas."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Positive = Annotated[int, Field(ge=1)]
#: The default of a key that is there only where there is something to tell.
ABSENT: Any = None


class Part(BaseModel):
    """A part of a document: it has its own keys alone."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)
