"""What environments observe and reward is what the engine says, and their episodes are its runs."""

from __future__ import annotations

import importlib.util
import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import slcache
from episodes import ENV
from slcache import EpisodeError
from slcache.gym import PlacementEnv, SlcCacheEnv, SlcCacheVectorEnv, placement, rewards
from slcache.gym.placement import STATE, names
from support import mixed, own_scheme, write_trace

ROOT = Path(__file__).parent.parent
#: What says whose a document is, and how long its run took.
OWN = ("config", "scheme", "provenance", "sim")
#: How tables of time, operation, sector and sectors are read.
OPTIONS = [
    ("format", "generic"), ("time", "1"), ("time_unit", "ns"), ("op", "2"), ("ops.R", "read"),
    ("ops.W", "write"), ("address", "3"), ("address_unit", "sector"), ("size", "4"),
    ("size_unit", "sector"), ("rebase", "false"),
]  # fmt: skip
#: What is observed of the page that a write begins with.
FIRST_PAGE = ("age_ns", "rewrite_ns", "accesses", "writes")


def windows(load: Path, **arguments: Any) -> list[Any]:  # noqa: ANN401
    """Return observation, reward and info of each window of one episode of random actions."""
    env = SlcCacheEnv(workload=load, **{**ENV, **arguments})
    env.reset(seed=1)
    env.action_space.seed(0)
    seen, ended = [], False
    while not ended:
        observation, reward, ended, _, info = env.step(env.action_space.sample())
        seen.append((observation, reward, info))
    return seen


def test_an_episode_without_turns_is_the_run(load: Path) -> None:
    env = SlcCacheEnv(workload=load, **{**ENV, "scheme": "baseline"})
    env.reset(seed=2)
    stay = env.toward({})
    while not env.step(stay)[2]:
        pass
    run = slcache.run(load, device="tiny", scheme="baseline", seed=2).to_dict()
    document = env.finish()
    for each in (run, document):
        del each["sim"], each["provenance"]["time"]
    assert document == run


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_learner_of_the_example_is_the_built_in_one(tmp_path: Path, seed: int) -> None:
    """Made again outside the engine, it comes to the same table and the same run."""
    spec = importlib.util.spec_from_file_location("train", ROOT / "examples/train.py")
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    load, memory = write_trace(tmp_path / "load.csv", mixed(4000)), tmp_path / "learnt.json"
    settings = {"scheme.rl.step_bytes": 65536}
    run = slcache.run(
        load, device="tiny", scheme="rl", settings=settings, seed=seed, memory_out=memory
    ).to_dict()
    how = {"device": "tiny", "settings": settings, "replay": None, "reward": "paper"}
    env, learner = example.environment(workload=load, **how), example.QTable(seed)
    learner.play(env, seed)
    document = env.unwrapped.finish()
    assert document["host"] == run["host"]
    assert document["flash"] == run["flash"]
    assert run["scheme"]["figures"]["steps"] > 50
    tables = json.loads(memory.read_text())["content"]["memory"]["tables"]
    assert learner.table.ravel().tolist() == tables["q"]
    assert np.count_nonzero(learner.table) > 50


def test_a_saved_state_begins_an_episode(load: Path, tmp_path: Path) -> None:
    state = tmp_path / "aged.state"
    how: dict[str, Any] = {"workload": load, "observations": ["signal.utilisation"], **ENV}
    settings = {"scheme.rl.agent": "none", "precondition": {"fill": 0.5}}
    slcache.run(load, device="tiny", scheme="rl", settings=settings, save_state=state)
    env = SlcCacheEnv(**how)
    empty = env.reset(seed=1)[0]
    full = env.reset(seed=1, options={"snapshot": state})[0]
    assert full > empty
    assert SlcCacheEnv(load_state=state, **how).reset(seed=1)[0] == full


def test_the_seeds_of_the_draw_and_of_the_run_are_apart() -> None:
    def ran(seed: int, draw: int) -> dict[str, Any]:
        given: dict[str, Any] = {"device": "tiny", "scheme": "rl", "replay": "closed:4"}
        given["trace_options"] = {"workload.requests": "3000", "seed": str(draw)}
        settings = {"trace.address": "wrap", "scheme.rl.step_bytes": 65536}
        env = SlcCacheEnv(workload="zipf-4k", settings=settings, **given)
        env.reset(seed=seed)
        played = env.finish()
        run = slcache.run("zipf-4k", settings={**settings, "run.seed": seed}, **given).documents[0]
        assert played["trace"]["sha256"] == run["trace"]["sha256"]
        assert played["config"]["run"]["seed"] == run["config"]["run"]["seed"] == seed
        return dict(run)

    first, other, redrawn = ran(1, 5), ran(2, 5), ran(1, 6)
    assert first["trace"]["sha256"] == other["trace"]["sha256"] != redrawn["trace"]["sha256"]
    # The learner explores by the seed of the run.
    assert first["waf"] != other["waf"]


def test_figures_are_named_bounded_chosen_and_plain_data(load: Path) -> None:
    env = SlcCacheEnv(workload=load, **ENV)
    listed = [figure.name for figure in env.figures]
    assert {"waf", "write_p99_ns", "knob.theta_bytes", "signal.utilisation"} <= set(listed)
    assert np.isfinite([env.rules.observations.space.low, env.rules.observations.space.high]).all()
    some = windows(load, observations=["knob.theta_bytes", "waf"])
    for (whole, _, info), (part, *_) in zip(windows(load), some, strict=True):
        assert whole.tolist() == [info[name] for name in listed]
        assert part.tolist() == [info["knob.theta_bytes"], info["waf"]]
        assert json.loads(json.dumps(info)) == info
        programmed = sum(row["bytes"] for row in info["operations"] if row["kind"] == "program")
        assert programmed == info["host_programmed_bytes"] + info["moved_bytes"]
    (stored,) = pa.array([info]).to_pylist()
    assert stored["waf"] == info["waf"] > 0


def test_figures_are_scaled_by_their_bounds_or_their_order(load: Path) -> None:
    plain = SlcCacheEnv(workload=load, **ENV)
    scaled = SlcCacheEnv(workload=load, normalise=True, **ENV)
    several = SlcCacheVectorEnv(2, workload=load, normalise=True, **ENV)
    plain.reset(seed=5)
    scaled.reset(seed=5)
    several.reset(seed=[5, 6])
    space = plain.rules.observations.space
    for action in (0, 4, 8):
        raw, seen = plain.step(action)[0], scaled.step(action)[0]
        batch = several.step(np.array([action, action]))[0]
        assert seen.dtype == batch.dtype == np.dtype("float32")
        assert scaled.observation_space.contains(seen)
        assert several.observation_space.contains(batch)
        np.testing.assert_array_equal(batch[0], seen)
        bounded = (space.high < 2.0**63) & (space.high > space.low)
        share = 2 * (raw - space.low) / (space.high - space.low) - 1
        np.testing.assert_allclose(seen[bounded], share[bounded], atol=1e-6)
        order = np.log1p(raw) / np.log1p(2.0**63)
        free = ~bounded & (raw >= 0)
        np.testing.assert_allclose(seen[free], order[free], atol=1e-6)
        assert bounded.any()
        assert free.any()


def read_mib(seen: dict[str, float]) -> float:
    """Return a figure of the user's."""
    return seen["read_bytes"] / 2**20


def test_functions_are_observed_where_they_are_listed(load: Path) -> None:
    given: dict[str, Any] = {"workload": load, "observations": ["waf", read_mib, "erases"], **ENV}
    env, several = SlcCacheEnv(**given), SlcCacheVectorEnv(2, **given)
    assert env.reset(seed=3)[0].tolist() == [0.0, 0.0, 0.0]
    several.reset(seed=3)
    for _ in range(3):
        seen, _, _, _, info = env.step(4)
        assert seen.tolist() == [info["waf"], info["read_bytes"] / 2**20, info["erases"]]
        assert seen[1] > 0
        assert several.step([4, 4])[0][0].tolist() == seen.tolist()
    scaled = SlcCacheEnv(normalise=True, **given)
    scaled.reset(seed=3)
    figure = np.log1p(info["read_bytes"] / 2**20) / np.log1p(2.0**63)
    assert [scaled.step(4) for _ in range(3)][-1][0][1] == pytest.approx(figure)


NO_NUMBERS: list[Any] = [None, True, "1", [1.0], math.nan, math.inf]


def test_what_a_function_returns_that_is_no_number_is_an_error(load: Path) -> None:
    """Of one that is observed by its name; of a reward the episode ends."""
    for value in [*NO_NUMBERS, 1e300, 2**70]:

        def odd(seen: dict[str, float], value: object = value) -> Any:  # noqa: ANN401
            return value

        with pytest.raises(EpisodeError, match="observation odd: must return a number"):
            SlcCacheEnv(workload=load, observations=[odd], **ENV).reset(seed=1)
    for value in NO_NUMBERS:
        env = SlcCacheEnv(workload=load, reward=lambda _, value=value: value, **ENV)
        env.reset(seed=1)
        with pytest.raises(EpisodeError, match="must be a finite number"):
            env.step(4)
        with pytest.raises(EpisodeError, match="step after a reward that failed"):
            env.step(4)
        env.reset(seed=1)


def test_step_actions_are_numbered_as_the_learner_numbers_them(load: Path) -> None:
    env = SlcCacheEnv(workload=load, strides={"slc_blocks": 1}, **ENV)
    for action in range(9):
        env.reset(seed=1)
        before = [knob.value for knob in env.knobs()]
        env.step(action)
        (slc, theta) = (b - a for a, b in zip(before, [k.value for k in env.knobs()], strict=True))
        assert (np.sign(slc), np.sign(theta)) == (action // 3 - 1, action % 3 - 1)


def test_actions_toward_a_value_lead_there(load: Path) -> None:
    for kind in ("steps", "multi-discrete", "box"):
        env = SlcCacheEnv(workload=load, actions=kind, strides={"slc_blocks": 1}, **ENV)
        env.reset(seed=1)
        for theta in (4096, 524288):
            for _ in range(8):
                env.step(env.toward({"theta_bytes": theta}))
            assert {knob.name: knob.value for knob in env.knobs()}["theta_bytes"] == theta


def test_rewards_by_name_weights_and_function(load: Path) -> None:
    def of(reward: rewards.Spec) -> list[float]:
        return [reward for _, reward, _ in windows(load, reward=reward)]

    infos = [info for *_, info in windows(load)]
    assert of("waf") == [-info["waf"] for info in infos]
    assert of({"waf": 2}) == of(lambda info: -2 * info["waf"]) == [-2 * i["waf"] for i in infos]
    assert of("throughput") == pytest.approx([i["bytes_per_s"] / (1 << 20) for i in infos])
    assert of("lifetime") == pytest.approx([-1e6 * info["life_used"] for info in infos])
    means = []
    for info in infos:
        counts = info["reads_completed"], info["writes_completed"]
        total_ns = counts[0] * info["read_mean_ns"] + counts[1] * info["write_mean_ns"]
        means.append(-total_ns / max(sum(counts), 1) / 1e6)
    assert of("latency") == pytest.approx(means)
    both = [0.5 * a + 3.0 * b for a, b in zip(of("latency"), of("waf"), strict=True)]
    assert of({"latency": 0.5, "waf": 3}) == pytest.approx(both)
    paper = of("paper")
    assert paper[0] == 0.0
    assert set(paper[1:]) == {-1.0, 1.0}


def test_the_papers_reward_averages_as_the_scheme_is_told_to(load: Path) -> None:
    """Ema with weight w: a + w (c - a); cumulative: the mean of all before."""
    costs = ("utilisation", "slc_write_flash_ns", "dense_write_flash_ns")
    at = {name: i for i, name in enumerate((*costs, "migration_flash_ns", "gc_flash_ns"))}
    cases = {("ema", 0.5): [0, -1, -1, 1], ("cumulative", 0.5): [0, -1, -1, 1]}
    cases[("ema", 0.01)] = [0, -1, -1, -1]
    for average, signs in cases.items():
        reward = rewards.build("paper", at.__getitem__, average)
        found = [reward.of([0.0, cost, 0, 0, 0], {}) for cost in (100.0, 300.0, 210.0, 140.0)]
        assert found == signs, average
    for settings, wanted in [({}, ("ema", 0.1)), ({"average": "cumulative"}, ("cumulative", 0.1))]:
        env = SlcCacheEnv(workload=load, settings=settings, **ENV)
        assert env.rules.average == wanted


def test_the_page_names_every_reward_kind_of_action_and_figure_of_a_write() -> None:
    page = (ROOT / "docs/environment.md").read_text(encoding="utf-8")
    for name in [*rewards.NAMED, "steps", "multi-discrete", "box", *placement.NAMES, *STATE]:
        assert f"`{name}`" in page or f'`"{name}"`' in page, name


def placed(env: PlacementEnv, region: int) -> dict[str, Any]:
    """Return the document of an episode whose writes all go to one region."""
    env.reset(seed=1)
    ended = False
    while not ended:
        ended = env.step(region if env.batch == 1 else np.full(env.batch, region))[2]
    return {key: value for key, value in env.finish().items() if key not in OWN}


def test_placement_all_to_the_cache_is_the_scheme_by_itself(trace: Path) -> None:
    document = slcache.run(trace, device="tiny", scheme="custom", seed=1).documents[0]
    native = {key: value for key, value in document.items() if key not in OWN}
    for batch in (1, 7, 64):
        assert placed(PlacementEnv(trace=trace, device="tiny", batch=batch), 0) == native, batch
    dense = placed(PlacementEnv(trace=trace, device="tiny"), 1)
    assert dense["waf"] != native["waf"]
    assert placed(PlacementEnv(trace=trace, device="tiny", batch=16), 1) == dense


def test_placement_observes_writes_and_the_step_before(trace: Path) -> None:
    env = PlacementEnv(trace=trace, device="tiny", batch=3)
    observation, info = env.reset(seed=1)
    assert len(names(3)) == len(observation) == 3 * len(placement.NAMES) + len(STATE)
    assert info["writes"] > 0
    known = placement.of_writes(str(trace), 1, [], 4096)[3:6].ravel()
    observation, *_, info = env.step(np.zeros(3, int))
    wanted = np.array([*known, *(info[name] for name in STATE)])
    assert env.observation_space.contains(observation)
    np.testing.assert_allclose(observation, np.sign(wanted) * np.log1p(np.abs(wanted)), rtol=1e-6)
    assert info["write_mean_ns"] > 0


def test_two_classes_of_one_name_are_two_schemes(trace: Path, tmp_path: Path) -> None:
    for region in ("cache", "fast"):
        (tmp_path / region).mkdir()
        body = f"regions = {{'{region}': slcache.slc(3), 'store': slcache.dense()}}"
        env = PlacementEnv(trace=trace, device="tiny", scheme=own_scheme(tmp_path / region, body))
        env.reset(seed=1)
        env.step(0)
        assert f"{region}_pages_written" in env.finish()["scheme"]["figures"]


def test_what_is_known_of_a_write_is_what_a_count_by_hand_says(tmp_path: Path) -> None:
    trace = tmp_path / "hand.csv"
    lines = [(0, "W", 0, 16), (10, "R", 0, 8), (30, "W", 16, 8), (35, "W", 0, 8), (60, "W", 0, 8)]
    trace.write_text("".join(f"{at},{op},{first},{count}\n" for at, op, first, count in lines))
    table = placement.of_writes(str(trace), 1, OPTIONS, 4096)
    assert dict(zip(placement.NAMES, table.T.tolist(), strict=True)) == {
        "bytes": [8192, 4096, 4096, 4096],
        "sequential": [0, 0, 0, 0],
        "gap_ns": [0, 20, 5, 25],
        "age_ns": [-1, -1, 25, 25],
        "rewrite_ns": [-1, -1, 35, 25],
        "accesses": [0, 0, 2, 3],
        "writes": [0, 0, 1, 2],
        "stream": [0, 0, 0, 0],
    }


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
        table = placement.of_writes(str(trace), 1, OPTIONS, 512 * page_sectors)
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
        columns = [placement.NAMES.index(name) for name in FIRST_PAGE]
        assert table[:, columns].tolist() == wanted, page_sectors
        assert page_sectors == 1 or wanted[1] == [1000, 1000, 1, 1]
