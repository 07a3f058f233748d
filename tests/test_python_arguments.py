"""What only Python has: dicts in place of files, reports of progress, HTML and frames."""

from __future__ import annotations

import inspect
import math
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import slcache
from slcache.given.arguments import RANGES, Range
from slcache.given.once import flatten, once
from slcache.study.axes import Axis
from support import mixed, write_trace

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
    assert [
        entry["name"] for entry in slcache.schemes(device=tiny()) if "problem" not in entry
    ] == [entry["name"] for entry in slcache.schemes(device="tiny") if "problem" not in entry]


def test_a_dict_is_the_workload_that_its_file_is(tmp_path: Path) -> None:
    text = """about = "writes for a test"
requests = 300
footprint_bytes = "1MiB"
[global]
rw = "randwrite"
bs = "4k"
[arrivals]
process = "constant"
mean_gap_ns = 100000
"""
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    how: dict[str, Any] = {"device": "tiny", "scheme": "baseline", "seed": 5}
    filed = slcache.run(tmp_path / "mine.toml", **how).to_dict()
    given = slcache.run(WORKLOAD, **how).to_dict()
    assert given["trace"]["sha256"] == filed["trace"]["sha256"]
    assert given["host"] == filed["host"]
    other = slcache.run(WORKLOAD, **{**how, "seed": 6}).to_dict()
    assert other["trace"]["sha256"] != given["trace"]["sha256"]
    both = slcache.compare(WORKLOAD, device=tiny(), schemes="tlc-only,baseline", seed=5)
    assert both.documents[1]["host"] == given["host"]


def _changed(path: str, value: object) -> dict[str, Any]:
    device = tiny()
    device["device"][path] = value
    return device


@pytest.mark.parametrize(
    ("wrong", "kind", "key"),
    [
        (lambda: {"device": _changed("user_bytez", 1)}, slcache.ConfigError, "device.user_bytez"),
        (lambda: {"device": _changed("mu_bytes", None)}, slcache.ConfigError, "device.mu_bytes"),
        (lambda: {"device": _changed("mu_bytes", b"x")}, slcache.ConfigError, "device.mu_bytes"),
        (lambda: {"device": {1: 2}}, slcache.ConfigError, "device"),
        (lambda: {"trace": {**WORKLOAD, "requestz": 1}}, slcache.TraceError, "requestz"),
        (
            lambda: {"trace": {**WORKLOAD, "requests": float("nan")}},
            slcache.ConfigError, "requests",
        ),
        (lambda: {"settings": {"host.time_scale": None}}, slcache.ConfigError, "host.time_scale"),
        (lambda: {"address": "sideways"}, slcache.ConfigError, "trace.address"),
        (
            lambda: {"address": "wrap", "settings": {"trace.address": "clip"}},
            slcache.ConfigError, "trace.address",
        ),
        (
            lambda: {"progress": print, "on_progress": print},
            slcache.UsageError, "progress",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_dict_is_told_by_its_key(
    wrong: Callable[[], dict[str, Any]], kind: type[slcache.Error], key: str
) -> None:
    given = {"trace": WORKLOAD, "device": "tiny", "scheme": "baseline", **wrong()}
    with pytest.raises(slcache.Error) as caught:
        slcache.run(given.pop("trace"), **given)
    assert (type(caught.value), caught.value.key) == (kind, key)
    assert caught.value.line is None
    assert key in str(caught.value) or kind is slcache.UsageError


def test_numbers_of_numpy_are_numbers() -> None:
    settings = {"scheme.baseline.slc_blocks": np.int64(3), "host.time_scale": np.float64(0.5)}
    result = slcache.run(WORKLOAD, device="tiny", scheme="baseline", settings=settings)
    config = result.to_dict()["config"]
    assert (config["scheme"]["baseline"]["slc_blocks"], config["host"]["time_scale"]) == (3, 0.5)


def test_address_decides_what_becomes_of_what_lies_beyond(tmp_path: Path) -> None:
    rows = [(ms, op, offset * 4, size) for ms, op, offset, size in mixed(50)]
    beyond = write_trace(tmp_path / "t.csv", rows)
    with pytest.raises(slcache.TraceError) as caught:
        slcache.run(beyond, device="tiny", scheme="baseline")
    assert caught.value.key == "trace.address"
    wrapped = slcache.run(beyond, device="tiny", scheme="baseline", address="wrap").to_dict()
    assert wrapped["config"]["trace"]["address"] == "wrap"
    both = slcache.compare(beyond, device="tiny", schemes=["tlc-only"], address="compact")
    assert both.documents[0]["config"]["trace"]["address"] == "compact"


def test_on_progress_is_called_and_cancels(trace: Path) -> None:
    seen: list[str] = []

    def stop(phase: str, done: int, total: int) -> bool:
        seen.append(phase)
        return False

    for call in (
        lambda: slcache.run(WORKLOAD, device="tiny", scheme="baseline", on_progress=stop),
        lambda: slcache.compare(WORKLOAD, device="tiny", schemes="baseline", on_progress=stop),
        lambda: slcache.cliff(
            device="tiny", schemes=["baseline"], write_bytes=4096, on_progress=stop
        ),
        lambda: slcache.trace.info(trace, on_progress=stop),
    ):
        before = len(seen)
        with pytest.raises(KeyboardInterrupt):
            call()
        assert len(seen) == before + 1


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
    assert "<b>" in page
    one = comparison.runs[0]._repr_html_()
    assert one.count("<tr>") == 3
    odd = slcache.Result(comparison.runs[0].to_dict(), "<i>")
    assert "<i>" not in odd._repr_html_()
    assert "&lt;i&gt;" in odd._repr_html_()


def test_python_names_the_length_of_windows(trace: Path, tmp_path: Path) -> None:
    own: dict[str, Any] = {"device": "tiny", "window": "2ms"}
    one = slcache.run(trace, scheme="baseline", **own)
    both = slcache.compare(trace, schemes=["baseline", "tlc-only"], **own)
    for document in (*one.documents, *both.documents):
        assert document["config"]["run"]["series_window_ns"] == 2_000_000
    file = tmp_path / "config.toml"
    file.write_text("run.series_window_ns = 5\n")
    above = slcache.run(trace, scheme="baseline", settings=file, **own)
    assert above.documents[0]["config"]["run"]["series_window_ns"] == 2_000_000
    for wrong in ("2", "0ms", "2 weeks"):
        with pytest.raises(slcache.UsageError, match=f"window = {wrong}"):
            slcache.run(trace, device="tiny", scheme="baseline", window=wrong)
    twice = {"run": {"series_window_ns": 1}}
    with pytest.raises(slcache.ConfigError, match=r"run\.series_window_ns: given twice"):
        slcache.run(trace, scheme="baseline", settings=twice, **own)


def needed(function: Callable[..., object], trace: Path, folder: Path) -> dict[str, Any]:
    """Return arguments with which a function begins."""
    everything: dict[str, Any] = {
        "trace": trace, "device": "tiny", "scheme": "baseline",
        "schemes": ["baseline"], "vary": {"host.time_scale": [0.5]}, "spec": "zipf-4k",
        "output": folder / "o.parquet", "sources": [trace, trace], "minimise": ["waf"],
        "asked": folder / "none.toml", "path": folder / "none", "first": folder / "none",
        "second": folder / "none", "saved": folder / "none", "amount_bytes": 65536,
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
        (slcache.sweep, {"jobs": 0}),
        (slcache.sweep, {"jobs": -1}),
        (slcache.sweep, {"vary": [1]}),
        (slcache.sweep, {"points": []}),
        (slcache.sweep, {"points": [None]}),
        (slcache.sweep, {"points": {}}),
        (slcache.sweep, {"points": "x"}),
        (slcache.tune, {"points": 0}),
        (slcache.tune, {"sampler": "x"}),
        (slcache.tune, {"sampler_seed": -1}),
        (slcache.tune, {"minutes": -1}),
        (slcache.cliff, {"pause_ns": -1}),
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


def test_whole_numbers_may_be_numpys(trace: Path) -> None:
    how: dict[str, Any] = {"device": "tiny", "scheme": "baseline", "seed": 7}
    numpys: dict[str, Any] = {**how, "seed": np.int32(7)}
    plain = slcache.run(trace, **how).to_dict()
    assert slcache.run(trace, **numpys).to_dict()["config"] == plain["config"]


def test_what_is_varied_may_be_numpys() -> None:
    blocks = {"scheme": {"baseline": {"slc_blocks": np.arange(3, 5)}}}
    vary = {**blocks, "host.time_scale": np.float64(2)}
    said = once(flatten(vary))
    assert said == {"scheme.baseline.slc_blocks": [3, 4], "host.time_scale": 2.0}
    assert type(said["scheme.baseline.slc_blocks"][0]) is int
    axis = Axis.read("slc_blocks", [np.int64(3), np.float64(4.5), np.bool_(True), [np.int64(1)]])
    assert [(type(value), value) for value in axis.values] == [
        (int, 3), (float, 4.5), (bool, True), (str, "[1]")
    ]  # fmt: skip


@pytest.mark.parametrize("device", ["nvc-hdd", "hyssd-st"])
def test_a_comparison_names_the_schemes_that_run(device: str) -> None:
    fit, _ = slcache.fitting(device=device)
    with pytest.raises(slcache.ConfigError, match="baseline does not run on this device") as told:
        slcache.compare("zipf-4k", device=device, schemes=["baseline", fit[0]])
    assert f"these do: {', '.join(fit)}" in str(told.value)
