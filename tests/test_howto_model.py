"""What the page on asking the cost model shows can be run, and prints what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent / "docs/howto/ask-the-cost-model.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_its_listings_print_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    code = "".join(re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL))
    exec(compile(code, PAGE.name, "exec"), {})
    assert capsys.readouterr().out == "".join(re.findall(r"```\n\n```\n(.*?)```", TEXT, re.DOTALL))


def test_its_links_exist() -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", TEXT):
        assert (PAGE.parent / target).is_file()
