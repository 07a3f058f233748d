"""slcache: a fast, deterministic simulator of hybrid SSDs and their SLC caches.

>>> import slcache
>>> both = slcache.compare("trace.csv.gz", device="tiny", schemes=["tlc-only", "baseline"])
>>> print(both)
>>> both.save("out")
"""

from slcache import _boot, _core, trace  # noqa: F401
from slcache.catalogue import device_facts, devices, fitting, formats, resolve, schemes
from slcache.cliffs import cliff
from slcache.errors import (
    ConfigError,
    EpisodeError,
    Error,
    ResultError,
    RunError,
    TraceError,
    UsageError,
)
from slcache.repeat import rerun
from slcache.results import Comparison, Result
from slcache.results.differences import diff, load
from slcache.scheme import Scheme, dense, option, reclaim, slc
from slcache.search import tune
from slcache.simulation import compare, run
from slcache.study import sweep
from slcache.trace import Trace, generate, workload, workloads

__version__: str = _core.version()

__all__ = [
    "Comparison",
    "ConfigError",
    "EpisodeError",
    "Error",
    "Result",
    "ResultError",
    "RunError",
    "Scheme",
    "Trace",
    "TraceError",
    "UsageError",
    "__version__",
    "cliff",
    "compare",
    "dense",
    "device_facts",
    "devices",
    "diff",
    "fitting",
    "formats",
    "generate",
    "load",
    "option",
    "reclaim",
    "rerun",
    "resolve",
    "run",
    "schemes",
    "slc",
    "sweep",
    "trace",
    "tune",
    "workload",
    "workloads",
]


def __dir__() -> list[str]:
    """Return the public names: modules that something has loaded are no part of the interface."""
    return sorted(__all__)
