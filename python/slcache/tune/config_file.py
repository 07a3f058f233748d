"""A point as a TOML file that `run --config` takes."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from slcache.sweep.axes import Value, plain
from slcache.tune.space import SCHEME, Settings
from slcache.words import toml
from slcache.words.names import printable

_BARE = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
#: Keys that are no part of the configuration: options of the trace's reader and of a workload.
_OTHERS = ("reader.", "workload.")


def text(point: Settings, fixed: Mapping[str, Any], told: Sequence[str]) -> str:
    """Return the file: what was chosen and what was fixed, below lines of what is `told`."""
    # A name may hold a line's end, behind which no comment goes on.
    lines = [f"# {part}" for line in told for part in printable(line).split("\n")]
    others = [key for key in point if key.startswith(_OTHERS)]
    settings = {k: v for k, v in point.items() if k != SCHEME and k not in others}
    # Fixed values come as `--set` spells them, in text.
    return "\n".join([*lines, *map(_line, *_columns({**fixed, **settings}))]) + "\n"


def _columns(settings: Mapping[str, Any]) -> tuple[list[str], list[Any]]:
    return list(settings), list(settings.values())


def _line(key: str, value: Any) -> str:  # noqa: ANN401
    name = key if _BARE.fullmatch(key) else json.dumps(key)
    return f"{name} = {_toml(value)}"


def _toml(value: Any) -> str:  # noqa: ANN401
    """Return a value as TOML spells it; text that `--set` would read as a number is one."""
    return _literal(value) if isinstance(value, str) else toml.text(value)


def _literal(value: str) -> str:
    try:
        if len(value.splitlines()) != 1:
            raise tomllib.TOMLDecodeError
        tomllib.loads(f"x = {value}")
    except tomllib.TOMLDecodeError:
        return toml.text(value)
    return value


def command(
    point: Settings,
    *,
    trace: str,
    device: str,
    config: str,
    options: Mapping[str, str],
    replay: str | None,
    seed: int | None,
) -> str:
    """Return the command that runs a point again."""
    words = ["slcache", "run", trace, "--device", device, "--scheme", str(point[SCHEME])]
    words += ["--config", config]
    told = {**options, **{k.removeprefix("reader."): plain(v) for k, v in _own(point).items()}}
    for key, value in told.items():
        if key.startswith("workload."):
            words += ["--workload", f"{key.removeprefix('workload.')}={value}"]
        else:
            words += ["--trace-option", f"{key}={value}"]
    words += [] if replay is None else ["--replay", replay]
    words += [] if seed is None else ["--seed", str(seed)]
    return shlex.join(words)


def _own(point: Settings) -> dict[str, Value]:
    return {key: value for key, value in point.items() if key.startswith(_OTHERS)}
