"""What a sweep is asked for: the one class of the verb, the function and study.toml, checked."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from slcache import catalogue, files, names, options
from slcache._core import ConfigError
from slcache.code import of_arguments, parts
from slcache.errors import UsageError, about
from slcache.execute.run import Draws, draws_of
from slcache.metrics import COUNTED
from slcache.metrics import metric_of as metric_named
from slcache.options import (
    checked_ranges,
    checked_schemes,
    content,
    models,
    needed,
    option,
    parsing,
)
from slcache.options.content import SEED_MAX, Content, duplicate, flatten, unique
from slcache.study import axes
from slcache.study.axes import PARAMETERS_MAX, Combination, Sampling, StudyAxis, Value, plain

#: What a study is written as, into the folder of its tables.
NAME = "study.toml"
#: The setting that has the bound of a run counted.
BOUND = "run.bound"


class StudyError(ConfigError):
    """A study that says something impossible; the message names the key."""


@dataclass(frozen=True, kw_only=True)
class Varied(models.ResamplingOptions):
    """What is run and what is varied, by a study or a search."""

    trace: Content | Sequence[Content] = field(
        kw_only=False,
        metadata=needed(
            "TRACE...|STUDY.toml|DIR",
            "Traces or workloads; or a study file; or the folder of an earlier sweep, to "
            "continue it.",
            several=True,
        ),
    )
    device: Content | Sequence[Content] | None = option(
        "PRESET|FILE.toml",
        "A preset (see `slcache devices`) or a device file. Repeat it for several.",
        offer="devices",
        several=True,
    )
    scheme: str | Sequence[str] | None = option(
        "A,B,...|all",
        "Schemes (see `slcache schemes`), or all that the device can run.",
        check=checked_schemes,
        alias="--schemes",
        offer="schemes",
        several=True,
    )
    vary: Mapping[str, object] | None = option(
        "KEY=VALUES",
        "A key of the configuration, reader.KEY or workload.KEY, and its values: 1,2,4 "
        "or 1..32, 0.1..1:0.1 (step), 1..64*2 (factor), 1..100/5 (number of points), "
        "0.1..10/9@log. Random points and searches take any number of 0.1..10 or "
        "0.1..10@log. Repeat it.",
        check=checked_ranges,
    )
    seeds: int = option(
        "N", "Run every point with N seeds, from --seed on (or run.seed).", default=1
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Study(Varied):
    """Traces, devices, schemes and keys whose combinations are run, each with some seeds.

    A field is a key of its file, an option of the verb and an argument of the function. What they
    say of the configuration and of the trace's reader is in `fixed` and `reader`.
    """

    points: Iterable[Mapping[str, Value]] | files.Path | None = option(
        "FILE.csv",
        "Read the points from a file instead of --vary: a column for each key.",
        key="point",
    )
    sample: str = option(
        "grid|random:N|latin-hypercube:N",
        "Run all combinations (default: grid), or N random points.",
        default="grid",
    )
    sample_seed: int = option(
        "N", "Seed of the random points (default: 1).", default=1, range=(0, None)
    )
    metrics: Sequence[str] | str = option(
        "NAME",
        "Metric of the report. Repeat it. gain_share also runs each point without a "
        "cache and counts the least dense programs.",
        default=(),
        name="--metric",
        key="metric",
        several=True,
    )
    #: The file that says all this, if one does.
    file: Path | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Study) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def check(self) -> None:
        """Raise StudyError or UsageError for what is wrong, in one key or among several."""
        for wrong in self._problems():
            raise StudyError(wrong)

    def _problems(self) -> Iterator[str]:
        """Yield what is wrong among several keys."""
        has_points = bool(self.listed)
        for key, called, spelled in (
            ("trace", list(map(content.label, self.traces)), None),
            ("device", list(map(content.label, self.devices)), None),
            ("scheme", self.schemes, catalogue.modes()),
        ):
            if not called:
                told = f"{key} is missing: there must be at least one"
                raise about(UsageError(told), key)
            if said := duplicate(called, spelled):
                yield f"{key}: {said}"
        if self.varied and has_points:
            yield "vary: given beside listed points; give one of the two"
        if self.sampling.kind != "grid" and has_points:
            yield f"sample = {self.sampling}: given beside listed points"
        if self.seed is not None and not 0 <= self.seed <= SEED_MAX - self.repeats:
            yield f"seed = {self.seed}: must be between 0 and {SEED_MAX - self.repeats}"
        for trace in self.traces:
            self.drawn(trace)
        yield from self._of_keys()

    def _of_keys(self) -> Iterator[str]:
        """Yield what is wrong with points, metrics and keys."""
        first: dict[frozenset[tuple[str, str]], int] = {}
        for number, point in enumerate(self.listed, 1):
            known = first.setdefault(frozenset((k, plain(v)) for k, v in point.items()), number)
            if known != number:
                told = f"point {number}: is point {known} again; give it once"
                yield told if self.table is None else f"{self.at(number - 1)}: {told}"
        if said := duplicate(self.judged_by):
            yield f"metric: {said}"
        for key, value in self.fixed.items():
            # What no file can hold is a ConfigError.
            content.value_text(value, key)
        if self.counts_bound and str(self.fixed.get(BOUND)).lower() == "false":
            needs = min(COUNTED.intersection(self.judged_by))
            yield f"{BOUND} = false: {needs} needs it counted"
        if len(self.keys) > PARAMETERS_MAX:
            yield f"vary: {len(self.keys):,} keys are varied; at most {PARAMETERS_MAX} may be"
        if fixed := set(self.fixed) & set(self.keys):
            yield f"{min(fixed)}: set and varied; give one of the two"
        if taken := parsing.replay_keys(self.replay) & set(self.keys):
            yield f"{min(taken)}: set by replay = {self.replay}, and varied; give one of the two"
        if "run.seed" in {*self.keys, *self.fixed}:
            yield "run.seed: is told by `seed`, and varied by `seeds`"

    @cached_property
    def traces(self) -> tuple[str, ...]:
        """Traces and workloads, as texts of `slcache.options.content`."""
        return _texts(self.trace, "trace")

    @cached_property
    def _whole(self) -> content.DeviceSettings:
        """The devices, and the scheme of one that is a whole configuration."""
        devices: Any = self.device
        return content.DeviceSettings(*content.unpack(devices, self.settings, self.config)[:2])

    @cached_property
    def devices(self) -> tuple[str, ...]:
        """Devices, as texts of `slcache.options.content`."""
        return _texts(self._whole.device, "device")

    @cached_property
    def schemes(self) -> tuple[str, ...]:
        """Schemes by their names."""
        said = options.texts(self.scheme or ())
        every = tuple(name for text in said for name in parts(text))
        if self.scheme == "" or "" in every:
            raise StudyError(f"scheme = {names.spelled(self.scheme):.60}: a name is empty")
        if not said and self._whole.scheme is not None:
            return (self._whole.scheme,)
        return every

    @cached_property
    def fixed(self) -> Mapping[str, Any]:
        """Keys of the configuration that are the same everywhere."""
        return self.keyed(content.settings_of(self.settings).settings)

    @cached_property
    def keys_file(self) -> str | None:
        """The file with keys of the configuration, below those that are fixed or varied."""
        if self.config is None or content.read_settings(self.config).device is not None:
            return None
        return os.fspath(self.config)

    @cached_property
    def varied(self) -> Mapping[str, Any]:
        """Keys and what they may be, as said: a range or list as text, or a list."""
        return unique(flatten(self.vary or {}))

    @property
    def table(self) -> Path | None:
        """The file that lists the points, if one does."""
        said = self.points
        return Path(said) if isinstance(said, str | os.PathLike) else None

    def at(self, number: int) -> str:
        """Return the file and line of a point of that file, counted from 0."""
        assert self.table is not None
        return f"{self.table}:{axes.csv_lines(self.table)[number]}"

    @cached_property
    def listed(self) -> Sequence[Combination]:
        """Points that are listed one by one, in place of what is varied."""
        said = self.points
        if said is None:
            return ()
        if self.table is not None:
            try:
                return axes.csv_points(self.table)
            except OSError as error:
                told = f"points = {said}: must be a list of points, or a CSV file: {error.strerror}"
                raise about(UsageError(told), "points") from error
            except ValueError as error:
                raise about(UsageError(str(error)), "points") from error
        if not isinstance(said, Iterable) or isinstance(said, bytes | Mapping):
            told = "must be a list of points, each a dict of keys and values"
            options.refuse("points", said, told)
        points = list(said)
        if not points:
            told = "must have a point; leave it out where keys are varied"
            options.refuse("points", points, told)
        return tuple(_point(number, point) for number, point in enumerate(points, 1))

    def drawn(self, trace: str) -> Draws:
        """Return what adds the draw of a seed to the options of a trace's reader."""
        return draws_of(self.resample, self.resample_block, trace, self.seeds)

    @cached_property
    def sampling(self) -> Sampling:
        """How points are chosen."""
        try:
            return Sampling.read(self.sample, self.sample_seed)
        except ValueError as error:
            raise StudyError(str(error)) from error

    @property
    def repeats(self) -> int:
        """How often each point is run, with a seed or draw of its own."""
        return self.resample or self.seeds

    @cached_property
    def judged_by(self) -> list[str]:
        """The metrics by their whole names."""
        try:
            return [metric_named(name).name for name in options.texts(self.metrics)]
        except ValueError as error:
            raise about(UsageError(f"metrics: {error}"), "metrics") from error

    @property
    def counts_bound(self) -> bool:
        """Whether a metric asks for the bound of every run."""
        return not COUNTED.isdisjoint(self.judged_by)

    @property
    def code(self) -> list[str]:
        """The code of Python that it names."""
        said = (self.schemes, self.fixed, self.varied, self.listed)
        return list(of_arguments(said))

    def inputs(self) -> list[files.Path]:
        """Return the files that it reads, or was read from, which nothing takes the place of."""
        own = (path for path in (self.table, self.file) if path is not None)
        traces = [path for text in self.traces if (path := content.path_of(text)) is not None]
        devices = [path for text in self.devices if (path := content.path_of(text)) is not None]
        return [
            *(file for path in traces for file in files.inputs(path)),
            *(path for path in devices if path.endswith((".toml", ".json"))),
            *([] if self.keys_file is None else [self.keys_file]),
            *own,
        ]

    def of_config(self) -> dict[str, Any]:
        """Return what the configuration file says; ConfigError names its line."""
        return {} if self.keys_file is None else content.read_settings(self.keys_file).settings

    @property
    def keys(self) -> list[str]:
        """The varied keys, in the order in which they are given."""
        return list(dict.fromkeys(key for point in (*self.listed, self.varied) for key in point))

    def combinations(self) -> list[Combination]:
        """Return the values of the varied keys, point by point; StudyError where none can be."""
        if self.listed:
            return list(self.listed)
        try:
            return self.sampling.points([StudyAxis.read(*said) for said in self.varied.items()])
        except ValueError as error:
            raise StudyError(str(error)) from error

    def to_dict(self) -> dict[str, Any]:
        """Return the study as its file has it."""
        own = {
            "trace": list(map(content.content_of, self.traces)),
            "device": list(map(content.content_of, self.devices)),
            "scheme": list(self.schemes),
            "seeds": self.seeds,
            "resample": self.resample,
            "resample_block": self.resample_block,
            "seed": self.seed,
            "replay": self.replay,
            "metric": list(options.texts(self.metrics)),
            "config": self.keys_file,
            "sample": str(self.sampling),
            "sample_seed": self.sampling.seed,
            "set": dict(self.fixed),
            "trace_options": self.reader(),
            "vary": dict(self.varied),
            "point": list(self.listed),
        }
        return {key: value for key, value in own.items() if value not in (None, {}, [])}

    def to_toml(self) -> str:
        """Return the study as a TOML text that `read` takes back."""
        told = self.to_dict()
        tables = [(f"[{k}]", told.pop(k)) for k in ("set", "trace_options", "vary") if k in told]
        tables += [("[[point]]", point) for point in told.pop("point", [])]
        parts = [*names.lines(told)]
        for head, table in tables:
            parts += ["", head, *names.lines(table)]
        return "\n".join(parts) + "\n"


def _texts(said: Any, what: str) -> tuple[str, ...]:  # noqa: ANN401
    listed = said if isinstance(said, Sequence) and not isinstance(said, str) else [said]
    return tuple(content.text_of(each, what) for each in listed)


def _point(number: int, said: Any) -> Combination:  # noqa: ANN401
    if not (isinstance(said, Mapping) and said and all(isinstance(key, str) for key in said)):
        options.refuse("points", said, f"point {number} must be a dict of keys and values")
    point = unique(flatten(said))
    for key, value in point.items():
        if not isinstance(value, Value):
            told = f"{key} = {value}: must be a number, text, true or false"
            raise StudyError(f"point {number}: {told}")
        try:
            axes.check_finite(value)
        except ValueError as error:
            raise StudyError(f"point {number}: {key}: {error}") from None
    return point


def read_study(path: Path) -> Study:
    """Return the study of a file; StudyError names file and key of what is wrong."""
    try:
        told = parsing.toml_file(path)
    except ValueError as error:
        raise StudyError(str(error)) from error
    try:
        return study_of_document(told, path)
    except ConfigError as error:
        raise with_file(path, error) from error


def with_file(path: Path, error: ConfigError) -> StudyError:
    """Return what is wrong with a study, each with the file that says it and the line there."""
    told = []
    for problem in str(error).splitlines():
        keys = []
        if listed := re.match(r"point (\d+): ", problem):
            keys = [f"point[{int(listed[1]) - 1}]", "point"]
        elif said := re.match(r"(?:settings )?([^\s=:]+)", problem):
            keys = [said[1]]
        told.append((problem, keys))
    return with_lines(path, told)


def with_lines(path: Path, told: Iterable[tuple[str, Sequence[str]]]) -> StudyError:
    """Return what is wrong with a study, each with its file and the line of the first key there.

    The keys of each are in the order in which they may be to blame.
    """
    at = parsing.toml_lines(files.text_of(path, files.STUDY_BYTES_MAX))
    # In these tables are keys of the configuration and of others.
    lines = {re.sub(r"^(?:set|vary|trace_options|point)\.", "", key): at[key] for key in at}
    found = [(problem, next((key for key in keys if key in lines), None)) for problem, keys in told]
    text = [
        f"{path}: {problem}" if key is None else f"{path}:{lines[key]}: {problem}"
        for problem, key in found
    ]
    first = found[0][1] if found else None
    line = None if first is None else lines[first]
    return about(StudyError("\n".join(text)), first, line=line, file=str(path))


def file_of(said: Any) -> Path | None:  # noqa: ANN401
    """Return the file of a study, if one is meant by what stands for traces.

    A workload is TOML too, and has no traces. A folder is a document: a study of it that runs code
    of Python is to be named itself.
    """
    words = said if isinstance(said, list | tuple) else [said]
    if len(words) != 1 or not isinstance(words[0], str | os.PathLike):
        return None
    path = Path(words[0])
    if not path.is_dir():
        return path if path.suffix == ".toml" and is_study(path) else None
    path /= NAME
    if not path.exists():
        told = f"{words[0]} is a folder without {NAME}, which that of a sweep has"
        raise about(UsageError(told), "trace")
    if code := read_study(path).code:
        told = f"{path} names {code[0]}, and no document loads code of Python"
        raise StudyError(f"{told}; to load it, name the study's file: slcache sweep {path}")
    return path


#: Keys that only studies have, not workloads.
_OWN = {"trace", "workload", "device", "scheme", "vary", "point"}


def is_study(path: Path) -> bool:
    """Return whether a TOML file describes a study; True where it is broken."""
    try:
        return not _OWN.isdisjoint(parsing.toml_file(path))
    except ValueError:
        return True
    except OSError:
        return path.name == NAME


def study_of_document(told: Mapping[str, Any], file: Path | None = None) -> Study:
    """Return the study that a document describes; StudyError names what is wrong."""
    every = {each.name: each for each in fields(Study) if each.metadata}
    keys = {each.metadata["option"].key or name: name for name, each in every.items()}
    said = unique((options.own_word(key, keys), value) for key, value in told.items())
    if unknown := said.keys() - keys:
        hint = names.near(min(unknown), keys) or f"; known: {', '.join(sorted(keys))}"
        raise StudyError(f"{min(unknown)}: unknown key{hint}")
    own: dict[str, Any] = {"trace": []}
    wrong = []
    for key, value in said.items():
        kinds = str(every[keys[key]].type)
        try:
            if kinds.startswith("Mapping[str, str]") and isinstance(value, Mapping):
                value = {k: content.value_text(v, k) for k, v in unique(flatten(value)).items()}
            own[keys[key]] = options.fitting(key, value, kinds)
        except (ConfigError, UsageError) as error:
            wrong.append(str(error))
    if wrong:
        raise StudyError("\n".join(wrong))
    study = Study(**own, file=file)
    try:
        study.check()
    except (ConfigError, UsageError) as error:
        # The verb and the function call some of its keys by other names.
        called = next((key for key, name in keys.items() if name == error.key), None)
        line = str(error)
        if called is not None and error.key is not None and line.startswith(error.key):
            line = called + line.removeprefix(error.key)
        raise StudyError(line) from error
    return study
