"""Scores: how far an agent comes on the way from the worst to the best constant policy."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium

from slcache._core import EpisodeError
from slcache.gym.agents import Agent, Constant
from slcache.gym.env import SlcCacheEnv
from slcache.gym.knobs import spread


@dataclass(frozen=True)
class Policy:
    """Knobs that are set once, and the sum of rewards that an episode then has."""

    knobs: Mapping[str, float]
    total: float


@dataclass(frozen=True)
class Scale:
    """Constant policies of one episode, as a measure for agents that change their minds."""

    policies: Sequence[Policy]

    @property
    def worst(self) -> Policy:
        """The policy with the least total."""
        return min(self.policies, key=lambda policy: policy.total)

    @property
    def best(self) -> Policy:
        """The policy with the greatest total."""
        return max(self.policies, key=lambda policy: policy.total)

    def share(self, total: float) -> float:
        """Return how far a total is on the way from the worst (0) to the best (1) policy.

        A total beyond the best one is above 1. Where all policies are alike there is no way.
        """
        worst, best = self.worst.total, self.best.total
        if best == worst:
            raise EpisodeError(f"every constant policy comes to {best:g}: there is no scale")
        return (total - worst) / (best - worst)


def play(
    env: gymnasium.Env[Any, Any],
    agent: Agent,
    *,
    seed: int | None = None,
    options: dict[str, Any] | None = None,
) -> float:
    """Have an agent play an episode; return the sum of its rewards."""
    observation, _ = env.reset(seed=seed, options=options)
    agent.begin(_inner(env))
    total, over = 0.0, False
    while not over:
        observation, reward, terminated, truncated, _ = env.step(agent.act(observation))
        total += float(reward)
        over = terminated or truncated
        if not over:
            agent.learn(observation, float(reward))
    return total


def constants(env: gymnasium.Env[Any, Any], *, seed: int, per_knob: int = 4) -> Scale:
    """Play an episode under constant policies: every combination of so many values a knob.

    The values lie evenly among those that each knob takes at the start, ends included.
    """
    if per_knob < 2:
        raise EpisodeError(f"per_knob = {per_knob}: must be at least 2")
    env.reset(seed=seed)
    knobs = _inner(env).knobs()
    choices = [spread(knob.places, per_knob) for knob in knobs]
    policies = []
    for values in itertools.product(*choices):
        wanted = dict(zip((knob.name for knob in knobs), values, strict=True))
        total = play(env, Constant(wanted), seed=seed, options={"knobs": wanted})
        policies.append(Policy(wanted, total))
    return Scale(policies)


def _inner(env: gymnasium.Env[Any, Any]) -> SlcCacheEnv:
    """Return the environment within its wrappers."""
    inner = env.unwrapped
    if not isinstance(inner, SlcCacheEnv):
        raise EpisodeError(f"{inner!r}: not an environment of slcache")
    return inner
