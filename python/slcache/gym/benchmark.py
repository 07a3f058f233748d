"""The frozen benchmark for agents: plays it, sums it up, and checks what others have written.

The figure is the mean latency of all requests of a test episode, over that with the knobs left
alone. Beside the agents stand two constant policies: the one that is best over all validation
cells, and the best of each test cell, which nobody knows beforehand.
"""

from __future__ import annotations

import json
import math
import pathlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from slcache import _core, bounded, bounds, files, named
from slcache.documents.normalise import latency
from slcache.documents.pools import slc_block_bytes
from slcache.errors import ConfigError, about
from slcache.gym import entrants, frozen
from slcache.gym.agents import Agent, Constant
from slcache.gym.entrants import BUILT_IN, Entrant, Level
from slcache.gym.env import SlcCacheEnv
from slcache.gym.frozen import Cell, Inputs
from slcache.traces.api import Path

FORMAT, VERSION = "slcache-bench-rl", 1
ALONE = BUILT_IN[0].name
CHOSEN, HINDSIGHT = "constant chosen in validation", "best constant in hindsight"
#: Seeds, rounds of training, values a knob of the constants, and fills.
FULL: Mapping[str, Any] = {"seeds": 10, "rounds": 4, "per_knob": 3, "fills": frozen.FILLS}
QUICK: Mapping[str, Any] = {"seeds": 1, "rounds": 1, "per_knob": 3, "fills": (0.8,)}

_SIDES = ("read", "write")

Row = dict[str, float]
#: Of each agent, for each cell by name, a row a seed.
Found = dict[str, dict[str, list[Row]]]


class Benchmark:
    """One run of it."""

    def __init__(self, inputs: Inputs, size: Mapping[str, Any], own: Sequence[Entrant]) -> None:
        self._inputs = inputs
        self._seeds = range(1, size["seeds"] + 1)
        self._rounds, self._per_knob = size["rounds"], size["per_knob"]
        self._fills = tuple(size["fills"])
        self._entrants = [*BUILT_IN, *own]
        self.found: Found = {}
        self.least: dict[str, list[int]] = {}

    def run(self, tell: Callable[[str], None]) -> None:
        """Play all of it."""
        chosen = self._chosen()
        for seed in self._seeds:
            tell(f"seed {seed} of {len(self._seeds)}")
            makers = [(entrant.name, self._ready(entrant, seed)) for entrant in self._entrants]
            for cell in frozen.cells("test", self._fills):
                self._test(cell, seed, makers, chosen)

    def _ready(self, entrant: Entrant, seed: int) -> Callable[[], Agent]:
        """Return what gives the agent for a test."""
        if not entrant.trains:
            return lambda: entrant.made(seed)
        # Every round draws its loads anew, and no two seeds the same.
        episodes = [
            (self._inputs.env(cell), cell.draw(seed * self._rounds + turn))
            for turn in range(self._rounds)
            for cell in frozen.cells("train", self._fills)
        ]
        return entrants.trained(entrant, seed, episodes)

    def _test(
        self,
        cell: Cell,
        seed: int,
        makers: Sequence[tuple[str, Callable[[], Agent]]],
        chosen: Level,
    ) -> None:
        env, draw = self._inputs.env(cell), cell.draw(seed)
        for name, made in makers:
            entrants.played(name, env, made(), draw)
            self._keep(name, cell, _row(env))
        rows = dict(self._constants(env, draw))
        self._keep(CHOSEN, cell, rows[chosen])
        self._keep(HINDSIGHT, cell, min(rows.values(), key=lambda row: row["mean_ns"]))
        self.least.setdefault(cell.name, []).append(self._least_bytes(cell, env, draw))

    def _constants(self, env: SlcCacheEnv, draw: int) -> Iterator[tuple[Level, Row]]:
        for level, knobs in entrants.levels(env, self._per_knob):
            entrants.played(CHOSEN, env, Constant(knobs), draw, knobs)
            yield level, _row(env)

    def _chosen(self) -> Level:
        """Return the constant policy of the least mean latency over the validation cells."""
        logs: dict[Level, float] = {}
        for cell in frozen.cells("validation", self._fills):
            for level, row in self._constants(self._inputs.env(cell), cell.draw(1)):
                logs[level] = logs.get(level, 0.0) + math.log(row["mean_ns"])
        return min(logs, key=lambda level: logs[level])

    def _keep(self, name: str, cell: Cell, row: Row) -> None:
        self.found.setdefault(name, {}).setdefault(cell.name, []).append(row)

    def _least_bytes(self, cell: Cell, env: SlcCacheEnv, draw: int) -> int:
        """Return the least that any cache as large as the knobs allow programs dense."""
        trace, options = self._inputs.trace(cell)
        env.reset(seed=draw)
        pool = env.config["device"]["pool"][0]
        blocks = next(k.places[-1] for k in env.rules.knobs if k.name == "slc_blocks")
        seeded = {**options, "seed": str(draw)} if cell.load != frozen.RECORDING else options
        size = int(blocks) * slc_block_bytes(pool)
        told = bounds.of_trace(trace, [size], trace_options=seeded)
        return int(told["sizes"][0]["least"]) * int(told["unit_bytes"])


def run(
    agent: str | None = None,
    *,
    inputs: Path = "examples",
    seeds: int | None = None,
    rounds: int | None = None,
    quick: bool = False,
    out: Path | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Play the benchmark; write and return the document that `check` repeats.

    `agent` is `FILE.py:NAME`, called with a seed, or none beside those of the package. With other
    `rounds` of training than the benchmark's, figures are beside its rules.
    """
    size = _size(quick, seeds=seeds, rounds=rounds)
    with named.call([] if agent is None else [agent]):
        own = [] if agent is None else [entrants.of_file(agent)]
    if out is None:
        return _played(agent, own, inputs, size, tell)
    file = pathlib.Path(out)
    read_from = [pathlib.Path(inputs) / name for name in frozen.FILES]
    sources = [] if agent is None else [agent.rpartition(":")[0]]
    # A name that cannot be written is told before anything is played.
    with files.Transaction(file.parent, [file.name], [*read_from, *sources]) as written:
        document = _played(agent, own, inputs, size, tell)
        written.write(file.name, (json.dumps(document, indent=1) + "\n").encode())
    return document


def _size(quick: bool, **given: int | None) -> dict[str, Any]:
    """Return the size of a run, as given or else as the benchmark has it."""
    size = dict(QUICK if quick else FULL)
    for name, value in given.items():
        if value is None:
            continue
        if type(value) is not int or not 1 <= value <= 100:
            raise about(ConfigError(f"{name} = {value!r:.40}: must be from 1 to 100"), name)
        size[name] = value
    drawn = (size["seeds"] + 1) * size["rounds"]
    if drawn > frozen.DRAWS:
        told = f"rounds = {size['rounds']}: too many for {size['seeds']} seeds: training has no"
        raise about(ConfigError(f"{told} more than {frozen.DRAWS} draws of a load"), "rounds")
    return size


def _played(
    agent: str | None,
    own: Sequence[tuple[Entrant, str]],
    inputs: Path,
    size: Mapping[str, Any],
    tell: Callable[[str], None],
) -> dict[str, Any]:
    with files.scratch() as folder:
        bench = Benchmark(Inputs(inputs, folder), size, [entrant for entrant, _ in own])
        bench.run(tell)
    return {
        "format": FORMAT,
        "version": VERSION,
        "slcache": {"version": _core.version(), "commit": _core.commit()},
        "inputs": dict(frozen.CHECKSUMS),
        "size": {**size, "fills": list(size["fills"])},
        "agent": {"source": agent, "sha256": own[0][1]} if own else None,
        "scores": bench.found,
        "least_dense_bytes": bench.least,
        "ratios": ratios(bench.found),
        "dense_over_least": over_least(bench.found, bench.least),
    }


def ratios(found: Found) -> dict[str, dict[str, float]]:
    """Return of each agent the mean latency over that of knobs left alone, by cell.

    Over the seeds it is a geometric mean; `all` is that over the cells.
    """
    told: dict[str, dict[str, float]] = {}
    for name, cells in found.items():
        each = {cell: _ratio(rows, found[ALONE][cell]) for cell, rows in cells.items()}
        told[name] = {**each, "all": _mean(list(each.values()))}
    return told


def over_least(found: Found, least: Mapping[str, Sequence[int]]) -> dict[str, float]:
    """Return of each agent what it programmed dense in all cells, over the least of all."""
    total = sum(map(sum, least.values()))
    return {
        name: sum(row["dense_bytes"] for rows in cells.values() for row in rows) / total
        for name, cells in found.items()
    }


def check(file: Path, agent: str | None = None, **given: Any) -> list[str]:  # noqa: ANN401
    """Run what a file says was run again; return what differs.

    An agent of one's own is loaded where `agent` names it, and has to be the one that was run.
    """
    document = read(file)
    told, size = document["agent"], document["size"]
    if told is None and agent is not None:
        raise about(ConfigError(f"agent = {agent!r:.80}: {file} has no agent of its own"), "agent")
    source = None if told is None else agent or told["source"]
    if source is not None:
        with named.call([] if agent is None else [agent]):
            entrants.of_file(source, told["sha256"])
    quick = size["fills"] == list(QUICK["fills"])
    given |= {"seeds": size["seeds"], "rounds": size["rounds"], "quick": quick}
    now = json.loads(json.dumps(run(source, **given)))
    keys = ("inputs", "size", "scores", "least_dense_bytes", "ratios")
    return [line for key in keys for line in _differing(key, document[key], now[key])]


def read(file: Path) -> dict[str, Any]:
    """Return a document of the benchmark; ConfigError where the file is none."""
    try:
        document = json.loads(bounded.text(pathlib.Path(file), bounded.RESULT_BYTES_MAX))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file}: not a file of the benchmark: {error}") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ConfigError(f'{file}: not a file of the benchmark: it has no "format": "{FORMAT}"')
    if document.get("version") != VERSION:
        raise ConfigError(f"{file}: version = {document.get('version')!r}: must be {VERSION}")
    missing = {"inputs", "size", "agent", "scores", "least_dense_bytes", "ratios"} - set(document)
    if missing:
        raise ConfigError(f"{file}: has no {min(missing)}")
    size, agent = document["size"], document["agent"]
    fills = [list(each["fills"]) for each in (FULL, QUICK)]
    counts = [size.get(name) for name in ("seeds", "rounds")] if isinstance(size, dict) else [None]
    if not (all(type(count) is int for count in counts) and size.get("fills") in fills):
        raise ConfigError(f"{file}: size = {size!r:.80}: has no seeds or rounds, or other fills")
    if agent is not None and not (isinstance(agent, dict) and {"source", "sha256"} <= set(agent)):
        raise ConfigError(f"{file}: agent = {agent!r:.80}: has no source, or no sha256")
    return document


def _row(env: SlcCacheEnv) -> Row:
    """Return what the episode just over came to."""
    document = env.finish()
    host, parts = document["host"], document["waf"]["by_mode"]
    sides = [(host[side]["requests"], latency(document, side, "mean")) for side in _SIDES]
    mean_us = sum(n * us for n, us in sides if us is not None) / sum(n for n, _ in sides)
    dense = sum(share for mode, share in parts.items() if mode != "slc")
    return {"mean_ns": mean_us * 1000.0, "dense_bytes": round(dense * host["write"]["bytes"])}


def _ratio(rows: Sequence[Row], alone: Sequence[Row]) -> float:
    pairs = zip(rows, alone, strict=True)
    return _mean([row["mean_ns"] / other["mean_ns"] for row, other in pairs])


def _mean(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def _differing(key: str, there: Any, here: Any) -> Iterator[str]:  # noqa: ANN401
    """Yield what differs, by the way to it."""
    if isinstance(there, dict) and isinstance(here, dict):
        for name in [*there, *(name for name in here if name not in there)]:
            yield from _differing(f"{key}.{name}", there.get(name), here.get(name))
    elif there != here:
        yield f"{key}: {there!r:.80} was written, and it is {here!r:.80}"
