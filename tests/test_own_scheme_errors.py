"""What a class of one's own does wrong is told in words, with its file and line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache import conformance as checking
from support import here, own_scheme

BASELINE = "examples/schemes/baseline.py:Baseline"

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


def test_a_check_is_told_on_the_terminal(tmp_path: Path) -> None:
    unsound = own_scheme(tmp_path, next(iter(UNSOUND)))
    cases = ((BASELINE, 0, "3 cases passed"), (unsound, 1, "failed after"))
    for source, status, told in cases:
        done = here("schemes", "check", source, "--cases", "3")
        assert (done.returncode, told in done.stdout.decode()) == (status, True), done.stderr
