"""A network of two layers with gradients by hand, and the steps by which it learns.

Sums are those of `einsum`, which uses no BLAS: neither threads nor a library's choice of a kernel
change a figure.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
#: A gradient that is longer is made as long.
_LONGEST = 0.5


@dataclass(frozen=True)
class Mlp:
    """A hidden layer under tanh and a layer of outputs; all weights are one vector.

    Nothing is changed in place, so a network may be shared with a copy that learns.
    """

    inputs: int
    hidden: int
    outputs: int
    weights: Array

    @classmethod
    def drawn(
        cls, inputs: int, hidden: int, outputs: int, scale: float, fraction: Callable[[], float]
    ) -> Mlp:
        """Return one with random weights and no bias; those of the outputs are `scale` as large."""
        first = _drawn(inputs * hidden, math.sqrt(3.0 / inputs), fraction)
        second = _drawn(hidden * outputs, scale * math.sqrt(3.0 / hidden), fraction)
        weights = np.concatenate([first, np.zeros(hidden), second, np.zeros(outputs)])
        return cls(inputs, hidden, outputs, weights)

    def of(self, rows: Array) -> tuple[Array, Array]:
        """Return what is hidden and what comes out, of every row of inputs."""
        first, first_bias, second, second_bias = self._parts()
        hidden = np.tanh(np.einsum("ni,ih->nh", rows, first) + first_bias)
        return hidden, np.einsum("nh,ho->no", hidden, second) + second_bias

    def gradient(self, rows: Array, hidden: Array, slopes: Array) -> Array:
        """Return the slope of a loss in every weight, from its slopes in the outputs."""
        second = self._parts()[2]
        below = np.einsum("no,ho->nh", slopes, second) * (1.0 - hidden**2)
        parts = [
            np.einsum("ni,nh->ih", rows, below),
            below.sum(axis=0),
            np.einsum("nh,no->ho", hidden, slopes),
            slopes.sum(axis=0),
        ]
        return np.concatenate([part.ravel() for part in parts])

    def _parts(self) -> tuple[Array, Array, Array, Array]:
        at = self.inputs * self.hidden
        to = at + self.hidden
        end = to + self.hidden * self.outputs
        return (
            self.weights[:at].reshape(self.inputs, self.hidden),
            self.weights[at:to],
            self.weights[to:end].reshape(self.hidden, self.outputs),
            self.weights[end:],
        )


@dataclass(frozen=True)
class Adam:
    """The running means of a gradient and of its square, and how often there was one."""

    means: Array
    squares: Array
    steps: int = 0

    @classmethod
    def begun(cls, size: int) -> Adam:
        """Return that of weights which have not learned yet."""
        return cls(np.zeros(size), np.zeros(size))

    def improved(self, network: Mlp, gradient: Array, rate: float) -> tuple[Mlp, Adam]:
        """Return the network a step down the slope of its loss, and what follows."""
        long = math.sqrt(float((gradient**2).sum()))
        gradient = gradient * (_LONGEST / max(long, _LONGEST))
        means = 0.9 * self.means + 0.1 * gradient
        squares = 0.999 * self.squares + 0.001 * gradient**2
        steps = self.steps + 1
        mean, square = means / (1.0 - 0.9**steps), squares / (1.0 - 0.999**steps)
        weights = network.weights - rate * mean / (np.sqrt(square) + 1e-8)
        return replace(network, weights=weights), Adam(means, squares, steps)


def _drawn(count: int, most: float, fraction: Callable[[], float]) -> Array:
    return np.array([most * (2.0 * fraction() - 1.0) for _ in range(count)])
