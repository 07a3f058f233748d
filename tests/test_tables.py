"""Tables show every figure whole, and documents are as their schemas say."""

from __future__ import annotations

import copy
import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.text import Text

import slcache
from slcache import _core, cliffs, kinds, units
from slcache.cli import app, catalogue, console, trace_write
from slcache.cli import cliff as cli_cliff
from slcache.documents import figures
from slcache.metrics import GAIN_SHARE, METRICS, PARTS
from slcache.results.result import run_table
from slcache.tables import grid
from slcache.tables.table import Cells, fitted
from support import command as cli_words
from support import json_of, lasting, mixed, validator, write_trace
from support import slcache as command

#: Columns of a terminal; `make slow` asks of all.
WIDTHS = [
    pytest.param(range(40, 201, 7), id="some"),
    pytest.param([w for w in range(40, 201) if w % 7 != 5], marks=pytest.mark.slow, id="others"),
]
FIGURE = re.compile(r"(?<![\w.-])\d(?:[\d.,]*\d)?(?: (?:[A-Za-zµ]+(?:/s)?|%)(?![\w-])|×)?")
assert app  # the verbs are put together there


def printed(part: Cells | Text, width: int) -> str:
    """Return what a terminal of this width is given."""
    target = Console(file=io.StringIO(), width=width, highlight=False)
    target.print(fitted(part, width), markup=False)
    assert isinstance(target.file, io.StringIO)
    return target.file.getvalue()


def check(table: Cells, widths: Sequence[int]) -> None:
    """Check that every figure of a table stands whole in what is printed of it."""
    wanted = {
        figure
        for row in table.rows
        for column, cell in enumerate(row)
        for figure in (FIGURE.findall(cell.plain) if table.is_text(column) else [cell.plain])
        if len(figure) <= 24
    }
    for width in widths:
        lines = printed(table, width).splitlines()
        assert max(map(len, lines)) <= width
        missing = [figure for figure in wanted if figure and not _stands(figure, lines)]
        assert not missing, (width, missing)


def _stands(figure: str, lines: list[str]) -> bool:
    whole = re.compile(rf"(?<![\w.,]){re.escape(figure)}(?![\d×])")
    return any(whole.search(line) for line in lines)


@pytest.fixture(scope="module")
def nine(trace: Path) -> slcache.Comparison:
    """Every scheme on the small trace."""
    fit, _ = slcache.fitting(device="tiny")
    return slcache.compare(trace, device="tiny", schemes=fit)


@pytest.mark.parametrize("widths", WIDTHS)
def test_comparisons_figures_are_whole(nine: slcache.Comparison, widths: Sequence[int]) -> None:
    table = nine.tables()[0]
    shown = {cell.plain.removesuffix(grid.THIN) for row in table.rows for cell in row}
    values = {column: column.value(nine.documents[0]) for column in grid.COLUMNS}
    latencies = [column for column in values if column.metric.endswith("_ns")]
    show = units.in_one_unit((values[column] or 0) / 1e3 for column in latencies)
    for column, value in values.items():
        assert value is not None
        assert (show(value / 1e3) if column in latencies else column.show(value)) in shown
    for name, factors in nine.normalised["schemes"].items():
        if name != nine.reference and factors["write_mean"] is not None:
            assert units.factor(factors["write_mean"]) in shown
    check(table, widths)


@pytest.mark.parametrize("widths", WIDTHS)
def test_figures_of_a_run_stand_whole(nine: slcache.Comparison, widths: Sequence[int]) -> None:
    for run in nine.runs[:2]:
        document = run.documents[0]
        table = run_table(run.label, document)
        shown = {cell.plain.removesuffix(grid.THIN) for row in table.rows for cell in row}
        latencies = [
            figures.latency(document, side, key)
            for side in ("read", "write")
            for key in ("mean", "p50", "p99", "p99_9", "max")
        ]
        assert {*map(units.in_one_unit(latencies), map(float, filter(None, latencies)))} <= shown
        check(table, widths)


def catch(monkeypatch: pytest.MonkeyPatch, verb: Callable[[], object]) -> list[Cells]:
    """Return the tables that a verb shows."""
    shown: list[Cells] = []
    monkeypatch.setattr(console, "show", lambda *parts, **_: shown.extend(parts))
    verb()
    return [part for part in shown if isinstance(part, Cells)]


def test_a_sentence_keeps_figures_with_their_units(
    nine: slcache.Comparison, comparison: slcache.Comparison, trace: Path
) -> None:
    for line in nine.verdict():
        figures = FIGURE.findall(line)
        assert figures
        for width in range(40, 201, 7):
            lines = printed(Text(line), width).splitlines()
            torn = [figure for figure in figures if not any(figure in each for each in lines)]
            assert not torn, (width, torn)
    schemes = ",".join(comparison.labels)
    text = in_terminal(40, "compare", trace, "--device", "tiny", "--schemes", schemes)
    assert not [line for line in text.splitlines() if len(line) > 40]
    for row in comparison.tables()[0].rows:
        figures = [cell.plain.removesuffix(grid.THIN) for cell in row[1:]]
        assert all(_stands(figure, text.splitlines()) for figure in figures), row


def test_long_names_are_folded_and_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "scheme-" + "x" * 70
    row = (name, "1,234,567", "12.5 MiB", "w" * 90)
    table = Cells(["scheme", "a", "b", "what"], [row])
    for width in range(40, 201, 7):
        text = printed(table, width)
        assert "1,234,567" in text
        assert "12.5 MiB" in text
        assert text.count("x") >= 70
        assert text.count("w") >= 90
    verbs: list[Callable[[], object]] = [
        *(catalogue.schemes, catalogue.devices, trace_write.formats, trace_write.workloads),
        lambda: trace_write.workloads("ips-wdev_0"),
    ]
    for verb in verbs:
        tables = catch(monkeypatch, verb)
        assert tables
        for table in tables:
            check(table, range(40, 201, 20))


def in_terminal(columns: int, *arguments: str | Path) -> str:
    """Return what the command line prints on a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    plain = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
    plain.pop("COLUMNS", None)
    process = subprocess.Popen(cli_words(arguments), stdin=theirs, stdout=theirs, env=plain)
    os.close(theirs)
    found = b""
    try:
        while chunk := os.read(ours, 4096):
            found += chunk
    except OSError:  # the terminal's other end is closed
        pass
    os.close(ours)
    assert process.wait(timeout=60) == 0
    return re.sub(r"\x1b\[[\d;]*m", "", found.decode())


@pytest.mark.parametrize("widths", WIDTHS)
def test_every_figure_of_the_cliff_and_of_claims_stands_whole(widths: Sequence[int]) -> None:
    how: dict[str, Any] = {"device": "tiny", "schemes": ["baseline", "ips"], "write_bytes": 16384}
    sustained, bursts = (
        cliffs.cliff(**how, bursts=n, pause_ns=pause_ns).curves
        for n, pause_ns in ((None, None), (3, 10**9))
    )
    check(cli_cliff.table(sustained), widths)
    check(cli_cliff.table(bursts), widths)
    claim = ("Figure 9b", "writes of 128 KiB take 0.35× the time, at most", "-35.1 %", "-1,234 %")
    check(Cells(["figure", "claim", "paper", "ours"], [claim]), widths)


SCHEMES = ["tlc-only", "baseline"]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> slcache.Comparison:
    """A device that is written as fast as it goes: then schemes differ in pace."""
    trace = write_trace(tmp_path_factory.mktemp("pace") / "t.csv", mixed(900))
    return slcache.compare(trace, device="tiny", schemes=SCHEMES, replay="closed:8")


def test_pace_is_that_of_the_documents(both: slcache.Comparison) -> None:
    ratios = both.to_dict()["normalised"]["schemes"]["baseline"]
    tlc, slc = (document["host"] for document in both.documents)
    assert ratios["duration"] == pytest.approx(slc["duration_ns"] / tlc["duration_ns"])
    # Equal work: the faster one has as many times the requests and bytes per second.
    assert ratios["iops"] == pytest.approx(1 / ratios["duration"])
    assert ratios["bytes_per_s"] == pytest.approx(1 / ratios["duration"])
    tlc_ns, slc_ns = (document["flash"]["ops_until_ns"] for document in both.documents)
    assert ratios["utilisation"] == pytest.approx(ratios["flash_time"] * tlc_ns / slc_ns)
    assert 0 < both.documents[0]["figures"]["utilisation"] <= 1
    faster = both.normalised["schemes"]["baseline"]["duration"] < 1
    pace = both.tables()[1]
    best = {
        title: row[0].plain.removesuffix(" (=1)")
        for row in pace.rows
        for title, cell in zip(pace.columns, row, strict=True)
        if "bold" in str(cell.style)
    }
    winner = SCHEMES[1] if faster else SCHEMES[0]
    assert best == dict.fromkeys(("IOPS", "MB/s", "run time"), winner)
    document = both.runs[0].to_dict()
    document["figures"] |= dict.fromkeys(("iops", "bytes_per_s", "utilisation"))
    empty = slcache.Result.made(document, None, ())
    found = figures.compared(empty.documents[0])
    for name in ("iops", "bytes_per_s", "utilisation"):
        assert found[name] is None
    assert "IOPS" not in empty.summary()


def with_beyond(document: dict[str, Any], beyond: int) -> slcache.Result:
    """Return a result whose p99.9 of reads so many requests lie beyond, and others plenty."""
    changed = copy.deepcopy(document)
    for side in ("read", "write"):
        counts = changed["host"][side]["requests_beyond"]
        counts.update(dict.fromkeys(counts, 10**6))
    changed["host"]["read"]["requests_beyond"]["p99_9"] = beyond
    return slcache.Result.made(changed, None, ())


def test_ten_requests_beyond_carry_a_percentile(both: slcache.Comparison) -> None:
    document = both.runs[0].to_dict()
    for beyond, marked in ((9, True), (10, False)):
        result = with_beyond(document, beyond)
        assert (grid.THIN_NOTE in result.summary()) is marked
        assert (f"p99.9{grid.THIN}" in result.summary()) is False
        assert (grid.THIN_NOTE in result.report()) is marked
        assert figures.is_thin(result.documents[0], "read_p99_9_ns") is marked
        assert not figures.is_thin(result.documents[0], "write_p99_9_ns")
    writes = document["host"]["write"]
    beyond = writes["requests_beyond"]
    assert beyond["p99"] == writes["requests"] // 100 < 10
    assert beyond["p99_9"] == 0
    assert beyond["p50"] == writes["requests"] // 2
    table = both.tables()[0]
    cells = dict(zip(table.columns, (cell.plain for cell in table.rows[1]), strict=True))
    assert cells["write\np99"].endswith(grid.THIN)
    assert cells["write\np99.9"].endswith(grid.THIN)
    assert not cells["write\nmean"].endswith(grid.THIN)
    assert grid.THIN_NOTE in both.summary()
    assert cells["write\np99.9"] in both.report()


def test_metrics_read_what_the_document_holds(comparison: slcache.Comparison) -> None:
    for document in comparison.documents:
        told = {name: metric.value(document) for name, metric in METRICS.items()}
        host = document["host"]
        assert told["read_p99_ns"] == pytest.approx(1000 * host["read"]["latency_us"]["p99"])
        assert told["write_mean_ns"] == pytest.approx(1000 * host["write"]["latency_us"]["mean"])
        assert told["waf"] == document["waf"]["total"]
        assert told["slc_bytes"] == document["cache"]["slc_bytes"]
        assert told["iops"] == pytest.approx(host["requests"] / (told["duration_ns"] or 0) * 1e9)
        # Four planes that work alone.
        flash_ns = sum(op["time_us"] for op in document["flash"]["ops"]) * 1000
        assert told["utilisation"] == pytest.approx(flash_ns / 4 / host["duration_ns"])
        assert told["energy_j"] is None
        assert told["miss_rate"] is None
    for document in comparison.documents:
        for metric in METRICS.values():
            value = metric.value(document)
            assert value is None or isinstance(value, int) == metric.whole, metric.name
        for side in ("read", "write"):
            parts = [PARTS[name].value(document) for name in PARTS if name.startswith(f"{side}_")]
            mean = METRICS[f"{side}_mean_ns"].value(document)
            assert sum(part or 0.0 for part in parts) == pytest.approx(mean, abs=2)


@pytest.mark.parametrize("device", ["tiny", "nvc-hdd", "hyssd-st"])
def test_every_document_has_the_figures_of_the_table(device: str, tmp_path: Path) -> None:
    table = {row["name"]: row for row in json.loads(_core.figures())}
    alone = {name: metric for name, metric in (METRICS | PARTS).items() if name != GAIN_SHARE}
    assert {name: metric.unit for name, metric in alone.items()} == {
        name: row["unit"] for name, row in table.items()
    }
    trace = write_trace(tmp_path / "t.csv", mixed(200))
    schemes, _ = slcache.fitting(device=device)
    for scheme in schemes[:4]:
        settings = {"run.bound": True, "trace.address": "wrap"}
        run = slcache.run(trace, device=device, scheme=scheme, settings=settings)
        document = run.to_dict()
        always = {name for name, row in table.items() if not row.get("needs")}
        assert document["figures"].keys() == always
        assert slcache.Result(json.loads(run.to_json())).to_dict() == document
        for metric in alone.values():
            assert metric.value(document) == document["figures"].get(metric.name)
        assert METRICS[GAIN_SHARE].value(document) is None


def test_every_component_has_words_and_a_colour_of_its_own() -> None:
    words = json.loads(_core.kinds())
    tables = {"service": kinds.SERVICES, "wait": kinds.WAITS, "causes": kinds.CAUSES}
    for group, table in tables.items():
        assert {name: kind.words for name, kind in table.items()} == words[group]
    endings = {"ns": "_ns", "bytes": "_bytes", "bytes/s": "bytes_per_s", "J": "_j"}
    for metric in (METRICS | PARTS).values():
        assert re.fullmatch("[a-z0-9_]+", metric.name)
        assert metric.name.endswith(endings.get(metric.unit, "")), metric.name
        assert metric.summary.endswith(".")


RUN = ("--device", "tiny", "--json", "--progress", "always")


@pytest.mark.parametrize("share", [0.0, 1.0], ids=["only reads", "only writes"])
def test_one_sided_traces_keep_to_the_schema(tmp_path: Path, share: float) -> None:
    trace = write_trace(tmp_path / "t.csv", mixed(60, write_share=share))
    document = json_of("compare", trace, "--schemes", "tlc-only,baseline", *RUN)
    validator("compare").validate(document)
    side = "write" if share == 0.0 else "read"
    assert document["normalised"]["schemes"]["baseline"][f"{side}_mean"] is None
    for run in document["runs"]:
        assert set(run["host"][side]["latency_us"].values()) == {None}
        assert set(run["host"][side]["requests_beyond"].values()) == {0}
        assert set(run["host"]["flush"]["latency_us"].values()) == {None}
        own = [m for name, m in (METRICS | PARTS).items() if name.startswith(f"{side}_")]
        assert {metric.value(run) for metric in own} == {None}


def references(node: object) -> list[str]:
    """Return every reference of a schema."""
    inner = list(node.values()) if isinstance(node, dict) else node
    if not isinstance(inner, list):
        return []
    own = [node["$ref"]] if isinstance(node, dict) and "$ref" in node else []
    return own + [found for each in inner for found in references(each)]


@pytest.mark.parametrize(
    "name",
    ["config", "run", "result", "compare", "cliff", "reproduce", "sweep", "tune", "trace-info"],
)
def test_a_schema_is_whole_in_itself(name: str) -> None:
    document: Any = validator(name).schema
    assert document["title"]
    for reference in references(document):
        assert reference.startswith("#/"), reference
        place = document
        for step in reference.split("/")[1:]:
            place = place[step]


def test_cliff_prints_one_document_as_its_schema_says() -> None:
    for pattern in ((), ("--pattern", "bursts", "--bursts", "2", "--pause", "1h")):
        document = json_of("cliff", "--schemes", "tlc-only,baseline", *pattern, *RUN)
        validator("cliff").validate(document)
        assert set(document["schemes"]) == {"tlc-only", "baseline"}


def test_the_same_inputs_give_the_same_document_in_another_process(trace: Path) -> None:
    texts = set()
    for hash_seed in ("0", "4242"):
        done = command(
            "run", trace, "--scheme", "baseline", *RUN, environment={"PYTHONHASHSEED": hash_seed}
        )
        texts.add(json.dumps(lasting(json.loads(done.stdout))))
    assert len(texts) == 1
