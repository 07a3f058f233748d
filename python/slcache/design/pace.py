"""Tells batches of runs as parts of the whole search that asks for them."""

from __future__ import annotations

from slcache.traces.api import Progress


class Pace:
    """Reports the progress of one batch after another as that of `expected` runs."""

    def __init__(self, word: str, expected: int, progress: Progress | None) -> None:
        self._word, self._expected, self._progress = word, expected, progress
        self._done = 0

    def __call__(self, phase: str, done: int, total: int) -> bool | None:
        """Report how far a batch is; what is made before its runs is told as it is."""
        if self._progress is None:
            return True
        if not phase.startswith(self._word):
            return self._progress(phase, done, total)
        return self._progress(
            self._word, self._done + done, max(self._expected, self._done + total)
        )

    def ended(self, runs: int) -> None:
        """Count the runs of a batch that has ended."""
        self._done += runs
