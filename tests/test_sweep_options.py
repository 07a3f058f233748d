"""What studies and searches refuse, and what they say of how far they are."""

from __future__ import annotations

import datetime as dt
import math
from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache.cli import console
from slcache.given import parsing
from slcache.study.model import StudyError, of
from support import mixed, stdout, write_trace
from support import slcache as command

BLOCKS = "scheme.baseline.slc_blocks"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_trace(tmp_path / "small.csv", mixed(40))


@pytest.mark.parametrize("verb", [slcache.sweep, slcache.tune])
@pytest.mark.parametrize(
    ("vary", "told"),
    [
        ({"scheme.sa.slc_bloks": "3"}, "did you mean slc_blocks"),
        ({"scheme.hyssd.fast_blocks": "3..4"}, "no scheme of the study takes it"),
        ({"hst.time_scale": [1, 2]}, "unknown key"),
        ({"scheme.sa.slc_blocks": "1000..1002"}, "must be between 3 and"),
        ({"workload.requests": [1, 2]}, "no trace of the study is a workload"),
        ({"host.time_scale": "1..0.5"}, "ends below its beginning"),
        ({"host.time_scale": "1,1"}, "given twice: 1"),
        ({"host.time_scale": "1,inf"}, "inf is not finite"),
        ({"host.time_scale": "nan"}, "nan is not finite"),
        ({"run.seed": "1..3"}, "`seeds`"),
        ({"status": "1,2"}, "column of the table"),
        ({"slc_blocks": "3..4", "scheme.sa.slc_blocks": "3..4"}, "in another spelling"),
        ({"device.pool[0].blocks": [16], "device.pool.0.blocks": [16]}, "in another spelling"),
    ],
    ids=str,
)
def test_a_sweep_and_a_search_refuse_the_same(
    verb: Any,  # noqa: ANN401
    vary: dict[str, Any],
    told: str,
    small: Path,
    tmp_path: Path,
) -> None:
    out = tmp_path / "out"
    asked: dict[str, Any] = {
        "device": "tiny",
        "scheme": "sa",
        "settings": {"trace.address": "wrap"},
    }
    with pytest.raises(slcache.ConfigError, match=told):
        verb(small, vary=vary, out=out, jobs=1, **asked)
    assert not out.exists() or not any(path.is_file() for path in out.rglob("*"))


def test_a_key_is_not_set_in_one_spelling_and_varied_in_another(small: Path) -> None:
    verbs: tuple[Any, ...] = (slcache.sweep, slcache.tune)
    how: dict[str, Any] = {"device": "tiny", "scheme": "baseline", "vary": {"slc_blocks": "3..4"}}
    for verb in verbs:
        with pytest.raises(slcache.ConfigError, match="in another spelling"):
            verb(small, **how, settings={BLOCKS: 3})


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"sed": 1}, "sed: unknown key"),
        ({"scheme": None}, "scheme is missing"),
        ({"seeds": 0}, "seeds = 0"),
        ({"seeds": True}, "seeds = True: must be"),
        ({"trace": ["t", "t"]}, "trace: t is given twice"),
        ({"trace": 3}, "trace = 3"),
        ({"scheme": ["s", " "]}, r'scheme = \["s", " "\]: is no name'),
        ({"sample": "grid:3"}, "sample = grid:3"),
        ({"vary": {"a": 1}, "set": {"a": 1}}, "a: set"),
        ({"vary": {"host.time_scale": "0.5..1"}}, "a grid must know which values"),
        ({"vary": {BLOCKS: "16MiB..32MiB"}}, "which sizes are there"),
        ({"vary": {BLOCKS: "16MiB..32MiB@log"}}, "which sizes are there"),
        ({"vary": {BLOCKS: "8..32MiB:4MiB"}}, "must be of one kind"),
        ({"vary": {BLOCKS: "16MiB..32MiB:4"}}, "must be of one kind"),
        *(
            ({"vary": {"t.table": text}}, "a bracket has no other")
            for text in ("[1,2", "1],2", "[1]],[2", "[[1,2],3")
        ),
        # What no file could hold.
        ({"trace_options": {"window": dt.date(2024, 5, 27)}}, "window"),
        ({"trace_options": {"window": math.inf}}, "window"),
        ({"set": {"scheme.sa.slc_blocks": math.inf}}, "slc_blocks"),
        ({"set": {"scheme.sa.slc_blocks": [dt.time(7)]}}, "slc_blocks"),
        ({"vary": {"host.time_scale": [1.0, math.nan]}}, "time_scale"),
        ({"point": [{"host.time_scale": math.inf}]}, "time_scale"),
    ],
    ids=str,
)
def test_a_wrong_study_names_its_key(said: dict[str, Any], told: str) -> None:
    whole = {"trace": "t.csv", "device": "tiny", "scheme": ["sa", "tlc-only"], **said}
    with pytest.raises(StudyError, match=told) as error:
        of({key: value for key, value in whole.items() if value is not None}).combinations()
    assert all(key in str(error.value) for key in said.get("vary", {}))


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
        ('["baseline"]', '""', '3: scheme = "": is no name'),
        ("sample_seed = 4", "seeds = 'x'", "4: seeds = 'x': must be a whole number"),
        ("sample_seed", "sample_sed", "4: sample_sed: unknown key; did you mean sample_seed?"),
        ("time_scale", "time_scal", "7: settings host.time_scal=2: host.time_scal: unknown key"),
        ("slc_blocks", "slc_blcks", "10: settings scheme.baseline.slc_blcks=3: "),
        ("3,", "true, true", "10: scheme.baseline.slc_blocks = [true, true]: given twice"),
        ('device = ["tiny"]', "", " device is missing: give it"),
    ],
)
def test_what_is_wrong_in_the_file_of_a_study_is_told_with_its_line(
    change: str, to: str, told: str, tmp_path: Path
) -> None:
    """A misspelt name is no impossible point that could be skipped."""
    study = tmp_path / "asked.toml"
    study.write_text(STUDY.replace(change, to, 1))
    done = command("sweep", study, "--skip-impossible", "--out", tmp_path / "out")
    assert done.returncode == 3
    assert f"{study}:{told}" in done.stderr.decode()


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


def test_the_first_seed_of_draws_is_0(small: Path, tmp_path: Path) -> None:
    words = "--device tiny --scheme baseline --vary host.time_scale=0.1..1 --sample random:2"
    stdout("sweep", small, *words.split(), "--sample-seed", "0", "--out", tmp_path)
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
    assert capsys.readouterr().err == (f"note: {told}\n" if told else "")
    clock = iter(range(0, 1000, 4))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    with console.meter("auto") as meter:
        meter("runs (0 of 10 done, 10 left, CPU time 0 s)", 0, 10)
        meter("ips: precondition", 1, 2)
        for done in range(1, 5):
            meter("ips: replay (12 requests behind)", done, 5)
    assert capsys.readouterr().err == "note: 0 of 10 runs done, about 3 min left\n"


def test_what_is_counted_for_whoever_watches(small: Path) -> None:
    """The runs of a comparison, none of a single run, and no more points than a search has."""
    seen: list[tuple[str, int]] = []

    def see(phase: str, _done: int, total: int) -> bool:
        seen.append((phase, total))
        return True

    how: dict[str, Any] = {"device": "tiny", "on_progress": see}
    slcache.compare(small, schemes=["tlc-only", "baseline"], address="wrap", **how)
    assert any(phase.startswith("runs (1 of 2 done, 1 left") for phase, _ in seen)
    seen.clear()
    slcache.run(small, scheme="baseline", address="wrap", **how)
    assert not any(phase.startswith("runs") for phase, _ in seen)
    vary = {"host.time_scale": [0.5, 1.0, 2.0]}
    slcache.tune(small, scheme="baseline", vary=vary, points=40, **how)
    assert {total for phase, total in seen if phase == "points"} == {3}
