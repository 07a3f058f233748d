"""Traces of extreme shape give a result, or words."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from support import slcache, write_trace

Rows = list[tuple[int, str, int, int]]

SIZE = 1 << 28
OPS = ("Read", "Write")


def shapes() -> dict[str, Rows]:
    """Return rows of (ms, op, offset, size) by what is extreme about them."""
    found: dict[str, Rows] = {}
    for op in OPS:
        found |= {
            f"one {op}": [(0, op, 4096, 4096)],
            f"two {op}s": [(0, op, 0, 4096), (1, op, 8192, 512)],
            f"{op}s at one time": [(5, op, 4096 * (i * 37 % 50), 4096) for i in range(200)],
            f"{op}s at one place": [(i, op, 65536, 4096) for i in range(200)],
            f"{op}s at one time and place": [(0, op, 0, 4096)] * 60,
            f"{op}s of each place once": [(i, op, 4096 * 97 * i, 4096) for i in range(200)],
            f"{op}s in sequence": [(i, op, 4096 * i, 4096) for i in range(200)],
            f"{op}s of each size once": [(i, op, 1 << 20, 512 * (i + 1)) for i in range(120)],
            f"one {op} of 256 MiB": [(0, op, 0, SIZE)],
            f"a {op} of 256 MiB and others": [
                (0, op, 0, SIZE),
                *((i, op, 4096 * i, 4096) for i in range(1, 99)),
            ],
            f"{op}s at the end of all addresses": [
                (i, op, (1 << 62) + 4096 * (i % 7), 4096) for i in range(90)
            ],
            f"{op}s a day apart": [(86_400_000 * i, op, 4096 * (i % 9), 4096) for i in range(90)],
        }
    mixed = itertools.cycle(OPS)
    found["each place once, by turns"] = [
        (i, op, 4096 * 97 * i, 4096) for i, op in zip(range(200), mixed, strict=False)
    ]
    found["one of each"] = [(0, "Read", 0, 4096), (0, "Write", 0, 4096)]
    return found


SHAPES = shapes()
VERBS: dict[str, list[str]] = {
    "info": ["trace", "info", "{trace}"],
    "lint": ["trace", "lint", "{trace}"],
    "twin": ["trace", "twin", "{trace}", "--out", "{out}.toml"],
    "blocks": ["trace", "twin", "{trace}", "--out", "{out}.csv", "--by", "blocks"],
    "kept": [
        *("trace", "twin", "{trace}", "--out", "{out}.kept.csv", "--by", "blocks"),
        *("--regions", "kept", "--places", "drawn", "--requests", "300"),
    ],
    "bound": ["bound", "{trace}"],
}


@pytest.mark.few(3)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_verb_takes_a_trace_of_extreme_shape_or_says_why_not(
    shape: str, tmp_path: Path
) -> None:
    trace = write_trace(tmp_path / "t.csv", SHAPES[shape])
    for name, words in VERBS.items():
        places = {"trace": str(trace), "out": str(tmp_path / "out")}
        done = slcache(*(word.format_map(places) for word in words))
        assert done.returncode in (0, 1, 3, 4), (name, done.stderr)
        assert (done.returncode == 0) == (b"error:" not in done.stderr), (name, done.stderr)
        assert b"panicked" not in done.stderr, name
    twin = tmp_path / "out.toml"
    if twin.exists():
        for words in (
            ["trace", "info", str(trace), "--against", str(twin)],
            ["trace", "info", str(twin)],
        ):
            done = slcache(*words)
            assert done.returncode == 0, (words, done.stderr)
