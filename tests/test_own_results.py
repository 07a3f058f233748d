"""What slcache writes it reads: documents of every preset, scheme and shape of a class."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache.documents import checks, saved
from support import own_scheme, stdout
from support import slcache as command
from verbs import Inputs, verbs

#: A preset of each kind: plain, with a disk, with a map; of how many of its schemes one is tried.
KINDS = {"tiny": 3, "nvc-hdd": 3, "intel-660p-1tb-like": 8}
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
    checks.check(saved.current(json.loads(json.dumps(document))))
    return (set(document) & OPTIONAL) | found(document)


#: Drives are large, and take long.
DRIVES = [name for name in DEVICES if name.endswith("-like")]
OTHERS = [name for name in DEVICES if name not in DRIVES]


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
    [*KINDS.items(), *(pytest.param(name, 1, marks=pytest.mark.slow) for name in DEVICES)],
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
def test_verbs_take_classes_of_every_shape(
    verb: str, shape: str, inputs: Inputs, cwd: Path
) -> None:
    for words in lines(verb, own_scheme(cwd, SHAPES[shape]), inputs):
        stdout(*words)


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
    rerun = ["diff", "--rerun", tmp_path / "out", "--scheme", f"tlc-only,{source}"]
    told(["report", tmp_path / "out", "--out", tmp_path / "page.html"], rerun)


def test_every_verb_that_takes_a_scheme_is_tried() -> None:
    assert {"run", "compare", "cliff", "sweep", "tune", "schemes show"} <= {*taking()}
