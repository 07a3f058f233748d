"""Whatever a verb writes, it takes the place of nothing that it reads, and nothing twice.

Every command runs once with all the paths it may write, which tells the files that it writes. Then
each of them is, in turn, another name of each file that it reads, and of each other file.
"""

from __future__ import annotations

import functools
import itertools
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import slcache
import support
from disks import DEVICE
from hidden_drives import lines, steady
from slcache.cli.app import execute
from slcache.reproduce import evaluation
from support import QUICK, mixed, own_scheme, write_trace
from verbs import verbs

#: Words that are paths to read, and the files behind them: what the word means, and what that
#: names inside.
READ = {
    "TRACE": ["t.csv"],
    "OTHER": ["other.csv"],
    "DEVICE": ["d.toml"],
    "DISK": ["disk.toml"],
    "CONFIG": ["c.toml"],
    "STATE": ["state"],
    "MEMORY": ["memory"],
    "RESULT": ["result/result.json", "t.csv"],
    "STUDY": ["study.toml", "t.csv", "d.toml", "c.toml"],
    "POINTS": ["points.csv"],
    "WORKLOAD": ["w.toml"],
    "FILL": ["fill.csv"],
    "LATENCY": ["read_lat.1.log"],
    "FOUND": ["found", "found/points.parquet", "found/study.toml"],
    "PUBLISHED": ["published", "published/a.csv"],
    "RECORDINGS": ["recordings", "recordings/b.txt"],
    "CLASS": ["mine.py:Mine", "mine.py"],
    "OWN": ["own/result.json", "t.csv", "mine.py"],
    "OWN_STUDY": ["ours/study.toml", "t.csv", "d.toml", "mine.py"],
}
#: A word that begins with ">" is a path to write, a folder if it ends in "/".
COMMANDS = """
run TRACE --device DEVICE --scheme rl --config CONFIG --memory-in MEMORY
    --memory-out >memory --log >log.parquet --save-state >state --out >out/
run TRACE --device DEVICE --scheme rl --load-state STATE --save-state >state
run WORKLOAD --device tiny --scheme rl --memory-out >memory --log >log.parquet --out >out/
    --timeline >t.pftrace
compare TRACE --device DEVICE --schemes rl,baseline --config CONFIG --memory-in MEMORY
    --log >log.parquet --store >kept/ --out >out/
compare TRACE --device tiny --schemes rl,baseline --timeline >t.pftrace.gz --around slowest
    --log >log.parquet --out >out/
run TRACE --device DEVICE --scheme CLASS --log >log.parquet --timeline >t.pftrace --out >out/
    --save-state >state
compare TRACE --device DEVICE --schemes baseline,CLASS --log >log.parquet --timeline >t.parquet
cliff --device DEVICE --schemes CLASS --bs 4k --amount 64k --out >out/
tune TRACE --device DEVICE --scheme CLASS --vary host.time_scale=1,2 --points 1 --jobs 1 --out >out/
tune TRACE --device DEVICE --scheme CLASS --vary host.queue_depth=1,2 --least host.queue_depth
    --such-that waf<=9 --jobs 1 --out >out/
sweep OWN_STUDY --jobs 1 --out >out/
diff --rerun OWN --scheme CLASS --out >out/
report OWN --out >out/
diff --rerun RESULT --out >out/
diff --rerun RESULT --trace OTHER --out >out/
report RESULT --out >out/
report RESULT --out >page.html
cliff --device DEVICE --schemes baseline --config CONFIG --bs 4k --amount 64k --out >out/
    --store >kept/
bound TRACE --picture >page.svg
bound TRACE --device DEVICE --picture >page.svg
fit FILL --bits 3 --latency LATENCY --out >drive.toml
tune TRACE --device DEVICE --scheme baseline --config CONFIG --vary host.time_scale=1,2 --points 2
    --jobs 1 --store >kept/ --out >out/
sweep TRACE OTHER --device DEVICE --scheme baseline --config CONFIG --points POINTS --jobs 1
    --out >out/ --store >kept/
sweep STUDY --jobs 1 --out >out/ --store >kept/
sweep show FOUND --html >page.html
reproduce hyssd --seeds 1 --traces PUBLISHED --recordings RECORDINGS --store >kept/ --out >out/
tune TRACE --device DEVICE --scheme baseline --config CONFIG --vary host.queue_depth=1,2
    --least host.queue_depth --such-that waf<=9 --jobs 1 --store >kept/ --out >out/
run WORKLOAD --device DISK --scheme nvc --out >out/
trace info TRACE --against OTHER --picture >page.svg
trace convert TRACE -o >o.parquet
trace convert TRACE OTHER -o >o.parquet --trace-option take=9
trace generate WORKLOAD -o >o.parquet
trace twin TRACE -o >o.toml
trace twin TRACE -o >o.parquet --by blocks --pause 1ms --block-requests 9
"""
#: Verbs that write nothing.
READ_ONLY = {
    *("explain", "why", "schemes", "devices show"),
    *("schemes show", "schemes check"),
    *("trace formats", "trace lint", "trace workloads"),
}
#: What takes long to be run to its end writes these.
KNOWN = {"reproduce": [f"out/{name}" for name in evaluation.FILES]}
#: Folders of what is found again by its content.
STORES = {"kept", "store"}


def commands() -> Iterator[list[str]]:
    """Yield the words of each command."""
    for text in re.split(r"\n(?! )", COMMANDS.strip()):
        yield text.split()


CASES = [pytest.param(each, id=" ".join(w for w in each if w[0].isalpha())) for each in commands()]


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of everything that is read."""
    folder = tmp_path_factory.mktemp("in")
    trace = write_trace(folder / "t.csv", mixed())
    write_trace(folder / "other.csv", mixed(seed=8))
    device = Path(__file__).parent.parent / "presets/devices/tiny.toml"
    shutil.copy(device, folder / "d.toml")
    (folder / "disk.toml").write_text(DEVICE)
    (folder / "c.toml").write_text("run.seed = 2\n")
    (folder / "points.csv").write_text("host.time_scale\n3\n")
    fill = (f"{i / 100},{2000 if i < 40 else 500}\n" for i in range(1, 121))
    (folder / "fill.csv").write_text("gb,mb_s\n" + "".join(fill))
    (folder / "read_lat.1.log").write_text(lines(steady))
    drawn = 'footprint_bytes = 1048576\n[global]\nrw = "randwrite"\nbs = "4k"\n'
    (folder / "w.toml").write_text(f"requests = 50\n{drawn}")
    (folder / "study.toml").write_text(
        'trace = "in/t.csv"\ndevice = "in/d.toml"\nscheme = "baseline"\nconfig = "in/c.toml"\n'
        'vary."host.time_scale" = "1,2"\n'
    )
    (folder / "ours").mkdir()
    (folder / "ours/study.toml").write_text(
        'trace = "in/t.csv"\ndevice = "in/d.toml"\nscheme = "in/mine.py:Mine"\n'
    )
    slcache.run(trace, device=device, scheme=own_scheme(folder, "pass")).save(folder / "own")
    for name in ("published/a.csv", "recordings/b.txt"):
        (folder / name).parent.mkdir()
        (folder / name).write_text("\n")
    slcache.sweep(trace, device="tiny", scheme="baseline", out=folder / "found", jobs=1)
    slcache.run(
        trace, device=device, scheme="rl", save_state=folder / "state", memory_out=folder / "memory"
    ).save(folder / "result")
    return folder


def files(folder: Path) -> dict[str, bytes]:
    """Return what lies in a folder, by its name there."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def line(words: list[str], instead: dict[str, str] | None = None) -> list[str]:
    """Return a command as it is given, some paths `instead` of others."""
    own = instead or {}

    def given(word: str) -> str:
        read = f"in/{READ[word][0]}" if word in READ else word.lstrip(">")
        return own.get(word, read)

    # A class may stand behind another scheme.
    return [",".join(map(given, word.split(","))) for word in words]


class Place:
    """A folder that a command runs in."""

    def __init__(self, folder: Path, read: Path, words: list[str]) -> None:
        """Copy what the command reads."""
        self.folder, self.words = folder, words
        each = [part for word in words for part in word.split(",")]
        named = [name for word in each for name in READ.get(word, [])]
        self.reads = [name for name in named if (read / name).is_file()]
        for name in self.reads:
            target = folder / "in" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(read / name, target)
        for name in {"result/result.json", "own/result.json"}.intersection(self.reads):
            text = (folder / "in" / name).read_text()
            (folder / "in" / name).write_text(text.replace(str(read), str(folder / "in")))
        self.before = files(folder)

    @functools.cached_property
    def written(self) -> list[str]:
        """The files that the command writes, by running it once."""
        return KNOWN.get(self.words[0]) or self._run()

    def _run(self) -> list[str]:
        assert execute(line(self.words)) in (0, 1)
        new = [name for name in files(self.folder) if name not in self.before]
        self.clear()
        return [name for name in new if not STORES & {*Path(name).parts}]

    def clear(self) -> None:
        """Take away what a command has written."""
        for path in self.folder.iterdir():
            if path.name != "in":
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def refuses(self, instead: dict[str, str] | None = None) -> None:
        """Run the command, which is to change nothing."""
        before = files(self.folder)
        assert execute(line(self.words, instead)) in (2, 3)
        assert files(self.folder) == before


def wrong(place: Place, name: str, source: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return what goes wrong where a file to write is another name of one that is read."""
    (place.folder / name).parent.mkdir(exist_ok=True)
    os.link(place.folder / "in" / source, place.folder / name)
    try:
        place.refuses()
        # The folder of another study is refused before its files are looked at.
        assert re.search("is the input|would be lost", capsys.readouterr().err)
    except AssertionError as error:
        return [f"{name} is {source}: {error}"[:300]]
    finally:
        place.clear()
    return []


@pytest.mark.few(2)
@pytest.mark.parametrize("words", CASES)
def test_no_written_file_is_one_that_is_read_or_another(
    words: list[str], read: Path, cwd: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Place(cwd, read, words)
    # A study's own file may lie where it would be written.
    pairs = [
        (name, source)
        for name, source in itertools.product(place.written, place.reads)
        if Path(source).name != "study.toml" or Path(name).name != Path(source).name
    ]
    assert pairs
    pairs = pairs[:: 3 if QUICK else 1]
    assert [each for pair in pairs for each in wrong(place, *pair, capsys)] == []
    # The logs of a comparison are named by its schemes.
    single = [w for w in words if w[0] == ">" and w[-1] != "/" and words[0] != "compare"]
    for word, name in itertools.product(single, place.written if single[1:] else []):
        if name != word[1:]:
            (cwd / "out").mkdir(exist_ok=True)
            place.refuses({word: name})
            place.clear()


@pytest.mark.few(2)
@pytest.mark.parametrize("words", CASES)
def test_what_is_in_the_way_is_named(words: list[str], read: Path, cwd: Path) -> None:
    before = files(Place(cwd, read, words).folder)
    (cwd / "in/file").touch()
    for word in (word for word in words if word[0] == ">"):
        # A report takes the name of a page for that of a folder where there is one.
        is_folder, ending = word[-1] == "/" or words[0] == "report", "".join(Path(word).suffixes)
        taken = f"in/{'file' if is_folder else f'folder{ending}'}"
        if not is_folder:
            (cwd / taken).mkdir(exist_ok=True)
        for given, told in ((taken, taken), (f"in/file/more{ending}", "in/file")):
            done = support.slcache(*line(words, {word: given}))
            said = done.stderr.decode()
            assert done.returncode in (1, 2), said
            assert told in said
            assert not re.search(r"\.slcache-|os error", said)
            assert files(cwd) == {**before, "in/file": b""}


def test_every_path_of_every_verb_is_tried() -> None:
    tried = {" ".join(words) for words in commands()}
    for path, verb in verbs():
        name = " ".join(path)
        of = [words for words in tried if f"{words} ".startswith(f"{name} ")]
        assert of or name in READ_ONLY | {"devices"}, name
        for param in verb.params:
            is_path = re.search("FILE|DIR|TRACE|PATH", param.metavar or "")
            if of and is_path and param.is_option:
                assert any({*param.opts} & {*words.split()} for words in of), (name, param.opts)
