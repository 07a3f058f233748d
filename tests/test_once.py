"""One thing is said in one way, and a word with two spellings is understood in both."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import slcache
import verbs
from slcache import _core, gym
from slcache.cli.app import execute
from slcache.documents.keys import of_config
from slcache.given.arguments import OTHER_WORDS

#: Values of options that may be given several times, each for something else.
SAME = {
    "--set": "slc_blocks=3",
    "--trace-option": "volume=1",
    "--against-option": "volume=1",
    "--workload": "requests=9",
    "--vary": "host.time_scale=0.5,1",
    "--device": "tiny",
    "--scheme": "baseline",
    "--metric": "waf",
    "--minimise": "waf",
    "--maximise": "waf",
    "--keep": "waf<=2",
}


@pytest.mark.few(6)
@pytest.mark.parametrize(("path", "option"), verbs.options(with_flags=True))
def test_no_option_of_any_verb_is_given_twice(
    path: tuple[str, ...],
    option: Any,  # noqa: ANN401
    inputs: verbs.Inputs,
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = option.opts[0]
    if name == "--offset":
        pytest.skip("one for each trace")
    if name == "--expect":
        pytest.skip("every figure is checked")
    value = [] if option.is_flag else [SAME.get(name, "1")]
    # Of what may be given several times, values are compared after the arguments are complete.
    needed = inputs.needed(path, name) if option.multiple else []
    status = execute([*path, *needed, name, *value, name, *value])
    told = capsys.readouterr().err
    assert status in (2, 3), told
    assert "given 2 times" in told or "given twice" in told
    assert name.lstrip("-") in told or value[0].split("=")[0] in told


def test_a_dictionary_and_a_dotted_key_are_one_thing() -> None:
    known = [name for name in of_config() if "." in name and not {*"[*"} & {*name}]
    keys = [name for name in known if name.startswith("scheme.baseline.") or name[:7] != "scheme."]
    assert len(keys) > 40
    for key in keys:
        first, _, rest = key.partition(".")
        for other in ({first: {rest: 1}}, {key.rpartition(".")[0]: {key.rpartition(".")[2]: 1}}):
            with pytest.raises(slcache.ConfigError, match="give one of the two"):
                slcache.resolve(device="tiny", scheme="baseline", settings={key: 1, **other})


def test_python_says_one_thing_in_one_way(trace: Path) -> None:
    run: dict[str, Any] = {"trace": trace, "device": "tiny", "scheme": "baseline"}
    twice: list[dict[str, Any]] = [
        {"trace_format": "msr", "trace_options": {"format": "msr"}},
        {"seed": 3, "settings": {"run.seed": 3}},
        {"replay": "open", "settings": {"host": {"replay": "open"}}},
        {"replay": "closed:2", "settings": {"host": {"queue_depth": 2}}},
        {"address": "wrap", "settings": {"trace.address": "clip"}},
        {"settings": {"slc_blocks": 3, "scheme.baseline": {"slc_blocks": 3}}},
        {"settings": {"device.pool[0].blocks": 16, "device": {"pool.0.blocks": 16}}},
        {"trace_options": {"time": "1", "generic.time": "1"}},
        {"trace": "zipf-4k", "seed": 3, "trace_options": {"seed": "4"}},
    ]
    for arguments in twice:
        with pytest.raises(slcache.ConfigError, match="give one of the two"):
            slcache.run(**{**run, **arguments})
    with pytest.raises(slcache.ConfigError, match="give one of the two"):
        slcache.Trace(trace, "msr", {"format": "msr"})
    with pytest.raises(slcache.ConfigError, match="give one of the two"):
        slcache.workload("zipf-4k", {"global.bs": "4k", "global": {"bs": "4k"}})
    # Two names of one scheme are one.
    with pytest.raises(slcache.ConfigError, match="scheme mlc-only: given twice, as tlc-only"):
        slcache.compare(trace, device="gc-8g", schemes=["tlc-only", "mlc-only"])


PACKAGE = Path(slcache.__file__).parent
MODULES = ("slcache", "slcache.trace", "slcache.reproduce.equations", "slcache.gym")


def _public() -> Iterator[tuple[str, Any]]:
    for name in MODULES:
        module = importlib.import_module(name)
        listed = getattr(module, "__all__", None) or [n for n in vars(module) if n[0] != "_"]
        for public in listed:
            value = getattr(module, public)
            if inspect.isfunction(value) and value.__module__.startswith("slcache"):
                yield f"{name}.{public}", value
            elif inspect.isclass(value) and value.__module__.startswith("slcache"):
                yield f"{name}.{public}", value
                for method, of in inspect.getmembers_static(value):
                    if method[0] != "_" and (inspect.isfunction(of) or isinstance(of, property)):
                        yield f"{name}.{public}.{method}", of


PUBLIC = dict(_public())


def test_what_is_listed_is_public_and_found() -> None:
    """Modules that others load, such as `slcache.report`, are no names that completion offers."""
    assert dir(slcache) == sorted(slcache.__all__)
    expected = {"slcache.run", "slcache.trace.info", "slcache.Result.save", "slcache.Error"}
    assert expected <= PUBLIC.keys()


def test_every_name_has_its_place_on_the_page_of_the_interface() -> None:
    page = (PACKAGE.parent.parent / "docs/python.md").read_text()
    shown = []
    for path in re.findall(r"(?m)^::: (\S+)$", page):
        # The page is made from the source, where a module comes before a function of its name.
        module, _, name = path.rpartition(".")
        is_module = importlib.util.find_spec(path) is not None if module == "slcache" else False
        shown.append(importlib.import_module(path if is_module else module))
        if not is_module:
            shown[-1] = getattr(shown[-1], name)
    missing = [name for name in slcache.__all__ if getattr(slcache, name) not in shown]
    assert missing == ["__version__"]


def test_every_native_name_is_declared_with_its_types() -> None:
    """The stub is what editors and type checkers show of the compiled module."""
    tree = ast.parse((PACKAGE / "_core.pyi").read_text(encoding="utf-8"))
    declared = {
        node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    native = {name for name in vars(_core) if not name.startswith("_")}
    assert declared.keys() == native
    for name, node in declared.items():
        assert ast.get_docstring(node), f"{name}: no docstring"
        if isinstance(node, ast.FunctionDef):
            given = [argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)]
            assert given == list(inspect.signature(getattr(_core, name)).parameters), name
            assert node.returns is not None, name
        else:
            methods = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
            known = {n for n in vars(getattr(_core, name)) if not n.startswith("_")}
            assert known - {"key", "line", "file"} <= methods, name


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
