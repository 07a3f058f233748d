"""Options that several verbs have, declared once, and what they mean together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from slcache import catalogue
from slcache.cli import annotated as opt
from slcache.cli import checks, complete
from slcache.given import content, quantity
from slcache.given.content import Configuration
from slcache.given.once import once
from slcache.given.options import known, matching
from slcache.given.quantity import time_ns

if TYPE_CHECKING:
    from slcache.reproduce.setups import Setup

#: Makes each field of a class an option of the verbs that take one.
together = Parameter(name="*")


def _window(value: str) -> None:
    if time_ns(value) <= 0:
        raise ValueError(f"{value!r}: must be longer than 0")


def _formats() -> list[str]:
    return [entry["name"] for entry in catalogue.formats()]


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

    trace_format: Annotated[
        str | None,
        opt.option("FORMAT", check=known("trace format", _formats), offer=complete.formats),
    ] = None
    """The trace's format (default: recognised)."""
    trace_option: Annotated[list[str] | None, opt.pairs()] = None
    """Set an option of the trace reader."""
    volume: Annotated[str | None, opt.option("NAME|each|merge")] = None
    """Of several volumes in one file, take one, or all side by side or as one."""
    unsorted: Annotated[
        str | None,
        opt.option(
            "error|sort:N|keep",
            check=matching(
                r"error|keep|sort:[1-9][0-9]*", "is none of 'error', 'keep' and 'sort:N'"
            ),
        ),
    ] = None
    """Time running backwards: refuse, sort within N requests, or keep."""

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

    jobs: Annotated[int | None, opt.count(min=1, max=1024)] = None
    """Runs at a time, a process for each (1)."""
    executor: Annotated[str, opt.option("local|dask://[HOST:PORT]|ray://[HOST:PORT]")] = "local"
    """Where runs go on: in processes here, or on a cluster; without a host a Dask or Ray cluster of
    --jobs processes is started here."""
    store: Annotated[Path | None, opt.option("DIR")] = None
    """Where results are kept and found, for several verbs to share: run again to go on (default:
    nothing is kept)."""

    def __post_init__(self) -> None:
        # With an executor that is none nothing is read.
        checks.check_executor(self.executor, self.jobs)


@together
@dataclass(frozen=True)
class SpreadOut(Here):
    """The same of a verb that runs as many at a time as there are processors."""

    jobs: Annotated[int | None, opt.count(min=1, max=1024)] = None
    """Processes (default: one a processor)."""
    store: Annotated[Path | None, opt.option("DIR")] = None
    """Where results are kept and found, for several verbs to share (default: OUT/store)."""


@together
@dataclass(frozen=True, kw_only=True)
class Configured:
    """What is said of a device's configuration, and of its state at first."""

    config: Annotated[Path | None, opt.option("FILE")] = None
    """A configuration, TOML or JSON: keys between device and --set, or all of it with its device
    and scheme, such as a result.json."""
    sets: opt.Sets = None
    state: Annotated[str | None, opt.option(quantity.FORMS, check=quantity.keys_of)] = None
    """The device before the run, such as full=0.9 or worn=0.9,0.3 (0.9 full, then 0.3 of that
    overwritten at random); steady is 0.9 full and overwritten until the write amplification is
    steady. Stands for precondition.fill, .overwrite and .steady (default: those of the device, else
    empty but for what the trace touches)."""

    def on(self, device: str | None, reading: Setup | None = None) -> Configuration:
        """Return what --config, --set and a --device say together; there must be a device.

        A reading stands for a --device that is not given; its settings are the verb's to add.
        """
        found = Configuration() if self.config is None else content.read(self.config)
        if reading is not None:
            if found.device is not None:
                raise checks.wrong(f"{self.config} describes a device; leave --reading out")
            device = device or reading.device
        if device is not None and found.device is not None:
            raise checks.wrong(f"{self.config} describes a device; leave --device out")
        chosen = found.device if device is None else device
        if chosen is None:
            raise checks.wrong("give a device, or a --config that describes one", "--device")
        said = {**found.settings, **checks.pairs(self.sets)}
        return replace(found, device=chosen, settings=said)


@together
@dataclass(frozen=True, kw_only=True)
class Replayed(Configured):
    """How a trace is read and replayed: what every verb takes that replays one."""

    reader: Trace = Trace()
    address: opt.AddressPolicy = None
    replay: Annotated[
        str | None,
        opt.option(
            "open|closed:N",
            check=matching(
                r"open|closed:[1-9][0-9]*", "is neither 'open' nor 'closed:N' with N at least 1"
            ),
        ),
    ] = None
    """Keep the trace's times, or keep N requests outstanding."""
    seed: opt.Seed = None

    def how(self) -> dict[str, Any]:
        """Return it as Python names it, but for the configuration and the reading."""
        others = ("config", "sets", "reader", "reading", "timeline")
        own = {name: value for name, value in vars(self).items() if name not in others}
        return {**own, "trace_options": self.reader.options()}


@together
@dataclass(frozen=True, kw_only=True)
class Drawn(Replayed):
    """The same of a verb that can draw a recording anew."""

    resample: Annotated[int | None, opt.count(range="resample")] = None
    """Draw a recording anew N times, its stretches of time in random order: means with intervals,
    as --seeds gives for a workload."""
    resample_block: Annotated[str | None, opt.option("TIME")] = None
    """How long those stretches are on average, such as 30s (default: a twentieth of the recording).
    """


def scheme(named: str | None, given: Configuration) -> str:
    """Return the scheme that --scheme or --config names; there must be one."""
    found = named or given.scheme
    if found is None:
        told = "give a scheme, or a --config with one"
        raise checks.wrong(told, "--scheme")
    return found


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
