"""A scheme whose writes are placed by an agent outside: all else is the class's it is made from."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from slcache.scheme.base import Scheme

if TYPE_CHECKING:
    from slcache._core import View, Write


class _Waiting(threading.local):
    """The actions of whoever steps in this thread."""

    actions: deque[int] | None = None


#: A step runs in the thread that asks for it.
waiting = _Waiting()
#: One episode at a time runs to its end, in a thread of its own, with the actions that are left.
finishing = threading.Lock()
left: list[deque[int]] = []

_made: dict[type[Scheme], type[Scheme]] = {}


def made(cls: type[Scheme]) -> type[Scheme]:
    """Return a class that places every write request as the next action says.

    The region of the action is tried first, then the others in the class's order. Without an
    action, before the trace and behind its last step, it is all of them in order.
    """
    if cls not in _made:
        _made[cls] = _placed(cls, len(_made))
    return _made[cls]


def _placed(cls: type[Scheme], number: int) -> type[Scheme]:
    names = list(cls.regions)
    choices = [(name, *(other for other in names if other != name)) for name in names]

    def place(self: Any, write: Write, view: View) -> Sequence[str]:  # noqa: ANN401
        if write.first:
            actions = waiting.actions
            if actions is None and left:
                actions = left[-1]
            self.placing = actions.popleft() if actions else 0
        placing: int = self.placing
        return choices[placing]

    def begin(self: Any) -> None:  # noqa: ANN401
        cls.__init__(self)
        self.placing = 0

    body = {
        "__doc__": f"{cls.__qualname__}, its writes placed by an agent.",
        "__module__": __name__,
        # Two classes of one name are two schemes.
        "__qualname__": f"Placed[{cls.__qualname__}]{number}",
        "__init__": begin,
        "place": place,
    }
    return cast(type[Scheme], type(cls.__name__, (cls,), body))
