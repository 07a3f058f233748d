"""What the pages on asking the models show can be run, and prints what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "docs/howto"
PAGES = ("ask-the-cost-model.md", "design-the-slc-region.md")


def text(page: str) -> str:
    return (FOLDER / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_its_listings_print_what_it_shows(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = "".join(re.findall(r"```python\n(.*?)```", text(page), re.DOTALL))
    exec(compile(code, page, "exec"), {})
    shown = "".join(re.findall(r"```\n\n```\n(.*?)```", text(page), re.DOTALL))
    assert capsys.readouterr().out == shown != ""


@pytest.mark.parametrize("page", PAGES)
def test_its_links_exist(page: str) -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", text(page)):
        assert (FOLDER / target).is_file()
