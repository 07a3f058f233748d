"""Schemes of one's own: like native ones where they decide alike, with state and sources."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

import slcache
from slcache import Scheme, catalogue
from support import here, own_scheme, process

EXAMPLES = Path("examples/schemes")
RECORDING = "examples/linkbench-40s.blkparse.zst"
DEMO = "examples/demo.toml"
BASELINE = f"{EXAMPLES}/baseline.py:Baseline"
TURBO_WRITE = f"{EXAMPLES}/turbo_write.py:TurboWrite"
#: What says whose a document is, and how long its run took.
OWN = ("config", "scheme", "provenance", "sim")


def figures(trace: str | Path, scheme: str, device: str, **given: object) -> dict[str, Any]:
    """Return a run's document without what says whose it is."""
    document = slcache.run(trace, device=device, scheme=scheme, **cast(Any, given)).documents[0]
    return {key: value for key, value in document.items() if key not in OWN}


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


def test_a_class_stands_for_its_source_in_python(trace: Path) -> None:
    class Here(Scheme):
        """A scheme of this file."""

        def place(self, write: object, view: object) -> tuple[str, str]:
            """Cache it."""
            return "cache", "store"

    both = slcache.compare(trace, device="tiny", schemes=cast(Any, ["baseline", Here]))
    assert both.labels == ["baseline", "Here"]
    source = both.documents[1]["config"]["scheme"]["custom"]["source"]
    assert source.startswith(f"{__name__}:test_a_class_stands_for")


def test_a_script_runs_its_own_class_without_running_twice(tmp_path: Path, trace: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nimport slcache\n\nclass Own(slcache.Scheme):\n"
        "    def place(self, write, view):\n        return 'cache', 'store'\n\n"
        "run = slcache.run(sys.argv[1], device='tiny', scheme=Own)\n"
        "print(run.documents[0]['scheme']['name'])\n"
    )
    ended = subprocess.run(
        [sys.executable, script, trace], capture_output=True, text=True, check=True
    )
    assert ended.stdout == "Own\n"


def test_an_edit_is_noticed(tmp_path: Path, trace: Path) -> None:
    source = own_scheme(tmp_path, "def place(self, write, view): return 'cache', 'store'")
    before = slcache.run(trace, device="tiny", scheme=source)
    result = tmp_path / "result.json"
    before.save(tmp_path / "out")
    found = next((tmp_path / "out").rglob("*.json"))
    assert result != found
    slcache.rerun(found)
    own_scheme(tmp_path, "def place(self, write, view): return 'store'")
    with pytest.raises(slcache.ConfigError, match="no document loads code of Python"):
        slcache.rerun(found)
    with pytest.raises(slcache.ConfigError, match=r"sha256 = .*which .* has now"):
        slcache.rerun(found, scheme=source)
    after = slcache.run(trace, device="tiny", scheme=source)
    assert after.documents[0]["waf"] != before.documents[0]["waf"]


def test_an_edit_of_a_base_class_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    base = tmp_path / "some_base.py"
    base.write_text("import slcache\n\nclass Base(slcache.Scheme):\n    pass\n")
    (tmp_path / "own.py").write_text("import some_base\n\nclass Own(some_base.Base):\n    pass\n")
    source = f"{tmp_path}/own.py:Own"
    before = slcache.resolve(device="tiny", scheme=source)["scheme"]["custom"]["sha256"]
    base.write_text(base.read_text() + "\n\n# edited\n")
    after = slcache.resolve(device="tiny", scheme=source)["scheme"]["custom"]["sha256"]
    assert before != after


@pytest.mark.parametrize("written", ["log", "save_state", "timeline"])
def test_the_file_of_a_base_class_is_an_input(
    written: str, tmp_path: Path, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    name = f"base_beside_{written}"
    base = tmp_path / f"{name}.py"
    base.write_text("import slcache\n\nclass Base(slcache.Scheme):\n    pass\n")
    (tmp_path / "own.py").write_text(f"import {name}\n\nclass Own({name}.Base):\n    pass\n")
    out = tmp_path / "out.parquet"
    out.symlink_to(base)
    given: dict[str, Any] = {"device": "tiny", "scheme": f"{tmp_path}/own.py:Own", written: out}
    with pytest.raises(slcache.ConfigError, match="is the input"):
        slcache.run(trace, **given)
    assert "class Base" in base.read_text()


def test_what_a_function_made_a_class_from_is_part_of_it() -> None:
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


COUNTS = """
    def __init__(self):
        self.seen = 0

    def place(self, write, view):
        self.seen += 1
        return ("cache", "store") if self.seen % 3 else "store"

    def figures(self):
        return {"seen": self.seen}
"""


def test_a_snapshot_holds_what_a_scheme_is_in_the_middle_of(tmp_path: Path, trace: Path) -> None:
    source, state = own_scheme(tmp_path, COUNTS), tmp_path / "state"
    settings = {"precondition.fill": 0.5}
    fresh = slcache.run(trace, device="tiny", scheme=source, settings=settings, save_state=state)
    again = slcache.run(trace, device="tiny", scheme=source, load_state=state)
    seen = [each.documents[0]["scheme"]["figures"]["seen"] for each in (fresh, again)]
    assert seen[0] == seen[1] > 0
    assert figures(trace, source, "tiny", load_state=state) == figures(
        trace, source, "tiny", settings=settings
    )


def test_all_schemes_leaves_the_defaults_of_one_s_own_out() -> None:
    assert "custom" in slcache.fitting(device="tiny")[0]
    assert "custom" not in catalogue.named("all", device="tiny")[0]


def test_the_page_is_tried_literally(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The class of the page goes into a file, and its commands run beside it."""
    root = Path.cwd()
    text = (root / "docs/howto/scheme-in-python.md").read_text(encoding="utf-8")
    listing = text.split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(root / "examples")
    (tmp_path / "mine.py").write_text(listing, encoding="utf-8")
    commands = [line for line in text.splitlines() if line.startswith("slcache ")]
    assert len(commands) == 3
    for command in commands:
        outcome = here(*shlex.split(command)[1:])
        assert outcome.returncode == 0, f"{command}: {outcome.stderr!r}"


def test_recent_is_sound_and_keeps_out_what_was_not_written_lately() -> None:
    source = f"{EXAMPLES}/recent.py:Recent"
    passed = here("schemes", "check", source, "--cases", "10")
    assert passed.returncode == 0, passed.stderr

    def cached(within: float) -> int:
        settings = {"within": within, "trace.address": "compact"}
        found = slcache.run(
            "examples/linkbench-40s.blkparse.zst",
            device="examples/demo.toml",
            scheme=source,
            settings=settings,
        ).to_dict()
        host = ("host", "slc", "program")
        rows = found["flash"]["ops"]
        return sum(r["pages"] for r in rows if (r["cause"], r["mode"], r["kind"]) == host)

    everything, lately, hardly = (cached(within) for within in (0, 2, 0.01))
    assert everything > lately > hardly


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
