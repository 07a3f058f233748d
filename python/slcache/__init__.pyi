from . import bounds as bounds
from . import trace as trace
from .catalogue import device_facts, devices, fitting, formats, resolve, schemes
from .cliffs import cliff
from .errors import (
    ConfigError,
    EpisodeError,
    Error,
    ResultError,
    RunError,
    TraceError,
    UsageError,
)
from .repeat import rerun
from .results import Comparison, Result
from .results.differences import diff, load
from .scheme import Scheme, dense, option, reclaim, slc
from .search import tune
from .simulation import compare, run
from .study import sweep
from .trace import Trace, generate, workload, workloads

__version__: str

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
    "bounds",
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
