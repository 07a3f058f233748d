"""What a sweep is asked for, and the same as a TOML file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from slcache import api, catalogue, files
from slcache._core import ConfigError
from slcache.errors import UsageError
from slcache.given import config_files, parsing
from slcache.given.arguments import own_word
from slcache.given.once import SEED_MAX, flatten, once, twice
from slcache.metrics import COUNTED, named
from slcache.runs import draws, given
from slcache.study.columns import PARAMETERS_MAX
from slcache.sweep.axes import Axis, Value, plain
from slcache.sweep.sampling import Combination, Sampling

#: What a study is written as, into the folder of its tables.
NAME = "study.toml"
#: Most seeds of a point.
SEEDS_MAX = 100_000
#: The setting that has the bound of a run counted.
BOUND = "run.bound"


class StudyError(ConfigError):
    """A study that says something impossible; the message names the key."""


@dataclass(frozen=True)
class Study:
    """Traces, devices, schemes and keys whose combinations are run, each with some seeds."""

    traces: tuple[str, ...]
    devices: tuple[str, ...]
    schemes: tuple[str, ...]
    #: Keys and what they may be, as said: a range or list as text, or a list.
    vary: Mapping[str, object] = field(default_factory=dict)
    #: Points that are listed one by one, in place of what is varied.
    listed: tuple[Combination, ...] = ()
    sampling: Sampling = field(default_factory=Sampling)
    seeds: int = 1
    #: Draws of each recording, in place of seeds, and how long their stretches are on average.
    resample: int | None = None
    resample_block: str | None = None
    #: The first seed; None where runs have the one that is their default.
    seed: int | None = None
    #: Keys of the configuration that are the same everywhere.
    settings: Mapping[str, Any] = field(default_factory=dict)
    trace_options: Mapping[str, str] = field(default_factory=dict)
    replay: str | None = None
    #: Metrics that it is to be judged by; some have more counted or run.
    metrics: tuple[str, ...] = ()
    #: A file with keys of the configuration, below the settings and what is varied.
    config: str | None = None
    #: The files that all this was read from, if any.
    read_from: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        for what in ("traces", "devices", "schemes"):
            names = getattr(self, what)
            if not names:
                raise StudyError(f"{what[:-1]}: a study needs at least one")
            named = names if what == "schemes" else tuple(map(given.label, names))
            said = twice(named, catalogue.canonical() if what == "schemes" else None)
            if said is not None:
                raise StudyError(f"{what[:-1]}: {said}")
        if self.vary and self.listed:
            raise StudyError("vary: given beside listed points; give one of the two")
        if self.listed and self.sampling.kind != "grid":
            raise StudyError(f"sample = {self.sampling}: given beside listed points")
        self._check_listed()
        if not 1 <= self.seeds <= SEEDS_MAX:
            raise StudyError(f"seeds = {self.seeds}: must be between 1 and {SEEDS_MAX:,}")
        if self.seed is not None and not 0 <= self.seed <= SEED_MAX - self.repeats:
            raise StudyError(f"seed = {self.seed}: must be between 0 and {SEED_MAX - self.repeats}")
        self._check_draws()
        self._check_metrics()
        self._check_keys()

    def _check_draws(self) -> None:
        if self.resample is not None and not 2 <= self.resample <= SEEDS_MAX:
            raise StudyError(f"resample = {self.resample}: must be between 2 and {SEEDS_MAX:,}")
        for trace in self.traces:
            self.drawn(trace)

    def drawn(self, trace: str) -> draws.Drawn:
        """Return what adds the draw of a seed to the options of a trace's reader."""
        try:
            return draws.of_trace(self.resample, self.resample_block, trace, self.seeds)
        except UsageError as error:
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

    def inputs(self) -> list[files.Path]:
        """Return the files that it reads, or was read from, which nothing takes the place of."""
        return [*given.inputs(self.traces, self.devices, self.config), *self.read_from]

    def of_config(self) -> dict[str, Any]:
        """Return what the configuration file says; ConfigError names its line."""
        return {} if self.config is None else config_files.read(self.config).settings

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
            "sample_seed": self.sampling.seed,
            "set": dict(self.settings),
            "trace_options": dict(self.trace_options),
            "vary": dict(self.vary),
            "point": [dict(point) for point in self.listed],
        }
        return {key: value for key, value in told.items() if value not in (None, {}, [])}

    def to_toml(self) -> str:
        """Return the study as a TOML text that `read` takes back."""
        told = self.to_dict()
        tables = {key: told.pop(key) for key in ("set", "trace_options", "vary") if key in told}
        points = told.pop("point", [])
        parts = [*_lines(told)]
        for name, table in tables.items():
            parts += ["", f"[{name}]", *_lines(table)]
        for point in points:
            parts += ["", "[[point]]", *_lines(point)]
        return "\n".join(parts) + "\n"


def read(path: Path) -> Study:
    """Return the study of a file; StudyError names file and key of what is wrong."""
    try:
        told = parsing.toml_file(path)
    except ValueError as error:
        raise StudyError(str(error)) from error
    try:
        return replace(of(told), read_from=(os.fspath(path),))
    except ConfigError as error:
        raise StudyError(f"{path}: {error}") from error


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


def of(told: Mapping[str, Any]) -> Study:
    """Return the study that a document describes; StudyError names what is wrong."""
    spelled = [(own_word(key, _READERS), value) for key, value in told.items()]
    told = once(spelled)
    unknown = set(told) - _READERS.keys()
    if unknown:
        raise StudyError(f"{min(unknown)}: unknown key; known: {', '.join(_READERS)}")
    said = {key: _READERS[key](key, value) for key, value in told.items()}
    seed = said.get("sample_seed", 1)
    try:
        sampling = Sampling.read(said.get("sample", "grid"), seed)
    except ValueError as error:
        raise StudyError(str(error)) from error
    return Study(
        traces=said.get("trace", ()),
        **configured(said.get("config"), said.get("device", ()), said.get("scheme", ())),
        vary=said.get("vary", {}),
        listed=said.get("point", ()),
        sampling=sampling,
        seeds=said.get("seeds", 1),
        resample=said.get("resample"),
        resample_block=said.get("resample_block"),
        seed=said.get("seed"),
        settings=said.get("set", {}),
        trace_options={k: _said(v) for k, v in said.get("trace_options", {}).items()},
        replay=said.get("replay"),
        metrics=said.get("metric", ()),
    )


def configured(
    config: api.Path | None, devices: tuple[str, ...], schemes: tuple[str, ...]
) -> dict[str, Any]:
    """Return the devices, the schemes and the file of a study that has a configuration file.

    A whole configuration is a device, with its scheme where no other is said.
    """
    found = config_files.Configuration() if config is None else config_files.read(config)
    path = None if config is None else os.fspath(config)
    if path is None or found.device is None:
        return {"devices": devices, "schemes": schemes, "config": path}
    if devices:
        raise StudyError(f"{path} describes a device; leave device out")
    own = () if found.scheme is None else (found.scheme,)
    return {"devices": (path,), "schemes": schemes or own, "config": None}


def _names(key: str, value: object) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, Sequence) or not all(isinstance(name, str) for name in listed):
        raise StudyError(f"{key} = {value}: must be a name or a list of names")
    return tuple(listed)


def _texts(key: str, value: object) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else [value]
    texts = [given.text_of(each) for each in listed if isinstance(each, str | Mapping)]
    if len(texts) != len(listed):
        raise StudyError(f"{key} = {value}: must be a name, a table, or a list of them")
    for each in listed:
        if isinstance(each, str) and (not each or "\0" in each):
            raise StudyError(f"{key} = {each!r:.60}: is no name and no path")
    return tuple(texts)


def _whole(key: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise StudyError(f"{key} = {value}: must be a whole number from 0")
    return value


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise StudyError(f"{key} = {value}: must be text")
    return value


def _table(key: str, value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise StudyError(f"{key} = {value}: must be a table of keys and values")
    return once(flatten(value))


def _points(key: str, value: object) -> tuple[Combination, ...]:
    if not isinstance(value, list) or not value:
        raise StudyError(f"{key} = {value}: must be tables of keys and values, [[point]]")
    points = tuple(_table(key, point) for point in value)
    for point in points:
        for name, each in point.items():
            if not isinstance(each, Value):
                raise StudyError(f"{key}: {name} = {each}: must be a number, text, true or false")
    return points


_READERS: dict[str, Any] = {
    "trace": _texts,
    "device": _texts,
    "scheme": _names,
    "seeds": _whole,
    "resample": _whole,
    "resample_block": _text,
    "seed": _whole,
    "replay": _text,
    "metric": _names,
    "config": _text,
    "sample": _text,
    "sample_seed": _whole,
    "set": _table,
    "trace_options": _table,
    "vary": _table,
    "point": _points,
}


def _said(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _lines(table: Mapping[str, Any]) -> Iterable[str]:
    for key, value in table.items():
        bare = key.replace("_", "").isalnum() and key.isascii()
        yield f"{key if bare else _toml(key)} = {_toml(value)}"


def _toml(value: object) -> str:
    """Return a value as TOML spells it."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(_lines(value))}}}"
    # JSON's texts are TOML's, but for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
