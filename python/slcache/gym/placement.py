"""The environment in which an agent places writes: a step is a host write, or a batch of them."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Self

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from slcache import named
from slcache._core import ConfigError, Episode, EpisodeError
from slcache.api import Path
from slcache.given.once import checked_seed
from slcache.gym import features, past, placed, rewards
from slcache.gym.layout import Layout
from slcache.gym.source import Source, Start, workloads_of
from slcache.scheme.base import Scheme
from slcache.scheme.source import NotFoundError, found, of_class
from slcache.traces.api import reader_options

Observation = NDArray[np.float32]
Info = dict[str, Any]

#: The figures of the last step that are observed beside the writes.
STATE = ("write_mean_ns", "backlog", "moved_bytes", "waf", "mapped_bytes", "utilisation")
#: The most writes of a step.
_BATCH_MAX = 1_000_000


class PlacementEnv(past.Copied, gymnasium.Env[Observation, Any]):
    """A device whose host writes an agent places; `scheme` says all else.

    An action is the number of a region of the class `scheme` (`slcache.Scheme`: cache, store), for
    each of the `batch` writes to come; one that has no room there goes to the next region. What is
    observed of every write is in `features.NAMES`, and in `STATE` of the step before, each as
    sign(x) log(1 + |x|). The reward is one of `slcache.gym.rewards`, of the step's window: what
    moves later because of a write is charged to the window in which it moves. Without a DRAM
    buffer, since that would write in an order of its own.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        *,
        trace: Path = "zipf-4k",
        device: Path = "rl-32g",
        scheme: type[Scheme] | str = Scheme,
        batch: int = 1,
        settings: Mapping[str, Any] | None = None,
        trace_format: str | None = None,
        trace_options: Mapping[str, str] | None = None,
        replay: str | None = None,
        reward: rewards.Spec = "latency",
        max_steps: int | None = None,
    ) -> None:
        self._arguments = {name: value for name, value in locals().items() if name != "self"}
        limits = ("batch", batch, _BATCH_MAX), ("max_steps", max_steps, 2**63 - 1)
        for name, value, most in limits:
            if value is not None and (type(value) is not int or not 1 <= value <= most):
                told = f"{name} = {value!r:.60}: must be a whole number from 1 to {most}"
                raise ConfigError(told)
        with named.call(named.of_arguments([scheme])):
            self._cls = placed.made(_class(scheme))
        self.regions = list(self._cls.regions)
        self.batch, self._max_steps = batch, max_steps
        self._source = Source(
            device=str(device),
            workloads=workloads_of(trace),
            scheme=of_class(self._cls),
            settings=settings or {},
            trace_format=trace_format,
            trace_options=dict(trace_options or {}),
            replay=replay,
            snapshot=None,
            window=("write-requests", batch),
        )
        first = self._source.first()
        config = json.loads(first.config())
        if config["buffer"] is not None:
            raise ConfigError("device: has a DRAM buffer, which writes in an order of its own")
        if config["trace"]["address"] == "clip":
            raise ConfigError("trace.address = clip: leaves writes out that would be observed")
        self._page_bytes = int(config["device"]["pool"][0]["page_bytes"])
        self._layout = Layout(first, [], STATE, normalise=False)
        self._reward = reward
        self._judge = rewards.made(reward, self._layout.at)
        regions = len(self.regions)
        self.action_space: spaces.Space[Any] = (
            spaces.Discrete(regions) if batch == 1 else spaces.MultiDiscrete([regions] * batch)
        )
        width = batch * len(features.NAMES) + len(STATE)
        self.observation_space = spaces.Box(-1.0, 64.0, (width,), np.float32)
        self._figures = self._layout.buffer()
        self._episode: Episode | None = None
        self._actions: deque[int] = deque()
        self._start: Start | None = None
        #: The actions of each step so far.
        self._taken: list[list[int]] = []
        self._writes = np.zeros((0, len(features.NAMES)))
        self._known: tuple[tuple[str, int], NDArray[np.float64]] | None = None
        self._is_over = False
        #: Whether the reward of the last step failed: then it is not asked for again.
        self._has_failed = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Begin an episode; `options` may name a `workload`. `info` tells what was begun."""
        super().reset(seed=None if seed is None else checked_seed(seed))
        start = self._source.drawn(seed, options, self.np_random)
        self._begin(start)
        return self._observed(), {**start.told(), "writes": len(self._writes)}

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, Info]:  # noqa: ANN401
        """Place the next writes and run until they have arrived."""
        self._under_way()
        if self._is_over:
            raise EpisodeError("the episode is over: reset the environment first")
        if not self.action_space.contains(action):
            known = ", ".join(f"{i} {name}" for i, name in enumerate(self.regions))
            raise EpisodeError(f"action {action!r:.60}: must be in {self.action_space}: {known}")
        ended = self._ran(np.atleast_1d(action).tolist())
        truncated = not ended and len(self._taken) == self._max_steps
        self._is_over = ended or truncated
        figures = self._figures.tolist()
        info = self._layout.told(figures, [])
        try:
            reward = self._judge.of(figures, info)
        except BaseException:
            # The step has run and cannot be taken back.
            self._is_over = self._has_failed = True
            raise
        return self._observed(), reward, ended, truncated, info

    def fork(self) -> Self:
        """Return an exact copy, mid-episode; both go on alike under the same actions."""
        fork = super().fork()
        fork._actions = deque(self._actions)
        fork._taken = list(self._taken)
        fork._judge = self._judge.fork()
        fork._episode = None if self._episode is None else self._episode.fork()
        return fork

    def _past(self) -> tuple[Start, list[list[int]], bool] | None:
        if self._episode is None or self._start is None:
            return None
        return self._start, self._taken, self._has_failed

    def _run_again(self, kept: tuple[Start, list[list[int]], bool]) -> None:
        start, taken, failed = kept
        self._begin(start)
        judged = len(taken) - failed
        for actions in taken[:judged]:
            self.step(actions[0] if self.batch == 1 else np.array(actions))
        # A reward that failed would fail again, and nobody could get at the episode.
        for actions in taken[judged:]:
            self._ran(actions)
            self._is_over = self._has_failed = True

    def finish(self) -> dict[str, Any]:
        """Run what is left, placed by default, and return the result document of `slcache run`."""
        episode = self._under_way()
        self._episode = None
        with placed.finishing:
            placed.left.append(self._actions)
            try:
                document: dict[str, Any] = json.loads(episode.finish())
            finally:
                placed.left.clear()
        return document

    def close(self) -> None:
        """End."""
        self._episode = None

    def _begin(self, start: Start) -> None:
        """Put an episode in its place, before its first write."""
        self._actions, self._taken, self._start = deque(), [], start
        self._episode = self._source.episode(start)
        self._writes = self._features(start.workload, start.seed)
        self._judge = rewards.made(self._reward, self._layout.at)
        self._figures[:] = 0.0
        self._is_over = self._has_failed = False

    def _ran(self, taken: list[int]) -> bool:
        """Run until the writes that these actions place have arrived; return if that is all."""
        self._actions.extend(taken)
        placed.waiting.actions = self._actions
        try:
            ended = self._under_way().step([], self._figures)
        finally:
            placed.waiting.actions = None
        self._taken.append(taken)
        return ended

    def _under_way(self) -> Episode:
        if self._episode is None:
            raise EpisodeError("no episode is under way: reset the environment first")
        return self._episode

    def _features(self, trace: str, seed: int) -> NDArray[np.float64]:
        if self._known is None or self._known[0] != (trace, seed):
            options = reader_options(self._source.trace_format, self._source.trace_options)
            found = features.of_writes(trace, options, seed, self._page_bytes)
            self._known = (trace, seed), found
        return self._known[1]

    def _observed(self) -> Observation:
        at = len(self._taken) * self.batch
        rows = self._writes[at : at + self.batch]
        seen = np.zeros(self.batch * len(features.NAMES) + len(STATE))
        seen[: rows.size] = rows.ravel()
        seen[-len(STATE) :] = self._figures[self._layout.chosen]
        scaled: Observation = (np.sign(seen) * np.log1p(np.abs(seen))).astype(np.float32)
        return scaled


def _class(scheme: type[Scheme] | str) -> type[Scheme]:
    if isinstance(scheme, type) and issubclass(scheme, Scheme):
        return scheme
    try:
        return found(str(scheme))[0]
    except NotFoundError as error:
        raise ConfigError(f"scheme = {scheme!r:.60}: must be {error}") from error


def names(batch: int) -> Sequence[str]:
    """Return what each number of an observation is."""
    writes = [f"{i}.{name}" for i in range(batch) for name in features.NAMES]
    return [*writes, *STATE]
