"""Commands and listings of pages run and print what is shown; `...` stands for lines left out."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from slcache.study.model import of, read
from support import contains, stdout

ROOT = Path(__file__).parent.parent
PAGES = (
    "tutorial.md",
    "howto/describe-your-drive.md",
    pytest.param("howto/fit-a-drive.md", marks=pytest.mark.slow),
)


def text(page: str) -> str:
    return (ROOT / "docs" / page).read_text(encoding="utf-8")


def shown(page: str) -> list[tuple[str, str]]:
    """Return every command of a page that stands with its output, and the output."""
    return re.findall(r"```\n\$ (slcache [^\n]*)\n(.*?)```", text(page), re.DOTALL)


def files(page: str) -> list[tuple[str, str]]:
    """Return the files that a page shows, whose first line names them."""
    return [
        (name, f"# {name}\n{rest}")
        for name, rest in re.findall(r"```toml\n# (\S+)\n(.*?)```", text(page), re.DOTALL)
    ]


@pytest.fixture(autouse=True)
def _beside_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a folder of its own."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("page", PAGES)
def test_its_commands_print_what_it_shows(page: str, tmp_path: Path) -> None:
    for name, content in files(page):
        Path(name).write_text(content)
    commands = shown(page)
    assert commands, page
    for command, output in commands:
        printed = stdout(*shlex.split(command)[1:]).replace(f"{tmp_path.resolve()}/", "")
        assert contains(printed, output), f"{command}\n{printed}"


@pytest.mark.parametrize("page", ["python.md", "howto/tune.md"])
def test_its_listings_of_python_run(page: str) -> None:
    listings = re.findall(r"```python\n(.*?)```", text(page), re.DOTALL)
    assert listings, page
    exec("\n".join(listings), {})


#: Listings behind which stands what they print.
LISTED = ("howto/ask-the-cost-model.md", "howto/run-a-study.md")


@pytest.mark.parametrize("page", LISTED)
def test_its_listings_print_what_it_shows(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command in re.findall(r"```\n(slcache sweep .*?)```", text(page), re.DOTALL):
        stdout(*shlex.split(command)[1:])
    exec("".join(re.findall(r"```python\n(.*?)```", text(page), re.DOTALL)), {})
    shown = "".join(re.findall(r"```\n\n```\n(.*?)```", text(page), re.DOTALL))
    assert capsys.readouterr().out == shown != ""
    for file in re.findall(r"```toml\n(.*?)```", text(page), re.DOTALL):
        asked, told = read(Path("out/sizes/study.toml")), of(tomllib.loads(file))
        assert asked.combinations() == told.combinations()
        assert (asked.traces, asked.schemes) == (told.traces, told.schemes)
        assert asked.fixed == told.fixed


#: Recordings that a reader must have; the one that is shipped stands in for them here.
NOT_SHIPPED = ("$OLTP", "$PIECE")
SHIPPED = "examples/linkbench-40s.blkparse.zst"
COMMANDS = [
    shlex.split(line)
    for block in re.findall(r"```\n(slcache .*?)```", text("when-each-wins.md"), re.DOTALL)
    for line in block.replace("\\\n", " ").splitlines()
]


assert len(COMMANDS) > 10


def replaced(words: list[str], option: str, values: dict[str, str]) -> list[str]:
    """The command with these keys of a repeated option, said once each."""
    kept = list(words)
    for key, value in values.items():
        for at in reversed(range(len(kept) - 1)):
            if kept[at] == option and kept[at + 1].partition("=")[0] == key:
                del kept[at : at + 2]
        kept += [option, f"{key}={value}"]
    return kept


@pytest.mark.few(3)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[-1])
def test_the_commands_of_when_each_wins_run(command: list[str], tmp_path: Path) -> None:
    """Run each on a shortened load under one scheme; every option and key of it stays."""
    words = command[1:]
    words[words.index("--out") + 1] = str(tmp_path / "out")
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
    stdout(*words)
    assert any((tmp_path / "out").iterdir())
