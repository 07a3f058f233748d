"""Ten thousand forks: each does what its original does under the same turns."""

from __future__ import annotations

import random

import pytest

from episodes import episode, figures, random_turns

FORKS = 10_000
FINISHED_EVERY = 100


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["baseline", "ips"])
def test_forks_go_on_bit_identically(scheme: str) -> None:
    """A fork with other turns leaves the original alone, one with the same ends the same."""
    rng = random.Random(scheme)
    begin = episode(scheme)
    original = begin.fork()
    for number in range(FORKS // 2):
        same, other = original.fork(), original.fork()
        other.step(random_turns(other, rng))
        turns = random_turns(original, rng)
        ended = original.step(turns)
        assert same.step(turns) == ended
        assert same.observe() == original.observe()
        assert same.operations() == original.operations()
        if number % FINISHED_EVERY == 0:
            assert figures(same.finish()) == figures(original.fork().finish())
        if ended:
            original = begin.fork()
