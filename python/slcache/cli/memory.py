"""What runs take of the machine's memory, told before the first of them."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from slcache import _core, api, catalogue
from slcache.cli import console
from slcache.errors import Error
from slcache.given.content import Content, device_of
from slcache.words import units

#: From here on it is told.
_MUCH_BYTES = 1 << 30


def tell(
    device: Content,
    schemes: Sequence[str],
    settings: Mapping[str, Any] | None,
    state: str | None = None,
) -> None:
    """Tell what a run takes, and whether there is as much; what cannot run says so itself."""
    with contextlib.suppress(Error):
        given = api.addressed(settings, None, state=state)
        needs = [
            _need(device, name, catalogue.settings_for(given, name, schemes)) for name in schemes
        ]
        begun, whole, free = max(needs, key=lambda need: need[1])
        if whole < _MUCH_BYTES:
            return
        told = f"a run takes about {units.size(begun)} of memory as it begins"
        told += f", and up to {units.size(whole)} once all of the device is written"
        if free is not None and whole > free:
            told += f"; {units.size(free)} are free: slcache cliff --scale 1/16 takes a part of it"
        console.note(told)


def _need(device: Content, scheme: str, settings: Mapping[str, Any]) -> tuple[int, int, int | None]:
    name, given = catalogue.variant(scheme, settings)
    sets = catalogue.sets(given)
    return _core.memory_outlook({"device": device_of(device), "scheme": name, "sets": sets})
