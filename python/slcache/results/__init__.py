"""What simulations returned: runs, several schemes, several seeds; read, gathered, compared."""

from slcache.results.comparison import Comparison
from slcache.results.result import Result

__all__ = ["Comparison", "Result"]
