"""The analytic models of the schemes, to be asked without a simulation.

>>> from slcache.reproduce import equations
>>> hits = lambda u: u**0.3
>>> costs = equations.hyssd_cost("hyssd-st", write_share=0.8, write_hits=hits, read_hits=hits)
>>> costs.best, costs.cost_ns.min()
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from slcache import _core
from slcache.errors import UsageError, about
from slcache.files import Path
from slcache.options import checked, refuse

Values = NDArray[np.float64]
Numbers = Sequence[float] | Values
#: A share for each utilisation, one for all of them, or a function of the utilisation.
Hits = Callable[[float], float] | Numbers | float
Tier = Mapping[str, float]

#: What describes a tier: costs per unit in ns, units of a block, size with its spare blocks.
TIER_KEYS = ("read_ns", "program_ns", "copyback_ns", "erase_ns", "units_per_block", "bytes")
#: 5 % to 97 % by 1 %, where the scheme searches.
UTILISATION = tuple(percent / 100 for percent in range(5, 98))


#: What describes the chip of a flash cache: cycles of a block in either mode, its capacity in SLC
#: mode, how many times as much it holds in the dense one, and the blocks of both regions.
CHIP_KEYS = ("slc_cycles", "dense_cycles", "slc_block_bytes", "dense_bits", "blocks")
#: Bytes of a pass: what the host writes, and what is programmed in either region, together and
#: where it is the only one.
VOLUME_KEYS = ("host_bytes", "slc_bytes", "dense_bytes", "slc_only_bytes", "dense_only_bytes")
#: The region that is worn out first; `neither` where nothing is programmed.
First = Literal["slc", "dense", "both", "neither"]


@dataclass(frozen=True)
class HyssdCost:
    """What the model says; arrays have an entry for each utilisation."""

    #: Utilisation of the fast tier.
    utilisation: Values
    #: Mean time of flash operations per unit accessed, ns; infinite where the tiers cannot work.
    cost_ns: Values
    #: That of a write.
    write_ns: Values
    #: That of a read.
    read_ns: Values
    #: Utilisation of the dense tier, which holds the rest of the data.
    dense_utilisation: Values
    #: The utilisation of the least cost, the first of equals; None where no cost is finite.
    best: float | None


@dataclass(frozen=True)
class NvcLifespan:
    """How long the flash in front of a disk lasts."""

    #: Passes of the workload until all of the flash is worn out; infinite if it never is.
    passes: float
    #: What the host can write until then; None where a pass writes nothing.
    host_bytes: float | None
    #: The region that is worn out first.
    first: First
    #: Passes until the SLC region is worn out while both serve; None where there is but one.
    slc_passes: float | None
    #: The same of the dense region.
    dense_passes: float | None
    #: The share of SLC blocks at which these volumes would wear out both at the same time.
    even_slc_share: float | None


@overload
def victim_utilisation(utilisation: float) -> float: ...
@overload
def victim_utilisation(utilisation: Numbers) -> Values: ...
def victim_utilisation(utilisation: float | Numbers) -> float | Values:
    """Return the share of live data in the block that cleaning takes, for each utilisation.

    It is `U` in `u = (U - 1) / ln U`, where `u` is the utilisation of the device, 0 to 1: random
    updates thin blocks out exponentially while they wait for cleaning in the order of their age.
    A number gives a number, a sequence an array. ValueError for what is no share.
    """
    values = _shares("utilisation", np.ravel(utilisation))
    found = np.array(_core.victim_utilisation(values))
    return found if np.ndim(utilisation) else float(found[0])


@checked
def hyssd_cost(
    device: Path | Mapping[str, Tier],
    *,
    write_share: float,
    write_hits: Hits,
    read_hits: Hits,
    utilisation: Numbers = UTILISATION,
    data_bytes: float | None = None,
    unit_bytes: int | None = None,
) -> HyssdCost:
    """Return what HySSD's cost model says of each utilisation `u` of the fast tier.

    `device` is a preset or a file, of which the tiers of the scheme `hyssd-static` are taken with
    their times, bus included, per unit of `unit_bytes`, by default a logical page. Or it has
    `fast` and `dense`, each a mapping with `TIER_KEYS`: what it costs to read, program and move a
    unit (all its pages) and to erase a block, in ns; how many units a block holds; and the size
    in bytes with its spare blocks. `data_bytes` are the live data of both, by default all that
    the device can hold. `write_share` is the share of writes among the accesses, `write_hits` and
    `read_hits` the share of the writes and reads whose unit lies in the fast tier at each
    utilisation: a sequence of the same length, a function of the utilisation, or one number.

    A write to a tier costs its program and its share of the cleaning, `U` being
    `victim_utilisation(u)` and `N` the units of a block:

        W(u) = (U N copyback + erase) / floor((1 - U) N) + program

    The dense tier has the utilisation `u_D = (data_bytes - u S_F) / S_D`. A write that misses
    moves another unit to the dense tier first:

        write = H_w W_F(u) + (1 - H_w) (read_F + W_D(u_D) + W_F(u))
        read  = H_r read_F + (1 - H_r) read_D
        cost  = write_share write + (1 - write_share) read

    Costs are infinite where either tier cannot be written to: `u_D` is 1 or more, or the victim
    gives no whole unit. UsageError names what is missing or out of range, ConfigError what is
    wrong with the device.
    """
    if not isinstance(utilisation, Sequence | np.ndarray) or isinstance(utilisation, str | bytes):
        refuse("utilisation", utilisation, "must be a list of shares from 0 to 1")
    at = _shares("utilisation", utilisation)
    fast, dense, most_bytes = _tiers(device, unit_bytes)
    held = most_bytes if data_bytes is None else data_bytes
    if held is None:
        raise _wrong("data_bytes", ": missing; only a device says how much it can hold")
    found = _core.hyssd_cost(
        fast=fast,
        dense=dense,
        data_bytes=_number("data_bytes", held, 0, math.inf),
        utilisation=at,
        write_share=_number("write_share", write_share, 0, 1),
        write_hits=_hits("write_hits", write_hits, at),
        read_hits=_hits("read_hits", read_hits, at),
    )
    *arrays, best = found
    cost_ns, write_ns, read_ns, dense_utilisation = map(np.array, arrays)
    return HyssdCost(np.array(at), cost_ns, write_ns, read_ns, dense_utilisation, best)


@checked
def nvc_lifespan(
    chip: Mapping[str, float], *, slc_share: float, volumes: Mapping[str, float]
) -> NvcLifespan:
    """Return how long a flash cache lasts whose blocks are SLC ones to the share `slc_share` (`r`).

    `chip` has `CHIP_KEYS`, `volumes` those of `VOLUME_KEYS` that count: all of them where there
    are two regions, else `host_bytes` and what is programmed in the only one. A region takes its
    cycles times its capacity and lasts as many passes as that holds what a pass programs there:

        D_S = slc_cycles slc_block_bytes blocks r,                  N_S = D_S / slc_bytes
        D_M = dense_cycles dense_bits slc_block_bytes blocks (1 - r),  N_M = D_M / dense_bytes

    When one is worn out, the other has what is left of its own for serving alone; with `N_S`
    the larger, that is

        passes = (D_S - N_M slc_bytes) / slc_only_bytes + N_M

    and the other way round; the host then has written `host_bytes` so often. UsageError names
    what is missing or out of range.
    """
    share = _number("slc_share", slc_share, 0, 1)
    needed: Sequence[str] = VOLUME_KEYS
    if share in (0, 1):
        needed = ("host_bytes", "slc_only_bytes" if share else "dense_only_bytes")
    known = _numbers("chip", chip, CHIP_KEYS, CHIP_KEYS)
    for key, said in known.items():
        if not said:
            raise _wrong(f"chip[{key!r}]", " = 0: must be above 0")
    found = _core.nvc_lifespan(
        chip=known,
        slc_share=share,
        volumes=dict.fromkeys(VOLUME_KEYS, 0.0) | _numbers("volumes", volumes, VOLUME_KEYS, needed),
    )
    slc_passes, dense_passes, passes, host_bytes, first, even = found
    return NvcLifespan(passes, host_bytes, first, slc_passes, dense_passes, even)


def _tiers(
    device: Path | Mapping[str, Tier], unit_bytes: int | None
) -> tuple[dict[str, float], dict[str, float], float | None]:
    """Return the fast and the dense tier, and the bytes of all data where they are known."""
    if not isinstance(device, Mapping):
        sets = [] if unit_bytes is None else [f"scheme.hyssd-static.unit_bytes={unit_bytes}"]
        return _core.hyssd_tiers(device=os.fspath(device), sets=sets)
    if unit_bytes is not None:
        raise _wrong("unit_bytes", f" = {unit_bytes}: leave it out where the tiers are given")
    return _tier(device, "fast"), _tier(device, "dense"), None


def _tier(device: Mapping[str, Tier], name: str) -> dict[str, float]:
    """Return a tier of which everything is known and possible."""
    if name not in device:
        raise _wrong("device", f": has no {name!r}; it must have 'fast' and 'dense'")
    values = _numbers(f"device[{name!r}]", device[name], TIER_KEYS, TIER_KEYS)
    if not values["bytes"]:
        raise _wrong(f"device[{name!r}]['bytes']", " = 0: must be above 0")
    return values


def _numbers(
    name: str, given: Mapping[str, float], keys: Sequence[str], needed: Sequence[str]
) -> dict[str, float]:
    """Return what is given by known keys, all that are needed among them."""
    if not isinstance(given, Mapping):
        refuse(name, given, f"must be a dict with {', '.join(needed)}")
    if unknown := [key for key in given if key not in keys]:
        raise _wrong(name, f": unknown key {unknown[0]!r}; it has {', '.join(keys)}")
    for key in needed:
        if key not in given:
            raise _wrong(name, f": {key} is missing")
    return {k: _number(f"{name}[{k!r}]", given[k], 0, math.inf) for k in keys if k in given}


def _hits(name: str, hits: Hits, at: Sequence[float]) -> list[float]:
    """Return the share of hits at each utilisation."""
    given: Any = [hits(u) for u in at] if callable(hits) else hits
    listed = np.ravel(given) if np.ndim(given) else [given] * len(at)
    shares = _shares(name, listed)
    if len(shares) != len(at):
        raise _wrong(name, f": has {len(shares)} values, and utilisation has {len(at)}")
    return shares


def _shares(name: str, values: Iterable[float]) -> list[float]:
    return [_number(f"{name}[{i}]", value, 0, 1) for i, value in enumerate(values)]


def _number(name: str, value: float, low: float, high: float) -> float:
    """Return a number that lies in its range."""
    allowed = f"from {low:g} to {high:g}" if math.isfinite(high) else f"finite and at least {low:g}"
    try:
        number = math.nan if isinstance(value, bool | str) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not low <= number <= high or math.isinf(number):
        plain = value.item() if isinstance(value, np.generic) else value
        refuse(name, plain, f"must be a number {allowed}")
    return number


def _wrong(name: str, told: str) -> UsageError:
    """Return the error that says of an argument what is wrong with it."""
    return about(UsageError(f"{name}{told}"), name)
