"""HTML pages from the package's templates."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from slcache.words.names import printable


def render(template: str, **values: object) -> str:
    """Return the page; a value that the template misses is an error."""
    environment = Environment(
        loader=PackageLoader("slcache"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_plain,
    )
    return environment.get_template(template).render(**values)


def _plain(value: object) -> object:
    """Return a text without characters that hide or turn others; pages' own parts as they are."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value
