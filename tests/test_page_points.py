"""Every point of a study's picture is named, and its command gives the point's figures."""

from __future__ import annotations

import html
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import browser
from browser import browsed, needs_chromium
from slcache.metrics import METRICS
from slcache.study.analysis import Analysis
from slcache.study.outcome import Outcome
from slcache.sweep import commands, report
from slcache.sweep.api import sweep
from slcache.sweep.outcome import Sweep
from studies import grid, table_of
from support import mixed, slcache, write_trace

HOSTILE = "</script><b>\"'&$(x)<!--"
WORKLOAD = """
requests = 300
footprint_bytes = "1MiB"
global.rw = "randrw"
global.bs = "4k"
arrivals = { process = "constant", mean_gap_ns = 100000 }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace with an odd name, a workload and a configuration file."""
    made = tmp_path_factory.mktemp("points")
    write_trace(made / "an odd, 'näme' = [1].csv", mixed(80))
    write_trace(made / "plain.csv", mixed(90, seed=5))
    (made / "drawn.toml").write_text(WORKLOAD)
    (made / "keys.toml").write_text("[host]\ntime_scale = 0.25\n")
    return made


ODD = "an odd, 'näme' = [1].csv"
ROOM = {"device.user_bytes": "2MiB", "trace.address": "wrap"}
SA = {"scheme.sa.slc_blocks": [3, 4]}
STUDIES: dict[str, tuple[list[str], dict[str, Any]]] = {
    "schemes": (
        [ODD],
        {"scheme": ["tlc-only", "sa"], "vary": {**SA, "host.time_scale": [0.5, 1.0]}},
    ),
    "traces": ([ODD, "plain.csv"], {"scheme": "sa", "vary": SA, "replay": "closed:2"}),
    "seeds": (["drawn.toml"], {"scheme": "sa", "vary": {"workload.requests": [200, 300], **SA}}),
    "draws": (["plain.csv"], {"scheme": "sa", "vary": SA, "resample": 2}),
    "reader": (
        ["plain.csv"],
        {"scheme": "sa", "vary": {"reader.unsorted": ["error", "sort:9"], **SA}},
    ),
    "config": (["plain.csv"], {"scheme": "sa", "vary": SA, "config": "keys.toml"}),
    "metrics": (["plain.csv"], {"scheme": "sa", "vary": SA, "metrics": ["dense_bytes", "waf"]}),
}


def study(folder: Path, name: str) -> Sweep:
    traces, asked = STUDIES[name]
    own = {"config": folder / asked["config"]} if "config" in asked else {}
    seeds = {"seeds": 2, "seed": 5} if name == "seeds" else {}
    return sweep(
        [str(folder / trace) for trace in traces],
        device="tiny",
        settings=ROOM,
        jobs=1,
        **{**asked, **own, **seeds},
    )


def told(page: str) -> dict[str, Any]:
    """Return what a page has on its points for the script."""
    return browser.figures(page, "points-data")


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("name", STUDIES)
def test_a_point_s_command_gives_its_figures(folder: Path, name: str) -> None:
    found = study(folder, name)
    given, rows = told(found.report()), found.table.to_dicts()
    assert given["points"]
    assert bool(given["note"]) == (name in ("seeds", "draws"))
    for number, _, figures, command in given["points"]:
        words = shlex.split(given["begun"] + command)
        assert words[:2] == ["slcache", "run"]
        done = slcache(*words[1:], "--json")
        assert done.returncode == 0, done.stderr
        document = json.loads(done.stdout)
        row = rows[number - 1]
        for metric, known in METRICS.items():
            # What is held against other runs is no figure of this one.
            if row.get(metric) is not None and metric != "gain_share":
                assert known.value(document) == pytest.approx(row[metric]), metric
        assert all(figure.partition(" ")[0] in METRICS for figure in figures)


@pytest.mark.usefixtures("undrawn")
def test_a_search_s_points_have_commands(folder: Path) -> None:
    pytest.importorskip("optuna")
    from slcache.search.api import tune

    found = tune(
        folder / "plain.csv",
        device="tiny",
        scheme=["tlc-only", "sa"],
        vary={**SA, "host.time_scale": [0.5, 1.0]},
        settings={**ROOM, "scheme.sa.slc.victim": "fifo"},
        points=6,
        jobs=1,
    )
    given, rows = told(found.report()), found.table.to_dicts()
    for number, _, _, command in given["points"]:
        done = slcache(*shlex.split(given["begun"] + command)[1:], "--json")
        assert done.returncode == 0, done.stderr
        row, document = rows[number - 1], json.loads(done.stdout)
        assert METRICS["waf"].value(document) == pytest.approx(row["waf"])
        assert METRICS["write_p99_ns"].value(document) == row["write_p99_ns"]


@pytest.mark.parametrize("name", ["schemes", "traces"])
def test_every_point_of_the_picture_is_told(folder: Path, name: str) -> None:
    found = study(folder, name)
    page = found.report()
    drawn = re.findall(r'<g data-points="([\d ]+)">(.*?)</g>', page)
    numbers = {number for group, _ in drawn for number in group.split()}
    assert all(len(group.split()) == inside.count("<use ") for group, inside in drawn)
    given = told(page)
    assert numbers == {str(point[0]) for point in given["points"]}
    assert len(numbers) == sum(
        len(each.outcome.configurations) for each in found.analysis().judged if each.front.metrics
    )


def test_a_mark_s_number_is_of_the_point_that_it_shows() -> None:
    """By the order of one metric along an axis, on a made-up table."""
    blocks = [8, 1, 4, 2, 9, 5]
    table = grid({"s.blocks": blocks}, lambda n, _: {"waf": 1.0 + n, "slc_bytes": 50.0 - n * n})
    analysis = Analysis.of(Outcome.of(table), ("waf", "slc_bytes"))
    page = report.render(analysis, "made up")
    marks = {
        number: float(x)
        for group, inside in re.findall(r'<g data-points="([\d ]+)">(.*?)</g>', page)
        for number, x in zip(
            group.split(), re.findall(r'<use [^>]*?x="([\d.]+)"', inside), strict=True
        )
    }
    ordered = sorted(marks, key=lambda number: marks[number])
    assert [blocks[int(number) - 1] for number in ordered] == sorted(blocks)
    assert all(point[3] is None for point in told(page)["points"])


def test_hostile_names_stay_text(folder: Path) -> None:
    made = write_trace(folder / (HOSTILE.replace("/", "") + ".csv"), mixed(60))
    found = sweep(str(made), device="tiny", scheme="sa", vary=SA, settings=ROOM, jobs=1)
    page = found.report()
    assert "<b>" not in page
    assert page.count("<script") == 2
    given = told(page)
    words = shlex.split(given["begun"] + given["points"][0][3])
    assert words[2] == str(made)
    table = grid({"x": [HOSTILE, "fifo"]}, lambda x, _: {"waf": float(len(x)), "slc_bytes": 1.0})
    page = report.render(Analysis.of(Outcome.of(table), ("waf",)), HOSTILE)
    assert page.count("<script") == 2
    assert any(HOSTILE in point[1] for point in told(page)["points"])


@pytest.mark.usefixtures("undrawn")
def test_what_no_command_can_say_has_none(folder: Path) -> None:
    found = study(folder, "schemes")
    row = dict(found.table.to_dicts()[0])
    assert commands.of_row(found.study, row) is not None
    assert commands.of_row(found.study, {**row, "trace": "another"}) is None
    assert not commands.tells(found.study, ["scheme", "no.such.key"])
    table = table_of([{**row, "no.such.key": n, "waf": 1.0 + n} for n in (1, 2)])
    analysis = Analysis.of(Outcome.of(table), ("waf",))
    page = report.render(analysis, "edited", study=found.study)
    assert [point[3] for point in told(page)["points"]] == [None, None]


@pytest.mark.usefixtures("undrawn")
def test_a_study_that_cannot_be_read_has_points_without_commands(
    folder: Path, tmp_path: Path
) -> None:
    found = study(folder, "schemes")
    for name, content in found.files().items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "study.toml").write_text("trace = 3\n")
    page = tmp_path / "page.html"
    for metrics, said in (([], "judged by the default"), (["--metric", "waf"], "without commands")):
        done = slcache("sweep", "show", tmp_path, *metrics, "--html", page)
        assert done.returncode == 0, done.stderr
        assert said in " ".join(done.stderr.decode().split())
        assert {point[3] for point in told(page.read_text())["points"]} == {None}


@pytest.mark.slow
@needs_chromium
def test_a_browser_shows_the_point_of_a_link(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "study.html"
    page.write_text(study(folder, "schemes").report())
    given = told(page.read_text())
    number, name, _, command = given["points"][-1]
    found = browsed(page, f"#point-{number}")
    assert f'<div id="point-{number}">' in found
    assert f": {name}</span>" in found
    (text,) = re.findall(r'<pre class="command" tabindex="0">(.*?)</pre>', found)
    assert html.unescape(text) == given["begun"] + command
    marks = re.findall(r"<use [^>]*data-point=[^>]*>", found)
    assert sum('tabindex="0"' in mark for mark in marks) == 1
    assert all("aria-label=" in mark for mark in marks)
    assert any("chosen" in mark for mark in marks)


ACTS = """
const said = [], command = () => document.querySelector(".command").textContent;
const tell = () => said.push(location.hash, command());
const key = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key }));
const mark = document.querySelector('[data-point="2"]');
mark.scrollIntoView({ block: "center" });
const { x, y, width, height } = mark.getBoundingClientRect();
const [clientX, clientY] = [x + width / 2, y + height / 2];
mark.dispatchEvent(new PointerEvent("pointermove", { clientX, clientY }));
said.push(document.querySelector(".tip").textContent);
mark.dispatchEvent(new MouseEvent("click", { clientX, clientY }));
tell();
document.querySelector('[data-point][tabindex="0"]').focus();
key("ArrowRight");
said.push(document.activeElement.dataset.point);
key("Enter");
tell();
document.body.append(made("pre", JSON.stringify(said), { id: "said" }));
"""


@pytest.mark.slow
@needs_chromium
def test_a_browser_chooses_points_by_pointer_and_keys(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "study.html"
    text = study(folder, "schemes").report()
    # The policy lets no script of the test's own run.
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    page.write_text(text.replace("</body>", f"<script>{{{ACTS}}}</script></body>"))
    (found,) = re.findall(r'<pre id="said">(.*?)</pre>', browsed(page))
    tip, clicked, command, focused, entered, other = json.loads(html.unescape(found))
    given = told(text)
    points = {str(point[0]): point for point in given["points"]}
    assert f"{points['2'][1]}: {', '.join(points['2'][2])}" in tip
    commands_of = {number: given["begun"] + point[3] for number, point in points.items()}
    assert command == commands_of[clicked.removeprefix("#point-")]
    assert entered == f"#point-{focused}"
    assert other == commands_of[focused]
