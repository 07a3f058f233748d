"""Train PPO of stable-baselines3 to control an SLC cache, and draw how it learns.

    pip install 'slcache[sb3]'
    python examples/train_sb3.py --out train_sb3.png

It measures constant policies first, then the agent after every few thousand steps, in an episode
that it is not trained on. A score of 0 is that of the worst constant policy, 1 that of the best.
"""

import argparse

import gymnasium
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

import slcache.gym
from slcache.gym import agents, constants, play
from slcache.plots import images, style

TEST_SEED = 1_000_000
STEPS_BETWEEN = 4096
OBSERVED = ["signal.slc_share", "signal.slc_demand_share", "signal.slc_update_share",
            "knob.theta_bytes", "write_mean_ns", "migration_flash_ns", "gc_flash_ns"]  # fmt: skip


def made() -> gymnasium.Env:
    """Return the environment: a device that is 80 % full, and writes of all sizes."""
    return gymnasium.make(
        slcache.gym.ENV_ID,
        device="examples/rl-1g.toml",
        workload="examples/mixed-sizes.toml",
        scheme="rl",
        settings={"precondition.fill": 0.8},
        replay="closed:1",
        reward="latency",
        observations=OBSERVED,
    )


class Trained:
    """A policy of stable-baselines3, measured without exploring."""

    def __init__(self, model, vector) -> None:
        self.model, self.vector = model, vector

    def begin(self, env) -> None:
        """Need to know nothing."""

    def act(self, observation) -> int:
        """Return the action that the policy prefers."""
        seen = self.vector.normalize_obs(observation)
        return int(self.model.predict(seen, deterministic=True)[0])

    def learn(self, observation, reward) -> None:
        """Learn nothing."""


def baselines(test, scale) -> dict[str, float]:
    """Return the scores of agents that do not learn."""
    known = {"knobs left alone": agents.Constant(), "random": agents.Random(1)}
    return {name: scale.share(play(test, agent, seed=TEST_SEED)) for name, agent in known.items()}


def trained(test, scale, steps: int) -> list[tuple[int, float]]:
    """Return the scores of an agent as it learns."""
    vector = VecNormalize(DummyVecEnv([made]))
    model = PPO("MlpPolicy", vector, n_steps=1024, gamma=0.9, seed=1, device="cpu")
    curve = []
    while True:
        score = scale.share(play(test, Trained(model, vector), seed=TEST_SEED))
        curve.append((model.num_timesteps, score))
        print(f"{curve[-1][0]:6} steps: {score:.3f}", flush=True)
        if model.num_timesteps >= steps:
            return curve
        model.learn(STEPS_BETWEEN, reset_num_timesteps=False)


def drawn(curve, others):
    """Return the picture of a learning curve beside the scores of others."""
    figure, (area,) = style.panels(1, 1, 3.2)
    steps, scores = zip(*curve, strict=True)
    area.plot(steps, scores, color=style.scheme_colour(0), marker=".", label="PPO")
    for index, (name, score) in enumerate(others.items(), start=1):
        area.axhline(score, color=style.scheme_colour(index), ls="--", label=f"{name}: {score:.3f}")
    area.axhline(1.0, color=style.INK, lw=0.8, label="best constant: 1")
    area.set_xlabel("steps of training")
    area.set_ylabel("score")
    style.title(area, "score in an episode not trained on")
    style.legend(area, "best")
    return figure


def main() -> None:
    """Measure, train and draw."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=60_000)
    parser.add_argument("--out", default="train_sb3.png")
    asked = parser.parse_args()
    test = made()
    scale = constants(test, seed=TEST_SEED, per_knob=5)
    print(f"worst constant: {scale.worst}\nbest constant: {scale.best}")
    others = baselines(test, scale)
    print(*(f"{name}: {score:.3f}" for name, score in others.items()), sep="\n")
    figure = drawn(trained(test, scale, asked.steps), others)
    with open(asked.out, "wb") as file:
        file.write(images.png(figure))


if __name__ == "__main__":
    main()
