"""Who takes part in the benchmark: agents of the package, one of the user's, constant policies."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import importlib.util
import itertools
import pathlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slcache import bounded, named
from slcache.errors import ConfigError, Error, RunError, about
from slcache.gym.agents import Agent, Constant, DwaLadder, Random, TabularQ
from slcache.gym.env import SlcCacheEnv
from slcache.gym.knobs import spread
from slcache.gym.ppo import PPO
from slcache.gym.score import play


@dataclass(frozen=True)
class Entrant:
    """An agent by the name it has in tables; one that learns is trained before the test."""

    name: str
    #: Returns an agent that draws with a seed.
    made: Callable[[int], Agent]
    trains: bool = False


#: Those of the package.
BUILT_IN = (
    Entrant("knobs left alone", lambda seed: Constant()),
    Entrant("random", lambda seed: Random(seed)),
    Entrant("DWA's ladder", lambda seed: DwaLadder()),
    Entrant("tabular Q, untrained", lambda seed: TabularQ(seed=seed)),
    Entrant("tabular Q, trained", lambda seed: TabularQ(seed=seed), trains=True),
    Entrant("PPO, untrained", lambda seed: PPO(seed)),
    Entrant("PPO, trained", lambda seed: PPO(seed), trains=True),
)


#: A constant policy: which of so many values, evenly spread, each knob has.
Level = tuple[int, ...]


def levels(env: SlcCacheEnv, per_knob: int) -> Iterator[tuple[Level, dict[str, float]]]:
    """Yield every constant policy of so many values a knob, and the knobs' values under it."""
    each = {knob.name: spread(knob.places, per_knob) for knob in env.rules.knobs}
    for level in itertools.product(range(per_knob), repeat=len(each)):
        yield (
            level,
            {
                name: choices[min(at, len(choices) - 1)]
                for at, (name, choices) in zip(level, each.items(), strict=True)
            },
        )


def of_file(source: str, sha256: str | None = None) -> tuple[Entrant, str]:
    """Return the agent of `FILE.py:NAME`, called with a seed, and the checksum of the file.

    ConfigError where no call names it, or where its file has another checksum than is told.
    """
    place, _, name = source.rpartition(":")
    file = pathlib.Path(place)
    if not place.endswith(".py") or not name:
        raise about(ConfigError(f"agent = {source!r:.80}: must be FILE.py:NAME"), "agent")
    if not file.is_file():
        raise about(ConfigError(f"agent = {source!r:.80}: there is no file {file}"), "agent")
    if not named.is_named(source):
        told = f"agent = {source!r:.80}: no document loads code of Python; to load it, name it too"
        raise about(ConfigError(told), "agent")
    found = hashlib.sha256(bounded.read(file, bounded.STUDY_BYTES_MAX)).hexdigest()
    if sha256 not in (None, found):
        told = f"agent = {source!r:.80}: SHA-256 {found} is not that of what was run, {sha256}"
        raise about(ConfigError(told), "agent")
    spec = importlib.util.spec_from_file_location(f"slcache_agent_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with _blamed(source):
        spec.loader.exec_module(module)
    made: Any = getattr(module, name, None)
    if not callable(made):
        raise about(ConfigError(f"{file}: has nothing that can be called {name}"), "agent")

    def of_seed(seed: int) -> Agent:
        with _blamed(source):
            agent: Agent = made(seed)
        missing = [verb for verb in ("begin", "act", "learn") if not hasattr(agent, verb)]
        if missing:
            raise about(ConfigError(f"{source}: its agent has no {missing[0]}()"), "agent")
        return agent

    return Entrant(source, of_seed, trains=True), found


def trained(
    entrant: Entrant, seed: int, episodes: Sequence[tuple[SlcCacheEnv, int]]
) -> Callable[[], Agent]:
    """Return what gives, for each test, the agent as it is after the episodes of training."""
    agent = entrant.made(seed)
    for env, draw in episodes:
        played(entrant.name, env, agent, draw)
        # A copy of the agent is not to copy a device with it.
        env.close()
    fork: Callable[[], Agent] | None = getattr(agent, "fork", None)

    def copied() -> Agent:
        with _blamed(entrant.name):
            return copy.deepcopy(agent) if fork is None else fork()

    return copied


def played(
    name: str,
    env: SlcCacheEnv,
    agent: Agent,
    draw: int,
    knobs: Mapping[str, float] | None = None,
) -> None:
    """Have an agent play an episode; what it does wrong is a RunError that names it."""
    with _blamed(name):
        play(env, agent, seed=draw, options={"knobs": dict(knobs)} if knobs else None)


@contextlib.contextmanager
def _blamed(name: str) -> Iterator[None]:
    """Turn what an agent raises into an error that says whose it is."""
    try:
        yield
    except ConfigError:
        raise
    except Exception as error:
        told = str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}"
        raise RunError(f"agent {name}: {told}") from error
