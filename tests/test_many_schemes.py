"""Every scheme at once: which can run, what is said of them, and whether figures stay apart."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import slcache
from slcache.plots import bars, latency, series, style
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


def test_lines_of_every_scheme_differ_in_more_than_colour(every: slcache.Comparison) -> None:
    lines = [style.scheme_line(i, len(EVERY)) for i in range(len(EVERY))]
    assert len({(str(line["ls"]), line["lw"]) for line in lines}) == len(EVERY)
    figure = latency.draw(every.labels, every.documents)
    drawn = {(line.get_linestyle(), line.get_linewidth()) for line in figure.axes[0].lines}
    assert len(drawn) == len(EVERY)


def test_series_of_every_scheme_have_a_row_each(every: slcache.Comparison) -> None:
    figure = series.draw(every.labels, every.documents)
    # Three percentiles, each a line and its dots.
    assert all(len({line.get_color() for line in axes.lines}) <= 1 for axes in figure.axes)
    named = [axes.get_ylabel() for axes in figure.axes if axes.get_ylabel()]
    assert named == EVERY * 3
    scale = {axes.get_ylim() for axes in figure.axes[: 3 * len(EVERY) : 3]}
    assert len(scale) == 1


def test_labels_of_every_scheme_do_not_overlap(every: slcache.Comparison) -> None:
    figure = bars.draw(every.labels, every.documents, "tlc-only")
    figure.canvas.draw()
    for axes in figure.axes:
        boxes = [text.get_window_extent() for text in axes.texts]
        assert len(boxes) == len(EVERY) + 1  # the means, and the heading of their column
        for i, box in enumerate(boxes):
            assert not any(box.overlaps(other) for other in boxes[i + 1 :])
