"""A tabular agent outside the simulator that decides exactly as the built-in learner `rl` does.

Run it with `python examples/tabular_q.py`: it plays an episode, has the built-in learner replay
the same trace with the same seed, and prints what both came to.
"""

import gymnasium
import numpy as np

import slcache
from slcache.gym import Stream

ALPHA, GAMMA, EPSILON, STAY = 0.1, 0.8, 0.07, 4
FIGURES = ("slc_share", "utilisation", "slc_demand_share", "slc_update_share")
LIMITS, BINS = (0.56, 1.0, 1.0, 1.0), (9, 4, 2, 2)


class TabularQ:
    """Q-learning over 1296 states: the bins of four figures, and the action before."""

    def __init__(self, seed: int) -> None:
        self.table = np.zeros((1296, 9))
        self.stream = Stream(seed, "agent")
        self.state, self.action = None, STAY

    def learn(self, observation: np.ndarray, reward: float) -> None:
        """Decide on the next action; then learn what the one before was worth."""
        parts = zip(observation, LIMITS, BINS, strict=True)
        slc, used, demand, update = (min(int(x / top * n), n - 1) for x, top, n in parts)
        state = (((slc * 4 + used) * 9 + self.action) * 2 + demand) * 2 + update
        action = self.chosen(self.table[state])
        if self.state is not None:
            target = reward + GAMMA * self.table[state].max()
            self.table[self.state, self.action] += ALPHA * (
                target - self.table[self.state, self.action]
            )
        self.state, self.action = state, action

    def chosen(self, row: np.ndarray) -> int:
        """Return the best action, one of several by lot, or now and then any other."""
        explores = self.stream.fraction() < EPSILON
        best = np.flatnonzero(row == row.max())
        action = int(best[0] if len(best) == 1 else best[self.stream.below(len(best))])
        if explores:
            other = self.stream.below(8)
            action = other + (other >= action)
        return action


def play(seed: int = 1, **arguments: object) -> tuple[TabularQ, dict]:
    """Play an episode; return the agent and the result document of the run."""
    observed = [f"signal.{name}" for name in FIGURES]
    env = gymnasium.make("slcache/SlcCache-v0", scheme="rl", observations=observed, **arguments)
    env.reset(seed=seed)
    agent, over = TabularQ(seed), False
    while not over:
        observation, reward, over, _, _ = env.step(agent.action)
        if not over:
            agent.learn(observation, reward)
    return agent, env.unwrapped.finish()


if __name__ == "__main__":
    load = {"device": "rl-32g", "replay": "closed:1", "trace_options": {"workload.requests": "1000000"}}
    agent, outside = play(workload="zipf-4k", **load)
    built_in = slcache.run("zipf-4k", scheme="rl", seed=1, **load).to_dict()
    for name, document in (("outside", outside), ("built in", built_in)):
        latency = document["host"]["write"]["latency_us"]["mean"]
        print(f"{name}: mean write latency {latency:.3f} µs, WAF {document['waf']['total']:.4f}")
