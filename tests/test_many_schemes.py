"""Every scheme at once: which can run, what is said of them, and whether figures stay apart."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import slcache
from charted import axis, keys, nodes, panels, rows
from slcache.charts import run as charts
from slcache.charts import series, spec
from support import slcache as command

ALL = [entry["name"] for entry in slcache.schemes()]
EVERY, _LEFT_OUT = slcache.fitting(device="tiny")
PRESETS = Path(__file__).parent.parent / "presets" / "devices"


@pytest.fixture(scope="module")
def every(trace: Path) -> slcache.Comparison:
    """Every scheme on the small trace."""
    return slcache.compare(trace, device="tiny", schemes=EVERY)


def test_a_device_without_a_disk_leaves_out_only_schemes_that_need_one() -> None:
    assert all("device.disk" in reason for reason in _LEFT_OUT.values())
    assert len(EVERY) >= 15


def test_all_are_those_that_the_device_can_run() -> None:
    fit, left_out = slcache.fitting(device="mqsim-like")
    assert fit == ["tlc-only", "qlc-only"]
    assert {*fit, *left_out} == set(ALL)
    assert "reprogram" in left_out["ips"]


def test_a_wrong_setting_is_no_reason_to_leave_a_scheme_out() -> None:
    with pytest.raises(slcache.ConfigError, match="nonsense"):
        slcache.fitting(device="tiny", settings={"scheme.baseline.nonsense": 1})


def test_a_device_that_runs_nothing_says_why_for_each(tmp_path: Path) -> None:
    text = (PRESETS / "hyssd-st.toml").read_text()
    device = tmp_path / "full.toml"
    device.write_text(text.replace('user_bytes = "16GiB"', 'user_bytes = "17920MiB"'))
    with pytest.raises(slcache.ConfigError) as caught:
        slcache.fitting(device=device)
    named = [line.partition(": ")[0].split(", ") for line in str(caught.value).splitlines()]
    assert sorted(name for names in named for name in names) == sorted(ALL)


def test_the_command_line_names_what_it_leaves_out(trace: Path) -> None:
    done = command(
        "compare", trace, "--device", "mqsim-like", "--schemes", "all", "--address", "compact",
        "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    ran = [run["scheme"]["name"] for run in json.loads(done.stdout)["runs"]]
    assert ran == ["tlc-only", "qlc-only"]
    notes = done.stderr.decode().splitlines()
    assert len(notes) < len(ALL) - len(ran)
    told = [re.split(r" (?:is|are) left out: ", note.removeprefix("note: "))[0] for note in notes]
    named = [name for names in told for name in re.split(", | and ", names)]
    assert sorted(named) == sorted(set(ALL) - set(ran))


def test_lines_of_every_scheme_differ_in_more_than_lightness(every: slcache.Comparison) -> None:
    drawn = charts.latency(every.labels, every.documents)
    assert keys(drawn) == every.labels
    looks = spec.colours(every.labels)
    assert len(set(looks.values())) == len(EVERY)
    encodings = [node.get("encoding", {}) for node in nodes(drawn)]
    dashes = [each["strokeDash"] for each in encodings if "strokeDash" in each]
    assert all(len(set(map(str, dash["scale"]["range"]))) > 1 for dash in dashes)
    assert dashes


def test_series_of_every_scheme_have_a_panel_each(every: slcache.Comparison) -> None:
    drawn = panels(series.draw(every.labels, every.documents))
    rates = [drawn[f"{name}: writes completed, MiB/s"] for name in EVERY]
    for name, panel in zip(EVERY, rates, strict=True):
        assert {row["key"] for row in rows(panel)} == {name}
    assert len({axis(panel, "y")["scale"]["domainMax"] for panel in rates}) == 1


def test_every_scheme_has_a_row_with_its_mean(every: slcache.Comparison) -> None:
    drawn = charts.relative(every.labels, every.documents, "tlc-only")
    for panel in drawn["concat"]:
        assert axis(panel, "y")["scale"]["domain"] == EVERY
        written = [row for row in rows(panel) if "text" in row]
        assert [row["row"] for row in written] == EVERY
