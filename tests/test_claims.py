"""Claims are judged by what the runs say, and only by that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from slcache import ConfigError
from slcache.reproduce import papers, plan, toml
from slcache.reproduce.claims import KINDS, Claim
from slcache.reproduce.ledger import Row, ledger
from slcache.reproduce.measures import MEASURES
from slcache.reproduce.table import Table

#: Mean write latency by workload, scheme and seed: "new" is 25 % and 15 % faster than "old".
WRITES = {
    ("a", "old", 1): 100.0,
    ("a", "new", 1): 75.0,
    ("b", "old", 1): 200.0,
    ("b", "new", 1): 170.0,
    ("a", "old", 2): 100.0,
    ("a", "new", 2): 71.0,
    ("b", "old", 2): 200.0,
    ("b", "new", 2): 170.0,
}


def document(write_us: float, migrated: float = 0.0) -> dict[str, Any]:
    """Return the parts of a result that the claims below read."""
    program = {"kind": "program", "mode": "tlc", "cause": "migration", "bytes": migrated}
    side = {"requests": 1, "latency_us": {"mean": write_us}}
    return {"host": {"write": side}, "flash": {"ops": [program]}, "scheme": {"figures": {}}}


def table(figures: dict[tuple[str, str, int], float]) -> Table:
    return Table({key: document(us, us) for key, us in figures.items()}, "old", ["a", "b"])


def judge(kind: str, paper: Any, figures: dict[Any, float] = WRITES, **more: Any) -> Row:  # noqa: ANN401
    claim = Claim("x", "1", "text", kind, paper, measure="write_mean_us", **more)
    return ledger([claim], {"": table(figures)})[0]


def change(paper: float, tolerance: float) -> Row:
    return judge("change", paper, scheme="new", against="old", tolerance=tolerance)


def test_a_change_is_the_mean_of_the_traces_changes() -> None:
    row = change(-21.0, 2.0)
    assert row.ours == pytest.approx(-21.0)
    assert row.spread == pytest.approx([-22.0, -20.0])
    assert row.detail["per_trace"] == pytest.approx({"a": -27.0, "b": -15.0})
    assert row.verdict == "reproduced"


@pytest.mark.parametrize(
    ("paper", "tolerance", "verdict"),
    [
        (-24.0, 4.0, "reproduced"),
        (-30.0, 4.0, "same direction"),
        (30.0, 4.0, "not reproduced"),
        (3.0, 50.0, "not reproduced"),
        (0.0, 4.0, "not reproduced"),
        (0.0, 30.0, "reproduced"),
    ],
)
def test_a_change_is_judged_by_tolerance_and_sign(
    paper: float, tolerance: float, verdict: str
) -> None:
    assert change(paper, tolerance).verdict == verdict


@pytest.mark.parametrize(
    ("paper", "verdict"),
    [
        (-41.9, "same direction"),
        (-42.1, "not reproduced"),
        (-10.6, "same direction"),
        (-10.4, "not reproduced"),
    ],
)
def test_a_change_of_the_same_direction_is_half_to_twice_the_papers(
    paper: float, verdict: str
) -> None:
    row = change(paper, 1.0)
    assert row.ours == pytest.approx(-21.0)
    assert (row.same_sign, row.verdict) == (True, verdict)


@pytest.mark.parametrize(
    ("kind", "which", "ours", "near", "far"),
    [("change", "most", -15.0, -29.9, -30.1), ("mean", "", -21.0, -41.9, -42.1)],
)
def test_the_limit_is_that_of_the_figure_itself(
    kind: str, which: str, ours: float, near: float, far: float
) -> None:
    for paper, verdict in ((near, "same direction"), (far, "not reproduced")):
        pair: dict[str, Any] = {"measure": "write_mean_us", "scheme": "new", "against": "old"}
        first = Claim("first", "1", "text", "change", -21.0, tolerance=1.0, **pair)
        second = Claim(
            "x", "1", "text", kind, paper, tolerance=1.0, of=["first"], which=which, **pair
        )
        row = ledger([first, second], {"": table(WRITES)})[1]
        assert row.ours == pytest.approx(ours, abs=2.1)
        assert row.verdict == verdict


@pytest.mark.parametrize(
    ("moved", "verdict"), [(4, "reproduced"), (2, "same direction"), (1, "not reproduced")]
)
def test_a_claim_of_every_trace_is_alike_on_half_of_them(moved: int, verdict: str) -> None:
    names = ["a", "b", "c", "d"]
    figures = {(name, "new", 1): 100.0 * (i < moved) for i, name in enumerate(names)}
    documents = {key: document(us, us) for key, us in figures.items()}
    claim = Claim("x", "1", "text", "above", "every trace", measure="write_mean_us", scheme="new")
    (row,) = ledger([claim], {"": Table(documents, "new", names)})
    assert (row.ours, row.verdict) == (f"{moved} of 4 traces", verdict)


def test_a_claim_that_no_run_can_tell_is_listed_without_a_figure() -> None:
    claim = Claim("x", "3", "text", "value", 1090.0, not_simulable="the argument", note="So.")
    (row,) = ledger([claim], {"": table(WRITES)})
    assert (row.verdict, row.ours) == ("cannot be simulated", None)
    assert row.reason == "the argument So."


@pytest.mark.parametrize("more", [{"measure": "waf"}, {"cannot_hold": "no"}])
def test_a_claim_that_no_run_can_tell_measures_nothing(more: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=rf"claim x: {next(iter(more))} = .* no effect beside"):
        Claim("x", "3", "text", "value", 1090.0, not_simulable="why", **more)


def test_a_claim_has_a_class() -> None:
    table_ = {"id": "x", "figure": "1", "text": "t", "kind": "value", "paper": 0}
    claim = toml.build(Claim, {**table_, "class": "calibrated"}, "claims.toml: claim 1")
    (row,) = ledger([claim], {"": table({})})
    assert row.to_dict()["class"] == "calibrated"
    with pytest.raises(ConfigError, match=r"class = 'luck'; allowed: emergent, calibrated, by"):
        toml.build(Claim, {**table_, "class": "luck"}, "claims.toml: claim 1")
    with pytest.raises(ConfigError, match=r"claim 1: class = 3 is not str"):
        toml.build(Claim, {**table_, "class": 3}, "claims.toml: claim 1")


def test_a_change_within_one_percent_has_no_direction() -> None:
    figures = {**dict.fromkeys(WRITES, 100.0), ("a", "new", 1): 99.0, ("a", "new", 2): 99.0}
    row = judge("change", -25.0, figures, scheme="new", against="old", tolerance=3.0)
    assert (row.same_sign, row.verdict) == (False, "not reproduced")


@pytest.mark.parametrize(
    ("paper", "verdict"),
    [
        ([-27, -15], "reproduced"),
        ([-50, -29.9], "same direction"),
        ([-50, -30.1], "not reproduced"),
        ([-13.6, -8], "same direction"),
        ([-13.4, -8], "not reproduced"),
        ([10, 20], "not reproduced"),
    ],
)
def test_a_range_needs_both_ends(paper: list[float], verdict: str) -> None:
    row = judge("range", paper, scheme="new", against="old", tolerance=1.0)
    assert row.ours == pytest.approx([-27.0, -15.0])
    assert row.verdict == verdict


@pytest.mark.parametrize(
    ("paper", "verdict"),
    [(["new", "old"], "reproduced"), (["old", "new"], "not reproduced")],
)
def test_an_order_is_that_of_the_means(paper: list[str], verdict: str) -> None:
    row = judge("order", paper)
    assert (row.ours, row.verdict) == (["new", "old"], verdict)


def test_equal_schemes_share_a_place() -> None:
    row = judge("order", ["new = old"], dict.fromkeys(WRITES, 5.0))
    assert (row.ours, row.verdict) == (["old = new"], "reproduced")


def test_an_extreme_counts_the_traces_won() -> None:
    assert judge("ahead", "every trace", scheme="new", which="least").ours == "2 of 2 traces"
    figures = {**WRITES, ("a", "new", 1): 150.0, ("a", "new", 2): 150.0}
    row = judge("ahead", "every trace", figures, scheme="new", which="least")
    assert (row.ours, row.verdict) == ("1 of 2 traces", "not reproduced")


def test_zero_is_zero_for_every_scheme() -> None:
    none = dict.fromkeys(WRITES, 0.0)
    assert judge("value", 0.0, none, over="sum").verdict == "reproduced"
    row = judge("value", 0.0, {**none, ("b", "new", 2): 1.0}, over="sum")
    assert (row.ours, row.verdict) == (0.5, "not reproduced")
    alone = {"over": "sum", "workloads": ["a"]}
    assert judge("value", 0.0, {**none, ("b", "new", 2): 1.0}, **alone).ours == 0.0


def test_a_bound_looks_at_the_worst() -> None:
    assert judge("bound", 170.0, scheme="new").verdict == "consistent"
    assert judge("bound", 169.0, scheme="new").verdict == "not reproduced"


def test_what_is_better_than_the_papers_figure_is_consistent_and_near_it_reproduced() -> None:
    pair: dict[str, Any] = {"scheme": "new", "against": "old", "tolerance": 4.0}
    for paper, verdict in ((-18.0, "reproduced"), (-16.0, "consistent"), (-26.0, "same direction")):
        assert judge("change", paper, better="below", **pair).verdict == verdict


def test_a_trace_with_nothing_to_divide_by_is_named() -> None:
    figures = {**WRITES, ("b", "old", 1): 0.0, ("b", "old", 2): 0.0}
    row = judge("change", -27.0, figures, scheme="new", against="old", tolerance=1.0)
    assert row.detail["undefined"] == ["b"]
    assert row.ours == pytest.approx(-27.0)


def test_what_cannot_hold_says_why_and_still_shows_ours() -> None:
    row = judge("bound", 1.0, scheme="new", cannot_hold="the argument")
    assert (row.verdict, row.reason, row.ours) == ("cannot hold", "the argument", 170.0)


def test_a_sign_needs_more_than_one_percent() -> None:
    assert judge("change", "below", scheme="new", against="old").verdict == "reproduced"
    assert judge("change", "above", scheme="new", against="old").verdict == "not reproduced"
    same = dict.fromkeys(WRITES, 5.0)
    assert judge("change", "below", same, scheme="new", against="old").verdict == "not reproduced"


def test_a_count_is_of_traces_above_the_threshold() -> None:
    row = judge("count", 1, scheme="new", threshold=100.0)
    assert (row.ours, row.verdict) == (1, "reproduced")
    assert judge("count", 2, scheme="new", threshold=100.0).verdict == "not reproduced"


def test_what_was_not_run_is_not_judged() -> None:
    row = judge("change", -1.0, scheme="absent", against="old")
    assert (row.verdict, row.ours) == ("no data", None)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"kind = 'ratio'; allowed: change"):
        Claim("x", "1", "text", "ratio", 1.0)


@pytest.mark.parametrize("paper", papers())
def test_every_plan_holds_together(paper: str) -> None:
    loaded = plan.load(paper)
    assert loaded.claims
    assert {claim.kind for claim in loaded.claims} <= set(KINDS)
    percent = [
        claim
        for claim in loaded.claims
        if claim.kind == "change" and not isinstance(claim.paper, str)
    ]
    assert all(claim.unit == "%" for claim in percent)


def test_unknown_keys_of_a_plan_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "plan.toml").write_text(
        'titel = "x"\nseeds = "one"\n[quick]\nworkloads = []\nseeds = []\n'
    )
    (folder / "claims.toml").write_text("")
    monkeypatch.setattr(plan, "EXPERIMENTS", tmp_path)
    with pytest.raises(ConfigError) as error:
        plan.load("paper")
    message = str(error.value)
    assert "paper/plan.toml: unknown key titel; allowed: name, title" in message
    assert "paper/plan.toml: title is missing" in message
    assert "paper/plan.toml: seeds = 'one' is not list[int]" in message


def test_measures_are_read_from_results(comparison: Any) -> None:  # noqa: ANN401
    documents = dict(zip(comparison.labels, comparison.documents, strict=True))
    known = {name: MEASURES[name](documents["baseline"]) for name in MEASURES}
    writes = documents["baseline"]["host"]["write"]
    assert known["write_mean_us"] == writes["latency_us"]["mean"]
    assert known["write_requests"] == writes["requests"]


def test_an_order_leaves_out_schemes_that_it_does_not_rank() -> None:
    figures = {("a", "new", 1): 1.0, ("a", "other", 1): 2.0, ("a", "old", 1): 3.0}
    row = judge("order", ["new", "old"], figures)
    assert row.ours == ["new", "old"]
    assert row.verdict == "reproduced"
