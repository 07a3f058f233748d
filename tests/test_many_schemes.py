"""Every scheme at once: which can run, what is said of them, and whether figures stay apart."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import slcache
from slcache.plots import bars, latency, series, style
from slcache.sentences import reasons
from support import slcache as command
from test_verdict import FAST, NONE, SLOW, run, side

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


def test_schemes_that_share_a_reason_share_a_sentence() -> None:
    why = {name: f"scheme.{name}.mode = tlc: must be slc" for name in ("sa", "sector")}
    why |= {"rl": "scheme.rl.mode = qlc: must be slc"}
    assert reasons.told(why, "is out", "are out") == [
        "sa and sector are out: scheme.NAME.mode = tlc: must be slc",
        "rl is out: scheme.rl.mode = qlc: must be slc",
    ]


def test_a_name_inside_another_is_not_taken_for_it() -> None:
    why = {"ips": "for ips-agc", "ips-agc": "for ips-agc"}
    assert reasons.told(why, "", "") == ["ips : for ips-agc", "ips-agc : for ips-agc"]


def test_many_are_held_against_the_winner_in_groups() -> None:
    slowest = side(800.0, 900.0, {"migration": 600.0})
    runs = [
        run("ref", NONE, SLOW, {"host": 1.0}),
        run("best", NONE, FAST, {"host": 1.0}),
        run("same", NONE, FAST, {"host": 1.0}),
        run("late", NONE, slowest, {"host": 1.0, "migration": 0.5}),
        run("late-too", NONE, slowest, {"host": 1.0, "migration": 0.5}),
    ]
    headline, ties, why, *rest = slcache.Comparison(runs).verdict()
    assert headline.startswith("Writes: best and same tie")
    assert ties == "same has the same figures as best (within 1 %)."
    assert why.startswith("best: Writes take 100 µs on average against 400 µs")
    assert rest == [
        "late and late-too: writes take 8.00× the winner's time (+700 µs; waiting behind "
        "migration +600 µs); write amplification 1.50, of which migration 0.50."
    ]


def test_a_winner_of_each_side_is_told_by_name() -> None:
    runs = [
        run("ref", SLOW, SLOW, {"host": 1.0}),
        run("reader", FAST, SLOW, {"host": 1.0}),
        run("writer", SLOW, FAST, {"host": 1.0}),
        run("none", SLOW, SLOW, {"host": 2.0}),
    ]
    lines = slcache.Comparison(runs).verdict()
    assert lines[1].startswith("writer: Writes take")
    assert lines[2].startswith("reader: Reads take")
    assert "writes take 4.00× writer's time" in lines[3]
    assert "reads take 4.00× reader's time" in lines[3]


def test_a_winner_that_takes_no_time_has_no_factors() -> None:
    runs = [run("ref", NONE, SLOW, {"host": 2.0})]
    runs += [run(name, NONE, SLOW, {"host": 1.0}) for name in ("b", "c")]
    runs.append(run("buffered", NONE, side(0.0, 0.0, {}), {"host": 1.0}))
    assert (
        slcache.Comparison(runs)
        .verdict()[-1]
        .startswith("b and c: writes take 400 µs on average, the winner's no time")
    )


def test_the_reference_may_win() -> None:
    names = ("b", "c", "d")
    runs = [run("ref", NONE, FAST, {"host": 1.0})]
    runs += [run(name, NONE, SLOW, {"host": 1.0}) for name in names]
    lines = slcache.Comparison(runs).verdict()
    assert len(lines) == 2
    assert lines[1].startswith("b, c and d: writes take 4.00× the winner's time")


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


def test_the_report_of_every_scheme_is_short_in_words(every: slcache.Comparison) -> None:
    assert f"<h1>{len(EVERY)} schemes on tiny</h1>" in every.report()
    assert len(every.verdict()) <= len(EVERY)
