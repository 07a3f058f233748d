"""The report is one page that needs nothing else."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

import slcache
from charted import charts

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """Collects what a page refers to, and checks that its elements close in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.references: list[str] = []
        self.tags: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element's names and references."""
        self.tags.append(tag)
        if tag not in VOID:
            self._open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("src", "href", "xlink:href", "data", "srcset"):
                self.references.append(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element that closes itself."""
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost element."""
        assert self._open.pop() == tag


@pytest.fixture(scope="module")
def text(comparison: slcache.Comparison) -> str:
    return comparison.report()


def test_the_page_is_whole_and_self_contained(text: str) -> None:
    page = Page(text)
    assert all(reference.startswith("#") for reference in page.references)
    assert {reference[1:] for reference in page.references} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    assert not {"link", "iframe", "img"} & set(page.tags)
    assert not re.search(r"url\((?!#)|@import", text.partition("</head>")[0])
    assert len(charts(text)) == 7


def test_the_page_states_verdict_assumptions_and_provenance(
    text: str, comparison: slcache.Comparison
) -> None:
    document = comparison.runs[0].to_dict()
    for wanted in (
        document["trace"]["sha256"],
        document["provenance"]["config_hash"],
        document["provenance"]["version"],
        "model version",
        "trace.prefill",
        "trace.sub_mu",
        "trace.address",
        "host.replay",
        "precondition.fill",
        "sub_mu_rounded",
        "device.user_bytes",
    ):
        assert wanted in text
    assert comparison.verdict()[0].split(",")[0] in text


def test_a_single_run_has_a_page_without_a_comparison(comparison: slcache.Comparison) -> None:
    page = comparison.runs[1].report()
    assert len(charts(page)) == 5
    assert "(= 1)" not in page


def test_text_from_the_trace_is_escaped(comparison: slcache.Comparison) -> None:
    document = comparison.runs[0].to_dict()
    document["trace"]["path"] = "<script>alert(1)</script>"
    assert "<script>alert" not in slcache.Result(document).report()


def test_the_page_is_the_same_every_time(comparison: slcache.Comparison, text: str) -> None:
    assert comparison.report() == text
