"""Results kept on disk, so that interrupted work goes on where it stopped."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from slcache import _core
from slcache.files import Transaction


def key(parts: Mapping[str, Any]) -> str:
    """Return a name for what these parts, and this version of slcache, lead to."""
    whole = {**parts, "version": _core.version(), "commit": _core.commit()}
    text = json.dumps(whole, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def packed(document: Mapping[str, Any]) -> bytes:
    """Return a document as it is kept."""
    text = json.dumps(document, ensure_ascii=False).encode()
    return gzip.compress(text, 6, mtime=0)


class Store:
    """Result documents by what made them: configuration, trace, seed and version."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def key(self, parts: Mapping[str, Any]) -> str:
        """Return the name under which a result of these parts is kept."""
        return key(parts)

    def get(self, key: str) -> dict[str, Any] | None:
        """Return a kept result; None where there is none or it cannot be read."""
        try:
            with gzip.open(self._path(key), "rt", encoding="utf-8") as file:
                document: object = json.load(file)
        except (OSError, EOFError, ValueError, RecursionError, zlib.error):
            return None
        return document if isinstance(document, dict) else None

    def put(self, key: str, document: Mapping[str, Any]) -> None:
        """Keep a result: whole or not at all."""
        self.put_packed(key, packed(document))

    def put_packed(self, key: str, content: bytes) -> None:
        """Keep a result that is `packed`: whole or not at all."""
        with Transaction(self.directory) as files:
            files.write(self._path(key).name, content)

    def _path(self, key: str) -> Path:
        return self.directory / f"{key}.json.gz"
