"""What the page on when each scheme wins shows exists, and its commands are understood."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from support import slcache

DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "when-each-wins.md"
#: Recordings that a reader must have; the one that is shipped stands in for them here.
NOT_SHIPPED = ("$OLTP", "$PIECE")
SHIPPED = "examples/linkbench-40s.blkparse.zst"
COMMANDS = [
    shlex.split(line)
    for block in re.findall(r"```\n(slcache .*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    for line in block.replace("\\\n", " ").splitlines()
]


def test_its_pictures_and_links_exist() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", PAGE.read_text(encoding="utf-8"))
    assert len(targets) >= 4
    assert all((DOCS / target).is_file() for target in targets)


def test_its_pictures_are_small() -> None:
    for name in re.findall(r"\(images/([^)]+)\)", PAGE.read_text(encoding="utf-8")):
        assert (DOCS / "images" / name).stat().st_size < 150_000


def replaced(words: list[str], option: str, values: dict[str, str]) -> list[str]:
    """The command with these keys of a repeated option, said once each."""
    kept = list(words)
    for key, value in values.items():
        for at in reversed(range(len(kept) - 1)):
            if kept[at] == option and kept[at + 1].partition("=")[0] == key:
                del kept[at : at + 2]
        kept += [option, f"{key}={value}"]
    return kept


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[-1])
def test_its_commands_are_understood(command: list[str], tmp_path: Path) -> None:
    """Run each on a shortened load under one scheme; every option and key of it stays."""
    words = command[1:]
    words[words.index("--out") + 1] = str(tmp_path)
    if words[0] == "cliff":
        words[words.index("--amount") + 1] = "8MiB"
    elif words[1] in NOT_SHIPPED:
        words[1] = SHIPPED
    elif not Path(words[1]).suffix:
        shorter = {"requests": "20000"}
        words = replaced(words, "--workload", shorter)
        words = replaced(words, "--set", {"precondition.overwrite": "0", "precondition.fill": "0"})
    on_disk = "nvc-hdd" in words
    words[words.index("--schemes") + 1] = "nvc-slc-only" if on_disk else "turbo-write"
    done = slcache(*words)
    assert done.returncode == 0, done.stderr
    assert any(tmp_path.iterdir())


def test_the_page_has_commands() -> None:
    assert len(COMMANDS) == 12
