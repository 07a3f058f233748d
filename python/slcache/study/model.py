"""What a sweep is asked for: the one model of the verb, the function and study.toml, checked."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
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
from slcache.given.arguments import SEEDS_MAX, own_word
from slcache.given.once import SEED_MAX, flatten, once, twice
from slcache.metrics import COUNTED, named
from slcache.study.axes import Axis, Combination, Sampling, Value, check_finite, plain
from slcache.study.outcome import PARAMETERS_MAX
from slcache.words import names

#: What a study is written as, into the folder of its tables.
NAME = "study.toml"
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
    return tuple(map(given.text_of, listed))


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
    _options(table)
    return table


def _options(value: object) -> object:
    """Return values as JSON, and so as a study's file, has them; ValueError where it has none."""
    found = {}
    for key, each in _table(value).items():
        try:
            found[key] = each if isinstance(each, str) else json.dumps(each, allow_nan=False)
        except (TypeError, ValueError):
            told = "must be text, a finite number, true or false, or a list of them"
            raise ValueError(f"{key} = {each}: {told}") from None
    return found


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
    seeds: int = Field(1, strict=True, ge=1, le=SEEDS_MAX)
    #: Draws of each recording, in place of seeds, and how long their stretches are on average.
    resample: int | None = Field(None, strict=True, ge=2, le=SEEDS_MAX)
    resample_block: str | None = None
    #: The first seed; None where runs have the one that is their default.
    seed: int | None = Field(None, strict=True, ge=0, le=SEED_MAX)
    replay: str | None = None
    #: Metrics that it is to be judged by; some have more counted or run.
    metrics: Names = Field((), alias="metric")
    #: A file with keys of the configuration, below the settings and what is varied.
    config: str | None = None
    sample: str = "grid"
    sample_seed: int = Field(1, strict=True, ge=0, le=SEED_MAX)
    #: Keys of the configuration that are the same everywhere.
    settings: Annotated[Mapping[str, Any], BeforeValidator(_settings)] = Field({}, alias="set")
    trace_options: Annotated[Mapping[str, str], BeforeValidator(_options)] = {}
    #: Keys and what they may be, as said: a range or list as text, or a list.
    vary: Annotated[Mapping[str, Any], BeforeValidator(_table)] = {}
    #: Points that are listed one by one, in place of what is varied.
    listed: Annotated[tuple[Combination, ...], BeforeValidator(_points)] = Field((), alias="point")
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
        for wrong in self._problems():
            raise StudyError(wrong)
        return self

    def _problems(self) -> Iterator[str]:
        """Yield what is wrong among several keys."""
        for key, called, spelled in (
            ("trace", list(map(given.label, self.traces)), None),
            ("device", list(map(given.label, self.devices)), None),
            ("scheme", self.schemes, catalogue.modes()),
        ):
            if said := twice(called, spelled) if called else "a study needs at least one":
                yield f"{key}: {said}"
        if self.vary and self.listed:
            yield "vary: given beside listed points; give one of the two"
        if self.sampling.kind != "grid" and self.listed:
            yield f"sample = {self.sampling}: given beside listed points"
        if self.seed is not None and self.seed > SEED_MAX - self.repeats:
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
                yield f"point {number}: is point {known} again; give it once"
        if said := twice(self.judged_by):
            yield f"metric: {said}"
        if self.counts_bound and str(self.settings.get(BOUND)).lower() == "false":
            needs = min(COUNTED.intersection(self.judged_by))
            yield f"{BOUND} = false: {needs} needs it counted"
        if len(self.keys) > PARAMETERS_MAX:
            yield f"vary: {len(self.keys):,} keys are varied; at most {PARAMETERS_MAX} may be"
        if fixed := set(self.settings) & set(self.keys):
            yield f"{min(fixed)}: set and varied; give one of the two"
        if "run.seed" in {*self.keys, *self.settings}:
            yield "run.seed: is told by `seed`, and varied by `seeds`"

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

    @property
    def judged_by(self) -> list[str]:
        """The metrics by their whole names."""
        try:
            return [named(name).name for name in self.metrics]
        except ValueError as error:
            raise StudyError(f"metric: {error}") from error

    @property
    def counts_bound(self) -> bool:
        """Whether a metric asks for the bound of every run."""
        return not COUNTED.isdisjoint(self.judged_by)

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
        return list(dict.fromkeys(key for point in (*self.listed, self.vary) for key in point))

    def combinations(self) -> list[Combination]:
        """Return the values of the varied keys, point by point; StudyError where none can be."""
        if self.listed:
            return list(self.listed)
        try:
            return self.sampling.points([Axis.read(*said) for said in self.vary.items()])
        except ValueError as error:
            raise StudyError(str(error)) from error

    def to_dict(self) -> dict[str, Any]:
        """Return the study as its file has it."""
        told = self.model_dump(by_alias=True) | {"sample": str(self.sampling)}
        for key, texts in (("trace", self.traces), ("device", self.devices)):
            told[key] = list(map(given.content_of, texts))
        every = {k: list(v) if isinstance(v, tuple) else v for k, v in told.items()}
        return {key: value for key, value in every.items() if value not in (None, {}, [])}

    def to_toml(self) -> str:
        """Return the study as a TOML text that `read` takes back."""
        told = self.to_dict()
        tables = [(f"[{k}]", told.pop(k)) for k in ("set", "trace_options", "vary") if k in told]
        tables += [("[[point]]", point) for point in told.pop("point", [])]
        parts = [*names.lines(told)]
        for head, table in tables:
            parts += ["", head, *names.lines(table)]
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
                continue
            case "missing":
                told.append(f"{key}: a study needs at least one")
                continue
            case "value_error":
                why = each["ctx"]["error"]
            case "string_type":
                why = "must be text"
            case _:
                limits = fields[key].metadata
                least, most = (
                    next(getattr(limit, end) for limit in limits if hasattr(limit, end))
                    for end in ("ge", "le")
                )
                why = f"must be a whole number between {least:,} and {most:,}"
        told.append(f"{key} = {names.spelled(each['input']):.60}: {why}")
    return told


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
        raise StudyError(f"{min(unknown)}: unknown key; known: {', '.join(sorted(known))}")
    return Study(**said, read_from=read_from)
