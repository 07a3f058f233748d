"""Logs of requests, fio's own logs and workloads in fio's words, changed at random."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

import polars as pl

import slcache
from changed_documents import RAW, Kind, table_changed

#: Versions 3 and 2: times in front, or waits between.
IOLOGS = (
    """fio version 3 iolog
0 a add
0 a open
1 a write 0 4096
20 b add
25 a read 0 4096
30 b write 8192 16384
31 a sync
40 a trim 4096 4096
50 b datasync 0 0
60 a close
""",
    """fio version 2 iolog
a add
a open
a write 0 4096
a wait 100
a read 4096 8192
a sync 0 0
a wait 2500
a trim 0 4096
a close
""",
)
#: What stands in the place of a word of them.
WORDS = (
    *("", "0", "-1", "18446744073709551615", "18446744073709551616", "1" * 400, "1e9", "0x10"),
    *("nan", "write", "wait", "trim", "syncfs", "sync_file_range", "é", "\0", "a" * 70_000),
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
#: In the place of what a key of a workload may be.
SAID = (
    *('"4k/0"', '"4k/60:"', '"4k/nan"', '"0/100"', '"64k-4k"', '"4k-64k-1m"', '"zipf:nan"'),
    *('"zipf:1e400"', '"pareto:0"', '"zoned:1/1"', '"hotcold:200/10"', '"lognormal:1:1e308:2"'),
    *('"geometric:0:0"', '"16EiB"', "[1, 2]", "{ a = 1 }", "1979-05-27", "-1", "1e-320", "24"),
)
RUN = ["--address", "wrap", "--device", "tiny", "--scheme", "sa", "--volume", "each"]


class Traces:
    """Valid traces in a folder, from which changed ones are made."""

    def __init__(self, folder: Path, trace: Path) -> None:
        self._folder = folder
        log = folder / "log.parquet"
        slcache.run(trace, device="tiny", scheme="sa", seed=3, log=log)
        self._log = log.read_bytes()
        self._table = pl.read_parquet(log)
        log.unlink()

    def kinds(self) -> Sequence[Kind]:
        """Return what makes a command line, and words of which an error must name one."""
        return [self._logged, self._iolog, self._streams]

    def _logged(self, rng: random.Random) -> tuple[list[str], tuple[str, ...]]:
        from changed_inputs import bytes_changed

        # In a folder of its own, for a log may also be written over.
        log = self._folder / "logs" / "log.parquet"
        log.parent.mkdir(exist_ok=True)
        if rng.random() < 0.5:
            log.write_bytes(bytes_changed(self._log, rng))
        else:
            table_changed(self._table, rng).write_parquet(log)
        name = str(log.relative_to(self._folder))
        tiny = ["trace.csv", "--device", "tiny", "--address", "wrap", "--log", name]
        verbs = [
            ["run", *tiny, "--scheme", "sa"],
            ["compare", *tiny, "--schemes", "sa,ips"],
            *([*verb, name] for verb in (["trace", "info"], ["trace", "lint"], ["report"])),
            ["run", name, *RUN, "--trace-format", rng.choice(["generic", "parquet", "msr"])],
            ["trace", "convert", name, "-o", "out/new.csv", "--as", "msr"],
        ]
        return rng.choice(verbs), (name, "trace option")

    def _iolog(self, rng: random.Random) -> tuple[list[str], tuple[str, ...]]:
        from changed_inputs import text_changed

        text = rng.choice(IOLOGS)
        if rng.random() < 0.6:
            for _ in range(rng.randint(1, 3)):
                found = rng.choice(list(re.finditer(r"\S+", text)))
                text = text[: found.start()] + rng.choice(WORDS) + text[found.end() :]
            content = text.encode()
        else:
            content = text_changed(text.encode(), rng)
        (self._folder / "fio.log").write_bytes(content)
        name = ["fio.log", "--trace-format", "fio"][: rng.choice([1, 3])]
        every = ["--volume", "each"]
        verbs = [
            ["run", *name, *RUN],
            *(["trace", verb, *name, *every] for verb in ("info", "lint")),
            ["trace", "convert", *name, *every, "-o", "out/new.log", "--as", "fio"],
            ["trace", "convert", *name, *every, "-o", "out/new.parquet"],
        ]
        return rng.choice(verbs), ("fio.log", "request ")

    def _streams(self, rng: random.Random) -> tuple[list[str], tuple[str, ...]]:
        from changed_inputs import text_changed

        text = WORKLOAD
        for _ in range(rng.randint(1, 2)):
            found = rng.choice(list(re.finditer(r"(?m)^(\w+) = (.+)$", text)))
            value = rng.choice((*SAID, *RAW))
            # Whoever asks for many requests waits for them.
            if found[1] not in ("requests", "footprint_bytes"):
                text = text[: found.start(2)] + value + text[found.end(2) :]
        content = text.encode("utf-8", "surrogatepass")
        if rng.random() < 0.3:
            changed = text_changed(content, rng)
            content = content if re.search(rb"requests = [0-9_]{6}", changed) else changed
        (self._folder / "streams.toml").write_bytes(content)
        verbs = [
            ["run", "streams.toml", *RUN[:-2]],
            ["trace", "info", "streams.toml"],
            ["trace", "generate", "streams.toml", "-o", "out/new.parquet"],
        ]
        return rng.choice(verbs), ("streams.toml", "requests")
