"""A study as an array job of Slurm: files to submit; each of the jobs runs a part of the points."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from slcache import files

#: The folder within that of the study.
FOLDER = "slurm"
#: The most jobs of an array that Slurm takes unless it is configured otherwise (MaxArraySize).
JOBS_MAX = 1000
#: What is submitted, and what puts the parts together once all of them have ended.
POINTS, COLLECT = "points.sbatch", "collect.sbatch"


def jobs_of(text: str) -> int | None:
    """Return how many jobs `slurm:JOBS` means; None for another executor; raises ValueError."""
    if not text.startswith("slurm"):
        return None
    match = re.fullmatch(r"slurm:(\d{1,4})", text)
    if match is None or not 1 <= int(match[1]) <= JOBS_MAX:
        raise ValueError(f"executor = {text}: must be slurm:JOBS, with 1 to {JOBS_MAX} jobs")
    return int(match[1])


def write(
    study: Path, out: Path, store: Path, *, jobs: int, processes: int, options: Sequence[str] = ()
) -> list[Path]:
    """Write the files of an array of `jobs` jobs with `processes` processes each.

    `options` are those of `slcache sweep` that every job is to have.
    """
    own = [os.fspath(study.absolute()), "--store", os.fspath(store.absolute()), *options]
    shown = ["--progress", "never"]
    folder = (out / FOLDER).absolute()
    # Its tables of a part are of no use to anybody, but for what they say of a job that failed.
    part = [*own, "--out", f"{folder}/parts/${{SLURM_ARRAY_TASK_ID}}"]
    part += ["--shard", f"${{SLURM_ARRAY_TASK_ID}}/{jobs}", "--jobs", str(processes), *shown]
    whole = [*own, "--out", os.fspath(out.absolute()), "--jobs", "1", *shown]
    about = [f"array=1-{jobs}", f"cpus-per-task={processes}", f'output="{folder}/part-%a.log"']
    found = {
        POINTS: _script("slcache-sweep", about, part),
        COLLECT: _script("slcache-collect", [f'output="{folder}/collect.log"'], whole),
    }
    files.write(folder, {name: text.encode() for name, text in found.items()})
    return [folder / name for name in found]


def submission(scripts: Sequence[Path]) -> str:
    """Return the commands that submit both, the second to begin when the first has ended."""
    points, collect = (shlex.quote(os.fspath(path)) for path in scripts)
    return (
        f'job=$(sbatch --parsable {points})\nsbatch --dependency=afterany:"${{job%%;*}}" {collect}'
    )


def _script(name: str, options: Sequence[str], arguments: Sequence[str]) -> str:
    command = " ".join(map(_quoted, [sys.executable, "-m", "slcache", "sweep", *arguments]))
    told = "".join(f"#SBATCH --{option}\n" for option in [f"job-name={name}", *options])
    here = shlex.quote(os.fspath(Path.cwd()))
    return f"#!/bin/bash\n{told}\ncd {here} || exit 1\nexec {command}\n"


def _quoted(argument: str) -> str:
    """Quote an argument for the shell, but for the variable that tells the job's number."""
    variable = "${SLURM_ARRAY_TASK_ID}"
    parts = (shlex.quote(part) if part else "" for part in argument.split(variable))
    return f'"{variable}"'.join(parts) or "''"
