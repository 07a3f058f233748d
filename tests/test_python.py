"""What only Python has: dictionaries, callbacks, and errors that say what they are about."""

from __future__ import annotations

import importlib.util
import inspect
import math
import pickle
import re
import tomllib
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import slcache
from slcache import ConfigError, RunError, TraceError, UsageError, gym
from slcache.options import RANGES, Range
from slcache.options.content import flatten, unique
from slcache.reproduce import equations
from slcache.study.axes import StudyAxis
from slcache.study.model import Study
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


def test_a_dict_is_the_device_or_workload_that_its_file_is(trace: Path, tmp_path: Path) -> None:
    named = slcache.run(trace, device="tiny", scheme="baseline").to_dict()
    given = slcache.run(trace, device=tiny(), scheme="baseline").to_dict()
    assert given["config"] == named["config"]
    assert given["host"] == named["host"]
    assert slcache.schemes(device=tiny()) == slcache.schemes(device="tiny")
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
    how: dict[str, Any] = {"device": "tiny", "schemes": "baseline"}
    beyond = {**WORKLOAD, "footprint_bytes": "9MiB"}
    with pytest.raises(slcache.TraceError) as caught:
        slcache.compare(beyond, **how)
    assert caught.value.key == "trace.address"
    wrapped = slcache.compare(beyond, address="wrap", **how).documents[0]
    assert wrapped["config"]["trace"]["address"] == "wrap"


def test_a_notebook_shows_tables(comparison: slcache.Comparison) -> None:
    page = comparison._repr_html_()
    assert page.count("<tr>") == 1 + len(comparison.runs)
    assert all(sentence.split(";")[0] in page for sentence in comparison.verdict())
    assert comparison.runs[0]._repr_html_().count("<tr>") == 3
    odd = slcache.Result(comparison.runs[0].to_dict(), "<i>")
    assert "<i>" not in odd._repr_html_()
    assert "&lt;i&gt;" in odd._repr_html_()
    cliff = slcache.cliff(device="tiny", schemes=["baseline"], amount_bytes=1 << 20)
    assert repr(cliff) == "<slcache.Cliff of baseline on tiny>"
    sweep = slcache.sweep(LOAD, device="tiny", scheme="baseline", jobs=1)
    assert repr(sweep.analysis(["waf", "erases"])) == "<slcache.Analysis by waf, erases>"


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
def test_numbers_have_ranges(
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
    said = unique(flatten({**blocks, "host.time_scale": np.float64(2)}))
    assert said == {"scheme.baseline.slc_blocks": [3, 4], "host.time_scale": 2.0}
    assert type(said["scheme.baseline.slc_blocks"][0]) is int
    # The file of a study has them as numbers.
    vary: dict[str, Any] = {"host.time_scale": [np.int64(2), np.float64(0.5)]}
    study = Study(trace="t.csv", device="tiny", scheme="sa", vary=vary)
    assert tomllib.loads(study.to_toml())["vary"] == {"host.time_scale": [2, 0.5]}
    axis = StudyAxis.read(
        "slc_blocks", [np.int64(3), np.float64(4.5), np.bool_(True), [np.int64(1)]]
    )
    assert [(type(value), value) for value in axis.values] == [
        (int, 3), (float, 4.5), (bool, True), (str, "[1]")
    ]  # fmt: skip
    kinds = [
        value
        for value in vars(slcache).values()
        if isinstance(value, type) and issubclass(value, BaseException)
    ]
    assert len(kinds) == 7
    for kind in kinds:
        assert issubclass(kind, slcache.Error)
        error = kind("why")
        assert (error.key, error.line, error.file) == (None, None, None)
        assert f"{kind.__module__}.{kind.__qualname__}" == f"slcache.{kind.__name__}"


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


TINY = Path(__file__).resolve().parent.parent / "presets" / "devices" / "tiny.toml"
LOAD = {"about": "a", "requests": 10, "footprint_bytes": "1MiB", "global": {"rw": "write"}}
#: An option of the command line.
OPTION = re.compile(r"(?<![\w-])--[a-z]")
#: What is done in an empty folder.
Act = Callable[[Path], object]


def test_what_is_no_argument_is_named_with_its_function_and_the_nearest(trace: Path) -> None:
    run = slcache.run(trace, device="tiny", scheme="baseline")
    tried = 0
    for function in every(trace, run).values():
        known = inspect.signature(function).parameters
        if any(each.kind is each.VAR_KEYWORD for each in known.values()):
            continue
        for name in known:
            with pytest.raises(TypeError, match=rf"{name}s_; did you mean \w+\?") as told:
                function(**{f"{name}s_": 1})
            assert function.__name__ in str(told.value) or inspect.isclass(function)
            tried += 1
    assert tried > 100


def test_options_are_text_numbers_and_booleans_as_settings_are(trace: Path) -> None:
    how: dict[str, Any] = {"device": "tiny", "scheme": "baseline"}
    texts = {"take": "40", "time_scale": "0.5", "rebase": "true"}
    values = {"take": 40, "time_scale": 0.5, "rebase": True}
    one, other = (slcache.run(trace, trace_options=each, **how) for each in (texts, values))
    assert slcache.diff(one, other).equal
    drawn = slcache.run(
        "zipf-4k", workload_options={"requests": 100, "footprint_bytes": 2 << 20}, **how
    )
    assert drawn.to_dict()["trace"]["requests"] == 100
    assert slcache.Trace(trace, options={"take": 40}).info()["requests"] == 40
    with pytest.raises(slcache.UsageError, match="values text, numbers or booleans"):
        slcache.run(trace, trace_options={"take": [40]}, **how)


def ran(trace: object = LOAD, **changed: object) -> Act:
    """Return a run with other arguments."""
    given: dict[str, Any] = {"device": "tiny", "scheme": "baseline", **changed}
    return lambda _: slcache.run(trace, **given)  # type: ignore[arg-type]


def device(key: str, value: object) -> Act:
    """Return a run on a device with another value, given as a dict."""
    given = tomllib.loads(TINY.read_text(encoding="utf-8"))
    given["device"][key] = value
    return ran(device=given)


def device_file(folder: Path) -> object:
    file = folder / "mine.toml"
    file.write_text(TINY.read_text("utf-8").replace("user_bytes", "user_bytez = 1\nuser_bytes", 1))
    return ran(device=file)(folder)


def workload_file(folder: Path) -> object:
    file = folder / "mine.toml"
    file.write_text('about = "a"\nrequests = 10\n\n[global]\nrw = "sideways"\n', "utf-8")
    return ran(file)(folder)


def bad_line(folder: Path) -> object:
    trace = write_trace(folder / "t.csv", mixed(30))
    lines = trace.read_text(encoding="utf-8").splitlines()
    lines[20] = lines[20].replace("Read", "Rood").replace("Write", "Rood")
    trace.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ran(trace)(folder)


def backwards(folder: Path) -> object:
    trace = folder / "t.trace"
    trace.write_text("2000 0 8 8 1\n1000 0 16 8 0\n", encoding="utf-8")
    return slcache.trace.info(trace, trace_format="mqsim")


def snapshot(folder: Path) -> object:
    state = folder / "s.state"
    state.write_text("nothing", encoding="utf-8")
    return ran(load_state=state)(folder)


def model(_: Path) -> object:
    shares: dict[str, Any] = {"write_share": 0.5, "write_hits": 0.5, "read_hits": 0.5}
    return equations.hyssd_cost("tiny", **shares, utilisation=[2.0])


def seed_of(function: Callable[..., object], **given: object) -> Act:
    return lambda _: function(**given, seed=2**63)


#: Where the preset says the size.
LINE = TINY.read_text("utf-8").partition("user_bytes")[0].count("\n") + 1
CLIFF: dict[str, Any] = {"device": "tiny", "schemes": ["baseline"]}
#: What it is, its key, the file, where that is the question, and the line.
CASES: list[tuple[Act, type[slcache.Error], str | None, Any, int | None]] = [
    (ran(settings={"slc_blocks": 99}), ConfigError, "scheme.baseline.slc_blocks", None, None),
    (ran(settings={"host.time_scale": None}), ConfigError, "host.time_scale", None, None),
    (device_file, ConfigError, "device.user_bytez", "mine.toml", LINE),
    (device("user_bytez", 1), ConfigError, "device.user_bytez", ..., None),
    (device("mu_bytes", None), ConfigError, "device.mu_bytes", None, None),
    (device("mu_bytes", b"x"), ConfigError, "device.mu_bytes", None, None),
    (ran(device={1: 2}), ConfigError, "device", None, None),
    (ran(device="tinny"), ConfigError, "device", None, None),
    (ran(scheme="best"), ConfigError, "scheme", None, None),
    (ran(seed=-1), ConfigError, "seed", None, None),
    (ran(seed=2**63), ConfigError, "seed", None, None),
    (seed_of(slcache.compare, trace=LOAD, **CLIFF), ConfigError, "seed", None, None),
    (seed_of(slcache.resolve, device="tiny", scheme="sa"), ConfigError, "seed", None, None),
    (seed_of(slcache.generate, spec="zipf-4k", output="x"), ConfigError, "seed", None, None),
    (ran(replay="shut"), ConfigError, "host.replay", None, None),
    (ran(address="sideways"), ConfigError, "trace.address", None, None),
    (ran(trace_options={"nonsense": "1"}), ConfigError, "nonsense", None, None),
    (ran({**LOAD, "requests": float("nan")}), ConfigError, "requests", None, None),
    # What is given as a dict is in no file.
    (ran({**LOAD, "requestz": 1}), TraceError, "requestz", None, None),
    (
        lambda _: slcache.compare({**LOAD, "requestz": 1}, device="tiny", schemes="sa", jobs=2),
        TraceError,
        "requestz",
        None,
        None,
    ),
    (lambda _: slcache.run(LOAD, device={}, scheme="sa"), ConfigError, "device", None, None),
    (lambda _: slcache.resolve(device={}, scheme="sa"), ConfigError, "device", None, None),
    (workload_file, TraceError, "footprint_bytes", "mine.toml", None),
    (ran("no.csv"), TraceError, None, "no.csv", None),
    (bad_line, TraceError, "Type", "t.csv", 21),
    (backwards, TraceError, None, "t.trace", 2),
    (snapshot, RunError, None, "s.state", None),
    (ran(progress=print, on_progress=print), UsageError, "progress", None, None),
    (
        lambda _: slcache.compare(LOAD, device="tiny", schemes="a,a"),
        UsageError,
        "schemes",
        None,
        None,
    ),
    (lambda _: slcache.cliff(**CLIFF, write_bytes=1000), UsageError, "write_bytes", None, None),
    (model, UsageError, "utilisation[0]", None, None),
    (lambda _: slcache.Result({}), slcache.ResultError, "schema_version", None, None),
]


@pytest.mark.parametrize(("wrong", "kind", "key", "file", "line"), CASES)
def test_an_error_says_what_it_is_about(
    cwd: Path,
    wrong: Act,
    kind: type[slcache.Error],
    key: str | None,
    file: Any,  # noqa: ANN401
    line: int | None,
) -> None:
    with pytest.raises(slcache.Error) as caught:
        wrong(cwd)
    error = caught.value
    assert type(error) is kind
    assert error.key == key
    assert file in (..., error.file and Path(error.file).name)
    assert error.line == line
    assert kind is not ConfigError or str(key).rpartition(".")[2] in str(error)
    assert not OPTION.search(str(error)), error
    assert "workload.toml" not in str(error)
    # Workers of a process pool hand their errors over.
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (kind, str(error))
    assert (again.key, again.line, again.file) == (error.key, error.line, error.file)


def test_run_gives_dictionaries_and_tables(trace: Path) -> None:
    result = slcache.run(trace, device="tiny", scheme="baseline")
    document = result.to_dict()
    assert result.label == document["scheme"]["name"] == "baseline"
    assert document["host"]["write"]["requests"] == result.series["write_requests"].to_numpy().sum()
    programs = [op["pages"] for op in document["flash"]["ops"] if op["kind"] == "program"]
    table = result.ops.to_dicts()
    assert sum(row["pages"] for row in table if row["kind"] == "program") == sum(programs)
    assert result.latency.height > 0
    assert "WAF" in result.summary()
    # It cannot be changed from outside.
    document["host"]["requests"] = -1
    assert result.to_dict()["host"]["requests"] == len(mixed())

    def work(_: int) -> dict[str, Any]:
        host: dict[str, Any] = slcache.run(trace, device="tiny", scheme="baseline").to_dict()[
            "host"
        ]
        return host

    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(work, range(4))
    assert others == [first] * 3


def test_metrics_are_attributes_items_and_columns(comparison: slcache.Comparison) -> None:
    frame = comparison.figures
    assert frame["scheme"].to_list() == comparison.labels
    for row, run in zip(frame.to_dicts(), comparison.runs, strict=True):
        assert comparison[run.label] is run
        figures = run.to_dict()["figures"]
        assert {name: row[name] for name in figures} == figures
        assert run.waf == run["waf"] == row["waf"]
        assert run.write_p99 == run["write_p99_ns"] == row["write_p99_ns"]
        assert "waf" in dir(run)
    with pytest.raises(AttributeError, match="did you mean waf"):
        _ = comparison.runs[0].waff
    with pytest.raises(slcache.UsageError, match="did you mean waf"):
        _ = comparison.runs[0]["waff"]
    with pytest.raises(slcache.UsageError, match="no run of 'ips'"):
        _ = comparison["ips"]
    assert comparison.to_polars().equals(comparison.figures)
    for name in ("figures", "series", "latency", "ops", "disk", "power"):
        for result in (comparison, comparison.runs[0]):
            assert result.to_polars(name).equals(getattr(result, name))
    with pytest.raises(slcache.UsageError, match=r"table = 'serie'.*series"):
        comparison.to_polars("serie")


@pytest.mark.filterwarnings("default")
@pytest.mark.long
def test_every_cell_runs() -> None:
    pytest.importorskip("marimo")
    spec = importlib.util.spec_from_file_location("notebook", REPOSITORY / "examples/notebook.py")
    assert spec is not None
    assert spec.loader is not None
    notebook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(notebook)
    shown, names = notebook.app.run()
    assert len(shown) == 6
    assert names["sizes"] == [4, 6, 8]
    assert all(mean > 0 for mean in names["means"])
    assert "<table>" in names["comparison"]._repr_html_()
