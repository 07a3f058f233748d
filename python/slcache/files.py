"""Writing results so that a reader never meets half a file."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self


class Transaction:
    """A set of files in one directory that appear together or not at all.

    Each file is written to a temporary name beside its final one; leaving the block cleanly
    renames them all. Any exception removes the temporary files, and the directory too when
    this transaction created it.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.directory = Path(directory)
        self._created: list[Path] = []
        self._pending: list[tuple[Path, Path]] = []

    def __enter__(self) -> Self:
        missing = [p for p in (self.directory, *self.directory.parents) if not p.exists()]
        try:
            for parent in reversed(missing):
                parent.mkdir()
                self._created.append(parent)
            with tempfile.TemporaryFile(dir=self.directory):
                pass  # learn now, not after an hour's run, that nothing can be written here
        except BaseException:
            self._discard()
            raise
        return self

    def write(self, name: str, data: bytes) -> None:
        """Stage one file's whole content."""
        if (self.directory / name).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), self.directory / name)
        handle, temporary = tempfile.mkstemp(prefix=f".{name}.", suffix=".tmp", dir=self.directory)
        self._pending.append((Path(temporary), self.directory / name))
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            try:
                self._publish()
            except BaseException:
                self._discard()
                raise
        else:
            self._discard()

    def _publish(self) -> None:
        mode = 0o666 & ~_umask()
        for temporary, final in self._pending:
            temporary.chmod(mode)
            temporary.replace(final)
        self._pending.clear()

    def _discard(self) -> None:
        for temporary, _ in self._pending:
            temporary.unlink(missing_ok=True)
        self._pending.clear()
        for directory in reversed(self._created):
            try:
                directory.rmdir()
            except OSError:
                break
        self._created.clear()


def _umask() -> int:
    """Return the process's file mode mask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
