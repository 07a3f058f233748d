"""A scheme whose writes are placed by an agent outside: all else is the class's it is made from."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import slcache
from slcache.scheme.base import Scheme

if TYPE_CHECKING:
    from slcache._core import View, Write

#: The actions of whoever steps now, by the number of the environment.
waiting: dict[int, deque[int]] = {}


def made(cls: type[Scheme]) -> type[Scheme]:
    """Return a class that places every write request as the next action says.

    The region of the action is tried first, then the others in the class's order. Without an
    action, before the trace and behind its last step, it is all of them in order.
    """
    names = list(cls.regions)
    choices = [(name, *(other for other in names if other != name)) for name in names]

    def place(self: Any, write: Write, view: View) -> Sequence[str]:  # noqa: ANN401
        if write.first:
            actions = waiting.get(self.environment)
            self.placing = actions.popleft() if actions else 0
        placing: int = self.placing
        return choices[placing]

    def begin(self: Any) -> None:  # noqa: ANN401
        cls.__init__(self)
        self.placing = 0

    body = {
        "__doc__": f"{cls.__qualname__}, its writes placed by an agent.",
        "__module__": __name__,
        "__qualname__": f"Placed[{cls.__qualname__}]",
        "__init__": begin,
        "environment": slcache.option(0, minimum=0, help="number of the environment"),
        "place": place,
    }
    return cast(type[Scheme], type(cls.__name__, (cls,), body))
