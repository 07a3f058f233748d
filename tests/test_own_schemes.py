"""Schemes of one's own: like the native ones where they decide alike, and ended in words."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

import slcache
from slcache import Scheme, api
from slcache import conformance as checking
from slcache.search.space import VALUES_MOST
from slcache.sweep.axes import Axis
from slcache.sweep.run import Sweep
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


#: Bodies of classes that cannot be, and what the end of the run says of them.
WRONG = {
    'def place(self, write, view): return "nowhere"': 'place: "nowhere" is no region; '
    "regions: cache, store",
    "def place(self, write, view): return 7": "place: returned 7; allowed: the name of a region",
    "def place(self, write, view): return ()": "place: returned (); allowed: the name of a region",
    "def place(self, write, view): return 1 / 0": "place: ZeroDivisionError: division by zero "
    "(mine.py, line 5, in place)",
    'def place(self, write, view): return view.free_blocks("x")': 'place: ValueError: "x" is no',
    'def place(self, write, view): return view.free_blocks("cache", 99)': "plane = 99: must",
    'def reclaim(self, region, view): return slcache.reclaim(to="cache", open=True)': "filled, and "
    "needs another region as its to",
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


@pytest.mark.parametrize("body", WRONG)
def test_a_wrong_answer_ends_the_run_in_words(body: str, tmp_path: Path, trace: Path) -> None:
    source = own_scheme(tmp_path, body)
    out = tmp_path / "state"
    with pytest.raises(slcache.RunError) as ended:
        slcache.run(trace, device="tiny", scheme=source, save_state=out)
    assert WRONG[body] in str(ended.value)


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
    "regions = {'a': slcache.slc(), 'b': slcache.dense('qlc')}": "must be a mode that the device "
    "offers: slc, tlc",
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


@pytest.mark.parametrize("body", REFUSED)
def test_a_class_that_cannot_be_is_a_configuration_error(body: str, tmp_path: Path) -> None:
    with pytest.raises(slcache.ConfigError) as refused:
        slcache.resolve(device="tiny", scheme=own_scheme(tmp_path, body))
    assert REFUSED[body] in str(refused.value)


def test_a_source_that_names_no_scheme_is_refused(tmp_path: Path) -> None:
    good = own_scheme(tmp_path, "pass")
    (tmp_path / "bad.py").write_text("this is no Python\n")
    (tmp_path / "long.py").write_text("#" * (17 << 20))
    cases = {
        f"{tmp_path}/none.py:X": "No such file",
        good.replace("Mine", "Other"): "has no Other; schemes there: Mine",
        f"{tmp_path}/bad.py:X": "a file that Python can load: SyntaxError: invalid syntax",
        good.removesuffix(":Mine"): f"such as ./mine.py:TwoTemperatures; the file has {good}",
        f"{tmp_path}/long.py:X": "long.py: is larger than 16 MiB, the largest allowed",
        "no_such_module_here:X": "a module that can be imported",
        "json:dumps": "begins with slcache.Scheme",
    }
    for source, words in cases.items():
        with pytest.raises(slcache.ConfigError) as refused:
            slcache.resolve(device="tiny", scheme=source)
        assert words in str(refused.value), source
        assert "scheme.custom.source" in str(refused.value)


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
    for key, value in [
        ("largest", 3),
        ("largest", 1.5),
        ("share", "x"),
        ("kind", "c"),
        ("eager", 1),
    ]:
        with pytest.raises(slcache.ConfigError, match=f"scheme.custom.options.{key} = .*must be"):
            options_of(scheme, {key: value})
    with pytest.raises(
        slcache.ConfigError, match=r"options.smallest = 3: must be absent: the scheme's"
    ):
        options_of(scheme, {"smallest": 3})


def test_settings_can_be_for_one_of_several_classes(trace: Path) -> None:
    both = slcache.compare(
        trace,
        device="tiny",
        schemes=[BASELINE, "baseline"],
        settings={
            "scheme.Baseline.start_free_ratio": 0.0,
            "scheme.baseline.slc.start_free_ratio": 0.0,
        },
    )
    first, second = both.documents
    assert first["config"]["scheme"]["custom"]["options"]["start_free_ratio"] == 0.0
    assert first["waf"] == second["waf"]


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


def test_a_value_alone_is_another_default(tmp_path: Path) -> None:
    file = tmp_path / "family.py"
    file.write_text(
        "import slcache\n\nclass A(slcache.Scheme):\n"
        "    largest: int = slcache.option(9, minimum=1)\n\n"
        "class B(A):\n    largest = 5\n\nclass C(A):\n    largest = 0\n"
    )
    assert options_of(f"{file}:B", {})["options"]["largest"] == 5
    with pytest.raises(slcache.ConfigError, match="whose default is a whole number, at least 1"):
        options_of(f"{file}:C", {})


def test_a_file_that_ends_itself_is_no_scheme(tmp_path: Path) -> None:
    source = own_scheme(tmp_path, "pass")
    file = tmp_path / "mine.py"
    file.write_text(file.read_text() + "\nraise SystemExit('config missing')\n")
    for _ in range(2):
        with pytest.raises(slcache.ConfigError, match="SystemExit: config missing"):
            slcache.resolve(device="tiny", scheme=source)


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
        settings = {"dense.victim": victim}
        run = slcache.run(trace, device="tiny", scheme=BASELINE, settings=settings)
        victims[victim] = run.documents[0]["waf"]["total"]
    assert len(set(victims.values())) == 2


def test_an_option_that_changes_is_state(tmp_path: Path, trace: Path) -> None:
    body = """
        largest: int = slcache.option(1024)

        def place(self, write, view):
            self.largest += 1
            return "cache", "store"

        def figures(self):
            return {"largest": self.largest}
    """
    source, state = own_scheme(tmp_path, body), tmp_path / "state"
    fresh = slcache.run(
        trace, device="tiny", scheme=source, settings={"precondition.fill": 0.5}, save_state=state
    )
    again = slcache.run(trace, device="tiny", scheme=source, load_state=state)
    found = [each.documents[0]["scheme"]["figures"]["largest"] for each in (fresh, again)]
    assert found[0] == found[1] > 1024


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


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("def __init__(self): self.it = object()", "save: Object of type object is not"),
        ("def __init__(self): self.it = {1: 2}", "the state changes on the way through JSON"),
        ("def __init__(self): self.it = float('inf')", "save: Out of range float"),
    ],
)
def test_a_state_that_is_no_plain_value_is_refused(
    body: str, words: str, tmp_path: Path, trace: Path
) -> None:
    source = own_scheme(tmp_path, body)
    slcache.run(trace, device="tiny", scheme=source)
    with pytest.raises(slcache.Error) as refused:
        slcache.run(trace, device="tiny", scheme=source, save_state=tmp_path / "state")
    assert words in str(refused.value)
    assert not (tmp_path / "state").exists()


def test_studies_and_cliffs_take_classes(tmp_path: Path, trace: Path) -> None:
    study = slcache.sweep(
        trace,
        device=DEMO,
        schemes=["baseline", BASELINE],
        vary={"slc_blocks": [4, 6]},
        jobs=2,
        out=tmp_path / "study",
    )
    waf = {(row["scheme"], row["slc_blocks"]): row["waf"] for row in _rows(study)}
    assert len(waf) == 4
    for blocks in (4, 6):
        assert waf["baseline", blocks] == waf[BASELINE, blocks]


def _rows(study: Sweep) -> list[dict[str, Any]]:
    """Return the rows of a study's table, by scheme and size."""
    rows = study.table.to_dicts()
    return [
        {"slc_blocks": row.get("slc_blocks", row.get("scheme.slc_blocks")), **row} for row in rows
    ]


def test_a_check_passes_what_is_sound_and_finds_what_is_not(tmp_path: Path) -> None:
    assert checking.check(BASELINE, cases=10).failure is None
    assert checking.check("custom", cases=10).failure is None
    unsound = {
        "def place(self, write, view): return random.choice(['cache', 'store']), 'store'": "a copy",
        "seen = []\ndef place(self, write, view):\n    self.seen.append(1)\n"
        "    return ('cache', 'store') if len(self.seen) % 2 else ('store',)": "a copy made",
        "def idle(self, view):\n"
        "    from_, to = ('store', 'cache') if view.now_ns // 7 % 2 else ('cache', 'store')\n"
        "    return slcache.reclaim(from_, to=to)": "it has no end",
        "def place(self, write, view): return 'cache'": "full in every plane",
    }
    for body, words in unsound.items():
        hopeless = "def reclaim(self, region, view): return None\n" if "full" in words else ""
        outcome = checking.check(own_scheme(tmp_path, hopeless + body), cases=30)
        assert outcome.failure is not None, body
        assert words in outcome.failure.what
        assert 0 < outcome.failure.requests <= 1501


def test_all_schemes_leaves_the_defaults_of_one_s_own_out() -> None:
    assert "custom" in slcache.fitting(device="tiny")[0]
    assert "custom" not in api.named("all", device="tiny")[0]


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


def test_the_document_names_the_class(trace: Path) -> None:
    document = slcache.run(trace, device="tiny", scheme=BASELINE).documents[0]
    assert document["scheme"]["name"] == "Baseline"
    custom = document["config"]["scheme"]["custom"]
    assert custom["source"] == BASELINE
    assert len(custom["sha256"]) == 64
    assert json.dumps(document)


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


def test_what_a_class_declares_is_shown() -> None:
    source = f"{EXAMPLES}/two_temperatures.py:TwoTemperatures"
    shown = here("schemes", "show", source)
    assert shown.returncode == 0, shown.stderr
    for words in ("decides: place, reclaim, destination", "dense.victim", "greedy", "largest"):
        assert words in shown.stdout.decode()
    told = here("schemes", "show", source, "--json")
    assert [row["name"] for row in json.loads(told.stdout)["regions"]] == ["cache", "hot", "cold"]


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


def test_a_check_is_told_on_the_terminal(tmp_path: Path) -> None:
    passed = here("schemes", "check", BASELINE, "--cases", "3")
    assert (passed.returncode, "3 cases passed" in passed.stdout.decode()) == (0, True), (
        passed.stderr
    )
    unsound = own_scheme(
        tmp_path, "def place(self, write, view): return random.choice(['cache']), 1"
    )
    failed = here("schemes", "check", unsound, "--cases", "3")
    assert (failed.returncode, "failed after" in failed.stdout.decode()) == (1, True), failed.stderr


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


#: The least of a key, whatever comes of it.
SIZED: dict[str, Any] = {"device": "tiny", "least": "largest", "such_that": "waf<=99"}


def test_a_search_over_many_values_names_a_step(tmp_path: Path, trace: Path) -> None:
    source = own_scheme(tmp_path, "largest: int = slcache.option(4096, minimum=512)")
    size = {"largest": "1024..65536"}
    with pytest.raises(slcache.UsageError) as refused:
        slcache.tune(trace, **SIZED, scheme=source, vary=size)
    step = str(refused.value).partition("such as ")[2]
    assert step == "largest=1024..65536:7"


@pytest.mark.parametrize("said", ["1024..65536", "4096..1GiB:4096", "0..1:0.00001", "0..20000"])
def test_the_step_that_a_search_names_is_the_nearest_that_passes(
    said: str, tmp_path: Path, trace: Path
) -> None:
    """Whole steps of those that were said, and one less is too many."""
    source = own_scheme(tmp_path, "largest: float = slcache.option(1.0)")
    with pytest.raises(slcache.UsageError) as refused:
        slcache.tune(trace, **SIZED, scheme=source, vary={"largest": said})
    key, _, named = str(refused.value).partition("such as ")[2].partition("=")
    sizes, given = ([float(size) for size in Axis.read(key, text).values] for text in (named, said))
    assert len(sizes) <= VALUES_MOST
    least, step = given[1] - given[0], sizes[1] - sizes[0]
    times = round(step / least)
    assert step == pytest.approx(times * least)
    assert len(given) / (times - 1) > VALUES_MOST
