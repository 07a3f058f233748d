"""What is kept is not believed by its name nor by its seal, and is shared by several commands."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from executors import Here
from slcache import files
from slcache.execute import executors, store
from slcache.execute.engine import Engine
from slcache.execute.store import Store
from slcache.reproduce.experiment import trace_info
from slcache.search import SHARES, run
from slcache.search.run import Prefixes
from slcache.study import sweep
from support import QUICK, command, mixed, slcache, write_trace
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
    "a digit": text_changed(lambda t: re.sub(rb'"requests": ?\d+', b'"requests":9', t, count=1)),
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
        (tmp_path / f"{key}.json.gz").write_bytes(store.pack(key, whole))
    path, other = tmp_path / "k.json.gz", tmp_path / "other.json.gz"
    before, document = path.read_bytes(), kept.get("k")
    assert document is not None
    DAMAGES[name](path, other)
    assert path.is_symlink() or path.stat().st_nlink > 1 or path.read_bytes() != before
    with pytest.warns(UserWarning, match="made anew"):
        assert kept.get("k") is None
    # And for good: what is made anew is found.
    kept.put("k", document)
    assert kept.get("k") == document
    if name != "swapped":
        assert kept.get("other") == document


@pytest.mark.parametrize("damage", ["edited", "empty", "unsealed", "a seal without an end"])
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
        seal = path.with_name(f"{path.name}.seal")
        if "seal" in damage:
            seal.unlink()
            if damage != "unsealed":
                seal.symlink_to("/dev/zero")
        else:
            path.write_bytes(whole if damage == "edited" else b"")
    again, told = swept()
    # Without its seal it is no more than not there: whoever makes it may have been ended.
    assert len(told) == (0 if damage == "unsealed" else 2), told
    assert all(text.startswith(f"{path}: ") for path, text in zip(made, told, strict=False))
    assert all("made anew" in text for text in told)
    assert again == clean
    assert all(map(store.sound, made))


def test_beginnings_are_checked_and_what_unpacks_to_much_takes_bounded_memory(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Prefixes(str(small), {}, tmp_path).path(SHARES[0])
    whole = path.read_bytes()
    other = Prefixes(str(small), {}, tmp_path).path(SHARES[1])
    shutil.copy(other, path)
    shutil.copy(f"{other}.seal", f"{path}.seal")
    with pytest.warns(UserWarning, match="made anew"):
        assert Prefixes(str(small), {}, tmp_path).path(SHARES[0]).read_bytes() == whole
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
NAN = float("nan")


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


#: What a document becomes, by each way in which it is looked at; a text stands for itself. What
#: the figures of a document may be is asked of documents.
CHANGES: dict[str, Change] = {
    "empty": lambda _: {},
    "a list": lambda document: [document],
    "nothing": lambda _: None,
    "nested without end": lambda _: b"[" * 100_000,
    "no text": lambda _: b"\xff\xfe",
    "no JSON": lambda _: b"{",
    "a key twice": lambda d: json.dumps(d).encode()[:-1] + b',"host":{},"host":{}}',
    "an unknown key": lambda document: {**document, "unheard_of": 1},
    "another version": replaced("schema_version", 99),
    "half a character": lambda d: json.dumps(replaced("trace.path", "\ud800")(d)).encode(),
    **{f"without {key}": without(key) for key in ("host", "config", "trace", "provenance")},
    **{f"waf = {value!r:.9}": replaced("waf.total", value) for value in ("many", NAN, 2**70)},
    "a list for an object": replaced("host", []),
}


@pytest.fixture(scope="module")
def whole(inputs: Inputs) -> bytes:
    """A result document."""
    return (Path(inputs.needed(("report",))[0]) / "result.json").read_bytes()


@pytest.fixture(autouse=True)
def _workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "workers", lambda *_: nullcontext(Here()))


#: The verbs that keep results; an evaluation takes minutes, and has them of the same engine.
KEEPING = [
    path
    for path, verb in verbs()
    if path != ("reproduce",) and any("--store" in each.opts for each in verb.params)
]


def put(file: Path, change: Change, key: str | None = None) -> None:
    """Change a kept document and seal it again, under its own key or another."""
    found = change(json.loads(gzip.decompress(file.read_bytes()).partition(b"\n")[2]))
    text = found if isinstance(found, bytes) else json.dumps(found).encode()
    file.write_bytes(store.pack(key or file.name.partition(".")[0], text))


@pytest.mark.parametrize("name", CHANGES)
def test_no_result_is_told_despite_its_seal(name: str, whole: bytes, tmp_path: Path) -> None:
    file = tmp_path / "k.json.gz"
    file.write_bytes(store.pack("k", whole))
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
        changed = dict(zip(sorted((tmp_path / "store" / "results").iterdir()), left, strict=False))
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
def test_statistics_of_a_trace_are_checked(change: Change, trace: Path, tmp_path: Path) -> None:
    def told() -> dict[str, Any] | None:
        with Engine(tmp_path) as engine:
            return trace_info(str(trace), [], engine)

    whole = told()
    (file,) = (tmp_path / "results").iterdir()
    put(file, change)
    with pytest.warns(UserWarning, match=r"damaged.*: it is made anew"):
        assert told() == whole
    assert told() == whole


#: Between each two lines of these another command comes.
WATCHED = {module.__file__ for module in (store, files, run)}
PAIRS = 200
Work = Callable[[Path], object]


def a_result(folder: Path, key: str = "k") -> object:
    """Take a result from a store as verbs do: made and kept where it is not there."""
    kept = Store(folder)
    found = kept.get(key, bool)
    if found is None:
        kept.put(key, {"key": key})
        found = kept.get(key, bool)
    return found


def a_file(folder: Path, key: str = "k") -> object:
    """Take a file for several runs from a store as verbs do, such as a state."""
    path = folder / f"{key}.state"
    if not store.sound(path):
        with store.making(path) as made:
            made.write_bytes(b"state")
    return path.read_bytes()


def a_beginning(folder: Path) -> object:
    """Take a beginning of a trace from a store as a search does."""
    trace = folder.parent / "t.csv"
    if not trace.exists():
        write_trace(trace, mixed(40))
    return Prefixes(str(trace), {}, folder).path(SHARES[0]).read_bytes()


@contextmanager
def stopped(at: int, then: Callable[[], None]) -> Iterator[list[int]]:
    """Call `then` before the line of this number, of those that are watched; yields their count."""
    passed = [0]

    def look(frame: FrameType, event: str, _: Any) -> Any:  # noqa: ANN401
        if frame.f_code.co_filename not in WATCHED:
            return None
        if event == "line":
            passed[0] += 1
            if passed[0] == at:
                sys.settrace(None)
                then()
                sys.settrace(look)
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        yield passed
    finally:
        sys.settrace(before)


def damaged(folder: Path) -> None:
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes()[:-1])


def unsealed(folder: Path) -> None:
    for path in folder.glob("*.seal"):
        path.unlink()


def elsewhere(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
        path.symlink_to("nowhere")


#: What a store holds before.
BEFORE = {"nothing": None, "damaged": damaged, "unsealed": unsealed, "elsewhere": elsewhere}


CASES = [*((name, False) for name in BEFORE), ("nothing", True), ("damaged", True)]


@pytest.mark.parametrize(
    ("work", "before", "killed"),
    [*((work, *case) for work in (a_result, a_file) for case in CASES), (a_beginning, *CASES[0])],
)
def test_commands_may_come_between_any_two_steps_of_another(
    work: Work, before: str, killed: bool, tmp_path: Path
) -> None:
    """Or after it is killed there."""
    whole = work(tmp_path / "alone")
    at, steps = 0, [1]
    # A process for each step takes long.
    stride = 5 if killed and QUICK else 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if before in ("damaged", "elsewhere") else "error")
        while at < steps[0]:
            at += stride
            folder = tmp_path / str(at)
            folder.mkdir()
            if change := BEFORE[before]:
                work(folder)
                change(folder)
            if killed:
                child = os.fork()
                if not child:
                    with stopped(at, lambda: os._exit(1)):
                        work(folder)
                    os._exit(0)
                steps = [at + os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])]
            else:
                found: list[object] = []
                with stopped(at, lambda: found.append(work(folder))) as steps:  # noqa: B023
                    found.append(work(folder))
                assert found == [whole] * len(found)
            assert work(folder) == whole
        # And what is there stays.
        warnings.simplefilter("error")
        assert work(folder) == whole
    assert at > 10
    assert not list(folder.glob(".*"))


def test_pairs_of_commands_share_a_store(tmp_path: Path) -> None:
    begins = threading.Barrier(2)
    found: list[object] = []

    def command() -> None:
        for pair in range(PAIRS):
            begins.wait(60)
            found.append(a_result(tmp_path, f"{pair}"))
            found.append(a_file(tmp_path, f"{pair}"))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pair = [threading.Thread(target=command) for _ in range(2)]
        for each in pair:
            each.start()
        for each in pair:
            each.join()
    assert found.count(b"state") == 2 * PAIRS
    assert all(found.count({"key": f"{pair}"}) == 2 for pair in range(PAIRS))


@pytest.mark.slow
def test_pairs_of_sweeps_share_a_store(tmp_path: Path) -> None:
    """Each pair begins with nothing kept, and shares traces, states and results."""
    small = write_trace(tmp_path / "t.csv", mixed(40))
    words: list[str | Path] = [
        *("sweep", small, "--device", "tiny", "--scheme", "sa", "--jobs", "2", "--no-report"),
        *("--vary", "host.time_scale=0.5,1", "--set", "precondition.fill=0.5"),
        *("--set", "trace.address=wrap"),
    ]
    tables = set()
    for pair in range(PAIRS):
        top = tmp_path / str(pair)
        both = [
            subprocess.Popen(
                command([*words, "--store", top / "store", "--out", top / side]),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            for side in "ab"
        ]
        for each in both:
            _, told = each.communicate(timeout=300)
            assert each.returncode == 0, told
            assert b"made anew" not in told
        tables |= {(top / side / "points.parquet").read_bytes() for side in "ab"}
        shutil.rmtree(top)
    assert len(tables) == 1
