"""The points of a study: their runs or why there are none, what became of them, and their table."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from slcache import catalogue, frame, names
from slcache.documents.figures import by_seed
from slcache.errors import ConfigError, about, one_line
from slcache.execute.run import DRAW, Run, reader_options_of
from slcache.execute.tasks import Values
from slcache.names import few, joined
from slcache.options import content
from slcache.options.content import one_name
from slcache.study.axes import POINTS_MAX, Combination, Value, plain
from slcache.study.model import BOUND, Study, StudyError, with_lines

if TYPE_CHECKING:
    import polars as pl

#: What names the scheme among the keys of a point.
SCHEME = "scheme"
#: Keys that are options of the trace's reader, and those of a workload, which go there too.
READER, WORKLOAD = "reader.", "workload."
#: What a misspelt name leads to, as against a value that a device or scheme cannot have.
_MISSPELT = re.compile(
    r"unknown key|must be absent: |the run's scheme is |is not a scheme|no such preset"
)
#: A search stops points after a beginning of the trace.
Status = Literal["done", "failed", "impossible", "stopped"]
#: Columns in front of what is varied, and behind it; those of the costs.
_BEFORE = ("trace", "device", "scheme", "seed", "draw")
_BEHIND = ("key", "status", "reason", "thin")
_COSTS = ("key", "wall_s", "cpu_s", "peak_rss_bytes")


@dataclass(frozen=True)
class StudyPoint:
    """One run of a study, and what became of it."""

    run: Run
    #: The varied keys that mean something to its trace and scheme.
    varied: Combination
    #: None before it has run.
    status: Status | None = None
    #: Why it cannot run, or failed; of one that is done, what of the trace was not served.
    reason: str | None = None
    #: Percentiles that few requests lie beyond, with commas between.
    thin: str | None = None
    #: The name of its result in a store.
    key: str | None = None
    values: Values = field(default_factory=dict)
    costs: Mapping[str, float] = field(default_factory=dict)
    #: Why there is no run without a cache to hold it against, where one was asked for.
    no_reference: str | None = None

    @property
    def draw(self) -> int | None:
        """The number of its draw; None where its trace is what was recorded."""
        number = dict(self.run.trace_options).get(DRAW)
        return None if number is None else int(number)

    @property
    def record(self) -> dict[str, Any]:
        """Its row of the table."""
        config = self.run.resolved
        return {
            "trace": content.label(self.run.trace),
            "device": content.label(self.run.device),
            "scheme": self.run.scheme,
            "seed": self.run.seed if config is None else int(config["run"]["seed"]),
            "draw": self.draw,
            "key": self.key,
            "status": self.status,
            "reason": self.reason,
            "thin": self.thin,
            **self.values,
        }


def table(study: Study, points: Sequence[StudyPoint]) -> pl.DataFrame:
    """Return the table of points, in their order."""
    columns = [*_BEFORE, *study.keys, *_BEHIND, *frame.FIGURES]
    varied = {key: _column([each.varied.get(key) for each in points]) for key in study.keys}
    return frame.of_rows([each.record for each in points], columns).with_columns(**varied)


def costs(points: Sequence[StudyPoint]) -> pl.DataFrame:
    """Return what each run took, which no other file of a sweep tells."""
    done = [{"key": each.key, **each.costs} for each in points if each.status == "done"]
    return frame.of_rows(done, _COSTS)


def _column(values: Sequence[Value | None]) -> pl.Series:
    """Return the values of a key in the narrowest type that holds them; others as texts."""
    import polars as pl

    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return pl.Series(values, dtype=pl.Boolean)
    if kinds == {int} and all(abs(v) < 2**63 for v in values if isinstance(v, int)):
        return pl.Series(values, dtype=pl.Int64)
    if kinds and kinds <= {int, float}:
        return pl.Series(values, dtype=pl.Float64)
    return pl.Series([None if v is None else plain(v) for v in values], dtype=pl.String)


def points(
    study: Study,
    refused: dict[str, ConfigError] | None = None,
    chosen: Sequence[Combination] | None = None,
) -> list[StudyPoint]:
    """Return the points in the order of the study; raises ConfigError for a key that none takes.

    `refused` are configurations that cannot be, whatever the seed; those that are found are added.
    `chosen` are points that a search asks for, each with its scheme, in place of the study's own.
    """
    check_keys(study)
    # One more than allowed is enough to know.
    places = list(itertools.islice(_places(study, chosen), POINTS_MAX + 1))
    if len(places) > POINTS_MAX:
        raise StudyError(f"the study has too many points; at most {POINTS_MAX:,} are allowed")
    resolved = _Resolved(study, {} if refused is None else refused)
    return [resolved.point(*each) for each in places]


def identities(study: Study) -> set[tuple[object, ...]]:
    """Return what tells each point from all others, of this study and of those it extends."""
    drawn, first = bool(study.resample), _first_seed(study)

    def said(keys: Combination) -> frozenset[tuple[str, str]]:
        return frozenset((key, plain(value)) for key, value in keys.items())

    places = _places(study, None)
    return {(*named, said(keys), drawn, seed or first) for *named, keys, seed in places}


def _places(
    study: Study, chosen: Sequence[Combination] | None
) -> Iterator[tuple[str, str, str, Combination, int | None]]:
    """Yield trace, device, scheme, varied keys and seed of every point."""
    alone = study.repeats == 1 and study.seed is None
    seeds: Sequence[int | None] = [None]
    if not alone:
        first = _first_seed(study)
        seeds = range(first, first + study.repeats)
    combinations = study.combinations() if chosen is None else []
    for trace, device in itertools.product(study.traces, study.devices):
        own = _of_schemes(study, trace, device, combinations)
        for varied in own if chosen is None else chosen:
            keys = {key: value for key, value in varied.items() if key != SCHEME}
            for seed in seeds:
                yield trace, device, str(varied[SCHEME]), keys, seed


def _first_seed(study: Study) -> int:
    """Return the seed of the study or its configuration, from which seeds go on."""
    if study.seed is not None:
        return study.seed
    said = {key: value for key, value in study.of_config().items() if key == "run.seed"}
    device = content.content_of(study.devices[0])
    for scheme in all_schemes(study):
        with contextlib.suppress(ConfigError):
            config = catalogue.resolve(device=device, scheme=scheme, settings=said)
            return int(config["run"]["seed"])
    return 1


def _of_schemes(
    study: Study, trace: str, device: str, combinations: list[Combination]
) -> Iterator[Combination]:
    """Yield the combinations under each scheme.

    Those that only differ in what a trace or scheme does not have are one.
    """
    every = list(study.schemes) == ["all"]
    rivals = catalogue.rivals(device=content.content_of(device))[0] if every else study.schemes
    for scheme in rivals:
        means = (_meaning(each, study, trace, scheme) for each in combinations)
        for own in dict.fromkeys(tuple(each.items()) for each in means):
            yield {SCHEME: scheme, **dict(own)}


def _meaning(each: Combination, study: Study, trace: str, scheme: str) -> Combination:
    """Return the keys that mean something to a trace and a scheme."""
    own = catalogue.settings_for(each, scheme, all_schemes(study))
    drawn = content.is_workload(trace)
    return {key: value for key, value in own.items() if drawn or not key.startswith(WORKLOAD)}


def all_schemes(study: Study) -> list[str]:
    """Return the names of the schemes that settings of a study may be for."""
    if list(study.schemes) != ["all"]:
        return list(study.schemes)
    return [str(entry["name"]) for entry in catalogue.schemes()]


def check_keys(study: Study) -> None:
    """Raise ConfigError for a scheme or key that there is not, or one in two spellings.

    A varied key may not take the place of another column of the table.
    """
    for key in study.keys:
        if key in (*_BEFORE, *_BEHIND, *frame.FIGURES):
            raise StudyError(f"{key}: cannot be varied: it is a column of the table already")
    schemes = all_schemes(study)
    known = {catalogue.of_catalogue(name) for name in schemes}
    there = {str(entry["name"]) for entry in catalogue.schemes()} | catalogue.canonical().keys()
    unknown = next((name for name in schemes if catalogue.of_catalogue(name) not in there), None)
    if unknown is not None:
        # Before each is held against all others.
        catalogue.resolve(device=content.content_of(study.devices[0]), scheme=unknown)
    for key in [*study.keys, *study.fixed]:
        own = re.match(r"scheme\.([^.]+)\.", key)
        if own and own[1] not in known | {names.of_source(name) for name in schemes}:
            raise StudyError(f"{key}: no scheme of the study takes it: {joined(schemes)}")
        if key.startswith(WORKLOAD) and not any(map(content.is_workload, study.traces)):
            raise StudyError(f"{key}: no trace of the study is a workload")
    for scheme in known:
        spelt: dict[str, str] = {}
        for key in [*study.keys, *study.fixed]:
            first = spelt.setdefault(one_name(key, scheme), key)
            if first != key:
                raise StudyError(f"{key}: is {first} in another spelling; give one of the two")


class _Resolved:
    """Makes points; equal configurations are resolved once."""

    def __init__(self, study: Study, refused: dict[str, ConfigError]) -> None:
        self._study, self._refused = study, refused
        self._schemes = all_schemes(study)
        counted = {BOUND: True} if study.counts_bound else {}
        self._fixed = {**counted, **study.of_config(), **study.fixed}
        self._options = study.reader()
        self._known: dict[tuple[str, int | None], Mapping[str, Any]] = {}

    def point(
        self, trace: str, device: str, scheme: str, varied: Combination, seed: int | None
    ) -> StudyPoint:
        study = self._study
        settings = dict(catalogue.settings_for(self._fixed, scheme, self._schemes))
        options = dict(self._options)
        for key, value in varied.items():
            if key.startswith((READER, WORKLOAD)):
                options[key.removeprefix(READER)] = plain(value)
            else:
                settings[key] = value
        try:
            found = self._resolve(device, scheme, settings, seed)
        except ConfigError as error:
            raise _of_varied(error, study.table, varied) from None
        run = Run(
            title="",
            trace=trace,
            device=device,
            scheme=scheme,
            settings=settings,
            trace_options=reader_options_of(trace, study.drawn(trace)(options, seed) or {}, seed),
            replay=study.replay,
            seed=seed,
            resolved=None if isinstance(found, ConfigError) else found,
        )
        if isinstance(found, ConfigError):
            return StudyPoint(run, varied, "impossible", one_line(found))
        return StudyPoint(run, varied)

    def _resolve(
        self, device: str, scheme: str, settings: Mapping[str, Any], seed: int | None
    ) -> Mapping[str, Any] | ConfigError:
        name = json.dumps([device, scheme, dict(settings)], default=str)
        if name in self._refused:
            return self._refused[name]
        if (name, seed) not in self._known:
            try:
                self._known[name, seed] = catalogue.resolve(
                    device=content.content_of(device),
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


def _of_varied(error: ConfigError, table: Path | None, varied: Combination) -> ConfigError:
    """Return the error with varied keys by the option of the command line that says them."""
    text = vars(error).get("_command_line", str(error))
    for key, value in varied.items():
        own = f"--vary {key}: " if table is None else f"--points {table}: "
        text = text.replace(f"--set {key}={plain(value)}: ", own)
    vars(error)["_command_line"] = text
    return error


def refusals(points: Sequence[StudyPoint]) -> list[str]:
    """Return a sentence for each reason why points cannot run, with the values it concerns."""
    return [sentence for sentence, _ in _refused(points)]


def impossible(study: Study, points: Sequence[StudyPoint]) -> StudyError:
    """Return why points cannot run, with the lines of the file that says them."""
    refused = _refused(points)
    if study.table is not None:
        told = [f"{study.at(_number(study, point))}: {said}" for said, point in refused]
        return about(StudyError("\n".join(told)), file=str(study.table))
    if study.file is None:
        return StudyError("\n".join(sentence for sentence, _ in refused))
    return with_lines(study.file, [(said, _keys_of(study, point)) for said, point in refused])


def _keys_of(study: Study, point: StudyPoint) -> list[str]:
    """Return the keys of a study's file that may be why a point cannot run, the likeliest first."""
    reason = point.reason or ""
    keys = [*point.varied, *study.fixed]
    told = {key: reason.partition(f"settings {key}=")[0] for key in keys}
    keys.sort(key=lambda key: (len(told[key]), key not in reason))
    number = _number(study, point)
    listed = [f"point[{number}].{key}" if number and key in point.varied else key for key in keys]
    return [*listed, SCHEME]


def _number(study: Study, point: StudyPoint) -> int:
    """Return the place of a point among those that are listed; 0 where it is varied.

    A point lacks keys of a list that its scheme does not have.
    """
    alike = (
        (len(said), number)
        for number, said in enumerate(study.listed)
        if point.varied.items() <= said.items()
    )
    return min(alike, default=(0, 0))[1]


def _refused(points: Sequence[StudyPoint]) -> list[tuple[str, StudyPoint]]:
    """Return a sentence for each reason why points cannot run, and the first that cannot."""
    groups: dict[tuple[str, str, str], list[StudyPoint]] = {}
    for each in points:
        if each.status == "impossible":
            key = (each.run.scheme, content.label(each.run.device), _without_values(each))
            groups.setdefault(key, []).append(each)
    return [
        (
            f"{len(group)} point{'s' * (len(group) != 1)} of {scheme} on {device}"
            f"{_concerned(group, reason)}: {reason}",
            group[0],
        )
        for (scheme, device, reason), group in groups.items()
    ]


def alike(points: Sequence[StudyPoint]) -> list[str]:
    """Return a sentence for each recording of which every seed gives the same figures."""
    seeds: dict[str, set[int | None]] = {}
    drawn = set()
    for each in points:
        run = each.run
        if run.resolved is None:
            continue
        if each.draw is None and not content.is_workload(run.trace):
            seeds.setdefault(run.trace, set()).add(run.seed)
        if by_seed(run.resolved):
            drawn.add(run.trace)
    return [
        f"{trace} is a recording, and nothing else of its points is drawn: each of the "
        f"{len(found):,} seeds gives the same figures; --resample N draws it anew"
        for trace, found in seeds.items()
        if len(found) > 1 and trace not in drawn
    ]


def _without_values(point: StudyPoint) -> str:
    """Return the reason without the point's own values, which differ where the reason does not."""
    reason = point.reason or ""
    for key, value in point.varied.items():
        said = rf"{re.escape(key)}\s*=\s*\"?{re.escape(plain(value))}\"?"
        reason = re.sub(rf"^(settings )?{said}: ", "", reason)
        reason = re.sub(said, key, reason)
    return reason


def _concerned(group: list[StudyPoint], reason: str) -> str:
    """Return the values of the keys that a reason names, or of all where it names none."""
    parts = []
    keys = list(group[0].varied)
    for key in [key for key in keys if key in reason] or keys:
        values = list(dict.fromkeys(plain(p.varied[key]) for p in group if key in p.varied))
        parts.append(f"{key} = {few(values)}")
    return f" ({'; '.join(parts)})" if parts else ""
