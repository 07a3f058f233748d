"""The verb `explain`: what a key means, and the schemas of all keys of a document."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from rich.text import Text

from slcache import explain as explanations
from slcache.cli import console
from slcache.cli import options as opt
from slcache.documents import schemata
from slcache.explain import Entry, Standing
from slcache.names import shown
from slcache.options import option
from slcache.sentences import notes
from slcache.tables.table import Cells, Columns, Table

#: The documents that have a published schema.
DOCUMENTS = (
    "config",
    "run",
    "result",
    "compare",
    "cliff",
    "reproduce",
    "study",
    "sweep",
    "sweep-show",
    "tune",
    "why",
    "diff",
    "schemes",
    "trace-info",
    "trace-lint",
    "trace-convert",
    "bound",
    "device-bound",
    "device",
)


@dataclass(frozen=True, kw_only=True)
class ExplainOptions(opt.SchemeSourceOptions, opt.OutputOptions):
    """A key, and what is told of it; or a schema."""

    key: str | None = opt.argument(
        "[KEY]", "A key, or its last part (default: list the sections).", offer="key", default=None
    )
    device: str | None = option(
        "PRESET|FILE.toml",
        "Print the key's value on this device, and the line that sets it.",
        offer="devices",
    )
    schema: str | None = option(
        "",
        "Print the JSON schema of the configuration, of a study's file, or of a verb's --json "
        "document.",
        words=DOCUMENTS,
    )


@opt.verb
def explain(asked: ExplainOptions) -> None:
    """Explain a key of the configuration or of a result: meaning, unit, values, default.

    The last part of a key is enough; if several keys match, they are listed. Every schema is
    complete by itself; `run` and `result` are the same.

    Examples:
      slcache explain slc_blocks
      slcache explain device.pool[0].wordlines --device ips-384g
      slcache explain host.read.latency_us.p99
      slcache explain --schema run > run.schema.json

    """
    form, schema, device, key = asked.form, asked.schema, asked.device, asked.key
    if schema is not None:
        others = {"KEY": key, "--device": device, "--scheme": asked.scheme}
        if form in ("csv", "markdown"):
            others["--format"] = form
        for name, value in others.items():
            if value is not None:
                raise opt.wrong(f"{name}: has no effect with --schema")
        console.emit(console.json_of(schemata.schema(schema)))
        return
    with opt.as_usage("KEY"):
        found = explanations.sections() if key is None else explanations.find(key)
        ending = key or ""
        places = [explanations.standing(each, device, ending) if device else None for each in found]
    if device is not None and all(each.of != "configuration" for each in found):
        raise opt.wrong(f"{device} says nothing of it: {key} is of results", "--device")
    asked.check_used()
    told = zip(found, places, strict=True)
    document = [e.to_dict() | ({"here": asdict(at)} if at else {}) for e, at in told]
    whole = key is not None and len({(e.key.text, e.key.type, e.key.unit) for e in found}) == 1
    standing = places if device else ()
    listed = [] if whole and form == "table" else [_listed(found, standing)]
    facts = _told(found, [at for at in places if at]) if whole else ()
    console.answer(form, document, [*listed, *facts])


def _told(found: Sequence[Entry], places: Sequence[Standing]) -> Iterator[Cells | Text]:
    """Yield all of one key; those of other schemes that mean the same are named."""
    first = found[0]
    key = first.key
    # Ranges and words that speak for themselves need no column beside them.
    is_told = any(meaning for _, meaning in key.allowed)
    facts = [
        ("what it is", key.text),
        ("of", first.of),
        ("type", key.type),
        ("unit", "" if key.unit == "1" else key.unit),
        ("allowed", "" if is_told else ", ".join(word for word, _ in key.allowed)),
        ("default", key.default),
        ("by default no effect", first.no_effect()),
        ("published in", first.paper),
        ("also", ", ".join(entry.key.name for entry in found[1:])),
    ]
    for at in places:
        if at.problem:
            facts.append(("here", f"{at.key}: {at.scheme} does not fit: {at.problem}"))
            continue
        facts.append(("here", f"{at.key} = {shown(at.value)}"))
        facts.append(("said in", f"{at.where}: {at.line}" if at.where else "nothing: the default"))
    yield Cells([key.name, ""], (fact for fact in facts if fact[1]))
    if is_told:
        yield Cells(["allowed", "what it means"], key.allowed)
    inner = explanations.below(key.name, first.of)
    if inner:
        yield _listed(inner)
    elif key.section:
        yield Text("it has keys of its own that depend on the choice")


def _listed(found: Sequence[Entry], places: Sequence[Standing | None] = ()) -> Table:
    """Return keys with their first sentence, and what they stand at where asked for."""
    problems = {at.scheme: at.problem for at in places if at and at.problem}
    why = notes.reasons(problems, "does not fit", "do not fit")
    here: Columns = {"here": "here"} if places else {}
    columns: Columns = {
        "key": "key",
        "of": "of",
        "unit": lambda row: "" if row["unit"] == "1" else row["unit"],
        **here,
        "what it is": lambda row: row["text"].partition("\n")[0],
    }
    rows = (
        entry.to_dict() | {"here": at and ("does not fit" if at.problem else at.value)}
        for entry, at in itertools.zip_longest(found, places)
    )
    keys = ("key", "of", "type", "unit", "default", "text", *here)
    return Table(rows, columns, caption="\n".join(why), only=keys)
