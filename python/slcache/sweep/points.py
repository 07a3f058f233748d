"""The points of a study, each with the configuration that runs, or why it cannot."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slcache import catalogue
from slcache._core import ConfigError
from slcache.documents.normalise import by_seed
from slcache.errors import one_line
from slcache.execute import given
from slcache.execute.given import DRAW
from slcache.execute.run import Run
from slcache.given.once import one_name
from slcache.sentences import wording
from slcache.sweep.axes import POINTS_MAX, Combination, plain
from slcache.sweep.study import BOUND, Study, StudyError
from slcache.traces.api import reader_options
from slcache.words import names
from slcache.words.names import few

#: Keys that are options of the trace's reader, and those of a workload, which go there too.
READER, WORKLOAD = "reader.", "workload."
#: What a misspelt name leads to, as against a value that a device or scheme cannot have.
_MISSPELT = re.compile(r"unknown key|the run's scheme is |is not a scheme|no such preset")


@dataclass(frozen=True)
class Point:
    """One run of a study."""

    #: Its place in the study, from 0.
    index: int
    trace: str
    device: str
    scheme: str
    #: The varied keys that mean something to its trace and scheme.
    varied: Combination
    #: Seed of the run; None for the default.
    seed: int | None
    settings: Mapping[str, Any]
    trace_options: Mapping[str, str]
    replay: str | None
    #: The resolved configuration; None where there is none.
    config: Mapping[str, Any] | None
    #: Why it cannot run.
    reason: str | None

    @property
    def run_seed(self) -> int | None:
        """The seed as the configuration has it."""
        return self.seed if self.config is None else int(self.config["run"]["seed"])

    @property
    def run(self) -> Run:
        """The run itself."""
        return Run(
            title="",
            trace=self.trace,
            device=self.device,
            scheme=self.scheme,
            settings=self.settings,
            trace_options=self.reader_options(),
            replay=self.replay,
            seed=self.seed,
            resolved=self.config,
        )

    @property
    def draw(self) -> int | None:
        """The number of its draw; None where its trace is what was recorded."""
        number = self.trace_options.get(DRAW)
        return None if number is None else int(number)

    def reader_options(self) -> list[tuple[str, str]]:
        """Return the options of its trace's reader, as a plain run would give them."""
        drawn = self.seed if given.is_workload(self.trace) else None
        return reader_options(None, self.trace_options, drawn)


def points(study: Study, refused: dict[str, ConfigError] | None = None) -> list[Point]:
    """Return the points in the order of the study; raises ConfigError for a key that none takes.

    `refused` are configurations that cannot be, whatever the seed; those that are found are added.
    """
    check_keys(study)
    combinations = study.combinations()
    # One more than allowed is enough to know.
    places = list(itertools.islice(_places(study, combinations), POINTS_MAX + 1))
    if len(places) > POINTS_MAX:
        raise StudyError(f"the study has too many points; at most {POINTS_MAX:,} are allowed")
    resolved = _Resolved(study, {} if refused is None else refused)
    return [resolved.point(index, *each) for index, each in enumerate(places)]


def _places(
    study: Study, combinations: list[Combination]
) -> Iterator[tuple[str, str, str, Combination, int | None]]:
    """Yield trace, device, scheme, varied keys and seed of every point.

    Combinations that only differ in what a trace or scheme does not have are one.
    """
    first = 1 if study.seed is None else study.seed
    alone = study.repeats == 1 and study.seed is None
    seeds = [None] if alone else range(first, first + study.repeats)
    for trace in study.traces:
        for device in study.devices:
            for scheme in _schemes(study, device):
                seen = dict.fromkeys(
                    tuple(_meaning(each, study, trace, scheme).items()) for each in combinations
                )
                for own in seen:
                    for seed in seeds:
                        yield trace, device, scheme, dict(own), seed


def _schemes(study: Study, device: str) -> list[str]:
    if list(study.schemes) != ["all"]:
        return list(study.schemes)
    return catalogue.rivals(device=given.content_of(device))[0]


def _meaning(each: Combination, study: Study, trace: str, scheme: str) -> Combination:
    """Return the keys that mean something to a trace and a scheme."""
    own = catalogue.settings_for(each, scheme, all_schemes(study))
    if given.is_workload(trace):
        return own
    return {key: value for key, value in own.items() if not key.startswith(WORKLOAD)}


def all_schemes(study: Study) -> list[str]:
    """Return the names of the schemes that settings of a study may be for."""
    if list(study.schemes) != ["all"]:
        return list(study.schemes)
    return [str(entry["name"]) for entry in catalogue.schemes()]


def check_keys(study: Study) -> None:
    """Raise StudyError for a key in two spellings, or one that nothing in the study has."""
    schemes = all_schemes(study)
    _check_schemes(study, schemes)
    known = {catalogue.of_catalogue(name) for name in schemes}
    for key in [*study.keys, *study.settings]:
        own = re.match(r"scheme\.([^.]+)\.", key)
        if own and own[1] not in known | {names.of_source(name) for name in schemes}:
            raise StudyError(f"{key}: no scheme of the study takes it: {wording.listed(schemes)}")
        if key.startswith(WORKLOAD) and not any(map(given.is_workload, study.traces)):
            raise StudyError(f"{key}: no trace of the study is a workload")
    for scheme in known:
        spelt: dict[str, str] = {}
        for key in [*study.keys, *study.settings]:
            first = spelt.setdefault(one_name(key, scheme), key)
            if first != key:
                raise StudyError(f"{key}: is {first} in another spelling; give one of the two")


def _check_schemes(study: Study, schemes: list[str]) -> None:
    """Raise ConfigError for a scheme that there is not, before each is held against all others."""
    there = {str(entry["name"]) for entry in catalogue.schemes()} | catalogue.canonical().keys()
    unknown = next((name for name in schemes if catalogue.of_catalogue(name) not in there), None)
    if unknown is not None:
        catalogue.resolve(device=given.content_of(study.devices[0]), scheme=unknown)


class _Resolved:
    """Makes points; equal configurations are resolved once."""

    def __init__(self, study: Study, refused: dict[str, ConfigError]) -> None:
        self._study, self._refused = study, refused
        self._schemes = all_schemes(study)
        counted = {BOUND: True} if study.counts_bound else {}
        self._file = {**counted, **study.of_config()}
        self._known: dict[tuple[str, int | None], Mapping[str, Any]] = {}

    def point(
        self,
        index: int,
        trace: str,
        device: str,
        scheme: str,
        varied: Combination,
        seed: int | None,
    ) -> Point:
        study = self._study
        fixed = {**self._file, **study.settings}
        settings = dict(catalogue.settings_for(fixed, scheme, self._schemes))
        options = dict(study.trace_options)
        for key, value in varied.items():
            if key.startswith((READER, WORKLOAD)):
                options[key.removeprefix(READER)] = plain(value)
            else:
                settings[key] = value
        found = self._resolve(device, scheme, settings, seed)
        return Point(
            index=index,
            trace=trace,
            device=device,
            scheme=scheme,
            varied=varied,
            seed=seed,
            settings=settings,
            trace_options=study.drawn(trace)(options, seed) or {},
            replay=study.replay,
            config=None if isinstance(found, ConfigError) else found,
            reason=one_line(found) if isinstance(found, ConfigError) else None,
        )

    def _resolve(
        self, device: str, scheme: str, settings: Mapping[str, Any], seed: int | None
    ) -> Mapping[str, Any] | ConfigError:
        name = json.dumps([device, scheme, dict(settings)], default=str)
        if name in self._refused:
            return self._refused[name]
        if (name, seed) not in self._known:
            try:
                self._known[name, seed] = catalogue.resolve(
                    device=given.content_of(device),
                    scheme=scheme,
                    settings=settings,
                    replay=self._study.replay,
                    seed=seed,
                )
            except ConfigError as error:
                if _MISSPELT.search(str(error)):
                    raise
                self._refused[name] = error
                return error
        return self._known[name, seed]


def told(impossible: list[Point]) -> list[str]:
    """Return a sentence for each reason why points cannot run, with the values it concerns."""
    groups: dict[tuple[str, str, str], list[Point]] = {}
    for point in impossible:
        key = (point.scheme, given.label(point.device), _without_values(point))
        groups.setdefault(key, []).append(point)
    return [
        f"{len(group)} point{'s' * (len(group) != 1)} of {scheme} on {device}"
        f"{_concerned(group, reason)}: {reason}"
        for (scheme, device, reason), group in groups.items()
    ]


def alike(points: Sequence[Point]) -> list[str]:
    """Return a sentence for each recording of which every seed gives the same figures."""
    seeds: dict[str, set[int | None]] = {}
    for each in points:
        if each.config is not None and each.draw is None and not given.is_workload(each.trace):
            seeds.setdefault(each.trace, set()).add(each.seed)
    drawn = {each.trace for each in points if each.config is not None and by_seed(each.config)}
    return [
        f"{trace} is a recording, and nothing else of its points is drawn: each of the "
        f"{len(found):,} seeds gives the same figures; --resample N draws it anew"
        for trace, found in seeds.items()
        if len(found) > 1 and trace not in drawn
    ]


def _without_values(point: Point) -> str:
    """Return the reason without the point's own values, which differ where the reason does not."""
    reason = point.reason or ""
    for key, value in point.varied.items():
        said = rf"{re.escape(key)}\s*=\s*\"?{re.escape(plain(value))}\"?"
        reason = re.sub(rf"^(settings )?{said}: ", "", reason)
        reason = re.sub(said, key, reason)
    return reason


def _concerned(group: list[Point], reason: str) -> str:
    """Return the values of the keys that a reason names, or of all where it names none."""
    parts = []
    keys = list(group[0].varied)
    for key in [key for key in keys if key in reason] or keys:
        values = list(dict.fromkeys(plain(p.varied[key]) for p in group if key in p.varied))
        parts.append(f"{key} = {few(values)}")
    return f" ({'; '.join(parts)})" if parts else ""
