"""The environment that places each write, and what is known of a write."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from slcache import code, frame
from slcache._core import ConfigError, Episode, EpisodeError
from slcache.files import Path, scratch
from slcache.gym import rewards
from slcache.gym.env import DeviceEnv, Info, Observation
from slcache.gym.rewards import Observations
from slcache.gym.rules import EpisodeSource, Rules, Start, overrides, workloads_of
from slcache.options.content import OptionValues, is_workload
from slcache.scheme import Scheme
from slcache.scheme.source import NotFoundError, found, of_class
from slcache.trace import Trace, generate, reader_options

if TYPE_CHECKING:
    import polars as pl

    from slcache._core import View, Write

#: The columns, each a number; -1 where there is none before.
NAMES = (
    "bytes",  # of the request
    "sequential",  # 1 where it begins at the sector where the stream's last request ended
    "gap_ns",  # since the request before
    "age_ns",  # since the first page was last accessed
    "rewrite_ns",  # since the first page was last written
    "accesses",  # of the first page before
    "writes",  # of the first page before
    "stream",
)
#: The operations of a table of requests.
_READ, _WRITE = 0, 1
_SECTOR = 512


def of_writes(
    trace: str, seed: int, options: list[tuple[str, str]], page_bytes: int
) -> NDArray[np.float64]:
    """Return a row for each write of a trace, or of a workload drawn with `seed`, in its order."""
    with scratch() as folder:
        table = folder / "requests.parquet"
        if is_workload(trace):
            generate(trace, table, seed=seed, overrides=overrides(dict(options)))
        else:
            Trace(trace, options=dict(options)).convert(table)
        requests = frame.read(table)
    return _features(requests, page_bytes)


def _features(requests: pl.DataFrame, page_bytes: int) -> NDArray[np.float64]:
    """Return a row for each write; only pages that a write begins with are looked at."""
    import polars as pl

    at_ns, sector, is_write = pl.col("at_ns"), pl.col("sector"), pl.col("op") == _WRITE
    end = sector + pl.col("sectors")
    whole = requests.select(pl.col("at_ns", "op", "stream", "sector", "sectors").cast(pl.Int64))
    accesses = (
        whole.with_columns(gap_ns=at_ns.diff().fill_null(0))
        .filter(pl.col("op").is_in([_READ, _WRITE]))
        .with_columns(
            bytes=pl.col("sectors") * _SECTOR,
            sequential=(end.shift(1).over("stream") == sector).fill_null(False),
            first=sector * _SECTOR // page_bytes,
            last=(end * _SECTOR - 1) // page_bytes,
        )
    )
    asked = accesses.filter(is_write)["first"].unique().sort()
    low = asked.search_sorted(accesses["first"])
    high = asked.search_sorted(accesses["last"], side="right")
    pages = (
        accesses.with_columns(low=low.cast(pl.Int64), high=high.cast(pl.Int64))
        .with_columns(page=pl.int_ranges("low", "high"))
        .explode("page")
        .drop_nulls("page")
    )
    since = (at_ns - at_ns.shift(1)).over("page").fill_null(-1)
    before = pl.int_range(pl.len()).over("page")
    writes = (
        pages.with_columns(age_ns=since, accesses=before)
        .filter(is_write)
        .with_columns(rewrite_ns=since, writes=before)
        .filter(pl.col("page") == pl.col("low"))
    )
    return writes.select(pl.col(NAMES).cast(pl.Float64)).to_numpy()


#: The figures of the last step that are observed beside the writes.
STATE = ("write_mean_ns", "backlog", "moved_bytes", "waf", "mapped_bytes", "utilisation")
#: The most writes of a step.
_BATCH_MAX = 1_000_000


class _Waiting(threading.local):
    """The actions of whoever steps in this thread."""

    actions: deque[int] | None = None


#: A step runs in the thread that asks for it.
_waiting = _Waiting()
#: One episode at a time runs to its end, in a thread of its own, with the actions that are left.
_finishing = threading.Lock()
_left: list[deque[int]] = []
#: Each class by that whose writes it places.
_classes: dict[type[Scheme], type[Scheme]] = {}


class PlacementEnv(DeviceEnv):
    """A device whose host writes an agent places; `scheme` says all else.

    An action is the number of a region of the class `scheme` (`slcache.Scheme`: cache, store), for
    each of the `batch` writes to come; one that has no room there goes to the next region. What is
    observed of every write is in `NAMES`, and in `STATE` of the step before, each as
    sign(x) log(1 + |x|). The reward is one of `slcache.gym.rewards`, of the step's window: what
    moves later because of a write is charged to the window in which it moves. Without a DRAM
    buffer, since that would write in an order of its own.
    """

    def __init__(
        self,
        *,
        trace: Path = "zipf-4k",
        device: Path = "rl-32g",
        scheme: type[Scheme] | str = Scheme,
        batch: int = 1,
        settings: Mapping[str, Any] | None = None,
        trace_format: str | None = None,
        trace_options: OptionValues | None = None,
        replay: str | None = None,
        reward: rewards.Spec = "latency",
        max_steps: int | None = None,
    ) -> None:
        self._arguments = {
            name: value for name, value in locals().items() if name not in ("self", "__class__")
        }
        limits = ("batch", batch, _BATCH_MAX), ("max_steps", max_steps, 2**63 - 1)
        for name, value, most in limits:
            if value is not None and (type(value) is not int or not 1 <= value <= most):
                told = f"{name} = {value!r:.60}: must be a whole number from 1 to {most}"
                raise ConfigError(told)
        with code.call(code.of_arguments([scheme])):
            cls = _placed_by_actions(_class(scheme))
        source = EpisodeSource(
            device=str(device),
            workloads=workloads_of(trace),
            scheme=of_class(cls),
            settings=settings or {},
            trace_format=trace_format,
            trace_options=dict(trace_options or {}),
            replay=replay,
            snapshot=None,
            window=("write-requests", batch),
        )
        first = source.first()
        config = json.loads(first.config())
        if config["buffer"] is not None:
            raise ConfigError("device: has a DRAM buffer, which writes in an order of its own")
        if config["trace"]["address"] == "clip":
            raise ConfigError("trace.address = clip: leaves writes out that would be observed")
        observations = Observations(first, [], STATE, normalise=False)
        super().__init__(Rules(source, [], observations, reward, None, max_steps))
        self.rules.new_reward()
        self.regions, self.batch = list(cls.regions), batch
        regions = len(self.regions)
        self.action_space = (
            spaces.Discrete(regions) if batch == 1 else spaces.MultiDiscrete([regions] * batch)
        )
        width = batch * len(NAMES) + len(STATE)
        self.observation_space = spaces.Box(-1.0, 64.0, (width,), np.float32)
        self._page_bytes = int(config["device"]["pool"][0]["page_bytes"])
        #: Actions that no write has taken yet.
        self._actions: deque[int] = deque()
        #: What is known of each write, and of which workload and seed that is.
        self._writes = np.zeros((0, len(NAMES)))
        self._writes_of: tuple[str, int] | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Begin an episode; `options` may name a `workload`. `info` tells what was begun."""
        observation, info = super().reset(seed=seed, options=options)
        return observation, {**info, "writes": len(self._writes)}

    def fork(self) -> Self:
        """Return an exact copy, mid-episode; both go on alike under the same actions."""
        fork = super().fork()
        fork._actions = deque(self._actions)
        return fork

    def _begin(self, start: Start) -> None:
        source, wanted, writes = self.rules.source, (start.workload, start.seed), self._writes
        if self._writes_of != wanted:
            options = reader_options(source.trace_format, source.trace_options)
            writes = of_writes(*wanted, options, self._page_bytes)
        super()._begin(start)
        self._writes, self._writes_of, self._actions = writes, wanted, deque()

    def _move(self, action: Any) -> list[int]:  # noqa: ANN401
        if not self.action_space.contains(action):
            known = ", ".join(f"{i} {name}" for i, name in enumerate(self.regions))
            raise EpisodeError(f"action {action!r:.60}: must be in {self.action_space}: {known}")
        placed: list[int] = np.atleast_1d(action).tolist()
        return placed

    def _advance(self, move: list[int]) -> bool:
        self._actions.extend(move)
        _waiting.actions = self._actions
        try:
            return self._under_way()[0].step([], self._figures)
        finally:
            _waiting.actions = None

    def _observed(self) -> Observation:
        at = len(self._under_way()[1].moves) * self.batch
        rows = self._writes[at : at + self.batch]
        seen = np.zeros(self.batch * len(NAMES) + len(STATE))
        seen[: rows.size] = rows.ravel()
        seen[-len(STATE) :] = self.rules.observations.observed(self._figures)
        scaled: NDArray[np.float32] = (np.sign(seen) * np.log1p(np.abs(seen))).astype(np.float32)
        return scaled

    def _info(self, figures: Sequence[float]) -> Info:
        return self.rules.observations.by_name(figures)

    def _finish(self, episode: Episode) -> str:
        """Run what is left, placed by default behind the actions that no write has taken."""
        with _finishing:
            _left.append(self._actions)
            try:
                return episode.finish()
            finally:
                _left.clear()


def _class(scheme: type[Scheme] | str) -> type[Scheme]:
    if isinstance(scheme, type) and issubclass(scheme, Scheme):
        return scheme
    try:
        return found(str(scheme))[0]
    except NotFoundError as error:
        raise ConfigError(f"scheme = {scheme!r:.60}: must be {error}") from error


def _placed_by_actions(cls: type[Scheme]) -> type[Scheme]:
    """Return a class that places every write request as the next action says.

    The region of the action is tried first, then the others in the class's order. Without an
    action, before the trace and behind its last step, it is all of them in order.
    """
    if cls in _classes:
        return _classes[cls]
    choices = [(name, *(other for other in cls.regions if other != name)) for name in cls.regions]

    def place(self: Any, write: Write, view: View) -> Sequence[str]:  # noqa: ANN401
        if write.first:
            actions = _waiting.actions
            if actions is None and _left:
                actions = _left[-1]
            self.placing = actions.popleft() if actions else 0
        placing: int = self.placing
        return choices[placing]

    def begin(self: Any) -> None:  # noqa: ANN401
        cls.__init__(self)
        self.placing = 0

    body = {
        "__doc__": f"{cls.__qualname__}, its writes placed by an agent.",
        "__module__": __name__,
        # Two classes of one name are two schemes.
        "__qualname__": f"Placed[{cls.__qualname__}]{len(_classes)}",
        "__init__": begin,
        "place": place,
    }
    _classes[cls] = cast(type[Scheme], type(cls.__name__, (cls,), body))
    return _classes[cls]
