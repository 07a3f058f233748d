"""Stored documents are input: whatever one holds, sealed or not, every verb makes it anew."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from changed_stores import CLAIMS, PLAN
from slcache.execute import driver, store
from slcache.execute.engine import Engine
from slcache.execute.tasks import Done, Task, perform
from slcache.reproduce import plan
from slcache.reproduce.inputs import Input, statistics
from support import slcache
from verbs import Inputs, verbs

Change = Callable[[dict[str, Any]], object]


def without(key: str) -> Change:
    return lambda document: {k: v for k, v in document.items() if k != key}


def replaced(path: str, value: object) -> Change:
    """Put a value in the place of one that is there, or at a key that is not."""

    def change(document: dict[str, Any]) -> object:
        *way, last = path.split(".")
        holder = document
        for key in way:
            holder = holder.setdefault(key, {})
        holder[last] = value
        return document

    return change


def nested(document: dict[str, Any]) -> object:
    for _ in range(80):
        document = {"host": document}
    return document


#: In the place of a number.
WRONG: tuple[object, ...] = ("many", [], {}, True, float("nan"), float("inf"), 2**70)
#: What a document becomes; a text stands for itself.
CHANGES: dict[str, Change] = {
    "empty": lambda _: {},
    "a list": lambda _: [],
    "a list of itself": lambda document: [document],
    "null": lambda _: None,
    "a number": lambda _: 3,
    "a text": lambda _: "host",
    "nested": nested,
    "nested without end": lambda _: b"[" * 100_000,
    "no text": lambda _: b"\xff\xfe",
    "no JSON": lambda _: b"{",
    "a key twice": lambda d: json.dumps(d).encode()[:-1] + b',"host":{},"host":{}}',
    "an unknown key": lambda document: {**document, "unheard_of": 1},
    "another version": replaced("schema_version", 99),
    "half a character": lambda d: json.dumps(replaced("trace.path", "\ud800")(d)).encode(),
    **{
        f"without {key}": without(key)
        for key in ("host", "flash", "waf", "config", "trace", "scheme", "series", "provenance")
    },
    **{
        f"{path} = {value!r:.20}": replaced(path, value)
        for path in ("host.requests", "host.write.latency_us.mean", "sim.wall_s", "waf.total")
        for value in WRONG
    },
    "a list for an object": replaced("host", []),
    "a text for an object": replaced("host", "x"),
    "an object for a list": replaced("flash.ops", {}),
}


class Here:
    """Does tasks in this process, one at a time."""

    here, slots = True, 1

    def __init__(self) -> None:
        self.done: list[Done] = []

    def submit(self, task: Task) -> None:
        """Do a task."""
        self.done.append(perform(task))

    def finished(self, timeout_s: float) -> list[Done]:
        """Return what became of it."""
        del timeout_s
        done, self.done = self.done, []
        return done


@pytest.fixture(scope="module")
def whole(inputs: Inputs) -> bytes:
    """A result document."""
    return (Path(inputs.needed(("report",))[0]) / "result.json").read_bytes()


@pytest.fixture(autouse=True)
def _papers_and_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    papers = tmp_path / "papers" / "toy"
    papers.mkdir(parents=True)
    (papers / "plan.toml").write_text(PLAN)
    (papers / "claims.toml").write_text(CLAIMS)
    monkeypatch.setattr(plan, "EXPERIMENTS", papers.parent)
    monkeypatch.setattr(driver, "workers", lambda *_: nullcontext(Here()))


#: The verbs that keep results.
KEEPING = [path for path, verb in verbs() if any("--store" in each.opts for each in verb.params)]


def put(file: Path, change: Change) -> None:
    """Change a kept document and seal it again."""
    document = json.loads(gzip.decompress(file.read_bytes()).partition(b"\n")[2])
    found = change(document)
    text = found if isinstance(found, bytes) else json.dumps(found).encode()
    file.write_bytes(store.packed(file.name.partition(".")[0], text))


@pytest.mark.few(4)
@pytest.mark.parametrize("name", CHANGES)
def test_what_is_no_result_is_told_whatever_its_seal_says(
    name: str, whole: bytes, tmp_path: Path
) -> None:
    file = tmp_path / "k.json.gz"
    file.write_bytes(store.packed("k", whole))
    kept = store.Store(tmp_path)
    assert kept.get("k") is not None
    put(file, CHANGES[name])
    with pytest.warns(UserWarning, match=r"k\.json\.gz: damaged.*: it is made anew"):
        assert kept.get("k") is None


#: All changes in each verb, or as many as one call of it keeps documents.
MUCH = [pytest.param(1), pytest.param(len(CHANGES), marks=pytest.mark.slow)]


@pytest.mark.parametrize("calls_most", MUCH)
@pytest.mark.parametrize("path", KEEPING, ids=" ".join)
def test_every_verb_makes_anew_what_is_no_document_of_its_kind(
    path: tuple[str, ...], calls_most: int, inputs: Inputs, tmp_path: Path
) -> None:
    own = ["toy", "--quick"] if path == ("reproduce",) else inputs.needed(path, "--out")
    kept: list[str | Path] = ["--store", tmp_path / "store"]
    kept += [] if path[0] in ("compare", "cliff") else ["--out", tmp_path / "out"]

    def answer() -> tuple[str, str]:
        done = slcache(*path, *own, *kept)
        assert done.returncode == 0, done.stderr
        told = re.sub(rb"; [0-9]+ results were there before", b"", done.stdout)
        return told.decode(), done.stderr.decode()

    whole, _ = answer()
    # Each verb begins with other changes.
    begin = KEEPING.index(path) * len(CHANGES) // len(KEEPING)
    left = [*CHANGES.items()][begin:] + [*CHANGES.items()][:begin]
    for _ in range(calls_most):
        files = sorted((tmp_path / "store" / "results").iterdir())
        changed = dict(zip(files, left, strict=False))
        left = left[len(changed) :]
        for file, (_, change) in changed.items():
            put(file, change)
        answered, told = answer()
        assert answered == whole
        for file, (name, _) in changed.items():
            assert f"{file}: damaged" in told, name
        if not left:
            break


@pytest.mark.parametrize(
    "change", [lambda _: {}, lambda _: [], lambda _: {"error": 3}, without("summary")]
)
def test_kept_statistics_of_a_trace_are_checked(
    change: Change, trace: Path, tmp_path: Path
) -> None:
    def told() -> dict[str, Any] | None:
        with Engine(tmp_path) as engine:
            return statistics(Input("t", str(trace), twin=False, requests=0), 0, engine)

    whole = told()
    (file,) = (tmp_path / "results").iterdir()
    put(file, change)
    with pytest.warns(UserWarning, match=r"damaged.*: it is made anew"):
        assert told() == whole
    assert told() == whole
