"""Every error of the Python interface has one base, says what it is about, and speaks Python."""

from __future__ import annotations

import pickle
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache import ConfigError, RunError, TraceError, UsageError
from slcache.reproduce import equations
from support import mixed, write_trace

TINY = Path(__file__).resolve().parent.parent / "presets" / "devices" / "tiny.toml"
LOAD = {"about": "a", "requests": 10, "footprint_bytes": "1MiB", "global": {"rw": "write"}}
#: An option of the command line.
OPTION = re.compile(r"(?<![\w-])--[a-z]")
#: What is done in an empty folder.
Act = Callable[[Path], object]


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
    (ran({**LOAD, "requestz": 1}), TraceError, "requestz", ..., None),
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
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    wrong: Act,
    kind: type[slcache.Error],
    key: str | None,
    file: Any,  # noqa: ANN401
    line: int | None,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(slcache.Error) as caught:
        wrong(tmp_path)
    error = caught.value
    assert type(error) is kind
    assert error.key == key
    assert file in (..., error.file and Path(error.file).name)
    assert error.line == line
    assert kind is not ConfigError or str(key).rpartition(".")[2] in str(error)
    assert not OPTION.search(str(error)), error
    # Workers of a process pool hand their errors over.
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (kind, str(error))
    assert (again.key, again.line, again.file) == (error.key, error.line, error.file)


def test_every_exception_has_the_base_and_knows_nothing_at_first() -> None:
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
