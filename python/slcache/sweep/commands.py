"""The command that runs a point of a study by itself, from the study and the point's row."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from slcache import catalogue
from slcache.execute import given
from slcache.study.outcome import DRAW, INPUTS
from slcache.sweep.axes import Value, plain
from slcache.sweep.points import READER, WORKLOAD, all_schemes
from slcache.sweep.study import BOUND, Study


def tells(study: Study, factors: Sequence[str]) -> bool:
    """Return whether a study varies all that a table does: whoever edits one may not the other."""
    return set(factors) <= {*study.keys, *INPUTS}


def of_row(study: Study, row: Mapping[str, Any]) -> str | None:
    """Return the command; None where no command can say what was run.

    That is a trace or device that was given as a dict, or a setting that is a table or list.
    """
    trace, device = _path(study.traces, row["trace"]), _path(study.devices, row["device"])
    settings = _settings(study, row)
    if trace is None or device is None or not all(isinstance(v, Value) for v in settings.values()):
        return None
    words = ["slcache", "run", trace, "--device", device, "--scheme", row["scheme"]]
    words += [] if study.config is None else ["--config", study.config]
    words += [] if study.replay is None else ["--replay", study.replay]
    for key, value in settings.items():
        words += ["--set", f"{key}={_said(value)}"]
    words += of_options({k: _said(v) for k, v in _options(study, trace, row).items()})
    if study.repeats > 1 or study.seed is not None:
        words += ["--seed", str(row["seed"])]
    return shlex.join(words)


def of_options(options: Mapping[str, str]) -> list[str]:
    """Return the words for options of a trace's reader, keys of a workload among them."""
    return [
        word
        for key, said in options.items()
        for word in (
            ("--workload", f"{key.removeprefix(WORKLOAD)}={said}")
            if key.startswith(WORKLOAD)
            else ("--trace-option", f"{key}={said}")
        )
    ]


def _path(texts: Sequence[str], label: object) -> str | None:
    found = next((text for text in texts if given.label(text) == label), None)
    return None if found is None else given.path_of(found)


def _settings(study: Study, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the point's keys of the configuration, those that were set before those varied."""
    own = catalogue.settings_for(study.settings, row["scheme"], all_schemes(study))
    counted = {BOUND: True} if study.counts_bound and BOUND not in own else {}
    varied = {k: v for k, v in _varied(study, row).items() if not k.startswith((READER, WORKLOAD))}
    return {**own, **counted, **varied}


def _options(study: Study, trace: str, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options of the trace's reader, with the draw that the point is of."""
    varied = _varied(study, row).items()
    told = {k.removeprefix(READER): v for k, v in varied if k.startswith((READER, WORKLOAD))}
    options = {**study.trace_options, **told}
    return study.drawn(trace)(options, row.get(DRAW)) or {}


def _varied(study: Study, row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: row[key] for key in study.keys if row.get(key) is not None}


def _said(value: Any) -> str:  # noqa: ANN401
    """Return a value as options spell it; a column of numbers has whole ones with a point."""
    whole = isinstance(value, float) and value.is_integer()
    return plain(int(value) if whole else value)
