"""The pages on verbs and keys can be made, and every verb, option and key is in them."""

from __future__ import annotations

import re

import pytest

from generated_pages import DOCS, FAMILIES, KINDS, MODES, in_family, pages
from slcache import explain
from verbs import verbs


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return {str(page.relative_to(DOCS)): text for page, text in pages().items()}


def test_a_page_is_of_the_site_alone(made: dict[str, str]) -> None:
    ignored = (DOCS.parent / ".gitignore").read_text(encoding="utf-8").split()
    assert {f"/docs/{name}" for name in made} <= {*ignored}
    assert all(re.match(r"# \w.*\n\n\w", text) for text in made.values())


def test_every_verb_and_option_is_on_the_page(made: dict[str, str]) -> None:
    page = made["command-line.md"]
    for path, verb in verbs():
        assert f"### slcache {' '.join(path)}\n" in page
        part = page.partition(f"### slcache {' '.join(path)}\n")[2].partition("\n###")[0]
        for parameter in verb.params:
            name = parameter.opts[0]
            if name.startswith("--") and name != "--help":
                assert re.search(rf"[` ]{name}[`, ]", part), (path, name)


def test_every_key_is_on_a_page(made: dict[str, str]) -> None:
    keys, results = made["keys.md"], made["result-keys.md"]
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
