"""slcache: a fast, deterministic simulator of hybrid SSDs and their SLC caches.

>>> import slcache
>>> both = slcache.compare("trace.csv.gz", device="tiny", schemes=["tlc-only", "baseline"])
>>> print(both)
>>> both.save("out")
"""

import lazy_loader

from slcache import _boot, _core  # noqa: F401

__version__: str = _core.version()

# What `__init__.pyi` imports is loaded when it is first asked for: a verb loads only its own.
__getattr__, _, _names = lazy_loader.attach_stub(__name__, __file__)
__all__ = [*_names, "__version__"]


def __dir__() -> list[str]:
    """Return the public names: modules that something has loaded are no part of the interface."""
    return sorted(__all__)
