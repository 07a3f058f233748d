"""What simulations returned: runs, several schemes, several seeds; read, gathered, compared."""

from slcache.results.result import Comparison, Result

__all__ = ["Comparison", "Result"]
