"""Published traces are recognised by what they hold, never by their names."""

from __future__ import annotations

from pathlib import Path

import slcache as package
from slcache.execute.engine import Engine
from slcache.reproduce import inputs
from slcache.reproduce import plan as plans
from slcache.reproduce.inputs import Input

#: Of a Windows file time, as MSR traces have it.
TICKS_PER_S = 10_000_000

#: What the format has no place for, or no digits.
LOSSY = ["label", "response", "time"]


def found(paper: str, names: list[str], folder: Path) -> list[Input]:
    plan = plans.load(paper)
    with Engine(folder.parent / "store") as engine:
        return inputs.published(plan, names, inputs.recognise(plan, folder, engine))


def test_a_file_with_the_figures_of_the_table_is_the_trace(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    package.generate("hierarchy-web_1", folder / "whatever.csv.gz", to="msr", seed=3, lossy=LOSSY)
    package.generate(
        "hierarchy-lun1",
        folder / "web_1.csv.gz",
        to="msr",
        overrides={"requests": 9000},
        lossy=LOSSY,
    )
    (each,) = found("hierarchy", ["web_1"], folder)
    assert not each.twin
    assert Path(each.path).name == "whatever.csv.gz"
    assert each.options(1) == {}
    assert all(i.twin for i in found("hierarchy", ["lun1"], folder))


def msr(path: Path, seconds_apart: int) -> None:
    """Write ten requests of volume wdev_0, six of them writes."""
    lines = [
        f"{128_166_372_000_000_000 + i * seconds_apart * TICKS_PER_S},wdev,0,"
        f"{'Write' if i < 6 else 'Read'},{8192 * i},4096,100"
        for i in range(10)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_a_volume_of_a_week_is_the_trace_in_every_part(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    msr(folder / "x.csv", 60_000)
    bursty, daily, coop = found("ips", ["wdev_0"], folder)
    # The bursty part keeps nothing of the trace but how many writes it has.
    assert bursty.twin
    assert bursty.workload["requests"] == "6"
    assert not daily.twin
    assert coop.path == daily.path
    assert coop.repeat_to_write_bytes == 64 << 30


def test_a_sample_of_a_volume_is_not_the_trace(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    msr(folder / "wdev_0.csv", 600)
    assert all(each.twin for each in found("ips", ["wdev_0"], folder))


def test_a_twin_in_a_file_is_not_the_trace(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    package.generate("hierarchy-web_1", folder / "web_1.parquet")
    assert all(each.twin for each in found("hierarchy", ["web_1"], folder))
