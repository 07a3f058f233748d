"""A pipe, a folder or a device in the place of any file that a verb reads is an error in words."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hidden_drives import a_log
from support import slcache as command
from test_named_code import WRITTEN, filled
from verbs import Inputs, verbs

#: What stands for a file to read.
_READ = re.compile(r"FILE|TRACE|RESULT|STUDY|PRESET|PATH|LOG")
#: A trace may come through a pipe, which is waited for as other programs do.
_PIPED = re.compile("TRACE|PATH")
#: How long a verb may take over what it will not read.
_PATIENCE_S = 20


def places() -> list[Any]:
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
@pytest.mark.parametrize(("path", "param"), places())
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
