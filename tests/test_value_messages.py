"""A value of a wrong kind is refused in the words of who writes configurations, not of a parser."""

from __future__ import annotations

import re

import pytest

import slcache
from slcache.words.leaves import leaves

#: What parsers and the languages that they are written in say.
JARGON = re.compile(
    r"unit variant|variant|invalid (type|value)|expected (struct|enum|[iuf]\d+|a (map|sequence))"
    r"|\bu(8|16|32|64|size)\b|\bf64\b|string only|found \d+ elements|nonzero|struct"
)
WRONG = ("[[3]]", "{nothing=1}", '"no such word"', "-1", "1.5", "true", "3", '""', "[]")


@pytest.mark.parametrize("scheme", ["baseline", "hyssd", "rl"])
def test_no_value_is_refused_in_a_parsers_words(scheme: str) -> None:
    config = slcache.resolve(device="tiny", scheme=scheme)
    names = [re.sub(r"\[(\d+)\]", r".\1", name) for name, _ in leaves(config)]
    # Sections too: their values are tables.
    names += sorted({name.rpartition(".")[0] for name in names} - {"", "scheme", "device.pool"})
    told = []
    for name in names:
        for value in WRONG:
            try:
                slcache.resolve(device="tiny", scheme=scheme, settings={name: value})
            except slcache.ConfigError as error:
                told.append(str(error))
    assert [message for message in told if JARGON.search(message)] == []
    assert len(told) > 3 * len(names)


def test_a_choice_lists_its_names() -> None:
    for name, value, names in (
        ("host.replay", "3", ["open", "closed"]),
        ("scheme.baseline.dense.victim", "3", ["greedy", "fifo", "random"]),
        ("device.plp", "3", ["true", "false"]),
    ):
        with pytest.raises(slcache.ConfigError) as caught:
            slcache.resolve(device="tiny", scheme="baseline", settings={name: value})
        assert all(word in str(caught.value) for word in names), str(caught.value)
