"""Mechanisms of a drive's latency, each switched off alone: which explains which percentile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from slcache.drives.fills import SCHEME

Device = dict[str, Any]


def _controller(device: Device) -> Device:
    device["device"].pop("controller", None)
    return device


def _page_types(device: Device) -> Device:
    for pool in device["device"]["pool"]:
        for mode in pool.values():
            if isinstance(mode, dict) and "read_ns" in mode:
                mode["read_ns"] = [sum(mode["read_ns"]) // len(mode["read_ns"])]
    return device


def _stripes(device: Device) -> Device:
    for key in ("stripe_planes", "stripes_in_flight", "run_overhead_ns"):
        device.get("buffer", {}).pop(key, None)
    return device


def _folding_inside(device: Device) -> Device:
    device["scheme-defaults"][SCHEME].get("flush", {}).pop("inside_ratio", None)
    return device


def _map_cache(device: Device) -> Device:
    device["device"].pop("map", None)
    return device


#: What takes a mechanism out of a device's content, by the mechanism's name.
MECHANISMS: Mapping[str, Callable[[Device], Device]] = {
    "controller": _controller,
    "page types": _page_types,
    "stripes": _stripes,
    "folding inside": _folding_inside,
    "map cache": _map_cache,
}
