"""Claims are judged by what the runs say, and only by that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from slcache import ConfigError
from slcache.reproduce import papers, plan
from slcache.reproduce.claims import Claim, of_row
from slcache.reproduce.ledger import Row, ledger
from slcache.reproduce.measures import measures, value
from slcache.reproduce.points import Table

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


def judge(ours: str, paper: Any, figures: dict[Any, float] = WRITES, **more: Any) -> Row:  # noqa: ANN401
    claim = Claim("x", "1", "text", paper, ours, **more)
    return ledger([claim], {"": table(figures)})[0]


#: The change that most claims below are of.
CHANGE = 'change(write_mean_us, "new", "old")'


def test_a_change_is_the_mean_of_the_traces_changes() -> None:
    row = judge(CHANGE, "-21 ± 2 %")
    assert row.ours == pytest.approx(-21.0)
    assert row.spread == pytest.approx([-22.0, -20.0])
    assert row.detail["per_trace"] == pytest.approx({"a": -27.0, "b": -15.0})
    assert (row.paper, row.tolerance, row.unit, row.verdict) == (-21, 2, "%", "reproduced")


@pytest.mark.parametrize(
    ("ours", "figure", "near", "far"),
    [
        ('change(write_mean_us, "new", "old", which="most")', -15.0, -29.9, -30.1),
        ('mean(claim("first"))', -21.0, -41.9, -42.1),
    ],
)
def test_the_limit_is_that_of_the_figure_itself(
    ours: str, figure: float, near: float, far: float
) -> None:
    first = Claim("first", "1", "text", "-21 ± 1 %", CHANGE)
    for paper, verdict in ((near, "same direction"), (far, "not reproduced")):
        second = Claim("x", "1", "text", f"{paper} ± 1 %", ours)
        row = ledger([first, second], {"": table(WRITES)})[1]
        assert row.ours == pytest.approx(figure, abs=2.1)
        assert row.verdict == verdict


@pytest.mark.parametrize(
    ("moved", "verdict"), [(4, "reproduced"), (2, "same direction"), (1, "not reproduced")]
)
def test_a_claim_of_every_trace_is_alike_on_half_of_them(moved: int, verdict: str) -> None:
    names = ["a", "b", "c", "d"]
    figures = {(name, "new", 1): 100.0 * (i < moved) for i, name in enumerate(names)}
    documents = {key: document(us, us) for key, us in figures.items()}
    claim = Claim("x", "1", "text", "every trace", 'above(write_mean_us, "new")')
    (row,) = ledger([claim], {"": Table(documents, "new", names)})
    assert (row.ours, row.verdict) == (f"{moved} of 4 traces", verdict)


def test_a_claim_that_no_run_can_tell_is_listed_without_a_figure() -> None:
    claim = Claim("x", "3", "text", 1090.0, not_simulable="the argument", note="So.")
    (row,) = ledger([claim], {"": table(WRITES)})
    assert (row.verdict, row.ours) == ("cannot be simulated", None)
    assert row.reason == "the argument So."


def test_a_claim_has_a_class() -> None:
    row = {"figure": "1", "text": "t", "paper": 0, "ours": 'largest(waf, "new")'}
    claim = of_row("x", {**row, "class": "calibrated"}, "claims.toml")
    (found,) = ledger([claim], {"": table({})})
    assert found.to_dict()["class"] == "calibrated"


#: A row, and what is wrong with it: the key, and the value or the name.
WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"class": "luck"}, "class", "'luck'"),
    ({"class": 3}, "class", "3"),
    ({"not_simulable": "why"}, "ours", "not_simulable"),
    ({"ours": "", "not_simulable": "why", "cannot_hold": "no"}, "cannot_hold", "not_simulable"),
    ({"kind": "change"}, "kind", "unknown key"),
    ({"paper": ""}, "paper", "''"),
    ({"paper": True}, "paper", "True"),
    ({"paper": "sometimes"}, "paper", "sometimes"),
    ({"paper": float("inf")}, "paper", "inf"),
    ({"paper": "9 ± -1 %"}, "paper", "tolerance"),
    ({"paper": "5 to 2"}, "paper", "5 to 2"),
    ({"paper": "1 to 2"}, "paper", "range"),
    *(
        ({"ours": ours}, "ours", told)
        for ours, told in (
            ("", "''"),
            ("7", "column"),
            ('largest(waf, "new"', "never closed"),
            ('largset(waf, "new")', "no function largset"),
            ('largest(wfa, "new")', "no figure wfa"),
            ('largest(waf / wfa, "new")', "no figure wfa"),
            ('largest(waf.total, "new")', "waf.total"),
            ('largest(waf ** 2, "new")', "waf ** 2"),
            ("largest(waf, new)", "new"),
            ("largest(waf)", "0 schemes"),
            ('largest(waf, "new", where="a")', "no keyword where"),
            ('largest(waf, "new", on="a")', "on = 'a'"),
            ('largest(waf, "new", at=["a"])', "at = ['a']"),
            ('change(waf, "new", "old", which="best")', "which = 'best'"),
            ('count(waf, "new")', "more_than is missing"),
            ('where_least(waf, "new", on=["a", "b"])', "one trace"),
            ('2 * order(waf)', "stands alone"),
            ("__import__('os').system('true')", "__import__"),
            ("[x for x in (1, 2)]", "for x in"),
            ("(lambda: 1)()", "lambda"),
            ("1" + " + 1" * 100_000, "ours"),
            ('0x1' + '0' * 300 + ' * largest(waf, "new")', "a number"),
            ('largest(waf * 1e400, "new")', "a number"),
            ('count(waf, "new", more_than=1e400, of=1)', "a number"),
            ('largest(abs(waf, 2), "new")', "abs"),
            ('largest(waf, "new", on=["a"], on=["b"])', "on is given twice"),
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize(("row", "key", "told"), WRONG)
def test_a_row_that_cannot_be_judged_is_refused(row: dict[str, Any], key: str, told: str) -> None:
    usual = {"figure": "1", "text": "t", "paper": 0, "ours": 'largest(waf, "new")'}
    with pytest.raises(ConfigError) as error:
        of_row("x", {**usual, **row}, "p/claims.toml")
    assert "x: " in str(error.value)
    assert key in str(error.value)
    assert told in str(error.value)


def test_what_cannot_hold_says_why_and_still_shows_ours() -> None:
    row = judge('largest(write_mean_us, "new")', "at most 1", cannot_hold="the argument")
    assert (row.verdict, row.reason, row.ours) == ("cannot hold", "the argument", 170.0)


@pytest.mark.parametrize("paper", papers())
def test_every_plan_holds_together(paper: str) -> None:
    loaded = plan.load(paper)
    assert loaded.claims
    percent = [
        claim.expected
        for claim in loaded.claims
        if claim.ours.startswith("change(") and claim.expected.form == "number"
    ]
    assert all(paper.unit == "%" for paper in percent)
    drawn, told = [each.title for each in loaded.figures], [each.title for each in loaded.tables]
    titles = [loaded.title, *drawn, *told]
    assert len(set(titles)) == len(titles)


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
    assert "paper/plan.toml: seeds = 'one'" in message


def test_measures_are_read_from_results(comparison: Any) -> None:  # noqa: ANN401
    documents = dict(zip(comparison.labels, comparison.documents, strict=True))
    known = {name: value(name, documents["baseline"]) for name in measures()}
    writes = documents["baseline"]["host"]["write"]
    assert known["write_mean_us"] == writes["latency_us"]["mean"]
    assert known["write_requests"] == writes["requests"]


TOY = {"figure": "1", "text": "t", "paper": "below", "ours": 'change(waf, "sector", "baseline")'}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"part": "mian"}, "part = 'mian'"),
        ({"ours": 'change(waf, "sectro", "baseline")'}, "ours: no scheme sectro"),
        ({"ours": 'change(waf, "sector", "baseline", on=["web"])'}, "ours: no trace web"),
        ({"ours": 'claim("later") - 1'}, "ours: no claim before it is later"),
        ({"ours": "order(waf)", "paper": ["sa", "sb"]}, "paper: no scheme sb"),
        (
            {"ours": 'rises(waf, "sector")', "paper": "every trace"},
            "ours: rises: sector is no grid",
        ),
        ({"figure": 1}, "figure = 1"),
        ({"colour": "red"}, "unknown key colour"),
    ],
)
def test_names_that_nothing_bears_are_told_with_file_claim_and_key(
    wrong: dict[str, Any], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "toy"
    folder.mkdir()
    source = plan.EXPERIMENTS / "hierarchy" / "plan.toml"
    (folder / "plan.toml").write_text(source.read_text())
    row = ", ".join(f"{key} = {json.dumps(value)}" for key, value in {**TOY, **wrong}.items())
    (folder / "claims.toml").write_text(f"first = {{ {row} }}\n")
    monkeypatch.setattr(plan, "EXPERIMENTS", tmp_path)
    with pytest.raises(ConfigError) as error:
        plan.load("toy")
    assert "toy/claims.toml: first: " in str(error.value)
    assert told in str(error.value)


def test_a_measure_of_a_plan_is_one_that_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "rl"
    folder.mkdir()
    text = (plan.EXPERIMENTS / "rl" / "plan.toml").read_text()
    wrong = text.replace('"write_mb_per_s"', '"write_mb_per_sec"')
    (folder / "plan.toml").write_text(wrong)
    (folder / "claims.toml").write_text("")
    monkeypatch.setattr(plan, "EXPERIMENTS", tmp_path)
    with pytest.raises(ConfigError, match="yardstick: measure: no measure write_mb_per_sec; allow"):
        plan.load("rl")


@pytest.mark.parametrize(
    ("ours", "told"),
    [
        ('above(gc_time_share, "nvc", more_than=0.15)', "at is missing"),
        ('above(gc_time_share, "nvc", at=[0.3])', "no setting 0.3 of nvc"),
    ],
)
def test_settings_are_those_of_the_grid(
    ours: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "nvc"
    folder.mkdir()
    (folder / "plan.toml").write_text((plan.EXPERIMENTS / "nvc" / "plan.toml").read_text())
    row = f"{{ figure = '1', text = 't', ours = '{ours}', paper = 'above there' }}"
    (folder / "claims.toml").write_text(f"first = {row}\n")
    monkeypatch.setattr(plan, "EXPERIMENTS", tmp_path)
    with pytest.raises(ConfigError) as error:
        plan.load("nvc")
    assert f"nvc/claims.toml: first: ours: above: {told}" in str(error.value).replace(
        ": at: no", ": no"
    )
