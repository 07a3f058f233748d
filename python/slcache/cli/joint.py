"""Options that several verbs have together, and what they mean together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from slcache import catalogue
from slcache.cli import checks
from slcache.cli import options as opt
from slcache.given import content, quantity
from slcache.given.content import Configuration
from slcache.given.once import once

if TYPE_CHECKING:
    from slcache.reproduce.setups import Setup

#: Makes each field of a class an option of the verbs that take one.
together = Parameter(name="*")


@together
@dataclass(frozen=True)
class Shown:
    """How results are printed."""

    json: opt.Json = False
    format: opt.Format = "table"

    def __post_init__(self) -> None:
        if self.json and self.format not in ("table", "json"):
            raise checks.wrong(f"--json and --format {self.format} are two forms; give one")

    @property
    def form(self) -> opt.Form:
        """How to print; --json is short for --format json."""
        return "json" if self.json else self.format


@together
@dataclass(frozen=True)
class Recording:
    """What is said of a trace that is a file."""

    trace_format: opt.TraceFormat = None
    trace_option: opt.TraceOptions = None
    volume: opt.Volume = None
    unsorted: opt.Unsorted = None

    def options(self) -> dict[str, str]:
        """Return it as options of the trace's reader."""
        named = {"format": self.trace_format, "volume": self.volume, "unsorted": self.unsorted}
        said = [(key, value) for key, value in named.items() if value is not None]
        return once([*said, *checks.pairs(self.trace_option).items()], "trace option ")


@together
@dataclass(frozen=True)
class Trace(Recording):
    """What is said of a trace that may be a workload."""

    workload: opt.Workload = None

    def options(self) -> dict[str, str]:
        """Return it as options of the trace's reader."""
        changed = {f"workload.{key}": value for key, value in checks.pairs(self.workload).items()}
        return once([*super().options().items(), *changed.items()], "trace option ")


@together
@dataclass(frozen=True)
class DrawnTrace(Trace):
    """The same with a seed; only workloads are drawn."""

    seed: opt.Seed = None

    def options_of(self, trace: str) -> dict[str, str]:
        """Return it as options of the trace's reader."""
        from slcache.traces import api as traces

        if self.seed is None:
            return self.options()
        if not traces.is_workload(trace):
            raise checks.wrong(f"--seed draws a workload, and {trace} is a file")
        return once([("seed", str(self.seed)), *self.options().items()], "trace option ")


@together
@dataclass(frozen=True)
class Here:
    """Where runs go on and are kept: one at a time, and nowhere, unless it is said."""

    jobs: opt.Jobs = None
    executor: opt.Executor = "local"
    store: opt.Kept = None

    def __post_init__(self) -> None:
        # With an executor that is none nothing is read.
        checks.check_executor(self.executor, self.jobs)

    def how(self) -> dict[str, Any]:
        """Return it as Python names it."""
        return dict(vars(self))


@together
@dataclass(frozen=True)
class SpreadOut(Here):
    """The same of a verb that runs as many at a time as there are processors."""

    jobs: opt.Workers = None
    store: opt.Store = None


def set_up(reading: str | None) -> Setup | None:
    """Return the set-up of a paper's evaluation that --reading names."""
    if reading is None:
        return None
    # It loads what judges evaluations; other runs do without.
    from slcache.reproduce import setups

    return setups.named(reading)


def configured(
    config: Path | None,
    device: str | None,
    sets: list[str] | None,
    reading: Setup | None = None,
) -> Configuration:
    """Return what --config, --device and --set say together; there must be a device.

    A reading stands for a --device that is not given; its settings are the verb's to add.
    """
    said = checks.pairs(sets)
    found = Configuration() if config is None else content.read(config)
    if reading is not None:
        if found.device is not None:
            raise checks.wrong(f"{config} describes a device; leave --reading out")
        device = device or reading.device
    if device is not None and found.device is not None:
        raise checks.wrong(f"{config} describes a device; leave --device out")
    chosen = found.device if device is None else device
    if chosen is None:
        raise checks.wrong("give a device, or a --config that describes one", "--device")
    return replace(found, device=chosen, settings={**found.settings, **said})


def scheme(named: str | None, given: Configuration) -> str:
    """Return the scheme that --scheme or --config names; there must be one."""
    found = named or given.scheme
    if found is None:
        told = "give a scheme, or a --config with one"
        raise checks.wrong(told, "--scheme")
    return found


def settings(
    sets: list[str] | None, address: opt.Address | None, state: str | None = None
) -> dict[str, Any]:
    """Return what --set, --address and --state say together."""
    own = [] if address is None else [("trace.address", str(address))]
    said = once([*checks.pairs(sets).items(), *own])
    return {**said, **quantity.begun(state, said)}


def scheme_names(
    text: str,
    device: Any,  # noqa: ANN401
    settings: dict[str, Any],
    normalise: str | None = None,
) -> tuple[list[str], dict[str, str]]:
    """Return the schemes that `--schemes` means, and of `all` those left out with the reason."""
    names, left_out = catalogue.named(text, device=device, settings=settings)
    with checks.told():
        catalogue.check_schemes(names, normalise)
    return names, left_out


Log = Annotated[
    Path | None,
    opt.option(
        "FILE.parquet",
        "Write a row per request: its times, its latency and where that went.",
        validator=checks.no_folder,
    ),
]


@together
@dataclass(frozen=True)
class Timeline:
    """The file of a timeline and the stretch that it is of, as Python names them."""

    timeline: Annotated[
        Path | None,
        opt.option(
            "FILE",
            "Write what channels and planes do and for which request, for ui.perfetto.dev; FILE.gz "
            "is compressed, FILE.parquet a table of operations.",
            validator=checks.no_folder,
        ),
    ] = None
    timeline_from: Annotated[
        str | None, opt.option("TIME", "Leave out of the timeline what ends before.", "--from")
    ] = None
    timeline_until: Annotated[
        str | None,
        opt.option("TIME", "Leave out of the timeline what begins later.", "--until"),
    ] = None
    timeline_around: Annotated[
        str | None,
        opt.option(
            "slowest|request=N|cliff",
            "Have the timeline of this request's time, and as much around it, or of where writes "
            "become slow; runs twice.",
            "--around",
        ),
    ] = None
    timeline_every: Annotated[
        int | None,
        opt.option(
            "N",
            "Have in the timeline every N-th request with its operations, and the device's own "
            "work.",
            "--every",
            min=1,
            max=2**64 - 1,
        ),
    ] = None

    def said(self) -> dict[str, Any]:
        """Return what is said, by the names of Python."""
        return dict(vars(self))
