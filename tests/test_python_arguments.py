"""What only Python has: dicts in place of files, callbacks, and arguments refused by their name."""

from __future__ import annotations

import inspect
import math
import re
import tomllib
import warnings
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import slcache
from slcache import gym
from slcache.given.arguments import RANGES, Range
from slcache.given.once import flatten, once
from slcache.reproduce import equations
from slcache.study.axes import Axis

REPOSITORY = Path(__file__).resolve().parent.parent
WORKLOAD = {
    "about": "writes for a test",
    "requests": 300,
    "footprint_bytes": "1MiB",
    "global": {"rw": "randwrite", "bs": "4k"},
    "arrivals": {"process": "constant", "mean_gap_ns": 100_000},
}


def tiny() -> dict[str, Any]:
    text = (REPOSITORY / "presets" / "devices" / "tiny.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def test_a_dict_is_the_device_that_its_file_is(trace: Path, tmp_path: Path) -> None:
    named = slcache.run(trace, device="tiny", scheme="baseline").to_dict()
    given = slcache.run(trace, device=tiny(), scheme="baseline").to_dict()
    assert given["config"] == named["config"]
    assert given["host"] == named["host"]
    assert slcache.schemes(device=tiny()) == slcache.schemes(device="tiny")


def test_a_dict_is_the_workload_that_its_file_is(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        'about = "writes for a test"\nrequests = 300\nfootprint_bytes = "1MiB"\n'
        '[global]\nrw = "randwrite"\nbs = "4k"\n'
        '[arrivals]\nprocess = "constant"\nmean_gap_ns = 100000\n'
    )
    how: dict[str, Any] = {"device": "tiny", "scheme": "baseline", "seed": 5}
    filed = slcache.run(tmp_path / "mine.toml", **how).to_dict()
    given = slcache.run(WORKLOAD, **how).to_dict()
    assert given["trace"]["sha256"] == filed["trace"]["sha256"]
    assert given["host"] == filed["host"]
    other = slcache.run(WORKLOAD, **{**how, "seed": 6}).to_dict()
    assert other["trace"]["sha256"] != given["trace"]["sha256"]
    both = slcache.compare(WORKLOAD, device=tiny(), schemes="tlc-only,baseline", seed=5)
    assert both.documents[1]["host"] == given["host"]


def test_address_decides_what_becomes_of_what_lies_beyond() -> None:
    how: dict[str, Any] = {"device": "tiny", "schemes": "baseline"}
    beyond = {**WORKLOAD, "footprint_bytes": "9MiB"}
    with pytest.raises(slcache.TraceError) as caught:
        slcache.compare(beyond, **how)
    assert caught.value.key == "trace.address"
    wrapped = slcache.compare(beyond, address="wrap", **how).documents[0]
    assert wrapped["config"]["trace"]["address"] == "wrap"


def test_on_progress_is_called_and_cancels(trace: Path) -> None:
    how: dict[str, Any] = {"device": "tiny", "schemes": ["baseline"]}
    calls: list[Callable[..., object]] = [
        partial(slcache.run, WORKLOAD, device="tiny", scheme="baseline"),
        partial(slcache.compare, WORKLOAD, **how),
        partial(slcache.cliff, write_bytes=4096, **how),
        partial(slcache.trace.info, trace),
    ]
    for call in calls:
        seen: list[object] = []
        with pytest.raises(KeyboardInterrupt):
            call(on_progress=lambda *of, seen=seen: bool(seen.append(of)))
        assert len(seen) == 1


def test_functions_on_traces_are_those_of_the_class(trace: Path, tmp_path: Path) -> None:
    assert slcache.trace.info(trace) == slcache.Trace(trace).info()
    assert slcache.trace.lint(trace, trace_format="msr")["counts"] == {}
    report = slcache.trace.convert(trace, tmp_path / "t.parquet")
    assert report == slcache.Trace(trace).convert(tmp_path / "t.parquet")
    slcache.trace.convert(trace, tmp_path / "w.parquet", trace_options={"take": "10"})
    assert slcache.trace.info(tmp_path / "w.parquet")["requests"] == 10


def test_a_notebook_shows_tables(comparison: slcache.Comparison) -> None:
    page = comparison._repr_html_()
    assert page.count("<tr>") == 1 + len(comparison.runs)
    assert all(sentence.split(";")[0] in page for sentence in comparison.verdict())
    assert comparison.runs[0]._repr_html_().count("<tr>") == 3
    odd = slcache.Result(comparison.runs[0].to_dict(), "<i>")
    assert "<i>" not in odd._repr_html_()
    assert "&lt;i&gt;" in odd._repr_html_()


def test_python_names_the_length_of_windows(trace: Path, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("run.series_window_ns = 5\n")
    own: dict[str, Any] = {"device": "tiny", "settings": file}
    one = slcache.run(trace, scheme="baseline", window="2ms", **own)
    both = slcache.compare(trace, schemes=["baseline", "tlc-only"], window="2ms", **own)
    for document in (*one.documents, *both.documents):
        assert document["config"]["run"]["series_window_ns"] == 2_000_000
    for wrong in ("2", "0ms", "2 weeks"):
        with pytest.raises(slcache.UsageError, match=f"window = {wrong}"):
            slcache.run(trace, scheme="baseline", window=wrong, **own)
    own["settings"] = {"run": {"series_window_ns": 1}}
    with pytest.raises(slcache.ConfigError, match=r"run\.series_window_ns: given twice"):
        slcache.run(trace, scheme="baseline", window="2ms", **own)


_CHIP, _PASSED = (dict.fromkeys(k, 1) for k in (equations.CHIP_KEYS, equations.VOLUME_KEYS))
#: Arguments by their names, wherever they are taken.
EVERYTHING: dict[str, Any] = {
    "device": "tiny", "scheme": "baseline", "schemes": ["baseline"], "spec": "zipf-4k",
    "vary": {"host.time_scale": [0.5]}, "minimise": ["waf"], "amount_bytes": 1 << 20,
    "name": "actions", "write_share": 0.5, "write_hits": 0.5, "read_hits": 0.5,
    "data_bytes": 1, "chip": _CHIP, "slc_share": 0.5, "volumes": _PASSED,
}  # fmt: skip


def needed(
    function: Callable[..., object], trace: Path, folder: Path, run: slcache.Result | None = None
) -> dict[str, Any]:
    """Return arguments with which a function begins."""
    everything: dict[str, Any] = {
        **EVERYTHING, "trace": trace, "sources": [trace, trace], "path": folder / "none",
        "output": folder / "o.parquet", "asked": folder / "none.toml",
        **dict.fromkeys(("first", "second", "saved"), run or folder / "none"),
        "document": run and run.to_dict(), "runs": [run],
    }  # fmt: skip
    known = inspect.signature(function).parameters
    return {name: value for name, value in everything.items() if name in known}


@pytest.mark.parametrize(
    ("function", "wrong"),
    [
        (slcache.run, {"seed": True}),
        (slcache.run, {"window": 5}),
        (slcache.run, {"log": ""}),
        (slcache.run, {"trace_options": [1]}),
        (slcache.compare, {"seeds": True}),
        (slcache.compare, {"seeds": 2.0}),
        (slcache.sweep, {"vary": [1]}),
        (slcache.sweep, {"points": []}),
        (slcache.sweep, {"points": [None]}),
        (slcache.sweep, {"points": {}}),
        (slcache.sweep, {"points": "x"}),
        (slcache.tune, {"sampler": "x"}),
        (slcache.rerun, {"on_note": 5}),
        (slcache.Comparison, {"runs": []}),
    ],
)
def test_an_argument_of_no_meaning_is_named(
    function: Callable[..., object], wrong: dict[str, Any], trace: Path, tmp_path: Path
) -> None:
    (name,) = wrong
    with pytest.raises(slcache.UsageError, match=f"^{name} = .*must (be|have)") as caught:
        function(**{**needed(function, trace, tmp_path), **wrong})
    assert caught.value.key == name


def numbers() -> Iterator[tuple[str, str, Range]]:
    """Yield every number that a function takes by its options: function, name and range."""
    for called in slcache.__all__:
        function = getattr(slcache, called)
        if inspect.isfunction(function) and hasattr(function, "of"):
            (asked,) = inspect.signature(function.of).parameters.values()
            for each in fields(function.of.__globals__[asked.annotation]):
                kinds = str(each.type).split(" | ")
                if each.metadata and {"int", "float"} & {*kinds} and "str" not in kinds:
                    yield called, each.name, RANGES.get(each.name, each.metadata["option"].range)


@pytest.mark.parametrize(("function", "name", "span"), list(numbers()))
def test_no_number_goes_beyond_its_range(
    function: str, name: str, span: Range, trace: Path, tmp_path: Path
) -> None:
    called, (least, most) = getattr(slcache, function), span
    asked = needed(called, trace, tmp_path)
    for wrong in (least - 1, None if most is None else 2 * most):
        if wrong is not None and math.isfinite(wrong):
            with pytest.raises(slcache.UsageError, match=f"^{name} = .*between") as caught:
                called(**{**asked, name: wrong})
            assert caught.value.key == name


def test_numbers_may_be_numpys() -> None:
    settings = {"scheme.baseline.slc_blocks": np.int64(3), "host.time_scale": np.float64(0.5)}
    how: dict[str, Any] = {"device": "tiny", "scheme": "baseline", "seed": np.int32(7)}
    config = slcache.run(WORKLOAD, settings=settings, **how).to_dict()["config"]
    assert (config["scheme"]["baseline"]["slc_blocks"], config["host"]["time_scale"]) == (3, 0.5)
    assert config["run"]["seed"] == 7
    blocks = {"scheme": {"baseline": {"slc_blocks": np.arange(3, 5)}}}
    vary = {**blocks, "host.time_scale": np.float64(2)}
    said = once(flatten(vary))
    assert said == {"scheme.baseline.slc_blocks": [3, 4], "host.time_scale": 2.0}
    assert type(said["scheme.baseline.slc_blocks"][0]) is int
    axis = Axis.read("slc_blocks", [np.int64(3), np.float64(4.5), np.bool_(True), [np.int64(1)]])
    assert [(type(value), value) for value in axis.values] == [
        (int, 3), (float, 4.5), (bool, True), (str, "[1]")
    ]  # fmt: skip


def test_a_comparison_names_the_schemes_that_run_where_one_does_not() -> None:
    for device in ("nvc-hdd", "hyssd-st"):
        fit, _ = slcache.fitting(device=device)
        with pytest.raises(slcache.ConfigError, match="baseline does not run on this") as told:
            slcache.compare("zipf-4k", device=device, schemes=["baseline", fit[0]])
        assert f"these do: {', '.join(fit)}" in str(told.value)
    for scheme, why in (
        ("baseline:slc_blocks=999", "scheme.baseline.slc_blocks = 999: must be between 3 and 12"),
        ("basline", '"basline" is not a scheme'),
    ):
        with pytest.raises(slcache.ConfigError, match=why) as told:
            slcache.compare("zipf-4k", device="tiny", schemes=["tlc-only", scheme])
        assert "these do" not in str(told.value)


#: What no argument of any function is.
NEVER: list[Any] = [object(), b"x", [None], "\ud800", 10**400, float("nan")]
#: Functions without arguments, those of a class's body, and one that has another name too.
WITHOUT = {"devices", "formats", "slc", "dense", "option", "reclaim", "trace.generate"}


def every(trace: Path, run: slcache.Result) -> dict[str, Any]:
    """Return public functions, methods and classes by their names below `slcache`."""
    found = {name: getattr(slcache, name) for name in slcache.__all__}
    found |= {f"trace.{name}": getattr(slcache.trace, name) for name in slcache.trace.__all__}
    found |= {each.__name__: each for each in (equations.hyssd_cost, equations.nvc_lifespan)}
    found["victim_utilisation"] = partial(equations.victim_utilisation, utilisation=0.5)
    found = {name: value for name, value in found.items() if inspect.isfunction(value)}
    made = {"Trace": slcache.Trace(trace), "Result": run}
    of_run = ("save", "load", "plot_histogram", "plot_curve", "to_polars")
    of_trace = ("info", "lint", "picture", "twin", "convert", "twin_by_blocks")
    for of, names in (("Trace", of_trace), ("Result", of_run)):
        found |= {f"{of}.{name}": getattr(made[of], name) for name in names}
    classes = (slcache.Trace, slcache.Result, slcache.Comparison, gym.SlcCacheEnv)
    found |= {each.__name__: each for each in classes}
    return {name: value for name, value in found.items() if name not in WITHOUT}


def refused(function: Any, given: dict[str, Any]) -> slcache.Error | None:  # noqa: ANN401
    """Return the error that a call ends in; None where it goes well."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(**given)
    except slcache.Error as error:
        return error
    return None


@pytest.mark.few(3)
@pytest.mark.parametrize("part", range(3))
def test_what_no_argument_is_names_the_argument(part: int, trace: Path, tmp_path: Path) -> None:
    """Each argument is given a third of them at a time, and each of them to many arguments."""
    run = slcache.run(trace, device="tiny", scheme="baseline")
    tried = 0
    for of, function in every(trace, run).items():
        given = needed(function, trace, tmp_path, run)
        known = inspect.signature(function).parameters.values()
        for name in [each.name for each in known if each.kind is not each.VAR_KEYWORD]:
            for wrong in NEVER[(tried + part) % 3 :: 3]:
                error = refused(function, {**given, name: wrong})
                case = f"{of}({name}={wrong!r:.20})" if wrong != 10**400 else f"{of}({name}=10^400)"
                assert error is not None, case
                assert name in (error.key, *re.findall(r"\w+", str(error))), f"{case}: {error}"
            tried += 1
    assert tried > 200
