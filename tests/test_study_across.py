"""Which configuration is good on all traces: worst factors that are known."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from slcache.report import terminal as text_of
from slcache.study.analysis import Analysis
from slcache.study.outcome import Outcome
from slcache.sweep import report, terminal
from studies import grid, row, table_of

Figures = Mapping[str, float | None]
#: By trace and configuration: less waf is better, more lifetime is.
KNOWN: dict[tuple[str, int], Figures] = {
    ("d/easy", 1): {"waf": 1.0, "lifetime_host_bytes": 100.0},
    ("d/easy", 2): {"waf": 1.2, "lifetime_host_bytes": 80.0},
    ("d/easy", 3): {"waf": 2.0, "lifetime_host_bytes": 99.0},
    ("d/hard", 1): {"waf": 90.0, "lifetime_host_bytes": 1.0},
    ("d/hard", 2): {"waf": 33.0, "lifetime_host_bytes": 3.0},
    ("d/hard", 3): {"waf": 30.0, "lifetime_host_bytes": 4.0},
}
METRICS = ("waf", "lifetime_host_bytes")


def study(figures: Mapping[tuple[str, int], Figures] = KNOWN) -> Analysis:
    rows = [row({"trace": trace, "s.n": n}, values) for (trace, n), values in figures.items()]
    return Analysis.of(Outcome.of(table_of(rows)))


def printed(found: Analysis) -> str:
    return " ".join(text_of.text(*terminal.parts(found)).split())


def test_worst_factors_are_those_of_the_definition() -> None:
    found = json.loads(json.dumps(study().to_dict(), allow_nan=False))["across_traces"]
    assert set(found["metrics"]) == set(METRICS)
    worst = {one["settings"]["s.n"]: one["worst"] for one in found["configurations"]}
    # The one that is at most 1.33 times from the best comes first.
    assert list(worst) == [2, 3, 1]
    assert worst[2]["waf"] == {"factor": pytest.approx(1.2), "trace": "d/easy"}
    assert worst[2]["lifetime_host_bytes"] == {"factor": pytest.approx(4 / 3), "trace": "d/hard"}
    assert worst[3]["lifetime_host_bytes"]["factor"] == pytest.approx(100 / 99)
    assert worst[1]["lifetime_host_bytes"] == {"factor": 4.0, "trace": "d/hard"}


def test_terminal_page_and_table_say_the_same() -> None:
    found = study()
    told = printed(found)
    assert "nearest to the best on all 2 traces is n=2: at worst 1.33×, in lifetime_host_b" in told
    assert "all, waf 2 1.20× 1.33×" in told
    assert "lifetime_host_bytes 3 2.00× 1.01×" in told
    page = report.render(found, "", "")
    assert ">Good on all traces</h2>" in page
    assert "<td>1.33×</td>" in page
    table = terminal.of_analysis(found)[-1]
    assert [each["s.n"] for each in table.records] == [2, 3, 1]
    assert table.records[0]["lifetime_host_bytes worst on"] == "d/hard"


def test_the_best_everywhere_is_called_so() -> None:
    table = grid({"trace": ["a", "b"], "n": [1, 2]}, lambda t, n, _: {"waf": n, "slc_bytes": n})
    told = printed(Analysis.of(Outcome.of(table)))
    assert "The best on all 2 traces, in every metric, is n=1." in told
    assert "all, and each of them 1 1.00× 1.00×" in told


def test_a_metric_that_is_zero_somewhere_has_no_factors() -> None:
    figures = {at: {**values, "slc_bytes": at[1] - 1.0} for at, values in KNOWN.items()}
    found = study(figures)
    assert "slc_bytes" not in found.across.metrics
    assert "No factors of what is 0 somewhere: slc_bytes." in printed(found)


def test_a_metric_that_some_lack_on_a_trace_has_no_factors() -> None:
    lost: Figures = {"waf": 90.0, "lifetime_host_bytes": None}
    found = study({**KNOWN, ("d/hard", 1): lost})
    assert list(found.across.metrics) == ["waf"]
    assert "some configurations have none of: lifetime_host_bytes." in printed(found)


def test_what_has_not_run_on_all_traces_is_counted() -> None:
    found = study({at: values for at, values in KNOWN.items() if at != ("d/hard", 2)})
    assert found.across.left_out == 1
    assert [one.settings["s.n"] for one in found.across.configurations] == [3, 1]
    assert "1 configuration without figures on all traces" in printed(found)
    apart = study(
        {at: values for at, values in KNOWN.items() if (at[0] == "d/easy") == (at[1] < 3)}
    )
    assert "No configuration has figures on all traces." in printed(apart)
    assert apart.to_dict()["across_traces"]["configurations"] == []


def test_a_trace_on_which_nothing_differs_counts_as_run() -> None:
    same: Figures = {"waf": 5.0, "lifetime_host_bytes": 7.0}
    found = study({at: same if at[0] == "d/hard" else values for at, values in KNOWN.items()})
    assert found.across.left_out == 0
    assert found.across.configurations[0].settings == {"s.n": 1}


def test_one_trace_has_nothing_of_it() -> None:
    found = study({at: values for at, values in KNOWN.items() if at[0] == "d/easy"})
    assert "across_traces" not in found.to_dict()
    assert "On all traces" not in printed(found)
    assert "Good on all traces" not in report.render(found, "", "")
    assert len(terminal.of_analysis(found)) == 3
