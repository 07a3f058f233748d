"""Pages that walk through commands show what these print; `...` stands for lines left out."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

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
