"""Schemes of one's own: like native ones where they decide alike, and told what is wrong."""

from __future__ import annotations

import itertools
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

import slcache
from slcache import Scheme, _boot, catalogue, conformance
from slcache import conformance as checking
from slcache.documents import saved
from slcache.search.space import VALUES_MOST
from slcache.study.axes import StudyAxis
from support import TINY_BYTES, Row, here, own_scheme, process, stdout, write_trace
from support import slcache as command
from verbs import Inputs, verbs

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
    for line in commands:
        words = shlex.split(line)[1:]
        outcome = here(*words, *SHORTER[words[0]])
        assert outcome.returncode == 0, f"{line}: {outcome.stderr!r}"


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


@pytest.mark.parametrize("function", ["run", "compare"])
def test_a_file_runs_nothing_when_it_is_loaded(function: str, tmp_path: Path, trace: Path) -> None:
    """Every worker loads it: one that starts workers would do so without end."""
    source = own_scheme(tmp_path, TALKS)
    file = Path(source.rpartition(":")[0])
    scheme = "scheme" if function == "run" else "schemes"
    runs = f'slcache.{function}("{trace}", device="tiny", {scheme}="baseline")'
    text = file.read_text()
    file.write_text(f"{text}\n\n{runs}\n")
    done = command("run", trace, "--device", "tiny", "--scheme", source)
    told = (
        f"slcache.{function}(...) runs whenever {file.name} is loaded, as every worker does: put it"
    )
    assert (done.returncode, done.stdout) == (3, b"")
    assert f'{told} below `if __name__ == "__main__":`' in " ".join(done.stderr.decode().split())
    file.write_text(f'{text}\n\nif __name__ == "__main__":\n    {runs}\n')
    stdout("run", trace, "--device", "tiny", "--scheme", source)


def test_a_reference_is_called_as_it_was_asked_for_or_as_it_is_told(trace: Path) -> None:
    schemes = ["tlc-only", "baseline:slc_blocks=3", f"{BASELINE}:slc_blocks=3"]
    told = {name: name for name in ("baseline:slc_blocks=3", "Baseline:slc_blocks=3")}
    for name, title in {**told, schemes[2]: "Baseline:slc_blocks=3"}.items():
        both = slcache.compare(trace, device="tiny", schemes=schemes, normalise=name)
        assert both.reference == title
    with pytest.raises(slcache.UsageError, match="comparing tlc-only, baseline:slc_blocks=3, Base"):
        slcache.compare(trace, device="tiny", schemes=schemes, normalise="Baseline")


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


@pytest.mark.long
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


@pytest.mark.long
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
    assert _boot.hashes() == {"PYTHONHASHSEED": "0"}
    assert _boot.other_hashes() != _boot.hashes()
    for said in ("0", "1", "77"):
        monkeypatch.setenv("PYTHONHASHSEED", said)
        assert _boot.hashes() == {}
        assert _boot.other_hashes()["PYTHONHASHSEED"] != said
    assert "custom" in slcache.fitting(device="tiny")[0]
    assert "custom" not in catalogue.named_schemes("all", device="tiny")[0]


def options_of(scheme: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that a configuration ends with."""
    config = slcache.resolve(device="tiny", scheme=scheme, settings=settings)
    own: dict[str, Any] = config["scheme"]["custom"]
    return own


def test_options_are_keys_with_defaults_ranges_and_short_names(tmp_path: Path) -> None:
    body = """
        largest: int = slcache.option(4096, minimum=512, maximum=65536, help="the largest")
        share: float = slcache.option(0.5, minimum=0, maximum=1)
        kind: str = slcache.option("a", choices=("a", "b"))
        eager: bool = slcache.option(False)
    """
    scheme = own_scheme(tmp_path, body)
    plain = options_of(scheme, {})["options"]
    assert plain == {"largest": 4096, "share": 0.5, "kind": "a", "eager": False}
    for key in ("largest", "scheme.custom.options.largest"):
        assert options_of(scheme, {key: 512})["options"]["largest"] == 512
    assert options_of(scheme, {"share": 1})["options"]["share"] == 1.0
    wrong = (("largest", 3), ("largest", 1.5), ("share", "x"), ("kind", "c"), ("eager", 1))
    for key, value in wrong:
        with pytest.raises(slcache.ConfigError, match=f"scheme.custom.options.{key} = .*must be"):
            options_of(scheme, {key: value})
    with pytest.raises(slcache.ConfigError, match=r"options.smallest = 3: must be absent: the"):
        options_of(scheme, {"smallest": 3})
    file = tmp_path / "family.py"
    file.write_text(
        "import slcache\n\nclass A(slcache.Scheme):\n"
        "    largest: int = slcache.option(9, minimum=1)\n\n"
        "class B(A):\n    largest = 5\n\nclass C(A):\n    largest = 0\n"
    )
    assert options_of(f"{file}:B", {})["options"]["largest"] == 5
    with pytest.raises(slcache.ConfigError, match="whose default is a whole number, at least 1"):
        options_of(f"{file}:C", {})


def test_keys_without_effect_are_refused(tmp_path: Path, trace: Path) -> None:
    plain = own_scheme(tmp_path, "pass")
    with pytest.raises(slcache.ConfigError, match="nothing is done in idle time"):
        slcache.resolve(device="tiny", scheme=plain, settings={"idle.threshold_ns": 10**6})
    numbered = own_scheme(tmp_path, "regions = {'a': slcache.slc(3), 'b': slcache.dense()}")
    with pytest.raises(slcache.ConfigError, match="names a number of blocks of its own"):
        slcache.resolve(device="tiny", scheme=numbered, settings={"slc_blocks": 4})
    assert options_of(numbered, {}).get("slc_blocks") is None
    victims = {}
    for victim in ("greedy", "random"):
        run = slcache.run(trace, device="tiny", scheme=BASELINE, settings={"dense.victim": victim})
        victims[victim] = run.documents[0]["waf"]["total"]
    assert len(set(victims.values())) == 2


def test_studies_take_classes(tmp_path: Path, trace: Path) -> None:
    schemes, vary = ["baseline", BASELINE], {"slc_blocks": [4, 6]}
    study = slcache.sweep(
        trace, device=DEMO, scheme=schemes, vary=vary, jobs=2, out=tmp_path / "study"
    )
    rows = study.table.to_dicts()
    waf = {
        (row["scheme"], row.get("slc_blocks", row.get("scheme.slc_blocks"))): row["waf"]
        for row in rows
    }
    assert len(waf) == 4
    assert all(waf["baseline", blocks] == waf[BASELINE, blocks] for blocks in (4, 6))


def test_what_a_class_declares_is_shown() -> None:
    source = f"{EXAMPLES}/two_temperatures.py:TwoTemperatures"
    shown = here("schemes", "show", source)
    assert shown.returncode == 0, shown.stderr
    for words in ("decides: place, reclaim, destination", "dense.victim", "greedy", "largest"):
        assert words in shown.stdout.decode()
    told = here("schemes", "show", source, "--json")
    assert [row["name"] for row in json.loads(told.stdout)["regions"]] == ["cache", "hot", "cold"]


def test_settings_may_name_the_class_in_every_verb(tmp_path: Path, trace: Path) -> None:
    source = own_scheme(tmp_path, "largest: int = slcache.option(4096, minimum=512)")
    for key in ("largest", "scheme.Mine.largest", "scheme.custom.options.largest"):
        config = slcache.resolve(device="tiny", scheme=source, settings={key: 1024})
        assert config["scheme"]["custom"]["options"]["largest"] == 1024
        found = slcache.tune(
            trace, device="tiny", scheme=source, vary={key: "1024..65536"}, points=2, jobs=1
        )
        assert {point.settings[key] for point in found.tried} - {1024}
    config = slcache.resolve(device="tiny", scheme=source, settings={"scheme.Mine.slc_blocks": 2})
    assert config["scheme"]["custom"]["slc_blocks"] == 2
    with pytest.raises(slcache.ConfigError, match="give one of the two"):
        slcache.resolve(
            device="tiny", scheme=source, settings={"scheme.Mine.largest": 512, "largest": 1024}
        )
    keys = ("scheme.Baseline.start_free_ratio", "scheme.baseline.slc.start_free_ratio")
    settings = dict.fromkeys(keys, 0.0)
    both = slcache.compare(trace, device="tiny", schemes=[BASELINE, "baseline"], settings=settings)
    first, second = both.documents
    assert first["config"]["scheme"]["custom"]["options"]["start_free_ratio"] == 0.0
    assert first["waf"] == second["waf"]


#: The least of a key, whatever comes of it.
SIZED: dict[str, Any] = {"device": "tiny", "least": "largest", "such_that": "waf<=99"}


#: The option, and the values of the search.
SEARCHES = [
    ("int = slcache.option(4096, minimum=512)", "1024..65536"),
    *(
        ("float = slcache.option(1.0)", said)
        for said in ("1024..65536", "4096..1GiB:4096", "0..1:0.00001", "0..20000")
    ),
]


@pytest.mark.parametrize(("option", "said"), SEARCHES)
def test_the_step_that_a_search_names_is_the_nearest_that_passes(
    option: str, said: str, tmp_path: Path, trace: Path
) -> None:
    """Whole steps of those that were said, and one less is too many."""
    source = own_scheme(tmp_path, f"largest: {option}")
    with pytest.raises(slcache.UsageError) as refused:
        slcache.tune(trace, **SIZED, scheme=source, vary={"largest": said})
    key, _, named = str(refused.value).partition("such as ")[2].partition("=")
    sizes, given = (
        [float(size) for size in StudyAxis.read(key, text).values] for text in (named, said)
    )
    assert len(sizes) <= VALUES_MOST
    least, step = given[1] - given[0], sizes[1] - sizes[0]
    times = round(step / least)
    assert step == pytest.approx(times * least)
    assert len(given) / (times - 1) > VALUES_MOST


#: Bodies of classes that cannot be, and what the end of the run says of them.
WRONG = {
    'def place(self, write, view): return "nowhere"': 'place: "nowhere" is no region; regions: ',
    "def place(self, write, view): return 7": "place: returned 7; allowed: the name of a region",
    "def place(self, write, view): return ()": "place: returned (); allowed: the name of a region",
    "def place(self, write, view): return 1 / 0": "place: ZeroDivisionError: division by zero "
    "(mine.py, line 5, in place)",
    'def place(self, write, view): return view.free_blocks("x")': 'place: ValueError: "x" is no',
    'def place(self, write, view): return view.free_blocks("cache", 99)': "plane = 99: must",
    'def reclaim(self, region, view): return slcache.reclaim(to="cache", open=True)': "filled, and",
    "def destination(self, page, region, view): return region\n"
    "def reclaim(self, region, view): return slcache.reclaim(open=True)": "needs another region",
    "def reclaim(self, region, view): return 3.5": "reclaim: returned 3.5; allowed: None",
    'def reclaim(self, region, view): return slcache.reclaim(to="store", block=1)': "no full block",
    'def reclaim(self, region, view): return slcache.reclaim(to="store", block=-1)': "returned -1",
    "window_writes = 1\ndef window(self, window, view): return {'cache': True}": "returned True",
    "regions = {'a': slcache.slc(1), 'b': slcache.slc(2), 'store': slcache.dense()}\n"
    "def reclaim(self, region, view):\n"
    "    self.turn = not getattr(self, 'turn', False)\n"
    "    first, second = ('a', 'b') if self.turn else ('b', 'a')\n"
    "    return slcache.reclaim(first, to=second)": "emptied as many blocks as the plane has",
    "def reclaim(self, region, view): return slcache.reclaim()": "and Mine no destination",
    'def figures(self): return {"x": float("nan")}': "figures: 'x': nan; allowed",
    'def figures(self): return {"cache_pages_written": 1}': "is counted already",
    "window_writes = 1\ndef window(self, window, view): return {'cache': 0}": "between 1 and 3",
    "window_writes = 1\ndef window(self, window, view): return {'store': 1}": "no blocks of",
}
#: A state is a plain value, which is asked for where it is saved.
UNSAVED = {
    "def __init__(self): self.it = object()": "save: Object of type object is not",
    "def __init__(self): self.it = {1: 2}": "the state changes on the way through JSON",
    "def __init__(self): self.it = float('inf')": "save: Out of range float",
}
#: Bodies that no configuration takes, and what is said of them.
REFUSED = {
    "def __init__(self): raise KeyError('k')": "KeyError: 'k' (mine.py, line 5, in __init__)",
    "def __init__(self, x): pass": "can be an instance: ",
    "figures = 3": "a class whose figures is a method",
    "slc_blocks: int = slcache.option(-3, minimum=1)": "default is a whole number, at least 1",
    "share = slcache.option([1])": "its default must be True or False, a number or a text",
    "share = slcache.option(1, minimum='a')": "minimum = 'a': must be a number",
    "share = slcache.option(1, choices=5)": "choices = 5: must be a list of values",
    "share = slcache.option(1, help=3)": "help = 3: must be a text",
    "regions = {'a': slcache.slc(), 'b': slcache.dense('qlc')}": "a mode that the device offers: ",
    "regions = {}": "whose regions is a dict",
    'regions = {"a": 3}': "whose region 'a' is slc() or dense()",
    'regions = {"a": slcache.slc()}': "regions without blocks of their own",
    'regions = {"a": slcache.slc("many"), "b": slcache.dense()}': "not 'many'",
    'regions = {"a": slcache.slc(victim="best"), "b": slcache.dense()}': "has a victim of",
    "drain = 1": "whose drain is True or False",
    "window_writes = -1": "window_writes is a whole number",
    "window_writes = 5": "both window and window_writes",
    "source: str = slcache.option('x')": "an option by another name",
    "largest: int = slcache.option(5, minimum=6)": "must be a whole number, at least 6",
}


@pytest.mark.parametrize("body", [*WRONG, *UNSAVED, *REFUSED])
def test_what_a_class_does_wrong_ends_in_words(body: str, tmp_path: Path, trace: Path) -> None:
    """Before the run where no configuration takes it."""
    source, out = own_scheme(tmp_path, body), tmp_path / "state"
    kind = slcache.ConfigError if body in REFUSED else slcache.Error
    with pytest.raises(kind) as ended:
        slcache.run(trace, device="tiny", scheme=source, save_state=out)
    assert {**WRONG, **UNSAVED, **REFUSED}[body] in str(ended.value)
    assert body in WRONG or not out.exists()


def test_a_source_that_names_no_scheme_is_refused(tmp_path: Path) -> None:
    good = own_scheme(tmp_path, "pass")
    (tmp_path / "bad.py").write_text("this is no Python\n")
    (tmp_path / "long.py").write_text("#" * (17 << 20))
    (tmp_path / "ends.py").write_text("raise SystemExit('config missing')\n")
    cases = {
        f"{tmp_path}/none.py:X": "No such file",
        good.replace("Mine", "Other"): "has no Other; schemes there: Mine",
        f"{tmp_path}/bad.py:X": "a file that Python can load: SyntaxError: invalid syntax",
        good.removesuffix(":Mine"): f"such as ./mine.py:TwoTemperatures; the file has {good}",
        f"{tmp_path}/long.py:X": "long.py: is larger than 16 MiB, the largest allowed",
        f"{tmp_path}/ends.py:X": "SystemExit: config missing",
        "no_such_module_here:X": "a module that can be imported",
        "json:dumps": "begins with slcache.Scheme",
    }
    for source, words in cases.items():
        with pytest.raises(slcache.ConfigError) as refused:
            slcache.resolve(device="tiny", scheme=source)
        assert words in str(refused.value), source
        assert "scheme.custom.source" in str(refused.value)
    unsound = own_scheme(tmp_path, next(iter(UNSOUND)))
    for source, status, told in ((BASELINE, 0, "3 cases passed"), (unsound, 1, "failed after")):
        done = here("schemes", "check", source, "--cases", "3")
        assert (done.returncode, told in done.stdout.decode()) == (status, True), done.stderr


#: Classes that break what every scheme owes, and what a check says of them.
UNSOUND = {
    "def place(self, write, view): return random.choice(['cache', 'store']), 'store'": "a copy",
    "seen = []\ndef place(self, write, view):\n    self.seen.append(1)\n"
    "    return ('cache', 'store') if len(self.seen) % 2 else ('store',)": "a copy made",
    "def idle(self, view):\n"
    "    from_, to = ('store', 'cache') if view.now_ns // 7 % 2 else ('cache', 'store')\n"
    "    return slcache.reclaim(from_, to=to)": "it has no end",
    "def reclaim(self, region, view): return None\n"
    "def place(self, write, view): return 'cache'": "full in every plane",
}


@pytest.mark.parametrize("body", UNSOUND)
def test_a_check_finds_what_is_not_sound(body: str, tmp_path: Path) -> None:
    outcome = checking.check(own_scheme(tmp_path, body), cases=30)
    assert outcome.failure is not None
    assert UNSOUND[body] in outcome.failure.what
    assert 0 < outcome.failure.requests <= 1501


def test_a_view_is_of_its_call_alone(tmp_path: Path, trace: Path) -> None:
    body = """
        kept = None

        def place(self, write, view):
            type(self).kept = view
            return "cache", "store"
    """
    slcache.run(trace, device="tiny", scheme=own_scheme(tmp_path, body))
    from slcache.scheme.source import found

    cls: Any = found(f"{tmp_path}/mine.py:Mine")[0]
    with pytest.raises(RuntimeError, match="during the call that got it alone"):
        cls.kept.free_blocks("cache")


#: A preset of each kind: plain, with a disk, with a map; of how many of its schemes one is tried.
KINDS = [
    *(("tiny", 3), ("nvc-hdd", 3)),
    pytest.param("intel-660p-1tb-like", 8, marks=pytest.mark.long),
]
#: Sections that only some documents have, and those of `scheme` and `provenance`.
OPTIONAL = {"map", "disk", "bound"}
INNER = {"look_ups_for_moves", "histograms", "curves", "timeline", "memory_in", "memory_out"}
DEVICES = [entry["name"] for entry in slcache.devices()]
SETTINGS = {"run.bound": True, "run.seed": 5}
#: So small that it is emptied.
CACHE = {"scheme.baseline.slc_blocks": 8, "scheme.client.static_blocks": 8}


def fitting(device: str) -> list[str]:
    """Return the schemes that a device can run; some can run none."""
    try:
        return slcache.fitting(device=device)[0]
    except slcache.ConfigError:
        return []


def covering(devices: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each preset with a scheme or two, so that every scheme is there that one can run."""
    fit = {device: fitting(device) for device in devices}
    used: set[str] = set()
    # Those that run few schemes first; the last scheme of a preset fits fewer than the first.
    for device, schemes in sorted(fit.items(), key=lambda each: len(each[1])):
        for scheme in [name for name in schemes if name not in used][-2:] or schemes[-1:]:
            used.add(scheme)
            yield device, scheme
    rest = {name: device for device, each in fit.items() for name in each if name not in used}
    yield from ((device, scheme) for scheme, device in rest.items())


def small(requests: int = 60) -> dict[str, Any]:
    """Return what all runs have in common."""
    options = {"workload.requests": str(requests)}
    return {"trace": "zipf-4k", "trace_options": options, "address": "wrap"}


def found(document: Any) -> set[str]:  # noqa: ANN401
    """Return the optional parts that a document has."""
    if not isinstance(document, dict):
        return set()
    here = set(document) & INNER
    return here.union(*(found(inner) for key, inner in document.items() if key != "config"))


def accepted(document: Mapping[str, Any]) -> set[str]:
    """Read a document as a file's would be, and return its optional parts."""
    saved.current(json.loads(json.dumps(document)))
    return (set(document) & OPTIONAL) | found(document)


#: Drives are large, and take long.
DRIVES = [name for name in DEVICES if name.endswith("-like")]
OTHERS = [name for name in DEVICES if name not in DRIVES]


@pytest.mark.long
@pytest.mark.parametrize("devices", [OTHERS, pytest.param(DRIVES, marks=pytest.mark.slow)], ids=len)
def test_every_preset_and_scheme_writes_what_is_read(devices: list[str], tmp_path: Path) -> None:
    seen: set[str] = set()
    for number, (device, scheme) in enumerate(covering(devices)):
        log = tmp_path / f"{number}.parquet"
        run = slcache.run(**small(), device=device, scheme=scheme, settings=SETTINGS, log=log)
        (document,) = run.documents
        seen |= {*accepted(document), scheme}
        assert slcache.rerun(run).equal, (device, scheme)
    if devices is OTHERS:
        assert seen >= {"disk", "bound"} | {entry["name"] for entry in slcache.schemes()}


@pytest.mark.parametrize(
    ("device", "every"),
    [*KINDS, *(pytest.param(name, 1, marks=pytest.mark.slow) for name in DEVICES)],
)
def test_all_schemes_of_a_preset_are_loaded_told_compared_and_repeated(
    device: str, every: int, tmp_path: Path
) -> None:
    schemes = fitting(device)[::every]
    if not schemes:
        pytest.skip("no scheme has defaults for it")
    cache = {key: value for key, value in CACHE.items() if key.split(".")[1] in schemes}
    settings = {**SETTINGS, **cache} if "-like" in device else SETTINGS
    both = slcache.compare(
        **small(200), device=device, schemes=schemes, settings=settings, seeds=2, replay="closed:4",
        timeline=tmp_path / "t.parquet", timeline_every=3,
    )  # fmt: skip
    seen = set().union(*(accepted(document) for document in both.documents))
    assert "timeline" in seen
    assert device != "intel-660p-1tb-like" or "look_ups_for_moves" in seen
    out = tmp_path / "out"
    both.save(out)
    assert slcache.load(out).to_dict() == both.to_dict()
    told(["report", out, "--out", tmp_path / "p.html"], ["diff", "--rerun", out])


def told(*commands: list[Any]) -> None:
    """Run commands that have nothing to say against a result."""
    for words in commands:
        done = command(*words)
        assert (done.returncode, done.stderr) == (0, b""), (words, done.stderr)


def test_a_run_that_learned_is_read(tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    first = slcache.run(**small(), device="tiny", scheme="rl", memory_out=memory)
    second = slcache.run(**small(), device="tiny", scheme="rl", memory_in=memory)
    seen = accepted(first.documents[0]) | accepted(second.documents[0])
    assert seen >= {"memory_in", "memory_out", "histograms"}
    assert slcache.rerun(second).equal


@pytest.mark.parametrize("scheme", ["baseline", "client"])
def test_results_of_traces_with_flushes_and_trims_are_read(scheme: str, tmp_path: Path) -> None:
    rows = [f"{i * 1000},{kind},{4096 * i},4096" for i, kind in enumerate("WFRTWFT" * 9)]
    trace = tmp_path / "all.csv"
    trace.write_text("\n".join(rows) + "\n")
    kinds = {"ops.F": "flush", "ops.T": "trim", "ops.R": "read", "ops.W": "write"}
    places = {name: str(place) for place, name in enumerate(("time", "op", "address", "size"), 1)}
    columns = {**places, **kinds, "time_unit": "ns", "address_unit": "byte", "size_unit": "byte"}
    run = slcache.run(trace, device="tiny", scheme=scheme, trace_format="generic",
                      trace_options=columns)  # fmt: skip
    host = run.to_dict()["host"]
    assert (host["flush"]["requests"], host["trim"]["requests"]) == (18, 18)
    assert host["requests"] == host["read"]["requests"] + host["write"]["requests"] == 27
    run.save(tmp_path / "out")
    assert slcache.load(tmp_path / "out").to_dict() == run.to_dict()


_PLACE = "def place(self, write, view): return {}\n"
#: Bodies of classes by what they have and others have not.
SHAPES = {
    "fixed regions": "regions = {'cache': slcache.slc(blocks=3), 'store': slcache.dense()}\n"
    + _PLACE.format("('cache', 'store')"),
    "three regions": "regions = {'cache': slcache.slc(1), 'hot': slcache.dense(),"
    " 'cold': slcache.dense()}\n" + _PLACE.format("('cache', 'cold')"),
    "two caches": "regions = {'a': slcache.slc(1), 'b': slcache.slc(2), 'c': slcache.dense()}\n"
    + _PLACE.format("('b', 'a', 'c')"),
    "no SLC region": "regions = {'hot': slcache.dense(), 'cold': slcache.dense()}\n"
    + _PLACE.format("'cold'"),
    "another option": "regions = {'cache': slcache.slc('room'), 'store': slcache.dense()}\n"
    "room: int = slcache.option(3, minimum=1)\n" + _PLACE.format("('cache', 'store')"),
    "nothing": "pass\n",
}
#: Arguments beside those that every verb needs, for what looks at regions.
MORE = {
    "compare": ["--set", "run.bound=true"],
    "cliff": ["--bound"],
    "run": ["--set", "run.bound=true", "--timeline", "t.parquet"],
}
#: Verbs that name a scheme and run another thing: their documents are those of the class.
OF_RESULTS = ("diff",)


def taking() -> list[str]:
    """Return the verbs that take a scheme."""
    named = {"--scheme", "--schemes"}
    return [
        " ".join(path)
        for path, verb in verbs()
        if any(named & {*param.opts} or param.name == "source" for param in verb.params)
    ]


def lines(verb: str, source: str, inputs: Inputs) -> list[list[str]]:
    """Return the command lines of a verb with a class in place of a native scheme, and beside."""
    given = inputs.needed(tuple(verb.split()))
    found = []
    for scheme in (source, f"baseline,{source}") if verb in ("compare", "cliff") else (source,):
        words = ["baseline", "tlc-only,baseline", "examples/schemes/baseline.py:Baseline"]
        own = [scheme if word in words else word for word in given]
        found.append([*verb.split(), *own, *MORE.get(verb, [])])
    return found


@pytest.mark.few(7)
@pytest.mark.parametrize(
    ("verb", "shape"), list(itertools.product([v for v in taking() if v not in OF_RESULTS], SHAPES))
)
def test_verbs_take_classes_of_any_shape(verb: str, shape: str, inputs: Inputs, cwd: Path) -> None:
    for words in lines(verb, own_scheme(cwd, SHAPES[shape]), inputs):
        stdout(*words)


@pytest.mark.parametrize("shape", SHAPES)
def test_results_of_classes_are_read_and_repeated(shape: str, trace: Path, tmp_path: Path) -> None:
    source = own_scheme(tmp_path, SHAPES[shape])
    # Without a cache there is nothing to leave as many blocks as.
    both = slcache.compare(
        trace, device="tiny", schemes=["tlc-only", source], equal_cells=shape != "no SLC region"
    )
    both.save(tmp_path / "out")
    rerun = ["diff", "--rerun", tmp_path / "out", "--scheme", f"tlc-only,{source}"]
    told(["report", tmp_path / "out", "--out", tmp_path / "page.html"], rerun)


def test_every_verb_that_takes_a_scheme_is_tried() -> None:
    assert {"run", "compare", "cliff", "sweep", "tune", "schemes show"} <= {*taking()}
