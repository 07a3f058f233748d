"""Names that others chose, made harmless where they are shown."""

from __future__ import annotations

import re

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
