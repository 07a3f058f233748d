"""Waiting for room in the DRAM buffer, and devices that fall behind, are told as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import slcache as api
from slcache import metrics
from slcache.charts import latency as charts
from slcache.documents import schemata
from slcache.report import terminal
from slcache.sentences import wording
from slcache.words import kinds
from support import mixed, slcache, write_trace

ROOM = "waiting for room in the DRAM buffer behind "


def waits() -> list[str]:
    """Return the names of all waiting that results may have, but of causes."""
    schema = schemata.schema("result")
    attribution = schema["$defs"]["Attribution"]["properties"]["wait"]["propertyNames"]
    causes = schema["$defs"]["Cause"]["enum"]
    return [name for name in attribution["enum"] if name not in causes]


def test_every_wait_has_a_colour_and_words_of_its_own() -> None:
    told = {name: kinds.WAITS[name] for name in waits()}
    for part in ("colour", "words"):
        assert len({getattr(kind, part) for kind in kinds.WAITS.values()}) == len(kinds.WAITS)
    for name, kind in told.items():
        assert kind.words.startswith(ROOM) == name.startswith("buffer-"), name


def test_a_run_tells_what_kept_the_room(tmp_path: Path) -> None:
    """Its writes wait for room behind migration."""
    trace = write_trace(tmp_path / "load.csv", mixed(3000, write_share=1.0))
    log = tmp_path / "log.parquet"
    document = api.run(
        trace, device="tiny", scheme="baseline", replay="closed:16", log=log,
        settings={"buffer.bytes": "16KiB", "buffer.acknowledge": "on-buffer"},
    ).to_dict()  # fmt: skip
    parts = document["host"]["write"]["attribution_us"]["wait"]
    kept = {name: us for name, us in parts.items() if name.startswith("buffer-")}
    assert parts.get("buffer", 0.0) < 0.01 * sum(kept.values())
    most = max(kept, key=lambda name: kept[name])
    words = kinds.WAITS[most].words
    assert wording.component(f"wait {most}") == words
    assert words in charts.attribution_caption([document])
    answered = slcache("why", log, "--slowest", "3", "--operation", "write")
    assert (answered.returncode, ROOM in " ".join(answered.stdout.decode().split())) == (0, True)
    metric = metrics.named(f"write_wait_{most.replace('-', '_')}_ns")
    assert metric.value(document) == pytest.approx(1e3 * kept[most] / 3000)


def behind(requests: int, lag_ns: int, duration_ns: int = 400_000_000_000) -> str:
    """Return what is said of a run of so long, of which so much was after the last arrival."""
    host = {"duration_ns": duration_ns, "iops": 50.0}
    backlog = {"requests_max": requests, "lag_ns": lag_ns} if requests else None
    document: Any = {"host": {**host, "backlog": backlog}, "trace": {"offered_iops": 100.0}}
    return terminal.overload("baseline", document)


def test_a_device_that_ends_long_after_the_last_request_is_told() -> None:
    told = behind(1_234_567, 300_000_000_000)
    assert told.startswith("baseline: the device does not keep up with the trace")
    for figure in ("1,234,567 requests", "offered 100 requests/s, served 50: 2.00 times"):
        assert figure in told
    keeping_up = ((0, 0), (3, 900_000), (90, 3_000_000_000))
    assert [behind(*backlog) for backlog in keeping_up] == [""] * 3
