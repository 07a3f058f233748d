"""`fit`: whatever is changed in a log, there is a fit of it or an error that names the file."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import changed_runs
from changed_inputs import text_changed
from hidden_drives import Parts, fio_log, lines, steady, windows
from slcache import fit
from slcache.errors import TraceError
from slcache.fit import files
from support import cases

PARTS: Parts = [(1.0, 2000.0), (4.0, 700.0), (5.0, 400.0)]
#: In the place of a cell, or of a line.
ODD = (
    *(
        "",
        "0",
        "-1",
        "1e308",
        "-1e308",
        "nan",
        "inf",
        "9" * 400,
        "0." + "0" * 400 + "1",
        "x",
        "1_0",
    ),
    *("18446744073709551615", "18446744073709551616", "\u0663", "1e-320", "\ufeff1", "+5", "0x10"),
)


def of_fio() -> str:
    return fio_log(windows(PARTS, 40), 40, 1)


def of_csv() -> str:
    written = np.cumsum(windows(PARTS, 40)) / 1e9
    speeds = windows(PARTS, 40) / 40e3
    rows = "".join(f"{gb:.6f},{v:.3f}\n" for gb, v in zip(written, speeds, strict=True))
    return f"gb,mb_s\n{rows}"


def changed(text: str, rng: random.Random) -> bytes:
    """Return a log with cells, lines, columns or bytes changed."""
    rows = [row.split(",") for row in text.splitlines()]
    place = rng.randrange(len(rows))
    match rng.randrange(6):
        case 0:
            rows[place][rng.randrange(len(rows[place]))] = rng.choice(ODD)
        case 1:
            column, value = rng.randrange(len(rows[0])), rng.choice(ODD)
            rows = [[*row[:column], value, *row[column + 1 :]] for row in rows]
        case 2:
            column = rng.randrange(len(rows[0]))
            rows = [[*row, row[column]] for row in rows]
        case 3:
            rows = rng.choice([rows[: rng.randrange(4)], rows[::-1], rows[place:] + rows[:place]])
        case 4:
            rows = [[rng.choice(["ms", " ", "\ufeff", "MiB/s"]) + row[0], *row[1:]] for row in rows]
        case _:
            return text_changed(text.encode(), rng)
    return "\n".join(",".join(row) for row in rows).encode()


FIGURES = """rw,bytes,depth,iops,p50_us,p99_us,p99_9_us
randread,4096,1,13000,67.1,85.5,87
randwrite,4096,8,225000,20,313,594
erased,4096,1,,6.5,,
write,131072,1,17000,,,
"""


def fitted(path: Path) -> None:
    for user in (None, 5_000_000_000):
        fit.fitted(*fit.fill(path, user), 3, user)


FORMS: dict[str, tuple[Callable[[], str], Callable[[Path], object]]] = {
    "fio": (of_fio, fitted),
    "csv": (of_csv, fitted),
    "latencies": (lambda: lines(steady), files.read_file),
    "figures": (lambda: FIGURES, files.read_file),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_changed_log_is_fitted_or_refused_by_name(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What tells noise takes long and reads no text.
    monkeypatch.setattr(fit, "RESAMPLES", 2)
    text, read = FORMS[form][0](), FORMS[form][1]
    path, first = tmp_path / "changed.log", changed_runs.first_seed()
    for seed in range(first, first + cases(50)):
        path.write_bytes(changed(text, random.Random(seed)))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            told = refusal(read, path, seed)
        assert told.startswith(f"{path}:") or not told, f"SLCACHE_SEED={seed}"
        assert len(told) < 600, f"SLCACHE_SEED={seed}"


def refusal(read: Callable[[Path], object], path: Path, seed: int) -> str:
    """Return why a log is refused, and nothing where it is not."""
    try:
        read(path)
    except TraceError as error:
        return str(error)
    except Exception as error:
        raise AssertionError(f"SLCACHE_SEED={seed}") from error
    return ""
