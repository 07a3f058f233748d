"""Every error of the Python interface has one base, says what it is about, and speaks Python."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import slcache
from slcache.reproduce import equations
from support import mixed, write_trace

REPOSITORY = Path(__file__).resolve().parent.parent
#: An option of the command line.
OPTION = re.compile(r"(?<![\w-])--[a-z]")


def _broken_device(folder: Path) -> Path:
    device = folder / "mine.toml"
    text = (REPOSITORY / "presets" / "devices" / "tiny.toml").read_text(encoding="utf-8")
    device.write_text(text.replace("user_bytes", "user_bytez = 1\nuser_bytes", 1), encoding="utf-8")
    return device


def _broken_workload(folder: Path) -> Path:
    workload = folder / "mine.toml"
    workload.write_text('about = "a"\nrequests = 10\n\n[global]\nrw = "sideways"\n', "utf-8")
    return workload


def _run(trace: object, **changed: object) -> object:
    given = {"device": "tiny", "scheme": "baseline", **changed}
    return slcache.run(trace, **given)  # type: ignore[arg-type]


def _settings(folder: Path) -> object:
    return _run("zipf-4k", settings={"scheme.baseline.slc_blocks": 99})


def _device_file(folder: Path) -> object:
    return _run("zipf-4k", device=_broken_device(folder))


def _bad_line(folder: Path) -> object:
    trace = write_trace(folder / "t.csv", mixed(30))
    lines = trace.read_text(encoding="utf-8").splitlines()
    lines[20] = lines[20].replace("Read", "Rood").replace("Write", "Rood")
    trace.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return _run(trace)


def _two_schemes(folder: Path) -> object:
    return slcache.compare("zipf-4k", device="tiny", schemes=["baseline", "baseline"])


def _snapshot(folder: Path) -> object:
    state = folder / "s.state"
    state.write_text("nothing", encoding="utf-8")
    return _run(write_trace(folder / "t.csv", mixed(9)), load_state=state)


def _cliff(folder: Path) -> object:
    return slcache.cliff(device="tiny", schemes=["baseline"], write_bytes=1000)


def _model(folder: Path) -> object:
    return equations.hyssd_cost(
        "tiny", write_share=0.5, write_hits=0.5, read_hits=0.5, utilisation=[2.0]
    )


CASES = [
    (_settings, slcache.ConfigError, "scheme.baseline.slc_blocks", None, None),
    (_device_file, slcache.ConfigError, "device.user_bytez", "mine.toml", int),
    (lambda _: _run("zipf-4k", device="tinny"), slcache.ConfigError, "device", None, None),
    (lambda _: _run("zipf-4k", scheme="best"), slcache.ConfigError, "scheme", None, None),
    (lambda _: _run("zipf-4k", seed=-1), slcache.ConfigError, "seed", None, None),
    (lambda _: _run("zipf-4k", replay="shut"), slcache.ConfigError, "host.replay", None, None),
    (
        lambda _: _run("zipf-4k", seed=3, settings={"run.seed": 3}),
        slcache.ConfigError, "run.seed", None, None,
    ),
    (
        lambda _: _run("zipf-4k", trace_options={"nonsense": "1"}),
        slcache.ConfigError, "nonsense", None, None,
    ),
    (lambda f: _run(_broken_workload(f)), slcache.TraceError, "footprint_bytes", "mine.toml", None),
    (lambda _: _run("no.csv"), slcache.TraceError, None, "no.csv", None),
    (_bad_line, slcache.TraceError, "Type", "t.csv", 21),
    (_snapshot, slcache.RunError, None, "s.state", None),
    (_two_schemes, slcache.UsageError, "schemes", None, None),
    (_cliff, slcache.UsageError, "write_bytes", None, None),
    (_model, slcache.UsageError, "utilisation[0]", None, None),
    (lambda _: slcache.Result({}), slcache.ResultError, "schema_version", None, None),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "kind", "key", "file", "line"), CASES)
def test_an_error_says_what_it_is_about(
    tmp_path: Path,
    wrong: Callable[[Path], object],
    kind: type[slcache.Error],
    key: str | None,
    file: str | None,
    line: int | type | None,
) -> None:
    with pytest.raises(slcache.Error) as caught:
        wrong(tmp_path)
    error = caught.value
    assert type(error) is kind
    assert error.key == key
    assert (error.file and Path(error.file).name) == file
    assert isinstance(error.line, int) if line is int else error.line == line
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
