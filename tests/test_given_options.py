"""What is given is known to be given, whatever its value: an option's default is no silence."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

import pytest

import slcache
import verbs
from slcache import cli
from slcache.cli import options as opt
from slcache.cli.app import execute
from slcache.given.options import Asked, said
from slcache.study import api as study
from slcache.study.api import Course

for found in pkgutil.iter_modules(cli.__path__, "slcache.cli."):
    importlib.import_module(found.name)


def models(model: type[Asked] = Asked) -> Iterator[type[Asked]]:
    """Yield every class of what a verb is asked."""
    for each in model.__subclasses__():
        if each.__module__.startswith("slcache.cli."):
            yield each
        yield from models(each)


def options(model: type[Asked]) -> dict[str, Field[Any]]:
    """Return the fields of a class that are options or arguments."""
    return {each.name: each for each in fields(model) if each.metadata}


def value(of: Field[Any]) -> Any:  # noqa: ANN401
    """Return what an option has by default, or where it has none, what may be said of any."""
    if "KEY=" in of.metadata["option"].metavar:
        return ["a=b"]
    return "x" if of.default in (MISSING, None) else of.default


@pytest.mark.parametrize("model", dict.fromkeys(models()), ids=lambda each: each.__qualname__)
def test_an_option_that_is_given_as_its_default_is_given(model: type[Asked]) -> None:
    seen: list[Asked] = []

    def verb(asked: Asked) -> None:
        seen.append(asked)

    verb.__module__, verb.__annotations__ = model.__module__, {"asked": model.__qualname__}
    known = options(model)
    needed = {name: value(each) for name, each in known.items() if each.default is MISSING}
    places = [name for name in needed if not known[name].kw_only]
    named = {name: needed[name] for name in needed if name not in places}
    for name in known.keys() - needed.keys():
        opt.verb(verb)(*map(needed.__getitem__, places), **named, **{name: value(known[name])})
        assert seen[-1].given == {*needed, name}
        assert said(seen[-1], model).keys() == {*needed, name}


#: What may be said of a study, by the name of its argument; what has a default, that.
OF_A_STUDY = {
    **{"device": "tiny", "scheme": "baseline", "vary": "host.time_scale=1..2", "points": "P"},
    **{"sample": "grid", "sample_seed": "1", "seeds": "1", "metrics": "waf", "config": "c.toml"},
    **{"settings": "trace.address=wrap", "state": "empty", "trace_format": "msr"},
    **{"trace_options": "take=5", "volume": "each", "unsorted": "error", "address": "error"},
    **{"workload_options": "requests=5", "replay": "open", "seed": "1", "resample": "2"},
    **{"resample_block": "1s"},
}
SWEEP = next(verb for path, verb in verbs.verbs() if path == ("sweep",))


@pytest.mark.parametrize("option", [o for o in SWEEP.params if o.name in options(study.Points)])
def test_what_a_study_says_is_not_said_beside_its_file(
    option: verbs.Option, trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if option.name in (*options(Course), "trace"):
        return
    asked, listed = tmp_path / "study.toml", tmp_path / "points.csv"
    asked.write_text(f'trace = "{trace}"\ndevice = "tiny"\nscheme = "baseline"\n')
    listed.write_text("host.time_scale\n1\n")
    said = str(listed) if option.name == "points" else OF_A_STUDY[option.name]
    out = tmp_path / "out"
    assert execute(["sweep", str(asked), option.opts[0], said, "--out", str(out)]) == 2
    assert f"{option.opts[0]}: a study's file says that itself" in capsys.readouterr().err
    assert not out.exists()


def test_a_function_knows_what_it_was_given(trace: Path) -> None:
    how: dict[str, Any] = {"device": "tiny", "schemes": "baseline", "seeds": 1, "log": None}
    assert slcache.compare(trace, **how).labels == ["baseline"]
    with pytest.raises(TypeError, match="given"):
        slcache.compare(trace, **how, given=frozenset())
