"""Tables come as CSV and Markdown with all digits and units in the header, and as JSON."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import slcache
from slcache.documents import gains
from slcache.metrics import GAIN_SHARE, of_runs
from slcache.tables import sheets
from support import slcache as command

TINY = ("--device", "tiny")


def read(text: str) -> list[list[dict[str, str]]]:
    """The tables of a CSV text, with an empty line between them."""
    return [list(csv.DictReader(io.StringIO(part))) for part in text.split("\n\n")]


def test_a_comparison_has_every_metric_with_all_its_digits(trace: Path) -> None:
    both = ("compare", trace, *TINY, "--schemes", "tlc-only,baseline")
    done = command(*both, "--format", "csv")
    assert done.returncode == 0, done.stderr
    (rows,) = read(done.stdout.decode())
    assert [row["scheme"] for row in rows] == ["tlc-only", "baseline"]
    runs = json.loads(command(*both, "--format", "json").stdout)["runs"]
    for row, document in zip(rows, runs, strict=True):
        for name, metric in of_runs(runs).items():
            title = name if metric.unit == "1" else f"{name} [{metric.unit}]"
            value = metric.value(document)
            if name == GAIN_SHARE and document is not runs[0]:
                value = gains.share(document, runs[0])
            assert row[title] == ("" if value is None else repr(value)), name


@pytest.mark.parametrize(
    ("words", "column"),
    [
        (("schemes",), "summary"),
        (("devices",), "user_bytes [bytes]"),
        (("devices", "show", "tiny"), "read_mb_per_s [MB/s]"),
        (("explain", "slc_blocks"), "default"),
        (("trace", "formats"), "name"),
        (("trace", "workloads"), "about"),
        (("trace", "workloads", "hierarchy-web_0"), "reached"),
        (("cliff", *TINY, "--schemes", "baseline", "--amount", "2MiB"), "first_mb_per_s [MB/s]"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_every_verb_with_a_table_has_the_forms(words: tuple[str, ...], column: str) -> None:
    done = command(*words, "--format", "csv")
    assert done.returncode == 0, done.stderr
    first, *_ = read(done.stdout.decode())
    assert first
    assert column in first[0]
    marked = command(*words, "--format", "markdown").stdout.decode().splitlines()
    assert f"| {column} |" in marked[0]
    assert set(marked[1]) <= set("|- ")
    assert len(marked) >= len(first) + 2
    assert command(*words, "--format", "json").stdout == command(*words, "--json").stdout
    assert command(*words, "--format", "csv", "--json").returncode == 2


def test_a_trace_and_a_difference_have_the_forms(trace: Path, tmp_path: Path) -> None:
    (rows,) = read(command("trace", "info", trace, "--format", "csv").stdout.decode())
    figures = {row["figure"]: row["value"] for row in rows}
    assert figures["summary.reads"].isdigit()
    for seed in (1, 2):
        run = slcache.run(trace, device="tiny", scheme="baseline", seed=seed)
        run.save(tmp_path / f"{seed}.json")
    found = command("diff", tmp_path / "1.json", tmp_path / "2.json", "--format", "csv")
    (rows,) = read(found.stdout.decode())
    assert {"part": "config", "key": "run.seed", "first": "1", "second": "2"}.items() <= rows[
        0
    ].items()


def test_odd_values_stay_in_their_cells() -> None:
    odd = sheets.Sheet([{"a": 'x,"y"\nz', "b": 0.1 + 0.2}, {"b": None, "c": True}])
    (rows,) = [list(csv.DictReader(io.StringIO(sheets.csv([odd]))))]
    assert rows[0]["a"] == 'x,"y"\nz'
    assert float(rows[0]["b"]) == 0.1 + 0.2
    assert rows[1] == {"a": "", "b": "", "c": "true"}
    piped = sheets.markdown([sheets.Sheet([{"a|b": "c|d\ne"}])])
    assert piped.splitlines() == ["| a\\|b |", "| --- |", "| c\\|d e |"]
