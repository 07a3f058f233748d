"""A point as a TOML file that `run --config` takes."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from slcache import catalogue
from slcache.execute import given
from slcache.given.once import one_name
from slcache.search.space import SCHEME, Settings
from slcache.sweep import commands
from slcache.sweep.axes import plain
from slcache.sweep.points import READER, WORKLOAD
from slcache.sweep.study import Study
from slcache.words import toml
from slcache.words.names import printable

_BARE = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
#: Keys that are no part of the configuration: options of the trace's reader and of a workload.
_OTHERS = (READER, WORKLOAD)


def of(study: Study, point: Settings, name: str, told: str) -> str:
    """Return a point as a TOML file `name`, with what is `told` of it and how to run it."""
    seed = study.seed if study.seeds == 1 else study.seed or 1
    again = command(
        point,
        trace=given.label(study.traces[0]),
        device=given.label(study.devices[0]),
        config=name,
        options=study.trace_options,
        replay=study.replay,
        seed=seed,
    )
    return text(point, _fixed(study, str(point[SCHEME]), point), [told, again])


def _fixed(study: Study, scheme: str, chosen: Iterable[str]) -> dict[str, Any]:
    """Return what is fixed for the points of a scheme, with what the file says below that."""
    own = catalogue.settings_for(study.settings, scheme, study.schemes)
    above = {one_name(key, scheme) for key in (*own, *chosen)}
    below = catalogue.settings_for(study.of_config(), scheme, study.schemes).items()
    return {k: v for k, v in below if one_name(k, scheme) not in above} | own


def text(point: Settings, fixed: Mapping[str, Any], told: Sequence[str]) -> str:
    """Return the file: what was chosen and what was fixed, below lines of what is `told`."""
    # A name may hold a line's end, behind which no comment goes on.
    lines = [f"# {part}" for line in told for part in printable(line).split("\n")]
    others = [key for key in point if key.startswith(_OTHERS)]
    settings = {k: v for k, v in point.items() if k != SCHEME and k not in others}
    # Fixed values come as `--set` spells them, in text.
    return "\n".join([*lines, *(_line(*each) for each in {**fixed, **settings}.items())]) + "\n"


def _line(key: str, value: Any) -> str:  # noqa: ANN401
    """Return a line of TOML; text that `--set` would read as a number is one."""
    name = key if _BARE.fullmatch(key) else json.dumps(key)
    return f"{name} = {_literal(value) if isinstance(value, str) else toml.text(value)}"


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
    own = {k.removeprefix(READER): plain(v) for k, v in point.items() if k.startswith(_OTHERS)}
    words += commands.of_options({**options, **own})
    words += [] if replay is None else ["--replay", replay]
    words += [] if seed is None else ["--seed", str(seed)]
    return shlex.join(words)
