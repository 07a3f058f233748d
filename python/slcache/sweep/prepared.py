"""The points of a study before they run: those chosen, their keys, and what is known of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from slcache.metrics import GAIN_SHARE
from slcache.runs import driver, room, store, tasks
from slcache.runs.run import identity
from slcache.sweep import references, table
from slcache.sweep.points import Point, told
from slcache.sweep.points import points as points_of
from slcache.sweep.shared import Traces, states
from slcache.sweep.study import Study, StudyError


def asked_points(whole: Study, *, skip_impossible: bool, allow_none: bool) -> list[Point]:
    """Return the points of a study; StudyError for impossible ones that may not be."""
    found = points_of(whole)
    impossible = [point for point in found if point.reason is not None]
    # Where nothing can run there is nothing to leave out.
    nothing = not allow_none and len(impossible) == len(found)
    if impossible and (not skip_impossible or nothing):
        raise StudyError("\n".join(told(impossible)))
    return found


class Prepared:
    """The points of a study with their keys, and what is known of their results."""

    def __init__(
        self, points: list[Point], place: Path, traces: Traces, metrics: Sequence[str] = ()
    ) -> None:
        self._points = points
        self._references = references.of(points) if GAIN_SHARE in metrics else {}
        self.store = store.Store(place / "results")
        self._place = place
        self._traces = traces
        self._keys = {p.index: self._key(p) for p in self._all() if p.reason is None}
        self._known = {
            key: tasks.Done("", values=tasks.values(found), costs=tasks.costs(found))
            for key in dict.fromkeys(self._keys.values())
            if (found := self.store.get(key)) is not None
        }
        asked = {self._keys[p.index] for p in points if p.reason is None}
        self.kept = len(asked & self._known.keys())

    def _all(self) -> list[Point]:
        """Return the points, and those that they are only held against."""
        own = {point.index: point for point in self._references.values()}
        return [*self._points, *own.values()]

    def check_room(self, *, skip_impossible: bool) -> None:
        """Tell points that are to run here, and do not fit into memory, as impossible ones.

        Raises StudyError where there may be none. What was run elsewhere is a result as any other.
        """
        of_key = room.short(
            (point.config, point.run.task(key))
            for key, point in self.todo().items()
            if point.config is not None
        )
        found = [p for p in self._points if self._keys.get(p.index) in of_key]
        refused = [replace(p, reason=of_key[self._keys[p.index]]) for p in found]
        if refused and not skip_impossible:
            raise StudyError("\n".join(told(refused)))
        by_index = {p.index: p for p in refused}
        self._points = [by_index.get(p.index, p) for p in self._points]
        self._keys = {i: key for i, key in self._keys.items() if key not in of_key}

    def todo(self) -> dict[str, Point]:
        """Return a point for every key of which there is no result."""
        todo: dict[str, Point] = {}
        for point in self._all():
            key = self._keys.get(point.index)
            if key is not None and key not in self._known:
                todo.setdefault(key, point)
        return todo

    def work(self, todo: Mapping[str, Point], *, here: bool) -> driver.Work:
        """Return the tasks of points; parses the traces that several of them share."""
        prepared = self._traces.prepare(todo.values(), here=here)
        starts = states(todo.values(), self._place / "states")
        missing = {state for state in set(starts.values()) if not store.sound(state)}
        runs: dict[str, tasks.Task] = {}
        makings: dict[str, tasks.Task] = {}
        for key, point in todo.items():
            state = starts.get(point.index)
            start = None if state is None else os.fspath(state)
            parsed = prepared.get(point.index)
            runs[key] = replace(
                point.run.task(key),
                prepared=None if parsed is None else os.fspath(parsed),
                state=start,
            )
            if start is not None and state in missing:
                makings.setdefault(start, point.run.task(start, "state"))
        return driver.Work(runs, makings)

    def rows(self, results: Mapping[str, tasks.Done]) -> list[table.Row]:
        """Return the rows of the table, in the order of the points."""
        return [self._row(point, results) for point in self._points]

    def _row(self, point: Point, results: Mapping[str, tasks.Done]) -> table.Row:
        if point.reason is not None:
            return table.Row(point, None, "impossible", point.reason, {}, {})
        key = self._keys[point.index]
        done = self._known.get(key) or results[key]
        status: table.Status = "done" if done.error is None else "failed"
        against = self._references.get(point.index)
        if against is None or not done.values:
            return table.Row(point, key, status, done.error, done.values, done.costs)
        other = self._reference(against, results)
        values = {**done.values, GAIN_SHARE: references.share(done.values, other.values)}
        why = None if other.error is None else f"{against.scheme}: {other.error}"
        return table.Row(point, key, status, None, values, done.costs, why)

    def _reference(self, point: Point, results: Mapping[str, tasks.Done]) -> tasks.Done:
        """Return what became of a run that others are held against."""
        key = self._keys.get(point.index)
        if key is None:
            return tasks.Done("", error=point.reason or "does not fit into memory")
        return self._known.get(key) or results[key]

    def _key(self, point: Point) -> str:
        assert point.config is not None
        read = self._traces.fingerprint(point)
        return store.key(identity(point.config, read, point.reader_options()))
