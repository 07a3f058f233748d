"""What is told as one JSON document, and how documents are read and held against others."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from slcache import _core

if TYPE_CHECKING:
    from altair import ConcatChart as Chart


#: The result document of a run.
Document = Mapping[str, Any]
#: Those of several runs of one trace, by what the runs are called.
Runs = Mapping[str, Document]


class JsonDocument(ABC):
    """What is told as plain data, and so as JSON."""

    #: Spaces by which lines are indented, where people read the file too.
    indent: ClassVar[int | None] = None

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""

    def to_json(self) -> str:
        """Return it as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=self.indent)


class Pictured(JsonDocument):
    """A document with a picture."""

    @abstractmethod
    def picture(self) -> dict[str, Any]:
        """Return its picture as a Vega-Lite specification."""

    def plot(self) -> Chart:
        """Draw it."""
        from slcache.charts import pictures

        return pictures.notebook(self.picture())


def provenance() -> dict[str, str]:
    """Return what a document says of the program that made it."""
    return {"version": _core.version(), "commit": _core.commit()}
