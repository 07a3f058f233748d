"""What a sweep is asked for: the one model of the verb, the function and study.toml, checked."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from slcache import catalogue, files
from slcache import named as code
from slcache._core import ConfigError
from slcache.errors import UsageError
from slcache.execute import given
from slcache.given import content, parsing
from slcache.given.arguments import own_word
from slcache.given.once import SEED_MAX, flatten, once, twice
from slcache.metrics import COUNTED, named
from slcache.study.outcome import PARAMETERS_MAX
from slcache.sweep.axes import Axis, Combination, Sampling, Value, check_finite, plain
from slcache.words import names

#: What a study is written as, into the folder of its tables.
NAME = "study.toml"
#: Most seeds of a point.
SEEDS_MAX = 100_000
#: The setting that has the bound of a run counted.
BOUND = "run.bound"


class StudyError(ConfigError):
    """A study that says something impossible; the message names the key."""


def _texts(value: Any) -> object:  # noqa: ANN401
    listed = value if isinstance(value, list | tuple) else [value]
    for each in listed:
        if not isinstance(each, str | os.PathLike | Mapping):
            raise ValueError("must be a name, a table, or a list of them")
        if isinstance(each, str) and (not each or "\0" in each):
            raise ValueError("is no name and no path")
    return tuple(given.text_of(each) for each in listed)


def _names(value: object) -> object:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, Sequence) or not all(isinstance(name, str) for name in listed):
        raise ValueError("must be a name or a list of names")
    if not all(name.strip() for name in listed):
        raise ValueError("is no name")
    return tuple(listed)


def _table(value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError("must be a table of keys and values")
    return once(flatten(value))


def _settings(value: object) -> object:
    table = _table(value)
    for key, each in table.items():
        _json(key, each)
    return table


def _options(value: object) -> object:
    table = _table(value).items()
    return {key: each if isinstance(each, str) else _json(key, each) for key, each in table}


def _json(key: str, value: object) -> str:
    """Return a value as JSON, and so as a study's file, has it; ValueError where it has none."""
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        told = f"{key} = {value}: must be text, a finite number, true or false, or a list of them"
        raise ValueError(told) from None


def _points(value: object) -> object:
    if not isinstance(value, list | tuple) or not value:
        raise ValueError("must be tables of keys and values, [[point]]")
    points = tuple(map(_table, value))
    for key, each in (pair for point in points for pair in point.items()):
        if not isinstance(each, Value):
            raise ValueError(f"{key} = {each}: must be a number, text, true or false")
        try:
            check_finite(each)
        except ValueError as error:
            raise ValueError(f"{key}: {error}") from None
    return points


Texts = Annotated[tuple[str, ...], BeforeValidator(_texts)]
Names = Annotated[tuple[str, ...], BeforeValidator(_names)]


class Study(BaseModel):
    """Traces, devices, schemes and keys whose combinations are run, each with some seeds.

    It is made by the keys of its file; what is wrong is a StudyError.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    #: Traces and devices are texts of `slcache.execute.given`.
    traces: Texts = Field(alias="trace")
    devices: Texts = Field(alias="device")
    schemes: Names = Field(alias="scheme")
    #: Keys and what they may be, as said: a range or list as text, or a list.
    vary: Annotated[Mapping[str, Any], BeforeValidator(_table)] = {}
    #: Points that are listed one by one, in place of what is varied.
    listed: Annotated[tuple[Combination, ...], BeforeValidator(_points)] = Field((), alias="point")
    sample: str = "grid"
    sample_seed: int = Field(1, strict=True, ge=0, le=SEED_MAX)
    seeds: int = Field(1, strict=True, ge=1, le=SEEDS_MAX)
    #: Draws of each recording, in place of seeds, and how long their stretches are on average.
    resample: int | None = Field(None, strict=True, ge=2, le=SEEDS_MAX)
    resample_block: str | None = None
    #: The first seed; None where runs have the one that is their default.
    seed: int | None = Field(None, strict=True, ge=0, le=SEED_MAX)
    #: Keys of the configuration that are the same everywhere.
    settings: Annotated[Mapping[str, Any], BeforeValidator(_settings)] = Field({}, alias="set")
    trace_options: Annotated[Mapping[str, str], BeforeValidator(_options)] = {}
    replay: str | None = None
    #: Metrics that it is to be judged by; some have more counted or run.
    metrics: Names = Field((), alias="metric")
    #: A file with keys of the configuration, below the settings and what is varied.
    config: str | None = None
    #: The files that all this was read from, if any.
    read_from: tuple[str, ...] = Field((), exclude=True)

    def __init__(self, /, **said: Any) -> None:  # noqa: ANN401
        own = {key: value for key, value in said.items() if value is not None}
        try:
            super().__init__(**configured(own))
        except ValidationError as error:
            raise StudyError("\n".join(problems(error, type(self)))) from None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Study) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    @model_validator(mode="after")
    def _checked(self) -> Study:
        for what in ("traces", "devices", "schemes"):
            names = getattr(self, what)
            if not names:
                raise StudyError(f"{what[:-1]}: a study needs at least one")
            called = names if what == "schemes" else tuple(map(given.label, names))
            said = twice(called, catalogue.modes() if what == "schemes" else None)
            if said is not None:
                raise StudyError(f"{what[:-1]}: {said}")
        if self.vary and self.listed:
            raise StudyError("vary: given beside listed points; give one of the two")
        if self.sampling.kind != "grid" and self.listed:
            raise StudyError(f"sample = {self.sampling}: given beside listed points")
        if self.seed is not None and self.seed > SEED_MAX - self.repeats:
            raise StudyError(f"seed = {self.seed}: must be between 0 and {SEED_MAX - self.repeats}")
        for trace in self.traces:
            self.drawn(trace)
        self._check_listed()
        self._check_metrics()
        self._check_keys()
        return self

    def drawn(self, trace: str) -> given.Drawn:
        """Return what adds the draw of a seed to the options of a trace's reader."""
        try:
            return given.of_trace(self.resample, self.resample_block, trace, self.seeds)
        except UsageError as error:
            raise StudyError(str(error)) from error

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

    def _check_metrics(self) -> None:
        try:
            said = twice(self.judged_by)
        except ValueError as error:
            raise StudyError(f"metric: {error}") from error
        if said is not None:
            raise StudyError(f"metric: {said}")
        if self.counts_bound and str(self.settings.get(BOUND)).lower() == "false":
            needs = min(COUNTED.intersection(self.judged_by))
            raise StudyError(f"{BOUND} = false: {needs} needs it counted")

    @property
    def judged_by(self) -> list[str]:
        """The metrics by their whole names."""
        return [named(name).name for name in self.metrics]

    @property
    def counts_bound(self) -> bool:
        """Whether a metric asks for the bound of every run."""
        return not COUNTED.isdisjoint(self.judged_by)

    def _check_keys(self) -> None:
        if len(self.keys) > PARAMETERS_MAX:
            told = f"{len(self.keys):,} keys are varied; at most {PARAMETERS_MAX} may be"
            raise StudyError(f"vary: {told}")
        fixed = set(self.settings) & set(self.keys)
        if fixed:
            raise StudyError(f"{min(fixed)}: set and varied; give one of the two")
        if "run.seed" in {*self.keys, *self.settings}:
            raise StudyError("run.seed: is told by `seed`, and varied by `seeds`")

    def _check_listed(self) -> None:
        first: dict[frozenset[tuple[str, str]], int] = {}
        for number, point in enumerate(self.listed, 1):
            known = first.setdefault(frozenset((k, plain(v)) for k, v in point.items()), number)
            if known != number:
                raise StudyError(f"point {number}: is point {known} again; give it once")

    @property
    def code(self) -> list[str]:
        """The code of Python that it names."""
        said = (self.schemes, self.settings, self.vary, self.listed)
        return list(code.of_arguments(said))

    def inputs(self) -> list[files.Path]:
        """Return the files that it reads, or was read from, which nothing takes the place of."""
        return [*given.inputs(self.traces, self.devices, self.config), *self.read_from]

    def of_config(self) -> dict[str, Any]:
        """Return what the configuration file says; ConfigError names its line."""
        return {} if self.config is None else content.read(self.config).settings

    @property
    def keys(self) -> list[str]:
        """The varied keys, in the order in which they are given."""
        if self.listed:
            return list(dict.fromkeys(key for point in self.listed for key in point))
        return list(self.vary)

    def combinations(self) -> list[Combination]:
        """Return the values of the varied keys, point by point; StudyError where none can be."""
        if self.listed:
            return list(self.listed)
        try:
            axes = [Axis.read(key, said) for key, said in self.vary.items()]
            return self.sampling.points(axes)
        except ValueError as error:
            raise StudyError(str(error)) from error

    def to_dict(self) -> dict[str, Any]:
        """Return the study as its file has it."""
        told: dict[str, Any] = {
            "trace": [given.content_of(text) for text in self.traces],
            "device": [given.content_of(text) for text in self.devices],
            "scheme": list(self.schemes),
            "seeds": self.seeds,
            "resample": self.resample,
            "resample_block": self.resample_block,
            "seed": self.seed,
            "replay": self.replay,
            "metric": list(self.metrics),
            "config": self.config,
            "sample": str(self.sampling),
            "sample_seed": self.sample_seed,
            "set": dict(self.settings),
            "trace_options": dict(self.trace_options),
            "vary": dict(self.vary),
            "point": [dict(point) for point in self.listed],
        }
        return {key: value for key, value in told.items() if value not in (None, {}, [])}

    def to_toml(self) -> str:
        """Return the study as a TOML text that `study_file.read` takes back."""
        told = self.to_dict()
        tables = {key: told.pop(key) for key in ("set", "trace_options", "vary") if key in told}
        points = told.pop("point", [])
        parts = [*names.lines(told)]
        for name, table in tables.items():
            parts += ["", f"[{name}]", *names.lines(table)]
        for point in points:
            parts += ["", "[[point]]", *names.lines(point)]
        return "\n".join(parts) + "\n"


def configured(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is said of a study that has a configuration file.

    A whole configuration is a device, with its scheme where no other is said.
    """
    path = said.get("config")
    if not isinstance(path, str | os.PathLike):
        return dict(said)
    found = content.read(path)
    if found.device is None:
        return {**said, "config": os.fspath(path)}
    if said.get("device"):
        raise StudyError(f"{path} describes a device; leave device out")
    own = {} if found.scheme is None or said.get("scheme") else {"scheme": found.scheme}
    others = {key: value for key, value in said.items() if key != "config"}
    return {**others, "device": os.fspath(path), **own}


def problems(error: ValidationError, model: type[BaseModel]) -> list[str]:
    """Return a line for each thing that is wrong: its key, its value and what it may be."""
    fields = {each.alias or name: each for name, each in model.model_fields.items()}
    told = []
    for each in error.errors():
        key = ".".join(map(str, each["loc"][:1]))
        match each["type"]:
            case "extra_forbidden":
                told.append(f"{key}: unknown key; known: {', '.join(fields)}")
            case "missing":
                told.append(f"{key}: a study needs at least one")
            case "value_error":
                told.append(f"{key} = {names.spelled(each['input']):.60}: {each['ctx']['error']}")
            case kind:
                what = "text" if kind == "string_type" else _range(fields[key].metadata)
                told.append(f"{key} = {names.spelled(each['input']):.60}: must be {what}")
    return told


def _range(limits: Sequence[Any]) -> str:
    """Return what a number may be, of the limits that its field has."""
    ends = {
        name: getattr(limit, name)
        for limit in limits
        for name in ("ge", "le")
        if hasattr(limit, name)
    }
    return f"a whole number between {ends['ge']:,} and {ends['le']:,}"


def read(path: Path) -> Study:
    """Return the study of a file; StudyError names file and key of what is wrong."""
    try:
        told = parsing.toml_file(path)
    except ValueError as error:
        raise StudyError(str(error)) from error
    try:
        return of(told, (os.fspath(path),))
    except ConfigError as error:
        raise of_file(path, error) from error


def of_file(path: Path, error: ConfigError) -> StudyError:
    """Return what is wrong with a study, line by line with the file that says it."""
    return StudyError("\n".join(f"{path}: {line}" for line in str(error).splitlines()))


def of_folder(folder: Path) -> Path | None:
    """Return the file of a study that has its folder here, if there is one.

    A folder is a document: a study of it that runs code of Python is to be named itself.
    """
    path = folder / NAME
    if not path.exists():
        return None
    if code := read(path).code:
        told = f"{path} names {code[0]}, and no document loads code of Python"
        raise StudyError(f"{told}; to load it, name the study's file: slcache sweep {path}")
    return path


def is_study(path: Path) -> bool:
    """Return whether a TOML file describes a study, and not a workload; True where it is broken.

    A workload has no traces.
    """
    try:
        return not {"trace", "workload"}.isdisjoint(parsing.toml_file(path))
    except ValueError:
        return True
    except OSError:
        return path.name == NAME


def of(told: Mapping[str, Any], read_from: tuple[str, ...] = ()) -> Study:
    """Return the study that a document describes; StudyError names what is wrong."""
    known = [each.alias or name for name, each in Study.model_fields.items() if not each.exclude]
    said = once((own_word(key, known), value) for key, value in told.items())
    if unknown := said.keys() - known:
        raise StudyError(f"{min(unknown)}: unknown key; known: {', '.join(known)}")
    return Study(**said, read_from=read_from)
