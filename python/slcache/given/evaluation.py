"""What of an evaluation is run, and where: the options of `reproduce`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from slcache.given.once import SEED_MAX, twice
from slcache.given.options import option
from slcache.given.shared import SpreadOut

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
class Request(SpreadOut, Extent):
    """An evaluation, what of it is run, and how."""

    paper: str

    @property
    def place(self) -> Path:
        """The folder that it is written to."""
        return self.out or Path("out") / "reproduce" / self.paper

    @property
    def kept(self) -> Path:
        """The folder of finished runs."""
        return Path(self.store or self.place / "store")

    @property
    def reads(self) -> list[Path]:
        """The files that may be read."""
        folders = (folder for folder in (self.traces, self.recordings) if folder is not None)
        return [path for folder in folders for path in folder.rglob("*") if path.is_file()]
