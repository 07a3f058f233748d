"""Tables come as CSV, Markdown and JSON with all digits and units."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache.documents import gains
from slcache.metrics import GAIN_SHARE, of_runs
from slcache.tables import sheets
from support import slcache as command
from verbs import Inputs, verbs

ROOT = Path(__file__).parent.parent
Row = dict[str, str]


def read(text: bytes) -> list[list[Row]]:
    """The tables of a CSV text, with an empty line between them."""
    return [list(csv.DictReader(io.StringIO(part))) for part in text.decode().split("\n\n")]


def cells(table: str) -> list[Row]:
    """The rows of a table in Markdown."""
    head, _, *rows = ([cell.strip() for cell in line.split("|")] for line in table.splitlines())
    return [dict(zip(head, row, strict=True)) for row in rows]


def forms(*words: str | Path, status: int = 0) -> list[list[Row]]:
    """Return the tables in CSV, after a look at the other forms."""
    done = command(*words, "--format", "csv")
    assert done.returncode == status, done.stderr
    tables = read(done.stdout)
    marked = command(*words, "--format", "markdown")
    assert marked.returncode == status, marked.stderr
    # CSV is one table, the first of those that Markdown has.
    lines = marked.stdout.decode().split("\n\n")[0].splitlines()
    assert len(lines) == sum(len(table) + 3 for table in tables) - 1
    assert set(lines[1]) <= set("|- ")
    as_json = command(*words, "--format", "json")
    assert as_json.returncode == status
    assert isinstance(json.loads(as_json.stdout), dict | list)
    both = command(*words, "--format", "csv", "--json")
    assert both.returncode == 2
    assert b"two forms" in both.stderr
    return tables


def test_what_a_study_shows_has_the_forms(trace: Path, tmp_path: Path) -> None:
    room = {"device.user_bytes": "2MiB", "trace.address": "wrap"}
    how: dict[str, Any] = {"vary": {"slc_blocks": "3..4"}, "settings": room, "jobs": 1}
    slcache.sweep(trace, device="tiny", scheme="baseline", out=tmp_path, **how)
    show = ("sweep", "show", tmp_path, "--metric", "write_mean_ns", "--metric", "waf")
    (points,) = forms(*show)
    marked = command(*show, "--format", "markdown").stdout.decode()
    _, effects, front = map(cells, marked.split("\n\n"))
    document = json.loads(command(*show, "--json").stdout)
    ranked = document["configurations"]
    assert [row["waf"] for row in points] == [repr(one["metrics"]["waf"]) for one in ranked]
    (effect,) = document["metrics"]["waf"]["effects"]
    assert [row["waf"] for row in effects] == [repr(level["mean"]) for level in effect["levels"]]
    assert [row["points"] for row in effects] == ["1", "1"]
    best = document["front"]["configurations"]
    found = [row["write_mean_ns [ns]"] for row in front]
    assert found == [repr(one["metrics"]["write_mean_ns"]) for one in best]


def test_a_comparison_has_every_metric_with_all_its_digits(inputs: Inputs) -> None:
    both = ("compare", *inputs.needed(("compare",)))
    (rows,) = read(command(*both, "--format", "csv").stdout)
    assert [row["scheme"] for row in rows] == ["tlc-only", "baseline"]
    runs = json.loads(command(*both, "--format", "json").stdout)["runs"]
    for row, document in zip(rows, runs, strict=True):
        for name, metric in of_runs(runs).items():
            title = name if metric.unit == "1" else f"{name} [{metric.unit}]"
            value = metric.value(document)
            if name == GAIN_SHARE and document is not runs[0]:
                value = gains.share(document, runs[0])
            assert row[title] == ("" if value is None else repr(value)), name


#: Verbs that print a table; those of a paper take runs of minutes.
FORMED = [
    path
    for path, verb in verbs()
    if path != ("reproduce",) and any("--format" in each.opts for each in verb.params)
]
#: Those that have nothing to tell of what is right.
EMPTY = {("diff",), ("trace", "lint")}


@pytest.mark.parametrize("path", FORMED, ids=" ".join)
def test_every_verb_with_a_table_has_the_forms(
    path: tuple[str, ...], inputs: Inputs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    needed = inputs.needed(path)
    # A twin by blocks has no figures to be told, and a workload that is no twin has none.
    if path[-1] in ("twin", "workloads"):
        needed = [*needed[:1], "-o", "o.toml"] if path[-1] == "twin" else ["hierarchy-web_0"]
    rows, *_ = forms(*path, *needed)
    assert bool(rows) == (path not in EMPTY)


def test_odd_values_stay_in_their_cells() -> None:
    odd = sheets.Sheet([{"a": 'x,"y"\nz', "b": 0.1 + 0.2}, {"b": None, "c": True}])
    (rows,) = [list(csv.DictReader(io.StringIO(sheets.csv(odd))))]
    assert rows[0]["a"] == 'x,"y"\nz'
    assert float(rows[0]["b"]) == 0.1 + 0.2
    assert rows[1] == {"a": "", "b": "", "c": "true"}
    piped = sheets.markdown([sheets.Sheet([{"a|b": "c|d\ne"}])])
    assert piped.splitlines() == ["| a\\|b |", "| --- |", "| c\\|d e |"]
