"""One engine of runs, the driver that gives its tasks out, and workers that cannot be started."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from executors import Here
from slcache import RunError, TraceError, UsageError, simulation
from slcache.execute import executors
from slcache.execute.engine import Driver, Engine, FailedError
from slcache.execute.executors import Local
from slcache.execute.run import Run
from slcache.execute.tasks import Done, Task
from slcache.reproduce.experiment import TraceInput, run_of
from slcache.study import Course, sweep
from slcache.study.model import Study
from slcache.study.run import Sweep, run_study
from support import lasting, mixed, process, write_trace

TWIN = TraceInput("web", "hierarchy-web_1", requests=3000, set={"requests": "3000"})
SETTINGS = {"trace.address": "wrap"}


def made(
    each: TraceInput = TWIN,
    scheme: str = "baseline",
    seed: int = 7,
    *,
    draw: int | None = None,
    settings: dict[str, Any] = SETTINGS,
    after: Sequence[TraceInput] = (),
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


def test_a_sweep_and_an_evaluation_share_a_run(tmp_path: Path) -> None:
    how: dict[str, Any] = {"device": "tiny", "scheme": "baseline", "seed": 7, "settings": SETTINGS}
    how["trace_options"] = {"workload.requests": "3000"}
    study = Study(trace=TWIN.path, **how)
    assert run_study(study, Course(store=tmp_path)).kept == 0
    (found,), kinds = ran(tmp_path, RUN)
    assert kinds == []
    assert run_study(study, Course(store=tmp_path)).kept == 1
    assert lasting(found) == lasting(simulation.run(TWIN.path, **how).to_dict())
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
    for name, each, before in [("first", other, None), ("second", TWIN, "first")]:
        by_hand(each, tmp_path, before, memory_out=tmp_path / name)
    alone, where = by_hand(TWIN, tmp_path, "second"), {"provenance": "another file"}
    assert lasting(found) | where == lasting(alone) | where
    # What was learned is there for another run; what is damaged is made anew.
    _, kinds = ran(tmp_path, made(TWIN, "rl", 3, after=[other]))
    assert kinds == ["point"]
    for path in memories:
        path.write_bytes(b"damaged")
    with pytest.warns(UserWarning, match="damaged"):
        _, kinds = ran(tmp_path, made(TWIN, "rl", 3, after=[other, TWIN, other]))
    assert kinds == ["memory"] * 3 + ["point"]


def by_hand(
    each: TraceInput, folder: Path, before: str | None, memory_out: Path | None = None
) -> dict[str, Any]:
    """Return what a run makes of an input without the engine."""
    how: dict[str, Any] = {"device": "tiny", "scheme": "rl", "seed": 3, "settings": SETTINGS}
    how["trace_options"] = {f"workload.{key}": value for key, value in each.set.items()}
    learned = None if before is None else folder / before
    return simulation.run(each.path, **how, memory_in=learned, memory_out=memory_out).to_dict()


def test_a_run_that_fails_is_named_and_the_others_are_kept(tmp_path: Path) -> None:
    good = write_trace(tmp_path / "good.csv", mixed(50))
    (tmp_path / "bad.csv").write_text(good.read_text() + "not a request\n")
    runs = [
        made(
            TraceInput(name, "", size, file=str(tmp_path / f"{name}.csv")),
            "tlc-only",
            1,
            settings={},
        )
        for name, size in (("good", 2), ("bad", 1))
    ]
    with pytest.raises(TraceError, match=r"^bad, tlc-only, seed 1: .*bad\.csv") as caught:
        ran(tmp_path / "store", *runs)
    assert caught.value.line == 51
    with Engine(tmp_path / "store") as engine:
        assert [engine.kept([run]) for run in runs] == [True, False]
    executor = Telling()
    assert driven(executor).keys() == POINTS.keys()
    place = executor.asked.index
    assert sorted(executor.asked) == sorted([*POINTS, *MAKINGS])
    assert place("first") < place("second") < place("all")
    assert max(place("repeat"), place("state")) < place("all")
    # It does not wait for what it does not read.
    assert place("repeat") < place("repeated") < place("all")
    executor = Telling()
    executor.done.append(Done("of a run that was ended"))
    assert driven(executor).keys() == POINTS.keys()


BARE = Task("", "point", Run("", "trace", "tiny", "sa", {}))


def named(name: str, kind: str = "point", **reads: str) -> Task:
    """Return a task that reads what others make."""
    state = reads.pop("state", None)
    run = replace(BARE.run, **reads)  # type: ignore[arg-type]
    return replace(BARE, name=name, kind=kind, run=run, state=state)  # type: ignore[arg-type]


class Telling(Here):
    """Does nothing, and tells in which order; some tasks fail."""

    def __init__(self, *failing: str) -> None:
        super().__init__()
        self.failing = failing

    def did(self, task: Task) -> Done:
        """End a task."""
        fails = task.name in self.failing
        return Done(task.name, error="no writes" if fails else None, kind="TraceError")

    @property
    def asked(self) -> list[str]:
        """The names of tasks, in the order in which they were given."""
        return [task.name for task in self.tasks]


POINTS = {
    "all": named("all", trace="repeat", state="state", memory_in="second"),
    "bare": named("bare"),
    "repeated": named("repeated", trace="repeat"),
}
MAKINGS = {
    "second": named("second", "memory", memory_in="first"),
    "first": named("first", "memory"),
    "repeat": named("repeat", "repeat"),
    "state": named("state", "state"),
}


def driven(executor: Telling, *, fail_fast: bool = False) -> dict[str, Done]:
    """Return what became of the points."""
    return Driver(
        POINTS, MAKINGS, executor, lambda _: None, 0, lambda _: None, fail_fast=fail_fast
    ).run()


@pytest.mark.parametrize(
    ("failing", "failed"),
    [
        (["first"], {"all"}),
        (["repeat"], {"all", "repeated"}),
        (["first", "repeat"], {"all", "repeated"}),
        # Without its state a point preconditions for itself.
        (["state"], set()),
    ],
)
def test_what_cannot_be_made_fails_what_reads_it(failing: list[str], failed: set[str]) -> None:
    executor = Telling(*failing)
    found = driven(executor)
    assert {name for name, done in found.items() if done.error is not None} == failed
    assert all(found[name].error == "no writes" for name in failed)
    assert not failed & set(executor.asked)
    assert len(executor.asked) == len(set(executor.asked))


@pytest.mark.parametrize("failing", [[], ["state"]])
def test_a_state_that_was_not_made_is_not_read(failing: list[str]) -> None:
    """What has its name may be damaged."""
    executor = Telling(*failing)
    driven(executor)
    (task,) = (task for task in executor.tasks if task.name == "all")
    assert task.state == (None if failing else "state")


def test_the_first_failure_ends_all_where_it_is_to() -> None:
    with pytest.raises(FailedError, match="no writes") as caught:
        driven(Telling("repeat"), fail_fast=True)
    assert caught.value.done.name in {"all", "repeated"}
    assert caught.value.done.kind == "TraceError"


#: What answers without having been asked.
SAYING = (
    "import sys, time; from multiprocessing.connection import Connection; "
    "Connection(int(sys.argv[1])).{}; time.sleep(0.3); sys.exit(1)"
)
#: A program in the place of a worker, and what is told of it.
PROGRAMS = {
    "missing": (["/nowhere/python"], "a worker cannot be started: No such file or directory"),
    "no program": ([__file__], "a worker cannot be started: Permission denied"),
    "dies at its start": (
        [sys.executable, "-c", "raise SystemExit('no slcache here')"],
        "the worker exited with status 1: no slcache here (3 times)",
    ),
    **{
        f"says {said}": ([sys.executable, "-c", SAYING.format(said)], "exited with status 1")
        for said in ("send_bytes(b'hello')", "send(())")
    },
    "says nothing": ([sys.executable, "-c", ""], "the worker exited with status 0"),
}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("lacking") / "t.csv", mixed(40))


def swept(trace: Path, **how: Any) -> Sweep:  # noqa: ANN401
    """Return a sweep of four points by two workers."""
    own = {"vary": {"host.time_scale": "0.5,1,2,4"}, "settings": {"trace.address": "wrap"}}
    return sweep(trace, device="tiny", scheme="sa", jobs=2, **own, **how)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_worker_ends_the_work(name: str, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command, told = PROGRAMS[name]
    monkeypatch.setattr(executors, "_COMMAND", command)
    with pytest.raises(RunError) as caught:
        swept(small, fail_fast=True)
    assert told in str(caught.value)


class Failing:
    """Starts so many processes, and no more."""

    def __init__(self, count: int) -> None:
        self.left = count
        self.plain = subprocess.Popen

    def __call__(self, *arguments: Any, **how: Any) -> Any:  # noqa: ANN401
        """Start a process."""
        if not self.left:
            raise OSError(24, "Too many open files")
        self.left -= 1
        return self.plain(*arguments, **how)


@pytest.fixture(scope="module")
def whole(small: Path) -> pl.DataFrame:
    return swept(small).table


def test_few_workers_do(small: Path, whole: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", Failing(1))
    with pytest.warns(UserWarning, match=r"Too many open files .*: 1 of 2 do the work"):
        assert swept(small).table.equals(whole)


def test_a_worker_that_is_lost_and_cannot_be_started_anew_leaves_its_task(
    small: Path, whole: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = Failing(2)
    monkeypatch.setattr(subprocess, "Popen", starts)
    plain = executors._Worker.give
    killed: list[object] = []

    def give(worker: Any, task: Any) -> None:  # noqa: ANN401
        if starts.left == 0 and not killed:
            killed.append(worker)
            worker.process.kill()
        plain(worker, task)

    monkeypatch.setattr(executors._Worker, "give", give)
    with pytest.warns(UserWarning, match=r"Too many open files .*: 1 of 2 do the work"):
        assert swept(small).table.equals(whole)
    assert killed


FEW = [8, 12, *(pytest.param(n, marks=pytest.mark.slow) for n in (6, 7, 9, 10, 11, *range(13, 25)))]


@pytest.mark.parametrize("files", FEW)
def test_few_open_files_are_enough_or_told(files: int, small: Path, tmp_path: Path) -> None:
    ended = process(
        *("sweep", small, "--device", "tiny", "--scheme", "sa", "--no-report"),
        *("--vary", "host.time_scale=0.5,1", "--set", "trace.address=wrap", "--jobs", "2"),
        *("--out", tmp_path / "out"),
        setup=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)),
    )
    assert b"Traceback" not in ended.stderr
    assert ended.returncode in (0, 1, 4)
    assert ended.returncode == 0 or b"oo many open files" in ended.stderr


@pytest.mark.parametrize("function", [simulation.compare, sweep])
def test_what_takes_other_tasks_is_no_executor(
    function: Callable[..., object], trace: Path
) -> None:
    """Pools of Python and clients of Dask take functions."""
    with ThreadPoolExecutor(1) as pool, pytest.raises(UsageError, match="or take slcache's tasks"):
        function(trace, device="tiny", schemes="tlc-only,baseline", executor=pool)
