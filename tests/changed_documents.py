"""Documents that slcache reads, changed at random: studies, results, tables."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

import slcache

#: In the place of any value of a JSON document, as it stands there.
RAW = (
    *("null", "true", "-1", "0", "0.5", "1e308", "-1e308", "NaN", "-Infinity", "1e999", '""', "[]"),
    *("{}", '"x"', '"\\ud800"', '"\\u0000"', "[[1]]", '{"a":1}', "9223372036854775808"),
    *("1" * 400, "-" + "1" * 400, "1" * 5000, "[" * 70 + "]" * 70, "[" * 99_999 + "]" * 99_999),
    '"' + "y" * 200_000 + '"',
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
POINTS = "host.queue_depth,host.time_scale\n1,0.5\n4,1\n8,\n"
WORKLOAD = """about = "writes for a test"
requests = 60
footprint_bytes = "1MiB"
[global]
rw = "randrw"
rwmixread = 30
bs = "4k"
[arrivals]
process = "constant"
mean_gap_ns = 100000
"""
SWEEP = ["sweep", "trace.csv", "--device", "tiny", "--scheme", "baseline", "--out", "out/s"]
#: A command line, and words of which an error must name one.
Kind = Callable[[random.Random], tuple[list[str], tuple[str, ...]]]
RUN = ["run", "trace.csv", "--address", "wrap", "--device", "tiny", "--scheme"]


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
    every = list(places(text))
    document, (holder, key) = rng.choice(every)
    mark = '"\x7fhere\x7f"'
    kind = rng.randrange(5)
    if kind == 0:
        del holder[key]
    elif kind == 1 and isinstance(holder, dict):
        return json.dumps(document).replace(
            f"{json.dumps(key)}: ", f"{json.dumps(key)}: {rng.choice(RAW)}, {json.dumps(key)}: ", 1
        )
    elif kind == 2 and isinstance(holder, dict):
        holder["unheard_of"] = holder.pop(key)
    else:
        holder[key] = json.loads(mark)
    return json.dumps(document, ensure_ascii=False).replace(mark, rng.choice(RAW))


def table_changed(table: pl.DataFrame, rng: random.Random) -> pl.DataFrame:
    """Return a table with a column, or a row, that no study has."""
    name = rng.choice(table.columns)
    rows = table.to_dicts()
    row = rng.choice(rows)
    kind = rng.randrange(4)
    if kind == 0:
        return pl.concat([table, table.slice(rng.randrange(len(rows)), 1)])
    if kind == 1:
        return table.drop(name)
    odd = [float("nan"), float("inf"), -1, 2**63 - 1, "", "x", None, [1], {"a": 1}, True, b"\xff"]
    row[name] = rng.choice(odd)
    if kind == 2:
        for each in rows:
            each[name] = row[name]
    try:
        return pl.DataFrame(rows, infer_schema_length=None)
    except (pl.exceptions.PolarsError, TypeError, OverflowError):
        return table.rename({name: f"{name}."})


class Documents:
    """Valid documents in a folder, from which changed ones are made."""

    def __init__(self, folder: Path, trace: Path) -> None:
        self._folder = folder
        how: dict[str, Any] = {"device": "tiny", "seed": 3}
        run = slcache.run(trace, scheme="baseline", **how)
        both = slcache.compare(trace, schemes=["baseline", "sa"], resample=2, **how)
        learnt = folder / "learnt"
        settings = {"scheme.rl.step_bytes": 65536}
        slcache.run(trace, scheme="rl", settings=settings, memory_out=learnt, **how)
        self._memory = learnt.read_bytes()
        learnt.unlink()
        self._json = {"result.json": run.to_json(), "both.json": both.to_json()}
        vary = {"host.queue_depth": "1..3", "dense.victim": ["greedy", "fifo"]}
        self._table = slcache.sweep(trace, scheme="baseline", vary=vary, **how).table

    def kinds(self) -> Sequence[Kind]:
        """Return what makes a command line, and words of which an error must name one."""
        return [
            *(self._document, self._study, self._points, self._shown),
            *(self._memorised, self._workload),
        ]

    def _write(self, name: str, rng: random.Random, text: str | bytes) -> str:
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        if rng.random() < 0.2:
            from changed_inputs import bytes_changed

            data = bytes_changed(data, rng)
        (self._folder / name).write_bytes(data)
        return name

    def _document(self, rng: random.Random) -> tuple[list[str], tuple[str, ...]]:
        name = rng.choice(["result.json", "both.json"])
        self._write(name, rng, json_changed(self._json[name], rng))
        arguments = rng.choice(
            [
                ["report", name, "--out", "out/r"],
                ["diff", name, name],
                ["diff", "--rerun", name],
                ["run", "trace.csv", "--config", name],
            ]
        )
        return arguments, (name, "trace", "differ")

    def _study(self, rng: random.Random) -> tuple[list[str], tuple[str, ...]]:
        from changed_inputs import text_changed

        text = STUDY.encode()
        found = list(re.finditer(rb"= (.+)", text))
        if rng.random() < 0.5:
            match = rng.choice(found)
            text = text[: match.start(1)] + rng.choice(RAW).encode() + text[match.end(1) :]
        else:
            text = text_changed(text, rng)
        return ["sweep", self._write("study.toml", rng, text), "--out", "out/s"], ("",)

    def _points(self, rng: random.Random) -> tuple[list[str], tuple[str, ...]]:
        from changed_inputs import text_changed

        name = self._write("points.csv", rng, text_changed(POINTS.encode(), rng))
        return [*SWEEP, "--address", "wrap", "--points", name], ("",)

    def _shown(self, rng: random.Random) -> tuple[list[str], tuple[str, ...]]:
        folder = self._folder / "study"
        folder.mkdir(exist_ok=True)
        table = self._table if rng.random() < 0.1 else table_changed(self._table, rng)
        table.write_parquet(folder / "points.parquet")
        if rng.random() < 0.3:
            from changed_inputs import bytes_changed

            whole = (folder / "points.parquet").read_bytes()
            (folder / "points.parquet").write_bytes(bytes_changed(whole, rng))
        return ["sweep", "show", "study"], ("points.parquet",)

    def _memorised(self, rng: random.Random) -> tuple[list[str], tuple[str, ...]]:
        from changed_inputs import bytes_changed

        name = self._write("memory", rng, bytes_changed(self._memory, rng))
        return [*RUN, "rl", "--set", "step_bytes=65536", "--memory-in", name], (name,)

    def _workload(self, rng: random.Random) -> tuple[list[str], tuple[str, ...]]:
        from changed_inputs import text_changed

        changed = text_changed(WORKLOAD.encode(), rng)
        # Whoever asks for so many requests gets them, or waits for them.
        while re.search(rb"requests = [0-9_]{6}", changed):
            changed = text_changed(WORKLOAD.encode(), rng)
        name = self._write("load.toml", rng, changed)
        arguments = [["run", name, "--address", "wrap", "--device", "tiny", "--scheme", "sa"]]
        arguments.append(["trace", "generate", name, "-o", "out/new.csv", "--as", "msr"])
        return rng.choice(arguments), (name, "requests")
