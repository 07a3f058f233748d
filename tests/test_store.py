"""What is kept is not believed by its name, nor documents by their seal."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import tracemalloc
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from executors import Here
from slcache.execute import driver, store
from slcache.execute.engine import Engine
from slcache.execute.store import Store
from slcache.reproduce.inputs import statistics
from slcache.search.goals import SHARES
from slcache.search.searching import Prefixes
from slcache.study.api import sweep
from support import mixed, slcache, write_trace
from verbs import Inputs, verbs

Damage = Callable[[Path, Path], object]


def bytes_changed(change: Callable[[bytes], bytes]) -> Damage:
    return lambda path, _: path.write_bytes(change(path.read_bytes()))


def text_changed(change: Callable[[bytes], bytes]) -> Damage:
    return bytes_changed(lambda whole: gzip.compress(change(gzip.decompress(whole))))


def swapped(path: Path, other: Path) -> None:
    mine = path.read_bytes()
    path.write_bytes(other.read_bytes())
    other.write_bytes(mine)


def linked(link: Callable[[Path, Path], None]) -> Damage:
    def damage(path: Path, other: Path) -> None:
        path.unlink()
        link(other, path)

    return damage


#: How the file of a result, which lies beside another, is changed.
DAMAGES: dict[str, Damage] = {
    "swapped": swapped,
    "symlinked": linked(lambda other, path: path.symlink_to(other)),
    "hard-linked": linked(lambda other, path: os.link(other, path)),
    "a device": linked(lambda _, path: path.symlink_to("/dev/zero")),
    # A whole result of another key.
    "another version": lambda path, _: put(path, lambda document: document, "0" * 32),
    "a digit": text_changed(
        lambda text: re.sub(rb'"requests": ?\d+', b'"requests":9', text, count=1)
    ),
    "doubled": text_changed(lambda text: text[:-1] + b',"summary":{}}'),
    "truncated": bytes_changed(lambda whole: whole[:-9]),
    "empty": bytes_changed(lambda _: b""),
    "two members": bytes_changed(lambda whole: whole * 2),
}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("store") / "t.csv", mixed(80))


@pytest.mark.parametrize("name", DAMAGES)
def test_a_file_that_does_not_fit_is_no_result(name: str, whole: bytes, tmp_path: Path) -> None:
    kept = Store(tmp_path)
    for key in ("k", "other"):
        (tmp_path / f"{key}.json.gz").write_bytes(store.packed(key, whole))
    path, other = tmp_path / "k.json.gz", tmp_path / "other.json.gz"
    before, document = path.read_bytes(), kept.get("k")
    DAMAGES[name](path, other)
    assert path.is_symlink() or path.stat().st_nlink > 1 or path.read_bytes() != before
    with pytest.warns(UserWarning, match="made anew"):
        assert kept.get("k") is None
    # And for good: what is made anew is found.
    kept.put("k", document)
    assert kept.get("k") == document
    if name != "swapped":
        assert kept.get("other") == document


@pytest.mark.parametrize("damage", ["edited", "empty", "unsealed"])
def test_damaged_traces_and_states_are_made_anew(damage: str, small: Path, tmp_path: Path) -> None:
    vary = {"host.time_scale": [0.5, 1.0]}
    settings = {"precondition.fill": 0.5, "trace.address": "wrap"}

    def swept() -> tuple[bytes, list[str]]:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            how: Any = {"vary": vary, "settings": settings, "out": tmp_path, "jobs": 1}
            sweep(small, device="tiny", scheme="sa", **how)
        return (tmp_path / "points.parquet").read_bytes(), [str(each.message) for each in told]

    clean, _ = swept()
    shutil.rmtree(tmp_path / "store" / "results")
    made = []
    for kind in ("traces", "states"):
        (path,) = (p for p in (tmp_path / "store" / kind).iterdir() if p.suffix != ".seal")
        made.append(path)
        whole = bytearray(path.read_bytes())
        whole[len(whole) // 2] ^= 1
        if damage == "unsealed":
            path.with_name(f"{path.name}.seal").unlink()
        else:
            path.write_bytes(whole if damage == "edited" else b"")
    again, told = swept()
    # Without its seal it is no more than not there: whoever makes it may have been ended.
    assert len(told) == (0 if damage == "unsealed" else 2), told
    assert all(text.startswith(f"{path}: ") for path, text in zip(made, told, strict=False))
    assert all("made anew" in text for text in told)
    assert again == clean
    assert all(map(store.sound, made))


def test_a_beginning_of_a_trace_is_checked(small: Path, tmp_path: Path) -> None:
    path = Prefixes(str(small), {}, tmp_path).path(SHARES[0])
    whole = path.read_bytes()
    other = Prefixes(str(small), {}, tmp_path).path(SHARES[1])
    shutil.copy(other, path)
    shutil.copy(f"{other}.seal", f"{path}.seal")
    with pytest.warns(UserWarning, match="made anew"):
        assert Prefixes(str(small), {}, tmp_path).path(SHARES[0]).read_bytes() == whole


def test_a_small_file_that_unpacks_to_much_takes_bounded_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MOST_BYTES", 1 << 20, raising=False)
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(gzip.compress(bytes(64 << 20), 1))
    tracemalloc.start()
    try:
        with pytest.warns(UserWarning, match=r"bomb\.json\.gz: damaged"):
            assert Store(tmp_path).get("bomb") is None
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 16 << 20


def test_a_seal_without_an_end_is_none(tmp_path: Path) -> None:
    made = tmp_path / "made.state"
    with store.making(made) as making:
        making.write_bytes(b"state")
    assert store.sound(made)
    beside = tmp_path / "made.state.seal"
    beside.unlink()
    beside.symlink_to("/dev/zero")
    with pytest.warns(UserWarning, match="made anew"):
        assert not store.sound(made)


def test_files_are_read_up_to_a_size() -> None:
    """What is read at once is of the package alone."""
    whole = re.compile(r"\.read_(?:bytes|text)\(")
    package = Path(store.__file__).parent.parent
    found = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if whole.search(line) and "resources.files(" not in line
    }
    assert not found


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


@pytest.fixture(scope="module")
def whole(inputs: Inputs) -> bytes:
    """A result document."""
    return (Path(inputs.needed(("report",))[0]) / "result.json").read_bytes()


@pytest.fixture(autouse=True)
def _workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "workers", lambda *_: nullcontext(Here()))


#: The verbs that keep results; an evaluation takes minutes, and has them of the same engine.
KEEPING = [
    path
    for path, verb in verbs()
    if path != ("reproduce",) and any("--store" in each.opts for each in verb.params)
]


def put(file: Path, change: Change, key: str | None = None) -> None:
    """Change a kept document and seal it again, under its own key or another."""
    document = json.loads(gzip.decompress(file.read_bytes()).partition(b"\n")[2])
    found = change(document)
    text = found if isinstance(found, bytes) else json.dumps(found).encode()
    file.write_bytes(store.packed(key or file.name.partition(".")[0], text))


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_no_result_is_told_whatever_its_seal_says(
    name: str, whole: bytes, tmp_path: Path
) -> None:
    file = tmp_path / "k.json.gz"
    file.write_bytes(store.packed("k", whole))
    kept = Store(tmp_path)
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
    own = inputs.needed(path, "--out")
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
            return statistics(str(trace), [], engine)

    whole = told()
    (file,) = (tmp_path / "results").iterdir()
    put(file, change)
    with pytest.warns(UserWarning, match=r"damaged.*: it is made anew"):
        assert told() == whole
    assert told() == whole
