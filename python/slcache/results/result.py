"""What a simulation returned: one scheme's run over one trace."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from slcache import metrics
from slcache.documents import contract, saved
from slcache.errors import ResultError, UsageError, about
from slcache.files import Path
from slcache.given.arguments import checked
from slcache.results.frames import Frames
from slcache.sentences import life, notes

if TYPE_CHECKING:
    from slcache.tables.tabular import Table


class Result(Frames):
    """One scheme's run over one trace."""

    @checked
    def __init__(
        self,
        document: object,
        label: str | None = None,
        inputs: Sequence[Path] = (),
    ) -> None:
        """Take a document, such as one from result.json; raises ResultError for a broken one."""
        self._take(contract.current(document), label, inputs)

    @classmethod
    def made(
        cls,
        document: Mapping[str, Any],
        label: str | None,
        inputs: Sequence[Path],
    ) -> Self:
        """Return what the engine has just made, which needs no check."""
        self = cls.__new__(cls)
        self._take(document, label, inputs)
        return self

    @classmethod
    @checked
    def load(cls, path: Path) -> Self:
        """Return a run that was saved: a `.json` file, or a folder with `result.json`.

        Raises ResultError, which names file and key, for what is no whole result document.
        """
        return cls.of(saved.read(path), path)

    @classmethod
    def of(cls, document: Mapping[str, Any], path: Path) -> Self:
        """Return the run of a checked document; ResultError names the file if it is none."""
        if saved.is_comparison(document):
            names = ", ".join(saved.named(document))
            raise ResultError(
                f"{saved.file_of(path)}: a comparison of {names}; Comparison.load reads it"
            )
        return cls.made(document, None, ())

    def _take(self, document: Mapping[str, Any], label: str | None, inputs: Sequence[Path]) -> None:
        self._document = document
        self._inputs = tuple(inputs)
        self.label = label or str(document["scheme"]["name"])

    @property
    def inputs(self) -> Sequence[Path]:
        """The files of the trace and the device."""
        return self._inputs

    @property
    def labels(self) -> list[str]:
        """The scheme's name, as the only one."""
        return [self.label]

    @property
    def labelled(self) -> list[tuple[str, Mapping[str, Any]]]:
        """The result document with the scheme's name, as the only one."""
        return [(self.label, self._document)]

    @property
    def documents(self) -> list[Mapping[str, Any]]:
        """The result document, as the only one."""
        return [self._document]

    def __getitem__(self, metric: str) -> metrics.Value:
        """Return a metric by its name, with its unit or without; None where the run has none."""
        try:
            return metrics.named(metric).value(self._document)
        except ValueError as error:
            raise about(UsageError(str(error)), "metric") from None

    def __getattr__(self, name: str) -> metrics.Value:
        """Return a metric as an attribute: `result.waf`."""
        try:
            if name.startswith("_"):
                raise ValueError(f"{type(self).__name__!r} has no attribute {name!r}")
            return metrics.named(name).value(self._document)
        except ValueError as error:
            raise AttributeError(str(error)) from None

    def __dir__(self) -> Sequence[str]:
        """Return the metrics beside all else, for completion."""
        return [*super().__dir__(), *metrics.METRICS]

    def to_dict(self) -> dict[str, Any]:
        """Return the result document as a dictionary of its own."""
        return copy.deepcopy(dict(self._document))

    def summary(self) -> str:
        """Return the figures that matter as a few lines of text."""
        from slcache.report import terminal

        table, lines = self._told()
        return terminal.text(*terminal.label_line(self.documents), table, *lines)

    def notes(self) -> list[str]:
        """Return what to keep in mind while reading the figures, in sentences."""
        return [*notes.of_runs(self.documents), *life.notes(self.labels, self.documents)]

    def report(self) -> str:
        """Return the report as one self-contained HTML page."""
        from slcache.report import html

        return html.render(self.labels, self.documents, None, gb_per_day=self.gb_per_day)

    def _told(self) -> tuple[Table, list[str]]:
        from slcache.report import terminal

        table = terminal.run_table(self.label, self._document, self.gb_per_day)
        return table, self.notes()

    def __repr__(self) -> str:
        return f"<slcache.Result {self.label}: {self._document['host']['requests']} requests>"
