"""One engine of runs: what is equal is run once, and what runs need is made for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from slcache import TraceError, api
from slcache.execute.engine import Engine
from slcache.execute.local import Local
from slcache.execute.run import Run
from slcache.execute.tasks import Task
from slcache.reproduce.inputs import Input, run_of
from slcache.study.api import Course
from slcache.study.model import Study
from slcache.study.run import run_study
from support import mixed, write_trace

TWIN = Input("web", "hierarchy-web_1", requests=3000, set={"requests": "3000"})
SETTINGS = {"trace.address": "wrap"}


def made(
    each: Input = TWIN,
    scheme: str = "baseline",
    seed: int = 7,
    *,
    draw: int | None = None,
    settings: dict[str, Any] = SETTINGS,
    after: Sequence[Input] = (),
) -> Run:
    """Return a run of an evaluation."""
    said = {"device": "tiny", "scheme": scheme, "settings": settings, "seed": seed}
    return run_of(each, scheme, after, seed if draw is None else draw, **said)


RUN = made()


class Keeping(Local):
    """Workers that remember the kinds of what they were given."""

    def __init__(self) -> None:
        super().__init__(1)
        self.kinds: list[str] = []

    def submit(self, task: Task) -> None:
        """Take a task."""
        self.kinds.append(task.kind)
        super().submit(task)


def ran(place: Path, *runs: Run) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the results of runs, and the kinds of tasks that were done for them."""
    workers = Keeping()
    try:
        with Engine(place, workers) as engine:
            return engine.results(runs), workers.kinds
    finally:
        workers.close()


def figures(document: dict[str, Any]) -> dict[str, Any]:
    """Return a result without what differs from run to run."""
    return {key: document[key] for key in ("config", "host", "waf", "wear", "scheme")}


def test_a_sweep_and_an_evaluation_share_a_run(tmp_path: Path) -> None:
    how: dict[str, Any] = {"device": "tiny", "scheme": "baseline", "seed": 7, "settings": SETTINGS}
    how["trace_options"] = {"workload.requests": "3000"}
    study = Study(trace=TWIN.path, **how)
    assert run_study(study, Course(store=tmp_path)).kept == 0
    (found,), kinds = ran(tmp_path, RUN)
    assert kinds == []
    assert run_study(study, Course(store=tmp_path)).kept == 1
    assert figures(found) == figures(api.run(TWIN.path, **how).to_dict())
    # Another seed of the twin, another setting and what came before are other runs.
    long = replace(TWIN, repeat_to_write_bytes=1 << 20)
    others = [made(draw=8), made(settings={}), made(long), made(after=[TWIN])]
    with Engine(tmp_path) as engine:
        assert len({engine.key(run) for run in [RUN, *others]}) == 5
        assert [engine.kept([run]) for run in [RUN, *others]] == [True, *[False] * 4]


def test_a_trace_is_repeated_once_and_does_not_stay(tmp_path: Path) -> None:
    long = replace(TWIN, repeat_to_write_bytes=64 << 20)
    both = [made(long), made(long, "tlc-only")]
    found, kinds = ran(tmp_path, *both, RUN)
    assert sorted(kinds) == ["point", "point", "point", "repeat"]
    written = [document["host"]["write"]["bytes"] for document in found]
    assert written[0] == written[1] == pytest.approx(64 << 20, rel=0.1)
    assert written[2] < written[0]
    assert {path.name for path in tmp_path.iterdir()} == {"results"}
    # The files of one call are gone before the next: an evaluation makes many.
    with Engine(tmp_path) as engine:
        engine.results([made(long, seed=8)])
        assert not list(tmp_path.rglob("*.parquet"))
        engine.results([made(long, "tlc-only", 8)])


def test_a_memory_is_made_by_the_runs_before_and_kept(tmp_path: Path) -> None:
    other = replace(TWIN, set={"requests": "4000"})
    (found,), kinds = ran(tmp_path, made(TWIN, "rl", 3, after=[other, TWIN]))
    assert kinds == ["memory", "memory", "point"]
    memories = sorted((tmp_path / "memories").glob("*.memory"))
    assert len(memories) == 2
    # The lessons one by one, and the run after them.
    lessons = [("first", other, None), ("second", TWIN, "first")]
    for name, each, before in lessons:
        by_hand(each, tmp_path, before, memory_out=tmp_path / name)
    assert figures(found) == figures(by_hand(TWIN, tmp_path, "second"))
    # What was learned is there for another run; what is damaged is made anew.
    _, kinds = ran(tmp_path, made(TWIN, "rl", 3, after=[other]))
    assert kinds == ["point"]
    for path in memories:
        path.write_bytes(b"damaged")
    with pytest.warns(UserWarning, match="damaged"):
        _, kinds = ran(tmp_path, made(TWIN, "rl", 3, after=[other, TWIN, other]))
    assert kinds == ["memory"] * 3 + ["point"]


def by_hand(
    each: Input, folder: Path, before: str | None, memory_out: Path | None = None
) -> dict[str, Any]:
    """Return what a run makes of an input without the engine."""
    how: dict[str, Any] = {"device": "tiny", "scheme": "rl", "seed": 3, "settings": SETTINGS}
    how["trace_options"] = {f"workload.{key}": value for key, value in each.set.items()}
    learned = None if before is None else folder / before
    return api.run(each.path, **how, memory_in=learned, memory_out=memory_out).to_dict()


def test_a_run_that_fails_is_named_and_the_others_are_kept(tmp_path: Path) -> None:
    good = write_trace(tmp_path / "good.csv", mixed(50))
    (tmp_path / "bad.csv").write_text(good.read_text() + "not a request\n")
    runs = [
        made(Input(name, "", size, file=str(tmp_path / f"{name}.csv")), "tlc-only", 1, settings={})
        for name, size in (("good", 2), ("bad", 1))
    ]
    with pytest.raises(TraceError, match=r"^bad, tlc-only, seed 1: .*bad\.csv") as caught:
        ran(tmp_path / "store", *runs)
    assert caught.value.line == 51
    with Engine(tmp_path / "store") as engine:
        assert [engine.kept([run]) for run in runs] == [True, False]


@pytest.mark.slow
def test_a_cluster_gives_the_same(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    long = replace(TWIN, repeat_to_write_bytes=64 << 20)
    runs = [made(long), made(TWIN, "rl", after=[TWIN])]
    with Engine(tmp_path / "here") as here, Engine(tmp_path / "there", "dask://", 2) as there:
        expected = [figures(each) for each in here.results(runs)]
        assert [figures(each) for each in there.results(runs)] == expected
