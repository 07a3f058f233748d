"""slcache: a fast, deterministic simulator of hybrid SSDs and their SLC caches.

>>> import slcache
>>> both = slcache.compare("trace.csv.gz", device="tiny", schemes=["tlc-only", "baseline"])
>>> print(both.summary())
>>> both.save("out")
"""

from slcache._core import ConfigError, EpisodeError, RunError, TraceError
from slcache.api import compare, devices, fitting, formats, resolve, run, schemes
from slcache.differences import diff
from slcache.documents import ResultError
from slcache.results import Comparison, Result, load
from slcache.sweep.api import sweep
from slcache.traces import Trace, generate, merge, workload, workloads

__all__ = [
    "Comparison",
    "ConfigError",
    "EpisodeError",
    "Result",
    "ResultError",
    "RunError",
    "Trace",
    "TraceError",
    "compare",
    "devices",
    "diff",
    "fitting",
    "formats",
    "generate",
    "load",
    "merge",
    "resolve",
    "run",
    "schemes",
    "sweep",
    "workload",
    "workloads",
]
