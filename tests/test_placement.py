"""The environment in which an agent places writes."""

from __future__ import annotations

import copy
import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import slcache
from slcache import ConfigError, EpisodeError

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from slcache.gym import PLACEMENT_ID, features  # noqa: E402
from slcache.gym.placement import STATE, PlacementEnv, names  # noqa: E402

#: How tables of time, operation, sector and sectors are read.
OPTIONS = [
    ("format", "generic"), ("time", "1"), ("time_unit", "ns"), ("op", "2"), ("ops.R", "read"),
    ("ops.W", "write"), ("address", "3"), ("address_unit", "sector"), ("size", "4"),
    ("size_unit", "sector"), ("rebase", "false"),
]  # fmt: skip
#: What is observed of the page that a write begins with.
FIRST_PAGE = ("age_ns", "rewrite_ns", "accesses", "writes")
#: What says whose a document is, and how long its run took.
OWN = ("config", "scheme", "provenance", "sim")


def made(trace: Path, **given: Any) -> PlacementEnv:  # noqa: ANN401
    """Return an environment on a small device."""
    return PlacementEnv(trace=trace, device="tiny", **given)


def played(env: PlacementEnv, region: int) -> dict[str, Any]:
    """Return the document of an episode whose writes all go to one region."""
    env.reset(seed=1)
    action = region if env.batch == 1 else np.full(env.batch, region)
    ended = False
    while not ended:
        _, _, ended, _, _ = env.step(action)
    document = env.finish()
    return {key: value for key, value in document.items() if key not in OWN}


def test_gymnasium_finds_nothing_wrong(trace: Path) -> None:
    env = gymnasium.make(PLACEMENT_ID, trace=trace, device="tiny")
    check_env(env.unwrapped, skip_render_check=True)


def test_all_to_the_cache_is_the_scheme_by_itself(trace: Path) -> None:
    document = slcache.run(trace, device="tiny", scheme="custom", seed=1).documents[0]
    native = {key: value for key, value in document.items() if key not in OWN}
    for batch in (1, 7, 64):
        assert played(made(trace, batch=batch), 0) == native, batch


def test_actions_decide_where_writes_go(trace: Path) -> None:
    cached, dense = played(made(trace), 0), played(made(trace), 1)
    assert cached["waf"] != dense["waf"]
    assert played(made(trace, batch=16), 1) == dense


def test_a_fork_goes_on_alike_and_apart(trace: Path) -> None:
    env = made(trace, batch=4)
    env.reset(seed=3)
    for _ in range(10):
        env.step(np.array([0, 1, 0, 1]))
    alike, apart = env.fork(), env.fork()
    for _ in range(10):
        here, there = env.step(np.zeros(4, int)), alike.step(np.zeros(4, int))
        assert np.array_equal(here[0], there[0])
        assert here[1:4] == there[1:4]
        apart.step(np.ones(4, int))
    documents = [each.finish() for each in (env, alike, apart)]
    for document in documents:
        document.pop("sim"), document.pop("provenance")
    assert documents[0] == documents[1] != documents[2]


def test_what_is_known_of_a_write_is_what_a_count_by_hand_says(tmp_path: Path) -> None:
    trace = tmp_path / "hand.csv"
    lines = [(0, "W", 0, 16), (10, "R", 0, 8), (30, "W", 16, 8), (35, "W", 0, 8), (60, "W", 0, 8)]
    rows = [f"{at},{op},{sector},{sectors}" for at, op, sector, sectors in lines]
    trace.write_text("\n".join(rows) + "\n")
    table = features.of_writes(str(trace), 1, OPTIONS, 4096)
    columns = dict(zip(features.NAMES, table.T.tolist(), strict=True))
    assert columns["bytes"] == [8192, 4096, 4096, 4096]
    assert columns["sequential"] == [0, 0, 0, 0]
    assert columns["gap_ns"] == [0, 20, 5, 25]
    assert columns["age_ns"] == [-1, -1, 25, 25]
    assert columns["rewrite_ns"] == [-1, -1, 35, 25]
    assert columns["accesses"] == [0, 0, 2, 3]
    assert columns["writes"] == [0, 0, 1, 2]


def test_a_page_is_used_by_every_request_that_covers_a_part_of_it(tmp_path: Path) -> None:
    rng = random.Random(54)
    rows = [
        (1000 * at, rng.choice("WWR"), rng.randrange(400), rng.randrange(1, 120))
        for at in range(1, 300)
    ]
    rows[:2] = [(0, "W", 0, 32), (1000, "W", 8, 8)]
    trace = tmp_path / "long.csv"
    trace.write_text("".join(f"{at},{op},{sector},{count}\n" for at, op, sector, count in rows))
    for page_sectors in (1, 8, 32):
        table = features.of_writes(str(trace), 1, OPTIONS, 512 * page_sectors)
        used: dict[str, dict[int, list[int]]] = {"WR": {}, "W": {}}
        wanted = []
        for at, op, sector, count in rows:
            first = sector // page_sectors
            all_of, of_writes = (used[ops].get(first, []) for ops in ("WR", "W"))
            since = [at - seen[-1] if seen else -1 for seen in (all_of, of_writes)]
            if op == "W":
                wanted.append([*since, len(all_of), len(of_writes)])
            for page in range(first, (sector + count - 1) // page_sectors + 1):
                for ops in (ops for ops in used if op in ops):
                    used[ops].setdefault(page, []).append(at)
        columns = [features.NAMES.index(name) for name in FIRST_PAGE]
        assert table[:, columns].tolist() == wanted, page_sectors
        assert page_sectors == 1 or wanted[1] == [1000, 1000, 1, 1]


def test_observations_are_named_and_within_the_space(trace: Path) -> None:
    env = made(trace, batch=3)
    observation, info = env.reset(seed=1)
    assert len(names(3)) == len(observation) == 3 * len(features.NAMES) + len(STATE)
    assert env.observation_space.contains(observation)
    assert info["writes"] > 0


def test_what_means_nothing_is_refused_in_words(trace: Path) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"batch": 0}, "batch = 0: must be a whole number from 1"),
        ({"batch": True}, "batch = True"),
        ({"max_steps": 0}, "max_steps = 0"),
        ({"scheme": "nowhere.py:X"}, "must be a file of Python"),
        ({"reward": "praise"}, "reward 'praise': unknown"),
        ({"settings": {"buffer.pages": 8}}, "buffer"),
        ({"settings": {"trace.address": "clip"}}, "clip: leaves writes out"),
    ]
    for given, words in wrong:
        with pytest.raises(ConfigError, match=words):
            made(trace, **given)
    env = made(trace)
    with pytest.raises(EpisodeError, match="reset the environment first"):
        env.step(0)
    env.reset(seed=1)
    with pytest.raises(EpisodeError, match=r"action 2: must be in .*0 cache, 1 store"):
        env.step(2)


def test_max_steps_truncates(trace: Path) -> None:
    env = made(trace, max_steps=2)
    env.reset(seed=1)
    assert env.step(0)[2:4] == (False, False)
    assert env.step(0)[2:4] == (False, True)
    with pytest.raises(EpisodeError, match="step after window 2, the last"):
        env.step(0)


def test_two_classes_of_one_name_are_two_schemes(trace: Path, tmp_path: Path) -> None:
    for name, regions in (("one", "cache"), ("two", "fast")):
        (tmp_path / f"{name}.py").write_text(
            "import slcache\n\nclass Z(slcache.Scheme):\n"
            f"    regions = {{'{regions}': slcache.slc(3), 'store': slcache.dense()}}\n"
        )
    envs = [made(trace, scheme=f"{tmp_path}/{name}.py:Z") for name in ("one", "two")]
    for env, region in zip(envs, ("cache", "fast"), strict=True):
        env.reset(seed=1)
        env.step(0)
        figures = env.finish()["scheme"]["figures"]
        assert f"{region}_pages_written" in figures


def test_forks_in_threads_take_their_own_actions(trace: Path) -> None:
    env = made(trace, batch=8)
    env.reset(seed=1)
    actions = [np.tile([0, 1], (30, 4)), np.tile([1, 0], (30, 4))]

    def rewards(fork: PlacementEnv, steps: np.ndarray[Any, Any]) -> list[float]:
        return [fork.step(step)[1] for step in steps]

    alone = [rewards(env.fork(), steps) for steps in actions]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(rewards, [env.fork(), env.fork()], actions))
    assert together == alone


@pytest.mark.parametrize("batch", [1, 5])
def test_what_is_pickled_in_mid_episode_goes_on_alike(trace: Path, batch: int) -> None:
    env = made(trace, batch=batch)
    env.action_space.seed(2)
    env.reset(seed=2)
    for _ in range(20):
        env.step(env.action_space.sample())

    def rest(each: PlacementEnv) -> list[Any]:
        seen: list[Any] = []
        for _ in range(30):
            figures, *others = each.step(each.action_space.sample())
            seen.append((figures.tolist(), others))
        return [*seen, each.reset()[1]]

    copied, loaded = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
    wanted = rest(env)
    assert rest(copied) == wanted
    assert rest(loaded) == wanted
    assert pickle.loads(pickle.dumps(made(trace))).reset(seed=2)[1]["seed"] == 2
