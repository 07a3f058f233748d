"""The frozen benchmark for agents: repeatable, checked, and fair to what it compares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("gymnasium")

from slcache import ConfigError, RunError
from slcache.gym import benchmark, frozen
from slcache.gym.benchmark import ALONE, CHOSEN, HINDSIGHT
from slcache.gym.entrants import BUILT_IN
from support import slcache

pytestmark = pytest.mark.long

ROOT = Path(__file__).parent.parent
INPUTS = ROOT / "examples"
#: Leaves the knobs alone, and says how often it learned before the test.
STILL = """
class Still:
    def __init__(self, seed):
        self.learned = 0
    def begin(self, env):
        self.stay = env.toward({})
    def act(self, observation):
        return self.stay
    def learn(self, observation, reward):
        self.learned += 1

class Broken(Still):
    def act(self, observation):
        raise ValueError("no idea")

class Outside(Still):
    def act(self, observation):
        return 99

def half(seed):
    return object()
"""
#: What is read as a file of the benchmark, but for its size.
WHOLE = dict.fromkeys(("inputs", "agent", "scores", "least_dense_bytes", "ratios"), None) | {
    "format": benchmark.FORMAT,
    "version": 1,
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of agents."""
    file = tmp_path_factory.mktemp("agents") / "mine.py"
    file.write_text(STILL)
    return file


@pytest.fixture(scope="module")
def written(source: Path) -> Path:
    """The file of a quick run with an agent of one's own."""
    file = source.parent / "mine.json"
    benchmark.run(f"{source}:Still", inputs=INPUTS, quick=True, out=file)
    return file


def test_an_agent_that_does_nothing_scores_as_the_knobs_left_alone(written: Path) -> None:
    document = json.loads(written.read_text())
    ratios = document["ratios"]
    own = next(name for name in ratios if name.endswith(":Still"))
    assert document["scores"][own] == document["scores"][ALONE]
    assert set(ratios[own].values()) == {1.0}
    assert any(row != ratios[ALONE] for name, row in ratios.items() if name not in (own, ALONE))


def test_nothing_is_below_the_bound_nor_a_constant_better_than_the_best(written: Path) -> None:
    document = json.loads(written.read_text())
    for cells in document["scores"].values():
        for cell, rows in cells.items():
            for row, least in zip(rows, document["least_dense_bytes"][cell], strict=True):
                assert row["dense_bytes"] >= least > 0
    best, chosen = document["ratios"][HINDSIGHT], document["ratios"][CHOSEN]
    assert all(best[cell] <= chosen[cell] for cell in best)


def test_a_file_is_checked_by_running_it_again(
    written: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = f"{source}:Still"
    with pytest.raises(ConfigError, match="no document loads code of Python"):
        benchmark.check(written, inputs=INPUTS)
    assert benchmark.check(written, agent, inputs=INPUTS) == []
    document = json.loads(written.read_text())
    # A second run would find the same again.
    monkeypatch.setattr(benchmark, "_played", lambda *_: json.loads(written.read_text()))
    document["scores"][ALONE]["hotcold 0.8"][0]["mean_ns"] += 1
    changed = written.with_name("changed.json")
    changed.write_text(json.dumps(document))
    done = slcache("env", "bench", agent, "--check", str(changed), "--inputs", str(INPUTS))
    assert done.returncode == 1
    assert "hotcold 0.8" in done.stdout.decode()
    text = source.read_text()
    source.write_text(text + "# edited\n")
    with pytest.raises(ConfigError, match="is not that of what was run"):
        benchmark.check(written, agent, inputs=INPUTS)
    source.write_text(text)


@pytest.mark.parametrize(
    ("name", "kind", "told"),
    [
        ("Broken", RunError, "Broken: ValueError: no idea"),
        ("Outside", RunError, "action = 99"),
        ("half", ConfigError, "has no begin"),
        ("nothing", ConfigError, "nothing that can be called nothing"),
    ],
)
def test_what_is_wrong_with_an_agent_is_said(
    source: Path, name: str, kind: type[Exception], told: str
) -> None:
    with pytest.raises(kind, match=told):
        benchmark.run(f"{source}:{name}", inputs=INPUTS, quick=True)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"seeds": 0}, "seeds = 0: must be from 1 to 100"),
        ({"rounds": True}, "rounds = True: must be from 1 to 100"),
        ({"rounds": 91}, "rounds = 91: too many for 10 seeds"),
    ],
    ids=str,
)
def test_no_more_is_played_than_there_are_draws(given: dict[str, int], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        benchmark.run(inputs=INPUTS, **given)  # type: ignore[arg-type]


def test_a_check_trains_as_often_as_the_file_says(
    written: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = json.loads(written.read_text())
    document["size"]["rounds"] = 3
    changed = written.with_name("rounds.json")
    changed.write_text(json.dumps(document))
    sizes: list[dict[str, int]] = []

    def played(agent: str, own: object, inputs: object, size: dict[str, int], tell: object) -> Any:  # noqa: ANN401
        sizes.append(size)
        return {**document, "size": size}

    monkeypatch.setattr(benchmark, "_played", played)
    assert benchmark.check(changed, f"{source}:Still", inputs=INPUTS) == []
    assert sizes[0]["rounds"] == 3


def test_the_page_has_a_row_for_every_agent() -> None:
    page = (ROOT / "docs/agent-benchmark.md").read_text(encoding="utf-8")
    for name in [*(entrant.name for entrant in BUILT_IN), CHOSEN, HINDSIGHT]:
        assert f"\n| {name} |" in page


def test_other_inputs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no such file"):
        benchmark.run(inputs=tmp_path, quick=True)
    for name in frozen.FILES:
        (tmp_path / name).write_bytes((INPUTS / name).read_bytes() + b"\n")
    with pytest.raises(ConfigError, match="another checksum"):
        benchmark.run(inputs=tmp_path, quick=True)


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ([], "has no .format"),
        ({"format": benchmark.FORMAT, "version": 9}, "must be 1"),
        ({"format": benchmark.FORMAT, "version": 1}, "has no agent"),
        ({**WHOLE, "size": {"seeds": 1, "fills": [0.8]}}, "has no seeds or rounds"),
    ],
)
def test_what_is_no_file_of_the_benchmark_is_refused(
    tmp_path: Path, document: object, told: str
) -> None:
    file = tmp_path / "other.json"
    file.write_text(json.dumps(document))
    with pytest.raises(ConfigError, match=told):
        benchmark.check(file, inputs=INPUTS)


def test_no_load_is_drawn_alike_in_two_parts() -> None:
    drawn = [
        {
            cell.draw(seed * 4 + turn)
            for cell in frozen.cells(part, (0.0,))
            for seed in range(1, 101)
            for turn in range(4)
        }
        for part in frozen.PARTS
    ]
    assert not drawn[0] & drawn[1]
    assert not drawn[1] & drawn[2]
