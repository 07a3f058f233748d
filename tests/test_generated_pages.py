"""The pages on verbs and keys say what the program says."""

from __future__ import annotations

import re

import pytest

from generated_pages import DOCS, FAMILIES, KINDS, MARK, MODES, PAGES, by_hand, in_family
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
            assert_stands(re.sub(r"^scheme[.][^.]+[.]", "", name), keys)
        else:
            assert_stands(name.removeprefix("figures."), results)


def assert_stands(name: str, page: str) -> None:
    """A key has a row, its own or its family's, which names the members that are not the usual."""
    row, members = in_family(name)
    found = re.findall(rf"^\| `{re.escape(row)}` \|.*", page, re.MULTILINE)
    for word, member in members.items():
        usual = member in MODES + KINDS
        said = rf"{word}: [^:.]*\b{member}\b"
        found = [one for one in found if re.search(said, one) or (usual and f"{word}: " not in one)]
    assert found, name


def test_words_that_stand_for_several_keys_are_no_words_of_keys() -> None:
    for entry in explain.entries():
        words = re.split(r"[.\[\]_]+", entry.key.name)
        assert not {word for word, _ in FAMILIES} & set(words), entry.key.name
