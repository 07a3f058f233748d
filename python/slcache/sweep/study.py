"""What a sweep is asked for, checked; and the same as a TOML text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from slcache import catalogue, files
from slcache import named as code
from slcache._core import ConfigError
from slcache.errors import UsageError
from slcache.execute import draws, given
from slcache.given import config_files
from slcache.given.once import SEED_MAX, twice
from slcache.metrics import COUNTED, named
from slcache.study.columns import PARAMETERS_MAX
from slcache.sweep.axes import Axis, plain
from slcache.sweep.sampling import Combination, Sampling
from slcache.words import toml

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
        """Return the study as a TOML text that `study_file.read` takes back."""
        told = self.to_dict()
        tables = {key: told.pop(key) for key in ("set", "trace_options", "vary") if key in told}
        points = told.pop("point", [])
        parts = [*toml.lines(told)]
        for name, table in tables.items():
            parts += ["", f"[{name}]", *toml.lines(table)]
        for point in points:
            parts += ["", "[[point]]", *toml.lines(point)]
        return "\n".join(parts) + "\n"
