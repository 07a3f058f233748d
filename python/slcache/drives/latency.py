"""Published latencies beside those of presets: each trial that has a preset is judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slcache.drives import published, trials
from slcache.drives.published import FAILED, REPRODUCED, SHOWN, Trial, late
from slcache.drives.trials import device, iops, plan
from slcache.execute.engine import Engine

#: Between what ours by published may lie.
NEAR = {
    "iops": (0.75, 1.25),
    "p50": (0.75, 1.25),
    "mean": (0.75, 1.25),
    "p99": (1 / 1.5, 1.5),
    "p99_9": (0.5, 2.0),
}
#: A quick judgement takes the first trial of each drive and kind, and moves a part.
QUICK = 8
LEFT, CONTEXT = "left out by --quick", "context: only shown"


@dataclass(frozen=True)
class Judged:
    """A published figure beside ours."""

    trial: str
    drive: str
    kind: str
    side: str
    figure: str
    unit: str
    published: float
    ours: float | None
    use: str
    ratio: float | None
    verdict: str
    reason: str
    #: The address of the source.
    source: str

    @property
    def is_judged(self) -> bool:
        """Whether it is more than shown."""
        return self.verdict != SHOWN

    @property
    def holds(self) -> bool:
        """Whether it is reproduced."""
        return self.verdict == REPRODUCED

    @property
    def column(self) -> str:
        """What it is counted as: a mean as p50, like which it is judged."""
        return "p50" if self.figure.endswith("mean") else self.figure


@dataclass(frozen=True)
class Latency:
    """Every figure of the trials that were simulated, and why others are not judged."""

    figures: tuple[Judged, ...]
    #: Trials of which no figure is judged.
    unjudged: Mapping[str, str]
    #: Of trials that were cut, the share that was simulated.
    cut: Mapping[str, float]
    #: The same figures without a mechanism, by mechanism.
    without: Mapping[str, tuple[Judged, ...]]

    @property
    def judged(self) -> list[Judged]:
        """The figures that are more than shown."""
        return [figure for figure in self.figures if figure.is_judged]

    def counts(self) -> dict[str, dict[str, dict[str, int]]]:
        """Return how many are reproduced, of how many, by use and figure."""
        found: dict[str, dict[str, dict[str, int]]] = {}
        for figure in self.judged:
            of = found.setdefault(figure.use, {})
            count = of.setdefault(figure.column, {"reproduced": 0, "judged": 0})
            count["reproduced"] += figure.holds
            count["judged"] += 1
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "counts": self.counts(),
            "rows": [vars(figure) for figure in self.figures],
            "unjudged": dict(self.unjudged),
            "cut": dict(self.cut),
            "without": {
                name: [vars(figure) for figure in figures] for name, figures in self.without.items()
            },
        }


def make(engine: Engine, quick: bool = False, ablate: bool = False) -> Latency:
    """Simulate the trials that have a preset, and judge what is printed of them."""
    wanted = [trial for trial in published.trials() if unsimulated(trial) is None]
    if quick:
        first = {(trial.drive.name, trial.kind): trial for trial in reversed(wanted)}
        wanted = [trial for trial in wanted if trial in first.values()]
    part = QUICK if quick else 1
    planned = [plan(trial, device(trial.drive), part) for trial in wanted]
    switched = {
        name: [plan(trial, off(device(trial.drive)), part) for trial in wanted]
        for name, off in (trials.MECHANISMS.items() if ablate else ())
    }
    every = [planned, *switched.values()]
    documents = iter(
        engine.results([run for plans in every for each in plans for run in each.runs])
    )
    found = [
        tuple(f for each in plans for f in judged(each.trial, [next(documents) for _ in each.runs]))
        for plans in every
    ]
    judged_trials = {figure.trial for figure in found[0] if figure.is_judged}
    return Latency(
        figures=found[0],
        unjudged={
            trial.name: unsimulated(trial) or (LEFT if trial.use != "context" else CONTEXT)
            for trial in published.trials()
            if trial.name not in judged_trials
        },
        cut={each.trial.name: each.share for each in planned if each.share < 1},
        without=dict(zip(switched, found[1:], strict=True)),
    )


def unsimulated(trial: Trial) -> str | None:
    """Return why a trial is not simulated; none where it is."""
    if trial.drive.drive_class != "client":
        return f"{trial.drive.drive_class}: presets are like client drives"
    if trial.drive.nearest is None:
        return "no preset is like the drive"
    if len(trial.depths) > 1 and trial.depths[0] > 1:
        return "two deep loops side by side: closed replay takes requests in one order"
    return None


def judged(trial: Trial, documents: Sequence[Mapping[str, Any]]) -> list[Judged]:
    """Return every figure that is printed of a trial, beside ours; `documents` are of its loads."""
    return [_judged(trial, *figure) for figure in figures(trial, documents)]


def figures(
    trial: Trial, documents: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, str, float, float | None]]:
    """Yield what is known of a trial: the side, the figure's name, its value, and ours."""
    for side, printed in trial.figures.items():
        host = documents[-1 if side in ("flush", "sync") else 0]["host"]
        for found in _figures(trial, side, printed, host):
            yield side, *found


def _figures(
    trial: Trial, side: str, printed: Mapping[str, float], host: Mapping[str, Any]
) -> list[tuple[str, float, float | None]]:
    """Return the figures of a side that are judged: its name, the published one, and ours."""
    if side == "sync":
        ours = host["write"]["latency_us"]["mean"] + host["flush"]["latency_us"]["mean"]
        return [(name, value, ours) for name, value in printed.items()]
    latency = host[side]["latency_us"]
    found = [
        (name, printed[name], latency[name]) for name in ("p50", "p99", "p99_9") if name in printed
    ]
    rate = iops(trial, printed)
    if rate is not None:
        seconds = host["duration_ns"] / 1e9
        ours = host[side]["requests"] / seconds
        if len(trial.depths) > 1 and side == "read":
            # A reader that waits for each read has as many as their mean allows.
            ours = 1e6 / (latency["mean"] + trial.host_us)
        found.append(("iops", rate, ours))
    return found or [("mean", printed["mean"], latency["mean"])]


def _judged(trial: Trial, side: str, name: str, value: float, ours: float | None) -> Judged:
    ratio = None if ours is None else ours / value
    figure = "mean" if name.endswith("mean") else name
    verdict = verdict_of(figure, ratio)
    # A file system's fsync writes its journal too.
    if trial.use == "context" or name == "fsync_mean":
        verdict = SHOWN
    return Judged(
        trial=trial.name,
        drive=trial.drive.name,
        kind=trial.kind,
        side=side,
        figure=name,
        unit="1/s" if name == "iops" else "us",
        published=value,
        ours=ours,
        use=trial.use,
        ratio=ratio,
        verdict=verdict,
        reason=late(trial, side, name, verdict, ratio is not None and ratio > 1),
        source=str(published.sources()[trial.source]["url"]),
    )


def verdict_of(figure: str, ratio: float | None) -> str:
    """Return what becomes of a figure by ours over the published one."""
    low, high = NEAR[figure]
    return REPRODUCED if ratio is not None and low <= ratio <= high else FAILED
