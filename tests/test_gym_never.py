"""What no action, seed, option or knob is, an environment refuses in an error of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import slcache
from slcache.gym import SlcCacheEnv, SlcCacheVectorEnv

NAN, INF = float("nan"), float("inf")
#: Of no kind of action.
ACTIONS: list[Any] = [None, "x", NAN, INF, -7, 10**30, [], {}, b"x", object(), [[1]], 1.5]
SEEDS: list[Any] = [-1, 2**63, 10**400, 1.5, "x", True, NAN, [1], {}, object()]
OPTIONS: list[Any] = [
    [1], "x", 5, {"x": 1}, {1: 2}, {"workload": 5}, {"workload": "nope"}, {"workload": ["zipf-4k"]},
    {"snapshot": 5}, {"snapshot": "nope"}, {"knobs": []}, {"knobs": 0}, {"knobs": {"x": 1}},
    {"knobs": {1: 2}}, {"knobs": {"slc_blocks": "3"}}, {"knobs": {"slc_blocks": True}},
    {"knobs": {"slc_blocks": NAN}}, {"knobs": {"slc_blocks": -1}}, {"knobs": {"slc_blocks": 1e300}},
]  # fmt: skip
WANTED: list[Any] = [5, None, {"x": 1}, {"slc_blocks": NAN}, {"slc_blocks": INF}, {1: 2}]
KINDS = ["steps", "multi-discrete", "box"]


def how(trace: Path) -> dict[str, Any]:
    return {"device": "tiny", "workload": trace, "window": ("write-bytes", 65536)}


@pytest.mark.parametrize("kind", KINDS)
def test_no_action_that_is_none_is_taken(kind: str, trace: Path) -> None:
    one = SlcCacheEnv(**how(trace), actions=kind)
    both = SlcCacheVectorEnv(num_envs=2, **how(trace), actions=kind)
    shape = np.shape(one.action_space.sample())
    filled = [np.full(shape, value) for value in (NAN, INF, -INF, 5e9, -7, 1 + 1j)]
    one.reset(seed=1)
    both.reset(seed=1)
    for action in [*ACTIONS, *filled]:
        for environment in (one, both):
            with pytest.raises(slcache.EpisodeError):
                environment.step(action)
    # None of them has begun a step.
    assert one.step(one.action_space.sample())[2] is False


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"{type(seed).__name__}")
def test_no_seed_that_is_none_is_taken(seed: Any, trace: Path) -> None:  # noqa: ANN401
    for environment in (SlcCacheEnv(**how(trace)), SlcCacheVectorEnv(2, **how(trace))):
        with pytest.raises(slcache.Error, match="seed"):
            environment.reset(seed=seed)
    with pytest.raises(slcache.Error, match="seed"):
        SlcCacheVectorEnv(2, **how(trace)).reset(seed=[1, seed])


def test_no_option_or_knob_that_is_none_is_taken(trace: Path) -> None:
    environment = SlcCacheEnv(**how(trace))
    for options in OPTIONS:
        with pytest.raises(slcache.Error):
            environment.reset(seed=1, options=options)
    environment.reset(seed=1)
    for wanted in WANTED:
        with pytest.raises(slcache.EpisodeError, match="knob"):
            environment.toward(wanted)
