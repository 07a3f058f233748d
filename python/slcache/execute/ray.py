"""Workers of a Ray cluster: one that dies takes only its own point with it."""

from __future__ import annotations

import os
from typing import Any

# Nothing is told to anybody about who runs what.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray

from slcache._core import RunError
from slcache.execute import remote
from slcache.execute.tasks import Done, Task


class Ray:
    """A cluster that is there, or one of processes of this machine."""

    here = False

    def __init__(self, address: str, workers: int | None = None) -> None:
        """Connect to `auto`, `HOST:PORT` or `ray://HOST:PORT`; without any start a cluster."""
        local: dict[str, Any] = {"num_cpus": workers, "include_dashboard": False}
        try:
            ray.init(
                address=address or "local",
                logging_level="ERROR",
                log_to_driver=False,
                **({} if address else local),
            )
        except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
            raise RunError(f"ray://{address}: no cluster answers: {error}") from error
        # How often a task is tried again, the driver decides.
        self._perform = ray.remote(max_retries=0)(remote.perform)
        self._running: dict[Any, str] = {}

    @property
    def slots(self) -> int:
        """How many tasks it wants to have at a time; workers may come and go."""
        return max(1, int(ray.cluster_resources().get("CPU", 1)))

    def submit(self, task: Task) -> None:
        """Take a task."""
        reference = self._perform.remote(remote.packed(task), remote.version())
        self._running[reference] = task.name

    def finished(self, timeout_s: float) -> list[Done]:
        """Return what has become of tasks since."""
        references = list(self._running)
        if not references:
            return []
        ready, rest = ray.wait(references, num_returns=1, timeout=timeout_s)
        if ready and rest:
            more, _ = ray.wait(rest, num_returns=len(rest), timeout=0)
            ready += more
        return [_told(self._running.pop(reference), reference) for reference in ready]

    def close(self) -> None:
        """End what is still running."""
        for reference in self._running:
            ray.cancel(reference, force=True)
        ray.shutdown()


def _told(name: str, reference: Any) -> Done:  # noqa: ANN401
    """Return what became of a task."""
    try:
        done = ray.get(reference)
    except ray.exceptions.RayError as error:
        last = str(error).strip().splitlines()
        return Done(name, lost=f"Ray: {type(error).__name__}: {last[0] if last else ''}")
    assert isinstance(done, Done)
    return done
