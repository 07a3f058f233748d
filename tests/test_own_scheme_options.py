"""Options of a class of one's own, and what one does wrong: told in words, with file and line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache import conformance as checking
from slcache.search.space import VALUES_MOST
from slcache.study.axes import Axis
from support import here, own_scheme

EXAMPLES = Path("examples/schemes")
BASELINE = f"{EXAMPLES}/baseline.py:Baseline"
DEMO = "examples/demo.toml"


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
        settings = {"dense.victim": victim}
        run = slcache.run(trace, device="tiny", scheme=BASELINE, settings=settings)
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
    schemes = [BASELINE, "baseline"]
    both = slcache.compare(trace, device="tiny", schemes=schemes, settings=settings)
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
    sizes, given = ([float(size) for size in Axis.read(key, text).values] for text in (named, said))
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
