"""Runs of one trace side by side, and the room that each scheme cleans with."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from slcache.documents import Runs, figures, saved
from slcache.errors import ResultError, UsageError, about
from slcache.files import Path
from slcache.names import few
from slcache.options import checked, refuse
from slcache.results.result import Frames, Result, behind, heading, overload, runs_of
from slcache.sentences import endurance, notes, verdict
from slcache.tables import grid
from slcache.tables.table import plain

if TYPE_CHECKING:
    from altair import ConcatChart as Chart
    from rich.text import Text

    from slcache.tables.table import Cells

#: How many sentences a short answer has, and how many of them are notes.
_SENTENCES, _NOTES = 5, 2
_SENTENCE = re.compile(r"(?<=[.]) (?=[A-Z])")


class Comparison(Frames):
    """Several schemes' runs over the same trace, which is checked, and on the same device.

    Where runs differ in the device or another setting, the verdict begins with saying so.
    """

    @checked
    def __init__(
        self,
        runs: Sequence[Result],
        normalise_to: str | None = None,
        bounds: Mapping[str, Any] | None = None,
    ) -> None:
        if not runs:
            refuse("runs", runs, "must have at least one run")
        labels = [run.label for run in runs]
        to = labels[0] if normalise_to is None else normalise_to
        if to not in labels:
            told = f"cannot normalise to {to!r}: the runs are {few(labels)}"
            raise about(UsageError(told), "normalise_to")
        if len(set(labels)) != len(labels):
            raise about(UsageError(f"schemes named twice: {few(labels)}"), "runs")
        self.runs = list(runs)
        self.reference = to
        #: The least dense programs of the trace for caches of several sizes, where it was counted.
        self.bounds = bounds
        saved.check_comparable(labels, self.documents)

    @classmethod
    @checked
    def load(cls, path: Path) -> Comparison:
        """Return a comparison that was saved: a `.json` file, or a folder with `result.json`.

        Raises ResultError, which names file and key, for what is no whole document of one.
        """
        return cls.of(saved.read(path), path)

    @classmethod
    def of(cls, document: Mapping[str, Any], path: Path) -> Comparison:
        """Return the comparison of a checked document; ResultError names the file if it is none."""
        file = saved.file_of(path)
        if not saved.is_comparison(document):
            raise ResultError(f"{file}: a single run; Result.load reads it")
        if "seeds" in document:
            raise ResultError(f"{file}: several seeds; slcache.load reads it")
        try:
            return cls.made(document)
        except (ResultError, ValueError) as error:
            raise ResultError(f"{file}: {error}") from None

    @staticmethod
    def made(document: Mapping[str, Any]) -> Comparison:
        """Return the comparison of a checked document; of several seeds, that of the first."""
        runs = [Result.made(run, name, ()) for name, run in saved.named(document).items()]
        return Comparison(runs, document["normalised"]["to"], document.get("bounds"))

    def __getitem__(self, label: str) -> Result:
        """Return the run of a scheme: `comparison["baseline"].waf`."""
        if label not in self.labels:
            told = f"no run of {label!r}: the runs are {few(self.labels)}"
            raise about(UsageError(told), "label")
        return self.runs[self.labels.index(label)]

    @property
    def _runs(self) -> list[Result]:
        return self.runs

    @property
    def every_run(self) -> list[Result]:
        """The runs, of all seeds where there are several."""
        return self._every_run

    @property
    def references(self) -> list[Mapping[str, Any]]:
        """What each of these is held against."""
        return [runs_of(self)[self.reference]] * len(self.labels)

    @property
    def normalised(self) -> dict[str, Any]:
        """Every scheme's figures divided by the reference's."""
        return figures.normalised(*self._compared)

    def to_dict(self) -> dict[str, Any]:
        """Return `{"runs": [...], "normalised": {...}}`, and what is known of the bounds."""
        document = {"runs": [run.to_dict() for run in self.runs], "normalised": self.normalised}
        if self.gains():
            document["gains"] = figures.gains(*self._compared)
        if self.bounds is not None:
            document["bounds"] = copy.deepcopy(dict(self.bounds))
        return document

    def verdict(self) -> list[str]:
        """Return who wins, by how much and why, in sentences."""
        return verdict.verdict(*self._compared)

    def notes(self) -> list[str]:
        """Return what to keep in mind while reading the table, in sentences."""
        runs = runs_of(self)
        caches = (
            notes.unpacked(*self._compared),
            notes.unchosen(self.documents),
            notes.unequal_caches(runs),
            notes.unequal_room(runs),
        )
        return [*filter(None, caches), *notes.of_runs(runs)]

    def brief(self) -> list[str]:
        """Return the answer in at most five sentences: who wins and why, and what to mind.

        That some fell behind, which is said above, is one of them.
        """
        said = [_SENTENCE.split(line) for line in self.verdict()]
        notes = [_SENTENCE.split(line)[0] for line in self.notes()][:_NOTES]
        most = _SENTENCES - len(notes) - bool(behind(runs_of(self)))
        # The first line is the headline, or what is to be known before it.
        told = [*said[0], *(line[0] for line in said[1:])]
        return [*told[:most], *notes]

    def tables(self) -> list[Cells]:
        """Return the tables that say most: the figures of each scheme, and its pace."""
        return [grid.table(*self._compared), grid.pace(*self._compared)]

    @property
    def _of_seeds(self) -> endurance.Repeated:
        """The documents of each scheme, one or one for each seed."""
        return endurance.once(runs_of(self))

    @property
    def _compared(self) -> tuple[Runs, str]:
        return runs_of(self), self.reference

    def lives(self) -> list[Cells]:
        """Return the table of how long the devices live; none where no run tells."""
        return endurance.lives(self._of_seeds, self.documents[0], self.gb_per_day)

    def gains(self) -> list[Cells]:
        """Return the table of dense programs beside the least; none if not counted."""
        return endurance.gains(*self._compared, "reference")

    def gain_lines(self) -> list[str]:
        """Return the sentences on that table."""
        return endurance.gain_lines(*self._compared)

    def shown(self, *, explain: bool = False) -> list[Cells | Text | str]:
        """Return what is shown: the answer, or with `explain` all that is known of it."""
        from rich.text import Text

        first, *others = self.tables()
        # Or why what is asked for is not there.
        lives = self.lives() or endurance.life_notes(self._of_seeds, self.gb_per_day)
        if not explain:
            return [first, *(lives if self.gb_per_day else ()), *self.brief()]
        late = [line for each in runs_of(self).items() if (line := overload(*each))]
        # One alone stands above.
        warned = [*(late if len(late) > 1 else ()), *self.notes()]
        cautions: list[Text | str] = [Text(line, "yellow") for line in warned]
        told = [*cautions, *self.verdict()]
        return [first, *others, *lives, *told, *self.gains(), *self.gain_lines()]

    def summary(self, *, explain: bool = False) -> str:
        """Return the table and who wins in at most five sentences, which `print` shows too.

        With `explain` also throughput, lifetime, bounds, every note and the whole verdict.
        """
        return plain(*heading(runs_of(self)), *self.shown(explain=explain))

    def __str__(self) -> str:
        return self.summary()

    def plot_bars(self) -> Chart:
        """Draw mean and tail latency relative to the reference, reads and writes apart."""
        return self._drawn("performance", "relative", self.reference)

    def report(self) -> str:
        """Return the report as one self-contained HTML page."""
        from slcache.results import report

        return report.render(*self._compared, bounds=self.bounds, gb_per_day=self.gb_per_day)

    def _told(self) -> tuple[Cells, list[str]]:
        return self.tables()[0], [*self.notes(), *self.verdict()]

    def __repr__(self) -> str:
        return f"<slcache.Comparison of {', '.join(self.labels)}>"
