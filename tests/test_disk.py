"""What a result tells of its disk is shown in every view, and nothing where there is none."""

from __future__ import annotations

import copy
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import slcache
from charted import axis, keys, only, panels, rows
from disks import result, without_disk
from slcache.charts import device, performance, pictures
from slcache.results.result import runs_of
from slcache.tables import grid
from support import validator

BUSY = {"active": 20.0}
SAVING = {
    "active": 4.0,
    "to-idle": 0.5,
    "idle": 3.38,
    "spin-down": 2.3,
    "standby": 8.22,
    "spin-up": 1.6,
}
#: Of SAVING: powers times seconds, and a transition of each kind but one.
SAVING_J = 4 * 2.55 + 1.15 + 3.38 * 0.8 + 2.94 + 8.22 * 0.25 + 5.0


@pytest.fixture(scope="module")
def pair() -> slcache.Comparison:
    runs = [result("disk-only", BUSY, miss_rate=0.5), result("nvc", SAVING, fills=12)]
    return slcache.Comparison(runs)


@pytest.mark.long
def test_a_comparison_tells_of_the_disk_only_where_there_is_one(pair: slcache.Comparison) -> None:
    assert [column.title for column in grid.columns(pair.documents)][-2:] == [
        "energy",
        "miss\nrate",
    ]
    reference, other = pair.tables()[0].rows
    assert [cell.plain for cell in reference[-3:-1]] == ["51.0 J", "50.0 %"]
    assert [cell.plain for cell in other[-3:-1]] == ["0.47×", "0.50×"]
    assert all("bold" in str(cell.style) for cell in other[-3:-1])
    assert "energy" in pair.summary()
    figures = pair.normalised["schemes"]
    assert figures["disk-only"]["energy"] == 1.0
    assert figures["nvc"]["energy"] == pytest.approx(SAVING_J / (20 * 2.55))
    assert figures["nvc"]["miss_rate"] == 0.5
    validator("compare").validate(pair.to_dict())
    assert pair.verdict()[-1].endswith(
        "The disk takes 24.0 J against 51.0 J, above all in the state active "
        "(10.2 J against 51.0 J)."
    )
    assert "disk: 24.0 J, 1.20 W on average; active 20.0 %, " in pair.runs[1].summary()
    none = slcache.Comparison([without_disk("a"), without_disk("b")])
    assert grid.columns(none.documents) == grid.COLUMNS
    assert "energy" not in none.summary()
    assert "energy" not in none.normalised["schemes"]["a"]
    assert ">Disk</h2>" not in none.report()
    # A run without a disk beside one has no energy.
    mixed = slcache.Comparison([result("nvc", BUSY), without_disk("tlc-only")])
    assert mixed.normalised["schemes"]["tlc-only"]["energy"] is None
    assert [cell.plain for cell in mixed.tables()[0].rows[1][-3:-1]] == ["–", "–"]
    other_way = slcache.Comparison([without_disk("tlc-only"), result("nvc", BUSY)])
    assert other_way.normalised["schemes"]["nvc"]["energy"] is None
    assert other_way.tables()[0].rows[1][-3].plain == "51.0 J"
    for draw in (mixed.plot_power, mixed.plot_energy, mixed.plot_disk):
        draw().to_dict(validate=False)
    names = {"a": BUSY, "b": BUSY, "c": SAVING, "d": SAVING}
    runs = [result(name, seconds) for name, seconds in names.items()]
    lines = "\n".join(slcache.Comparison(runs).verdict())
    assert "a, b, c and d" not in lines
    assert "c and d" in lines


def ends(drawn: Any) -> list[float]:  # noqa: ANN401
    """Return where the bars of a chart's panel end."""
    found: dict[str, float] = {}
    for row in rows(only(drawn)):
        if "end" in row:
            found[row["row"]] = max(found.get(row["row"], 0.0), row["end"])
    # Notes after bars stand within the panel.
    assert axis(only(drawn), "x")["scale"]["domainMax"] > 1.1 * max(found.values())
    return list(found.values())


def test_charts_show_states_energy_and_work(pair: slcache.Comparison, tmp_path: Path) -> None:
    drawn = device.power(runs_of(pair))
    found = panels(drawn)
    assert list(found) == pair.labels
    for panel in found.values():
        tops: Counter[float] = Counter()
        for row in rows(panel):
            tops[row["x"]] += row["y"]
        assert list(tops.values()) == pytest.approx([1.0] * len(tops), abs=1e-3)
    assert keys(drawn) == ["active", "to-idle", "idle", "spin-up", "spin-down", "standby"]
    pictures.written(drawn, ".svg")
    assert ends(device.energy(runs_of(pair))) == pytest.approx([51.0, SAVING_J])
    drawn, each_us = device.work(runs_of(pair)), 17_960
    assert ends(drawn) == pytest.approx([40 * each_us, 22 * each_us])
    written = [row["text"] for row in rows(drawn) if "text" in row]
    assert written == ["40 operations", "22 operations"]
    # Data kept from the disk are drawn over time.
    document = copy.deepcopy(result("nvc", SAVING).to_dict())
    columns = document["series"]["columns"]
    columns["program_pages_fill"] = [*([0] * (len(columns["t_ns"]) - 1)), 7]
    panel = panels(performance.series({"nvc": document}))["moves and fills, pages/s"]
    assert max(row["y"] for row in rows(panel)) > 0
    text = pair.report()
    titles = ("The disk&#39;s power states", "The disk&#39;s energy", "What the disk did")
    # With seconds, joules and parts of operations behind them.
    told = [
        "".join(f"<td>{cell}</td>" for cell in cells)
        for cells in (
            ("8.22 s", "2.06 J"),
            ("12", "48.0 KiB", "144 ms", "66.7 ms", "1.20 ms"),
        )
    ]
    assert [each for each in (">Disk</h2>", *titles, *told) if each not in text] == []
    done = pair.disk.to_dicts()
    assert [(r["scheme"], r["kind"], r["cause"], r["count"]) for r in done] == [
        ("disk-only", "read", "host", 30),
        ("disk-only", "write", "migration", 10),
        ("nvc", "read", "host", 12),
        ("nvc", "write", "migration", 10),
    ]
    shares: dict[tuple[str, int], float] = {}
    for row in pair.power.to_dicts():
        at = (row["scheme"], row["t_ns"])
        shares[at] = shares.get(at, 0.0) + row["share"]
    assert len(shares) == 40
    assert all(share == pytest.approx(1.0) for share in shares.values())
    pair.save(tmp_path / "with")
    assert {"disk.parquet", "power.parquet"} <= {p.name for p in (tmp_path / "with").iterdir()}
    none = without_disk("tlc-only")
    assert none.disk.height == 0
    none.save(tmp_path / "without")
    kept = {p.stem for p in (tmp_path / "without").glob("*.parquet")}
    assert kept == {"series", "latency", "ops"}
