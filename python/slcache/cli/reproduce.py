"""The verb `reproduce`: a paper's evaluation, claim by claim."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from slcache.cli import checks, console, drives, separation
from slcache.cli import options as opt
from slcache.files import Transaction
from slcache.given.once import SEED_MAX, twice
from slcache.given.options import known, needed, of, option
from slcache.given.shared import SpreadOut

if TYPE_CHECKING:
    from slcache.reproduce.plan import Plan


def _papers() -> list[str]:
    from slcache.reproduce import plan

    return [*plan.papers(), *_NO_PAPERS]


#: What else the verb runs.
_NO_PAPERS = (drives.NAME, separation.NAME)
#: Without a further word, the readings that a plan is judged by.
BOTH = "both"


def _a_folder(path: Path) -> None:
    """Refuse what is no folder that is there."""
    if not path.is_dir():
        raise ValueError(f"{path} {'is no folder' if path.exists() else 'does not exist'}")


def _names(text: str) -> list[str]:
    """Return the names of a list, each once; ValueError for anything else."""
    names = [name.strip() for name in text.split(",")]
    if said := "a name is empty" if "" in names else twice(names):
        raise ValueError(f"{text!r}: {said}")
    return names


def _seeds(text: str) -> list[int]:
    """Return the seeds of a list; each once, and such as a run can have."""
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"{text!r}: expected whole numbers, as in 1,2,3") from None
    wild = [f"{n} is not between 0 and {SEED_MAX}" for n in numbers if not 0 <= n <= SEED_MAX]
    if said := next(iter(wild), twice(map(str, numbers))):
        raise ValueError(f"{text!r}: {said}")
    return numbers


@dataclass(frozen=True, kw_only=True)
class Extent:
    """What of an evaluation is run."""

    quick: bool = option(
        "", "Run few or short workloads with one seed, in about a minute.", default=False
    )
    sensitivity: bool = option(
        "",
        "Also vary, one at a time, options that the paper leaves open and free figures of the "
        "twins.",
        default=False,
    )
    full: bool = option(
        "",
        "Run twins at the paper's size, if the plan has a smaller one (hyssd, nvc).",
        default=False,
    )
    bound: bool = option(
        "",
        "Also compare the dense programs of each scheme with their lower bound. Runs devices "
        "without a cache too, and repeats earlier runs.",
        default=False,
    )
    traces: Path | None = option(
        "DIR",
        "Folder with the published traces; files are identified by their statistics.",
        check=_a_folder,
    )
    recordings: Path | None = option(
        "DIR",
        "Folder of blkparse recordings; the schemes also run on these.",
        check=_a_folder,
    )
    workloads: list[str] | None = option(
        "A,B,...", "Run only these of the paper's workloads.", read=_names
    )
    seeds: list[int] | None = option(
        "N,N,...", "Seeds of the twins (default: the plan's).", read=_seeds
    )
    out: Path | None = option(
        "DIR",
        "Folder for report.html, ledger.json and the finished runs in store (default: "
        "out/reproduce/PAPER). The same command again resumes.",
    )
    reading: str = option(
        "NAME",
        "Interpretation of the paper: its text (literal), its most probable meaning (probable),"
        " or another of its plan, such as fast-clock (default: literal, and probable if the "
        "plan has one).",
        default=BOTH,
    )


@dataclass(frozen=True, kw_only=True)
class Asked(opt.Metered, opt.Shown, SpreadOut, Extent):
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
    extent, where = (
        {name: getattr(asked, name) for name in of(kind)} for kind in (Extent, SpreadOut)
    )
    place = asked.out or Path("out") / "reproduce" / paper
    if paper in _NO_PAPERS:
        own = ("quick", "workloads", "out", *["sensitivity"] * (paper == drives.NAME))
        of_papers = [name for name in (*extent, "executor") if name not in own]
        checks.refuse(asked, of_papers, f"has no effect on {paper}, which is no paper")
        kind = drives if paper == drives.NAME else separation
        how = asked.jobs, asked.store, asked.form, asked.meter
        kind.reproduce(place, asked.workloads or [], asked.quick, asked.sensitivity, *how)
        return
    asked.check_executor()
    its_plan = plan.load(paper)
    _check(asked, its_plan)
    said = {name: value for name, value in extent.items() if name != "reading"}
    said |= {
        "out": place,
        "recordings": asked.recordings or evaluations.default_recordings(),
        "seeds": asked.seeds or [],
        "workloads": asked.workloads or [],
    }
    readings = its_plan.readings if asked.reading == BOTH else [asked.reading]
    request = evaluations.Request(paper=paper, readings=readings, **said, **where)
    if asked.quick:
        console.note(_quick(its_plan))
    else:
        console.note(_time(its_plan, asked.sensitivity))
        if request.recordings is None and its_plan.beyond:
            console.note("no recordings: what goes beyond the paper is left out (--recordings)")
    with (
        Transaction(request.out, evaluations.FILES, request.files()) as files,
        console.meter(asked.meter, kept=True) as meter,
    ):
        try:
            evaluation = evaluations.evaluate(request, meter)
        except evaluations.UnknownWorkloadError as error:
            raise checks.wrong(str(error)) from error
        evaluations.stage(evaluation, files)
    page = console.written("report", request.out / "report.html")
    console.answer(asked.form, evaluation.to_json, [*ledger.parts(evaluation), *page])


def _check(extent: Extent, known: Plan) -> None:
    """Refuse what excludes each other, and what a paper has not."""
    from slcache.reproduce.reading import LITERAL

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
