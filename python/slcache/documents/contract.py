"""Result documents from outside: held against their schema before anything is read of them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from slcache.documents import schemata
from slcache.errors import ResultError, about
from slcache.words.few import few
from slcache.words.leaves import leaves, shown

#: What is written, and what is read beside it.
VERSION, OLDER = 2, 1

#: Counts beyond this are none: tables hold them in 64 bits.
_COUNT_MAX = 2**63 - 1
_DEPTH_MAX = 64
_SHOWN_MAX = 60

#: Columns of the series that are null where a window has no request.
_LATENCIES = re.compile(r"(?:read|write)_latency_ns_(?:max|p50|p99|p99_9)")

#: The figures of a bound, where there is one.
_BOUND = (
    "capacity_slots",
    "buffer_slots",
    "versions",
    "kept",
    "kept_died",
    "drained",
    "least",
    "counted",
)

#: What a trace is told by, where runs are compared.
_TRACE = ("sha256", "requests", "reads", "writes", "read_bytes", "write_bytes")


def check(document: object) -> None:
    """Raise ResultError, naming the key, unless this is a whole result document."""
    current(document)


def current(document: object) -> Mapping[str, Any]:
    """Return a result document as this version writes it, also of the version before.

    Raises ResultError, naming the key, unless it is a whole one.
    """
    if not isinstance(document, Mapping):
        raise ResultError(f"a result document is an object, not {_kind(document)}")
    _check_version(document)
    _check_values(document, "", 0)
    if document["schema_version"] == OLDER:
        document = _raised(document)
    _check_schema(document)
    _check_sense(document)
    return document


def _raised(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a document of the version before, in which latencies that nobody had were 0."""
    host, columns = document.get("host"), _columns(document)
    raised = {**document, "schema_version": VERSION}
    if isinstance(host, Mapping):
        sides = {k: _with_nulls(host[k]) for k in ("read", "write", "flush") if k in host}
        raised["host"] = {**host, **sides}
    if columns is not None:
        longest = {f"{side}_latency_ns_max": _nulled(columns, side) for side in ("read", "write")}
        known = {name: values for name, values in longest.items() if name in columns}
        raised["series"] = {**document["series"], "columns": {**columns, **known}}
    return raised


def _nulled(columns: Mapping[str, Any], side: str) -> object:
    """Return the longest latency of each window, null in those without a request."""
    longest, requests = (columns.get(f"{side}_{name}") for name in ("latency_ns_max", "requests"))
    if not isinstance(longest, list) or not isinstance(requests, list):
        return longest
    if len(longest) != len(requests):
        return longest
    return [None if count == 0 else ns for ns, count in zip(longest, requests, strict=True)]


def _with_nulls(side: object) -> object:
    if not isinstance(side, Mapping) or side.get("requests") != 0:
        return side
    latency = side.get("latency_us")
    nulls = dict.fromkeys(latency) if isinstance(latency, Mapping) else latency
    return {**side, "latency_us": nulls}


def current_comparison(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the document of a comparison as this version writes it, also of the version before.

    Raises ResultError, naming the key, unless it is a whole one.
    """
    for key in ("runs", "normalised"):
        if key not in document:
            raise _wrong(key, ": missing")
    runs, normalised = document["runs"], document["normalised"]
    if not isinstance(runs, list) or not runs:
        raise _wrong("runs", f" = {_short(runs)}: must be a list of result documents")
    raised = [_within(f"runs[{i}]", run, current) for i, run in enumerate(runs)]
    schemes = normalised.get("schemes") if isinstance(normalised, Mapping) else None
    if not isinstance(schemes, Mapping) or len(schemes) != len(runs):
        raise ResultError(f"normalised.schemes: must name the {len(runs)} runs, in their order")
    reference = normalised.get("to")
    if not isinstance(reference, str) or reference not in schemes:
        raise ResultError(f"normalised.to = {_short(reference)}: must be one of {few(schemes)}")
    if "bounds" in document:
        _check_bounds(document["bounds"])
    if "seeds" not in document:
        return {**document, "runs": raised}
    seeds = document["seeds"]
    others = seeds.get("others") if isinstance(seeds, Mapping) else None
    if not isinstance(others, list) or not all(isinstance(other, Mapping) for other in others):
        raise _wrong("seeds.others", ": must be a list of comparisons")
    found = [
        _within(f"seeds.others[{i}]", other, current_comparison) for i, other in enumerate(others)
    ]
    return {**document, "runs": raised, "seeds": {**seeds, "others": found}}


def _within(
    place: str, document: Mapping[str, Any], read: Callable[[Any], Mapping[str, Any]]
) -> Mapping[str, Any]:
    """Return a document within another one, whose errors say where it stands."""
    try:
        return read(document)
    except ResultError as error:
        key = f"{place}.{error.key}" if error.key else place
        raise about(ResultError(f"{place}: {error}"), key) from None


def check_comparable(labels: Sequence[str], documents: Sequence[Mapping[str, Any]]) -> None:
    """Raise ResultError, naming the key, where runs are not of one trace."""
    for key in _TRACE:
        first = documents[0]["trace"][key]
        for label, document in zip(labels, documents, strict=True):
            if document["trace"][key] != first:
                told = (
                    f"runs of different traces cannot be compared: trace.{key} is {shown(first)} "
                    f"in {labels[0]} and {shown(document['trace'][key])} in {label}"
                )
                raise about(ResultError(told), f"trace.{key}")


def differences(labels: Sequence[str], documents: Sequence[Mapping[str, Any]]) -> str | None:
    """Return a sentence where runs differ in more than their schemes, such as in the device."""
    flat = [_settings(document) for document in documents]
    found = [
        (key, place, other[key])
        for place, other in enumerate(flat)
        for key in flat[0].keys() | other.keys()
        if flat[0].get(key) != other.setdefault(key, None)
    ]
    if not found:
        return None
    keys = sorted({key for key, _, _ in found})
    key, place, value = min(found, key=lambda each: each[:2])
    more = f", and {len(keys) - 1} more keys differ" if len(keys) > 1 else ""
    return (
        f"These runs differ in more than their schemes: {key} is {shown(flat[0].get(key))} in "
        f"{labels[0]} and {shown(value)} in {labels[place]}{more}; "
        "what separates them may come from that."
    )


def _settings(document: Mapping[str, Any]) -> dict[str, Any]:
    config = document["config"]
    settings = dict(leaves({name: part for name, part in config.items() if name != "scheme"}))
    # Whether a bound is counted changes nothing of the run.
    settings.pop("run.bound", None)
    # Another model is another device: older documents do not tell theirs.
    for key in ("model_version", "reading"):
        settings[f"provenance.{key}"] = document.get("provenance", {}).get(key)
    return settings


def _check_version(document: Mapping[str, Any]) -> None:
    if "schema_version" not in document:
        raise _wrong("schema_version", ": missing; is this a result document of slcache?")
    version = document["schema_version"]
    if version not in (VERSION, OLDER) or isinstance(version, bool):
        raise _wrong(
            "schema_version",
            f" = {_short(version)}: this slcache reads versions {OLDER} and {VERSION}",
        )


def _check_values(value: object, path: str, depth: int) -> None:
    """Raise ResultError for what JSON has not: other types, NaN, texts that are no Unicode."""
    if depth > _DEPTH_MAX:
        raise _wrong(_short_path(path), f": nested more than {_DEPTH_MAX} deep")
    match value:
        case Mapping():
            for key, inner in value.items():
                if not isinstance(key, str):
                    raise _wrong(path or "the document", f": the key {_short(key)} is no text")
                _check_text(key, path)
                _check_values(inner, f"{path}.{key}" if path else key, depth + 1)
        case list():
            for i, inner in enumerate(value):
                _check_values(inner, f"{path}[{i}]", depth + 1)
        case _:
            _check_scalar(value, path)


def _check_scalar(value: object, path: str) -> None:
    match value:
        case str():
            _check_text(value, path)
        case bool() | None:
            pass
        case int() | float():
            if not abs(value) <= _COUNT_MAX:
                raise _wrong(path, f" = {_short(value)}: must be finite and below 2^63")
        case _:
            raise _wrong(path, f" = {_short(value)}: {_kind(value)} is nothing JSON has")


def _check_text(text: str, path: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _wrong(path, f" = {_short(text)}: not Unicode text") from None


def _columns(document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the columns of the time series, if there are such."""
    series = document.get("series")
    columns = series.get("columns") if isinstance(series, Mapping) else None
    return columns if isinstance(columns, Mapping) else None


def _check_columns(columns: Mapping[str, Any]) -> None:
    """Hold the longest lists against their schema, which a general reader takes seconds for."""
    for name, values in columns.items():
        path = f"series.columns.{name}"
        if not isinstance(values, list):
            raise _wrong(path, f" = {_short(values)}: must be a list")
        nulls = _LATENCIES.fullmatch(name) is not None
        for i, value in enumerate(values):
            if (type(value) is not int or value < 0) and not (nulls and value is None):
                raise _wrong(f"{path}[{i}]", f" = {_short(value)}: must be a whole number from 0")
    lengths = {len(values) for values in columns.values()}
    if len(lengths) > 1:
        raise _wrong("series.columns", f": lists of different lengths, {sorted(lengths)}")


def _check_schema(document: Mapping[str, Any]) -> None:
    """Hold the document against the published schema."""
    columns = _columns(document)
    if columns is not None:
        _check_columns(columns)
        brief: dict[str, list[int]] = {name: [] for name in columns}
        document = {**document, "series": {**document["series"], "columns": brief}}
    for error in _validator().iter_errors(document):
        path = "".join(
            f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path
        ).removeprefix(".")
        raise _wrong(*_told(error, path))


def _told(error: Any, path: str) -> tuple[str, str]:  # noqa: ANN401
    """Return the key, and what is wrong with it and what it may be."""
    prefix = f"{path}." if path else ""
    here, found = path or "the document", f" = {_short(error.instance)}"
    wanted = error.validator_value
    match error.validator:
        case "required":
            missing = next(key for key in wanted if key not in error.instance)
            return f"{prefix}{missing}", ": missing"
        case "additionalProperties" if not wanted:
            known = error.schema.get("properties", {})
            unknown = next(key for key in error.instance if key not in known)
            return f"{prefix}{unknown}", ": unknown key"
        case "type":
            kinds = [wanted] if isinstance(wanted, str) else wanted
            return here, f"{found}: must be of type {' or '.join(kinds)}"
        case "enum":
            return here, f"{found}: must be one of {', '.join(map(str, wanted))}"
        case "oneOf":
            keys = ", ".join(key for choice in wanted for key in choice["required"])
            return here, f"{found}: must have one of {keys}"
        case "minimum":
            return here, f"{found}: must be at least {wanted}"
        case "maximum":
            return here, f"{found}: must be at most {wanted}"
    return here, f"{found}: not as the schema has it ({error.validator} {_short(wanted)})"


def _check_sense(document: Mapping[str, Any]) -> None:
    """Raise ResultError for what the schema leaves open and every view relies on."""
    device = document["config"].get("device")
    if not isinstance(device, Mapping):
        raise _wrong("config.device", ": missing")
    if not isinstance(device.get("name"), str):
        raise _wrong("config.device.name", ": missing, or no text")
    mu_bytes = device.get("mu_bytes")
    if type(mu_bytes) is not int or mu_bytes < 1:
        raise _wrong("config.device.mu_bytes", f" = {_short(mu_bytes)}: must be at least 1")
    scheme = document["config"].get("scheme")
    if not isinstance(scheme, Mapping) or len(scheme) != 1:
        raise _wrong("config.scheme", ": missing, or not one scheme")
    if document["series"]["columns"]["t_ns"] and document["series"]["window_ns"] < 1:
        raise _wrong("series.window_ns", " = 0: must be at least 1 where there are windows")
    if "bound" in document:
        _check_bound(document["bound"])
    if "disk" in document:
        _check_power(document["disk"]["series"])
    _check_histograms(document["scheme"])
    _check_sides(document["host"])


def _check_bounds(bounds: object) -> None:
    """Hold the bounds of a comparison against the published schema."""
    from jsonschema import Draft202012Validator

    schema = schemata.schema("compare")["properties"]["bounds"]
    for error in Draft202012Validator(schema).iter_errors(bounds):
        path = "".join(
            f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path
        )
        raise _wrong(*_told(error, "bounds" + path))


def _check_bound(bound: Mapping[str, Any]) -> None:
    """Raise ResultError for a bound without its figures, or the reason that there is none."""
    needed = ("why",) if bound["kind"] == "none" else _BOUND
    for key in needed:
        if key not in bound:
            raise _wrong(f"bound.{key}", ": missing")


def _check_histograms(scheme: Mapping[str, Any]) -> None:
    """Raise ResultError for counts that are not as many as their bins."""
    for i, histogram in enumerate(scheme.get("histograms", [])):
        combinations = math.prod(len(axis["bins"]) for axis in histogram["axes"])
        if len(histogram["counts"]) != combinations:
            raise _wrong(
                f"scheme.histograms[{i}].counts",
                f": has {len(histogram['counts'])} values, and its axes {combinations} "
                "combinations of bins",
            )


def _check_sides(host: Mapping[str, Any]) -> None:
    """Raise ResultError for distributions of latencies that are none."""
    for side in ("read", "write"):
        half = host[side]
        if half["cdf"] and not half["requests"]:
            raise _wrong(f"host.{side}.cdf", f": has points, and host.{side}.requests is 0")
        if any(
            b[0] < a[0] or b[1] < a[1] for a, b in zip(half["cdf"], half["cdf"][1:], strict=False)
        ):
            raise _wrong(f"host.{side}.cdf", ": must not fall")


def _check_power(series: Mapping[str, Any]) -> None:
    """Raise ResultError for a series of power states that cannot be drawn."""
    lengths = {len(shares) for shares in series["states"].values()}
    if len(lengths) > 1:
        raise _wrong("disk.series.states", f": lists of different lengths, {sorted(lengths)}")
    if any(lengths) and series["window_ns"] < 1:
        raise _wrong("disk.series.window_ns", " = 0: must be at least 1 where there are windows")


@cache
def _validator() -> Any:  # noqa: ANN401
    from jsonschema import Draft202012Validator

    return Draft202012Validator(schemata.schema("result"))


def _wrong(key: str, told: str) -> ResultError:
    """Return the error that says of a key what is wrong with it."""
    return about(ResultError(f"{key}{told}"), key)


def _kind(value: object) -> str:
    return f"a {type(value).__name__}"


def _short(value: object) -> str:
    text = ascii(value) if isinstance(value, str) else repr(value)
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}…"


def _short_path(path: str) -> str:
    return path if len(path) <= _SHOWN_MAX else f"{path[:_SHOWN_MAX]}…"
