"""A word with two spellings is understood in both, wherever it is taken."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import slcache
import verbs
from slcache import gym
from slcache.cli.app import execute
from slcache.given.arguments import OTHER_WORDS
from test_public_names import PUBLIC

#: The other spelling of each word.
OTHER = {own: other for other, own in OTHER_WORDS.items() if other.replace("z", "s") == own}
OPTIONS = [case for case in verbs.options(with_flags=False) if case.values[1].name in OTHER]


def _taking() -> Iterator[Any]:
    """Yield every public function that takes such a word."""
    for name, function in PUBLIC.items():
        if inspect.isfunction(function):
            for word in sorted(OTHER.keys() & inspect.signature(function).parameters.keys()):
                yield pytest.param(function, word, id=f"{name} {word}")


TAKING = list(_taking())
assert {case.values[1].name for case in OPTIONS} == OTHER.keys()
assert {case.values[1] for case in TAKING} == OTHER.keys()


@pytest.mark.parametrize(("path", "option"), OPTIONS)
def test_an_option_is_one_in_either_spelling(
    path: tuple[str, ...],
    option: Any,  # noqa: ANN401
    inputs: verbs.Inputs,
    capsys: pytest.CaptureFixture[str],
) -> None:
    own = f"--{option.name}"
    both = [own, "waf", f"--{OTHER[option.name]}", "waf"]
    assert execute([*path, *inputs.needed(path), *both]) == 2
    told = capsys.readouterr().err
    assert own in told
    assert "twice" in told or "2 times" in told


@pytest.mark.parametrize(("function", "word"), TAKING)
def test_an_argument_is_one_in_either_spelling(function: Callable[..., Any], word: str) -> None:
    with pytest.raises(slcache.UsageError, match=f"the same argument as {word}"):
        function(**{word: ["waf"], OTHER[word]: ["waf"]})


def test_an_environment_takes_either_spelling(trace: Path) -> None:
    how: dict[str, Any] = {"device": "tiny", "workload": trace}
    made = [gym.SlcCacheEnv(**{**how, word: True}) for word in ("normalise", "normalize")]
    assert made[0].observation_space == made[1].observation_space
