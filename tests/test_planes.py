"""What planes did, on the page: the operations of a timeline's table, and nothing else."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import browser
import slcache
from browser import browsed, check_script, figures, needs_chromium, needs_node
from slcache.report import planes
from slcache.slow import operations, shown
from test_report import Page
from test_touch import HOSTILE

SCRIPTS = Path(slcache.__file__).parent / "templates"
SCHEMES = ["tlc-only", "baseline"]
pytestmark = pytest.mark.usefixtures("only_planes")


@pytest.fixture(scope="module")
def text(drawn: Path) -> str:
    return (drawn / "out/report.html").read_text()


@pytest.fixture(scope="module")
def runs(drawn: Path) -> list[operations.Operations]:
    return [operations.read(drawn / f"t-{name}.parquet") for name in SCHEMES]


def slices(told: Mapping[str, Any], scheme: Mapping[str, Any]) -> Counter[tuple[Any, ...]]:
    """Return a run's slices as the page tells them, in the words and figures of the table."""
    found: Counter[tuple[Any, ...]] = Counter()
    step, zero = told["step_ns"], scheme["zero_ns"]
    at = request = 0
    for die, plane, count in scheme["rows"]:
        end = zero
        for _ in range(count):
            begin = end + scheme["gap"][at] * step
            end = begin + scheme["length"][at] * step
            request += scheme["request"][at]
            kind, cause, order, _mode, pages, suspended = told["whats"][scheme["what"][at]]
            queued = begin - scheme["wait"][at] * step
            what = (kind, told["causes"][cause][0], order, pages, suspended)
            where = (die, plane, scheme["block"][at], scheme["page"][at])
            found[(*what, *where, request, queued, begin, end)] += 1
            at += 1
    return found


def of_table(run: operations.Operations, rows: Sequence[Mapping[str, Any]]) -> Counter[Any]:
    what = ("kind", "cause", "class", "pages", "suspended")
    where, when = ("block", "page"), ("request", "queued_ns", "begin_ns", "end_ns")
    return Counter(
        (
            *(row[name] for name in what),
            *shown.place(run.config, row["plane"]),
            *(row[name] for name in (*where, *when)),
        )
        for row in rows
    )


def test_the_slices_of_the_page_are_the_table_s(
    text: str, drawn: Path, runs: list[operations.Operations]
) -> None:
    told = figures(text, "planes-data")
    assert [scheme["label"] for scheme in told["schemes"]] == SCHEMES
    for run, scheme in zip(runs, told["schemes"], strict=True):
        rows = pq.read_table(run.path).to_pylist()
        assert len(rows) > 300
        assert slices(told, scheme) == of_table(run, rows)
    page = Page(text)
    assert "in the middle of" not in text
    for name, run in zip(SCHEMES, runs, strict=True):
        spent = shown.busy_ns(run)
        rows = pq.read_table(drawn / f"t-{name}.parquet").to_pylist()
        assert sum(spent.values()) == sum(row["end_ns"] - row["begin_ns"] for row in rows)
        assert f'<th scope="row">{name}</th><td>{len(rows):,}</td><td>all</td>' in text
    assert page.tags.count("svg") == 8


def test_a_page_holds_so_many_operations_of_one_stretch_for_all(
    runs: list[operations.Operations],
) -> None:
    for most in (1, 60, 250):
        found = shown.chosen(runs, most)
        assert len({(run.zero_ns, run.span_ns) for run in found}) == 1
        assert max(len(run.rows) for run in found) <= most
        for run in found:
            begin, end = run.zero_ns, run.zero_ns + run.span_ns
            table = run.operations
            inside = np.flatnonzero((table.end_ns >= begin) & (table.begin_ns <= end))
            assert set(run.rows.tolist()) <= set(inside.tolist())
            assert len(run.rows) == min(len(inside), most)
        # As many as there is room for: a little more time has more.
        if most > 1:
            assert max(len(run.rows) for run in found) > most // 2


def test_stretches_that_do_not_overlap_stand_side_by_side(
    runs: list[operations.Operations],
) -> None:
    later = 10 * int(runs[0].end_ns.max())
    apart = [runs[0], replace(runs[1], begin_ns=runs[1].begin_ns + later)]
    apart[1] = replace(apart[1], end_ns=runs[1].end_ns + later)
    found = shown.chosen(apart)
    assert [len(run.rows) for run in found] == [len(run) for run in apart]
    assert found[0].span_ns == found[1].span_ns
    assert found[1].zero_ns > found[0].zero_ns + found[0].span_ns
    lines = planes._stretches(SCHEMES, found)
    assert [re.findall(r"(\S+) from \S+ s to ", line) for line in lines] == [SCHEMES]
    assert "the middle of the timeline" in planes._stretches(SCHEMES, shown.chosen(runs, 9))[1]


def test_planes_are_named_as_in_perfetto() -> None:
    pool = {"name": "a", "channels": 2, "chips": 1, "dies": 2, "planes": 2}
    config = {"device": {"pool": [pool, {**pool, "name": "b"}]}}
    assert shown.place(config, 0) == ("channel 0, a die 0", "plane 0")
    assert shown.place(config, 7) == ("channel 1, a die 3", "plane 1")
    assert shown.place(config, 10) == ("channel 2, b die 1", "plane 0")
    assert shown.place(config, -1) == ("disk", "")


def test_a_page_without_a_timeline_has_nothing_of_it(comparison: slcache.Comparison) -> None:
    page = comparison.report()
    assert "planes-data" not in page
    assert "data-planes" not in page
    assert (SCRIPTS / "planes.js").read_text() not in page


def test_only_the_page_s_own_script_may_run(text: str) -> None:
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert script.endswith((SCRIPTS / "planes.js").read_text().strip() + "\n")
    assert text.count("<script") == 3
    assert not re.search(r"""(?:src|href)=["']?https?:""", text)
    assert "ui.perfetto.dev" in text


def test_hostile_names_stay_text(runs: list[operations.Operations], drawn: Path) -> None:
    table = pq.read_table(drawn / "t-baseline.parquet")
    names = {name: table.column(name).to_pylist() for name in ("kind", "cause", "class")}
    for name, words in names.items():
        place = table.schema.get_field_index(name)
        column = pa.array([HOSTILE + word for word in words])
        table = table.set_column(place, name, column)
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    hostile = operations.read("x", sink.getvalue().to_pybytes())
    part = planes.part([HOSTILE], [hostile])
    assert "<" not in part.data
    told = json.loads(part.data)
    assert told["schemes"][0]["label"] == HOSTILE
    assert all(cause.startswith(HOSTILE) for cause, _ in told["causes"])
    assert "<img" not in part.svg
    assert "</script" not in part.svg


def test_the_mode_of_the_cells_is_told(drawn: Path) -> None:
    told = json.loads(planes.part(["a"], [operations.read(drawn / "t-baseline.parquet")]).data)
    rows = pq.read_table(drawn / "t-baseline.parquet")["mode"].to_pylist()
    assert {what[3] for what in told["whats"]} == set(rows) == {"slc", "tlc"}


BUSY: dict[str, tuple[str, str, dict[str, Any]]] = {
    "planes": ("tiny", "baseline", {}),
    "a tier that idles": ("hyssd-st", "hyssd", {"host.time_scale": 0.001}),
    "a disk": ("nvc-hdd", "nvc", {"host.time_scale": 0.001}),
    "serial dies": ("tiny", "baseline", {"device.pool.0.plane_parallelism": "serial"}),
}


@pytest.mark.parametrize("name", BUSY)
def test_planes_are_as_busy_as_the_result_says(name: str, drawn: Path, tmp_path: Path) -> None:
    device, scheme, settings = BUSY[name]
    settings = {"trace.address": "wrap", **settings}
    asked: dict[str, Any] = {"device": device, "scheme": scheme, "settings": settings}
    run = slcache.run(drawn / "t.csv", **asked, timeline=tmp_path / "t.parquet")
    told = run.to_dict()["figures"]["utilisation"]
    # Operations have the channel too, and results tell the time of the arrays.
    assert shown.busy_share(operations.read(tmp_path / "t.parquet")) == pytest.approx(told, 0.08)


def test_a_page_says_that_requests_are_left_out(drawn: Path, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"device": "tiny", "scheme": "baseline", "timeline_every": 40}
    run = slcache.run(drawn / "t.csv", **asked, timeline=tmp_path / "t.pftrace")
    run.save(tmp_path / "out")
    told = "the timeline has those whose number is a multiple of 40"
    assert told in (tmp_path / "out/report.html").read_text()
    assert told in slcache.load(tmp_path / "out").report()


def in_node(asked: str) -> Any:  # noqa: ANN401
    """Return what an expression gives beside the script's functions of slices."""
    return browser.in_node((SCRIPTS / "slices.js").read_text(), asked)


@needs_node
def test_the_script_reads_what_the_page_holds(text: str) -> None:
    told = figures(text, "planes-data")
    scheme = told["schemes"][1]
    found = in_node(f"decoded({json.dumps(scheme)}, {told['step_ns']})")
    zero = scheme["zero_ns"]
    read = Counter(
        (
            *scheme["rows"][each["row"]][:2],
            *(each["block"], each["page"], each["request"]),
            *(zero + each[name] for name in ("queued", "begin", "end")),
        )
        for each in found
    )
    assert read == Counter(each[5:] for each in slices(told, scheme).elements())


@needs_node
def test_a_slice_knows_what_had_its_plane_while_it_waited() -> None:
    rows = [(0, 0, 5, 1), (0, 4, 9, -1), (0, 9, 12, 1), (0, 12, 14, 1), (1, 0, 3, 1)]
    waits = [0, 3, 2, 5, 0]
    given = [
        {"at": at, "row": row, "begin": begin, "end": end, "request": request}
        | {"queued": begin - waits[at]}
        for at, (row, begin, end, request) in enumerate(rows)
    ]
    each = f"const s = {json.dumps(given)};"
    found = in_node(f"(() => {{ {each} return s.map((one) => before(s, one)?.at ?? null); }})()")
    # The second runs beside the first, which has not ended; of one's own request nothing counts.
    assert found == [None, None, 1, 1, None]
    mine = in_node(f"(() => {{ {each} return together(s, s[2]).map((one) => one.at); }})()")
    assert mine == [4, 0, 2, 3]
    times = f"(() => {{ {each} return meanwhile(s, s[3], (one) => one.request); }})()"
    assert in_node(times) == [[1, 3], [-1, 2]]
    assert in_node(f"(() => {{ {each} return together(s, s[1]).length; }})()") == 1


@needs_node
def test_an_erase_has_no_page() -> None:
    slice_ = {"block": 7, "page": 3}
    for kind, pages, told in (
        ("erase", 1, ", block 7"),
        ("read", 1, ", block 7, page 3"),
        ("program", 3, ", block 7, page 3 to 5"),
    ):
        assert in_node(f"where({json.dumps(slice_)}, {json.dumps(kind)}, {pages})") == told
    assert in_node('where({ block: -1, page: 0 }, "read", 1)') == ""


@needs_node
def test_the_script_parses(text: str, tmp_path: Path) -> None:
    check_script(text, tmp_path)


@pytest.mark.slow
@needs_chromium
def test_a_browser_draws_the_slices(text: str, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text(text)
    drawn = browsed(page)
    assert drawn.count('role="application"') == len(SCHEMES)
    assert "Planes of baseline over time" in drawn
