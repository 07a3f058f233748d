"""The vector environment: several devices, each with an episode of its own, in threads."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple, Self

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, iterate
from numpy.typing import NDArray

from slcache._core import ConfigError, Episode, EpisodeError, Episodes
from slcache.given.arguments import checked
from slcache.given.once import checked_seed
from slcache.gym.actions import Stands, Turns
from slcache.gym.env import Copied, History, Info, Play, begin
from slcache.gym.rules import of_environment

Batch = NDArray[Any]
Flags = NDArray[np.bool_]


class Begun(NamedTuple):
    """A step that the devices may still be taking."""

    turns: list[Turns | None]
    resting: Flags
    infos: Info


class SlcCacheVectorEnv(Copied, VectorEnv[Batch, Any, Any]):
    """`num_envs` devices that step side by side in `threads` threads, by default one a core.

    Every one does what a `SlcCacheEnv` of the same arguments does, bit for bit; with `seed=s`,
    `reset` gives the first the seed s, the second s + 1 and so on. `autoreset_mode` says when an
    episode that has ended is followed by the next: in the step after (`NextStep`, whose action is
    not used), in the same step (`SameStep`, with `final_obs` and `final_info`), or when the user
    resets it (`Disabled`, with `options={"reset_mask": ...}`).
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": [],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    @checked
    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int | None = None,
        **arguments: Any,  # noqa: ANN401
    ) -> None:
        self._mode = _mode(autoreset_mode)
        own = {"num_envs": num_envs, "autoreset_mode": self._mode, "threads": threads}
        of_each, self.rules = of_environment(arguments)
        self._arguments = {**own, **of_each}
        self.num_envs = num_envs
        self.metadata = {**type(self).metadata, "autoreset_mode": self._mode}
        self.single_action_space = self.rules.actions.space
        self.single_observation_space = self.rules.observations.space
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._threads = threads
        self._figures = self.rules.observations.buffer(num_envs)
        self._randoms: list[np.random.Generator | None] = [None] * num_envs
        self._plays: list[Play] = []
        self._episodes: Episodes | None = None
        self._pending: tuple[Begun, Future[list[bool]]] | None = None

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Batch, Info]:
        """Begin episodes: all, or those that `options["reset_mask"]` names.

        The other options are those of a single environment, and go to every one.
        """
        self._settled()
        given = dict(options or {})
        mask = _mask(given.pop("reset_mask", None), self.num_envs)
        if self._episodes is None and not mask.all():
            raise EpisodeError("no episode is under way: reset all environments first")
        seeds = _seeds(seed, self.num_envs)
        chosen = np.flatnonzero(mask).tolist()
        begun = {index: self._drawn(index, seeds[index], given) for index in chosen}
        if self._episodes is None:
            episodes = [episode for _, episode in begun.values()]
            self._episodes = Episodes(episodes, threads=self._threads)
            self._plays = [play for play, _ in begun.values()]
        infos: Info = {}
        for index, (play, episode) in begun.items():
            infos = self._add_info(infos, self._put(index, play, episode), index)
        return self._observations(), infos

    def step(self, actions: Any) -> tuple[Batch, Batch, Flags, Flags, Info]:  # noqa: ANN401
        """Step every device, in threads; those whose episode was over begin the next (`NextStep`).

        An action outside its space is refused before any device steps. A reward that fails ends
        the episode that it is of; the other episodes have taken the step.
        """
        begun = self._begin(actions)
        return self._judged(begun, self._under_way().step(begun.turns, self._figures))

    def step_async(self, actions: Any) -> None:  # noqa: ANN401
        """Begin what `step` does and return at once; only `step_wait` and `close` may follow."""
        begun, episodes = self._begin(actions), self._under_way()
        worker = ThreadPoolExecutor(max_workers=1)
        self._pending = begun, worker.submit(episodes.step, begun.turns, self._figures)
        worker.shutdown(wait=False)

    def step_wait(self) -> tuple[Batch, Batch, Flags, Flags, Info]:
        """Return what `step` returns, when the step that `step_async` began is done."""
        if self._pending is None:
            raise EpisodeError("no step is under way: begin one by step_async")
        begun, taken = self._pending
        ended = taken.result()
        self._pending = None
        return self._judged(begun, ended)

    def _begin(self, actions: Any) -> Begun:  # noqa: ANN401
        """Return what a step turns; episodes that were over begin anew (`NextStep`)."""
        self._under_way()
        follows = self._mode == AutoresetMode.NEXT_STEP
        resting = np.array([follows and play.history.over is not None for play in self._plays])
        turns = [
            None if rests else self._turns(index, action)
            for index, (rests, action) in enumerate(zip(resting, self._each(actions), strict=True))
        ]
        infos: Info = {}
        for index in np.flatnonzero(resting).tolist():
            infos = self._add_info(infos, self._next(index), index)
        return Begun(turns, resting, infos)

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

    def _judged(self, begun: Begun, ended: list[bool]) -> tuple[Batch, Batch, Flags, Flags, Info]:
        """Return what a step came to, with rewards and, in `SameStep`, the episodes that follow."""
        turns, resting, infos = begun
        episodes, observations = self._under_way(), self.rules.observations
        failures: list[Exception] = []
        rewards = np.zeros(self.num_envs)
        truncations = np.zeros(self.num_envs, dtype=np.bool_)
        for index in np.flatnonzero(~resting).tolist():
            figures = self._figures[index].tolist()
            info = observations.info(figures, episodes.operations(index))
            try:
                rewards[index], truncations[index] = self._plays[index].judged(
                    turns[index] or [], figures, ended[index], info
                )
            except Exception as error:
                failures.append(error)
                continue
            if self._mode == AutoresetMode.SAME_STEP and self._plays[index].history.over:
                final = {
                    "final_obs": observations.observed(self._figures[index]),
                    "final_info": info,
                }
                info = {**final, **self._next(index)}
            infos = self._add_info(infos, info, index)
        if failures:
            raise failures[0]
        terminations = np.array(ended) & ~resting
        return self._observations(), rewards, terminations, truncations, infos

    def close_extras(self, **kwargs: Any) -> None:  # noqa: ANN401
        """Let go of the devices, after a step that is under way."""
        if self._pending is not None:
            self._pending[1].exception()
        self._pending = None
        self._episodes, self._plays = None, []

    def fork(self) -> Self:
        """Return an exact copy of all devices, mid-episode; both go on alike."""
        self._settled()
        fork = super().fork()
        fork._randoms = copy.deepcopy(self._randoms)
        fork._plays = [play.fork() for play in self._plays]
        if self._episodes is not None:
            copies = [self._episodes.episode(index) for index in range(self.num_envs)]
            fork._episodes = Episodes(copies, threads=self._threads)
        return fork

    def __getstate__(self) -> dict[str, Any]:
        """Return what the episodes follow from, for `pickle`; loading it runs them again."""
        return {**super().__getstate__(), "randoms": self._randoms}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Run the episodes again; EpisodeError where a trace or device file has changed since."""
        super().__setstate__(state)
        self._randoms = state["randoms"]

    def _history(self) -> list[History] | None:
        self._settled()
        return None if self._episodes is None else [play.history for play in self._plays]

    def _run_again(self, history: list[History]) -> None:
        each = [self._repeated(one, row) for one, row in zip(history, self._figures, strict=True)]
        self._plays = [play for play, _ in each]
        self._episodes = Episodes([episode for _, episode in each], threads=self._threads)

    def _repeated(self, history: History, figures: NDArray[np.float64]) -> tuple[Play, Episode]:
        """Return an episode that was run again; `figures` get those of its last window."""
        play, episode = Play(self.rules, history.start), begin(self.rules, history.start)
        episode.observe(figures)
        play.repeat(
            history,
            lambda turns: episode.step(turns, figures),
            figures,
            lambda values: self.rules.observations.info(values, episode.operations()),
        )
        return play, episode

    def _settled(self) -> None:
        if self._pending is not None:
            raise EpisodeError("a step is under way: end it by step_wait")

    def _under_way(self) -> Episodes:
        self._settled()
        if self._episodes is None:
            raise EpisodeError("no episode is under way: reset the environment first")
        return self._episodes

    def _stands(self, index: int) -> Stands:
        episodes = self._under_way()
        return lambda: (episodes.knob_values(index), episodes.knob_bounds(index))

    def _turns(self, index: int, action: Any) -> Turns:  # noqa: ANN401
        """Return what the action of one environment turns; errors name it."""
        try:
            self._plays[index].refuse_if_over()
            return self.rules.actions.turns(action, self._stands(index))
        except EpisodeError as error:
            raise EpisodeError(f"environment {index}: {error}") from error

    def _drawn(self, index: int, seed: int | None, options: dict[str, Any]) -> tuple[Play, Episode]:
        """Return the next episode of one environment; random numbers are those it has alone."""
        random = self._randoms[index]
        if random is None or seed is not None:
            random, _ = seeding.np_random(seed)
            self._randoms[index] = random
        start = self.rules.source.drawn(seed, options, random)
        return Play(self.rules, start), begin(self.rules, start)

    def _put(self, index: int, play: Play, episode: Episode) -> Info:
        """Put an episode in its place; return what is told of it."""
        episode.observe(self._figures[index])
        self._under_way().replace(index, episode)
        self._plays[index] = play
        return play.history.start.info()

    def _next(self, index: int) -> Info:
        """Begin the next episode of one environment; return what is told of it."""
        return self._put(index, *self._drawn(index, None, {}))

    def _observations(self) -> Batch:
        return self.rules.observations.observed(self._figures)


def _mode(named: AutoresetMode | str) -> AutoresetMode:
    """Return when the episode after one that has ended begins."""
    try:
        return AutoresetMode(named)
    except ValueError:
        known = ", ".join(known.value for known in AutoresetMode)
        raise ConfigError(f"autoreset_mode = {named!r}: must be one of {known}") from None


def _mask(given: object, count: int) -> NDArray[np.bool_]:
    """Return which of the environments are reset."""
    if given is None:
        return np.ones(count, dtype=np.bool_)
    if not isinstance(given, np.ndarray) or given.dtype != np.bool_ or given.shape != (count,):
        told = f"must be an array of {count} bools"
        raise EpisodeError(f"reset option reset_mask = {given!r}: {told}")
    return given


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
