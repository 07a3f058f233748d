"""Text that anybody may have edited: JSON, TOML, sizes, times and states, read or refused in words.

What parsers leave open is closed here: keys that stand twice, numbers of more digits than Python
reads, and nesting that no document has.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from slcache import files
from slcache.errors import UsageError, about
from slcache.options.content import duplicate

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
    return _parsed(path, files.RESULT_BYTES_MAX, "JSON", json_text)


def toml_file(path: Path) -> dict[str, Any]:
    """Return the tables of a TOML file; raises OSError, ValueError, which name the file."""
    tables: dict[str, Any] = _parsed(path, files.STUDY_BYTES_MAX, "TOML", toml_text)
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


def _parsed(path: Path, limit_bytes: int, language: str, parse: Any) -> Any:  # noqa: ANN401
    try:
        return parse(files.text_of(path, limit_bytes))
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
        told = f"an object has a key more than once: {duplicate(key for key, _ in pairs)}"
        raise MalformedError(told if len(told) <= _TOLD_MAX else f"{told[:_TOLD_MAX]}...")
    return found


_PREFIXES = "kMGT"
#: `KB` is missing: it is read both ways.
_SIZES = {
    "": 1,
    "B": 1,
    **{prefix: 1024**n for n, prefix in enumerate(_PREFIXES, 1)},
    **{prefix.swapcase(): 1024**n for n, prefix in enumerate(_PREFIXES, 1)},
    **{f"{prefix.upper()}iB": 1024**n for n, prefix in enumerate(_PREFIXES, 1)},
    **{f"{prefix}B": 1000**n for n, prefix in enumerate(_PREFIXES, 1)},
}
_TIMES = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}
_TIMES["d"] = 24 * _TIMES["h"]
#: Keys of schemes that count SLC blocks per plane and take a size too.
SIZED = ("slc_blocks", "static_blocks", "initial_slc_blocks", "slc_blocks_min", "slc_step_blocks")
_WRITTEN = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-zµ]*)")


def size_bytes(text: str) -> int:
    """Return a size as bytes: `4096`, `4k`, `4KiB`, `1.5G`; raises ValueError.

    `k`, `M`, `G`, `T` and the forms with `iB` count 1024, `kB`, `MB`, `GB` and `TB` 1000.
    """
    number, unit = _split(text)
    factor = _SIZES.get(unit)
    if factor is None:
        known = "bytes, or a number with k, M, G, T, KiB, MiB, GiB, TiB (1024) or kB, MB, GB, TB"
        raise ValueError(f"{text!r} is not a size; expected {known} (1000)")
    return _whole(text, number * factor, "bytes")


def replay_keys(replay: str | None) -> set[str]:
    """Return the keys of the configuration that a replay such as `closed:4` sets."""
    keys = set() if replay is None else {"host.replay"}
    return keys | {"host.queue_depth"} if replay and ":" in replay else keys


def counts_blocks(key: str) -> bool:
    """Return whether a scheme's key, whole or by its last word, is one of these."""
    return key.rpartition(".")[2] in SIZED


def size_text(size: int) -> str:
    """Return a size as `size_bytes` takes it back, whole, in the largest unit that it has."""
    units = ((f"{prefix}iB", 1024**n) for n, prefix in enumerate("KMGT", 1))
    found = [(name, factor) for name, factor in units if size and size % factor == 0]
    name, factor = found[-1] if found else ("B", 1)
    return f"{size // factor}{name}"


def time_ns(text: str) -> int:
    """Return a time as nanoseconds: `10us`, `1.5ms`, `2h`; raises ValueError."""
    number, unit = _split(text)
    factor = _TIMES.get(unit.replace("µ", "u"))
    if factor is None:
        raise ValueError(
            f"{text!r} is not a time; expected a number with one of {', '.join(_TIMES)}"
        )
    return _whole(text, number * factor, "nanoseconds")


def _split(text: str) -> tuple[Fraction, str]:
    match = _WRITTEN.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a number with a unit")
    return Fraction(match[1]), match[2]


def _whole(text: str, value: Fraction, unit: str) -> int:
    if value.denominator != 1:
        raise ValueError(f"{text!r} is not a whole number of {unit}")
    return value.numerator


#: How many bytes are some.
SOME_BYTES = (1, 2**50)


def some_bytes(text: str) -> int:
    """Return `4k`, `20GiB` or `1048576` in bytes; ValueError for none above 0."""
    return _above_zero(text, size_bytes, "128k, 20GiB or 1048576", SOME_BYTES[1])


def some_time_ns(text: str) -> int:
    """Return `500ms`, `30s` or `10m` in nanoseconds; ValueError for none above 0."""
    minutes = re.sub(r"(?<=[\d ])m$", "min", text.strip())
    return _above_zero(minutes, time_ns, "500ms, 30s or 10m", 10**18)


def _above_zero(text: str, read: Callable[[str], int], example: str, most: int) -> int:
    try:
        value = read(text)
    except ValueError as error:
        raise ValueError(f"{error}, such as {example}") from error
    if not 1 <= value <= most:
        raise ValueError(f"{text!r}: must be above 0 and at most {most}, such as {example}")
    return value


#: A device that people have used: most of it full, and overwritten at random.
WORN = "worn=0.9,0.3"
#: What `steady` fills.
_STEADY_FULL = 0.9
#: What a state is made of: these keys, and no others.
STATE_KEYS = ("precondition.fill", "precondition.overwrite", "precondition.steady")
STATE_FORMS = "empty|full=SHARE|worn=SHARE,TIMES|steady"
#: How many numbers each form has.
_NUMBERS = {"empty": 0, "full": 1, "worn": 2, "steady": 0}


def state_keys(state: str) -> dict[str, Any]:
    """Return the keys that a state stands for; ValueError where it is none."""
    name, equals, text = state.partition("=")
    wanted = _NUMBERS.get(name)
    if wanted is None or bool(equals) != (wanted > 0):
        raise ValueError(f"state = {state!r}: is none of {STATE_FORMS}")
    numbers = [_number(state, part) for part in text.split(",")] if equals else []
    if len(numbers) != wanted:
        raise ValueError(f"state = {state!r}: is none of {STATE_FORMS}")
    if numbers and not 0 < numbers[0] <= 1:
        raise ValueError(f"state = {state!r}: SHARE must be above 0 and at most 1")
    if wanted == 2 and not 0 < numbers[1] <= 100:
        raise ValueError(f"state = {state!r}: TIMES must be above 0 and at most 100")
    full, times = (*numbers, 0.0, 0.0)[:2]
    steady = name == "steady"
    return dict(zip(STATE_KEYS, (_STEADY_FULL if steady else full, times, steady), strict=True))


def _number(state: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"state = {state!r}: {text!r} is no number") from None


def state_settings(state: str | None, beside: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys that a state stands for, if there is one; settings may not say them too."""
    if state is None:
        return {}
    try:
        found = state_keys(state)
    except ValueError as error:
        raise about(UsageError(str(error)), "state") from error
    for key in STATE_KEYS:
        if key in beside:
            told = f"state = {state} stands for {key} too, which is set to {beside[key]}"
            raise about(UsageError(f"{told}; leave one of the two out"), "state")
    return found


def check_not_loaded(state: str | None, load_state: object) -> None:
    """Raise UsageError where a state is said of a device whose state is loaded."""
    if state is not None and load_state is not None:
        told = f"state = {state} has no effect on a saved state; leave one of the two out"
        raise about(UsageError(told), "state")
