"""The Gymnasium environments: `import slcache.gym` registers them.

>>> import gymnasium
>>> import slcache.gym
>>> env = gymnasium.make("slcache/SlcCache-v0", device="rl-32g", workload="zipf-4k", scheme="rl")
>>> observation, info = env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
"""

try:
    import gymnasium
except ModuleNotFoundError as error:
    raise ImportError("slcache.gym needs Gymnasium: pip install 'slcache[gym]'") from error

from slcache._core import EpisodeError, Stream
from slcache.gym.env import SlcCacheEnv
from slcache.gym.placement import PlacementEnv
from slcache.gym.vector import SlcCacheVectorEnv

__all__ = [
    "ENV_ID",
    "PLACEMENT_ID",
    "EpisodeError",
    "PlacementEnv",
    "SlcCacheEnv",
    "SlcCacheVectorEnv",
    "Stream",
]

#: The id that Gymnasium makes the environment by.
ENV_ID = "slcache/SlcCache-v0"

gymnasium.register(
    ENV_ID,
    entry_point="slcache.gym.env:SlcCacheEnv",
    vector_entry_point="slcache.gym.vector:SlcCacheVectorEnv",
)

#: The id of the environment in which an agent places writes.
PLACEMENT_ID = "slcache/Placement-v0"

gymnasium.register(PLACEMENT_ID, entry_point="slcache.gym.placement:PlacementEnv")
