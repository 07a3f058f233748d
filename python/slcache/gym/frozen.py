"""The inputs of the benchmark for agents: which they are, their checksums, and how they are split.

The device and two loads are files of `examples/`, the third is a workload of the package. An agent
trains on one part, is chosen on a second and judged on a third. A generated load is drawn anew in
every part; the recording is cut in three, one after the other. `hotcold` is only in the test.
"""

from __future__ import annotations

import hashlib
import json
import pathlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from slcache.errors import ConfigError, about
from slcache.gym.env import SlcCacheEnv
from slcache.traces.api import Path, Trace, workload

DEVICE = "rl-1g.toml"
GENERATED = "mixed-sizes.toml"
RECORDING = "linkbench-40s.blkparse.zst"
UNSEEN = "hotcold"
FILES = (DEVICE, GENERATED, RECORDING)
#: SHA-256 of each file, and of what the workload says, as JSON with sorted keys.
CHECKSUMS: Mapping[str, str] = {
    DEVICE: "a78b127c3b75b98993e659fb2aea01962e65315b14d50060603f532049dd03ab",
    GENERATED: "129014de4722104b0164a7377026542eff8e8b4230dfb35986a7de2683515138",
    RECORDING: "afdbfb8eaa3b90b3e63df746fa32bc2d3c56e9b88732c2f57152fe140aacc3a2",
    UNSEEN: "6e37aa408f4d97c33ee0dfa07fba8f088e48f13c6edca8685a89a32e98e62379",
}
#: The parts, and the seed before the first with which each draws its loads.
PARTS: Mapping[str, int] = {"train": 1000, "validation": 2000, "test": 3000}
#: How many draws of a load a part has, before those of the next one begin.
DRAWS = 1000
#: Shares of the device that hold data at first.
FILLS = (0.0, 0.8, 0.95)
#: Requests of the recording in each part, and of the unseen load.
_CUT, _UNSEEN_REQUESTS = 48_000, 60_000


@dataclass(frozen=True)
class Cell:
    """A load on a device that is so full: what an episode plays."""

    part: str
    load: str
    fill: float

    @property
    def name(self) -> str:
        """What tables call it."""
        return f"{self.load.partition('.')[0]} {self.fill:g}"

    def draw(self, seed: int) -> int:
        """Return the seed that draws the load, which is not that of an agent."""
        return PARTS[self.part] + seed


def cells(part: str, fills: tuple[float, ...]) -> list[Cell]:
    """Return the cells of a part."""
    loads = [GENERATED, RECORDING, *([UNSEEN] if part == "test" else [])]
    return [Cell(part, load, fill) for load in loads for fill in fills]


class Inputs:
    """The inputs, checked; pieces of the recording are in a folder of their own."""

    def __init__(self, given: Path, folder: pathlib.Path) -> None:
        self._given, self._folder = pathlib.Path(given), folder
        for name, found in self._found():
            if found != CHECKSUMS[name]:
                told = f"{name}: has another checksum, {found:.12}…, than the benchmark's"
                raise about(ConfigError(f"{told}, {CHECKSUMS[name]:.12}…"), "inputs")
        for index, part in enumerate(PARTS):
            piece = {"skip": str(index * _CUT), "take": str(_CUT)}
            Trace(self._given / RECORDING, options=piece).convert(self._piece(part))

    def env(self, cell: Cell) -> SlcCacheEnv:
        """Return the environment of a cell."""
        workload, options = self.trace(cell)
        return SlcCacheEnv(
            device=self._given / DEVICE,
            workload=workload,
            scheme="rl",
            # Renumbered pages fit the device, and none becomes the same as another.
            settings={"precondition.fill": cell.fill, "trace.address": "compact"},
            trace_options=options,
            replay="closed:1",
            reward="latency",
        )

    def trace(self, cell: Cell) -> tuple[str, dict[str, str]]:
        """Return the load of a cell, and how its reader is told to read it."""
        match cell.load:
            case name if name == RECORDING:
                return str(self._piece(cell.part)), {}
            case name if name == UNSEEN:
                return name, {"workload.requests": str(_UNSEEN_REQUESTS)}
            case name:
                return str(self._given / name), {}

    def _piece(self, part: str) -> pathlib.Path:
        return self._folder / f"recording-{part}.parquet"

    def _found(self) -> Iterator[tuple[str, str]]:
        for name in FILES:
            file = self._given / name
            if not file.is_file():
                told = f"{file}: there is no such file; give the folder examples of a checkout"
                raise about(ConfigError(told), "inputs")
            yield name, hashlib.sha256(file.read_bytes()).hexdigest()
        unseen = json.dumps(workload(UNSEEN), sort_keys=True)
        yield UNSEEN, hashlib.sha256(unseen.encode()).hexdigest()
