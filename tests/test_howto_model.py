"""What the page on asking the models shows can be run, and prints what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "docs/howto"
PAGE = "ask-the-cost-model.md"


def text() -> str:
    return (FOLDER / PAGE).read_text(encoding="utf-8")


def test_its_listings_print_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    code = "".join(re.findall(r"```python\n(.*?)```", text(), re.DOTALL))
    exec(compile(code, PAGE, "exec"), {})
    shown = "".join(re.findall(r"```\n\n```\n(.*?)```", text(), re.DOTALL))
    assert capsys.readouterr().out == shown != ""


def test_its_links_exist() -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", text()):
        assert (FOLDER / target).is_file()
