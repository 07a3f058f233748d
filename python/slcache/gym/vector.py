"""The vector environment: several devices, each with an episode of its own, in threads."""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Self

import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import iterate
from numpy.typing import NDArray

from slcache._core import ConfigError, EpisodeError
from slcache.gym.actions import Turns
from slcache.gym.env import Info, SlcCacheEnv
from slcache.options import checked
from slcache.options.content import checked_seed

Batch = NDArray[Any]
Flags = NDArray[np.bool_]
Told = tuple[Batch, float, bool, bool, Info]


class _Device(SlcCacheEnv):
    """A device of several, whose step may have been taken before it is told."""

    taken: Told | None = None

    def step(self, action: Any) -> Told:  # noqa: ANN401
        taken, self.taken = self.taken, None
        return super().step(action) if taken is None else taken


class SlcCacheVectorEnv(SyncVectorEnv[Batch, Any]):
    """`num_envs` devices that step side by side in `threads` threads, by default one a core.

    Every one does what a `SlcCacheEnv` of the same arguments does, bit for bit; with `seed=s`,
    `reset` gives the first the seed s, the second s + 1 and so on. `autoreset_mode` says when an
    episode that has ended is followed by the next: in the step after (`NextStep`, whose action is
    not used), in the same step (`SameStep`, with `final_obs` and `final_info`), or when the user
    resets it (`Disabled`, with `options={"reset_mask": ...}`).
    """

    envs: list[_Device]  # type: ignore[assignment]

    @checked
    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int | None = None,
        **arguments: Any,  # noqa: ANN401
    ) -> None:
        mode = _mode(autoreset_mode)
        first = _Device(**arguments)
        super().__init__([lambda: first, *[first.fork] * (num_envs - 1)], autoreset_mode=mode)
        # Functions are not pickled, and have done what they are for.
        self.env_fns = ()
        self._threads = threads or len(os.sched_getaffinity(0))
        self._pool = ThreadPoolExecutor(self._threads)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Batch, Info]:
        """Begin episodes: all, or those that `options["reset_mask"]` names.

        The other options are those of a single environment, and go to every one.
        """
        given = dict(options or {})
        if "reset_mask" in given:
            _check_mask(given["reset_mask"], self.num_envs)
            if self._env_obs[0] is None and not given["reset_mask"].all():
                raise EpisodeError("no episode is under way: reset all environments first")
        return super().reset(seed=_seeds(seed, self.num_envs), options=given)

    def step(self, actions: Any) -> tuple[Batch, Batch, Flags, Flags, Info]:  # noqa: ANN401
        """Step every device, in threads; those whose episode was over begin the next (`NextStep`).

        An action outside its space is refused before any device steps. A reward that fails ends
        the episode that it is of; the other episodes have taken the step.
        """
        follows = self.autoreset_mode == AutoresetMode.NEXT_STEP
        self._autoreset_envs = np.array([follows and env.over is not None for env in self.envs])
        moves = {
            index: self._move(index, action)
            for index, action in enumerate(self._each(actions))
            if not self._autoreset_envs[index]
        }
        failures: list[Exception] = []
        for (index, move), ended in zip(moves.items(), self._advanced(moves), strict=True):
            env = self.envs[index]
            try:
                env.taken = env._judged(move, ended)
            except Exception as error:
                failures.append(error)
                env.taken = env._observed(), 0.0, False, False, {}
        told = super().step(actions)
        if failures:
            raise failures[0]
        return told

    def _each(self, actions: Any) -> list[Any]:  # noqa: ANN401
        """Return the action of each environment; EpisodeError where they are not as many."""
        try:
            each = list(iterate(self.action_space, actions))
        except TypeError:
            each = []
        if len(each) != self.num_envs:
            told = f"must be an array of {self.num_envs} actions, one an environment"
            raise EpisodeError(f"actions = {actions!r:.60}: {told}")
        return each

    def _move(self, index: int, action: Any) -> Turns:  # noqa: ANN401
        """Return what the action of one environment turns; errors name it."""
        try:
            turns: Turns = self.envs[index]._next_move(action)
        except EpisodeError as error:
            raise EpisodeError(f"environment {index}: {error}") from error
        return turns

    def _advanced(self, moves: dict[int, Turns]) -> list[bool]:
        """Run to the ends of the next windows, in threads; return which traces are over."""
        begun, stop = threading.Event(), threading.Event()

        def advance(index: int, move: Turns) -> bool:
            begun.wait()
            return not stop.is_set() and self.envs[index]._advance(move, lambda: not stop.is_set())

        # None moves before all are known: a signal in between would lose one that is under way.
        steps: list[Future[bool]] = []
        try:
            steps += [self._pool.submit(advance, index, move) for index, move in moves.items()]
            begun.set()
            wait(steps)
        except BaseException:
            stop.set()
            begun.set()
            wait(steps)
            raise
        for index, step in zip(moves, steps, strict=True):
            if error := step.exception():
                error.add_note(f"environment {index}")
        return [step.result() for step in steps]

    def close_extras(self, **kwargs: Any) -> None:  # noqa: ANN401
        """Let go of the devices."""
        super().close_extras(**kwargs)
        self._pool.shutdown()

    def fork(self) -> Self:
        """Return an exact copy of all devices, mid-episode; both go on alike."""
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        """Return what `fork` copies, and `pickle` keeps."""
        return {name: part for name, part in vars(self).items() if name != "_pool"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Go on from a copy; EpisodeError where a trace or device file has changed since."""
        vars(self).update(state)
        self._pool = ThreadPoolExecutor(self._threads)


def _mode(named: AutoresetMode | str) -> AutoresetMode:
    """Return when the episode after one that has ended begins."""
    try:
        return AutoresetMode(named)
    except ValueError:
        known = ", ".join(known.value for known in AutoresetMode)
        raise ConfigError(f"autoreset_mode = {named!r}: must be one of {known}") from None


def _check_mask(given: object, count: int) -> None:
    if not isinstance(given, np.ndarray) or given.dtype != np.bool_ or given.shape != (count,):
        told = f"must be an array of {count} bools"
        raise EpisodeError(f"reset option reset_mask = {given!r}: {told}")


def _seeds(seed: int | Sequence[int | None] | None, count: int) -> list[int | None]:
    """Return the seed of each environment: s, s + 1 and so on, or those given."""
    if seed is None:
        return [None] * count
    if not isinstance(seed, list | tuple | np.ndarray):
        # What is no number is told as such.
        first = checked_seed(seed)  # type: ignore[arg-type]
        return [checked_seed(first + index) for index in range(count)]
    if len(seed) != count:
        raise EpisodeError(f"seed has {len(seed)} values: must have {count}, one an environment")
    return [None if each is None else checked_seed(each) for each in seed]
