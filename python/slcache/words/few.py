"""A few of many names, for messages: a list of somebody else's may be of any length."""

from collections.abc import Iterable

_MOST = 12
_LETTERS = 60


def few(names: Iterable[object], most: int = _MOST) -> str:
    """Return the first of some names with commas between, and how many more there are."""
    texts = [str(name) for name in names]
    shown = [text if len(text) <= _LETTERS else f"{text[:_LETTERS]}…" for text in texts[:most]]
    more = [f"and {len(texts) - most:,} more"] if len(texts) > most else []
    return ", ".join(shown + more)
