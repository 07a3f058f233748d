"""The pages on verbs and keys say what the program says."""

from __future__ import annotations

import re

import pytest

from generated_pages import DOCS, MARK, PAGES, by_hand
from slcache import explain
from verbs import verbs

AGAIN = "run `python tests/generated_pages.py` and look at the difference"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_what_the_program_says(name: str) -> None:
    page = DOCS / name
    head = by_hand(page)
    assert head.endswith(MARK), f"{name} has no mark"
    assert page.read_text(encoding="utf-8") == f"{head}\n{PAGES[name]()}", AGAIN


def test_every_verb_and_option_is_on_the_page() -> None:
    page = (DOCS / "command-line.md").read_text(encoding="utf-8")
    for path, verb in verbs():
        assert f"### slcache {' '.join(path)}\n" in page
        part = page.partition(f"### slcache {' '.join(path)}\n")[2].partition("\n###")[0]
        for parameter in verb.params:
            name = max(parameter.opts, key=len)
            if name.startswith("--") and name != "--help":
                assert re.search(rf"[` ]{name}[ `]", part), (path, name)


def test_every_key_is_on_a_page() -> None:
    keys = (DOCS / "keys.md").read_text(encoding="utf-8")
    results = (DOCS / "result-keys.md").read_text(encoding="utf-8")
    for entry in explain.entries():
        name = entry.key.name
        if entry.key.section or re.fullmatch(r"scheme[.][^.]+", name):
            continue
        if entry.of == "configuration":
            assert f"| `{re.sub(r'^scheme[.][^.]+[.]', '', name)}` |" in keys, name
        else:
            assert f"| `{name}` |" in results, name
