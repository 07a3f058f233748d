"""Claims are judged by what the runs say, and only by that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from slcache import ConfigError
from slcache.reproduce import papers, plan
from slcache.reproduce.claims import of_row
from slcache.reproduce.ledger import ledger
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


#: The change that most claims are of.
CHANGE = 'change(write_mean_us, "new", "old")'


@pytest.mark.parametrize(
    ("more", "verdict", "ours", "reason"),
    [
        ({"ours": "", "not_simulable": "a", "note": "So."}, "cannot be simulated", None, "a So."),
        ({"paper": "at most 1", "cannot_hold": "b"}, "cannot hold", 170.0, "b"),
    ],
)
def test_what_no_run_decides_says_why_under_both_readings(
    more: dict[str, str], verdict: str, ours: float | None, reason: str
) -> None:
    usual = {"figure": "3", "text": "t", "paper": 1090, "class": "calibrated"}
    claim = of_row("x", {**usual, "ours": 'largest(write_mean_us, "new")', **more}, "claims.toml")
    tables = {"": table(WRITES)}
    (row,) = ledger([claim], tables, tables)
    assert [(each.verdict, each.ours) for each in (row, row.probable) if each] == [
        (verdict, ours)
    ] * 2
    assert (row.reason, row.to_dict()["class"]) == (reason, "calibrated")


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


def refused(
    paper: str, folder: Path, patch: pytest.MonkeyPatch, *changed: str, claims: str = ""
) -> str:
    """Return why a paper's plan is refused with one text for another, and with these claims."""
    text = (plan.EXPERIMENTS / paper / "plan.toml").read_text()
    for old, new in zip(changed[::2], changed[1::2], strict=True):
        assert old in text
        text = text.replace(old, new, 1)
    (folder / paper).mkdir()
    (folder / paper / "plan.toml").write_text(text)
    (folder / paper / "claims.toml").write_text(claims)
    patch.setattr(plan, "EXPERIMENTS", folder)
    with pytest.raises(ConfigError) as error:
        plan.load(paper)
    return str(error.value)


@pytest.mark.parametrize(
    ("paper", "old", "new", "told"),
    [
        ("ips", "title =", "titel =", "unknown key titel; allowed: name, title"),
        ("ips", "title =", "titel =", "title is missing"),
        ("ips", "seeds = [", "seeds = ['one', ", "seeds 1 = 'one'"),
        ("rl", '"write_mb_per_s"', '"mb_per_sec"', ": measure: no measure mb_per_sec; "),
        ("hierarchy", 'names = ["64 KiB", ', "names = [", "merge buffer: 1 names for 2 points"),
    ],
)
def test_what_a_plan_cannot_say_is_told_with_file_and_key(
    paper: str, old: str, new: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = refused(paper, tmp_path, monkeypatch, old, new).splitlines()
    assert [line for line in lines if line.startswith(f"{paper}/plan.toml: ") and told in line]


TOY = {"figure": "1", "text": "t", "paper": "below", "ours": 'change(waf, "sector", "baseline")'}
THERE = {"paper": "above there"}


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
        # Of a paper with a grid.
        ({**THERE, "ours": 'above(gc_time_share, "nvc", more_than=0.15)'}, "at is missing"),
        ({**THERE, "ours": 'above(gc_time_share, "nvc", at=[0.3])'}, "no setting 0.3 of nvc"),
    ],
)
def test_names_that_nothing_bears_are_told_with_file_claim_and_key(
    wrong: dict[str, Any], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper = "nvc" if wrong.items() >= THERE.items() else "hierarchy"
    row = ", ".join(f"{key} = {json.dumps(value)}" for key, value in {**TOY, **wrong}.items())
    error = refused(paper, tmp_path, monkeypatch, claims=f"first = {{ {row} }}\n")
    assert f"{paper}/claims.toml: first: " in error
    assert told in error
