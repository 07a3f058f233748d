"""What the page on studies shows can be run, and prints what it says."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from slcache.sweep.axes import Axis
from slcache.sweep.study import of, read
from support import slcache

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/howto/run-a-study.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_its_command_and_listings_print_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    (command,) = re.findall(r"```\n(slcache sweep .*?)```", TEXT, re.DOTALL)
    done = slcache(*shlex.split(command)[1:])
    assert done.returncode == 0, done.stderr
    for code in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        exec(compile(code, PAGE.name, "exec"), {})
    assert capsys.readouterr().out == "".join(re.findall(r"```\n\n```\n(.*?)```", TEXT, re.DOTALL))
    (file,) = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    asked, told = read(Path("out/sizes/study.toml")), of(tomllib.loads(file))
    assert asked.combinations() == told.combinations()
    assert (asked.traces, asked.schemes, asked.settings) == (
        told.traces,
        told.schemes,
        told.settings,
    )


def test_its_forms_are_read() -> None:
    forms = re.findall(r"^\| (`.*?) \|", TEXT, re.MULTILINE)
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


def test_its_links_exist() -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", TEXT):
        assert (PAGE.parent / target).is_file()
