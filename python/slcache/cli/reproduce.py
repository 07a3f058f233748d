"""The verb `reproduce`: a paper's evaluation, claim by claim."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from slcache.cli import checks, console, drives, separation
from slcache.cli import options as opt
from slcache.files import Transaction
from slcache.options import known, needed, options_of
from slcache.options.models import BOTH, Extent, Request

if TYPE_CHECKING:
    from slcache.reproduce.plan import Plan


def _papers() -> list[str]:
    from slcache.reproduce import plan

    return [*plan.papers(), *_NO_PAPERS]


#: What else the verb runs.
_NO_PAPERS = (drives.NAME, separation.NAME)


@dataclass(frozen=True, kw_only=True)
class Asked(opt.Metered, opt.Shown, Request):
    """An evaluation, what of it is run, and how."""

    paper: str = field(
        kw_only=False,
        metadata=needed(
            "PAPER",
            "Short name of the paper; or drives, or separation.",
            check=known("paper", _papers),
        ),
    )


@opt.verb
def reproduce(asked: Asked) -> None:
    """Run a paper's evaluation and judge its claims one by one.

    Without --traces, twins made from the paper's table of statistics replace its traces.
    Finished runs are stored: the same command continues after an interruption. Two names are
    no papers. `drives` compares the presets of consumer drives with published fills and
    latencies (--workloads fills or latency: only these); --sensitivity also simulates
    latencies without each mechanism. `separation` measures how much of a cache's gain is left
    if the dense store separates data by lifetime.

    Examples:
      slcache reproduce hierarchy --quick
      slcache reproduce hierarchy --traces ~/traces/msr --out eval
      slcache reproduce hierarchy --sensitivity
      slcache reproduce drives --quick
      slcache reproduce drives --workloads latency --sensitivity
      slcache reproduce separation --quick

    """
    from slcache.cli import ledger
    from slcache.reproduce import evaluation as evaluations
    from slcache.reproduce import plan

    paper = asked.paper
    if paper in _NO_PAPERS:
        own = ("quick", "workloads", "out", *["sensitivity"] * (paper == drives.NAME))
        of_papers = [name for name in (*options_of(Extent), "executor") if name not in own]
        checks.refuse(asked, of_papers, f"has no effect on {paper}, which is no paper")
        (drives if paper == drives.NAME else separation).reproduce(asked)
        return
    asked.check_executor()
    its_plan = plan.load(paper)
    _check(asked, its_plan)
    recordings = asked.recordings or evaluations.default_recordings()
    request = replace(asked, recordings=recordings)
    if asked.quick:
        console.note(_quick(its_plan))
    else:
        console.note(_time(its_plan, asked.sensitivity))
        if request.recordings is None and its_plan.beyond:
            console.note("no recordings: what goes beyond the paper is left out (--recordings)")
    with (
        Transaction(request.place, evaluations.FILES, request.reads) as files,
        console.meter(asked.meter, kept=True) as meter,
    ):
        try:
            evaluation = evaluations.evaluate(request, meter)
        except evaluations.UnknownWorkloadError as error:
            raise checks.wrong(str(error)) from error
        evaluations.stage(evaluation, files)
    page = console.written("report", request.place / "report.html")
    console.answer(asked.form, evaluation.to_json, [*ledger.parts(evaluation), *page])


def _check(extent: Extent, known: Plan) -> None:
    """Refuse what excludes each other, and what a paper has not."""
    from slcache.reproduce.parts import LITERAL

    if extent.quick and extent.sensitivity:
        raise checks.wrong("--quick and --sensitivity exclude each other")
    if extent.quick and extent.recordings is not None:
        raise checks.wrong("--quick leaves out what --recordings adds")
    if extent.full and not known.reduced:
        raise checks.wrong(f"--full: {known.name} is run at the paper's size anyhow")
    if extent.full and extent.quick:
        raise checks.wrong("--quick and --full exclude each other")
    if extent.reading not in (allowed := [BOTH, LITERAL, *known.reading]):
        told = f"{known.name} has no reading {extent.reading!r}; allowed: {', '.join(allowed)}"
        raise checks.wrong(told, "--reading")
    if extent.sensitivity and extent.reading not in (BOTH, *known.readings):
        raise checks.wrong(f"--sensitivity starts from no further reading, as {extent.reading} is")


def _quick(known: Plan) -> str:
    """Return how much a quick evaluation says, so that nobody takes it for the whole."""
    judged, every = known.quick_judges()
    most = known.quick.requests
    text = f"--quick judges at most {judged} of {every} emergent claims"
    text += f", on twins of at most {most:,} requests" if most else ""
    return text if 2 * judged >= every else f"{text}: it shows that things run"


def _time(known: Plan, study: bool) -> str:
    """Return how long an evaluation takes, so that nobody waits unawares."""
    text = f"all of {known.name} takes about {known.minutes} minutes on two cores"
    if study and known.sensitivity:
        text += f", the study of what is open another {known.sensitivity.minutes}"
    return f"{text}; finished runs are kept"
