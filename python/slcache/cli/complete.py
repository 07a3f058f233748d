"""What a shell offers when a name is half typed: devices, schemes, formats and keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from slcache import catalogue

Offered = list[tuple[str, str]]


def devices(incomplete: str) -> Offered:
    """Offer the device presets; where none fits, the shell offers files."""
    return _fitting(
        incomplete, ((entry["name"], entry["summary"]) for entry in catalogue.devices())
    )


def scheme(incomplete: str) -> Offered:
    """Offer the schemes, with those that are other names."""
    return _fitting(incomplete, _schemes())


def schemes(incomplete: str) -> Offered:
    """Offer the schemes for the last name of a list, and `all` for the first."""
    front, comma, last = incomplete.rpartition(",")
    known = _schemes() if comma else [*_schemes(), ("all", "every scheme that the device can run")]
    given = set(front.split(","))
    return [
        (f"{front}{comma}{name}", text) for name, text in _fitting(last, known) if name not in given
    ]


def formats(incomplete: str) -> Offered:
    """Offer the trace formats."""
    return _fitting(incomplete, ((entry["name"], "") for entry in catalogue.formats()))


def settings(incomplete: str) -> Offered:
    """Offer the keys of the configuration, and behind `=` the words that a key may be."""
    from slcache.documents import keys

    known = keys.of_config()
    name, equals, value = incomplete.partition("=")
    if equals:
        key = known.get(name.replace("[0]", "[]"))
        words = key.allowed if key is not None else ()
        return [
            (f"{name}={word}", text) for word, text in _fitting(value, words) if " " not in word
        ]
    plain = ((key.name.replace("[]", "[0]"), key) for key in known.values() if not key.section)
    return _fitting(incomplete, ((f"{name}=", _first(key.text)) for name, key in plain))


def key(incomplete: str) -> Offered:
    """Offer the keys that can be explained."""
    from slcache import explain

    entries = ((entry.key.name, _first(entry.key.text)) for entry in explain.entries())
    return _fitting(incomplete, entries)


def _schemes() -> Iterator[tuple[str, str]]:
    for entry in catalogue.schemes():
        yield entry["name"], entry["summary"]
        for alias in entry["aliases"]:
            yield alias["name"], f"{entry['name']} with {alias['set']}"


def _fitting(incomplete: str, known: Iterable[tuple[str, str]]) -> Offered:
    return [(name, text) for name, text in known if name.startswith(incomplete)]


def _first(text: str) -> str:
    return text.partition("\n")[0]
