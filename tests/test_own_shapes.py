"""Every verb that takes a scheme takes classes of every shape: regions, sizes and options."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

import slcache
from support import own_scheme
from support import slcache as command
from verbs import Inputs, verbs

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
def test_every_verb_takes_classes_of_every_shape(
    verb: str, shape: str, inputs: Inputs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in lines(verb, own_scheme(tmp_path, SHAPES[shape]), inputs):
        done = command(*words)
        assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize("shape", SHAPES)
def test_results_of_classes_of_every_shape_are_read_and_repeated(
    shape: str, trace: Path, tmp_path: Path
) -> None:
    source = own_scheme(tmp_path, SHAPES[shape])
    # Without a cache there is nothing to leave as many blocks as.
    both = slcache.compare(
        trace, device="tiny", schemes=["tlc-only", source], equal_cells=shape != "no SLC region"
    )
    both.save(tmp_path / "out")
    out = str(tmp_path / "out")
    for words in (
        ["report", out, "--out", f"{out}.html"],
        ["diff", out, out],
        ["diff", "--rerun", out, "--scheme", f"tlc-only,{source}"],
    ):
        done = command(*words)
        assert done.returncode == 0, done.stderr.decode()


def test_every_verb_that_takes_a_scheme_is_tried() -> None:
    assert {"run", "compare", "cliff", "sweep", "tune", "schemes show"} <= {*taking()}
