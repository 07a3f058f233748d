"""What the host says about its data comes from a trace to a scheme in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

import slcache
from support import slcache as verb

if TYPE_CHECKING:
    from slcache._core import View, Write

#: Writes of 4 KiB to pages 0, 1, 2, ... with these hints, each in turn.
HINTS = (0, 1, 17, 255)
COLUMNS = {
    **{"format": "generic", "header": "true", "op": "op", "hint": "hint"},
    **{"time": "at", "time_unit": "ms"},
    **{"address": "sector", "address_unit": "sector", "size": "sectors", "size_unit": "sector"},
}


class ByHint(slcache.Scheme):
    """Has a place for what comes with its hint, and none for anything else."""

    regions: ClassVar = {"slc": slcache.slc(1), "dense": slcache.dense()}

    def place(self, write: Write, view: View) -> str:
        """Return a region where the hint is that of the page."""
        return "dense" if write.hint == HINTS[write.page % 4] else "none"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "hints.csv"
    rows = (f"{page},{8 * page},8,W,{HINTS[page % 4]}" for page in range(100))
    path.write_text("at,sector,sectors,op,hint\n" + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize("buffer", [{}, {"buffer.bytes": 16384}])
def test_a_scheme_sees_the_hint(trace: Path, buffer: dict[str, object]) -> None:
    kept = trace.with_name("kept.parquet")
    slcache.Trace(trace, options=COLUMNS).convert(kept)
    how: dict[str, Any] = {"device": "tiny", "scheme": ByHint, "settings": buffer}
    slcache.run(trace, trace_options=COLUMNS, **how)
    slcache.run(kept, **how)
    without = {key: value for key, value in COLUMNS.items() if key != "hint"}
    with pytest.raises(slcache.RunError, match="none"):
        slcache.run(trace, trace_options=without, **how)


def test_hints_are_counted_and_lost_by_name_alone(trace: Path) -> None:
    options = [f"--trace-option={key}={value}" for key, value in COLUMNS.items()]
    document = json.loads(verb("trace", "info", trace, "--json", *options).stdout)
    each = {"writes": 25, "write_bytes": 25 * 4096}
    assert document["hints"] == [{"hint": hint, **each} for hint in HINTS]
    to: list[str | Path] = [
        "trace",
        "convert",
        trace,
        "-o",
        trace.with_name("o"),
        "--as",
        "mqsim",
        *options,
    ]
    refused = verb(*to)
    assert refused.returncode == 4
    assert b'lossy = "hint"' in refused.stderr
    assert verb(*to, "--lossy", "hint").returncode == 0
