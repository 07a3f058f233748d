"""Runs side by side give what runs one by one give, and fail as these do."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

import slcache
from support import command as command_of
from support import heed_ctrl_c
from support import slcache as command


def figures(comparison: slcache.Comparison) -> list[dict[str, Any]]:
    """Return the documents without what a run took."""
    found = [dict(document) for document in comparison.documents]
    for document in found:
        del document["sim"]
        document["provenance"] = {**document["provenance"], "time": ""}
    return found


def both(trace: Any, tmp_path: Path, **how: Any) -> list[slcache.Comparison]:  # noqa: ANN401
    """Compare one by one and side by side; the logs are the same too."""
    found = []
    for jobs in (1, 2):
        log = tmp_path / f"{jobs}" / "log.parquet"
        log.parent.mkdir()
        found.append(slcache.compare(trace, log=log, jobs=jobs, **how))
    logs = [{p.name: p.read_bytes() for p in (tmp_path / n).iterdir()} for n in ("1", "2")]
    assert logs[0] == logs[1] != {}
    return found


def test_side_by_side_is_one_by_one(trace: Path, tmp_path: Path) -> None:
    how = {"device": "tiny", "schemes": ["tlc-only", "baseline", "rl"], "address": "wrap"}
    memory = tmp_path / "memory"
    slcache.run(trace, device="tiny", scheme="rl", memory_out=memory)
    one, two = both(trace, tmp_path, memory_in=memory, **how)
    assert figures(one) == figures(two)
    assert {*map(str, one.inputs)} == {*map(str, two.inputs)}


def test_so_are_seeds_of_a_workload_given_by_what_it_holds(tmp_path: Path) -> None:
    drawn = {"requests": 300, "footprint_bytes": 1 << 20, "global": {"rw": "randwrite", "bs": "4k"}}
    how = {"device": "tiny", "schemes": "tlc-only,sa", "normalise": "sa"}
    one, two = both(drawn, tmp_path, seeds=3, seed=5, **how)
    assert isinstance(one, slcache.Comparison)
    assert one.verdict() == two.verdict()
    assert figures(one) == figures(two)


@pytest.mark.parametrize(
    ("options", "status", "told"),
    [
        (["--set", "scheme.sa.slc_blocks=15"], 3, "scheme.sa.slc_blocks = 15"),
        (["--trace-format", "spc"], 4, "is not a block number"),
        (["--jobs", "0"], 2, "--jobs"),
    ],
)
def test_what_fails_fails_alike(
    options: list[str], status: int, told: str, trace: Path, tmp_path: Path
) -> None:
    how = ("compare", trace, "--device", "tiny", "--schemes", "sa,baseline", "--out", tmp_path)
    one, two = (command(*how, "--jobs", jobs, *options) for jobs in "12")
    assert one.returncode == two.returncode == status
    assert one.stderr == two.stderr
    assert told in one.stderr.decode()
    assert not list(tmp_path.iterdir())


def test_a_cliff_is_the_same_side_by_side() -> None:
    how: dict[str, Any] = {"device": "tiny", "schemes": ["baseline", "ips"]}
    how |= {"amount_bytes": 1 << 22, "write_bytes": 4096}
    for bursts, pause_ns in ((None, None), (2, 1000)):
        one, two = (
            slcache.cliff(**how, bursts=bursts, pause_ns=pause_ns, jobs=jobs) for jobs in (1, 2)
        )
        assert one.to_json() == two.to_json()


def test_what_is_interrupted_leaves_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log.parquet"
    how = ("--device", "hierarchy-44g", "--schemes", "baseline,sa", "--jobs", "2", "--log", log)
    arguments: list[str | Path] = ["compare", "hierarchy-web_0", *how, "--out", tmp_path / "out"]
    with subprocess.Popen(
        command_of(arguments), stderr=subprocess.DEVNULL, preexec_fn=heed_ctrl_c
    ) as process:
        # Two workers, each with a hidden folder of its own for its log.
        while len(list(tmp_path.glob(".slcache-*"))) < 2:
            assert process.poll() is None, "ended before it was interrupted"
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
    assert list(tmp_path.iterdir()) == []
