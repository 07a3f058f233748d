"""Valid inputs of every kind, changed at random, in command lines, and what each owes its user.

`python tests/changed_runs.py SECONDS` goes on for as long as one likes; `SLCACHE_SEED` says where
the cases begin, so that the one a failure names comes first. With `serve` in place of the seconds
it is the process that command lines run in, since starting Python anew for each takes longer.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import random
import re
import resource
import secrets
import select
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import polars as pl
import pyarrow as pa

import slcache
from slcache.cli.app import execute
from slcache.documents.schemata import config_keys
from support import mixed, write_trace

#: The exit statuses that `slcache --help` documents.
STATUSES = (0, 1, 2, 3, 4, 130)
#: Two seconds of processor time are expected.
CPU_SECONDS_MAX = 20.0
#: After so long a command line hangs, however busy the machine is.
HANGS_S = 120.0
#: No valid input of these tests needs more; what asks for more must be told so.
MEMORY_BYTES = 8 << 30
#: Magic, version and length of the header of a snapshot; its checksum.
PREFIX_BYTES, CHECKSUM_BYTES = 16, 32
#: In the place of a number of a text.
ODD = (
    *("", "0", "1", "-1", "3", "0.5", "-0.0", "1e308", "-1e308", "nan", "inf", "2.5", "true", "x"),
    *("4294967295", "4294967296", "18446744073709551615", "18446744073709551616", "1" * 40, "0x10"),
    *('""', "[]", "{}", "[1", "{a=1}", "'", "1KiB", "-1KiB", "99999999TiB", "é", "closed", "1_0"),
)
#: In the place of any value of a JSON document or a TOML file, as it stands there.
RAW = (
    *("null", "true", "-1", "0", "0.5", "1e308", "-1e308", "NaN", "-Infinity", "1e999", '""', "[]"),
    *("{}", '"x"', '"\\ud800"', '"\\u0000"', "[[1]]", '{"a":1}', "9223372036854775808"),
    *("1" * 400, "-" + "1" * 400, "1" * 5000, "[" * 70 + "]" * 70, "[" * 99_999 + "]" * 99_999),
    '"' + "y" * 200_000 + '"',
)
#: In the place of what a key of a workload may be.
SAID = (
    *('"4k/0"', '"4k/60:"', '"4k/nan"', '"0/100"', '"64k-4k"', '"4k-64k-1m"', '"zipf:nan"'),
    *('"zipf:1e400"', '"pareto:0"', '"zoned:1/1"', '"hotcold:200/10"', '"lognormal:1:1e308:2"'),
    *('"geometric:0:0"', '"16EiB"', "[1, 2]", "{ a = 1 }", "1979-05-27", "-1", "1e-320", "24"),
)
#: In the place of a word of fio's own logs.
WORDS = (
    *("", "0", "-1", "18446744073709551615", "18446744073709551616", "1" * 400, "1e9", "0x10"),
    *("nan", "write", "wait", "trim", "syncfs", "sync_file_range", "é", "\0", "a" * 70_000),
)
STUDY = """trace = "trace.csv"
device = "tiny"
scheme = ["baseline", "sa"]
seeds = 2
seed = 5
sample = "random:3"
sample_seed = 7
[set]
"trace.address" = "wrap"
[vary]
"host.queue_depth" = "1..8"
"host.time_scale" = "0.5..2"
"dense.victim" = ["greedy", "fifo"]
"""
POINTS = b"host.queue_depth,host.time_scale\n1,0.5\n4,1\n8,\n"
#: Versions 3 and 2: times in front, or waits between.
IOLOGS = (
    "fio version 3 iolog\n0 a add\n0 a open\n1 a write 0 4096\n20 b add\n25 a read 0 4096\n"
    "30 b write 8192 16384\n31 a sync\n40 a trim 4096 4096\n50 b datasync 0 0\n60 a close\n",
    "fio version 2 iolog\na add\na open\na write 0 4096\na wait 100\na read 4096 8192\n"
    "a sync 0 0\na wait 2500\na trim 0 4096\na close\n",
)
WORKLOAD = """about = "streams"
requests = 60
footprint_bytes = "1MiB"
[arrivals]
process = "bursts"
burst_requests = 8
burst_length = "geometric"
idle_ns = 1000000
idle_distribution = "lognormal:1.5"
mean_gap_ns = 1000
daily_amplitude = 0.5
peak_hour = 12
[global]
rw = "randrw"
rwmixread = 30
trim_share = 0.1
unaligned_share = 0.1
[[stream]]
bssplit = "4k/60:16k/40,8k/100"
random_distribution = "zoned:60/10:30/20:10/70"
fsync = 8
weight = 3
[[stream]]
bsrange = "4k-64k"
blockalign = "4k"
random_distribution = "zipf:1.2"
percentage_random = 60
offset = "256KiB"
size = "512KiB"
stream = 1
[[stream]]
bs_distribution = "lognormal:8k:0.5:64k"
random_distribution = "pareto:0.3"
flush_share = 0.1
stream = 2
"""

_TINY = "--device tiny --address wrap"
_INTO = "trace convert trace.csv -o out/new.parquet --trace-option"
_EACH = "--volume each"
_SWEEP = "sweep trace.csv --device tiny --scheme baseline --address wrap --out out/s"
#: Command lines of a trace.
VERBS = [
    "run trace.csv --device tiny --scheme baseline",
    "compare trace.csv --device tiny --schemes tlc-only,ips",
    *("trace info trace.csv", "trace lint trace.csv"),
    "trace convert trace.csv -o out/new.trace --as mqsim",
    "trace convert trace.csv trace.csv -o out/new.csv.gz --as msr",
    *(f"{_INTO} {option}" for option in ("take=9", "from_ns=10ms", "copies=2.5", "time_scale=1/3")),
    "trace twin trace.csv -o out/new.parquet --by blocks --pause 1ms --block-requests 9",
]
OF_READERS = ["--volume each", "--unsorted sort:10", "--trace-format msr"]
EXTRA = [
    *("--address wrap", "--replay closed:4", "--seed 7", "--trace-option zero_size=skip"),
    *(*OF_READERS, "--set host.queue_depth=8", "--json", "--out out/report", "--progress never"),
]
#: Schemes whose snapshots are changed.
SAVED = ("tlc-only", "sector", "hierarchy", "ips-coop", "turbo-write")


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


def values_changed(text: str, values: Sequence[str], rng: random.Random) -> bytes:
    """Return a TOML file with other values, and at times with other lines and bytes."""
    for _ in range(rng.randint(1, 2)):
        found = rng.choice(list(re.finditer(r'(?m)^("?[\w.]+"?) = (.+)$', text)))
        # Whoever asks for many requests waits for them.
        if found[1] not in ("requests", "footprint_bytes"):
            text = text[: found.start(2)] + rng.choice(values) + text[found.end(2) :]
    content = text.encode("utf-8", "surrogatepass")
    changed = text_changed(content, rng) if rng.random() < 0.4 else content
    return content if re.search(rb"requests = [0-9_]{6}", changed) else changed


def words_changed(text: str, rng: random.Random) -> bytes:
    """Return a log with other words, or other lines and bytes."""
    if rng.random() < 0.4:
        return text_changed(text.encode(), rng)
    for _ in range(rng.randint(1, 3)):
        found = rng.choice(list(re.finditer(r"\S+", text)))
        text = text[: found.start()] + rng.choice(WORDS) + text[found.end() :]
    return text.encode()


def places(text: str) -> Iterator[tuple[Any, Any]]:
    """Yield a document, parsed anew, with each holder and key in it."""
    document = json.loads(text)
    stack = [document]
    while stack:
        holder = stack.pop()
        keys = list(holder) if isinstance(holder, dict) else range(min(len(holder), 3))
        for key in keys:
            yield document, (holder, key)
            if isinstance(holder[key], dict | list):
                stack.append(holder[key])


def json_changed(text: str, rng: random.Random) -> str:
    """Return a JSON text with a value changed, dropped, renamed, or there twice."""
    document, (holder, key) = rng.choice(list(places(text)))
    mark = '"\x7fhere\x7f"'
    kind = rng.randrange(5)
    if kind == 0:
        del holder[key]
    elif kind == 1 and isinstance(holder, dict):
        again = f"{json.dumps(key)}: "
        return json.dumps(document).replace(again, f"{again}{rng.choice(RAW)}, {again}", 1)
    elif kind == 2 and isinstance(holder, dict):
        holder["unheard_of"] = holder.pop(key)
    else:
        holder[key] = json.loads(mark)
    return json.dumps(document, ensure_ascii=False).replace(mark, rng.choice(RAW))


def table_changed(table: pl.DataFrame, rng: random.Random) -> bytes:
    """Return a table with a column, or a row, that no study or log has, or with other bytes."""
    name, rows = rng.choice(table.columns), table.to_dicts()
    row, kind = rng.choice(rows), rng.randrange(6)
    odd = [float("nan"), float("inf"), -1, 2**63 - 1, "", "x", None, [1], {"a": 1}, True, b"\xff"]
    if kind == 0:
        table = pl.concat([table, table.slice(rng.randrange(len(rows)), 1)])
    elif kind == 1:
        table = table.drop(name)
    elif kind < 4:
        value = rng.choice(odd)
        for each in rows if kind == 2 else [row]:
            each[name] = value
        try:
            table = pl.DataFrame(rows, infer_schema_length=None)
        except (pl.exceptions.PolarsError, TypeError, OverflowError):
            table = table.rename({name: f"{name}."})
    file = io.BytesIO()
    table.write_parquet(file)
    return file.getvalue() if kind < 4 else bytes_changed(file.getvalue(), rng)


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


#: A file, what is in it, the command lines that read it, and words of which an error names one.
Kind = tuple[str, Callable[[random.Random], bytes], list[str], tuple[str, ...]]


class Inputs:
    """Valid inputs in a folder of their own, from which changed ones are made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("out", "study", "logs"):
            (folder / name).mkdir(parents=True)
        trace = write_trace(folder / "trace.csv", mixed(60))
        self._trace = trace.read_bytes()
        keys = (key.replace("[]", "[0]") for key in config_keys() if not key.startswith("scheme"))
        self._keys = sorted(keys)
        self._kinds = [*self._of_traces(trace), *self._of_documents(trace), *self._of_states(trace)]

    def _of_traces(self, trace: Path) -> Iterator[Kind]:
        log = self.folder / "logs" / "log.parquet"
        slcache.run(trace, device="tiny", scheme="sa", seed=3, log=log)
        table = pl.read_parquet(log)
        run = f"{_TINY} --scheme sa {_EACH}"
        name = "logs/log.parquet"
        yield (
            "trace.csv",
            lambda rng: text_changed(self._trace, rng),
            [*VERBS, *(f"{verb} {extra}" for verb in VERBS for extra in OF_READERS)],
            ("trace.csv", "request "),
        )
        # A log may also be written over.
        readers = [f"{verb} {name}" for verb in ("trace info", "trace lint", "report")]
        over = [f"run trace.csv {_TINY} --scheme sa", f"compare trace.csv {_TINY} --schemes sa,ips"]
        as_format = [f"run {name} {run} --trace-format {f}" for f in ("generic", "parquet", "msr")]
        verbs = [*readers, *(f"{each} --log {name}" for each in over), *as_format]
        verbs.append(f"trace convert {name} -o out/new.csv --as msr")
        yield name, lambda rng: table_changed(table, rng), verbs, (name, "trace option")
        for reader in ("fio.log", "fio.log --trace-format fio"):
            yield (
                "fio.log",
                lambda rng: words_changed(rng.choice(IOLOGS), rng),
                [
                    f"run {reader} {run}",
                    *(f"trace {verb} {reader} {_EACH}" for verb in ("info", "lint")),
                    f"trace convert {reader} {_EACH} -o out/new.log --as fio",
                    f"trace convert {reader} {_EACH} -o out/new.parquet",
                ],
                ("fio.log", "request "),
            )
        load = "streams.toml"
        written = [f"-o out/new.{end}" for end in ("parquet", "csv --as msr")]
        verbs = [f"run {load} {_TINY} --scheme sa", f"trace info {load}"]
        verbs += [f"trace generate {load} {into}" for into in written]
        changed = (*SAID, *RAW)
        yield load, lambda rng: values_changed(WORKLOAD, changed, rng), verbs, (load, "requests")

    def _of_documents(self, trace: Path) -> Iterator[Kind]:
        how: dict[str, Any] = {"device": "tiny", "seed": 3}
        run = slcache.run(trace, scheme="baseline", **how)
        both = slcache.compare(trace, schemes=["baseline", "sa"], resample=2, **how)
        for name, text in (("result.json", run.to_json()), ("both.json", both.to_json())):

            def document(rng: random.Random, text: str = text) -> bytes:
                data = json_changed(text, rng).encode("utf-8", "surrogatepass")
                return bytes_changed(data, rng) if rng.random() < 0.2 else data

            readers = ["report {} --out out/r", "diff {0} {0}", "diff --rerun {}"]
            readers.append("run trace.csv --config {}")
            yield name, document, [each.format(name) for each in readers], (name, "trace", "differ")
        vary = {"host.queue_depth": "1..3", "dense.victim": ["greedy", "fifo"]}
        table = slcache.sweep(trace, scheme="baseline", vary=vary, **how).table
        yield (
            "study/points.parquet",
            lambda rng: table_changed(table, rng),
            ["sweep show study"],
            ("points.parquet",),
        )
        asked, listed = "sweep study.toml --out out/s", f"{_SWEEP} --points points.csv"
        yield "study.toml", lambda rng: values_changed(STUDY, RAW, rng), [asked], ("",)
        yield "points.csv", lambda rng: text_changed(POINTS, rng), [listed], ("",)

    def _of_states(self, trace: Path) -> Iterator[Kind]:
        presets = Path(__file__).parents[1] / "presets" / "devices"
        devices = [(presets / name).read_bytes() for name in ("tiny.toml", "mqsim-like.toml")]
        on = "run trace.csv --address wrap --device device.toml --scheme"
        schemes = ("tlc-only", "baseline", "sector", "turbo-write", "ips", "ips-coop")
        yield (
            "device.toml",
            lambda rng: text_changed(rng.choice(devices), rng),
            [f"{on} {scheme}" for scheme in schemes],
            ("device.", "scheme.", "the flash is full"),
        )
        settings = {"precondition.fill": "0.9", "precondition.overwrite": "1"}
        how: dict[str, Any] = {"device": "tiny", "save_state": self.folder / "device.state"}
        for scheme in SAVED:
            slcache.run(trace, scheme=scheme, settings=settings, **how)
            whole = how["save_state"].read_bytes()
            load = [f"run trace.csv --device tiny --scheme {scheme} --load-state {scheme}.state"]
            yield (
                f"{scheme}.state",
                lambda rng, whole=whole: snapshot_changed(whole, rng),  # type: ignore[misc]
                load,
                (f"{scheme}.state",),
            )
        memory, step = self.folder / "memory", {"scheme.rl.step_bytes": 65536}
        slcache.run(trace, device="tiny", scheme="rl", settings=step, memory_out=memory)
        learnt = memory.read_bytes()
        verb = f"run trace.csv {_TINY} --scheme rl --set step_bytes=65536 --memory-in memory"
        yield "memory", lambda rng: bytes_changed(learnt, rng), [verb], ("memory",)

    def make(self, rng: random.Random) -> Case:
        """Write the changed inputs of one case."""
        (self.folder / "trace.csv").write_bytes(self._trace)
        kind = rng.randrange(len(self._kinds) + 2)
        if kind >= len(self._kinds):
            return self._setting(rng) if kind > len(self._kinds) else self._options(rng)
        name, changed, verbs, names = self._kinds[kind]
        (self.folder / name).write_bytes(changed(rng))
        return Case(rng.choice(verbs).split(), names)

    def _setting(self, rng: random.Random) -> Case:
        key = rng.choice(self._keys) if rng.random() < 0.9 else rng.choice(ODD)
        setting = f"{key}={rng.choice(ODD)}" if rng.random() < 0.95 else key
        arguments = ["run", "trace.csv", "--device", "tiny", "--scheme", rng.choice(["ips", "sa"])]
        last = re.split(r"[.\[]", key)[-1] if "[0]" not in key else key.rsplit(".", 1)[-1]
        names = (last, key.split(".")[0], "--set", "trace.csv", "request ", "device.user_bytes")
        return Case([*arguments, "--set", setting], names)

    def _options(self, rng: random.Random) -> Case:
        arguments = rng.choice(VERBS).split()
        for extra in rng.sample(EXTRA, rng.randint(0, 3)):
            arguments += extra.split()
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
        for name in ("out", "study", "logs"):
            (self.folder / name).mkdir(exist_ok=True)


class Worker:
    """The process that runs command lines; a new one where the last has died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def run(self, arguments: list[str], folder: Path) -> dict[str, Any]:
        """Return what became of a command line; it is given up after `HANGS_S`."""
        if self._process is None:
            pipe = subprocess.PIPE
            serving = [sys.executable, __file__, "serve"]
            self._process = subprocess.Popen(serving, stdin=pipe, stdout=pipe, text=True)
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({"arguments": arguments, "folder": str(folder)}) + "\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], HANGS_S)
        text = process.stdout.readline() if ready else ""
        if text:
            answer: dict[str, Any] = json.loads(text)
            return answer
        self.close()
        why = "died" if ready else f"took longer than {HANGS_S} s"
        return {"status": None, "told": ["", ""], "escaped": f"the process {why}", "seconds": 0.0}

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def faults(case: Case, answer: dict[str, Any]) -> list[str]:
    """Return what is wrong with how a command line ended."""
    status = answer["status"]
    output, told = answer["told"]
    if case.arguments[:2] == ["trace", "lint"] or "--rerun" in case.arguments:
        told += output  # What is wrong, or differs, is its result.
    found = []
    if answer["escaped"]:
        found.append(f"an exception escaped: {answer['escaped']}")
    elif status not in STATUSES:
        found.append(f"exit status {status}")
    if "Traceback" in told or "panicked" in told:
        found.append("a traceback or a panic")
    if status not in (0, None) and not any(name in told for name in case.names):
        found.append(f"no message that names one of {case.names}")
    if status not in (0, None) and not told.strip():
        found.append("no message")
    if answer["seconds"] > CPU_SECONDS_MAX:
        found.append(f"{answer['seconds']:.1f} s of processor time")
    return found


def first_seed() -> int:
    """Return where the cases begin."""
    return int(os.environ.get("SLCACHE_SEED") or secrets.randbelow(1 << 40))


def check(seconds: float, most: int) -> tuple[int, int]:
    """Run cases until the time is over or there were so many; return how many, and their seed."""
    root, done, first = Path(tempfile.mkdtemp(prefix="slcache-changed-")), 0, first_seed()
    inputs = Inputs(root / "inputs")
    end = time.monotonic() + seconds
    with contextlib.closing(Worker()) as worker:
        while done < most and (done == 0 or time.monotonic() < end):
            case = inputs.make(random.Random(first + done))
            before = inputs.digests()
            answer = worker.run(case.arguments, inputs.folder)
            found = faults(case, answer)
            if touched := inputs.touched(before, case):
                found.append(f"files changed that are no output: {', '.join(touched)}")
            if found:
                raise AssertionError(_story(case, answer, found, first + done, inputs.folder))
            inputs.tidy(before)
            done += 1
    shutil.rmtree(root)
    return done, first


def _story(case: Case, answer: dict[str, Any], found: list[str], seed: int, folder: Path) -> str:
    return "\n".join(
        [
            f"in {folder}: slcache {' '.join(map(repr, case.arguments))}",
            *found,
            f"standard error: {answer['told'][1]}",
            f"to repeat it: SLCACHE_SEED={seed} pytest tests/test_bad_input.py",
        ]
    )


def served(arguments: list[str], captured: list[IO[bytes]]) -> dict[str, Any]:
    """Run one command line with both outputs of the process caught, those of Rust included."""
    for number, file in enumerate(captured, 1):
        file.seek(0)
        file.truncate()
        os.dup2(file.fileno(), number)
    began, escaped, status = time.process_time(), "", None
    try:
        status = execute(arguments)
    except BaseException:  # a panic of Rust is no Exception
        escaped = traceback.format_exc()
    seconds = time.process_time() - began
    sys.stdout.flush()
    sys.stderr.flush()
    told = []
    for file in captured:
        file.seek(0)
        told.append(file.read().decode(errors="replace"))
    return {"status": status, "told": told, "escaped": escaped, "seconds": seconds}


def serve() -> None:
    """Run what JSON lines ask for until the input ends; command lines find none of it."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    orders, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error:
        for text in orders:
            order = json.loads(text)
            os.chdir(order["folder"])
            answers.write(json.dumps(served(order["arguments"], [out, error])) + "\n")
            answers.flush()


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve()
    else:
        cases, seed = check(float(sys.argv[1]), sys.maxsize)
        print(f"changed inputs: {cases} command lines from SLCACHE_SEED={seed} on")
