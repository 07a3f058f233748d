"""Two words for one thing are both taken, on the command line, in Python and in files."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache import explain
from slcache.cli.app import execute
from slcache.metrics import METRICS, PARTS, named
from slcache.search.goals import Bound, Search
from slcache.study import model
from support import slcache as command
from verbs import NEEDED, Inputs, verbs

SHORT = {
    name: short
    for name in METRICS | PARTS
    for ending in ("_ns", "_bytes", "_j")
    if (short := name.removesuffix(ending)) != name
}


def test_every_metric_may_be_named_without_its_unit() -> None:
    assert len(SHORT) > 20
    assert not set(SHORT.values()) & set(METRICS | PARTS), "a short name is another's"
    for name, short in SHORT.items():
        assert named(short).name == name
        assert list(Search(minimise=[short]).metrics) == [name]
        assert list(Search(maximise=[short]).metrics) == [name]
        assert Bound.read(f"{short}<=1").metric == name
        assert explain.find(short)
    with pytest.raises(ValueError, match="write_p99_ns"):
        Search(minimise=["write_p99", "write_p99_ns"]).check()


def test_short_names_are_the_same_search_sweep_and_table(trace: Path, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"device": "tiny", "scheme": "baseline"}
    asked["vary"] = {"host.time_scale": "0.5,1"}
    fronts = [
        slcache.tune(trace, minimise=[metric], such_that=[bound], points=2, **asked).front
        for metric, bound in (("write_p99", "slc<=4MiB"), ("write_p99_ns", "slc_bytes<=4MiB"))
    ]
    assert [one.settings for one in fronts[0]] == [one.settings for one in fronts[1]]
    found = slcache.sweep(trace, out=tmp_path / "s", **asked)
    assert found.analysis(["write_p99"]).metrics == ["write_p99_ns"]
    shown = command("sweep", "show", tmp_path / "s", "--metric", "write_p99", "--json")
    assert shown.returncode == 0, shown.stderr
    assert list(json.loads(shown.stdout)["metrics"]) == ["write_p99_ns"]


def test_scheme_and_schemes_are_one_option(
    inputs: Inputs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tried = 0
    for path, verb in verbs():
        names = {parameter.opts[0] for parameter in verb.params}
        own = next((name for name in ("--scheme", "--schemes") if name in names), None)
        name = " ".join(path)
        if own is None or own not in NEEDED.get(name, ()):
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


def test_a_study_takes_both_words(trace: Path, tmp_path: Path) -> None:
    files = []
    for number, (first, second) in enumerate([("trace", "scheme"), ("workload", "schemes")]):
        path = tmp_path / f"{number}.toml"
        path.write_text(f'{first} = "{trace}"\ndevice = "tiny"\n{second} = ["baseline"]\n')
        assert model.is_study(path)
        files.append(model.read(path))
    assert files[0] == files[1]
    path.write_text(f'trace = "{trace}"\nworkload = "{trace}"\n')
    with pytest.raises(slcache.Error, match="trace"):
        model.read(path)
