"""The pages that the program itself tells: its verbs, and every key it knows.

Run as a program, it writes them into `docs`, where only the site has them: `make docs` does. How
each begins is written by hand, in `tests/pages`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from slcache import explain
from slcache.documents.schemata import Key
from slcache.explain import Entry
from verbs import verbs

DOCS = Path(__file__).resolve().parent.parent / "docs"
HEADS = Path(__file__).resolve().parent / "pages"
#: Options of so many verbs stand once for all of them.
SHARED = 2
#: Parts of names that keys of one meaning differ by, and the word that stands for them in a row.
FAMILIES = (
    ("KIND", re.compile(r"(?<=^host[.])(read|write|trim|flush)(?=[.])|^(read|write)(?=_)")),
    ("MODE", re.compile(r"(?<=\[\][.])(slc|mlc|tlc|qlc)(?=[.])")),
    ("P", re.compile(r"(?<=requests_beyond[.])p[\d_]+$")),
)
#: What two of these words stand for where a row does not say.
MODES, KINDS = ["mlc", "qlc", "slc", "tlc"], ["read", "write"]

Row = tuple[str, str]


def table(head: Row, rows: Iterable[Row]) -> str:
    """Return two columns as a table."""
    lines = [f"| {head[0]} | {head[1]} |", "|---|---|"]
    return "\n".join([*lines, *(f"| {one} | {other} |" for one, other in rows)]) + "\n"


def prose(text: str) -> str:
    """Return text of the program as a paragraph."""
    return " ".join(text.split())


def plain(text: str) -> str:
    """Return text of the program as a cell of a table."""
    return re.sub(
        r"[|*<]", lambda found: "&lt;" if found[0] == "<" else f"\\{found[0]}", prose(text)
    )


def code(text: str) -> str:
    """Return a word of the program as a cell of a table."""
    return f"`{text}`".replace("|", "\\|")


def command_line() -> str:
    """Return every verb with its examples, arguments and options."""
    found = [(path, verb, rows(verb)) for path, verb in verbs()]
    times = Counter(row for *_, each in found for row in each)
    shared = sorted(row for row, count in times.items() if count >= SHARED)
    parts = [_verb(path, verb, each, shared) for path, verb, each in found]
    head = "## Options of several verbs\n\nThey mean the same in every verb that has them.\n"
    return "\n".join(["## Every verb\n", *parts, head, table(("option", "what it is"), shared)])


def rows(verb: Any) -> list[Row]:  # noqa: ANN401
    """Return each argument and option of a verb with what it is."""
    return [(code(names), plain(told)) for names, told in verb.rows]


def _verb(path: tuple[str, ...], verb: Any, own: list[Row], shared: list[Row]) -> str:  # noqa: ANN401
    what, _, examples = verb.help.partition("\n\nExample")
    lines = [line[2:] for line in examples.splitlines() if line.startswith("  ")]
    few = [row for row in own if row not in shared]
    also = [_name(row) for row in own if row in shared]
    parts = [f"### slcache {' '.join(path)}\n", prose(what) + "\n"]
    parts += ["```\n" + "\n".join(lines) + "\n```\n"] if lines else []
    parts += [table(("option", "what it is"), few)] if few else []
    parts += ["Also " + ", ".join(f"`{name}`" for name in also) + ".\n"] if also else []
    return "\n".join(parts)


def _name(row: Row) -> str:
    option = re.search(r"--[\w-]+", row[0])
    return option[0] if option else row[0].strip("`").split()[0]


def configuration_keys() -> str:
    """Return every key of the configuration, those of schemes by what they say."""
    keys = [entry.key for entry in explain.entries() if entry.of == "configuration"]
    own = [key for key in keys if not key.name.startswith("scheme.")]
    sections = dict.fromkeys(key.name.partition(".")[0] for key in own if "." in key.name)
    parts = [
        f"## {name}\n\n" + table(("key", "what it is"), _rows(_below(own, name)))
        for name in sections
    ]
    return "\n".join([*parts, _of_schemes(keys)])


def _below(keys: list[Key], section: str) -> Iterator[Key]:
    return (key for key in keys if key.name.partition(".")[0] == section and not key.section)


def _of_schemes(keys: list[Key]) -> str:
    found: dict[Key, list[str]] = {}
    for key in keys:
        _, scheme, name = [*key.name.split(".", 2), "", ""][:3]
        if key.name.startswith("scheme.") and name and not key.section:
            same = Key(name, key.text, key.type, key.unit, key.allowed)
            default = f" ({key.default})" if key.default else ""
            found.setdefault(same, []).append(f"{scheme}{default}")
    head = "## scheme\n\nEach stands below `scheme.NAME`. In brackets is a scheme's default.\n\n"
    rows = []
    before = Key("", "", "")
    for key in sorted_by(found):
        again = key.allowed and (key.name, key.allowed) == (before.name, before.allowed)
        said = f"{plain(key.text)} Values: the same." if again else _said(key)
        rows.append((code(key.name), f"{said} Schemes: {', '.join(found[key])}."))
        before = key
    return head + table(("key", "what it is"), rows)


def sorted_by(keys: Iterable[Key]) -> list[Key]:
    """Return keys in the order of their names."""
    return sorted(keys, key=lambda key: (key.name, key.text))


def _said(key: Key) -> str:
    words = [
        f"`{word}`: {text}".removesuffix(".") if text else f"`{word}`" for word, text in key.allowed
    ]
    parts = [key.text, f"Values: {'; '.join(words)}" if words else _typed(key)]
    return plain(" ".join(f"{part.strip().removesuffix('.')}." for part in parts if part))


def _typed(key: Key) -> str:
    """Return what is said of a type that neither the page nor a default tells."""
    kind, none, _ = key.type.partition(", or none")
    told = "" if key.default or kind in ("whole number", "number") else f"Type: {kind}"
    return f"{told}{', or none' if told else 'Or none'}" if none else told


def in_family(name: str) -> tuple[str, dict[str, str]]:
    """Return a key's name with the words of its families, and what each stands for in it."""
    members = {}
    for word, pattern in FAMILIES:
        if found := pattern.search(name):
            name, members[word] = pattern.sub(word, name), found[0]
    return name, members


def _rows(keys: Iterable[Key]) -> Iterator[Row]:
    """Yield a row for each key, and one for all of a family that mean the same."""
    families: dict[Key, list[dict[str, str]]] = {}
    for key in keys:
        name, members = in_family(key.name)
        kind = members.get("KIND", "")
        text = key.text.replace(f"{kind} requests", "KIND requests") if kind else key.text
        families.setdefault(replace(key, name=name, text=text), []).append(members)
    for key, all_members in families.items():
        said = {word: dict.fromkeys(each[word] for each in all_members) for word in all_members[0]}
        said = {word: found for word, found in said.items() if [*found] not in (MODES, KINDS)}
        whole = "".join(f" {word}: {', '.join(found)}." for word, found in said.items())
        default = f" Default: `{key.default}`." if key.default else ""
        yield code(key.name), _said(key) + default + whole


def result_keys() -> str:
    """Return every key of a result document, and every metric, which are those of its figures."""
    entries = explain.entries()
    keys = [entry.key for entry in entries if entry.of == "result" and not entry.key.section]
    keys = [key for key in keys if not key.name.startswith("figures.")]
    parts = [("## Keys\n", "key", keys), ("## Metrics\n", "metric", _of(entries, "metric"))]
    return "\n".join(
        f"{head}\n" + table((word, "what it is"), _rows(keys)) for head, word, keys in parts
    )


def _of(entries: Iterable[Entry], kind: str) -> list[Key]:
    return [entry.key for entry in entries if entry.of == kind]


#: What follows the head of each page.
PAGES: dict[str, Callable[[], str]] = {
    "command-line.md": command_line,
    "keys.md": configuration_keys,
    "result-keys.md": result_keys,
}


def pages() -> dict[Path, str]:
    """Return each page by where the site has it."""
    return {
        DOCS / name: f"{(HEADS / name).read_text(encoding='utf-8')}\n{made()}"
        for name, made in PAGES.items()
    }


if __name__ == "__main__":
    for page, text in pages().items():
        page.write_text(text, encoding="utf-8")
