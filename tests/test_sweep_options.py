"""What the command line of studies and searches refuses: options that nothing would come of."""

from __future__ import annotations

from pathlib import Path

import pytest

import slcache
from slcache.cli import console
from slcache.cli.app import execute
from slcache.given import parsing
from slcache.study.analysis import Analysis
from slcache.study.outcome import Outcome
from studies import grid
from support import mixed, write_trace

DEVICE = ["--device", "tiny"]
BASELINE = ["--scheme", "baseline"]
SIZES = ["--vary", "scheme.baseline.slc_blocks=1..3"]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_trace(tmp_path / "small.csv", mixed(40))


@pytest.mark.parametrize(
    ("verb", "arguments", "option", "value"),
    [
        ("sweep", [*DEVICE, *DEVICE, *BASELINE], "--device", "tiny"),
        ("sweep", [*DEVICE, *BASELINE, *BASELINE], "--scheme", "baseline"),
        ("sweep", [*DEVICE, "--scheme", "sa, sa"], "--scheme", "sa"),
        ("sweep", [*DEVICE, "--scheme", "sa,baseline", "--scheme", "sa"], "--scheme", "sa"),
        (
            "sweep",
            [*DEVICE, "--scheme", "tlc-only,mlc-only"],
            "--scheme",
            "tlc-only is given twice, as tlc-only and mlc-only",
        ),
        ("sweep", [*DEVICE, *BASELINE, *SIZES, *SIZES], "--vary", SIZES[1]),
        (
            "sweep",
            [*DEVICE, *BASELINE, *SIZES, "--vary", "scheme.baseline.slc_blocks=4"],
            "--vary",
            "scheme.baseline.slc_blocks: given twice, as 1..3 and 4",
        ),
        ("tune", [*DEVICE, "--scheme", "sa,sa"], "--scheme", "sa"),
        ("tune", [*DEVICE, *BASELINE, *SIZES, *SIZES], "--vary", SIZES[1]),
        (
            "tune",
            [*DEVICE, *BASELINE, *SIZES, "--minimise", "waf", "--minimise", "waf"],
            "--minimise",
            "waf",
        ),
        (
            "tune",
            [*DEVICE, *BASELINE, *SIZES, "--minimise", "waf", "--maximise", "waf"],
            "minimise, maximise",
            "waf",
        ),
        (
            "tune",
            [*DEVICE, *BASELINE, *SIZES, "--such-that", "waf<=2", "--such-that", "waf <= 3"],
            "such_that",
            "waf<= is given twice, as waf<=2 and waf<=3",
        ),
        ("sweep show", ["--metric", "waf", "--metric", "waf"], "--metric", "waf"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_is_said_twice_is_never_counted_twice(
    verb: str,
    arguments: list[str],
    option: str,
    value: str,
    small: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "out"
    where = [] if verb == "sweep show" else ["--out", str(out)]
    status = execute([*verb.split(), str(small), *arguments, *where])
    told = capsys.readouterr().err
    assert status == 2, told
    assert option in told
    assert value in told
    assert "given twice" in told
    assert not out.exists()


def test_a_seed_of_draws_needs_draws(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["sweep", str(small), *DEVICE, *BASELINE, "--out", str(tmp_path / "out")]
    assert execute([*asked, "--sample-seed", "7"]) == 2
    assert "--sample-seed: a grid draws no points" in capsys.readouterr().err


def test_the_first_seed_of_draws_is_0(small: Path, tmp_path: Path) -> None:
    asked = ["sweep", str(small), *DEVICE, *BASELINE, "--vary", "host.time_scale=0.1..1"]
    done = execute([*asked, "--sample", "random:2", "--sample-seed", "0", "--out", str(tmp_path)])
    assert done == 0
    assert "sample_seed = 0" in (tmp_path / "study.toml").read_text()


@pytest.mark.parametrize(
    ("points", "told"), [(100, "1 of 100 points done, about 16 min left"), (3, None)]
)
def test_what_much_work_takes_is_told_once_where_nobody_watches(
    points: int,
    told: str | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock = iter(range(0, 1000, 10))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    with console.meter("auto") as meter:
        for done in range(4):
            meter(f"points ({done} of {points} done)", min(done, points), points)
    said = capsys.readouterr().err
    assert said == (f"note: {told}\n" if told else "")


def test_the_pace_of_a_run_in_this_process_tells_what_all_take(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter(range(0, 1000, 4))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    with console.meter("auto") as meter:
        meter("runs (0 of 10 done, 10 left, CPU time 0 s)", 0, 10)
        meter("ips: precondition", 1, 2)
        for done in range(1, 5):
            meter("ips: replay (12 requests behind)", done, 5)
    assert capsys.readouterr().err == "note: 0 of 10 runs done, about 3 min left\n"


def test_runs_in_this_process_are_counted_for_whoever_watches(small: Path) -> None:
    phases: list[str] = []

    def seen(phase: str, _done: int, _total: int) -> bool:
        phases.append(phase)
        return True

    names = ["tlc-only", "baseline"]
    slcache.compare(small, device="tiny", schemes=names, address="wrap", on_progress=seen)
    assert any(phase.startswith("runs (1 of 2 done, 1 left") for phase in phases)
    phases.clear()
    slcache.run(small, device="tiny", scheme="baseline", address="wrap", on_progress=seen)
    assert not any(phase.startswith("runs") for phase in phases)


def test_a_search_counts_no_more_points_than_there_are(small: Path) -> None:
    totals = set()

    def seen(phase: str, _done: int, total: int) -> bool:
        if phase == "points":
            totals.add(total)
        return True

    vary = {"host.time_scale": [0.5, 1.0, 2.0]}
    slcache.tune(small, device="tiny", scheme="baseline", vary=vary, points=40, on_progress=seen)
    assert totals == {3}


def test_a_metric_given_twice_is_no_choice_in_python_either() -> None:
    table = grid({"host.time_scale": [0.5, 1.0]}, lambda scale, _: {"waf": scale})
    with pytest.raises(ValueError, match="metric: waf is given twice"):
        Analysis.of(Outcome.of(table), ["waf", "waf"])


STUDY = """\
trace = "zipf-4k"
device = ["tiny"]
scheme = ["baseline"]
sample_seed = 4

[set]
host.time_scale = 2

[vary]
"scheme.baseline.slc_blocks" = [
  3,
]
"""


@pytest.mark.parametrize(
    ("change", "to", "told"),
    [
        ("trace", "traces", "1: traces: unknown key; did you mean trace?"),
        ('"tiny"', '"tin"', "2: device tin: no such preset"),
        ("baseline", "basline", "3: scheme basline: "),
        ("sample_seed = 4", "seeds = 'x'", "4: seeds = 'x': must be a whole number"),
        ("sample_seed", "sample_sed", "4: sample_sed: unknown key; did you mean sample_seed?"),
        ("time_scale", "time_scal", "7: settings host.time_scal=2: host.time_scal: unknown key"),
        ("slc_blocks", "slc_blcks", "10: settings scheme.baseline.slc_blcks=3: "),
        ('device = ["tiny"]', "", " device is missing: give it"),
    ],
)
def test_what_is_wrong_in_the_file_of_a_study_is_told_with_its_line(
    change: str, to: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = tmp_path / "asked.toml"
    study.write_text(STUDY.replace(change, to, 1))
    assert execute(["sweep", str(study), "--out", str(tmp_path / "out")]) == 3
    assert f"{study}:{told}" in capsys.readouterr().err


def test_lines_of_keys_are_those_of_no_text_that_looks_like_them() -> None:
    text = """a = '''
b = 1
'''
[ t . "u.v" ]
b = [
  1, # c = 2
]
'w'.x=3
[[p]]
d = { e = 1 }
"""
    lines = {"a": 1, "t.u.v": 4, "t.u.v.b": 5, "t.u.v.w.x": 8, "p": 9, "p.d": 10}
    assert parsing.toml_lines(text) == lines
    # As many lines that are none take no time that anybody notices.
    many = "a = '''\n" + "b = 1\n" * 100_000 + "'''\nc = 1\n"
    assert parsing.toml_lines(many) == {"a": 1}
