"""An episode under way: what actions turn in it, what its windows are worth, what is told of it."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from slcache._core import EpisodeError
from slcache.gym.actions import Stands
from slcache.gym.knobs import Turns
from slcache.gym.rules import Rules
from slcache.gym.source import Start


class Play:
    """All of an episode but the engine's part."""

    def __init__(self, rules: Rules, start: Start) -> None:
        self.start = start
        #: What each step so far turned.
        self.turned: list[Turns] = []
        #: Why there is no next step, once there is none.
        self.over: str | None = None
        #: Whether the reward of the last window failed: then it is not asked for again.
        self.failed = False
        self._rules = rules
        self._judge = rules.judge()
        self.reads_info = self._judge.reads_info

    def turns(self, action: Any, stands: Stands) -> Turns:  # noqa: ANN401
        """Return what an action turns; an error if there is no next step."""
        if self.over is not None:
            raise EpisodeError(f"step after {self.over}: reset the environment first")
        return self._rules.actions.turns(action, stands)

    def judged(
        self,
        turns: Turns,
        figures: Sequence[float],
        ended: bool,
        info: dict[str, Any],
    ) -> tuple[float, bool]:
        """Return the reward of the window just over, and whether the episode is truncated.

        `turns` are those it began with. A reward that fails ends the episode: the window has run
        and cannot be taken back.
        """
        self.turned.append(turns)
        windows = len(self.turned)
        truncated = not ended and windows == self._rules.max_windows
        if ended or truncated:
            self.over = "the end of the trace" if ended else f"max_windows = {windows}"
        try:
            return self._judge.of(figures, info), truncated
        except BaseException:
            self.over, self.failed = "a reward that failed", True
            raise

    def fork(self) -> Play:
        """Return one that goes on as this one does."""
        fork = copy.copy(self)
        fork._judge = self._judge.fork()
        fork.turned = list(self.turned)
        return fork
