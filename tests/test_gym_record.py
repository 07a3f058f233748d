"""Recorded episodes: `slcache env replay` repeats the score or says what differs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from slcache import ConfigError
from slcache.cli.app import execute
from slcache.gym import SlcCacheEnv, agents, play
from support import mixed, slcache, write_trace

Command = Callable[..., tuple[int, str, str]]
ENV: dict[str, Any] = {"device": "tiny", "scheme": "rl", "window": ("write-bytes", 131072)}


@pytest.fixture
def load(tmp_path: Path) -> Path:
    """A small trace."""
    return write_trace(tmp_path / "load.csv", mixed(400))


def recorded(load: Path, file: Path, **arguments: object) -> dict[str, Any]:
    """Record an episode of a random agent and return what is in the file."""
    chosen: dict[str, Any] = {**ENV, **arguments}
    env = SlcCacheEnv(workload=load, record=file, **chosen)
    score = play(env, agents.Random(3), seed=6)
    document: dict[str, Any] = json.loads(file.read_text())
    assert document["score"] == score
    return document


@pytest.fixture
def replay(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run the command line; return its status and what it printed."""

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        status = execute(["env", "replay", *map(str, arguments)])
        return (status, *capsys.readouterr())

    return run


@pytest.mark.parametrize("actions", ["steps", "multi-discrete", "box"])
def test_a_recorded_episode_repeats_its_score(
    load: Path, tmp_path: Path, actions: str, replay: Command
) -> None:
    file = tmp_path / "episode.json"
    document = recorded(load, file, actions=actions, reward={"latency": 1, "waf": 0.5})
    status, told, error = replay(file)
    assert (status, error) == (0, "")
    assert told.startswith("the same: ")
    told = json.loads(replay(file, "--json")[1])
    assert told["same"] is True
    assert told["score"] == told["recorded_score"] == document["score"]
    assert file.stat().st_size < 20_000


def test_what_differs_is_told(load: Path, tmp_path: Path, replay: Command) -> None:
    file = tmp_path / "episode.json"
    document = recorded(load, file)
    actions = document["actions"]
    for changed, told in (
        ({"actions": [0] * len(actions)}, "write_mean_ns: "),
        ({"seed": 7}, "config_hash: "),
        ({"rewards": [5.0, *document["rewards"][1:]]}, "reward: 5.0 was recorded in window 1"),
        ({"ended_by": "magic"}, "ended_by: 'magic' was recorded"),
        ({"environment": {**document["environment"], "max_windows": 2}}, "there are 2"),
    ):
        file.write_text(json.dumps({**document, **changed}))
        status, shown, _ = replay(file)
        assert status == 1
        assert shown.startswith("another: ")
        assert told in shown
        assert json.loads(replay(file, "--json")[1])["same"] is False
    write_trace(load, mixed(400, seed=8))
    file.write_text(json.dumps(document))
    assert replay(file)[0] == 1


def test_an_edited_score_is_told(load: Path, tmp_path: Path, replay: Command) -> None:
    file = tmp_path / "e.json"
    recorded(load, file)
    document = json.loads(file.read_text())
    file.write_text(json.dumps({**document, "score": document["score"] + 1}))
    status, told, _ = replay(file)
    assert status == 1
    assert "score: " in told


def test_a_reward_of_the_users_is_left_out(load: Path, tmp_path: Path, replay: Command) -> None:
    file = tmp_path / "episode.json"
    assert recorded(load, file, reward=lambda info: -info["waf"])["environment"]["reward"] is None
    status, told, _ = replay(file)
    assert status == 0
    assert "only figures of windows are compared" in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not a recording"),
        ("{", "not a recording"),
        ("[]", "not a recording"),
        ('{"format": "slcache-episode", "version": 2}', "reads version 1"),
        ('{"format": "slcache-episode", "version": 1}', "missing"),
    ],
)
def test_what_is_no_recording_is_refused(
    tmp_path: Path, text: str, told: str, replay: Command
) -> None:
    file = tmp_path / "episode.json"
    file.write_text(text)
    status, _, error = replay(file)
    assert status == 1
    assert told in error


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    done = slcache("env", "replay", tmp_path / "missing.json")
    assert done.returncode == 1
    assert b"missing.json" in done.stderr


def test_files_of_several_episodes(load: Path, tmp_path: Path, replay: Command) -> None:
    env = SlcCacheEnv(workload=load, record=tmp_path / "{episode:02}.json", **ENV)
    for seed in (1, 2):
        play(env, agents.Constant(), seed=seed)
    env.reset(seed=3)
    env.step(4)
    env.fork().step(4)
    env.close()
    files = sorted(path.name for path in tmp_path.glob("*.json"))
    assert files == ["00.json", "01.json", "02.json"]
    cut = json.loads((tmp_path / "02.json").read_text())
    assert len(cut["actions"]) == 1
    assert replay(tmp_path / "02.json")[0] == 0


def test_what_cannot_be_written_is_refused_at_once(load: Path, tmp_path: Path) -> None:
    before = load.read_bytes()
    with pytest.raises(ConfigError, match="load"):
        SlcCacheEnv(workload=load, record=load, **ENV)
    assert load.read_bytes() == before
    (tmp_path / "folder").mkdir()
    with pytest.raises((ConfigError, OSError), match="folder"):
        SlcCacheEnv(workload=load, record=tmp_path / "folder", **ENV)
    SlcCacheEnv(workload=load, record=tmp_path / "new" / "episode.json", **ENV)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("key", ["record", "render_mode", "log", "memory_out", "nonsense"])
def test_a_recording_names_no_file_to_be_written(
    load: Path, tmp_path: Path, key: str, replay: Command
) -> None:
    file, victim = tmp_path / "episode.json", tmp_path / "victim"
    document = recorded(load, file)
    victim.write_text("precious")
    document["environment"][key] = str(victim)
    file.write_text(json.dumps(document))
    status, told, error = replay(file)
    assert (status, told) == (1, "")
    assert f"environment.{key}: no recording has it" in error
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("seed", [-1, 2**63, -(10**400)])
def test_a_seed_that_no_run_has_is_told(
    load: Path, tmp_path: Path, seed: int, replay: Command
) -> None:
    file = tmp_path / "episode.json"
    document = recorded(load, file)
    file.write_text(json.dumps({**document, "seed": seed}))
    status, _, error = replay(file)
    assert status == 3
    assert "episode.json: seed = " in error
    with pytest.raises(ConfigError, match="seed = "):
        SlcCacheEnv(workload=load, **ENV).reset(seed=seed)
