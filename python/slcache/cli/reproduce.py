"""The verb `reproduce`: a paper's evaluation, and the studies of drives and of separation."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from slcache.cli import console
from slcache.cli import options as opt
from slcache.files import Transaction
from slcache.options import known, options_of
from slcache.options.models import BOTH, Extent, Request

if TYPE_CHECKING:
    from slcache.reproduce.plan import Plan


def _papers() -> list[str]:
    from slcache.reproduce import plan

    return [*plan.papers(), *_NO_PAPERS]


#: What else the verb runs.
DRIVES, SEPARATION = "drives", "separation"
_NO_PAPERS = (DRIVES, SEPARATION)


@dataclass(frozen=True, kw_only=True)
class ReproduceOptions(opt.ProgressOptions, opt.OutputOptions, Request):
    """An evaluation, what of it is run, and how."""

    paper: str = opt.argument(
        "PAPER", "Short name of the paper; or drives, or separation.", check=known("paper", _papers)
    )


@opt.verb
def reproduce(asked: ReproduceOptions) -> None:
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
        own = ("quick", "workloads", "out", *["sensitivity"] * (paper == DRIVES))
        of_papers = [name for name in (*options_of(Extent), "executor") if name not in own]
        opt.refuse(asked, of_papers, f"has no effect on {paper}, which is no paper")
        (_drives if paper == DRIVES else _separation)(asked)
        return
    asked.check_executor()
    its_plan = plan.load(paper)
    _check(asked, its_plan)
    recordings = asked.recordings or evaluations.default_recordings()
    request = replace(asked, recordings=recordings)
    if asked.quick:
        console.note(_quick(its_plan))
    else:
        study = its_plan.sensitivity if asked.sensitivity else None
        more = f", the study of what is open another {study.minutes}" if study else ""
        console.note(_how_long(its_plan.name, its_plan.minutes, more))
        if request.recordings is None and its_plan.beyond:
            console.note("no recordings: what goes beyond the paper is left out (--recordings)")
    with (
        Transaction(request.place, evaluations.FILES, request.reads) as files,
        console.meter(asked.meter, kept=True) as meter,
    ):
        try:
            evaluation = evaluations.evaluate(request, meter)
        except evaluations.UnknownWorkloadError as error:
            raise opt.wrong(str(error)) from error
        evaluations.stage(evaluation, files)
    page = console.written("report", request.place / "report.html")
    console.answer(asked.form, evaluation.to_json, [*ledger.parts(evaluation), *page])


def _check(extent: Extent, known: Plan) -> None:
    """Refuse what excludes each other, and what a paper has not."""
    from slcache.reproduce.parts import LITERAL

    if extent.quick and extent.sensitivity:
        raise opt.wrong("--quick and --sensitivity exclude each other")
    if extent.quick and extent.recordings is not None:
        raise opt.wrong("--quick leaves out what --recordings adds")
    if extent.full and not known.reduced:
        raise opt.wrong(f"--full: {known.name} is run at the paper's size anyhow")
    if extent.full and extent.quick:
        raise opt.wrong("--quick and --full exclude each other")
    if extent.reading not in (allowed := [BOTH, LITERAL, *known.reading]):
        told = f"{known.name} has no reading {extent.reading!r}; allowed: {', '.join(allowed)}"
        raise opt.wrong(told, "--reading")
    if extent.sensitivity and extent.reading not in (BOTH, LITERAL):
        raise opt.wrong(f"--sensitivity starts from the literal reading, not {extent.reading}")


def _quick(known: Plan) -> str:
    """Return how much a quick evaluation says, so that nobody takes it for the whole."""
    judged, every = known.quick_judges()
    most = known.quick.requests
    text = f"--quick judges at most {judged} of {every} emergent claims"
    text += f", on twins of at most {most:,} requests" if most else ""
    return text if 2 * judged >= every else f"{text}: it shows that things run"


def _how_long(what: str, minutes: int, more: str = "") -> str:
    """Return how long an evaluation takes, so that nobody waits unawares."""
    return f"all of {what} takes about {minutes} minutes on two cores{more}; finished runs are kept"


#: Minutes that parts of studies take on two cores, and so many times that of latencies where each
#: mechanism is switched off.
_MINUTES, _ABLATED = {"fills": 20, "latency": 3, SEPARATION: 10}, 3


def _drives(asked: ReproduceOptions) -> None:
    """Run the presets, judge every figure, and write ledger.json and a picture of each."""
    from slcache.charts import pictures
    from slcache.cli import ledger
    from slcache.drives import ledger as ledgers
    from slcache.drives import published

    quick, ablate = asked.quick, asked.sensitivity
    parts = _workloads(asked, ledgers.PARTS, "drives have") or list(ledgers.PARTS)
    if ablate and quick:
        raise opt.wrong("--quick and --sensitivity exclude each other")
    if ablate and "latency" not in parts:
        raise opt.wrong("--sensitivity: has no effect on fills")
    whole = ["fills"] if "fills" in parts else []
    names = [drive.name for drive in published.drives().values() if whole and drive.whole is None]
    if not quick:
        times = {"latency": _ABLATED} if ablate else {}
        minutes = sum(_MINUTES[part] * times.get(part, 1) for part in parts)
        console.note(_how_long("it", minutes))
    files = ["ledger.json", *(f"{name}.png" for name in names)]
    with (
        Transaction(asked.place, files, []) as written,
        console.meter(asked.meter, kept=True) as meter,
    ):
        found = ledgers.make(asked.kept, quick, asked.jobs, meter, parts=parts, ablate=ablate)
        written.write("ledger.json", (found.to_json() + "\n").encode())
        for like in found.likes:
            if like.protocol == "techpowerup" and like.drive is not None:
                picture = pictures.written(like.picture(), ".png")
                written.write(f"{like.drive.name}.png", picture)
    place = console.written("ledger and pictures", asked.place)
    console.answer(asked.form, found.to_json, [*ledger.of_drives(found), *place])


def _workloads(asked: ReproduceOptions, known: Collection[str], who: str) -> list[str]:
    """Return the workloads that are asked for, all of which a study has."""
    for name in asked.workloads or []:
        if name not in known:
            told = f"{who} no workload {name!r}; allowed: {', '.join(known)}"
            raise opt.wrong(told, "--workloads")
    return asked.workloads or []


def _separation(asked: ReproduceOptions) -> None:
    """Run the study and write separation.json."""
    from slcache.cli import ledger
    from slcache.reproduce import separation

    names = _workloads(asked, separation.workloads(), f"{SEPARATION} has")
    if not asked.quick:
        console.note(_how_long("it", _MINUTES[SEPARATION]))
    with (
        Transaction(asked.place, ["separation.json"], []) as written,
        console.meter(asked.meter, kept=True) as meter,
    ):
        found = separation.make(asked.kept, asked.quick, asked.jobs, meter, only=names)
        written.write("separation.json", (found.to_json() + "\n").encode())
    if found.missing:
        told = ", ".join(found.missing)
        console.note(f"left out: {told}: no recording below the folder that SLCACHE_SHARED names")
    cells = console.written("cells", asked.place / "separation.json")
    console.answer(asked.form, found.to_json, [*ledger.of_separation(found), *cells])
