"""What must hold of a result document: values that JSON has, the published schema, and sense."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from slcache.documents import schemata, shape
from slcache.errors import ResultError, about
from slcache.words.few import few

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


def check_values(value: object, path: str, depth: int) -> None:
    """Raise ResultError for what JSON has not: other types, NaN, texts that are no Unicode."""
    if depth > _DEPTH_MAX:
        raise wrong(_short_path(path), f": nested more than {_DEPTH_MAX} deep")
    match value:
        case Mapping():
            for key, inner in value.items():
                if not isinstance(key, str):
                    raise wrong(path or "the document", f": the key {short(key)} is no text")
                _check_text(key, path)
                check_values(inner, f"{path}.{key}" if path else key, depth + 1)
        case list():
            if depth < _DEPTH_MAX and _whole_numbers(value):
                return
            for i, inner in enumerate(value):
                check_values(inner, f"{path}[{i}]", depth + 1)
        case _:
            _check_scalar(value, path)


def _whole_numbers(values: list[Any]) -> bool:
    """Return whether a list, as the longest are, has nothing but numbers that are right, or null.

    To look at each of them by itself takes most of the time in which a document is read.
    """
    kinds = {*map(type, values)}
    if not kinds <= {int, type(None)}:
        return False
    numbers = [value for value in values if value is not None]
    return not numbers or max(max(numbers), -min(numbers)) <= _COUNT_MAX


def _check_scalar(value: object, path: str) -> None:
    match value:
        case str():
            _check_text(value, path)
        case bool() | None:
            pass
        case int() | float():
            if not abs(value) <= _COUNT_MAX:
                raise wrong(path, f" = {short(value)}: must be finite and below 2^63")
        case _:
            raise wrong(path, f" = {short(value)}: {kind(value)} is nothing JSON has")


def _check_text(text: str, path: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise wrong(path, f" = {short(text)}: not Unicode text") from None


def check_schema(document: Mapping[str, Any]) -> None:
    """Hold the document against the published schema."""
    columns = columns_of(document)
    if columns is not None:
        _check_columns(columns)
        brief: dict[str, list[int]] = {name: [] for name in columns}
        document = {**document, "series": {**document["series"], "columns": brief}}
    schema = schemata.schema("result")
    _hold(schema, document, schema)


def check_printed(document: object, name: str) -> None:
    """Hold what a verb has printed as JSON against its published schema."""
    schema = schemata.schema(name)
    _hold(schema, document, schema)


def columns_of(document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the columns of the time series, if there are such."""
    series = document.get("series")
    columns = series.get("columns") if isinstance(series, Mapping) else None
    return columns if isinstance(columns, Mapping) else None


def _check_columns(columns: Mapping[str, Any]) -> None:
    """Hold the longest lists against their schema, which a general reader takes seconds for."""
    for name, values in columns.items():
        path = f"series.columns.{name}"
        if not isinstance(values, list):
            raise wrong(path, f" = {short(values)}: must be a list")
        nulls = _LATENCIES.fullmatch(name) is not None
        for i, value in enumerate(values):
            if (type(value) is not int or value < 0) and not (nulls and value is None):
                raise wrong(f"{path}[{i}]", f" = {short(value)}: must be a whole number from 0")
    _check_lengths("series.columns", columns)


def _check_lengths(path: str, lists: Mapping[str, Any]) -> set[int]:
    """Return the one length that all lists have, in a set that is empty where there is no list."""
    lengths = {len(values) for values in lists.values()}
    if len(lengths) > 1:
        raise wrong(path, f": lists of different lengths, {sorted(lengths)}")
    return lengths


def check_sense(document: Mapping[str, Any]) -> None:
    """Raise ResultError for what the schema leaves open and every view relies on."""
    device = document["config"].get("device")
    if not isinstance(device, Mapping):
        raise wrong("config.device", ": missing")
    if not isinstance(device.get("name"), str):
        raise wrong("config.device.name", ": missing, or no text")
    mu_bytes = device.get("mu_bytes")
    if type(mu_bytes) is not int or mu_bytes < 1:
        raise wrong("config.device.mu_bytes", f" = {short(mu_bytes)}: must be at least 1")
    scheme = document["config"].get("scheme")
    if not isinstance(scheme, Mapping) or len(scheme) != 1:
        raise wrong("config.scheme", ": missing, or not one scheme")
    if document["series"]["columns"]["t_ns"] and document["series"]["window_ns"] < 1:
        raise wrong("series.window_ns", " = 0: must be at least 1 where there are windows")
    if "bound" in document:
        _check_bound(document["bound"])
    if "disk" in document:
        _check_power(document["disk"]["series"])
    _check_histograms(document["scheme"])
    _check_sides(document["host"])


def _check_bound(bound: Mapping[str, Any]) -> None:
    """Raise ResultError for a bound without its figures, or the reason that there is none."""
    needed = ("why",) if bound["kind"] == "none" else _BOUND
    for key in needed:
        if key not in bound:
            raise wrong(f"bound.{key}", ": missing")


def _check_histograms(scheme: Mapping[str, Any]) -> None:
    """Raise ResultError for counts that are not as many as their bins."""
    for i, histogram in enumerate(scheme.get("histograms", [])):
        combinations = math.prod(len(axis["bins"]) for axis in histogram["axes"])
        if len(histogram["counts"]) != combinations:
            raise wrong(
                f"scheme.histograms[{i}].counts",
                f": has {len(histogram['counts'])} values, and its axes {combinations} "
                "combinations of bins",
            )


def _check_sides(host: Mapping[str, Any]) -> None:
    """Raise ResultError for distributions of latencies that are none."""
    for side in ("read", "write"):
        half = host[side]
        if half["cdf"] and not half["requests"]:
            raise wrong(f"host.{side}.cdf", f": has points, and host.{side}.requests is 0")
        if any(
            b[0] < a[0] or b[1] < a[1] for a, b in zip(half["cdf"], half["cdf"][1:], strict=False)
        ):
            raise wrong(f"host.{side}.cdf", ": must not fall")


def _check_power(series: Mapping[str, Any]) -> None:
    """Raise ResultError for a series of power states that cannot be drawn."""
    lengths = _check_lengths("disk.series.states", series["states"])
    if any(lengths) and series["window_ns"] < 1:
        raise wrong("disk.series.window_ns", " = 0: must be at least 1 where there are windows")


def check_bounds(bounds: object) -> None:
    """Hold the bounds of a comparison against the published schema."""
    whole = schemata.schema("compare")
    _hold(whole["properties"]["bounds"], bounds, whole, "bounds")


def _hold(schema: shape.Schema, value: object, root: shape.Schema, key: str = "") -> None:
    """Raise ResultError for the first fault that a schema finds below a key."""
    for fault in shape.faults(schema, value, root):
        steps = (f"[{s}]" if isinstance(s, int) else f".{s}" for s in fault.steps)
        raise wrong(*_told(fault, (key + "".join(steps)).removeprefix(".")))


def _told(fault: shape.Fault, path: str) -> tuple[str, str]:
    """Return the key, and what is wrong with it and what it may be."""
    here, found, wanted = path or "the document", f" = {short(fault.value)}", fault.wanted
    match fault.rule:
        case "required":
            missing = next(key for key in wanted if key not in fault.value)
            return f"{path}.{missing}".removeprefix("."), ": missing"
        case "unknown":
            return here, ": unknown key"
        case "type":
            kinds = [wanted] if isinstance(wanted, str) else wanted
            return here, f"{found}: must be of type {' or '.join(kinds)}"
        case "enum":
            return here, f"{found}: must be one of {few(wanted)}"
        case "oneOf":
            keys = ", ".join(key for choice in wanted for key in choice["required"])
            return here, f"{found}: must have one of {keys}"
        case "minimum":
            return here, f"{found}: must be at least {wanted}"
        case "maximum":
            return here, f"{found}: must be at most {wanted}"
    return here, f"{found}: not as the schema has it ({fault.rule} {short(wanted)})"


def wrong(key: str, told: str) -> ResultError:
    """Return the error that says of a key what is wrong with it."""
    return about(ResultError(f"{key}{told}"), key)


def kind(value: object) -> str:
    """Return what type a value has."""
    return f"a {type(value).__name__}"


def short(value: object) -> str:
    """Return the beginning of a value, as Python writes it."""
    text = ascii(value) if isinstance(value, str) else repr(value)
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}…"


def _short_path(path: str) -> str:
    return path if len(path) <= _SHOWN_MAX else f"{path[:_SHOWN_MAX]}…"
