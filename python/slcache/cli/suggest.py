"""Adding the nearest known name to the simulator's complaint about an unknown one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from slcache import ConfigError, api
from slcache.cli.options import nearest


@contextlib.contextmanager
def suggestions(schemes: Sequence[str], device: str) -> Iterator[None]:
    """Name the nearest scheme or preset when the configuration fails over a misspelt one."""
    try:
        yield
    except ConfigError as error:
        message = str(error)
        if "did you mean" in message:
            raise
        hints = _unknown("scheme", schemes, [entry["name"] for entry in api.schemes()], message)
        if not device.endswith(".toml"):
            known = [entry["name"] for entry in api.devices()]
            hints += _unknown("device", [device], known, message)
        raise ConfigError("\n".join([message, *hints])) from error


def _unknown(what: str, names: Sequence[str], known: Sequence[str], message: str) -> list[str]:
    """Return a hint for each name that the catalogue lacks and the message is about."""
    return [
        f"no {what} is called {name!r}{nearest(name, known)}"
        for name in names
        if name not in known and name in message
    ]
