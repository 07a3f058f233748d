"""Names, labels and values as people read them, on terminals, in files and in TOML."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

_MOST = 12
_LETTERS = 60
#: Of numbers from here on parts of one say nothing.
_WHOLE = 1e6


def few(names: Iterable[object], most: int = _MOST) -> str:
    """Return the first of some names with commas between, and how many more there are."""
    texts = [str(name) for name in names]
    shown = [text if len(text) <= _LETTERS else f"{text[:_LETTERS]}…" for text in texts[:most]]
    more = [f"and {len(texts) - most:,} more"] if len(texts) > most else []
    return ", ".join(shown + more)


def joined(names: Sequence[str]) -> str:
    """Return names as `a, b and c`."""
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def said_of(names: Sequence[str], one: str, many: str) -> str:
    """Return names with what is said of one, or of several: `a and b are left out`."""
    return f"{joined(names)} {one if len(names) == 1 else many}"


def by_reason(reasons: Iterable[tuple[str, str | None]]) -> dict[str, list[str]]:
    """Return who has each reason, of names with theirs; those without one are left out."""
    found: dict[str, list[str]] = {}
    for name, why in reasons:
        if why is not None:
            found.setdefault(why, []).append(name)
    return found


def near(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean ...?` with the one of some names that is close to a word, or none."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=_ALIKE)
    return f"; did you mean {close[0]}?" if close else ""


#: How alike a word and a name are that is told beside it.
_ALIKE = 0.7

#: What a terminal acts on or hides: control characters, C1 among them, and those that turn the
#: direction of text or break its lines. A tab is a control character; a line's end is kept.
_ACTIVE = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff\ufff9-\ufffb]"
)


def printable(text: str) -> str:
    """Return a text with everything but plain characters and line ends spelled out."""
    return _ACTIVE.sub(lambda match: _spelled(match[0]), text)


def _spelled(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def in_file_name(text: str) -> str:
    """Return a text as a part of a file's name: without what parts folders, drives or words."""
    return re.sub(r"[/\\:\s]", "-", printable(text))


def json_safe(text: str) -> str:
    """Return a JSON text in which no character acts on a terminal; it means the same."""
    return _ACTIVE.sub(lambda match: _escaped(match[0]), text)


def _escaped(character: str) -> str:
    # Between tokens, JSON allows tabs and carriage returns, which are white space there.
    return character if character in "\t\r" else f"\\u{ord(character):04x}"


def of_scheme(config: Mapping[str, Any]) -> str:
    """Return what results call the scheme of a resolved configuration."""
    name, options = next(iter(config["scheme"].items()))
    if name == "custom" and options.get("source"):
        return of_source(options["source"])
    if name != "tlc-only":
        return str(name)
    # "qlc-only" is a scheme of its own.
    return "tlc-only mode=qlc" if options["mode"] == "qlc" else f"{options['mode']}-only"


def of_source(scheme: str) -> str:
    """Return the class that the source of a scheme of one's own names; others by their name."""
    return scheme.rpartition(":")[2].rpartition(".")[2]


def leaves(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    """Yield a document's values with their dotted names; lists of plain values stay whole."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from leaves(inner, f"{prefix}.{key}" if prefix else str(key))
    elif isinstance(value, list) and any(isinstance(item, Mapping | list) for item in value):
        for i, inner in enumerate(value):
            yield from leaves(inner, f"{prefix}[{i}]")
    else:
        yield prefix, value


def shown(value: object) -> str:
    """Return a value as a reader expects it: digits grouped, yes or no, – for nothing."""
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            is_whole = value.is_integer() or abs(value) >= _WHOLE
            return f"{value:,.0f}" if is_whole else f"{value:,.6g}"
        case list():
            return ", ".join(shown(item) for item in value) or "–"
    return str(value)


def lines(table: Mapping[str, object]) -> Iterator[str]:
    """Yield a table's keys with their values, a line for each."""
    for key, value in table.items():
        bare = key.replace("_", "").isalnum() and key.isascii()
        yield f"{key if bare else text(key)} = {spelled(value)}"


def spelled(value: object, most: int | None = None) -> str:
    """Return a value as TOML spells it, of a list the first; as Python does what no file holds."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(spelled, value[:most]))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(lines(value))}}}"
    return text(value) if isinstance(value, str | int) else repr(value)


def text(value: object) -> str:
    """Return a text, a number, true or false."""
    # JSON's texts are TOML's, but for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
