"""A key of a workload without its option is told which option it belongs to, by every verb."""

from __future__ import annotations

import re
from typing import Any

import pytest

import verbs
from slcache.cli.app import execute

PAIR = "requests=1000"
VERBS = [
    pytest.param(path, verb, id=" ".join(path))
    for path, verb in verbs.verbs()
    if any(each.metavar == "KEY=VALUE" for each in verb.params)
]
#: Those that draw a workload in the place of a trace.
DRAWING = [case for case in VERBS if "T" in verbs.NEEDED[str(case.id)]]


def options_of(verb: Any) -> set[str]:  # noqa: ANN401
    """Return the options of a verb."""
    return {name for each in verb.params for name in each.opts}


@pytest.mark.parametrize("beside", [True, False], ids=["beside", "in place"])
@pytest.mark.parametrize(("path", "verb"), VERBS)
def test_a_bare_key_is_told_its_option(
    path: tuple[str, ...],
    verb: Any,  # noqa: ANN401
    beside: bool,
    inputs: verbs.Inputs,
    capsys: pytest.CaptureFixture[str],
) -> None:
    needed = inputs.needed(path)
    words = [*needed, PAIR] if beside else [PAIR, *needed[1:]]
    assert execute([*path, *words]) == 2
    told = capsys.readouterr().err
    named = re.findall(rf"(--[a-z-]+) {PAIR}", told)
    assert named
    assert set(named) <= options_of(verb)
    assert "--workload" not in options_of(verb) or named[0] == "--workload" or path[-1] == "nvc"


@pytest.mark.parametrize(("path", "verb"), DRAWING)
def test_a_workload_without_end_is_told_an_option_that_bounds_it(
    path: tuple[str, ...],
    verb: Any,  # noqa: ANN401
    inputs: verbs.Inputs,
    capsys: pytest.CaptureFixture[str],
) -> None:
    trace, *_ = inputs.needed(("trace", "info"))
    other = {trace: "zipf-4k", "out.parquet": "out.toml" if path[-1] == "twin" else "out.parquet"}
    execute([*path, *(other.get(word, word) for word in inputs.needed(path))])
    told = capsys.readouterr().err
    found = re.search(r"bound it by (--[a-z-]+) (?:workload[.])?requests=", told)
    assert found, told
    assert found[1] in options_of(verb)
