"""Every point of a study's picture is named, and its command gives the point's figures."""

from __future__ import annotations

import html
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from charted import charts, rows
from slcache.metrics import METRICS
from slcache.study import page as pages
from slcache.study.analysis import Analysis
from slcache.study.api import sweep
from slcache.study.outcome import Outcome
from slcache.study.run import Sweep
from studies import grid, table_of
from support import json_of, mixed, slcache, write_trace

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
    "traces": ([ODD, "plain.csv"], {"vary": SA, "replay": "closed:2"}),
    "seeds": (["drawn.toml"], {"vary": {"workload.requests": [200, 300], **SA}}),
    "draws": (["plain.csv"], {"vary": SA, "resample": 2}),
    "reader": (["plain.csv"], {"vary": {"reader.unsorted": ["error", "sort:9"], **SA}}),
    "config": (["plain.csv"], {"vary": SA, "config": "keys.toml"}),
    "metrics": (["plain.csv"], {"vary": SA, "metrics": ["dense_bytes", "waf"]}),
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
        **{"scheme": "sa", **asked, **own, **seeds},
    )


def told(page: str) -> dict[int, dict[str, str | None]]:
    """Return what a page tells of its points, by number."""
    found = {}
    for number, inside in re.findall(r'<div id="point-(\d+)">(.*?)</div>', page, re.DOTALL):
        command = re.search(r'<pre class="command">(.*?)</pre>', inside, re.DOTALL)
        (figures,) = re.findall(r'<p class="soft">(.*?)</p>', inside, re.DOTALL)
        (name,) = re.findall(r"</a>: (.*?)</p>", inside, re.DOTALL)
        found[int(number)] = {
            "name": html.unescape(name),
            "figures": html.unescape(figures),
            "command": html.unescape(command[1]) if command else None,
        }
    return found


def check_commands(page: str, table: list[dict[str, Any]]) -> int:
    """Check that commands give the figures of their points, and return how many there are."""
    given = told(page)
    for number, point in given.items():
        words = shlex.split(point["command"] or "")
        assert words[:2] == ["slcache", "run"]
        document = json_of(*words[1:], "--json")
        row = table[number - 1]
        for metric, known in METRICS.items():
            # What is held against other runs is no figure of this one.
            if row.get(metric) is not None and metric != "gain_share":
                assert known.value(document) == pytest.approx(row[metric]), metric
        figures = (point["figures"] or "").split(", ")
        assert all(figure.partition(" ")[0] in METRICS for figure in figures)
    return len(given)


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("name", STUDIES)
def test_a_point_s_command_gives_its_figures(folder: Path, name: str) -> None:
    found = study(folder, name)
    page = found.report()
    assert check_commands(page, found.table.to_dicts())
    assert ("the command runs the first" in page) == (name in ("seeds", "draws"))


def test_every_point_of_the_picture_is_told(folder: Path) -> None:
    found = study(folder, "traces")
    page = found.report()
    given = told(page)
    fronts = {t: chart for t, chart in charts(page).items() if t.startswith("Pareto front")}
    shown = {row["href"]: row["name"] for chart in fronts.values() for row in rows(chart)}
    assert shown == {f"#point-{number}": point["name"] for number, point in given.items()}
    assert len(given) == sum(
        len(each.outcome.configurations) for each in found.analysis().judged if each.front.metrics
    )
    made = write_trace(folder / (HOSTILE.replace("/", "") + ".csv"), mixed(60))
    found = sweep(str(made), device="tiny", scheme="sa", vary=SA, settings=ROOM, jobs=1)
    page = found.report()
    assert "<b>" not in page
    assert page.count("<script") == 2 + len(charts(page))
    words = shlex.split(next(iter(told(page).values()))["command"] or "")
    assert words[2] == str(made)


def test_a_mark_s_number_is_of_the_point_that_it_shows() -> None:
    """By the order of one metric along an axis, on a made-up table."""
    blocks = [8, 1, 4, 2, 9, 5]
    table = grid({"s.blocks": blocks}, lambda n, _: {"waf": 1.0 + n, "slc_bytes": 50.0 - n * n})
    analysis = Analysis.of(Outcome.of(table), ("waf", "slc_bytes"))
    page = pages.render(analysis, "made up")
    marks = {row["href"]: row["x"] for row in rows(charts(page)["Pareto front"]) if "href" in row}
    ordered = sorted(marks, key=lambda link: marks[link])
    numbers = [int(link.removeprefix("#point-")) for link in ordered]
    assert [blocks[number - 1] for number in numbers] == sorted(blocks)
    assert all(point["command"] is None for point in told(page).values())


@pytest.mark.usefixtures("undrawn")
def test_what_no_command_can_say_has_none(folder: Path, tmp_path: Path) -> None:
    """Nor has any point of a study that cannot be read."""
    found = study(folder, "schemes")
    row = dict(found.table.to_dicts()[0])
    assert pages.of_row(found.study, row) is not None
    assert pages.of_row(found.study, {**row, "trace": "another"}) is None
    table = table_of([{**row, "no.such.key": n, "waf": 1.0 + n} for n in (1, 2)])
    analysis = Analysis.of(Outcome.of(table), ("waf",))
    page = pages.render(analysis, "edited", study=found.study)
    assert [point["command"] for point in told(page).values()] == [None, None]
    for name, content in found.files().items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "study.toml").write_text("trace = 3\n")
    html = tmp_path / "page.html"
    for metrics, said in (([], "judged by the default"), (["--metric", "waf"], "without commands")):
        done = slcache("sweep", "show", tmp_path, *metrics, "--html", html)
        assert done.returncode == 0, done.stderr
        assert said in " ".join(done.stderr.decode().split())
        assert {point["command"] for point in told(html.read_text()).values()} == {None}


@pytest.mark.usefixtures("undrawn")
def test_a_search_s_points_have_commands(folder: Path) -> None:
    pytest.importorskip("optuna")
    from slcache.search.api import tune

    found = tune(
        folder / "plain.csv", device="tiny", scheme=["tlc-only", "sa"], points=4, jobs=1,
        vary={**SA, "host.time_scale": [0.5, 1.0]},
        settings={**ROOM, "scheme.sa.slc.victim": "fifo"},
    )  # fmt: skip
    assert check_commands(found.report(), found.table.to_dicts())
