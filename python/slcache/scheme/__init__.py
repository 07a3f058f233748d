"""Schemes of one's own: a class says where writes go, what is reclaimed and what a pause is for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from slcache._core import View, Window, Write


__all__ = ["Reclaim", "Region", "Scheme", "dense", "option", "reclaim", "slc"]


#: What an option may be.
Value = bool | int | float | str


@dataclass(frozen=True)
class Region:
    """Blocks of every plane that are managed alike.

    `mode` is the cell mode, the densest where it is None. `blocks` is how many blocks of a plane it
    has, a number or the name of an option; None: `slc_blocks` in SLC mode, else what is left, which
    all such regions share. `victim` says which block is emptied next: greedy, fifo, random,
    cost-benefit; None: greedy, or for shared regions `dense.victim`.
    """

    mode: str | None = None
    blocks: int | str | None = None
    victim: str | None = None


def slc(blocks: int | str | None = None, *, victim: str | None = None) -> Region:
    """Return a region in SLC mode, of `slc_blocks` blocks per plane where no number is given."""
    return Region("slc", blocks, victim)


def dense(
    mode: str | None = None, *, blocks: int | str | None = None, victim: str | None = None
) -> Region:
    """Return a dense region; without blocks of its own it shares what is left of each plane."""
    return Region(mode, blocks, victim)


@dataclass(frozen=True)
class SchemeOption:
    """An option of a scheme: a key of its configuration."""

    default: Value
    minimum: float | None = None
    maximum: float | None = None
    choices: Sequence[Value] | None = None
    help: str = ""


def option(
    default: Value,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: Sequence[Value] | None = None,
    help: str = "",
) -> Any:  # noqa: ANN401 - the class declares the type of its attribute
    """Return an option with its default and the values it may have."""
    made = SchemeOption(default, minimum, maximum, choices, help)
    wrong = _wrong(made)
    if wrong is not None:
        raise TypeError(f"slcache.option({default!r}, ...): {wrong}")
    return made


def _wrong(declared: SchemeOption) -> str | None:
    """Return what is wrong with how an option is declared."""
    if not isinstance(declared.default, Value):
        return "its default must be True or False, a number or a text"
    if not isinstance(declared.help, str):
        return f"help = {declared.help!r}: must be a text"
    for name in ("minimum", "maximum"):
        limit = getattr(declared, name)
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int | float)):
            return f"{name} = {limit!r}: must be a number"
    if declared.choices is not None and not isinstance(declared.choices, tuple | list):
        return f"choices = {declared.choices!r}: must be a list of values"
    return None


@dataclass(frozen=True)
class Reclaim:
    """A block to be emptied and erased; `reclaim` makes one."""

    region: str | None
    to: str | None
    block: int | None
    open: bool
    uninterrupted: bool


def reclaim(
    region: str | None = None,
    *,
    to: str | None = None,
    block: int | None = None,
    open: bool = False,
    uninterrupted: bool = False,
) -> Reclaim:
    """Return an order to empty a block of `region` and to erase it.

    `to` is the region that takes what lives in it; without one `destination` is asked for every
    page. The region itself is cleaned: a block in which nothing is dead is left alone. `block`
    is one of `view.closed_blocks`; without one the region's rule chooses. `open` takes the data
    of the block that is being filled where none is full, to another region. `uninterrupted`
    makes the host wait until a pause's work is done.
    """
    return Reclaim(region, to, block, open, uninterrupted)


#: What a decision says that a class does not take, where the class calls it itself.
_ENGINE = "the default is the engine's and cannot be called; leave the method out to have it"


class Scheme:
    """A scheme of one's own: declare regions and options, decide in methods.

    >>> class Small(slcache.Scheme):
    ...     largest: int = slcache.option(32768, minimum=512, help="largest write for the cache")
    ...
    ...     def place(self, write, view):
    ...         return ("cache", "store") if write.request_bytes <= self.largest else "store"

    A method that a class does not have is the default: a write tries all regions in order; one
    that is out of blocks empties one into the last dense region; pauses and windows do nothing.
    """

    #: The regions by name, in the order in which a write tries them by default.
    regions: ClassVar[Mapping[str, Region]] = {"cache": slc(), "store": dense()}
    #: The end of a run empties the regions in SLC mode, counted.
    drain: ClassVar[bool] = False
    #: Write requests between two calls of `window`; 0 = none.
    window_writes: ClassVar[int] = 0
    #: Whether writes know their page's `age_ns` and `frequency`.
    history: ClassVar[bool] = False

    def __init__(self) -> None:
        """Begin; options are set before."""

    def place(self, write: Write, view: View) -> str | Sequence[str]:
        """Return the region that takes a write, or several in order of preference."""
        raise NotImplementedError(_ENGINE)

    def reclaim(self, region: str, view: View) -> str | Reclaim | None:
        """Return what is emptied before `region` opens a block in `view.plane`.

        It is asked until it returns None or there is nothing to empty; the name of a region means
        that the next block of `region` goes there.
        """
        raise NotImplementedError(_ENGINE)

    def destination(self, page: int, region: str, view: View) -> str:
        """Return where a page goes out of a block that `reclaim` empties without saying whither.

        The name of the region that it is in lets it stay there, in another block.
        """
        told = f"reclaim of {region!r} has no to=, and {type(self).__name__} no destination"
        raise NotImplementedError(told)

    def idle(self, view: View) -> Reclaim | None:
        """Return what a pause of `view.plane` empties; it is asked again when that is done."""
        raise NotImplementedError(_ENGINE)

    def window(self, window: Window, view: View) -> Mapping[str, int] | None:
        """Return the regions whose number of blocks per plane changes, after `window_writes`."""
        raise NotImplementedError(_ENGINE)

    def figures(self) -> Mapping[str, float]:
        """Return the scheme's figures for the report."""
        return {}

    def save(self) -> Any:  # noqa: ANN401 - whatever JSON has
        """Return all that decides what comes next, as plain values; the attributes by default."""
        kept = {"_options": self._options, **self._options}
        return {k: v for k, v in vars(self).items() if k not in kept or v != kept[k]}

    def load(self, state: Any) -> None:  # noqa: ANN401
        """Go on where `save` was called, in a new instance with the same options."""
        vars(self).update(state)

    #: The options by name: filled in when a configuration names the class.
    _options: Mapping[str, Value] = {}
