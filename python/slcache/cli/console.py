"""Where the command line writes: results, notes in its own words, progress, and what runs take."""

from __future__ import annotations

import contextlib
import json
import math
import re
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rich.console import Console, RenderableType
from rich.text import Text

from slcache import _core, catalogue, units
from slcache.cli import stdout
from slcache.cli.options import Form, When
from slcache.documents import Runs
from slcache.errors import Error
from slcache.files import Path as Named
from slcache.files import Transaction
from slcache.names import json_safe, printable
from slcache.options.content import Content
from slcache.results import Comparison, Result
from slcache.results.result import heading, runs_of
from slcache.sentences import notes as sentences
from slcache.tables import grid
from slcache.tables.table import UNLIMITED, Table, fitted
from slcache.trace import Progress as Callback

if TYPE_CHECKING:
    from rich.progress import TaskID


_LINE_EVERY_S = 1.0
#: Phases of many runs, each kept; how long their pace is looked at, and what is not worth telling.
_MANY = ("points", "runs")
#: The phase of a run whose pace tells how long the run is.
_REPLAY = ": replay"
_OUTLOOK_AFTER_S, _OUTLOOK_LEAST_S = 5.0, 30.0
#: It is told again where it will take so many times as long as was told.
_WRONG = 2


def emit(text: str, *, aside: bool = False) -> None:
    """Print one JSON document as the whole of standard output, or `aside` on standard error."""
    (sys.stderr if aside else stdout()).write(json_safe(text).rstrip("\n") + "\n")


def json_of(document: Any) -> str:  # noqa: ANN401
    """Return plain data as one JSON document."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False)


def answer(
    form: Form,
    document: Any,  # noqa: ANN401
    parts: Iterable[RenderableType],
    *,
    aside: bool = False,
) -> None:
    """Print an answer in the form that is wanted: its document, its tables, or all its parts.

    The document is plain data, or a function that returns it as JSON. CSV is the first table alone.
    """
    if form == "json":
        emit(document() if callable(document) else json_of(document), aside=aside)
        return
    if form == "table":
        show(*parts, aside=aside)
        return
    tables = [part for part in parts if isinstance(part, Table)]
    every = tables[:1] if form == "csv" else tables
    text = printable("\n".join(getattr(each, form)() for each in every))
    (sys.stderr if aside else stdout()).write(text)


def answer_of_runs(
    result: Result | Comparison, form: Form, parts: Iterable[RenderableType]
) -> None:
    """Print a run or a comparison in the form that is wanted."""
    labels, documents = zip(*result.labelled, strict=True)
    references = result.references if isinstance(result, Comparison) else None
    table = grid.of_runs(labels, documents, references)
    answer(form, result.to_json, [table, *heading(runs_of(result)), *parts])


def parts_of(result: Result | Comparison, *, explain: bool) -> list[RenderableType]:
    """Return what is printed of a result: the answer, or all that is known of it."""
    more = Text("--explain prints more: throughput, lifetime, bounds, and why", "dim")
    is_short = isinstance(result, Comparison) and not explain
    return [*result.shown(explain=explain), *([more] if is_short else [])]


def written(what: str, file: Path | None) -> list[RenderableType]:
    """Return where a file is, if it was asked for."""
    return [] if file is None else [Text(f"{what}: {file}")]


def show(*parts: RenderableType, aside: bool = False) -> None:
    """Print tables and sentences for a reader, `aside` on standard error.

    A terminal gets them in its width. A file or pipe gets whole sentences, and tables that are no
    wider than a page.
    """
    stream = sys.stderr if aside else stdout()
    console = Console(file=stream, highlight=False, width=None if stream.isatty() else UNLIMITED)
    for part in parts:
        console.print(fitted(part, console.width), markup=False)


def note(text: str) -> None:
    """Tell the user something that is not a result."""
    sys.stderr.write(f"note: {printable(text)}\n")


def notes(runs: Runs) -> None:
    """Tell what to know of the configurations that runs had."""
    for sentence in sentences.of_runs(runs):
        note(sentence)


def cut_short(traces: Iterable[str]) -> None:
    """Warn of traces whose last line has no line end."""
    for name in dict.fromkeys(traces):
        note(
            f"{name}: the last line or record has no end: the file may have been cut short inside "
            "it, and its last number with it"
        )


def left_out(schemes: Mapping[str, str]) -> None:
    """Name the schemes that the device cannot run, with the reason."""
    for sentence in sentences.reasons(schemes, "is left out", "are left out"):
        note(sentence)


def output(
    directory: Path | None,
    names: Sequence[str],
    inputs: Sequence[Named],
    beside: Sequence[Named] = (),
) -> contextlib.AbstractContextManager[Transaction | None]:
    """Open the output directory, if one was asked for, before the work begins.

    An error if one of the files to write there is one of the inputs, or one of those that are
    written `beside` them, and if there is no room to draw the page among them.
    """
    if directory is None:
        return contextlib.nullcontext()
    from slcache.charts import pictures

    pictures.check_room()
    return Transaction(directory, names, inputs, beside)


@contextlib.contextmanager
def meter(when: When, *, kept: bool = False, sizes: Sequence[int] = ()) -> Iterator[Callback]:
    """Draw progress with the time left: a bar on a terminal, lines elsewhere if insisted on.

    Where what is done is `kept`, an interrupt says how much that is. `sizes` are those of runs that
    are not alike, in their order.
    """
    with _drawing(when, sizes) as draw:
        said = ""

        def noted(phase: str, done: int, total: int) -> bool | None:
            nonlocal said
            # Of one run it tells how far that is, which is not kept.
            if (name := _name(phase)) in _MANY:
                said = f"{done:,} of {total:,} {name} done"
            return draw(phase, done, total)

        try:
            yield noted
        except KeyboardInterrupt:
            if kept and said:
                note(f"{said}; the same command goes on from there")
            raise


def _drawing(when: When, sizes: Sequence[int]) -> contextlib.AbstractContextManager[Callback]:
    """Return what draws progress as long as it is entered."""
    if when == "never":
        return contextlib.nullcontext(lambda _phase, _done, _total: True)
    if sys.stderr.isatty():
        return _bars()
    return contextlib.nullcontext(_Outlook(sizes).draw if when == "auto" else _lines())


def _name(phase: str) -> str:
    """Return a phase without what is told beside it, as in "replay (1200 requests behind)"."""
    return phase.partition(" (")[0]


@contextlib.contextmanager
def _bars() -> Iterator[Callback]:
    """Draw one progress bar per phase."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    tasks: dict[str, TaskID] = {}

    def draw(phase: str, done: int, total: int) -> bool:
        name = _name(phase)
        if name not in tasks:
            for other, task in tasks.items():
                progress.update(task, visible=other in _MANY)
            tasks[name] = progress.add_task("", total=total or None)
        told = printable(phase)
        progress.update(tasks[name], description=told, completed=done, total=total or None)
        return True

    columns = TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn()
    left = Remaining(compact=True, elapsed_when_finished=True)
    with Progress(*columns, left, console=Console(stderr=True), transient=True) as progress:
        yield draw


class _Outlook:
    """Tells, of much that is left to run, how long it will about take; again where it was wrong."""

    def __init__(self, sizes: Sequence[int] = ()) -> None:
        self._sizes = sizes
        self._told_s = 0.0
        #: Runs or points, as they are called: how many are done, of how many, and were at first.
        self._name, self._done, self._total, self._first = "", 0, 0, 0
        self._began = self._run_began = self._replay_began = math.nan

    def draw(self, phase: str, done: int, total: int) -> bool:
        """Note how far things are."""
        now, name = time.monotonic(), _name(phase)
        if name in _MANY:
            if not self._name or done < self._done:
                self._began, self._first = now, done
            ended = done > self._done
            self._name, self._done, self._total = name, done, total
            self._run_began, self._replay_began = now, math.nan
            if ended:
                self._tell(now, 0.0)
        elif self._name and name.endswith(_REPLAY):
            if math.isnan(self._replay_began):
                self._replay_began = now
            elif done and now - self._replay_began >= _LINE_EVERY_S:
                before_s = self._replay_began - self._run_began
                whole_s = before_s + (now - self._replay_began) * total / done
                self._tell(now, (now - self._run_began) / whole_s)
        return True

    def _tell(self, now: float, part: float) -> None:
        """Tell what is left, if it is much; `part` is how much of the run that goes on is done."""
        begun, passed_s = self._work(self._done + part), now - self._began
        known = begun - self._work(self._first)
        if not known or passed_s < _OUTLOOK_AFTER_S:
            return
        left_s = passed_s * (self._work(self._total) - begun) / known
        if left_s >= _OUTLOOK_LEAST_S and passed_s + left_s > _WRONG * self._told_s:
            self._told_s = passed_s + left_s
            left = f"about {left_s / 60:,.0f} min" if left_s > 90 else f"about {left_s:.0f} s"
            note(f"{self._done:,} of {self._total:,} {self._name} done, {left} left")

    def _work(self, runs: float) -> float:
        """Return how much so many runs are: where all are run, by their sizes."""
        if len(self._sizes) != self._total:
            return runs
        whole = int(runs)
        return sum(self._sizes[:whole]) + (runs - whole) * sum(self._sizes[whole : whole + 1])


def _lines() -> Callback:
    """Return what prints a line a second, with the time left estimated from the phase's pace."""
    current, began, last = "", 0.0, -math.inf

    def draw(phase: str, done: int, total: int) -> bool:
        nonlocal current, began, last
        now = time.monotonic()
        if _name(phase) != current:
            current, began, last = _name(phase), now, -math.inf
        if now - last >= _LINE_EVERY_S:
            last = now
            sys.stderr.write(f"{printable(phase)}: {_position(done, total, now - began)}\n")
            sys.stderr.flush()
        return True

    return draw


def _position(done: int, total: int, passed_s: float) -> str:
    if not total:
        return f"{done:,}"
    eta = f", {passed_s * (total - done) / done:.0f} s left" if done else ""
    return f"{100 * done / total:.0f} %{eta}"


#: From here on it is told.
_MUCH_BYTES = 1 << 30


def tell(
    device: Content, schemes: Sequence[str], settings: Mapping[str, Any], on: str = ""
) -> None:
    """Tell what a run takes, and whether there is as much; what cannot run says so itself.

    `on` names the device, where it is one of several.
    """
    with contextlib.suppress(Error):
        needs = [
            _core.memory_outlook(
                catalogue.engine_run(device, name, catalogue.settings_for(settings, name, schemes))
            )
            for name in schemes
        ]
        begun, whole, free = max(needs, key=lambda need: need[1], default=(0, 0, None))
        if whole < _MUCH_BYTES:
            return
        where = f" on {on}" if on else ""
        told = f"a run{where} takes about {units.size(begun)} of memory as it begins"
        told += f", and up to {units.size(whole)} once all of the device is written"
        if free is not None and whole > free:
            told += f"; {units.size(free)} are free: slcache cliff --scale 1/16 takes a part of it"
        note(told)


_P = TypeVar("_P")

_KEYS = re.compile(
    r"(?<![\w.])(trace\.address(?= = \")|format|lossy|volume|unsorted|op_default|sub_sector"
    r"|zero_size|coarse_time|rebase) = "
)
#: What the reader calls a key of a workload that is changed.
_OVERRIDE = re.compile(r"\b(?:an override such as|override) (?=[\w.]+=)")
#: Those with an option of their own.
_OWN = {
    "trace.address": "--address ",
    "format": "--trace-format ",
    "lossy": "--lossy ",
    "volume": "--volume ",
    "unsorted": "--unsorted ",
}


def trace_message(message: str) -> str:
    """Return a message about a verb's own trace."""
    told = message.replace("trace option lossy: ", "--lossy: ")
    return _KEYS.sub(lambda key: _OWN.get(key[1], f"--trace-option {key[1]}="), told)


def in_options(part: _P) -> _P | Text:
    """Return a part of what is shown, with the messages in it as the command line has them."""
    return Text(trace_message(part.plain), part.style) if isinstance(part, Text) else part


def workload_message(message: str, option: str) -> str:
    """Return a message about a workload, whose keys an option changes."""
    found = _OVERRIDE.sub(option, message)
    return (
        found
        if found == message
        else found.replace(" or duration_ns=", f" or {option}duration_ns=")
    )


def other_message(message: str, option: str) -> str:
    """Return a message about a trace of which one option takes all keys."""
    return _KEYS.sub(rf"{option} \1=", message)
