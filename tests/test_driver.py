"""The driver has what tasks read made first, whatever it is and however many there are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from executors import Here
from slcache.execute import driver
from slcache.execute.run import Run
from slcache.execute.tasks import Done, Task

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


def ran(executor: Telling, *, fail_fast: bool = False) -> dict[str, Done]:
    """Return what became of the points."""
    return driver.run(
        POINTS, MAKINGS, executor, lambda _: None, 0, lambda _: None, fail_fast=fail_fast
    )


def test_a_task_waits_for_all_that_it_reads() -> None:
    executor = Telling()
    assert ran(executor).keys() == POINTS.keys()
    place = executor.asked.index
    assert sorted(executor.asked) == sorted([*POINTS, *MAKINGS])
    assert place("first") < place("second") < place("all")
    assert max(place("repeat"), place("state")) < place("all")
    # It does not wait for what it does not read.
    assert place("repeat") < place("repeated") < place("all")


def test_what_another_run_left_on_an_executor_is_no_result() -> None:
    executor = Telling()
    executor.done.append(Done("of a run that was ended"))
    assert ran(executor).keys() == POINTS.keys()


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
    found = ran(executor)
    assert {name for name, done in found.items() if done.error is not None} == failed
    assert all(found[name].error == "no writes" for name in failed)
    assert not failed & set(executor.asked)
    assert len(executor.asked) == len(set(executor.asked))


@pytest.mark.parametrize("failing", [[], ["state"]])
def test_a_state_that_was_not_made_is_not_read(failing: list[str]) -> None:
    """What has its name may be damaged."""
    executor = Telling(*failing)
    ran(executor)
    (task,) = (task for task in executor.tasks if task.name == "all")
    assert task.state == (None if failing else "state")


def test_the_first_failure_ends_all_where_it_is_to() -> None:
    with pytest.raises(driver.FailedError, match="no writes") as caught:
        ran(Telling("repeat"), fail_fast=True)
    assert caught.value.done.name in {"all", "repeated"}
    assert caught.value.done.kind == "TraceError"
