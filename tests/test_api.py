"""The Python interface is the command line's equal, and its notebook runs."""

from __future__ import annotations

import importlib.util
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import slcache
from support import mixed, write_trace


def test_run_gives_dictionaries_and_tables(trace: Path) -> None:
    result = slcache.run(trace, device="tiny", scheme="baseline")
    document = result.to_dict()
    assert result.label == document["scheme"]["name"] == "baseline"
    assert document["host"]["write"]["requests"] == result.series["write_requests"].to_numpy().sum()
    programs = [op["pages"] for op in document["flash"]["ops"] if op["kind"] == "program"]
    table = result.ops.to_dicts()
    assert sum(row["pages"] for row in table if row["kind"] == "program") == sum(programs)
    assert result.latency.height > 0
    assert "WAF" in result.summary()
    # It cannot be changed from outside.
    document["host"]["requests"] = -1
    assert result.to_dict()["host"]["requests"] == len(mixed())


def test_metrics_are_attributes_items_and_columns(comparison: slcache.Comparison) -> None:
    frame = comparison.figures
    assert frame["scheme"].to_list() == comparison.labels
    for row, run in zip(frame.to_dicts(), comparison.runs, strict=True):
        assert comparison[run.label] is run
        figures = run.to_dict()["figures"]
        assert {name: row[name] for name in figures} == figures
        assert run.waf == run["waf"] == row["waf"]
        assert run.write_p99 == run["write_p99_ns"] == row["write_p99_ns"]
        assert "waf" in dir(run)
    with pytest.raises(AttributeError, match="did you mean waf"):
        _ = comparison.runs[0].waff
    with pytest.raises(slcache.UsageError, match="did you mean waf"):
        _ = comparison.runs[0]["waff"]
    with pytest.raises(slcache.UsageError, match="no run of 'ips'"):
        _ = comparison["ips"]


def test_a_table_is_had_by_its_name(comparison: slcache.Comparison) -> None:
    assert comparison.to_polars().equals(comparison.figures)
    for name in ("figures", "series", "latency", "ops", "disk", "power"):
        for result in (comparison, comparison.runs[0]):
            assert result.to_polars(name).equals(getattr(result, name))
    with pytest.raises(slcache.UsageError, match=r"table = 'serie'.*series"):
        comparison.to_polars("serie")


@pytest.mark.parametrize("share", [0.0, 1.0], ids=["only reads", "only writes"])
def test_one_sided_traces_are_drawn_and_told(tmp_path: Path, share: float) -> None:
    trace = write_trace(tmp_path / "t.csv", mixed(60, write_share=share))
    both = slcache.compare(trace, device="tiny", schemes=["tlc-only", "baseline"])
    both.save(tmp_path / "out")
    missing = "Writes" if share == 0.0 else "Reads"
    assert missing not in " ".join(both.verdict())


def test_runs_in_threads_agree(trace: Path) -> None:
    def work(_: int) -> dict[str, Any]:
        host: dict[str, Any] = slcache.run(trace, device="tiny", scheme="baseline").to_dict()[
            "host"
        ]
        return host

    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(work, range(4))
    assert others == [first] * 3


NOTEBOOK = Path(__file__).resolve().parent.parent / "examples" / "notebook.py"


@pytest.mark.filterwarnings("default")
def test_every_cell_runs() -> None:
    pytest.importorskip("marimo")
    spec = importlib.util.spec_from_file_location("notebook", NOTEBOOK)
    assert spec is not None
    assert spec.loader is not None
    notebook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(notebook)
    shown, names = notebook.app.run()
    assert len(shown) == 6
    assert names["sizes"] == [4, 6, 8]
    assert all(mean > 0 for mean in names["means"])
    assert "<table>" in names["comparison"]._repr_html_()
