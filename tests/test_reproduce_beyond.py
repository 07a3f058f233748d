"""Beyond the paper: which recordings are run, and what is shown of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from slcache.execute.engine import Engine
from slcache.reproduce import beyond
from slcache.reproduce import plan as plans
from slcache.reproduce.reading import Beyond
from support import mixed, write_trace


def test_only_the_named_recordings_run_with_the_measures_named(tmp_path: Path) -> None:
    folder = tmp_path / "recorded"
    folder.mkdir()
    (folder / "other.blkparse.zst").write_bytes(b"not read")
    rows = mixed(200)
    write_trace(folder / "mine.csv", rows)
    spec = Beyond(
        *("tiny", ["tlc-only"], "open"),
        more=["mine.csv", "gone.csv"],
        pieces=["lost.csv"],
        only=["nothing"],
        measures=["lag_s", "disk_energy_j"],
        names=["lag", "energy"],
    )
    plan = replace(plans.load("hierarchy"), beyond=spec)
    with Engine(tmp_path) as engine:
        told = beyond.study(plan, folder, engine)
    assert told["left_out"] == ["gone.csv", "lost.csv"]
    assert told["measures"] == {"lag_s": "lag", "disk_energy_j": "energy"}
    (figures,) = told["traces"]["mine"].values()
    assert figures["lag_s"] >= 0
    assert figures["disk_energy_j"] is None


def test_pieces_of_real_volumes_keep_their_times(tmp_path: Path) -> None:
    for name in ("closed", "piece"):
        write_trace(tmp_path / f"{name}.csv", mixed(20))
    spec = Beyond("tiny", ["tlc-only"], "closed:8", more=["closed.csv"], pieces=["piece.csv"])
    jobs, left_out = beyond.jobs_of(replace(plans.load("hierarchy"), beyond=spec), tmp_path)
    found = {job.input.name: job.run.config["host"]["replay"] for job in jobs}
    assert left_out == []
    assert found == {"closed": "closed", "piece": "open"}
