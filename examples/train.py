"""Compare agents that size an SLC cache: constants, random moves, a Q-table and, if installed, PPO.

    pip install 'slcache[gym]' stable-baselines3
    python examples/train.py

Each agent plays an episode that it was not trained on. Printed is the mean latency of a window.
"""

import argparse
import itertools
from pathlib import Path

import gymnasium
import numpy as np

from slcache.gym import ENV_ID, Stream

HERE = Path(__file__).parent
TEST_SEED = 1_000_000
SEEN_BY_TABLE = ["slc_share", "utilisation", "slc_demand_share", "slc_update_share"]
SEEN_BY_PPO = ["signal.slc_share", "signal.slc_demand_share", "signal.slc_update_share",
               "knob.theta_bytes", "write_mean_ns", "migration_flash_ns", "gc_flash_ns"]


def environment(**arguments):
    """Return the environment: a device that is 80 % full at first, and writes of all sizes."""
    task = {
        "device": HERE / "rl-1g.toml",
        "workload": HERE / "mixed-sizes.toml",
        "settings": {"precondition.fill": 0.8},
        "replay": "closed:1",
        "reward": "latency",
        "observations": [f"signal.{name}" for name in SEEN_BY_TABLE],
    }
    return gymnasium.make(ENV_ID, scheme="rl", **{**task, **arguments})


def play(env, act, learn=None, seed=TEST_SEED, knobs=None):
    """Play an episode; return the mean reward of its windows."""
    observation, _ = env.reset(seed=seed, options={"knobs": knobs or {}})
    rewards, over = [], False
    while not over:
        observation, reward, terminated, truncated, _ = env.step(act(observation))
        rewards.append(reward)
        over = terminated or truncated
        if learn and not over:
            learn(observation, reward)
    return np.mean(rewards)


class QTable:
    """Q-learning over 1,296 states, bins of four signals and the action before: scheme `rl`'s."""

    alpha, gamma, epsilon, stay = 0.1, 0.8, 0.07, 4
    limits, bins = (0.56, 1.0, 1.0, 1.0), (9, 4, 2, 2)

    def __init__(self, seed):
        self.table, self.stream = np.zeros((1296, 9)), Stream(seed, "agent")

    def play(self, env, seed=TEST_SEED):
        """Play an episode and learn; return the mean reward of its windows."""
        self.state, self.action = None, self.stay
        return play(env, lambda _: self.action, self.learn, seed)

    def learn(self, observation, reward):
        """Decide on the next action; then learn what the one before was worth."""
        parts = zip(observation, self.limits, self.bins, strict=True)
        slc, used, demand, update = (min(int(x / top * n), n - 1) for x, top, n in parts)
        state = (((slc * 4 + used) * 9 + self.action) * 2 + demand) * 2 + update
        action = self.chosen(self.table[state])
        if self.state is not None:
            target, known = reward + self.gamma * self.table[state].max(), self.table[self.state]
            known[self.action] += self.alpha * (target - known[self.action])
        self.state, self.action = state, action

    def chosen(self, row):
        """Return the best action, one of several by lot, or now and then any other."""
        explores = self.stream.fraction() < self.epsilon
        best = np.flatnonzero(row == row.max())
        action = int(best[0] if len(best) == 1 else best[self.stream.below(len(best))])
        other = self.stream.below(8) if explores else action
        return other + (other >= action) if explores else action


def constants(env, per_knob=5):
    """Return the mean reward of each pair of knobs that are set once and left alone."""
    env.reset(seed=TEST_SEED)
    knobs, evenly = env.unwrapped.knobs(), np.linspace(0, 1, per_knob)
    values = [[knob.places[int(at * (len(knob.places) - 1))] for at in evenly] for knob in knobs]
    names = [knob.name for knob in knobs]
    every = [dict(zip(names, pair, strict=True)) for pair in itertools.product(*values)]
    return {str(knobs): play(env, lambda _: QTable.stay, knobs=knobs) for knobs in every}


def ppo(steps):
    """Return the mean reward of PPO of stable-baselines3 after so many steps of training."""
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

    vector = VecNormalize(DummyVecEnv([lambda: environment(observations=SEEN_BY_PPO)]))
    model = PPO("MlpPolicy", vector, n_steps=1024, gamma=0.9, seed=1, device="cpu").learn(steps)

    def act(observation):
        return int(model.predict(vector.normalize_obs(observation), deterministic=True)[0])

    return play(environment(observations=SEEN_BY_PPO), act)


def main():
    """Play all, and print a line for each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--episodes", type=int, default=120, help="of training, 177 windows each")
    episodes, test = parser.parse_args().episodes, environment()

    def show(name, reward):
        print(f"{name:24} {-reward:7.3f} ms", flush=True)

    show("knobs left alone", play(test, lambda _: QTable.stay))
    found = constants(test)
    show("worst constant", min(found.values()))
    show("best constant", max(found.values()))
    print(" " * 24, max(found, key=found.get))
    test.action_space.seed(1)
    show("random moves", play(test, lambda _: test.action_space.sample()))
    table, training = QTable(1), environment()
    for seed in range(1, episodes + 1):
        table.play(training, seed)
    show("Q-table", table.play(test))
    try:
        show("PPO", ppo(177 * episodes))
    except ImportError:
        print("PPO needs stable-baselines3")


if __name__ == "__main__":
    main()
