"""One thing is said in one way, known to be given, and understood in every word for it."""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.util
import inspect
import io
import pkgutil
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

import pytest

import slcache
import verbs
from slcache import _core, cli, explain, frame, gym, study
from slcache.cli import options as opt
from slcache.cli.app import execute
from slcache.documents.schemata import config_keys
from slcache.metrics import METRICS, PARTS, metric_of
from slcache.options import OTHER_WORDS, Options, arguments_of
from slcache.search import MetricBound, Search
from slcache.study import Course, model
from support import json_of
from support import slcache as command

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


def test_a_dictionary_and_a_dotted_key_are_one_thing(trace: Path) -> None:
    known = [name for name in config_keys() if "." in name and not {*"[*"} & {*name}]
    keys = [name for name in known if name.startswith("scheme.baseline.") or name[:7] != "scheme."]
    assert len(keys) > 40
    for key in keys:
        first, _, rest = key.partition(".")
        for other in ({first: {rest: 1}}, {key.rpartition(".")[0]: {key.rpartition(".")[2]: 1}}):
            with pytest.raises(slcache.ConfigError, match="give one of the two"):
                slcache.resolve(device="tiny", scheme="baseline", settings={key: 1, **other})
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
    """Modules that others load, such as `results.report`, are no names that completion offers."""
    assert dir(slcache) == sorted(slcache.__all__)
    expected = {"slcache.run", "slcache.trace.info", "slcache.Result.save", "slcache.Error"}
    assert expected <= PUBLIC.keys()
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


#: What a run and a comparison have in common, and each alone, beside metrics and pictures.
SHARED = "documents figures gb_per_day indent inputs labelled labels load made notes of report save"
SHARED += " shown stage summary to_dict to_json to_polars told_at"
OF_RUN, OF_COMPARISON = "label", "bounds brief every_run gain_lines gains lives normalised"
OF_COMPARISON += " reference references runs tables verdict"


def test_results_have_the_names_that_they_had(comparison: slcache.Comparison) -> None:
    """The page of the interface lists all of them, so each is kept."""
    for result, own in ((comparison["baseline"], OF_RUN), (comparison, OF_COMPARISON)):
        found = {name for name in dir(result) if name[0] != "_" and not name.startswith("plot_")}
        assert found - METRICS.keys() - {*frame.TABLES} == {*SHARED.split(), *own.split()}


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


for found in pkgutil.iter_modules(cli.__path__, "slcache.cli."):
    importlib.import_module(found.name)


def models(model: type[Options] = Options) -> Iterator[type[Options]]:
    """Yield every class of what a verb is asked."""
    for each in model.__subclasses__():
        if each.__module__.startswith("slcache.cli."):
            yield each
        yield from models(each)


def options(model: type[Options]) -> dict[str, Field[Any]]:
    """Return the fields of a class that are options or arguments."""
    return {each.name: each for each in fields(model) if each.metadata}


def value(of: Field[Any]) -> Any:  # noqa: ANN401
    """Return what an option has by default, or where it has none, what may be said of any."""
    if "KEY=" in of.metadata["option"].metavar:
        return ["a=b"]
    return "x" if of.default in (MISSING, None) else of.default


@pytest.mark.parametrize("model", dict.fromkeys(models()), ids=lambda each: each.__qualname__)
def test_an_option_that_is_given_as_its_default_is_given(model: type[Options]) -> None:
    seen: list[Options] = []

    def verb(asked: Options) -> None:
        seen.append(asked)

    verb.__module__, verb.__annotations__ = model.__module__, {"asked": model.__qualname__}
    known = options(model)
    needed = {name: value(each) for name, each in known.items() if each.default is MISSING}
    places = [name for name in needed if not known[name].kw_only]
    named = {name: needed[name] for name in needed if name not in places}
    for name in known.keys() - needed.keys():
        opt.verb(verb)(*map(needed.__getitem__, places), **named, **{name: value(known[name])})
        assert seen[-1].given == {*needed, name}
        assert arguments_of(seen[-1], model).keys() == {*needed, name}


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


@pytest.mark.parametrize(
    "option", [o for o in SWEEP.params if o.name in options(study.SweepArguments)]
)
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


SHORT = {
    name: short
    for name in METRICS | PARTS
    for ending in ("_ns", "_bytes", "_j")
    if (short := name.removesuffix(ending)) != name
}


def test_every_metric_may_be_named_without_its_unit(trace: Path, tmp_path: Path) -> None:
    assert len(SHORT) > 20
    assert not set(SHORT.values()) & set(METRICS | PARTS), "a short name is another's"
    for name, short in SHORT.items():
        assert metric_of(short).name == name
        assert list(Search(minimise=[short]).metrics) == [name]
        assert list(Search(maximise=[short]).metrics) == [name]
        assert MetricBound.read(f"{short}<=1").metric == name
        assert explain.find(short)
    with pytest.raises(ValueError, match="write_p99_ns"):
        Search(minimise=["write_p99", "write_p99_ns"]).check()
    asked: dict[str, Any] = {"device": "tiny", "scheme": "baseline"}
    asked["vary"] = {"host.time_scale": "0.5,1"}
    fronts = [
        slcache.tune(trace, minimise=[metric], such_that=[bound], points=2, **asked).front
        for metric, bound in (("write_p99", "slc<=4MiB"), ("write_p99_ns", "slc_bytes<=4MiB"))
    ]
    assert [one.settings for one in fronts[0]] == [one.settings for one in fronts[1]]
    found = slcache.sweep(trace, out=tmp_path / "s", **asked)
    assert found.analysis(["write_p99"]).metrics == ["write_p99_ns"]
    shown = json_of("sweep", "show", tmp_path / "s", "--metric", "write_p99", "--json")
    assert list(shown["metrics"]) == ["write_p99_ns"]


def test_scheme_and_schemes_are_one_option(inputs: verbs.Inputs, cwd: Path) -> None:
    tried = 0
    for path, verb in verbs.verbs():
        names = {parameter.opts[0] for parameter in verb.params}
        own = next((name for name in ("--scheme", "--schemes") if name in names), None)
        name = " ".join(path)
        if own is None or own not in verbs.NEEDED.get(name, ()):
            continue
        other = "--schemes" if own == "--scheme" else "--scheme"
        needed = inputs.needed(path)
        place = needed.index(own)
        for spelled in ([other, "no-such-scheme"], [f"{other}=no-such-scheme"]):
            told = io.StringIO()
            with contextlib.redirect_stderr(told):
                status = execute([*path, *needed[:place], *spelled, *needed[place + 2 :]])
            assert status == 3, (name, told.getvalue())
            assert "no-such-scheme" in told.getvalue(), name
        tried += 1
    assert tried >= 4


def test_python_takes_both_words(trace: Path) -> None:
    both: dict[str, Any] = {"workload": trace, "device": "tiny"}
    calls: list[tuple[Any, str, Any]] = [
        (slcache.run, "schemes", "baseline"),
        (slcache.compare, "scheme", "baseline,tlc-only"),
        (slcache.sweep, "schemes", ["baseline"]),
    ]
    for function, word, given in calls:
        assert function(**both, **{word: given})
    with pytest.raises(slcache.UsageError, match=r"schemes = .*the same argument as scheme"):
        slcache.run(trace, device="tiny", scheme="baseline", schemes="tlc-only")  # type: ignore[call-arg]
    words = ("--scheme", "baseline", "--schemes", "tlc-only")
    done = command("run", trace, "--device", "tiny", *words)
    assert done.returncode == 2
    assert b"--scheme is given twice" in done.stderr
    how: dict[str, Any] = {"device": "tiny", "schemes": "baseline", "seeds": 1, "log": None}
    assert slcache.compare(trace, **how).labels == ["baseline"]
    with pytest.raises(TypeError, match="given"):
        slcache.compare(trace, **how, given=frozenset())
    how = {"device": "tiny", "workload": trace}
    made = [gym.SlcCacheEnv(**{**how, word: True}) for word in ("normalise", "normalize")]
    assert made[0].observation_space == made[1].observation_space


def test_a_study_takes_both_words(trace: Path, tmp_path: Path) -> None:
    files = []
    for number, (first, second) in enumerate([("trace", "scheme"), ("workload", "schemes")]):
        path = tmp_path / f"{number}.toml"
        path.write_text(f'{first} = "{trace}"\ndevice = "tiny"\n{second} = ["baseline"]\n')
        assert model.is_study(path)
        files.append(model.read_study(path))
    assert files[0] == files[1]
    path.write_text(f'trace = "{trace}"\nworkload = "{trace}"\n')
    with pytest.raises(slcache.Error, match="trace"):
        model.read_study(path)


def test_every_module_is_there_once_the_package_is() -> None:
    """Which others have loaded it is nobody's business; what is none is told as Python does."""
    rooms = [path.parent.name for path in PACKAGE.glob("*/__init__.py")]
    asked = "; ".join(f"slcache.{name}" for name in ["bounds.of_trace", "metrics", *rooms])
    code = f"import slcache; {asked}; hasattr(slcache, 'run.x'); slcache.nothing"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.endswith("AttributeError: module 'slcache' has no attribute 'nothing'\n")
