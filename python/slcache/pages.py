"""HTML pages from the package's templates."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined


def render(template: str, **values: object) -> str:
    """Return the page; a value that the template misses is an error."""
    environment = Environment(
        loader=PackageLoader("slcache"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    return environment.get_template(template).render(**values)
