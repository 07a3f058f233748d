"""`compare` and `cliff` keep what they run, go on where they were ended, and run anywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache import _core
from slcache.execute.local import Local
from slcache.execute.tasks import Task
from slcache.study.api import sweep
from support import workers

HOW: dict[str, Any] = {"device": "tiny", "schemes": ["tlc-only", "baseline", "sa"]}
CLIFF: dict[str, Any] = {**HOW, "amount_bytes": 1 << 22, "write_bytes": 4096}

Counted = Callable[[], int]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    """How many runs went on in this process since it was last asked."""
    runs: list[object] = []
    plain = _core.run

    def counting(*arguments: Any, **how: Any) -> str:  # noqa: ANN401
        runs.append(arguments)
        return plain(*arguments, **how)

    def since() -> int:
        count = len(runs)
        runs.clear()
        return count

    monkeypatch.setattr(_core, "run", counting)
    return since


def figures(found: slcache.Comparison) -> list[dict[str, Any]]:
    """Return the documents without what a run took and when it was."""
    told = [{k: v for k, v in each.items() if k != "sim"} for each in found.documents]
    return [{**each, "provenance": {**each["provenance"], "time": ""}} for each in told]


def compared(trace: Path, **how: Any) -> slcache.Comparison:  # noqa: ANN401
    found = slcache.compare(trace, **{**HOW, "address": "wrap", **how})
    assert isinstance(found, slcache.Comparison)
    return found


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_comparison_that_was_ended_goes_on(
    jobs: int, trace: Path, tmp_path: Path, counted: Counted
) -> None:
    def ending(phase: str, done: int, _total: int) -> bool:
        return not phase.startswith("sa: ") if jobs == 1 else done < 1

    with pytest.raises(KeyboardInterrupt):
        compared(trace, store=tmp_path, jobs=jobs, on_progress=ending)
    kept = len(list(tmp_path.rglob("*.json.gz")))
    assert 0 < kept < 3 if jobs == 1 else kept <= 3
    counted()
    found = compared(trace, store=tmp_path)
    assert counted() == 3 - kept
    again = compared(trace, store=tmp_path)
    assert counted() == 0
    plain = compared(trace)
    assert counted() == 3
    assert figures(plain) == figures(found) == figures(again)
    # What differs from the runs that are kept is run.
    assert figures(compared(trace, store=tmp_path, seed=9)) != figures(found)
    assert counted() == 3


def test_a_cliff_goes_on_with_what_is_kept(tmp_path: Path, counted: Counted) -> None:
    slcache.cliff(**{**CLIFF, "schemes": HOW["schemes"][:2]}, store=tmp_path)
    counted()
    found = slcache.cliff(**CLIFF, store=tmp_path)
    assert counted() == 1
    assert found.to_json() == slcache.cliff(**CLIFF).to_json()


def test_a_sweep_and_a_comparison_share_runs(trace: Path, tmp_path: Path, counted: Counted) -> None:
    """But for those that write a log, which are run again."""
    store = tmp_path / "store"
    # A comparison has the bound of its runs counted.
    settings = {"trace.address": "wrap", "run.bound": True}
    sweep(trace, device="tiny", scheme=HOW["schemes"], settings=settings, store=store, jobs=1)
    counted()
    found = compared(trace, store=store)
    assert counted() == 0
    logged = compared(trace, store=store, log=tmp_path / "log.parquet")
    assert counted() == 3
    assert len(list(tmp_path.glob("log-*.parquet"))) == 3
    assert figures(found) == figures(logged)


def test_workers_of_somebody_else_do_the_same(trace: Path, counted: Counted) -> None:
    executor = workers()
    found = [compared(trace, executor=executor), compared(trace, executor=executor, resample=2)]
    cliff = slcache.cliff(**CLIFF, executor=executor)
    assert counted() == 0
    assert figures(found[0]) == figures(compared(trace))
    assert figures(found[1]) == figures(compared(trace, resample=2))
    assert cliff.to_json() == slcache.cliff(**CLIFF).to_json()


@pytest.mark.slow
def test_a_cluster_does_the_same(
    trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    found = compared(trace, executor="dask://", jobs=2, log="there.parquet")
    plain = compared(trace, log="here.parquet")
    assert figures(found) == figures(plain)
    for name in HOW["schemes"]:
        there, here = (tmp_path / f"{place}-{name}.parquet" for place in ("there", "here"))
        assert there.read_bytes() == here.read_bytes()


def test_what_does_not_fit_into_memory_is_told_before_anything_runs(
    trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_core, "shortage", lambda _: "needs 9 TiB, of which there are 8 GiB")
    started: list[Task] = []
    monkeypatch.setattr(Local, "submit", lambda _, task: started.append(task))
    with pytest.raises(slcache.ConfigError, match="sa: needs 9 TiB"):
        compared(trace, jobs=2, store=tmp_path)
    with pytest.raises(slcache.ConfigError, match="sa: needs 9 TiB"):
        slcache.cliff(**CLIFF, jobs=2)
    assert not started
