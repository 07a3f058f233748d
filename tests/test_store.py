"""What is kept is not believed by its name: what does not fit is made anew, and told."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from slcache.execute import store
from slcache.execute.store import Store
from slcache.search.goals import SHARES
from slcache.search.points import Prefixes
from slcache.sweep.api import sweep
from support import mixed, slcache, write_trace

SETTINGS = {"device.user_bytes": "2MiB", "trace.address": "wrap"}
VARY = {"scheme.sa.slc_blocks": [3, 4]}
Damage = Callable[[Path, Path], None]


def text_changed(change: Callable[[bytes], bytes]) -> Damage:
    def damage(path: Path, _: Path) -> None:
        path.write_bytes(gzip.compress(change(gzip.decompress(path.read_bytes()))))

    return damage


def bytes_changed(change: Callable[[bytes], bytes]) -> Damage:
    def damage(path: Path, _: Path) -> None:
        path.write_bytes(change(path.read_bytes()))

    return damage


def body_replaced(text: bytes) -> Damage:
    return text_changed(lambda whole: whole[: whole.index(b"\n") + 1] + text)


def swapped(path: Path, other: Path) -> None:
    mine = path.read_bytes()
    path.write_bytes(other.read_bytes())
    other.write_bytes(mine)


def linked(link: Callable[[Path, Path], None]) -> Damage:
    def damage(path: Path, other: Path) -> None:
        path.unlink()
        link(other, path)

    return damage


def of_another_version(path: Path, _: Path) -> None:
    """Put a whole result of another key in the place of one."""
    text = gzip.decompress(path.read_bytes())
    path.write_bytes(store.packed("0" * 32, text[text.index(b"\n") + 1 :]))


#: By name: how a file is changed, and how many of two results are run again.
DAMAGES: dict[str, tuple[Damage, int]] = {
    "swapped": (swapped, 2),
    "symlinked": (linked(lambda other, path: path.symlink_to(other)), 1),
    "hard-linked": (linked(lambda other, path: os.link(other, path)), 1),
    "a device": (linked(lambda _, path: path.symlink_to("/dev/zero")), 1),
    "another version": (of_another_version, 1),
    "a digit": (text_changed(lambda text: text.replace(b'"requests":80', b'"requests":81')), 1),
    "doubled": (text_changed(lambda text: text[:-1] + b',"summary":{}}'), 1),
    "empty object": (body_replaced(b"{}"), 1),
    "null": (body_replaced(b"null"), 1),
    "truncated": (bytes_changed(lambda whole: whole[:-9]), 1),
    "empty": (bytes_changed(lambda _: b""), 1),
    "two members": (bytes_changed(lambda whole: whole * 2), 1),
}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("store") / "t.csv", mixed(80))


@pytest.mark.few(3)
@pytest.mark.parametrize("name", DAMAGES)
def test_a_result_that_does_not_fit_is_run_again(name: str, small: Path, tmp_path: Path) -> None:
    def run() -> tuple[int, object]:
        found = sweep(
            small, device="tiny", scheme="sa", vary=VARY, settings=SETTINGS, store=tmp_path, jobs=1
        )
        return found.kept, found.table.to_dicts()

    _, clean = run()
    damage, again = DAMAGES[name]
    path, other = sorted((tmp_path / "results").iterdir())
    before = path.read_bytes()
    damage(path, other)
    assert path.is_symlink() or path.stat().st_nlink > 1 or path.read_bytes() != before
    with pytest.warns(UserWarning, match="made anew"):
        assert run() == (2 - again, clean)
    # And for good: the next run finds all of them.
    assert run() == (2, clean)


@pytest.mark.few(2)
@pytest.mark.parametrize("kind", ["traces", "states"])
@pytest.mark.parametrize("damage", ["edited", "empty", "unsealed"])
def test_damaged_traces_and_states_are_made_anew(
    kind: str, damage: str, small: Path, tmp_path: Path
) -> None:
    words: list[str | Path] = [
        "sweep",
        small,
        "--device",
        "tiny",
        "--scheme",
        "sa",
        "--out",
        tmp_path,
    ]
    words += ["--vary", "host.time_scale=0.5,1.0", "--set", "precondition.fill=0.5"]
    words += ["--set", "trace.address=wrap", "--jobs", "1"]
    first = slcache(*words)
    assert first.returncode == 0, first.stderr
    clean = (tmp_path / "points.parquet").read_bytes()
    shutil.rmtree(tmp_path / "store" / "results")
    (made,) = (p for p in (tmp_path / "store" / kind).iterdir() if p.suffix != ".seal")
    whole = made.read_bytes()
    if damage == "unsealed":
        made.with_name(f"{made.name}.seal").unlink()
    else:
        middle = len(whole) // 2
        changed = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
        made.write_bytes(changed if damage == "edited" else b"")
    second = slcache(*words)
    assert second.returncode == 0, second.stderr
    told = second.stderr.decode()
    # Without its seal it is no more than not there: whoever makes it may have been ended.
    assert told.startswith(f"note: {made}: ") is (damage != "unsealed")
    assert ("made anew" in told) is (damage != "unsealed")
    assert (tmp_path / "points.parquet").read_bytes() == clean
    assert store.sound(made)


def test_a_beginning_of_a_trace_is_checked(small: Path, tmp_path: Path) -> None:
    path = Prefixes(str(small), {}, tmp_path).path(SHARES[0])
    whole = path.read_bytes()
    other = Prefixes(str(small), {}, tmp_path).path(SHARES[1])
    shutil.copy(other, path)
    shutil.copy(f"{other}.seal", f"{path}.seal")
    with pytest.warns(UserWarning, match="made anew"):
        assert Prefixes(str(small), {}, tmp_path).path(SHARES[0]).read_bytes() == whole


def test_documents_of_evaluations_are_checked(tmp_path: Path) -> None:
    kept = Store(tmp_path)
    kept.put("a", {"figure": 1})
    kept.put("b", {"figure": 2})
    assert kept.get("a", bool) == {"figure": 1}
    swapped(tmp_path / "a.json.gz", tmp_path / "b.json.gz")
    for key in "ab":
        with pytest.warns(UserWarning, match="made anew"):
            assert kept.get(key, bool) is None
    kept.put("a", {"figure": 3})
    assert kept.get("a", bool) == {"figure": 3}


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
