"""The environment: one device, whose scheme's knobs an agent turns after every window."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Self

import gymnasium
from numpy.typing import NDArray

from slcache._core import Episode, EpisodeError
from slcache.api import Path
from slcache.given.arguments import checked
from slcache.given.once import checked_seed
from slcache.gym import knobs as boards
from slcache.gym import past
from slcache.gym.knobs import Bounds, Knob
from slcache.gym.play import Play
from slcache.gym.record import Recorder
from slcache.gym.rules import RENDER_MODES, Rules, configured, named

Observation = NDArray[Any]
Info = dict[str, Any]


class SlcCacheEnv(past.Copied, gymnasium.Env[Observation, Any]):
    """A flash device under a scheme; an action turns its knobs, a step is a window of requests.

    The arguments are those of `slcache.gym.rules.Rules.made`. `record` names the file that keeps
    the episode that ended last, or each one where `{episode}` in it stands for its number.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": list(RENDER_MODES),
        "render_fps": 4,
    }

    @configured
    @checked
    def __init__(self, *, record: Path | None = None, **arguments: Any) -> None:  # noqa: ANN401
        self._arguments = named(arguments)
        self.rules = Rules.made(**self._arguments)
        self.render_mode = self.rules.render_mode
        self.action_space = self.rules.actions.space
        self.observation_space = self.rules.layout.space
        self._figures = self.rules.layout.buffer()
        self._recorder = None if record is None else Recorder(record, self._arguments, self.rules)
        self._episode: Episode | None = None
        self._play: Play | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Begin an episode.

        `options` may name a `workload`, a `snapshot` and values of `knobs` to begin with. With a
        seed, the run and its workload have that seed, as `slcache run --seed` gives them; without
        one, they have the next of the environment's random numbers. `info` tells what was begun.
        """
        # Gymnasium refuses some seeds in an error of its own, and takes some that no run has.
        super().reset(seed=None if seed is None else checked_seed(seed))
        start = self.rules.source.drawn(seed, options, self.np_random)
        episode = past.begun(self.rules, start)
        # What was under way goes on if there is no next one.
        self._put_away()
        self._episode, self._play = episode, Play(self.rules, start)
        episode.observe(self._figures)
        if self._recorder is not None:
            self._recorder.begin(start, self.config_hash)
        return self.rules.layout.observed(self._figures), start.told()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, Info]:  # noqa: ANN401
        """Turn knobs and run to the end of the next window, or of the trace.

        `info` has the window's counters and statistics. The trace's last window may end early.
        """
        episode, play = self._under_way()
        turns = play.turns(action, self._stands)
        ended = episode.step(turns, self._figures)
        figures = self._figures.tolist()
        info = self.rules.layout.told(figures, episode.operations())
        reward, truncated = play.judged(turns, figures, ended, info, self._stands)
        if self._recorder is not None:
            self._recorder.take(action, reward, info, play.over)
        return self.rules.layout.observed(self._figures), reward, ended, truncated, info

    def render(self) -> Any:  # noqa: ANN401
        """Return the episode so far as a line of text or a picture."""
        _, play = self._under_way()
        return play.render()

    def close(self) -> None:
        """End; an episode under way is recorded as far as it went."""
        self._put_away()
        self._episode = self._play = None

    def fork(self) -> Self:
        """Return an exact copy of device, queue, scheme and random numbers, mid-episode.

        Both go on alike under the same actions. The copy records nothing, nor does what `pickle`
        loads.
        """
        fork = super().fork()
        fork._recorder = None
        fork._episode = None if self._episode is None else self._episode.fork()
        fork._play = None if self._play is None else self._play.fork()
        return fork

    def _past(self) -> past.Past | None:
        return None if self._play is None else past.of(self._play)

    def _run_again(self, kept: past.Past) -> None:
        self._episode, self._play = past.again(self.rules, kept, self._figures)

    @property
    def over(self) -> str | None:
        """What ended the episode; None where there is a next step."""
        return self._under_way()[1].over

    def knobs(self) -> list[Knob]:
        """Return the knobs as they stand, with the values that they take now."""
        return boards.read(self._under_way()[0].knobs())

    def toward(self, wanted: Mapping[str, float]) -> Any:  # noqa: ANN401
        """Return the action that brings knobs nearer to named values and leaves the others."""
        boards.check(wanted, self.rules.knobs)
        return self.rules.actions.toward(wanted, self._under_way()[0].knob_values())

    def position(self, name: str) -> int:
        """Return where in an observation a figure is; EpisodeError where it is not observed."""
        names = self.rules.layout.names
        if name not in names:
            raise EpisodeError(f"{name}: not observed; observations has {', '.join(names)}")
        return names.index(name)

    @property
    def config(self) -> dict[str, Any]:
        """The configuration that runs."""
        document: dict[str, Any] = json.loads(self._under_way()[0].config())
        return document

    @property
    def config_hash(self) -> str:
        """What results call the configuration that runs."""
        return hashlib.sha256(self._under_way()[0].config().encode()).hexdigest()

    def finish(self) -> dict[str, Any]:
        """Run what is left of the trace and return the result document that `slcache run` gives.

        The episode is over then.
        """
        episode, play = self._under_way()
        document: dict[str, Any] = json.loads(episode.finish())
        play.over = "finish"
        return document

    def _stands(self) -> tuple[Sequence[float], Sequence[Bounds]]:
        episode, _ = self._under_way()
        return episode.knob_values(), episode.knob_bounds()

    def _under_way(self) -> tuple[Episode, Play]:
        if self._episode is None or self._play is None:
            raise EpisodeError("no episode is under way: reset the environment first")
        return self._episode, self._play

    def _put_away(self) -> None:
        """Record what there is of an episode that did not end."""
        if self._recorder is not None:
            self._recorder.close()
