"""The cliff's curve counts stalls and leaves pauses out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from slcache import cliff
from support import slcache

GIB = 1 << 30


def series(written: list[int], window_ns: int = 1_000_000_000) -> dict[str, object]:
    return {"series": {"window_ns": window_ns, "columns": {"write_bytes": written}}}


def test_stalls_count_as_time() -> None:
    fast_then_stalling = [GIB] * 100 + [GIB, 0, 0, 0] * 100
    written, rate = cliff.curve(series(fast_then_stalling))
    assert written[-1] == pytest.approx(200)
    assert rate[0] == pytest.approx(GIB / 1e6)
    slow = rate[(written > 104) & (written < 196)]
    assert slow.mean() == pytest.approx(GIB / 4 / 1e6, rel=0.05)


def test_pauses_do_not_count() -> None:
    bursts = ([GIB] * 20 + [0] * 60) * 3
    _, rate = cliff.curve(series(bursts), pause_ns=60_000_000_000)
    assert rate == pytest.approx([GIB / 1e6] * len(rate))


def test_the_verb_writes_figures_and_pictures(tmp_path: Path) -> None:
    done = slcache(
        "cliff", "--device", "tiny", "--schemes", "tlc-only,baseline", "--bs", "16k",
        "--amount", "3MiB", "--iodepth", "4", "--out", tmp_path, "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert set(document["schemes"]) == {"tlc-only", "baseline"}
    assert document["schemes"]["baseline"]["written_gib"][-1] == pytest.approx(3 / 1024, rel=0.01)
    assert {path.name for path in tmp_path.iterdir()} == {"cliff.json", "cliff.svg", "cliff.png"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--amount", "4x"], "is not a size, such as 128k"),
        (["--pattern", "bursts", "--pause", "soon"], "is not a time, such as 500ms"),
        (["--amount", "16k"], "less than two writes"),
    ],
)
def test_wrong_usage_is_told(arguments: list[str], message: str) -> None:
    done = slcache("cliff", "--device", "tiny", "--schemes", "baseline", *arguments)
    assert done.returncode == 2
    assert message in done.stderr.decode()
