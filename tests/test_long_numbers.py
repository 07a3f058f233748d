"""Whole numbers in traces of text: what 64 bits hold is read, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import slcache

#: A line of each format, with blanks for any of its delimiters, and the columns of whole numbers.
LINES: dict[str, tuple[str, str, tuple[int, ...]]] = {
    "msr": (",", "128166385295514663 hm 0 Write 9056014336 2048 2833", (1, 3, 5, 6, 7)),
    "spc": (",", "0 303567 3584 w 0.026214", (1, 2, 3)),
    "systor17": (",", "1456095145.133076000 0.000806000 R 0 899056122368 131072", (4, 5, 6)),
    "alicloud": (",", "419 W 8792731648 16384 1577808144360767", (1, 3, 4, 5)),
    "tencent": (",", "1538323199 13896880 128 0 1063", (1, 2, 3, 5)),
    "fiu": (" ", "89968195792462 20782 gzip 283193184 8 R 6 0", (1, 2, 4, 5, 7, 8)),
    "k5cloud": (",", "1283 3.000012 W 42932745216 65536", (1, 4, 5)),
    "mobileblockio": (",", "kworker 8388608 R 3103800 32 5218127.730127", (2, 4, 5)),
    "mqsim": (" ", "938513000 4 264719034 16 0", (1, 2, 3, 4)),
    "ssdsim": (" ", "26214000 1 240840 6 0", (1, 2, 3, 4)),
    "disksim": (" ", "0.221 5 162947904 16 1", (2, 3, 4)),
}
#: A blank is no part of a number there.
BLANKS_COUNT = {"msr"}
COLUMNS = [(name, column) for name, (_, _, columns) in LINES.items() for column in columns]


def read(format_: str, column: int, value: str | None, tmp_path: Path) -> tuple[Any, ...]:
    """Return what is made of a line with a value in a column, however the line ends."""
    delimiter, line, _ = LINES[format_]
    fields = line.split(" ")
    fields[column - 1] = fields[column - 1] if value is None else value
    text = delimiter.join(fields)
    found: list[Any] = []
    # A line is taken apart in one pass, but for one with a blank at its end.
    blank = [] if format_ in BLANKS_COUNT else [f"{text} \n"]
    for content in (f"{text}\n", text, *blank):
        file = tmp_path / "trace"
        file.write_text(content)
        try:
            told = slcache.Trace(file, format=format_).info()
            volumes = [each["name"] for each in told["summary"]["volumes"]]
            found.append((told["read_bytes"], told["write_bytes"], volumes))
        except slcache.TraceError as error:
            found.append(str(error))
    assert all(each == found[0] for each in found)
    return tuple(found[0])


@pytest.mark.parametrize(("name", "column"), COLUMNS)
def test_whole_numbers_are_read_alike_however_long(name: str, column: int, tmp_path: Path) -> None:
    plain = read(name, column, None, tmp_path)
    assert len(plain) == 3
    own = LINES[name][1].split(" ")[column - 1]
    padded = read(name, column, own.zfill(30), tmp_path)
    assert padded[:2] == plain[:2]
    for value in (str(2**64), str(10**30)):
        assert f"column {column} (" in "".join(read(name, column, value, tmp_path))
    # Whether the figure means anything there is another matter; it is the same for all.
    read(name, column, str(2**64 - 1), tmp_path)


@pytest.mark.parametrize(("name", "column"), [each for each in COLUMNS if LINES[each[0]][0] == ","])
def test_nothing_is_no_number(name: str, column: int, tmp_path: Path) -> None:
    assert f"column {column} (" in "".join(read(name, column, "", tmp_path))
