"""slcache: a fast, deterministic simulator of hybrid SSDs and their SLC caches.

>>> import slcache
>>> both = slcache.compare("trace.csv.gz", device="tiny", schemes=["tlc-only", "baseline"])
>>> print(both)
>>> both.save("out")
"""

import importlib
from importlib.util import find_spec
from typing import Any

import lazy_loader

from slcache import _boot, _core  # noqa: F401

__version__: str = _core.version()

# What `__init__.pyi` imports is loaded when it is first asked for: a verb loads only its own.
_public, _, _names = lazy_loader.attach_stub(__name__, __file__)
__all__ = [*_names, "__version__"]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Return a public name or a module, which is loaded now."""
    if name in _names:
        return _public(name)
    if not name.isidentifier() or name.startswith("_") or find_spec(f"slcache.{name}") is None:
        raise AttributeError(f"module 'slcache' has no attribute {name!r}")
    return importlib.import_module(f"slcache.{name}")


def __dir__() -> list[str]:
    """Return the public names: modules that something has loaded are no part of the interface."""
    return sorted(__all__)
