"""A recorded episode repeated: the same score, or what differs."""

from __future__ import annotations

import inspect
import os
import pathlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from slcache import _core
from slcache.errors import ConfigError, EpisodeError, about
from slcache.files import Path
from slcache.given import parsing
from slcache.given.arguments import checked
from slcache.gym.env import SlcCacheEnv
from slcache.gym.record import CLOSED, FIGURES, FORMAT, VERSION
from slcache.gym.rules import Rules

#: What a recording has, and of which type.
_KEYS: Mapping[str, type | tuple[type, ...]] = {
    "slcache": dict,
    "environment": dict,
    "config_hash": str,
    "seed": int,
    "options": dict,
    "actions": list,
    "rewards": list,
    "figures": dict,
    "ended_by": str,
    "score": (int, float),
}


@dataclass(frozen=True)
class Outcome:
    """What repeating an episode came to."""

    windows: int
    score: float | None
    recorded_score: float
    differences: list[str]
    notes: list[str]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"same": not self.differences, **vars(self)}


def read(file: Path) -> dict[str, Any]:
    """Return a recording; EpisodeError where the file is none, or damaged."""
    try:
        document = parsing.json_file(pathlib.Path(file))
    except ValueError as error:
        raise EpisodeError(f"not a recording of an episode: {error}") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise EpisodeError(f'{file}: not a recording of an episode: it has no "format": "{FORMAT}"')
    if document.get("version") != VERSION:
        raise EpisodeError(
            f"{file}: version = {document.get('version')!r}: this slcache reads version {VERSION}"
        )
    for key, kind in _KEYS.items():
        value = document.get(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise EpisodeError(f"{file}: {key} = {value!r:.60}: missing, or of another type")
    # None of an environment's arguments names a file to be written.
    known = [name for name in inspect.signature(Rules.made).parameters if name != "render_mode"]
    for name in document["environment"]:
        if name not in known:
            raise EpisodeError(
                f"{file}: environment.{name:.60}: no recording has it; known are {', '.join(known)}"
            )
    figures = [document["figures"].get(name) for name in FIGURES]
    lengths = {len(document["actions"]), len(document["rewards"]), *map(_length, figures)}
    if len(lengths) > 1:
        raise EpisodeError(f"{file}: actions, rewards and figures differ in length")
    return document


@checked
def replay(file: Path, *, scheme: str | None = None) -> Outcome:
    """Repeat a recorded episode and compare it, window by window.

    A class of one's own is loaded where `scheme` names it, as the recording does.
    """
    document = read(file)
    if scheme not in (None, document["environment"].get("scheme")):
        document["environment"]["scheme"] = scheme
    try:
        return _repeated(document)
    except (ConfigError, EpisodeError) as error:
        told = type(error)(f"{file}: {error}")
        raise about(told, getattr(error, "key", None), file=os.fspath(file)) from None


def _repeated(document: Mapping[str, Any]) -> Outcome:
    arguments = dict(document["environment"])
    own_reward = "reward" in arguments and arguments["reward"] is None
    notes = list(_notes(document, own_reward))
    try:
        env = SlcCacheEnv(**{**arguments, **({"reward": "throughput"} if own_reward else {})})
    except TypeError as error:
        raise EpisodeError(f"environment: {error}") from error
    env.reset(seed=document["seed"], options=document["options"])
    differences = []
    here, there = env.config_hash, document["config_hash"]
    if here != there:
        differences.append(f"config_hash: {there:.12}… was recorded, and it is {here:.12}…")
    rewards, figures, over = _played(env, document)
    for name in FIGURES:
        differences += _differing(name, document["figures"][name], figures[name])
    if not own_reward:
        differences += _differing("reward", document["rewards"], rewards)
    if document["ended_by"] != over:
        differences.append(f"ended_by: {document['ended_by']!r} was recorded, and it is {over!r}")
    score = None if own_reward else sum(rewards)
    if not differences and score not in (None, document["score"]):
        differences.append(f"score: {document['score']!r} was recorded, and it is {score!r}")
    return Outcome(len(rewards), score, document["score"], differences, notes)


def _length(value: object) -> int:
    return len(value) if isinstance(value, list) else -1


def _notes(document: Mapping[str, Any], own_reward: bool) -> Iterator[str]:
    now = {"version": _core.version(), "commit": _core.commit()}
    if document["slcache"] != now:
        yield f"recorded by slcache {_named(document['slcache'])}, repeated by {_named(now)}"
    if own_reward:
        yield "the reward was a function of the recorder's: only figures of windows are compared"


def _named(build: Mapping[str, Any]) -> str:
    return f"{build.get('version')} ({build.get('commit')})"


def _played(
    env: SlcCacheEnv, document: Mapping[str, Any]
) -> tuple[list[float], dict[str, list[float]], str]:
    """Return the rewards and figures of the windows, and what ended the episode."""
    rewards: list[float] = []
    figures: dict[str, list[float]] = {name: [] for name in FIGURES}
    for window, action in enumerate(document["actions"], start=1):
        try:
            _, reward, terminated, truncated, info = env.step(_action(env, action))
        except EpisodeError as error:
            raise EpisodeError(f"window {window}: {error}") from error
        rewards.append(reward)
        for name in FIGURES:
            figures[name].append(info[name])
        if terminated or truncated:
            break
    return rewards, figures, env.over or CLOSED


def _action(env: SlcCacheEnv, recorded: object) -> object:
    """Return an action as its space has it."""
    if not isinstance(recorded, list):
        return recorded
    try:
        return np.array(recorded, dtype=env.action_space.dtype)
    except (TypeError, ValueError, OverflowError):
        raise EpisodeError(f"action = {recorded!r:.60}: is no action") from None


def _differing(name: str, recorded: list[float], now: list[float]) -> Iterator[str]:
    """Yield the first window in which a figure differs, or that there are more or fewer."""
    for window, (there, here) in enumerate(zip(recorded, now, strict=False), start=1):
        if there != here:
            yield f"{name}: {there!r} was recorded in window {window}, and it is {here!r}"
            return
    if len(recorded) != len(now):
        yield f"{name}: {len(recorded)} windows were recorded, and there are {len(now)}"
