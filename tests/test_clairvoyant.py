"""The scheme that knows its trace: a yardstick beside the others, not one of them."""

from __future__ import annotations

import json
from pathlib import Path

import slcache
from slcache import api
from slcache.sentences.verdict import verdict
from support import mixed, process, write_trace

HOW = ("--device", "tiny", "--scheme", "clairvoyant", "--json")


def test_all_schemes_are_those_that_a_device_can_be() -> None:
    ahead = [entry["name"] for entry in slcache.schemes() if entry["looks_ahead"]]
    assert ahead == ["clairvoyant", "bypass-oracle"]
    assert "clairvoyant" in slcache.fitting(device="tiny")[0]
    assert "clairvoyant" not in api.named("all", device="tiny")[0]
    assert api.named("clairvoyant", device="tiny")[0] == ["clairvoyant"]


def test_a_pipe_is_foreseen_as_a_file_is(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "trace.csv", mixed())
    ran = [
        process("run", trace, *HOW),
        process("run", "-", *HOW, stdin=trace.read_bytes()),
    ]
    schemes = [json.loads(done.stdout)["scheme"] for done in ran]
    assert schemes[0] == schemes[1]
    figures = schemes[0]["figures"]
    assert figures["planned_pages"] > 0
    assert figures["unforeseen_pages"] == 0


def test_it_wins_nothing(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "trace.csv", mixed(2000))
    names = ["baseline", "clairvoyant", "turbo-write"]
    both = slcache.compare(trace, device="tiny", schemes=names)
    documents = [run.to_dict() for run in both.runs]
    told = " ".join(verdict(names, documents, "baseline"))
    assert "baseline" in told
    assert "clairvoyant" not in told


def test_an_address_policy_is_foreseen_too(tmp_path: Path) -> None:
    trace = write_trace(
        tmp_path / "trace.csv",
        [(at, op, offset + (1 << 40), size) for at, op, offset, size in mixed()],
    )
    for policy in ("wrap", "compact"):
        settings = {"trace.address": policy}
        run = slcache.run(trace, device="tiny", scheme="clairvoyant", settings=settings)
        figures = run.to_dict()["scheme"]["figures"]
        assert figures["planned_pages"] > 0
        assert figures["unforeseen_pages"] == 0
