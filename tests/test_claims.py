# ruff: noqa: ANN401 - a figure is a number, a text, a list or nothing
"""Claims are judged by what the runs say, and each of every paper can pass, fail and lack data."""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from slcache import ConfigError
from slcache.reproduce import papers, plan
from slcache.reproduce.claims import ClaimRow, PaperClaim, of_row, rows_of
from slcache.reproduce.notation import Call, evaluate
from slcache.reproduce.parts import PlanPart, Variant
from slcache.reproduce.points import PointTable
from test_reproduce_papers import table as optima
from test_reproduce_papers import trends as curves

#: Mean write latency by workload, scheme and seed: "new" is 25 % and 15 % faster than "old".
WRITES = {
    **{("a", "old", n): 100.0 for n in (1, 2)},
    **{("b", name, n): us for name, us in (("old", 200.0), ("new", 170.0)) for n in (1, 2)},
    **{("a", "new", 1): 75.0, ("a", "new", 2): 71.0},
}


def writes(figures: Mapping[tuple[str, str, int], float]) -> PointTable:
    """Return a table of so many microseconds."""
    documents = {
        key: {"host": {"write": {"requests": 1, "latency_us": {"mean": us}}}}
        for key, us in figures.items()
    }
    return PointTable(documents, "old", ["a", "b"])


#: The change that most claims are of.
CHANGE = 'change(write_mean_us, "new", "old")'


#: Where nothing is asked of the figure, or of the verdict.
ANY: Any = object()
GOOD, ALIKE, BAD = "reproduced", "same direction", "not reproduced"
LIMIT, NONE = "consistent", "no data"
EACH, STEPS, THERE = "every trace", "at every step", "above there"


def one(*up: float, **flat: tuple[float, ...]) -> PointTable:
    """Return a table of a grid with one curve, or two."""
    return curves({"grid": {("up", 1): up, **{(t, 1): of for t, of in flat.items()}}, "other": {}})


def changes(of: Mapping[str, float]) -> PointTable:
    """Return a table of one scheme against another, which changes by so many percent."""
    documents = {
        (trace, scheme, 1): {"scheme": {"figures": {"lifetime": cost}}}
        for trace, change in of.items()
        for scheme, cost in (("new", 100 + change), ("old", 100.0))
    }
    return PointTable(documents, "old", list(of))


#: Of the trace that gains most on average.
MOST = f'{CHANGE[:-1]}, which="most")'
#: What is judged before every claim, of the tables that have it.
FIRST = 'claim("first")'
BEFORE = PaperClaim("first", "1", "text", "-21 ± 1 %", CHANGE)

#: The write latency of "new" is 25 % (29 %) and 15 % less than that of "old": `WRITES`.
OF_WRITES = [
    (CHANGE, "-21 ± 2 %", -21, GOOD),
    (CHANGE, "-24 ± 4 %", ANY, GOOD),
    (CHANGE, "-30 ± 4 %", ANY, ALIKE),
    (CHANGE, "30 ± 4 %", ANY, BAD),
    (CHANGE, "3 ± 50 %", ANY, BAD),
    (CHANGE, "0 ± 4 %", ANY, BAD),
    (CHANGE, "0 ± 30 %", ANY, GOOD),
    # Half to twice the paper's size is alike.
    (CHANGE, "-41.9 ± 1 %", ANY, ALIKE),
    (CHANGE, "-42.1 ± 1 %", ANY, BAD),
    (CHANGE, "-10.6 ± 1 %", ANY, ALIKE),
    (CHANGE, "-10.4 ± 1 %", ANY, BAD),
    (CHANGE, "-18 ± 4 % or below", ANY, GOOD),
    (CHANGE, "-16 ± 4 % or below", ANY, LIMIT),
    (CHANGE, "-26 ± 4 % or below", ANY, ALIKE),
    (CHANGE, "below", ANY, GOOD),
    (CHANGE, "above", ANY, BAD),
    (f'{CHANGE[:-1]}, which="most")', "-29.9 ± 1 %", -15, ALIKE),
    (f'{CHANGE[:-1]}, which="most")', "-30.1 ± 1 %", -15, BAD),
    # Of the claim before.
    (f"mean({FIRST})", "-41.9 ± 1 %", -21, ALIKE),
    (f"mean({FIRST})", "-42.1 ± 1 %", -21, BAD),
    (f"abs({FIRST}) - 10", "above", 11, GOOD),
    (f"10 - abs({FIRST})", "above", -11, BAD),
    ('ends(write_mean_us, "new", "old")', "-27 to -15 ± 1 %", [-27, -15], GOOD),
    ('ends(write_mean_us, "new", "old")', "-50 to -29.9 ± 1 %", ANY, ALIKE),
    ('ends(write_mean_us, "new", "old")', "-50 to -30.1 ± 1 %", ANY, BAD),
    ('ends(write_mean_us, "new", "old")', "-13.6 to -8 ± 1 %", ANY, ALIKE),
    ('ends(write_mean_us, "new", "old")', "-13.4 to -8 ± 1 %", ANY, BAD),
    ('ends(write_mean_us, "new", "old")', "10 to 20 ± 1 %", ANY, BAD),
    ('largest(write_mean_us, "new")', "at most 170", 170, LIMIT),
    ('largest(write_mean_us, "new")', "at most 169", 170, BAD),
    ('largest(2 * write_mean_us + write_mean_us / 4 - 1, "new")', "381.5 us", 381.5, GOOD),
    ('largest(1 / (write_mean_us - write_mean_us), "new")', 1, None, NONE),
    (f'-largest(write_mean_us, "new") + 2 * abs({CHANGE})', -128, -170 + 2 * 21, ANY),
    ("order(write_mean_us)", ["new", "old"], ["new", "old"], GOOD),
    ("order(write_mean_us)", ["old", "new"], ["new", "old"], BAD),
    ('least(write_mean_us, "new")', EACH, "2 of 2 traces", GOOD),
    ('count(write_mean_us, "new", more_than=100)', 1, 1, GOOD),
    ('count(write_mean_us, "new", more_than=100)', 2, 1, BAD),
    ('change(write_mean_us, "absent", "old")', "-1 %", None, NONE),
]
SAME, ZERO = (writes(dict.fromkeys(WRITES, us)) for us in (5.0, 0.0))
#: Other figures of the same runs.
HARDLY = writes(dict.fromkeys(WRITES, 100.0) | {("a", "new", n): 99.0 for n in (1, 2)})
WORSE_ON_A = writes(WRITES | {("a", "new", n): 150.0 for n in (1, 2)})
SOME = writes(dict.fromkeys(WRITES, 0.0) | {("b", "new", 2): 1.0})
#: One seed is lucky on a: its change is 0 and 40 %, that on b 10 %.
LUCKY = writes(
    {("a", "new", 1): 100.0, ("a", "new", 2): 140.0}
    | {("b", "new", n): 220.0 for n in (1, 2)}
    | {key: us for key, us in WRITES.items() if key[1] == "old"}
)
NOTHING = writes({key: 75.0 * (key[1] == "new") for key in WRITES})
NO_OLD = writes(WRITES | {("b", "old", n): 0.0 for n in (1, 2)})
THREE = writes({("a", name, 1): us for name, us in (("new", 1.0), ("other", 2.0), ("old", 3.0))})

#: Over a grid: "up" rises from 10 to 50, "flat" sinks from 100 to 98.5, "other" is another grid.
OF_CURVES = [
    ('rises(lifetime, "grid", on=["up"])', EACH, ANY, GOOD),
    ('falls(lifetime, "grid", on=["up"])', EACH, ANY, BAD),
    ('falls(lifetime, "grid", on=["flat"])', EACH, ANY, GOOD),
    ('rises(lifetime, "grid", on=["flat"])', EACH, ANY, BAD),
    ('rises(lifetime, "grid")', EACH, "1 of 2 traces", ALIKE),
    ('span(lifetime, "grid", on=["up"])', "42 ± 3", 40, GOOD),
    ('span(lifetime, "grid", on=["up"])', "44 ± 3", 40, BAD),
    ('swing(lifetime, "grid", on=["flat"])', "at most 5", 100 * (100 / 98.5 - 1), LIMIT),
    ('swing(lifetime, "grid")', "at most 5", 400, BAD),
    ('widest(lifetime, "grid")', "up", "up", GOOD),
    ('widest(lifetime, "grid")', "flat", "up", BAD),
    ('widest(lifetime, "grid", on=["up"])', "up", ANY, NONE),
    ('100 * reaches(lifetime, "grid", on=["up"], times=2)', 50, 50, GOOD),
    ('100 * reaches(lifetime, "grid", on=["up"], times=2.1)', "50 ± 49", 100, BAD),
    ('100 * reaches(lifetime, "grid", on=["up"], times=6)', 50, "never: 5.00 at most", BAD),
    ('ends(lifetime, "grid", "alone")', "-95 to -50 ± 1", [-95, -50], GOOD),
    ('ends(lifetime, "grid", "alone")', "-99 to -25.1 ± 1", ANY, ALIKE),
    ('ends(lifetime, "grid", "alone")', "-99 to -24.9 ± 1", ANY, BAD),
    ('ends(lifetime, "grid", "other")', "-95 to 50", ANY, BAD),
    # Against other: up 0, +100 and -37.5 %; flat +100, +99 and +97 %.
    ('change(lifetime, "grid", "other", on=["up"])', "20 ± 2", 62.5 / 3, GOOD),
    ('change(lifetime, "grid", "other", on=["up"])', "10.5", ANY, ALIKE),
    ('change(lifetime, "grid", "other", on=["up"])', "10.4", ANY, BAD),
    ('change(lifetime, "grid", "other", on=["up"])', "-5 ± 99", ANY, BAD),
    ('change(lifetime, "grid", "other")', "above", ANY, GOOD),
    ('change(lifetime, "grid", "other")', "below", ANY, BAD),
    ('change(lifetime, "grid", "other", on=["up"], at=[1])', "below", ANY, GOOD),
    ('more_there(lifetime, "grid", "other", on=["up"], at=[0.5])', "above", 118.75, GOOD),
    ('more_there(lifetime, "grid", "other", on=["up"], at=[1])', "above", ANY, BAD),
    ('largest(lifetime, "grid")', "at most 100", 100, LIMIT),
    ('largest(lifetime, "grid")', "at most 99", 100, BAD),
    ('most(lifetime, "grid", among=["grid", "other"])', EACH, "1 of 2 traces", ALIKE),
    ('least(lifetime, "grid", among=["grid", "other"], on=["up"])', EACH, ANY, GOOD),
    ('peak(lifetime, "grid", times=100)', "30 to 70 ± 30", ANY, GOOD),
    ('peak(lifetime, "grid", times=100)', "30 to 70 ± 29", ANY, BAD),
    # What is above everywhere says nothing of where.
    ('above(lifetime, "grid", on=["up"], at=[1], more_than=30)', THERE, "above at 1", GOOD),
    ('above(lifetime, "grid", on=["up"], at=[1], more_than=9)', THERE, "above at 0, 0.5, 1", BAD),
    ('apart(lifetime, "grid", on=["up"])', "below", ANY, GOOD),
    ('apart(lifetime, "grid", on=["up"])', "above", ANY, BAD),
    ('apart(lifetime, "grid", on=["up", "flat"])', "below", ANY, NONE),
    # Of a trace that was not run.
    *(
        (f'{function}(lifetime, "grid"{other}, on=["c"])', paper, None, NONE)
        for function, paper, other in (
            *(("change", 5, ', "other"'), ("change", "above", ', "other"')),
            *(("ends", "0 to 1", ', "other"'), ("ends", "0 to 1", ""), ("largest", 1, "")),
            *(("span", 1, ""), ("swing", "at most 1", ""), ("total", 0, ""), ("rises", EACH, "")),
            *(("above", THERE, ""), ("ends_below", EACH, ""), ("widest", "c", "")),
            *(("apart", "above", ""), ("valley", EACH, ""), ("peak", "0 to 1", "")),
            *(("where_least", 1, ""), ("falls", STEPS, ', "other"')),
            ("up_on", "1 to 2", ', "other"'),
        )
    ),
]
BENT = one(10.0, 9.0, 30.0)

#: The change of "new" against "old", in percent, by trace.
OF_TRACES = [
    ("down_on", "2 to 2", "", GOOD),
    ("down_on", "3 to 3", "", ALIKE),
    ("down_on", "7 to 9", "", BAD),
    ("up_on", "1 to 1", "", GOOD),
    ("up_on", "3 to 3", "", BAD),
    # Of too few traces a count says nothing, nor does a way over traces that are not all there.
    ("up_on", "2 to 2", ", of=11", NONE),
    ("rises", STEPS, ', on=["a", "b", "e"]', NONE),
    ("falls", STEPS, ', on=["d", "c", "b", "a"]', GOOD),
    ("falls", STEPS, ', on=["c", "d", "b", "a"]', ALIKE),
    ("falls", STEPS, ', on=["a", "b", "c", "d"]', BAD),
]
TRACES = changes({"a": -20.0, "b": -5.0, "c": 0.5, "d": 40.0})

ON_A, ON_B, ON_C = (f'where_least(lifetime, "static", on=["{trace}"])' for trace in "abc")
#: Optima of the means over seeds: in the middle of the grid on a, at its first setting on b.
OF_OPTIMA = [
    (f"100 * {ON_A}", "50 ± 10", 50, GOOD),
    (f"100 * {ON_A}", "60 ± 10", 50, GOOD),
    (f"100 * {ON_A}", "61 ± 10", 50, BAD),
    ('where_most(lifetime, "static", on=["b"])', 0.9, 0.9, ANY),
    ('valley(lifetime, "static")', EACH, "1 of 2 traces", ALIKE),
    ('valley(lifetime, "static", on=["a"])', EACH, ANY, GOOD),
    ('valley(lifetime, "static", on=["b"])', EACH, ANY, BAD),
    (f"100 * ({ON_A} - {ON_B})", "40 ± 1", 40, GOOD),
    (f"100 * ({ON_B} - {ON_A})", 40, -40, ANY),
    (ON_C, 1, None, NONE),
    (f"{ON_A} - {ON_C}", 1, None, NONE),
]

CASES: list[tuple[PointTable, str, Any, Any, Any]] = [
    *((writes(WRITES), *case) for case in OF_WRITES),
    # A change within one percent has no direction.
    (HARDLY, CHANGE, "-25 ± 3 %", ANY, BAD),
    (SAME, CHANGE, "below", ANY, BAD),
    (SAME, "order(write_mean_us)", ["new = old"], ["old = new"], GOOD),
    (THREE, "order(write_mean_us)", ["new", "old"], ["new", "old"], GOOD),
    (WORSE_ON_A, 'least(write_mean_us, "new")', EACH, "1 of 2 traces", BAD),
    (ZERO, "total(write_mean_us)", 0, ANY, GOOD),
    (SOME, "total(write_mean_us)", 0, 0.5, BAD),
    (SOME, 'total(write_mean_us, on=["a"])', 0, 0.0, ANY),
    (THREE, 'most(write_mean_us, "other")', EACH, "0 of 1 traces", BAD),
    (THREE, 'most(write_mean_us, "other", among=["new", "other"])', EACH, ANY, GOOD),
    (LUCKY, MOST, "20 ± 1 %", 20, GOOD),
    # More than nothing is a direction.
    (NOTHING, CHANGE, "above", "150 against 0", GOOD),
    (NOTHING, CHANGE, "below", "150 against 0", BAD),
    (ZERO, CHANGE, "above", "0 against 0", BAD),
    # A trace with nothing to divide by is left out.
    (NO_OLD, CHANGE, "-27 ± 1 %", -27, ANY),
    *((curves(), *case) for case in OF_CURVES),
    # What hardly moves neither rises nor falls; a step back leaves the direction.
    *((one(100.0, 100.2, 100.4), f'{way}(lifetime, "grid")', EACH, ANY, BAD)
      for way in ("rises", "falls")),
    (one(0.0, 0.0, 0.0), 'rises(lifetime, "grid")', EACH, ANY, BAD),
    (BENT, 'rises(lifetime, "grid")', EACH, "0 of 1 traces", ALIKE),
    (BENT, 'rises(lifetime, "grid", at=[0.5, 1])', EACH, ANY, GOOD),
    (one(100.0, 90.0, 101.0), 'rises(lifetime, "grid")', EACH, ANY, BAD),
    (one(100.0, 90.0, 102.0), 'rises(lifetime, "grid")', EACH, ANY, ALIKE),
    (one(1, 3, 2, flat=(1, 3, 4)), 'ends_below(lifetime, "grid")', EACH, "1 of 2 traces", ALIKE),
    *((TRACES, f'{f}(lifetime, "new", "old"{more})', paper, ANY, verdict)
      for f, paper, more, verdict in OF_TRACES),
    # What holds on half of the traces is alike.
    *((changes({name: 5.0 if name in above else -5.0 for name in "abcd"}),
       'above(lifetime, "new", more_than=100)', EACH, f"{len(above)} of 4 traces", verdict)
      for above, verdict in (("abcd", GOOD), ("ab", ALIKE), ("a", BAD))),
    (changes({"a": -1.5, "b": 0.9}), 'up_on(lifetime, "new", "old")', "2 to 2", ANY, BAD),
    *((optima(), *case) for case in OF_OPTIMA),
]  # fmt: skip


@pytest.mark.parametrize(
    ("table", "ours", "paper", "figure", "verdict"),
    [pytest.param(*case, id=f"{case[1]}: {case[2]}") for case in CASES],
)
def test_functions_have_verdicts(
    table: PointTable, ours: str, paper: Any, figure: Any, verdict: Any
) -> None:
    (_, row) = rows_of([BEFORE, PaperClaim("x", "1", "text", paper, ours)], {"": table})
    is_text = figure is None or isinstance(figure[0] if isinstance(figure, list) else figure, str)
    assert figure is ANY or row.ours == (figure if is_text else pytest.approx(figure))
    assert verdict is ANY or row.verdict == verdict


@pytest.mark.parametrize(
    ("table", "ours", "paper", "key", "told"),
    [
        *(
            (table, ours, paper, "spread", pytest.approx(spread))
            for table, ours, paper, spread in (
                (writes(WRITES), CHANGE, "-21 ± 2 %", [-22, -20]),
                (writes(WRITES), MOST, "-16 %", [-15, -15]),
                (writes(WRITES), f"{CHANGE} - 2 * {CHANGE}", 21, [20, 22]),
                (curves(), 'span(lifetime, "grid", on=["up"])', "42 ± 3", [30, 50]),
                (curves(), '100 * reaches(lifetime, "grid", on=["up"], times=2)', 50, [50, 100]),
                (optima(), f"100 * {ON_A}", "50 ± 10", [50, 90]),
                (optima(), f"100 * ({ON_A} - {ON_B})", "40 ± 1", [40, 80]),
            )
        ),
        (writes(WRITES), CHANGE, "-21 %", "per_trace", pytest.approx({"a": -27, "b": -15})),
        (NO_OLD, CHANGE, "-27 ± 1 %", "undefined", ["b"]),
        (optima(), f"100 * {ON_A}", "50 ± 10", "per_seed", [50, 90]),
        *(
            (curves(), ours, paper, key, told)
            for ours, paper, key, told in (
                ('most(lifetime, "grid", among=["grid", "other"])', EACH, "winners",
                 {"up": ["other"], "flat": ["grid"]}),
                ('peak(lifetime, "grid", times=100)', "30 to 70", "per_trace",
                 {"up": 100, "flat": 0}),
                ('apart(lifetime, "grid", "other", on=["up"])', "below", "per_trace",
                 pytest.approx({"up": 62.5 / 3, "flat": 296 / 3})),
            )
        ),
    ],
)  # fmt: skip
def test_details_are_told(table: PointTable, ours: str, paper: Any, key: str, told: Any) -> None:
    (row,) = rows_of([PaperClaim("x", "1", "text", paper, ours)], {"": table})
    assert {**row.detail, "spread": row.spread}[key] == told


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
    tables = {"": writes(WRITES)}
    (row,) = rows_of([claim], tables, tables)
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
            ('largset(waf, "new")', "largset: no such function"),
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


TOY = {"figure": "1", "text": "t", "paper": "below", "ours": 'change(waf, "sector", "baseline")'}
GRIDDED = {"paper": THERE}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"part": "mian"}, "part: no part mian; allowed: "),
        ({"ours": 'change(waf, "sectro", "baseline")'}, "change: no scheme sectro"),
        ({"ours": 'change(waf, "sector", "baseline", on=["web"])'}, "change: no workload web"),
        ({"ours": 'claim("later") - 1'}, "no claim before later"),
        ({"ours": "order(waf)", "paper": ["sa", "sb"]}, "paper: no scheme sb"),
        ({"ours": 'rises(waf, "sector")', "paper": EACH}, "rises: sector is no grid"),
        ({"figure": 1}, "figure = 1"),
        ({"colour": "red"}, "unknown key colour"),
        # Of a paper with a grid.
        ({**GRIDDED, "ours": 'above(gc_time_share, "nvc", more_than=0.15)'}, "at is missing"),
        ({**GRIDDED, "ours": 'above(gc_time_share, "nvc", at=[0.3])'}, "no setting 0.3 of nvc"),
        # A paper, and what of its plan is another text.
        (("ips", "title =", "titel ="), "unknown key titel; allowed: name, title"),
        (("ips", "title =", "titel ="), "title is missing"),
        (("ips", "seeds = [", "seeds = ['one', "), "seeds 1 = 'one'"),
        (("rl", '"write_mb_per_s"', '"mb_per_sec"'), "picks 1: measure: no measure mb_per_sec; "),
        (("hierarchy", 'level = "64 KiB", ', ""), "points 1: level is missing: what it is called"),
        (("hierarchy", '{ level = "x 0.01", ', "{ "), "cross 1 2: level is missing"),
    ],
)
def test_what_a_plan_or_claims_cannot_say_is_told_with_file_and_key(
    wrong: Any, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if isinstance(wrong, tuple):
        paper, *changed = wrong
        lines = refused(paper, tmp_path, monkeypatch, *changed).splitlines()
        assert [line for line in lines if line.startswith(f"{paper}/plan.toml: ") and told in line]
        return
    paper = "nvc" if wrong.items() >= GRIDDED.items() else "hierarchy"
    row = ", ".join(f"{key} = {json.dumps(value)}" for key, value in {**TOY, **wrong}.items())
    error = refused(paper, tmp_path, monkeypatch, claims=f"first = {{ {row} }}\n")
    assert f"{paper}/claims.toml: first: " in error
    assert told in error


PLANS = {paper: plan.load(paper) for paper in papers()}
CLAIMS = [
    pytest.param(paper, claim, id=f"{paper}-{claim.id}")
    for paper, loaded in PLANS.items()
    for claim in loaded.claims
    if not claim.not_simulable
]
#: A made-up figure for a place: a trace, by its number `t` of `traces` that the claim names or of
#: all, a scheme, which is the claim's `own` or another, or a setting `at` of a grid, by its number
#: `s` of `settings`.
Figures = Callable[[Any], float | None]


def first_of(paper: str, claim: PaperClaim) -> tuple[PaperClaim, Call]:
    """Return the claim that has the function, itself or one that it is made of, and that."""
    if claim.calls:
        return claim, claim.calls[0]
    return first_of(paper, next(c for c in PLANS[paper].claims if c.id == claim.of[0]))


@functools.cache
def points(paper: str) -> Mapping[str, tuple[str, int, int, Variant]]:
    """Return each point of the grids: its grid, its number there, how many, and the variant."""
    every = [(grid.name, grid.variants) for grid in PLANS[paper].grids]
    return {v.name: (name, i, len(of), v) for name, of in every for i, v in enumerate(of)}


@functools.cache
def schemes(paper: str, part: str) -> list[str]:
    """Return what the tables of a part have."""
    of = PLANS[paper]
    named = [variant.name for variant in of.expand(of.part(part).schemes)]
    return named + [pick.name for pick in of.picks if part in pick.parts]


class Synthetic(PointTable):
    """A table of a part whose figures are made up."""

    def __init__(
        self, paper: str, part: PlanPart, claim: PaperClaim, figures: Figures, without: str
    ) -> None:
        of, traces = PLANS[paper], PLANS[paper].traces_of(part)
        names = list(dict.fromkeys([*traces, *claim.traces]))
        documents: Any = {
            (w, s, 1): {} for w in names for s in schemes(paper, part.name) if w != without
        }
        super().__init__(documents, part.reference, names, of.grids, traces)
        self.named = [name for name in names if name in (claim.traces or names)]
        self.points, self.call, self.figures = points(paper), first_of(paper, claim)[1], figures

    def get(self, measure: str, workload: str, scheme: str, seed: int) -> float | None:
        """Return the made-up figure of a run that was made."""
        if (workload, scheme, seed) not in self.documents:
            return None
        grid, setting, count, variant = self.points.get(scheme, ("", 0, 1, None))
        named = workload in self.named
        place = SimpleNamespace(measure=measure, workload=workload, scheme=scheme, named=named)
        place.t, place.traces = self.named.index(workload) if named else 0, len(self.named)
        place.own = self.call.schemes[:1] in ((scheme,), (grid,))
        place.at, place.s, place.settings = variant and variant.point[0], setting, count
        return self.figures(place)


def judge(paper: str, claim: PaperClaim, figures: Figures, without: str = "") -> ClaimRow:
    """Return the row of a claim, with those that it is of judged before it."""
    loaded = PLANS[paper]
    claims = [c for c in loaded.claims if c.id in claim.of] + [replace(claim, cannot_hold="")]
    # Those that it is of are all about one scheme.
    tables = {
        name: Synthetic(paper, loaded.part(name), claims[0], figures, without)
        for name in ("", *(part.name for part in loaded.parts))
    }
    return rows_of(claims, tables)[-1]


def given(figures: Callable[..., float], *told: Any) -> Figures:
    """Return figures that are told these too."""
    return lambda p: figures(p, *told)


def beside(ends: list[float], base: float) -> Figures:
    """Return figures of the claim's scheme that go from end to end, above those of others."""

    def figure(p: Any) -> float:
        number, count = (p.s, p.settings) if p.settings > 1 else (p.t, p.traces)
        way = number / (count - 1) if count > 1 else 0
        return base + (ends[0] + (ends[-1] - ends[0]) * way if p.own or not base else 0)

    return figure


def two_of(*sizes: float) -> Figures:
    """Return figures of which the first measure that is asked for has one size, others another."""
    order: list[str] = []

    def figure(p: Any) -> float:
        order.extend([p.measure] * (p.measure not in order))
        return sizes[order.index(p.measure) % 2] if p.own else 1.0

    return figure


def tried(claim: PaperClaim, call: Call) -> Iterator[Figures]:
    """Yield figures until one passes and one fails: of the paper's size and order, and others."""
    paper, more = claim.expected.paper, call.more
    found = paper if isinstance(paper, list) else [paper]
    ends = [float(x) for x in found if isinstance(x, int | float)]
    scale = float(evaluate(call.column, lambda _: 1.0))
    sized = [x / scale for x in ends]
    # As much more than a rival as the paper has it, and as large.
    yield from (beside([x], 100) for x in (*ends, 0.0, -60.0, 50.0, 900.0))
    yield from (beside(of, base) for of, base in ((ends, 100), (sized, 0)) if of)
    yield from (two_of(3.0, 1.1), two_of(1.1, 3.0))
    limit = more.more_than or (more.times if "times" in more.model_fields_set else 0.0)
    low, high = (limit / 2, limit * 2) if limit else (50, 200)
    yield from (beside([x], 0) for x in (*sized, limit / 2, limit * 2, 0.0, 1.0, 1e12))
    # On so many of the traces.
    for count, (there, other) in itertools.product(range(12), ((high, low), (low, high))):
        yield given(lambda p, n, a, b: (a if p.t < n else b) if p.own else 1e2, count, there, other)
    # Schemes in the paper's order and the other way, and traces likewise.
    place = {n: i for i, g in enumerate(found) if isinstance(g, str) for n in g.split(" = ")}
    for way in (1, -1):
        yield given(lambda p, way: 9.0 + way * place.get(p.scheme, 0), way)
        yield given(lambda p, way: 5.0 - 4 * way * p.own, way)
        yield given(lambda p, way: 20.0 + way * p.t * p.own, way)
        yield given(lambda p, way: 5.0 + (4 * way * (1 - 2 * p.named) if p.own else 0), way)
        # Grids that rise or fall, and have a valley or a peak.
        yield given(lambda p, way: 20.0 + way * p.s, way)
        yield given(lambda p, way: 5.0 + way * 4 * (p.s in (0, p.settings - 1)), way)
    for size in (*sized, 50.0):
        yield given(lambda p, size: 100.0 + size * (p.s == 1), size)
    top = 0.7 * (limit or 1.0)
    for a, b in ((2.0, 1.0), (1.0, 2.0)):
        yield given(lambda p, a, b: (top * (a if p.at in more.at else b)) if p.own else 1.0, a, b)
        # One trace stands out.
        yield given(lambda p, a, b: (a if p.workload == paper else b) if p.s else 0.5, a, b)
    for first, last, way in itertools.product(range(12), range(12), (1, -1)):
        yield given(lambda p, a, b, way: 3.0 + way * (p.s == (b if p.t else a)), first, last, way)
    for at in range(1, 12):
        yield given(lambda p, at: (limit or 1.0) if p.s >= at else 1.0, at)


@pytest.mark.few(3)
@pytest.mark.parametrize(("paper", "claim"), CLAIMS)
def test_a_check_can_pass_fail_and_lack_data(paper: str, claim: PaperClaim) -> None:
    found: dict[str, Figures] = {}
    source, call = first_of(paper, claim)
    for figures in tried(claim, call):
        # What keeps a limit is no more than consistent.
        verdict = judge(paper, claim, figures).verdict.replace("consistent", "reproduced")
        found.setdefault(verdict, figures)
        if {"reproduced", "not reproduced"} <= found.keys():
            break
    assert "reproduced" in found, "nothing that can be measured passes"
    assert "not reproduced" in found, "nothing that can be measured fails"
    none = judge(paper, claim, lambda _: None)
    assert (none.verdict, none.ours, none.missing) == ("no data", None, [])
    for name in source.traces or PLANS[paper].traces_of(PLANS[paper].part(source.part)):
        less = judge(paper, claim, found["reproduced"], without=name)
        assert less.verdict in ("not judged", "no data")
        assert less.missing == [name]
        assert f"Not run: {name}." in less.reason
