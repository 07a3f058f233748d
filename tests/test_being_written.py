"""Who reads what another command is writing is told so, not that it is missing or damaged."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import slcache
from slcache.files import Transaction
from support import slcache as command
from verbs import Inputs

WRITING = "a command is writing into {0}: try again when it has ended"


@pytest.mark.parametrize("verb", ["report", "diff", "diff --rerun"])
def test_a_result_that_is_being_written(verb: str, inputs: Inputs, tmp_path: Path) -> None:
    (whole, *_) = inputs.needed(("report",))
    folder = tmp_path / "new"
    words: list[str | Path] = [*verb.split()]
    if verb == "report":
        words += ["--out", tmp_path / "page"]
    more = [whole] if verb == "diff" else []
    with Transaction(folder, ["result.json"]) as outputs:
        done = command(*words, folder, *more)
        assert done.returncode != 0
        assert WRITING.format(folder) in done.stderr.decode()
        outputs.write("result.json", (Path(whole) / "result.json").read_bytes())
    done = command(*words, folder, *more)
    assert b"is writing" not in done.stderr
    # One that was killed there is not writing any more.
    (folder / "result.json").unlink()
    (folder / ".slcache-killed.tmp").mkdir()
    done = command(*words, folder, *more)
    assert done.returncode != 0
    assert b"is writing" not in done.stderr


def test_an_old_result_is_read_while_a_new_one_is_made(inputs: Inputs, tmp_path: Path) -> None:
    folder = tmp_path / "again"
    shutil.copytree(inputs.needed(("report",))[0], folder)
    with Transaction(folder, ["result.json"]):
        assert slcache.load(folder).documents
