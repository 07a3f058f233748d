"""A tabular agent outside the simulator that decides exactly as the built-in learner `rl` does.

`python examples/tabular_q.py` has both play the same trace with the same seed, and prints what
they came to.
"""

import gymnasium
import numpy as np

import slcache
from slcache.gym import ENV_ID, Stream

ALPHA, GAMMA, EPSILON, STAY = 0.1, 0.8, 0.07, 4
FIGURES = ("slc_share", "utilisation", "slc_demand_share", "slc_update_share")
LIMITS, BINS = (0.56, 1.0, 1.0, 1.0), (9, 4, 2, 2)


class TabularQ:
    """Q-learning over 1296 states: the bins of four figures, and the action before."""

    def __init__(self, seed):
        self.table, self.stream = np.zeros((1296, 9)), Stream(seed, "agent")
        self.state, self.action = None, STAY

    def learn(self, observation, reward):
        """Decide on the next action; then learn what the one before was worth."""
        parts = zip(observation, LIMITS, BINS, strict=True)
        slc, used, demand, update = (min(int(x / top * n), n - 1) for x, top, n in parts)
        state = (((slc * 4 + used) * 9 + self.action) * 2 + demand) * 2 + update
        action = self.chosen(self.table[state])
        if self.state is not None:
            target, known = reward + GAMMA * self.table[state].max(), self.table[self.state]
            known[self.action] += ALPHA * (target - known[self.action])
        self.state, self.action = state, action

    def chosen(self, row):
        """Return the best action, one of several by lot, or now and then any other."""
        explores = self.stream.fraction() < EPSILON
        best = np.flatnonzero(row == row.max())
        action = int(best[0] if len(best) == 1 else best[self.stream.below(len(best))])
        other = self.stream.below(8) if explores else action
        return other + (other >= action) if explores else action


def play(seed=1, **arguments):
    """Play an episode; return the agent and the result document of the run."""
    observed = [f"signal.{name}" for name in FIGURES]
    env = gymnasium.make(ENV_ID, scheme="rl", observations=observed, **arguments)
    env.reset(seed=seed)
    agent, over = TabularQ(seed), False
    while not over:
        observation, reward, over, _, _ = env.step(agent.action)
        if not over:
            agent.learn(observation, reward)
    return agent, env.unwrapped.finish()


if __name__ == "__main__":
    load = {"device": "rl-32g", "trace_options": {"workload.requests": "1000000"}}
    built_in = slcache.run("zipf-4k", scheme="rl", replay="closed:1", seed=1, **load).to_dict()
    outside = play(workload="zipf-4k", replay="closed:1", **load)[1]
    for name, document in (("built in", built_in), ("outside", outside)):
        latency = document["host"]["write"]["latency_us"]["mean"]
        print(f"{name}: mean write latency {latency} µs, WAF {document['waf']['total']}")
