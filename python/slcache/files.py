"""Files, read up to a stated size, and written so that nobody meets half of one."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import pathlib
import stat
from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Self

from slcache import _core, code
from slcache.errors import RunError

#: The largest document of results, a store's too, and the largest log of a drive; none
#: comes near it.
RESULT_BYTES_MAX = 256 << 20
#: The largest file that people write: studies, evaluations, lists of points and schemes.
STUDY_BYTES_MAX = 16 << 20


class TooLongError(ValueError):
    """A file that is larger than any document of its kind."""


def regular(path: pathlib.Path) -> pathlib.Path:
    """Return the path of a file; OSError for what is none: to open a pipe may take for ever."""
    kind = path.stat().st_mode
    if stat.S_ISDIR(kind):
        raise OSError(errno.EISDIR, "it is a folder, not a file", str(path))
    if not stat.S_ISREG(kind):
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(path))
    return path


def bytes_of(path: pathlib.Path, limit_bytes: int) -> bytes:
    """Return a file's bytes; raises OSError, TooLongError."""
    with regular(path).open("rb") as file:
        content = file.read(limit_bytes + 1)
    if len(content) > limit_bytes:
        raise TooLongError(f"{path}: is larger than {limit_bytes >> 20} MiB, the largest allowed")
    return content


def text_of(path: pathlib.Path, limit_bytes: int = STUDY_BYTES_MAX) -> str:
    """Return a file's text, UTF-8 with or without a mark in front; raises OSError, ValueError."""
    return bytes_of(path, limit_bytes).decode("utf-8-sig")


def check_addresses(least_bytes: int, what: str) -> None:
    """Raise RunError where a process may have fewer addresses than a library takes.

    Such a library would end the process, and nobody would be told why.
    """
    try:
        import resource
    except ImportError:
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < least_bytes:
        told = f"out of address space: {limit >> 20:,} MiB are allowed (ulimit -v)"
        raise RunError(f"{told}, and {what} need {least_bytes >> 20:,}")


Path = str | os.PathLike[str]
#: The file of a timeline, from when until when it is, ns, and of every which request.
Timeline = tuple[str, int, int, int]


class Transaction:
    """A set of files in one directory that appear together or not at all.

    Leaving the block cleanly gives all of them their names. Any exception removes them, and the
    directory too when this transaction created it. None of them replaces one of the `inputs`;
    what is no regular file, such as a FIFO, is written into. `names` are checked at once, others
    when they are written; `beside` are files that somebody else writes meanwhile, which are none
    of these.
    """

    def __init__(
        self,
        directory: Path,
        names: Iterable[str] = (),
        inputs: Iterable[Path] = (),
        beside: Iterable[Path] = (),
    ) -> None:
        self.directory = pathlib.Path(directory)
        self._names = [*(self.directory / name for name in names), *beside]
        self._outputs = _core.Outputs(_inputs(inputs))

    def __enter__(self) -> Self:
        check_folder(self.directory)
        try:
            self._outputs.folder(os.fspath(self.directory))
            for name in self._names:
                self._outputs.reserve(os.fspath(name))
        except BaseException:
            self._outputs.discard()
            raise
        return self

    def check(self) -> None:
        """Raise what entering would, and leave nothing."""
        self.__enter__()
        self._outputs.discard()

    def write(self, name: str, data: bytes) -> None:
        """Stage one file's whole content."""
        self._outputs.write(os.fspath(self.directory / name), data)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self._outputs.publish()
        else:
            self._outputs.discard()


def in_the_way(folder: pathlib.Path) -> pathlib.Path | None:
    """Return what is no folder where this one, or one that it lies in, is to be."""
    return next((at for at in (folder, *folder.parents) if at.exists() and not at.is_dir()), None)


def check_folder(folder: pathlib.Path) -> None:
    """Raise NotADirectoryError where a folder that is to be there cannot be."""
    if (file := in_the_way(folder)) is not None:
        what = "it" if file == folder else file
        raise NotADirectoryError(errno.ENOTDIR, f"{what} is a file, not a folder", str(folder))


def write(directory: Path, contents: Mapping[str, bytes], inputs: Iterable[Path] = ()) -> None:
    """Write files by name into a directory, all of them or none, and none over an input."""
    with Transaction(directory, contents, inputs) as outputs:
        for name, data in contents.items():
            outputs.write(name, data)


def check(outputs: Iterable[Path], inputs: Iterable[Path]) -> None:
    """Raise ConfigError where an output that somebody writes is an input, or another output."""
    checked = _core.Outputs(_inputs(inputs))
    try:
        for path in outputs:
            checked.reserve(os.fspath(path))
    finally:
        checked.discard()


def _inputs(inputs: Iterable[Path]) -> list[str]:
    """Return the inputs, and the files of the code that is named: a run reads them too."""
    return [os.fspath(path) for path in (*inputs, *code.files())]


@contextlib.contextmanager
def scratch(parent: Path | None = None) -> Iterator[pathlib.Path]:
    """Make a hidden directory for temporary files, in `parent` or where such files belong.

    What a killed process left there is removed first.
    """
    folder = _core.Scratch(None if parent is None else os.fspath(parent))
    try:
        assert folder.path is not None
        yield folder.path
    finally:
        folder.close()


def unfinished(folder: pathlib.Path) -> str:
    """Return what to add to an error about a folder that somebody is writing into; else nothing."""
    for hidden in folder.glob(".slcache-*.tmp"):
        with contextlib.suppress(OSError):
            descriptor = os.open(hidden, os.O_RDONLY | os.O_DIRECTORY)
            try:
                # Whoever writes holds a lock, which ends with its process.
                fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return f"; a command is writing into {folder}: try again when it has ended"
            finally:
                os.close(descriptor)
    return ""


def inputs(trace: Path | None, *more: Path | None) -> list[Path]:
    """Return the files that a run over a trace reads: the trace's, and `more` that are named."""
    of_trace = [] if trace is None else _core.input_files(os.fspath(trace))
    return [*of_trace, *(path for path in more if path is not None)]
