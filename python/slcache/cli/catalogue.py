"""The verbs that list what there is: `schemes`, `devices` and `schema`."""

from __future__ import annotations

from enum import StrEnum
from importlib import resources
from typing import Annotated

import typer

from slcache import _core, api, units
from slcache.cli import console
from slcache.cli import options as opt
from slcache.tabular import Column, Table


class Subject(StrEnum):
    """The documents that have a published schema."""

    config = "config"
    result = "result"
    compare = "compare"
    trace_info = "trace-info"


def schemes(json: opt.Json = False) -> None:
    """List the SLC-cache schemes.

    \b
    [bold]Example[/bold]
      slcache schemes --json
    """
    if json:
        console.emit(_core.schemes())
        return
    listed = Table("scheme", [Column("what it does", text=True), Column("paper", text=True)])
    for entry in api.schemes():
        listed.add(entry["name"], entry["summary"], entry.get("paper") or "–")
    console.show(listed)


def devices(json: opt.Json = False) -> None:
    """List the device presets.

    \b
    [bold]Example[/bold]
      slcache devices
    """
    if json:
        console.emit(_core.devices())
        return
    listed = Table(
        "device", ["user data", Column("what it is", text=True), Column("source", text=True)]
    )
    for entry in api.devices():
        size = units.size(entry["user_bytes"])
        listed.add(entry["name"], size, entry["summary"], entry.get("source") or "–")
    console.show(listed)


def schema(
    subject: Annotated[Subject, typer.Argument(help="The document to describe.")] = Subject.config,
    json: Annotated[
        bool, typer.Option("--json", help="Accepted for symmetry: a schema is always JSON.")
    ] = False,
) -> None:
    """Print the JSON schema of the configuration or of a document that a verb prints.

    \b
    [bold]Example[/bold]
      slcache schema result > result.schema.json
    """
    if subject == Subject.config:
        console.emit(_core.config_schema())
    else:
        name = f"{subject}.schema.json"
        console.emit((resources.files("slcache") / "schema" / name).read_text("utf-8"))
