"""What every verb and group of verbs has of its own beyond Typer's: no option is given twice."""

from __future__ import annotations

from collections import Counter
from typing import Any

import typer
from typer.core import TyperCommand


class Verb(TyperCommand):
    """A verb that refuses an option given twice, and whose errors know which verb they are of."""

    def parse_args(  # type: ignore[override]
        self, ctx: typer.Context, args: list[str]
    ) -> list[str]:
        """Parse the arguments; the last of two values must not win in silence."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        for parameter, times in Counter(order).items():
            if times > 1 and parameter.param_type_name == "option" and not parameter.multiple:
                ctx.fail(f"{max(parameter.opts, key=len)} is given {times} times; give it once")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]  # noqa: ANN401
        """Run the verb."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.ctx = error.ctx or ctx
            raise
