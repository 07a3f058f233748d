"""What a quick evaluation judges, and which are shown to people."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from slcache.reproduce import evaluation as evaluations
from slcache.reproduce import plan as plans
from slcache.reproduce.claims import EMERGENT
from slcache.reproduce.inputs import twins
from slcache.reproduce.reading import has_figures
from slcache.reproduce.verdicts import CANNOT_HOLD, NOT_SIMULABLE

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SHOWN = re.compile(r"slcache reproduce (\w+)[^\n`]* --quick")
FEW = 5000


def test_a_quick_evaluation_that_is_shown_judges_half_of_what_is_emergent() -> None:
    shown = {name for page in PAGES for name in SHOWN.findall(page.read_text())}
    judged = {name: plans.load(name).quick_judges() for name in shown - {"drives"}}
    assert judged
    assert [name for name, (some, every) in judged.items() if 2 * some < every] == []


def test_it_judges_as_many_as_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = plans.load("hierarchy")
    small = replace(whole, quick=replace(whole.quick, requests=FEW))
    monkeypatch.setattr(plans, "load", lambda _: small)
    request = evaluations.Request("hierarchy", tmp_path, quick=True, readings=["literal"])
    rows = evaluations.evaluate(request).claims
    emergent = [row for row in rows if row.class_ == EMERGENT]
    able = [row for row in emergent if row.verdict not in (CANNOT_HOLD, NOT_SIMULABLE)]
    judged = [row for row in able if not row.missing and row.ours is not None]
    some, every = small.quick_judges()
    assert every == len(able)
    # Runs as short as these have no migrations, of which claims then say nothing.
    assert len(judged) <= some == sum(not row.missing for row in able)


@pytest.mark.parametrize("requests", [0, 1000, 10**9])
def test_only_twins_that_are_longer_are_cut(requests: int) -> None:
    plan = plans.load("ips")
    for each in twins(plan, [one.name for one in plan.workloads]):
        cut = each.within(requests)
        shorter = has_figures(each.path) and 0 < requests < each.requests
        assert cut.requests == (requests if shorter else each.requests), each
        assert cut.options(1).get("workload.requests") == (
            str(requests) if shorter else each.options(1).get("workload.requests")
        )
