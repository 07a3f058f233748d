"""Waiting for room in the DRAM buffer is told by what kept the room, wherever it is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

import slcache as api
from slcache import metrics
from slcache.charts import latency as charts
from slcache.documents import schemata
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


@pytest.mark.parametrize("name", waits())
def test_every_wait_has_a_colour_and_words_of_its_own(name: str) -> None:
    told = kinds.WAITS[name]
    others = [kind for other, kind in kinds.WAITS.items() if other != name]
    for part in ("colour", "words"):
        assert getattr(told, part) not in [getattr(other, part) for other in others]
    assert told.words.startswith(ROOM) == name.startswith("buffer-")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[api.Result, Path]:
    """Return a run whose writes wait for room behind migration, and its log."""
    folder = tmp_path_factory.mktemp("room")
    trace = write_trace(folder / "load.csv", mixed(3000, write_share=1.0))
    log = folder / "log.parquet"
    settings = {"buffer.bytes": "16KiB", "buffer.acknowledge": "on-buffer"}
    ran = api.run(
        trace, device="tiny", scheme="baseline", settings=settings, replay="closed:16", log=log
    )
    return ran, log


def test_a_run_tells_what_kept_the_room(run: tuple[api.Result, Path]) -> None:
    result, log = run
    document = result.to_dict()
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
