"""HTML pages from the package's templates."""

from __future__ import annotations

import base64
import hashlib
import json

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from slcache.words.names import printable

#: The script of pages, in parts.
_SCRIPT = ("touch.js", "points.js", "curves.js")


def render(template: str, **values: object) -> str:
    """Return the page; a value that the template misses is an error.

    A browser runs the page's own script alone, and fetches nothing.
    """
    loader = PackageLoader("slcache")
    environment = Environment(
        loader=loader,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_plain,
    )
    script = Markup("").join(Markup(loader.get_source(environment, p)[0]) for p in _SCRIPT)
    return environment.get_template(template).render(
        **values, script=script, policy=_policy(script)
    )


def data(told: object) -> Markup:
    """Return figures for the script as JSON, safe inside a page."""
    text = json.dumps(told, separators=(",", ":"), allow_nan=False)
    # A name must not end the element that it stands in.
    return Markup(text.replace("<", "\\u003c"))


def _policy(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _plain(value: object) -> object:
    """Return a text without characters that hide or turn others; pages' own parts as they are."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value
