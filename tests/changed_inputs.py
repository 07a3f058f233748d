"""Valid inputs of every kind, changed at random."""

from __future__ import annotations

import hashlib
import random
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

import slcache
from changed_documents import Documents, Kind
from changed_traces import Traces
from slcache.documents.keys import of_config
from support import mixed, write_trace

#: Magic, version and length of the header of a snapshot; its checksum.
PREFIX_BYTES, CHECKSUM_BYTES = 16, 32
ODD = (
    *("", "0", "1", "-1", "3", "0.5", "-0.0", "1e308", "-1e308", "nan", "inf", "2.5", "true", "x"),
    *("4294967295", "4294967296", "18446744073709551615", "18446744073709551616", "1" * 40, "0x10"),
    *('""', "[]", "{}", "[1", "{a=1}", "'", "1KiB", "-1KiB", "99999999TiB", "é", "closed", "1_0"),
)
_INTO = "trace convert trace.csv -o out/new.parquet --trace-option"
VERBS = [
    verb.split()
    for verb in (
        "run trace.csv --device tiny --scheme baseline",
        "compare trace.csv --device tiny --schemes tlc-only,ips",
        "trace info trace.csv",
        "trace lint trace.csv",
        "trace convert trace.csv -o out/new.trace --as mqsim",
        "trace convert trace.csv trace.csv -o out/new.csv.gz --as msr",
        *(f"{_INTO} {option}" for option in ("take=9", "from_ns=10ms", "copies=2.5")),
        f"{_INTO} time_scale=1/3",
        "trace twin trace.csv -o out/new.parquet --by blocks --pause 1ms --block-requests 9",
    )
]
EXTRA = [
    said.split()
    for said in (
        *("--address wrap", "--replay closed:4", "--seed 7", "--volume each", "--unsorted sort:10"),
        *("--trace-format msr", "--trace-option zero_size=skip", "--set host.queue_depth=8"),
        *("--json", "--out out/report", "--progress never"),
    )
]


def keys() -> list[str]:
    """Return every key of the configuration but those of schemes."""
    return sorted(key.replace("[]", "[0]") for key in of_config() if not key.startswith("scheme"))


def text_changed(text: bytes, rng: random.Random) -> bytes:
    """Return a file with numbers, lines or bytes changed."""
    for _ in range(rng.randint(1, 3)):
        numbers = list(re.finditer(rb"[0-9][0-9_.]*", text))
        lines = text.splitlines(keepends=True)
        kind = rng.randrange(7)
        if kind < 3 and numbers:
            found = rng.choice(numbers)
            text = text[: found.start()] + rng.choice(ODD).encode() + text[found.end() :]
        elif kind == 3 and lines:
            del lines[rng.randrange(len(lines))]
            text = b"".join(lines)
        elif kind == 4 and lines:
            lines.insert(rng.randrange(len(lines)), rng.choice(lines))
            text = b"".join(lines)
        else:
            text = bytes_changed(text, rng)
    return text


def bytes_changed(data: bytes, rng: random.Random) -> bytes:
    """Return some bytes with a few set, removed, doubled or cut off."""
    data = data or b"?"
    place = rng.randrange(len(data))
    match rng.randrange(5):
        case 0:
            return data[:place]
        case 1:
            return data[:place] + data[place + rng.randint(1, 40) :]
        case 2:
            return data[: place + 40] + data[place:]
        case 3:
            return data[:place] + rng.randbytes(rng.randint(1, 4)) + data[place + 1 :]
        case _:
            return data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :]


def snapshot_changed(whole: bytes, rng: random.Random) -> bytes:
    """Return a snapshot with another state, behind a right checksum, or just damaged."""
    if rng.random() < 0.2:
        return bytes_changed(whole, rng)
    head = PREFIX_BYTES + int.from_bytes(whole[PREFIX_BYTES - 4 : PREFIX_BYTES], "little")
    packed = pa.py_buffer(whole[head:-CHECKSUM_BYTES])
    state = pa.CompressedInputStream(pa.BufferReader(packed), "zstd").read()
    for _ in range(rng.randint(1, 2)):
        state = bytes_changed(state, rng)
    content = whole[:head] + pa.Codec("zstd").compress(state, asbytes=True)
    return bytes(content + hashlib.sha256(content).digest())


@dataclass(frozen=True)
class Case:
    """A command line, and words of which an error must name one."""

    arguments: list[str]
    names: tuple[str, ...]


class Inputs:
    """Valid inputs in a folder of their own, from which changed ones are made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        (folder / "out").mkdir()
        trace = write_trace(folder / "trace.csv", mixed(60))
        self._trace = trace.read_bytes()
        presets = Path(__file__).parents[1] / "presets" / "devices"
        self._devices = [(presets / name).read_bytes() for name in ("tiny.toml", "mqsim-like.toml")]
        settings = {"precondition.fill": "0.9", "precondition.overwrite": "1"}
        self._snapshots = {}
        for scheme in ("tlc-only", "sector", "hierarchy", "ips-coop", "turbo-write"):
            state = folder / "device.state"
            slcache.run(trace, device="tiny", scheme=scheme, settings=settings, save_state=state)
            self._snapshots[scheme] = state.read_bytes()
        self._keys = keys()
        self._documents = Documents(folder, trace)
        self._traces = Traces(folder, trace)

    def make(self, rng: random.Random) -> Case:
        """Write the changed inputs of one case."""
        (self.folder / "trace.csv").write_bytes(self._trace)
        kinds: list[Callable[[random.Random], Case]] = [
            *(self._device, self._setting, self._trace_file, self._snapshot, self._options),
            *(self._of(kind) for kind in (*self._documents.kinds(), *self._traces.kinds())),
        ]
        return rng.choice(kinds)(rng)

    @staticmethod
    def _of(kind: Kind) -> Callable[[random.Random], Case]:
        return lambda rng: Case(*kind(rng))

    def _device(self, rng: random.Random) -> Case:
        (self.folder / "device.toml").write_bytes(text_changed(rng.choice(self._devices), rng))
        scheme = rng.choice(["tlc-only", "baseline", "sector", "turbo-write", "ips", "ips-coop"])
        arguments = ["run", "trace.csv", "--device", "device.toml", "--scheme", scheme]
        return Case([*arguments, "--address", "wrap"], ("device.", "scheme.", "the flash is full"))

    def _setting(self, rng: random.Random) -> Case:
        key = rng.choice(self._keys) if rng.random() < 0.9 else rng.choice(ODD)
        setting = f"{key}={rng.choice(ODD)}" if rng.random() < 0.95 else key
        arguments = ["run", "trace.csv", "--device", "tiny", "--scheme", rng.choice(["ips", "sa"])]
        last = re.split(r"[.\[]", key)[-1] if "[0]" not in key else key.rsplit(".", 1)[-1]
        names = (last, key.split(".")[0], "--set", "trace.csv", "request ", "device.user_bytes")
        return Case([*arguments, "--set", setting], names)

    def _trace_file(self, rng: random.Random) -> Case:
        (self.folder / "trace.csv").write_bytes(text_changed(self._trace, rng))
        arguments = rng.choice(VERBS) + (rng.choice(EXTRA[4:7]) if rng.random() < 0.3 else [])
        return Case(arguments, ("trace.csv", "request "))

    def _snapshot(self, rng: random.Random) -> Case:
        scheme = rng.choice(list(self._snapshots))
        (self.folder / "device.state").write_bytes(snapshot_changed(self._snapshots[scheme], rng))
        arguments = ["run", "trace.csv", "--device", "tiny", "--scheme", scheme]
        return Case([*arguments, "--load-state", "device.state"], ("device.state",))

    def _options(self, rng: random.Random) -> Case:
        arguments = list(rng.choice(VERBS))
        for extra in rng.sample(EXTRA, rng.randint(0, 3)):
            arguments += extra
        for _ in range(rng.randint(1, 2)):
            place = rng.randrange(1, len(arguments))
            match rng.randrange(4):
                case 0:
                    del arguments[place]
                case 1:
                    arguments.insert(place, rng.choice([*ODD, "--no-such", "--set", "--out"]))
                case 2:
                    arguments[place] = rng.choice(ODD)
                case _:
                    arguments[place] = arguments[place][: rng.randrange(len(arguments[place]) + 1)]
        return Case(arguments, ("",))

    def digests(self) -> dict[str, str]:
        """Return the digest of every file."""
        files = (path for path in self.folder.rglob("*") if path.is_file())
        relative = {str(path.relative_to(self.folder)): path for path in files}
        return {n: hashlib.sha256(path.read_bytes()).hexdigest() for n, path in relative.items()}

    def touched(self, before: dict[str, str], case: Case) -> list[str]:
        """Return the files that are other than `before` and that no argument names as output."""
        after = self.digests()
        changed = {name for name in before.keys() | after if before.get(name) != after.get(name)}
        roots = [Path(argument).parts[:1] for argument in case.arguments]
        outputs = [root[0] for root in roots if root and root[0] not in before]
        return sorted(name for name in changed if Path(name).parts[0] not in outputs)

    def tidy(self, before: dict[str, str]) -> None:
        """Remove what a command line has written."""
        for name in self.digests().keys() - before:
            root = self.folder / Path(name).parts[0]
            if root.is_dir():
                shutil.rmtree(root)
            else:
                root.unlink(missing_ok=True)
        (self.folder / "out").mkdir(exist_ok=True)
