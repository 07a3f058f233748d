"""An episode under way: what actions turn in it, what its windows are worth, what is told of it."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from slcache._core import EpisodeError
from slcache.gym import rewards
from slcache.gym.actions import Stands
from slcache.gym.knobs import Turns
from slcache.gym.render import History, Row
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
        self.history: History | None = None
        if rules.render_mode is not None:
            title = f"{rules.source.scheme} on {rules.source.device}, {start.workload}"
            self.history = History(f"{title}, seed {start.seed}", rules.knobs)

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
        stands: Stands,
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
            reward = self._judge.of(figures, info)
        except BaseException:
            self.over, self.failed = "a reward that failed", True
            raise
        if self.history is not None:
            self.history.rows.append(self._row(figures, reward, stands()[0]))
        return reward, truncated

    def render(self) -> Any:  # noqa: ANN401
        """Return the episode so far in the render mode."""
        if self.history is None:
            raise EpisodeError(
                'render: make the environment with render_mode="ansi" or "rgb_array"'
            )
        is_picture = self._rules.render_mode == "rgb_array"
        return self.history.picture() if is_picture else self.history.text()

    def fork(self) -> Play:
        """Return one that goes on as this one does."""
        fork = copy.copy(self)
        fork._judge = self._judge.fork()
        fork.turned = list(self.turned)
        if self.history is not None:
            fork.history = History(self.history.title, self.history.knobs, list(self.history.rows))
        return fork

    def _row(self, figures: Sequence[float], reward: float, values: Sequence[float]) -> Row:
        at = self._rules.layout.at
        return Row(
            knobs=tuple(values),
            latency_ns=rewards.mean_latency_ns(figures, rewards.latencies_at(at)),
            waf=figures[at("waf")],
            reward=reward,
        )
