"""What of a configuration is drawn, and so another thing with every seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from slcache.words.leaves import leaves

#: Agents that draw their actions, or some of them.
_AGENTS = ("q-learning", "random")


def by_seed(config: Mapping[str, Any]) -> list[str]:
    """Return the settings of a whole configuration by which a seed changes a run.

    A workload is drawn beside these; a recording is the same for every seed.
    """
    return [*_before(config.get("precondition") or {}), *_of_scheme(config.get("scheme") or {})]


def _before(state: Mapping[str, Any]) -> Iterator[str]:
    if not state.get("fill"):
        return
    if state.get("overwrite"):
        yield f"precondition.overwrite = {state['overwrite']:g}"
    elif state.get("steady"):
        yield "precondition.steady = true"


def _of_scheme(scheme: Mapping[str, Any]) -> Iterator[str]:
    for key, value in leaves(scheme):
        name = key.rpartition(".")[2]
        if key.endswith("victim.d-choices.d"):
            yield f"scheme.{key} = {value}"
        elif (name == "victim" and value == "random") or (name == "agent" and value in _AGENTS):
            yield f'scheme.{key} = "{value}"'
