"""The folder that a study or a search writes to: what is there of another one stays."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from slcache import bounded, frame
from slcache.errors import UsageError, about
from slcache.names import joined
from slcache.options import parsing
from slcache.options.content import value_text
from slcache.study import model
from slcache.study.axes import Axis, plain
from slcache.study.model import Study

#: The files of both tables, and what a search writes as its document.
TABLES, SEARCH = ("points.parquet", "costs.parquet"), "tune.json"
#: Keys that say which points of a study there are, and what is told of them.
_CHOSEN = ("vary", "point", "sample", "sample_seed", "seeds", "resample", "metric")
#: Lists that an extended study has more of.
_LISTS = ("trace", "device", "scheme")


def check_study(study: Study, out: Path) -> str:
    """Return what becomes of the table of a folder; empty where it is of the same study or none.

    Raises UsageError for a folder of a search, or of a study that this one does not extend.
    """
    if (out / SEARCH).is_file():
        raise _taken(out, "a search")
    if study.file is not None and is_same(study.file, out / model.NAME):
        return ""
    if not _has_results(out):
        return ""
    try:
        said = _meant(bounded.text(out / model.NAME))
    except (OSError, ValueError):
        raise _taken(out, f"a study whose {model.NAME} cannot be read") from None
    now = _meant(study.to_toml())
    differ = _differing(said, now)
    if other := [key for key in differ if not _extends(key, said.get(key), now.get(key))]:
        raise _taken(out, f"a study with another {joined(other)}")
    if not differ or not (out / TABLES[0]).is_file():
        return ""
    return (
        f"{out}: the table there is of a study with another {joined(differ)}, and is "
        "replaced by this one's; stored results stay"
    )


def check_search(asked: Mapping[str, Any], out: Path) -> None:
    """Raise UsageError for a folder of a study, or of a search that asks for something else.

    A search may have another number of points.
    """
    if not (out / SEARCH).is_file():
        if _has_results(out):
            raise _taken(out, "a study")
        return
    try:
        document = parsing.json_text(bounded.text(out / SEARCH))
    except (OSError, ValueError):
        document = None
    said = document.get("asked") if isinstance(document, Mapping) else None
    if not isinstance(said, Mapping):
        raise _taken(out, f"a search whose {SEARCH} cannot be read")
    now = json.loads(json.dumps(asked))
    if other := [key for key in _differing(said, now) if key != "points"]:
        raise _taken(out, f"a search with another {joined(other)}")


def _has_results(out: Path) -> bool:
    """Return whether a study ran there: a slip in its first words costs no folder."""
    begun = (out / model.NAME).is_file() and any((out / "store" / "results").glob("*"))
    return begun or (out / TABLES[0]).is_file()


def is_same(path: Path, other: Path) -> bool:
    """Return whether both are one file, which is there."""
    return other.exists() and path.samefile(other)


def _differing(said: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    return [key for key in {**said, **now} if said.get(key) != now.get(key)]


def _extends(key: str, said: Any, now: Any) -> bool:  # noqa: ANN401
    """Return whether a study with another value of a key has the same runs and others."""
    if key in _LISTS and isinstance(said, list) and isinstance(now, list):
        return all(each in now for each in said)
    return key in _CHOSEN


def _meant(text: str) -> dict[str, Any]:
    """Return what the text of a study says, whatever form its ranges have; raises ValueError."""
    told = parsing.toml_text(text)
    vary = told.get("vary", {})
    if not isinstance(vary, dict):
        raise ValueError("vary: must be a table")
    return {**told, "vary": {key: Axis.read(key, values) for key, values in vary.items()}}


def hashed(study: Study) -> str:
    """Return a hash of what is run: equal of studies that have the same points in this order."""
    told = {key: value for key, value in study.to_dict().items() if key != "metric"}
    said = {
        **told,
        "set": {key: value_text(value, key) for key, value in study.fixed.items()},
        "vary": {key: Axis.read(key, values).told for key, values in study.varied.items()},
        "point": [{key: plain(value) for key, value in point.items()} for point in study.listed],
    }
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def is_of(table: Path, study: Study) -> bool:
    """Return whether a table is of a study, or says of none."""
    said = frame.study_of(table)
    try:
        return said is None or said == hashed(study)
    except ValueError:
        # It was edited, and is no study any more.
        return False


def _taken(out: Path, what: str) -> UsageError:
    told = f"out = {out}: has the results of {what}, which would be lost"
    return about(UsageError(f"{told}; name another folder, or delete this one"), "out")
