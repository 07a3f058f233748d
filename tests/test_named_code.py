"""In the place of any file of a verb documents run no code, and no pipe is waited for."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import slcache
from hidden_drives import a_log
from slcache import code, explain
from slcache.bounds import on_device
from slcache.gym import SlcCacheEnv
from support import slcache as command
from verbs import Inputs, verbs

#: What a class is where it leaves no mark, and what leaves one.
PLAIN = """import slcache


class Mine(slcache.Scheme):
    def place(self, write, view):
        return "cache", "store"
"""
MARKED = "import pathlib\n\npathlib.Path({!r}).touch()\n"
#: A place for a file, by the words that stand for one.
PATH = re.compile(r"FILE|DIR|TRACE|PATH|RESULT|STUDY|PRESET|LOG")
#: Options whose files are written.
WRITTEN = {"--out", "-o", "--picture", "--html", "--log", "--timeline", "--save-state"}
WRITTEN |= {"--memory-out", "--store"}


class Marked:
    """Documents of every kind that name a class: of a file, or of a module."""

    def __init__(self, folder: Path, trace: Path, *, is_module: bool) -> None:
        """Make them of a class that leaves no mark, and name another in its place."""
        name = f"marked_{hashlib.sha256(str(folder).encode()).hexdigest()[:12]}"
        self.folder, self.trace, self.mark = folder, trace, folder / "mark"
        plain, self.file = folder / "plain.py", folder / f"{name}.py"
        plain.write_text(PLAIN)
        self.file.write_text(MARKED.format(str(self.mark)) + PLAIN)
        self.source = f"{name if is_module else self.file}:Mine"
        self._made(f"{plain}:Mine")
        sums = [hashlib.sha256(file.read_bytes()).hexdigest() for file in (plain, self.file)]
        for path in (each for each in folder.rglob("*") if each.suffix in (".json", ".toml")):
            text = path.read_text().replace(f"{plain}:Mine", self.source)
            path.write_text(text.replace(sums[0], sums[1]))

    def _made(self, source: str) -> None:
        own = {"device": "tiny", "settings": {"slc_blocks": 3}}
        result = slcache.run(self.trace, scheme=source, **own)  # type: ignore[arg-type]
        result.save(self.folder / "result")
        both = slcache.compare(self.trace, device="tiny", schemes=["baseline", source])
        both.save(self.folder / "both")
        slcache.sweep(
            [self.trace], device="tiny", scheme=source, vary={"host.time_scale": "0.5,1"},
            out=self.folder / "study", jobs=1,
        )  # fmt: skip
        tiny = (Path(__file__).parent.parent / "presets/devices/tiny.toml").read_text()
        own_key = f"custom.source = {json.dumps(source)}\n"
        head = "[scheme-defaults"
        defaults = tiny.replace(head, f"{head}]\n{own_key}\n{head}", 1)
        (self.folder / "device.toml").write_text(defaults)
        (self.folder / "config.toml").write_text(f"[scheme]\n{own_key}")

    def unloaded(self) -> None:
        """Have the class leave a mark again: what is loaded is not loaded again."""
        self.mark.unlink(missing_ok=True)
        for name, module in list(sys.modules.items()):
            if (getattr(module, "__file__", None) or "").endswith(self.file.name):
                del sys.modules[name]
        code.loaded.clear()

    def documents(self) -> dict[str, Path]:
        """Return the documents by their kinds."""
        names = ("result", "both", "study", "device.toml", "config.toml")
        found = {name: self.folder / name for name in names}
        return {**found, "result.json": self.folder / "result/result.json"}


@pytest.fixture(scope="module", params=["file", "module"])
def marked(
    request: pytest.FixtureRequest, trace: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Marked]:
    folder = tmp_path_factory.mktemp("marked")
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(folder)
        patched.setenv("PYTHONPATH", str(folder))
        yield Marked(folder, trace, is_module=request.param == "module")


def places() -> list[Any]:
    """Return every place where a verb may have a file, but for those it writes, with its number."""
    found = [
        (path, param)
        for path, verb in verbs()
        for param in verb.params
        if PATH.search(param.metavar or "") and param.opts[0] not in WRITTEN
    ]
    return [
        pytest.param(number, *each, id=" ".join([*each[0], each[1].name]))
        for number, each in enumerate(found)
    ]


def filled(inputs: Inputs, path: tuple[str, ...], param: Any, document: Path) -> list[str]:  # noqa: ANN401
    """Return the words of a verb with a document in one of its places."""
    if param.is_option:
        return [*path, *inputs.needed(path, param.opts[0]), param.opts[0], str(document)]
    given = inputs.needed(path)
    return [*path, str(document), *given[1:]]


@pytest.mark.few(5)
@pytest.mark.parametrize(("number", "path", "param"), places())
def test_no_document_has_code_run(
    number: int,
    path: tuple[str, ...],
    param: Any,  # noqa: ANN401
    marked: Marked,
    inputs: Inputs,
    cwd: Path,
) -> None:
    documents = marked.documents()
    # Every place has one of those that do not fit, too.
    other = list(documents)[number % len(documents)]
    for kind in dict.fromkeys((*fitting(param.metavar), other)):
        words = filled(inputs, path, param, documents[kind])
        command(*words)
        assert not marked.mark.exists(), (kind, words)


#: By what stands for a place: the documents that fit there.
MEANT = {
    "PRESET": ("device.toml", "result.json"),
    "RESULT": ("result", "both"),
    "STUDY": ("study",),
    "FILE": ("config.toml", "result.json"),
}


def fitting(metavar: str) -> tuple[str, ...]:
    """Return the documents that may stand in a place."""
    return next((kinds for word, kinds in MEANT.items() if word in metavar), ())


OWN = "--scheme SOURCE"
#: Commands that documents alone do not let run, and what names their class where no scheme does.
TOLD = {
    "diff --rerun result": OWN,
    "diff --rerun both": "--scheme baseline,SOURCE",
    "run TRACE --config result.json": OWN,
    "run TRACE --device device.toml --scheme custom": "",
    "run TRACE --device tiny --scheme custom --config config.toml": "",
    "compare TRACE --config result.json --schemes tlc-only,custom": "",
    "cliff --config result.json --schemes custom --amount 64k --bs 4k": "",
    "cliff --device device.toml --schemes baseline,custom --amount 64k --bs 4k": "",
    "tune TRACE --config result.json --vary host.time_scale=1,2 --points 1 --jobs 1": OWN,
    "tune TRACE --config result.json --vary host.queue_depth=1,2 --least host.queue_depth"
    " --such-that waf<=9 --jobs 1": OWN,
    "sweep TRACE --config result.json --out out --jobs 1": OWN,
    "sweep study --jobs 1": "",
}


@pytest.mark.few(5)
@pytest.mark.parametrize("words", TOLD)
def test_what_a_document_names_runs_where_named(words: str, marked: Marked, cwd: Path) -> None:
    for each in marked.documents().values():
        # Under other names than those by which a call could name code.
        (shutil.copytree if each.is_dir() else shutil.copy)(each, cwd / each.name)

    def called(text: str) -> Any:  # noqa: ANN401
        own = text.replace("SOURCE", marked.source).replace("TRACE", str(marked.trace))
        return command(*own.split())

    told = called(words)
    assert told.returncode == 3, told.stderr
    assert not marked.mark.exists()
    message = told.stderr.decode()
    assert "no document loads code of Python" in message
    assert marked.source in message
    # Whoever names the study's own file names its code.
    named = words.replace("custom", "SOURCE").replace("sweep study", "sweep study/study.toml")
    ran = called(f"{named} {TOLD[words]}")
    assert ran.returncode == 0, ran.stderr
    marked.unloaded()


@pytest.mark.parametrize(
    "words",
    ["devices show device.toml", "schemes --device device.toml",
     "explain scheme.custom.slc_blocks --device device.toml", "devices show result/result.json"],
)  # fmt: skip
def test_a_device_is_told_with_its_class_where_that_is_named(
    words: str, marked: Marked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(marked.folder)
    # Tables break long cells between words.
    refusal = "no document loads code of Python"
    alone = command(*words.split())
    assert not marked.mark.exists()
    assert refusal in " ".join((alone.stdout + alone.stderr).decode().split())
    done = command(*words.split(), "--scheme", marked.source)
    assert done.returncode == 0, done.stderr
    assert refusal not in " ".join((done.stdout + done.stderr).decode().split())
    assert marked.mark.exists()
    marked.unloaded()
    assert command(*words.split(), "--scheme", "./other.py:Mine").returncode in (2, 3)


def test_a_class_that_has_changed_is_not_loaded(marked: Marked) -> None:
    text = marked.file.read_text()
    marked.file.write_text(f"{text}\n# edited\n")
    try:
        result = marked.folder / "result"
        lines: list[list[str | Path]] = [
            ["diff", "--rerun", result, "--scheme", marked.source],
            ["run", marked.trace, "--config", result / "result.json", "--scheme", marked.source],
        ]
        for words in lines:
            refused = command(*words)
            assert refused.returncode == 3, refused.stderr
            assert re.search("sha256|SHA-256", refused.stderr.decode())
            assert not marked.mark.exists()
    finally:
        marked.file.write_text(text)
        marked.unloaded()


#: What Python does with documents: by what it is called, with the folder of them.
ASKED: dict[str, Callable[[Path, Path], object]] = {
    "load": lambda folder, _: slcache.load(folder / "result").report(),
    "load a comparison": lambda folder, _: slcache.load(folder / "both").report(),
    "diff": lambda folder, _: slcache.diff(folder / "result", folder / "both"),
    "rerun": lambda folder, _: slcache.rerun(folder / "result"),
    "run": lambda folder, trace: slcache.run(trace, settings=folder / "result/result.json"),
    "run of a dict": lambda folder, trace: slcache.run(trace, settings=config(folder)),
    "resolve": lambda folder, _: slcache.resolve(settings=config(folder)),
    "compare": lambda folder, trace: slcache.compare(
        trace, settings=config(folder), schemes=["tlc-only", "custom"]
    ),
    "fitting": lambda folder, _: slcache.fitting(device=folder / "device.toml"),
    "schemes": lambda folder, _: slcache.schemes(device=folder / "device.toml"),
    "facts": lambda folder, _: slcache.device_facts(folder / "device.toml"),
    "standing": lambda folder, _: explain.standing(
        explain.find("scheme.custom.slc_blocks")[0],
        folder / "device.toml",
        "scheme.custom.slc_blocks",
    ),
    "bound": lambda folder, trace: on_device(trace, device=folder / "device.toml"),
    "cliff": lambda folder, _: slcache.cliff(
        device=folder / "device.toml", schemes=["custom"], amount_bytes=65536, write_bytes=4096
    ),
    "environment": lambda folder, trace: SlcCacheEnv(
        device=folder / "device.toml", workload=trace, scheme="custom"
    ),
}


#: Those that need no class.
READ_ONLY = {
    *("load", "load a comparison", "diff", "fitting", "schemes", "facts", "bound", "standing")
}


def config(folder: Path) -> dict[str, Any]:
    """Return the configuration of a saved result."""
    whole: dict[str, Any] = json.loads((folder / "result/result.json").read_text())["config"]
    return whole


@pytest.mark.parametrize("name", ASKED)
def test_no_document_has_code_run_in_python(name: str, marked: Marked) -> None:
    message = ""
    try:
        ASKED[name](marked.folder, marked.trace)
    except slcache.Error as error:
        message = str(error)
    assert not marked.mark.exists()
    assert ("no document loads code of Python" in message) is (name not in READ_ONLY), message


#: What stands for a file to read.
_READ = re.compile(r"FILE|TRACE|RESULT|STUDY|PRESET|PATH|LOG")
#: A trace may come through a pipe, which is waited for as other programs do.
_PIPED = re.compile("TRACE|PATH")
#: How long a verb may take over what it will not read.
_PATIENCE_S = 20


def read_places() -> list[Any]:
    """Return every place where a verb reads a file."""
    return [
        pytest.param(path, param, id=" ".join([*path, param.name]))
        for path, verb in verbs()
        for param in verb.params
        if _READ.search(param.metavar or "") and not WRITTEN & {*param.opts}
    ]


def specials(folder: Path, metavar: str) -> Iterator[tuple[str, str]]:
    """Yield what is no file, by its kind, as it may be given in a place."""
    end, name = (".py", ":Mine") if re.search(r":(CLASS|NAME)", metavar) else ("", "")
    pipe, inner, zero = (folder / f"{kind}{end}" for kind in ("pipe", "folder", "zero"))
    os.mkfifo(pipe)
    inner.mkdir()
    zero.symlink_to("/dev/zero")
    for each in (pipe, inner, zero):
        yield each.stem, f"{each}{name}"


@pytest.fixture
def _in_time() -> Iterator[None]:
    """Raise where something waits for ever."""

    def late(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(_PATIENCE_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.few(2)
@pytest.mark.usefixtures("_in_time")
@pytest.mark.parametrize(("path", "param"), read_places())
def test_what_is_no_file_is_told(
    path: tuple[str, ...],
    param: Any,  # noqa: ANN401
    inputs: Inputs,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    for kind, text in specials(tmp_path, param.metavar):
        if kind == "pipe" and _PIPED.search(param.metavar):
            continue
        words = filled(inputs, path, param, Path(text))
        # What is no key of a configuration stands nowhere on a device, and few schemes learn.
        instead = {"waf": "host.queue_depth"}
        if param.name == "memory_in":
            instead = {"baseline": "rl", "tlc-only,baseline": "rl"}
        words = [instead.get(word, word) for word in words]
        if path == ("fit",):
            fill = a_log(tmp_path, [(1.0, 2000.0), (4.0, 700.0), (5.0, 400.0)], ms=40)
            words = ["fit", text] if param.name == "log" else ["fit", str(fill), "--latency", text]
            words += ["--user", "5GB", "--out", "d.toml"]
        done = command(*words)
        assert done.returncode in (1, 2, 3, 4), (kind, words)
        assert kind in done.stderr.decode(), (kind, words)
