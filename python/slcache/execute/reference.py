"""The same run without a cache, which shares of a gain are of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from slcache.execute import given
from slcache.execute.run import Run


def scheme_of(config: Mapping[str, Any]) -> str:
    """Return the scheme without a cache of the device of a resolved configuration."""
    return "tlc-only" if config["device"].get("disk") is None else "disk-only"


def without_scheme(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a resolved configuration as a device of its own."""
    found: dict[str, Any] = _said({key: part for key, part in config.items() if key != "scheme"})
    return found


def _said(value: object) -> Any:  # noqa: ANN401
    """Return what is there: a device has no word for nothing."""
    if isinstance(value, Mapping):
        return {key: _said(inner) for key, inner in value.items() if inner is not None}
    return [_said(inner) for inner in value] if isinstance(value, list) else value


def beside(run: Run) -> Run:
    """Return a run with all the same but its scheme; its `config` raises where none can be."""
    scheme = scheme_of(run.config)
    return replace(
        run,
        title=f"{run.title}, {scheme} beside it",
        device=given.text_of(without_scheme(run.config)),
        scheme=scheme,
        settings={},
        replay=None,
        seed=None,
        after=None,
        memory_in=None,
        log=None,
        timelines=(),
        resolved=None,
    )
