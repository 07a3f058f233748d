"""Schemes of one's own: like native ones where they decide alike, and the same anywhere."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest

import slcache
from slcache import Scheme, catalogue, conformance
from slcache import conformance as checking
from slcache.execute import steady
from support import TINY_BYTES, Row, here, own_scheme, process, write_trace

EXAMPLES = Path("examples/schemes")
RECORDING = "examples/linkbench-40s.blkparse.zst"
DEMO = "examples/demo.toml"
BASELINE = f"{EXAMPLES}/baseline.py:Baseline"
TURBO_WRITE = f"{EXAMPLES}/turbo_write.py:TurboWrite"
#: What says whose a document is, and how long its run took.
OWN = ("config", "scheme", "provenance", "sim")


def without_owner(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a run's document without what says whose it is."""
    return {key: value for key, value in document.items() if key not in OWN}


def figures(trace: str | Path, scheme: str, device: str, **given: object) -> dict[str, Any]:
    """Return what a run comes to, whoever decides."""
    run = slcache.run(trace, device=device, scheme=scheme, **cast(Any, given))
    return without_owner(run.documents[0])


@pytest.mark.parametrize(("native", "own"), [("baseline", BASELINE), ("turbo-write", TURBO_WRITE)])
def test_the_examples_give_the_native_documents(native: str, own: str, trace: Path) -> None:
    compact: dict[str, Any] = {"address": "compact"}
    paced: dict[str, Any] = {"settings": {"host.time_scale": 0.1}}
    cases: list[tuple[str | Path, str, dict[str, Any]]] = [
        (RECORDING, DEMO, compact),
        (RECORDING, "hierarchy-44g", paced),
        (trace, "tiny", {}),
    ]
    for recording, device, given in cases:
        mine = figures(recording, own, device, **given)
        if native == "baseline" and device != "tiny":
            # The device's own choice is another trigger, which the example leaves out.
            free = {"scheme.baseline.trigger": "free-blocks"}
            given = {**given, "settings": {**given.get("settings", {}), **free}}
        assert mine == figures(recording, native, device, **given), device


def test_a_script_runs_its_own_class_without_running_twice(tmp_path: Path, trace: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nimport slcache\n\nclass Own(slcache.Scheme):\n"
        "    def place(self, write, view):\n        return 'cache', 'store'\n\n"
        "run = slcache.compare(sys.argv[1], device='tiny', schemes=['baseline', Own])\n"
        "print(*run.labels, run.documents[1]['config']['scheme']['custom']['source'])\n"
    )
    ended = subprocess.run(
        [sys.executable, script, trace], capture_output=True, text=True, check=True
    )
    assert ended.stdout == f"baseline Own {script}:Own\n"
    waf = []
    for places in ("'cache', 'store'", "'store'"):
        source = own_scheme(tmp_path, f"def place(self, write, view): return {places}")
        waf.append(slcache.run(trace, device="tiny", scheme=source).documents[0]["waf"])
    assert waf[0] != waf[1]


def test_the_file_of_a_base_class_is_part_of_it_and_an_input(
    tmp_path: Path, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    base, out, source = tmp_path / "some_base.py", tmp_path / "out", f"{tmp_path}/own.py:Own"
    base.write_text("import slcache\n\nclass Base(slcache.Scheme):\n    pass\n")
    (tmp_path / "own.py").write_text("import some_base\n\nclass Own(some_base.Base):\n    pass\n")
    sums = set()
    for _ in range(2):
        sums.add(slcache.resolve(device="tiny", scheme=source)["scheme"]["custom"]["sha256"])
        base.write_text(base.read_text() + "\n\n# edited\n")
    assert len(sums) == 2
    out.symlink_to(base)
    for written in ("log", "save_state", "timeline"):
        given: dict[str, Any] = {"device": "tiny", "scheme": source, written: out}
        with pytest.raises(slcache.ConfigError, match="is the input"):
            slcache.run(trace, **given)
        assert "class Base" in base.read_text()

    def made(region: str) -> type[Scheme]:
        class Made(Scheme):
            def place(self, write: object, view: object) -> str:
                return region

        return Made

    sums = set()
    for region in ("cache", "store"):
        config = slcache.resolve(device="tiny", scheme=cast(Any, made(region)))
        sums.add(config["scheme"]["custom"]["sha256"])
    assert len(sums) == 2


#: What it remembers, and an option that it changes.
COUNTS = """
    largest: int = slcache.option(1024)

    def __init__(self):
        self.seen = 0

    def place(self, write, view):
        self.seen += 1
        self.largest += 1
        return ("cache", "store") if self.seen % 3 else "store"

    def figures(self):
        return {"seen": self.seen, "largest": self.largest}
"""


def test_a_snapshot_holds_what_a_scheme_is_in_the_middle_of(tmp_path: Path, trace: Path) -> None:
    source, state = own_scheme(tmp_path, COUNTS), tmp_path / "state"
    settings = {"precondition.fill": 0.5}
    fresh, again = (
        slcache.run(trace, device="tiny", scheme=source, **how).documents[0]
        for how in ({"settings": settings, "save_state": state}, {"load_state": state})
    )
    assert 0 < fresh["scheme"]["figures"]["seen"] < fresh["scheme"]["figures"]["largest"]
    assert again["scheme"]["figures"] == fresh["scheme"]["figures"]
    assert without_owner(again) == without_owner(fresh)


#: Shorter than what a page shows: few requests, and few cases.
SHORTER = {"compare": ["--trace-option", "take=1000"], "schemes": ["--cases", "3"]}


def test_what_the_page_shows_runs(cwd: Path) -> None:
    """The class of the page goes into a file, and its commands run beside it."""
    root = Path(__file__).parent.parent
    text = (root / "docs/howto/scheme-in-python.md").read_text(encoding="utf-8")
    listing = text.split("```python\n")[1].split("```")[0]
    (cwd / "examples").symlink_to(root / "examples")
    (cwd / "mine.py").write_text(listing, encoding="utf-8")
    commands = [line for line in text.splitlines() if line.startswith("slcache ")]
    assert len(commands) == 3
    for command in commands:
        words = shlex.split(command)[1:]
        outcome = here(*words, *SHORTER[words[0]])
        assert outcome.returncode == 0, f"{command}: {outcome.stderr!r}"


EVERY = [
    f"{path}:{name}"
    for path in sorted(EXAMPLES.glob("*.py"))
    for name in re.findall(r"(?m)^class (\w+)", path.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("cases", [4, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.parametrize("source", [*EVERY, "custom"])
def test_every_example_is_sound(source: str, cases: int) -> None:
    assert len(EVERY) == 5
    assert checking.check(source, cases=cases).failure is None


#: A class that prints whenever it is asked for anything.
TALKS = """
    print("a class")

    def __init__(self):
        print("an instance")

    def place(self, write, view):
        print("a write")
        return "cache", "store"
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_class_prints_is_beside_the_result(tmp_path: Path, trace: Path, jobs: int) -> None:
    source = own_scheme(tmp_path, TALKS)
    words = ["compare", str(trace), "--device", "tiny", "--schemes", f"baseline,{source}", "--json"]
    done = process(*words, "--jobs", str(jobs))
    assert done.returncode == 0, done.stderr
    assert list(json.loads(done.stdout)["normalised"]["schemes"]) == ["baseline", "Mine"]
    assert {b"a class", b"an instance", b"a write"} <= {*done.stderr.splitlines()}


#: Data on their way between two regions that share their blocks, and within one.
ROUND = """
    regions = {"cache": slcache.slc(), "hot": slcache.dense(), "cold": slcache.dense()}

    def reclaim(self, region, view):
        if view.free_blocks(region):
            return None
        return slcache.reclaim("hot", to="cold") if view.used_blocks("hot") > 6 else "hot"

    def idle(self, view):
        if view.used_blocks("hot") > 2:
            return slcache.reclaim("hot", to="cold")
        return slcache.reclaim("cold", to="cold")
"""


def test_emptying_a_region_that_is_cleaned_by_that_is_sound(tmp_path: Path) -> None:
    """Making room for what leaves a block may clean that block away."""
    outcome = checking.check(own_scheme(tmp_path, ROUND), cases=20)
    assert outcome.failure is None, outcome.failure
    rows: list[Row] = [(20 * i, "Write", 16384 * i, 16384) for i in range(TINY_BYTES // 32768)]
    once = write_trace(tmp_path / "once.csv", rows)
    run = slcache.run(once, device="tiny", scheme=own_scheme(tmp_path, STAYS)).documents[0]
    assert "cache_pages_kept" not in run["scheme"]["figures"]
    assert run["scheme"]["figures"]["cache_pages_written"] > 0


STAYS = """
    def reclaim(self, region, view):
        return slcache.reclaim() if view.free_blocks(region) <= 1 else None

    def destination(self, page, region, view):
        return "cache"

    def idle(self, view):
        return slcache.reclaim("cache", to="cache")
"""


def test_what_stays_is_counted_and_written_by_cleaning(tmp_path: Path, trace: Path) -> None:
    run = slcache.run(trace, device="tiny", scheme=own_scheme(tmp_path, STAYS)).documents[0]
    kept = run["scheme"]["figures"]["cache_pages_kept"]
    assert kept > 0
    assert run["scheme"]["figures"]["cache_pages_moved_out"] == 0
    cleaned = {op["kind"]: op for op in run["flash"]["ops"] if op["cause"] == "gc"}
    assert cleaned["program"]["pages"] == cleaned["read"]["pages"] == kept
    assert {op["mode"] for op in cleaned.values()} == {"slc"}
    assert not [op for op in run["flash"]["ops"] if op["cause"] == "migration"]


def placing(decision: str) -> str:
    return f"""
    regions = {{"cache": slcache.slc(blocks=3), "store": slcache.dense()}}

    def place(self, write, view):
        import os
        return {decision}
"""


#: Decisions that hang on what Python draws for each process.
BY_HASH = placing('["cache", "store"][hash(str(write.page)) % 2]')
BY_SET = placing('next(iter({f"{name}{write.page % 97}" for name in ("cache", "store")}))[:5]')
#: And what no environment settles.
BY_PROCESS = placing('["cache", "store"][hash((os.getpid(), write.page)) % 2]')
BY_PAGE = placing('["cache", "store"][write.page % 2]')


@pytest.fixture(autouse=True)
def _drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)


def test_equal_runs_of_a_class_that_hangs_on_hashes_are_equal(tmp_path: Path) -> None:
    source = own_scheme(tmp_path, BY_HASH)
    asked: list[str | Path] = ["run", "zipf-4k", "--workload", "requests=300", "--device", "tiny"]
    told = []
    for _ in range(2):
        done = process(*asked, "--scheme", source, "--address", "wrap", "--json")
        assert done.returncode == 0, done.stderr
        document = json.loads(done.stdout)
        told.append((document["host"], document["flash"]))
    assert told[0] == told[1]
    assert conformance.check(own_scheme(tmp_path, BY_PAGE), cases=6).failure is None


@pytest.mark.parametrize("body", [BY_HASH, BY_SET, BY_PROCESS])
def test_what_differs_from_process_to_process_fails_the_check(body: str, tmp_path: Path) -> None:
    found = conformance.check(own_scheme(tmp_path, body), cases=6)
    assert found.failure is not None
    assert "another process ends with other figures" in found.failure.what
    assert "[device]" in found.failure.device


def test_hashes_that_the_user_has_chosen_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    assert steady.hashes() == {"PYTHONHASHSEED": "0"}
    assert steady.others() != steady.hashes()
    for said in ("0", "1", "77"):
        monkeypatch.setenv("PYTHONHASHSEED", said)
        assert steady.hashes() == {}
        assert steady.others()["PYTHONHASHSEED"] != said
    assert "custom" in slcache.fitting(device="tiny")[0]
    assert "custom" not in catalogue.named("all", device="tiny")[0]
