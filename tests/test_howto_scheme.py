"""The part of CONTRIBUTING.md on a new scheme, followed where that needs no compiler.

The tests of the core compile and run its listing.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from test_pages import REPOSITORY, check_site

PAGE = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")


def edits() -> list[str]:
    """Return the files of the page's table of edits."""
    rows = re.findall(r"^\| (`[^|]+`) \|[^|]*\| \d \|$", PAGE, re.MULTILINE)
    return [path for row in rows for path in re.findall(r"`([^`]+)`", row)]


def block(language: str) -> str:
    """Return what the page has in its last block of a language."""
    blocks: list[str] = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    return blocks[-1]


def followed(to: Path) -> Path:
    """Return a copy of the site after what section 3 asks for, its line of `mkdocs.yml` aside."""
    shutil.copytree(REPOSITORY / "docs", to / "docs")
    shutil.copy(REPOSITORY / "mkdocs.yml", to)
    (to / "docs/schemes/example.md").write_text("# example\n", encoding="utf-8")
    return to


def test_the_edits_are_those_that_a_scheme_there_has() -> None:
    assert len(edits()) == 8
    for path in edits():
        assert (REPOSITORY / path.replace("example", "baseline")).exists(), path


def test_the_page_is_in_the_site_by_the_line_it_gives(tmp_path: Path) -> None:
    repository = followed(tmp_path)
    with pytest.raises(AssertionError):
        check_site(repository)
    site = repository / "mkdocs.yml"
    head, title, schemes = site.read_text(encoding="utf-8").partition("  - Schemes:\n")
    site.write_text(head + title + block("yaml") + schemes, encoding="utf-8")
    check_site(repository)


def test_the_registry_has_the_entries_that_the_page_gives() -> None:
    registry = (REPOSITORY / "crates/core/src/schemes/mod.rs").read_text(encoding="utf-8")
    module, public, entry = (part.strip() for part in block("rust").split("\n\n"))
    for name in ("sa", "baseline"):
        title = name.capitalize()
        given = re.search(r'"example" => [^&]*', entry)
        assert given
        for line in (module, public, given[0].strip()):
            assert line.replace("example", name).replace("Example", title) in registry
