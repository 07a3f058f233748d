"""Repeated traces, what a plan says once, and lifespans over grids of shares."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from slcache import ConfigError, api
from slcache.execute.run import Run
from slcache.execute.tasks import Done, Task, perform
from slcache.reproduce import lifespans, toml
from slcache.reproduce.inputs import Input, run_of
from slcache.reproduce.lifespans import Lifespans
from slcache.reproduce.measures import value
from slcache.reproduce.parts import Grid


def bare(each: Input) -> Run:
    return run_of(each, "n", [], 1, device="tiny", scheme="tlc-only", settings={}, seed=1)


@pytest.mark.parametrize("mebibytes", [30, 400])
def test_a_trace_is_repeated_until_it_has_written_what_was_asked(
    mebibytes: int, tmp_path: Path
) -> None:
    asked = mebibytes << 20
    each = Input("w", "ips-wdev_0", 8000, set={"requests": "8000"}, repeat_to_write_bytes=asked)
    once = api.Trace(each.path, options=replace(each, repeat_to_write_bytes=0).options(1)).info()
    path = tmp_path / "repeated.parquet"
    task = Task(str(path), "repeat", bare(each))
    assert perform(task) == Done(str(path))
    told = api.Trace(path).info()
    assert told["write_bytes"] == pytest.approx(asked, rel=0.1)
    assert told["requests"] == pytest.approx(once["requests"] * asked / once["write_bytes"], abs=1)
    # A shorter one is a part of the trace; a longer one comes back to the same pages.
    assert told["touched_4kib_pages"] <= once["touched_4kib_pages"]


def test_a_trace_that_cannot_be_read_is_told_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(
        "128166372003061629,hm,1,Write,0,4096,1\n128166372003061630,hm,1,Wrote,0,4096,1\n"
    )
    each = Input("w", "", 2, repeat_to_write_bytes=1 << 20, file=str(file))
    task = Task(str(tmp_path / "r.parquet"), "repeat", bare(each))
    done = perform(task)
    assert done.kind == "TraceError"
    assert 't.csv:2: column 4 (Type): "Wrote" is not' in (done.error or "")
    file.write_text("128166372003061629,hm,1,Read,0,4096,1\n")
    assert "t.csv: no writes to repeat" in (perform(task).error or "")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"volume": 3}, "volume = 3"),
        ({"volume": {"a": 3}}, "volume = {'a': 3}"),
        ({"workload": {}}, "workload = {}"),
        ({"defaults": 3}, "defaults = [3]"),
        ({"part": [3]}, "part = [3]"),
        ({"volume": {"a": {}}, "workload": [{"volumes": ["b"]}]}, "workload 1: volumes: no b"),
        ({"volume": {"a": {}}, "workload": [{"each": {"b": {}}}]}, "workload 1: each: no b"),
        ({"x": {"{a,b}.c": 1, "b.c": 2}}, "x: b.c is given twice"),
        ({"reading": {"r": {"options": ["o"]}}}, "reading: r: options: no o"),
        ({"option": {"o": {}}}, "option o is in no reading"),
    ],
)
def test_what_is_said_once_is_said_of_something(said: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError) as error:
        toml.written_out(said, "p/plan.toml")
    assert str(error.value).startswith(f"p/plan.toml: {told}")


def test_what_is_said_once_holds_for_all() -> None:
    whole = {
        "defaults": {"replay": "open", "settings": {"{a,b}.x": 1}},
        "part": [{"name": "p", "settings": {"b.x": 2}}, {"name": "q", "replay": "closed:1"}],
        "volume": {
            "v": {"figures": {"requests": 5}, "reduced": {"requests": 1}},
            "w": {"requests": 7},
        },
        "workload": [
            {"parts": ["p"], "twin": "t-{name}"},
            {
                "parts": ["q"],
                "twin": "u",
                "reduced": {},
                "volumes": ["v"],
                "each": {"v": {"twin": "s"}},
            },
        ],
    }
    found = toml.written_out(whole, "plan.toml")
    first, second = found["parts"]
    assert (first["replay"], first["settings"]) == ("open", {"a.x": 1, "b.x": 2})
    assert (second["replay"], second["settings"]) == ("closed:1", {"a.x": 1, "b.x": 1})
    told = [(w["name"], w["twin"], w["requests"], w.get("reduced")) for w in found["workloads"]]
    assert told == [("v", "t-v", 5, {"requests": 1}), ("w", "t-w", 7, None), ("v", "s", 5, {})]


#: Wordlines of 100 bytes, one to a block; 10 blocks on each of two planes.
POOL = {
    **{"channels": 2, "chips": 1, "dies": 1, "planes": 1, "blocks": 10},
    **{"wordlines": 1, "page_bytes": 100},
    "slc": {"endurance_cycles": 50},
    "mlc": {"endurance_cycles": 10},
}

GRIDS = [
    Grid("mixed", "baseline", {"r": [0, 0.25, 1]}),
    Grid("slc", "baseline", {"r": [0.25, 1]}),
    Grid("dense", "baseline", {"r": [0.75, 1]}),
]
SPEC = Lifespans("p", ["mixed"], "slc", "dense")


def document(**scheme_figures: float) -> dict[str, Any]:
    return {
        "config": {"device": {"pool": [POOL]}},
        "scheme": {"figures": scheme_figures, "series": []},
    }


def lasting(without: str = "") -> dict[Any, Any]:
    """Return results with the lifespans they have."""
    runs = {
        "mixed 0": document(host_bytes=10, dense_bytes=40),
        "mixed 0.25": document(host_bytes=10, slc_bytes=100, dense_bytes=50),
        "mixed 1": document(host_bytes=10, slc_bytes=20),
        "slc 0.25": document(slc_bytes=250),
        "slc 1": document(slc_bytes=20),
        "dense 0.75": document(dense_bytes=125),
        "dense 1": document(dense_bytes=40),
    }
    documents: dict[Any, Any] = {("w", n, 1): d for n, d in runs.items() if n != without}
    lifespans.add(SPEC, {"p": documents}, GRIDS)
    return documents


def test_a_lifespan_is_that_of_the_model_with_the_volumes_of_the_runs() -> None:
    assert lifespans.chip(document()) == {
        "slc_cycles": 50,
        "dense_cycles": 10,
        "slc_block_bytes": 100,
        "dense_bits": 2,
        "blocks": 20,
    }
    # D_S = 25,000 and D_M = 30,000: N_S = 250 passes and N_M = 600. Then D_M has 17,500 left, for
    # 140 passes of 125 with the region at its size, or 437.5 of 40 as if it were the whole chip.
    # A chip of one mode is its own last region.
    passes = {"mixed 0.25": (390, 687.5), "mixed 0": (1000, 1000), "mixed 1": (5000, 5000)}
    documents = lasting()
    for name, of in passes.items():
        for measure, each in zip(("lifespan_bytes", "lifespan_full_chip_bytes"), of, strict=True):
            assert value(measure, documents["w", name, 1]) == pytest.approx(10 * each)
    # Without the runs of one region there is no lifespan.
    documents = lasting(without="dense 0.75")
    found = [value("lifespan_bytes", documents["w", n, 1]) for n in ("mixed 0.25", "slc 1")]
    assert found == [None, None]
    assert value("lifespan_bytes", documents["w", "mixed 0", 1]) is not None


def test_the_last_pass_alone_is_what_two_program_less_what_one_does() -> None:
    """A first pass programs 10 more than those after it here: 90 and 40, 240 and 115 alone."""
    first, both = lasting(), lasting()
    for key, told in both.items():
        own = told["scheme"]["figures"]
        less = {name: 2 * of - 10 for name, of in own.items() if name != "host_bytes"}
        both[key] = document(**less, host_bytes=20)
    lifespans.add(replace(SPEC, part="two", less="p"), {"p": first, "two": both}, GRIDS)
    mixed = both["w", "mixed 0.25", 1]["lifespan"]["own"]
    assert mixed["passes"] == pytest.approx(25_000 / 90 + (30_000 - 40 * 25_000 / 90) / 115)
    assert mixed["host_bytes"] == pytest.approx(10 * mixed["passes"])
    del first["w", "slc 0.25", 1]
    lifespans.add(replace(SPEC, part="two", less="p"), {"p": first, "two": both}, GRIDS)
    assert both["w", "mixed 0.25", 1]["lifespan"]["own"] is None
