"""A byte order mark, which some editors put in front of a text, is no part of any file."""

from __future__ import annotations

from pathlib import Path

import pytest

import slcache
from slcache.sweep import study
from slcache.sweep.axes import listed

MARK = "\ufeff"


@pytest.mark.parametrize("suffix", ["toml", "json"])
def test_a_configuration_may_begin_with_a_mark(suffix: str, trace: Path, tmp_path: Path) -> None:
    text = '{"run": {"seed": 5}}' if suffix == "json" else "run.seed = 5\n"
    path = tmp_path / f"own.{suffix}"
    path.write_text(MARK + text)
    run = slcache.run(trace, device="tiny", scheme="baseline", settings=path)
    assert run.to_dict()["config"]["run"]["seed"] == 5


def test_what_people_write_may_begin_with_a_mark(trace: Path, tmp_path: Path) -> None:
    def marked(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(MARK + text)
        return path

    preset = Path(__file__).parent.parent / "presets" / "devices" / "tiny.toml"
    device = marked("device.toml", preset.read_text())
    assert slcache.run(trace, device=device, scheme="baseline").label == "baseline"
    assert slcache.run(marked("t.csv", trace.read_text()), device=device, scheme="baseline")
    text = 'requests = 9\nfootprint_bytes = "1MiB"\nglobal.rw = "randwrite"\n'
    text += 'global.bs = "4k"\narrivals = { process = "constant", mean_gap_ns = 1000 }\n'
    workload = marked("workload.toml", text)
    assert slcache.Trace(workload).info()["requests"] == 9
    asked = marked("study.toml", f'trace = "{trace}"\ndevice = "tiny"\nscheme = "baseline"\n')
    assert study.is_study(asked)
    assert study.read(asked).schemes == ("baseline",)
    points = marked("points.csv", "host.time_scale,run.seed\n0.5,1\n")
    assert [list(point) for point in listed(points)] == [["host.time_scale", "run.seed"]]
