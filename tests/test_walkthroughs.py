"""Commands and listings of pages run and print what is shown; `...` stands for lines left out."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from slcache.study.axes import Axis
from slcache.study.model import of, read
from support import contains, slcache

ROOT = Path(__file__).parent.parent
PAGES = (
    "tutorial.md",
    "howto/describe-your-drive.md",
    "howto/fit-a-drive.md",
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


def test_an_excerpt_is_found_in_order_only() -> None:
    assert contains("a\nb \nc\nd\n", "a\nb\n...\nd\n")
    assert not contains("a\nb\nc\nd\n", "a\nc\n")
    assert not contains("a\nb\n", "b\n...\na\n")


@pytest.mark.parametrize("page", PAGES)
def test_its_commands_print_what_it_shows(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for name, content in files(page):
        Path(name).write_text(content)
    commands = shown(page)
    assert commands, page
    for command, output in commands:
        done = slcache(*shlex.split(command)[1:])
        assert done.returncode == 0, done.stderr.decode()
        printed = done.stdout.decode().replace(f"{tmp_path.resolve()}/", "")
        assert contains(printed, output), f"{command}\n{printed}"


def test_a_missing_key_is_told_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = "howto/describe-your-drive.md"
    monkeypatch.chdir(tmp_path)
    ((name, content),) = files(page)
    Path(name).write_text(re.sub(r"^program_ns = .*\n", "", content, flags=re.MULTILINE))
    done = slcache("devices", "show", name)
    assert done.returncode == 3
    (error,) = re.findall(r"```\n(error: .*?)```", text(page), re.DOTALL)
    assert done.stderr.decode() == error


@pytest.mark.parametrize("page", ["python.md", "howto/tune.md"])
def test_its_listings_of_python_run(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    listings = re.findall(r"```python\n(.*?)```", text(page), re.DOTALL)
    assert listings, page
    exec("\n".join(listings), {})


#: Listings behind which stands what they print.
LISTED = ("howto/ask-the-cost-model.md", "howto/run-a-study.md")


@pytest.mark.parametrize("page", LISTED)
def test_its_listings_print_what_it_shows(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for command in re.findall(r"```\n(slcache sweep .*?)```", text(page), re.DOTALL):
        done = slcache(*shlex.split(command)[1:])
        assert done.returncode == 0, done.stderr
    exec("".join(re.findall(r"```python\n(.*?)```", text(page), re.DOTALL)), {})
    shown = "".join(re.findall(r"```\n\n```\n(.*?)```", text(page), re.DOTALL))
    assert capsys.readouterr().out == shown != ""
    for file in re.findall(r"```toml\n(.*?)```", text(page), re.DOTALL):
        asked, told = read(Path("out/sizes/study.toml")), of(tomllib.loads(file))
        assert asked.combinations() == told.combinations()
        assert (asked.traces, asked.schemes) == (told.traces, told.schemes)
        assert asked.fixed == told.fixed


def test_its_forms_are_read() -> None:
    forms = re.findall(r"^\| (`.*?) \|", text(LISTED[1]), re.MULTILINE)
    said = [text for form in forms for text in re.findall(r"`([^`]+)`", form)]
    assert len(said) == 12
    values = {text: Axis.read("key", text).values for text in said}
    assert values["1..64*2"] == (1, 2, 4, 8, 16, 32, 64)
    assert values["1..100/5"] == (1, 26, 50, 75, 100)
    assert values["0.1..10"] == ()
    assert values["[[0,1000000]],[[0,2000000],[0.5,0]]"] == (
        "[[0,1000000]]",
        "[[0,2000000],[0.5,0]]",
    )
    assert values["256KiB..4MiB*2"] == tuple(262144 * 2**i for i in range(5))


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


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[-1])
def test_the_commands_of_when_each_wins_run(command: list[str], tmp_path: Path) -> None:
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
