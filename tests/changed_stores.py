"""What `tune` and `reproduce` write and go on from, changed at random."""

from __future__ import annotations

import gzip
import random
import shutil
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from changed_case import Case

WORKLOAD = """about = "random writes and reads"
requests = 400
footprint_bytes = "16MiB"
[arrivals]
process = "poisson"
mean_gap_ns = 60000000
[global]
rw = "randrw"
rwmixread = 40
"""
#: A paper for which `changed_worker` looks in the folder `papers`.
PLAN = """title = "Toy"
authors = "Nobody"
minutes = 1
seeds = [1]
[[part]]
name = "main"
device = "tiny"
schemes = ["baseline", "taught"]
reference = "baseline"
settings = { "trace.address" = "wrap" }
[[variant]]
name = "taught"
scheme = "rl"
after = ["first"]
settings = { "scheme.rl.step_bytes" = 65536 }
[volume]
first = { twin = "zipf-4k", requests = 300, set = { requests = 300 } }
[volume.second]
twin = "zipf-4k"
requests = 200
set = { requests = 200 }
repeat_to_write_bytes = 2000000
[quick]
workloads = ["first", "second"]
seeds = [1]
"""
CLAIMS = """
[sector]
figure = "1"
text = "it writes faster"
ours = 'change(write_mean_us, "taught", "baseline")'
paper = "-20 %"
"""
COMMANDS = {
    "tuned": [
        *("tune", "kept.csv", "--address", "wrap", "--device", "tiny", "--scheme", "sa"),
        *("--vary", "host.queue_depth=1..3", "--minimise", "write_mean", "--prefixes"),
        *("--points", "3", "--jobs", "1"),
    ],
    "sized": [
        *("tune", "kept.toml", "--device", "flash.toml", "--scheme", "nvc", "--jobs", "1"),
        *("--set", "buffer.bytes=256KiB", "--vary", "scheme.nvc.slc_blocks=8,16,24"),
        *("--least", "scheme.nvc.slc_blocks", "--such-that", "waf<=99"),
    ],
    "reproduced": ["reproduce", "toy", "--quick"],
}
#: What each is told by, and is the same whether results were kept or made anew.
DOCUMENTS = {
    "tuned": "points.parquet",
    "sized": "points.parquet",
    "reproduced": "ledger.json",
}
Run = Callable[[list[str], Path], dict[str, object]]


@dataclass
class Stores:
    """Folders that the verbs have filled, from which changed ones are made."""

    folder: Path
    trace: bytes
    flash: str
    run: Run
    _whole: dict[str, dict[str, bytes]] = field(default_factory=dict)

    def case(self, rng: random.Random) -> Case:
        """Return a verb that goes on in a folder of which something is changed, or its reader."""
        kind = rng.choice(list(COMMANDS))
        whole = self._filled(kind)
        place = self.folder / kind
        shutil.rmtree(place, ignore_errors=True)
        for name, content in whole.items():
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if rng.random() < 0.2:
            return _read(kind, place, rng)
        kept = [name for name in whole if "/" in name]
        name, other = rng.choice(kept), rng.choice(kept)
        changed = _changed(place / name, whole[other], rng)
        if rng.random() < 0.5:
            (place / other).unlink(missing_ok=True) if other != name else None
        # What else is kept, such as traces, is only read where something is run.
        is_read = _is_result(name) and b'"provenance"' in gzip.decompress(whole[name])
        said = "made anew" if changed and is_read else ""
        document = DOCUMENTS[kind]
        return Case(
            [*COMMANDS[kind], "--out", kind],
            (name.rsplit("/", 1)[-1],),
            said,
            {f"{kind}/{document}": whole[document]},
        )

    def _filled(self, kind: str) -> dict[str, bytes]:
        """Return the files of a folder as its verb writes them."""
        if not self._whole:
            papers = self.folder / "papers" / "toy"
            papers.mkdir(parents=True)
            (papers / "plan.toml").write_text(PLAN)
            (papers / "claims.toml").write_text(CLAIMS)
            (self.folder / "kept.csv").write_bytes(self.trace)
            (self.folder / "kept.toml").write_text(WORKLOAD)
            (self.folder / "flash.toml").write_text(self.flash)
        if kind not in self._whole:
            answer = self.run([*COMMANDS[kind], "--out", kind], self.folder)
            assert answer["status"] == 0, answer
            files = (path for path in (self.folder / kind).rglob("*") if path.is_file())
            paths = {str(path.relative_to(self.folder / kind)): path for path in files}
            self._whole[kind] = {name: paths[name].read_bytes() for name in sorted(paths)}
        return self._whole[kind]


def _is_result(name: str) -> bool:
    return name.endswith(".json.gz")


def _changed(path: Path, other: bytes, rng: random.Random) -> bool:
    """Change a kept file; return whether what it holds is another."""
    from changed_inputs import bytes_changed, text_changed

    before = path.read_bytes()
    kind = rng.randrange(8)
    if kind == 0:
        path.unlink()
        path.symlink_to(rng.choice(["/dev/zero", "/dev/null", "nowhere", path.name]))
    elif kind == 1:
        path.write_bytes(other)
    elif kind == 2 and _is_result(path.name):
        path.write_bytes(gzip.compress(text_changed(gzip.decompress(before), rng), 1))
    elif kind == 3:
        path.write_bytes(rng.choice([b"", b"\0" * 4096, b"[" * 100_000]))
    elif kind == 4:
        path.unlink()
        path.mkdir()
    else:
        path.write_bytes(bytes_changed(before, rng))
    return not path.is_file() or path.is_symlink() or _held(path.read_bytes()) != _held(before)


def _held(content: bytes) -> bytes:
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        return content


def _read(kind: str, place: Path, rng: random.Random) -> Case:
    """Return a verb that reads one of the documents of a folder, changed."""
    from changed_documents import json_changed
    from changed_inputs import bytes_changed, text_changed

    names = [path.name for path in place.iterdir() if path.suffix in (".json", ".toml", ".parquet")]
    name = rng.choice(sorted(names))
    content = (place / name).read_bytes()
    if name.endswith(".json") and rng.random() < 0.8:
        content = json_changed(content.decode(), rng).encode("utf-8", "surrogatepass")
    else:
        content = (text_changed if name.endswith(".toml") else bytes_changed)(content, rng)
    (place / name).write_bytes(content)
    file = f"{kind}/{name}"
    run = ["run", "kept.csv", "--address", "wrap"]
    readers = [
        [*run, "--device", "tiny", "--scheme", "sa", "--config", file],
        ["diff", "--rerun", file],
        ["report", file, "--out", "out/r"],
        ["diff", file, file],
        ["sweep", "show", kind],
    ]
    return Case(rng.choice(readers), (name, "points.parquet", "host.", "scheme"))
