"""What PPO makes small, each with its slopes in the outputs of a network, and its advantages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slcache.gym.mlp import Array


def likelihoods(outputs: Array) -> Array:
    """Return the logarithm of how likely each action is, from a row of outputs each."""
    shifted = outputs - outputs.max(axis=1, keepdims=True)
    logs: Array = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return logs


def policy_loss(
    outputs: Array,
    actions: NDArray[np.intp],
    before: Array,
    gains: Array,
    clip: float,
    entropy: float,
) -> tuple[float, Array]:
    """Return the clipped objective's loss less a bonus for entropy, and its slopes.

    `before` are the logarithms of how likely the actions were when they were drawn.
    """
    rows, count = np.arange(len(actions)), len(actions)
    logs = likelihoods(outputs)
    shares = np.exp(logs)
    ratios = np.exp(logs[rows, actions] - before)
    clipped = np.clip(ratios, 1.0 - clip, 1.0 + clip)
    spread = -(shares * logs).sum(axis=1, keepdims=True)
    loss = -np.minimum(ratios * gains, clipped * gains).mean() - entropy * spread.mean()
    # Beyond the clip there is no slope, but on the side where the objective may still get worse.
    counts = np.where(gains >= 0.0, ratios < 1.0 + clip, ratios > 1.0 - clip)
    chosen = np.zeros_like(shares)
    chosen[rows, actions] = 1.0
    pull = np.where(counts, gains * ratios, 0.0)[:, np.newaxis] * (shares - chosen)
    return float(loss), (pull + entropy * shares * (logs + spread)) / count


def value_loss(outputs: Array, targets: Array) -> tuple[float, Array]:
    """Return half the mean square of what values are off by, and its slopes."""
    off = outputs - targets[:, np.newaxis]
    return float((off**2).mean() / 2.0), off / len(off)


def advantages(
    rewards: Array,
    values: Array,
    values_after: Array,
    is_last: Sequence[bool],
    *,
    gamma: float,
    trace: float,
) -> Array:
    """Return how much better each step was than its value, by generalised advantage estimation.

    An episode that is cut off goes on as its last value says.
    """
    gains = rewards + gamma * values_after - values
    for at in range(len(gains) - 2, -1, -1):
        if not is_last[at]:
            gains[at] += gamma * trace * gains[at + 1]
    return gains
