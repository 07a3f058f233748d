"""Runs points on a sweep's engine: its workers, its store of results, its prepared traces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from slcache import catalogue
from slcache.execute import given
from slcache.execute.engine import Engine
from slcache.given import config_files
from slcache.given.once import one_name
from slcache.search import config_file
from slcache.search.prefixes import Prefixes
from slcache.search.search import Found, Tried
from slcache.search.space import SCHEME, Settings, key_of
from slcache.sweep import points as sweep_points
from slcache.sweep.axes import Value
from slcache.sweep.batch import Batch
from slcache.sweep.study import Study
from slcache.sweep.table import Row

_WHOLE = Fraction(1)


@dataclass(frozen=True)
class Asked:
    """What all points of a search have in common."""

    trace: str
    device: str
    schemes: Sequence[str]
    settings: Mapping[str, Any] = field(default_factory=dict)
    trace_options: Mapping[str, str] = field(default_factory=dict)
    replay: str | None = None
    seeds: int = 1
    #: Draws of the recording in place of seeds, and how long their stretches are on average.
    resample: int | None = None
    resample_block: str | None = None
    seed: int | None = None
    #: A file with keys of the configuration, below the settings and what is varied.
    config: str | None = None
    #: The metrics that are searched by.
    metrics: Sequence[str] = ()

    def of_scheme(self, scheme: str) -> dict[str, Any]:
        """Return the settings that are fixed for the points of a scheme."""
        return catalogue.settings_for(self.settings, scheme, self.schemes)

    def fixed(self, scheme: str, chosen: Iterable[str]) -> dict[str, Any]:
        """Return what is fixed for the points of a scheme, with what the file says below that."""
        own = self.of_scheme(scheme)
        said = {} if self.config is None else config_files.read(self.config).settings
        above = {one_name(key, scheme) for key in (*own, *chosen)}
        below = catalogue.settings_for(said, scheme, self.schemes).items()
        return {k: v for k, v in below if one_name(k, scheme) not in above} | own

    def study(self, scheme: str, listed: Sequence[Mapping[str, Any]]) -> Study:
        """Return points of a scheme as a study."""
        return Study(
            trace=given.content_of(self.trace),
            device=given.content_of(self.device),
            scheme=scheme,
            point=list(listed) or None,
            seeds=self.seeds,
            **self._draws,
            seed=self.seed,
            set=self.of_scheme(scheme),
            trace_options=self.trace_options,
            replay=self.replay,
            config=self.config,
            metric=self.metrics,
        )

    def refused(self, key: str) -> Callable[[Sequence[Value]], list[bool]]:
        """Return what tells which values of a key the device or the only scheme refuses."""
        (scheme,) = self.schemes

        def told(values: Sequence[Value]) -> list[bool]:
            # A value is refused or not whatever the seed.
            listed = [{key: value} for value in values]
            study = self.study(scheme, listed).model_copy(update={"seeds": 1})
            return [point.reason is not None for point in sweep_points.points(study)]

        return told

    def whole(self, keys: Iterable[str]) -> Study:
        """Return a study that varies these keys; for what it is called by, not for its points."""
        vary = dict.fromkeys(keys, "1")
        whole = {"schemes": tuple(self.schemes), "vary": vary}
        return self.study(self.schemes[0], ()).model_copy(update=whole)

    def file(self, point: Settings, name: str, told: str) -> str:
        """Return a point as a TOML file `name`, with what is `told` of it and how to run it."""
        seed = self.seed if self.seeds == 1 else self.seed or 1
        again = config_file.command(
            point,
            trace=given.label(self.trace),
            device=given.label(self.device),
            config=name,
            options=self.trace_options,
            replay=self.replay,
            seed=seed,
        )
        return config_file.text(point, self.fixed(str(point[SCHEME]), point), [told, again])

    def to_dict(self, vary: Mapping[str, str]) -> dict[str, Any]:
        """Return it as plain data, with what each key may be."""
        return {
            "trace": given.content_of(self.trace),
            "device": given.content_of(self.device),
            "config": self.config,
            "schemes": list(self.schemes),
            "vary": dict(vary),
            "set": dict(self.settings),
            "trace_options": dict(self.trace_options),
            "replay": self.replay,
            "seeds": self.seeds,
            "seed": self.seed,
            **{key: value for key, value in self._draws.items() if value is not None},
        }

    @property
    def _draws(self) -> dict[str, Any]:
        """The draws as a study has them."""
        return {"resample": self.resample, "resample_block": self.resample_block}


class Runs:
    """Runs batches of points and remembers the rows of the table that came of them."""

    def __init__(self, asked: Asked, engine: Engine, prefixes: Prefixes | None = None) -> None:
        self._asked, self._engine, self._prefixes = asked, engine, prefixes
        #: Rows by point, in the order of the seeds: of the run over most of the trace.
        self._rows: dict[tuple[tuple[str, Any], ...], list[Row]] = {}
        #: Results that were in the store before.
        self.kept = 0

    def evaluate(self, points: Sequence[Settings], share: Fraction) -> list[Found]:
        """Return what became of points, run over this share of the trace."""
        found: dict[int, Found] = {}
        for scheme in self._asked.schemes:
            places = [i for i, point in enumerate(points) if point[SCHEME] == scheme]
            if places:
                own = self._of_scheme(scheme, [points[i] for i in places], share)
                found |= dict(zip(places, own, strict=True))
        return [found[i] for i in range(len(points))]

    def _of_scheme(self, scheme: str, points: Sequence[Settings], share: Fraction) -> list[Found]:
        listed = [{k: v for k, v in point.items() if k != SCHEME} for point in points]
        study = self._study(scheme, listed, share)
        batch = Batch(sweep_points.points(study), self._engine, study.judged_by)
        batch.check_room(skip_impossible=True)
        found = batch.rows()
        self.kept += batch.kept if share == _WHOLE else 0
        each = len(found) // len(points)
        told = []
        for i, point in enumerate(points):
            rows = found[i * each : (i + 1) * each]
            # Whatever was run, the table is of the whole trace.
            self._rows[key_of(point)] = [
                replace(row, point=replace(row.point, trace=self._asked.trace)) for row in rows
            ]
            told.append(_found(rows))
        return told

    def _study(self, scheme: str, listed: Sequence[Mapping[str, Any]], share: Fraction) -> Study:
        whole = self._asked.study(scheme, listed)
        if share == _WHOLE:
            return whole
        assert self._prefixes is not None
        path = str(self._prefixes.path(share))
        # How the trace is read is in the file already; one seed is enough to judge by.
        alone = {"seeds": 1, "resample": None, "resample_block": None}
        return whole.model_copy(update={**alone, "traces": (path,), "trace_options": {}})

    def rows_of(self, tried: Tried, first: int) -> list[Row]:
        """Return a point's rows of the table, numbered from `first`."""
        found = self._rows[key_of(tried.settings)]
        if tried.found.status == "stopped":
            # What was measured over a beginning of the trace is no figure of the whole.
            row = replace(found[0], key=None, values={}, costs={})
            found = [replace(row, status="stopped", reason=tried.found.reason)]
        return [
            replace(row, point=replace(row.point, index=first + i)) for i, row in enumerate(found)
        ]


def _found(rows: Sequence[Row]) -> Found:
    """Return what became of a point with several seeds: all must be done for it to be."""
    for status in ("impossible", "failed"):
        reason = next((row.reason for row in rows if row.status == status), None)
        if reason is not None:
            return Found(status, reason)
    names = rows[0].values
    return Found("done", None, {name: _mean([row.values[name] for row in rows]) for name in names})


def _mean(values: Sequence[float | int | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) else None
