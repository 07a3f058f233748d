"""Mechanisms of a drive's latency, each switched off alone: which explains which percentile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from slcache.drives.fills import SCHEME

Device = dict[str, Any]
#: A page of one plane.
PAGE_BYTES = 16_384


def _controller(device: Device) -> Device:
    device["device"].pop("controller", None)
    return device


def _jitter(device: Device) -> Device:
    device["device"].get("controller", {}).pop("jitter_ns", None)
    return device


def _stripes(device: Device) -> Device:
    device["scheme-defaults"][SCHEME].pop("placement", None)
    return device


def _page_types(device: Device) -> Device:
    for pool in device["device"]["pool"]:
        for mode in pool.values():
            if isinstance(mode, dict) and "read_ns" in mode:
                mode["read_ns"] = [sum(mode["read_ns"]) // len(mode["read_ns"])]
    return device


def _joined_planes(device: Device) -> Device:
    """Two planes of half the page for each plane that stands for those of a die."""
    client = device["scheme-defaults"][SCHEME]
    for pool in device["device"]["pool"]:
        joined = pool["page_bytes"] // PAGE_BYTES
        pool["planes"] *= joined
        pool["page_bytes"] = PAGE_BYTES
        for part in (client.get("dense", {}), client.get("fold", {})):
            if "parallel" in part:
                part["parallel"] *= joined
    return device


def _variation(device: Device) -> Device:
    for pool in device["device"]["pool"]:
        for mode in pool.values():
            if isinstance(mode, dict):
                mode.pop("program_variation", None)
    return device


def _cleaning_ahead(device: Device) -> Device:
    device["scheme-defaults"][SCHEME].get("dense", {}).pop("clean_ahead", None)
    return device


def _map_cache(device: Device) -> Device:
    device["device"].pop("map", None)
    return device


#: What takes a mechanism out of a device's content, by the mechanism's name.
MECHANISMS: Mapping[str, Callable[[Device], Device]] = {
    "controller": _controller,
    "jitter of commands": _jitter,
    "stripes": _stripes,
    "page types": _page_types,
    "planes of a die as one": _joined_planes,
    "variation of programs": _variation,
    "cleaning ahead": _cleaning_ahead,
    "map cache": _map_cache,
}
