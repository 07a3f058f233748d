"""Recordings of episodes: small files by which an episode is repeated and its score checked."""

from __future__ import annotations

import copy
import json
import os
import pathlib
import re
import string
from collections.abc import Mapping
from typing import Any

import numpy as np

from slcache import _core
from slcache._core import ConfigError
from slcache.files import Path, Transaction
from slcache.gym.rules import Rules
from slcache.gym.source import Start

FORMAT = "slcache-episode"
VERSION = 1
#: What of every window is written down beside its reward.
FIGURES = ("duration_ns", "read_mean_ns", "write_mean_ns", "waf")
#: What ends an episode that neither came to the trace's end nor was truncated.
CLOSED = "the environment was reset or closed"


class Recorder:
    """Writes each episode that ends, whole or not at all.

    `{episode}` in the file's name stands for the episode's number, from 0; without it the file
    holds the episode that ended last.
    """

    def __init__(self, file: Path, arguments: Mapping[str, Any], rules: Rules) -> None:
        self._file = os.fspath(file)
        try:
            fields = list(string.Formatter().parse(self._file))
            named = [(name, how or "") for _, name, how, _ in fields if name is not None]
            # A width is room that a name takes: `{episode:1000000000}` is a gigabyte.
            if not all(re.fullmatch(r"episode:0?\d{0,2}d?", ":".join(each)) for each in named):
                raise ValueError(self._file)
            self._name(0)
        except (LookupError, ValueError, AttributeError) as error:
            raise ConfigError(
                f"record = {self._file!r}: only {{episode}}, or {{episode:06}} with a width up to "
                "99, may stand in it"
            ) from error
        self._arguments = _plain(arguments)
        self._rules = rules
        self._episodes = 0
        # What cannot be written is better known before the training than after it.
        self._transaction(self._name(0)).check()
        self._open: dict[str, Any] | None = None

    def begin(self, start: Start, config_hash: str) -> None:
        """Begin with an episode."""
        self._open = {
            "format": FORMAT,
            "version": VERSION,
            "slcache": {"version": _core.version(), "commit": _core.commit()},
            "environment": self._arguments,
            "config_hash": config_hash,
            **start.told(),
            "actions": [],
            "rewards": [],
            "figures": {name: [] for name in FIGURES},
        }

    def take(
        self, action: object, reward: float, info: Mapping[str, Any], over: str | None
    ) -> None:
        """Take in a step; write the file if it was the episode's last."""
        if self._open is not None:
            self._open["actions"].append(np.asarray(action).tolist())
            self._open["rewards"].append(reward)
            for name, values in self._open["figures"].items():
                values.append(info[name])
            if over is not None:
                self._write(over)

    def close(self) -> None:
        """Write what there is of an episode that did not end, if anything."""
        if self._open is not None and self._open["actions"]:
            self._write(CLOSED)
        self._open = None

    def _write(self, ended_by: str) -> None:
        assert self._open is not None
        document = {**self._open, "ended_by": ended_by, "score": sum(self._open["rewards"])}
        name = self._name(self._episodes)
        with self._transaction(name) as files:
            text = json.dumps(document, allow_nan=False) + "\n"
            files.write(pathlib.Path(name).name, text.encode())
        self._episodes += 1
        self._open = None

    def _transaction(self, name: str) -> Transaction:
        file = pathlib.Path(name)
        return Transaction(file.parent, [file.name], self._inputs())

    def _inputs(self) -> list[Path]:
        """Return the files that episodes are made of, which no recording replaces."""
        source = self._rules.source
        traces = [path for name in source.workloads for path in _core.input_files(name)]
        return [source.device, *traces, *filter(None, [source.snapshot])]

    def _name(self, episode: int) -> str:
        return self._file.format(episode=episode)


def _plain(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return an environment's arguments as JSON holds them; a function as null."""
    plain = copy.deepcopy({k: v for k, v in arguments.items() if k != "render_mode"})
    for name, value in plain.items():
        if isinstance(value, os.PathLike):
            plain[name] = os.fspath(value)
        elif isinstance(value, tuple | list):
            plain[name] = [os.fspath(v) if isinstance(v, os.PathLike) else v for v in value]
        elif callable(value):
            plain[name] = None
    if any(map(callable, plain.get("observations") or ())):
        # Repeating an episode looks at rewards and figures alone.
        del plain["observations"]
    return plain
