"""JSON and TOML that anybody may have edited: parsed, or refused in words, never half believed.

What parsers leave open is closed here: keys that stand twice, numbers of more digits than Python
reads, and nesting that no document has.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from slcache import bounded
from slcache.given.once import twice

#: Python converts no more digits than this to a whole number.
_DIGITS_MAX = 4300
_TOLD_MAX = 120


class MalformedError(ValueError):
    """A text that is not JSON or not TOML; `line` where the parser knows it."""

    def __init__(self, told: str, line: int | None = None) -> None:
        super().__init__(told)
        self.line = line


def json_file(path: Path) -> Any:  # noqa: ANN401
    """Return what a JSON file holds; raises OSError, ValueError, which name the file and line."""
    return _of(path, bounded.RESULT_BYTES_MAX, "JSON", json_text)


def toml_file(path: Path) -> dict[str, Any]:
    """Return the tables of a TOML file; raises OSError, ValueError, which name the file."""
    tables: dict[str, Any] = _of(path, bounded.STUDY_BYTES_MAX, "TOML", toml_text)
    return tables


def json_text(text: str) -> Any:  # noqa: ANN401
    """Return what a JSON text holds; raises MalformedError."""
    try:
        found = json.loads(text, object_pairs_hook=_object)
        if "\\ud" in text.lower():
            json.dumps(found, ensure_ascii=False).encode()
        return found
    except UnicodeEncodeError:
        raise MalformedError("a text holds half of a character (\\ud800 to \\udfff)") from None
    except json.JSONDecodeError as error:
        raise MalformedError(f"{error.msg} at column {error.colno}", error.lineno) from None
    except RecursionError:
        raise MalformedError("nested too deep") from None
    except MalformedError:
        raise
    except ValueError:
        raise MalformedError(f"a number of more than {_DIGITS_MAX:,} digits") from None


def toml_text(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text; raises MalformedError."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MalformedError(str(error)) from None
    except RecursionError:
        raise MalformedError("nested too deep") from None
    except ValueError:
        raise MalformedError(f"a number of more than {_DIGITS_MAX:,} digits") from None


#: A table's name, or a key before its value; what stands in quotes may have dots.
_PART = r"""(?:[\w-]+|"[^"]*"|'[^']*')"""
_PARTS = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_LINE = re.compile(rf"[ \t]*(?:\[\[?[ \t]*(?P<table>{_PARTS})[ \t]*\]|(?P<key>{_PARTS})[ \t]*=)")


#: Lines that only look like keys, after which no more are told: each is looked at with all before.
_ALIKE_MOST = 1000


def toml_lines(text: str) -> dict[str, int]:
    """Return the line of each key of a TOML text, by its whole name with dots, the first of each.

    A table has a line too; of a list of tables, `[[t]]`, the second is `t[1]`. What only looks like
    a key, within a value of several lines, is none.
    """
    found: dict[str, int] = {}
    listed: Counter[str] = Counter()
    table: tuple[str, ...] = ()
    lines, start, alike = text.splitlines(), 0, 0
    for number, line in enumerate(lines, 1):
        said = _LINE.match(line)
        if said is None or alike == _ALIKE_MOST:
            continue
        if not _is_toml("\n".join(lines[start : number - 1])):
            alike += 1
            continue
        start = number - 1
        parts = re.findall(_PART, said["table"] or said["key"])
        names = tuple(part.strip("\"'") for part in parts)
        if said["table"]:
            *outer, last = names
            before = listed[said["table"]]
            table = (*outer, f"{last}[{before}]") if before else names
            listed[said["table"]] += 1
        whole = table if said["table"] else (*table, *names)
        found.setdefault(".".join(whole), number)
    return found


def _is_toml(text: str) -> bool:
    try:
        toml_text(text)
    except MalformedError:
        return False
    return True


def _of(path: Path, limit_bytes: int, language: str, parse: Any) -> Any:  # noqa: ANN401
    try:
        return parse(bounded.text(path, limit_bytes))
    except UnicodeDecodeError as error:
        told = f"{path}: not {language}: byte {error.start} is no UTF-8"
        raise MalformedError(told) from None
    except MalformedError as error:
        at = path if error.line is None else f"{path}:{error.line}"
        raise MalformedError(f"{at}: not {language}: {error}", error.line) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; of a key that stands twice JSON would keep the last in silence."""
    found = dict(pairs)
    if len(found) < len(pairs):
        # In front of a key, which may be long.
        told = f"an object has a key more than once: {twice(key for key, _ in pairs)}"
        raise MalformedError(told if len(told) <= _TOLD_MAX else f"{told[:_TOLD_MAX]}...")
    return found
