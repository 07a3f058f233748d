"""What a document must hold beyond its schema: sums, and figures that agree."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from slcache.documents import schemata
from slcache.errors import ResultError, about
from slcache.names import few

if TYPE_CHECKING:
    from jsonschema import ValidationError

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
    check_printed(document, "result")


def check_printed(document: object, name: str) -> None:
    """Hold what a verb has printed as JSON against its published schema."""
    _hold(schemata.schema(name), document)


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
    from slcache.documents.model import Bounds

    _hold(schemata.of(Bounds), bounds, "bounds")


def _hold(schema: Mapping[str, Any], value: object, key: str = "") -> None:
    """Raise ResultError for the first fault that a schema finds below a key."""
    # It takes its time to load.
    from jsonschema import Draft202012Validator

    for error in Draft202012Validator(schema).iter_errors(value):
        fault = _innermost(error)
        steps = (f"[{s}]" if isinstance(s, int) else f".{s}" for s in fault.absolute_path)
        raise wrong(*_told(fault, (key + "".join(steps)).removeprefix(".")))


def _innermost(error: ValidationError) -> ValidationError:
    """Return what is wrong within a part that may be null and is not."""
    choices = error.validator_value if error.validator == "anyOf" else []
    if error.instance is None or {"type": "null"} not in choices or len(choices) != 2:
        return error
    return _innermost(next(each for each in error.context if each.schema != {"type": "null"}))


def _told(fault: ValidationError, path: str) -> tuple[str, str]:
    """Return the key, and what is wrong with it and what it may be."""
    here, wanted = path or "the document", fault.validator_value
    found = f" = {short(fault.instance)}"
    match fault.validator:
        case "required":
            missing = next(key for key in wanted if key not in fault.instance)
            return f"{path}.{missing}".removeprefix("."), ": missing"
        case "additionalProperties":
            unknown = next(key for key in fault.instance if key not in fault.schema["properties"])
            return f"{path}.{unknown}".removeprefix("."), ": unknown key"
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
    return here, f"{found}: not as the schema has it ({fault.validator} {short(wanted)})"


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


#: A key, its value, and what it must be.
Disagreement = tuple[str, Any, str]
#: Percentiles of a latency in their order, with both ends.
_RISING = ("min", "p50", "p90", "p95", "p99", "p99_9", "p99_99", "max")
_SHARES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99_9": 0.999, "p99_99": 0.9999}
#: Figures of the cache that its state has, too.
_OF_CACHE = ("peak_bytes", "mean_bytes", "full_ns", "left_bytes")
#: Kinds of requests that have latencies.
_TIMED = ("read", "write", "flush")
#: Sums of fractions agree to so much of themselves.
_NEAR = 1e-6


def check_figures(document: Mapping[str, Any]) -> None:
    """Raise ResultError for a run whose figures contradict another."""
    for key, value, needed in disagreements(document):
        raise wrong(key, f" = {short(value)}: must be {needed}")


def disagreements(document: Mapping[str, Any]) -> Iterator[Disagreement]:
    """Yield every figure of a document that its others contradict."""
    host = document["host"]
    yield from _of_counts(host)
    trace = document["trace"]
    requests = trace["reads"] + trace["writes"]
    yield from _same("trace.requests", trace["requests"], requests, "the sum of reads and writes")
    for kind in ("flush", "trim"):
        served, came = host[kind]["requests"], trace["flushes" if kind == "flush" else "trims"]
        if served > came:
            yield f"host.{kind}.requests", served, f"at most {came}, as many as the trace has"
    for kind in _TIMED:
        yield from _of_kind(f"host.{kind}", host[kind])
    yield from _of_waf(document["waf"])
    yield from _of_figures(document)
    for place, pool in enumerate(document["wear"]["pools"]):
        yield from _of_pool(f"wear.pools[{place}]", pool)
    yield from _of_series(document["series"]["columns"], host)
    erases = document["series"]["columns"].get("erases")
    if erases:
        told = "those of flash.ops"
        yield from _same("the sum of series.columns.erases", sum(erases), _erases(document), told)


def _of_figures(document: Mapping[str, Any]) -> Iterator[Disagreement]:
    """Yield the figures that stand elsewhere too, and are another number there."""
    host, waf = document["host"], document["waf"]["total"]
    told: dict[str, float | None] = {
        "waf": waf if host["write"]["bytes"] else None,
        "duration_ns": host["duration_ns"],
        "iops": host["iops"] if host["duration_ns"] else None,
        "bytes_per_s": host["bytes"] * 1e9 / ns if (ns := host["duration_ns"]) else None,
        "slc_bytes": document["cache"]["slc_bytes"],
        "lifetime_host_bytes": document["wear"]["lifetime_host_bytes"],
        "erases": _erases(document),
        "flash_time_ns": 1000 * math.fsum(op["time_us"] for op in document["flash"]["ops"]),
    }
    for kind in _TIMED:
        for name, us in host[kind]["latency_us"].items():
            told[f"{kind}_{name}_ns"] = None if us is None else us * 1000
    for side in ("read", "write"):
        told |= _of_parts(side, host[side], document["figures"])
    if "state" in document:
        told |= _of_state(document["state"])
    told |= _of_bound(document)
    for name, other in told.items():
        value = document["figures"].get(name, other)
        if (value is None) != (other is None):
            yield f"figures.{name}", value, f"{other}, as elsewhere in the document"
        elif value is not None and other is not None:
            yield from _same(f"figures.{name}", value, other, "as elsewhere in the document")


def _erases(document: Mapping[str, Any]) -> int:
    return sum(op["count"] for op in document["flash"]["ops"] if op["kind"] == "erase")


def _of_parts(
    side: str, host: Mapping[str, Any], figures: Mapping[str, Any]
) -> dict[str, float | None]:
    """Return the mean of each part of a side's latency, by its figure; a part that is not is 0."""
    requests = host["requests"]
    begins = (f"{side}_wait_", f"{side}_service_")
    parts = {name: 0.0 for name in figures if name.startswith(begins)}
    for kind in ("service", "wait"):
        for part, us in host["attribution_us"][kind].items():
            parts[f"{side}_{kind}_{part.replace('-', '_')}_ns"] = us
    return {name: 1000 * us / requests if requests else None for name, us in parts.items()}


def _of_state(state: Mapping[str, Any]) -> dict[str, float | None]:
    """Return the figures of the state before a run, and of the cache in it."""
    cache = state["cache"] or {}
    steady = state["steady"]
    return {
        "full_share": state["full_share"],
        "overwritten_share": state["overwritten_share"],
        "steady": None if steady is None else int(steady),
        **{f"cache_{name}": cache.get(name) for name in _OF_CACHE},
    }


def _of_bound(document: Mapping[str, Any]) -> dict[str, float | None]:
    """Return the figures of the dense programs and the least of them, where one was counted."""
    bound, mu_bytes = document.get("bound", {}), document["config"]["device"]["mu_bytes"]
    counted, least = bound.get("counted"), bound.get("least")
    return {
        "dense_bytes": None if counted is None else counted * mu_bytes,
        "dense_least_bytes": None if least is None else least * mu_bytes,
        "dense_over_least": counted / least if counted is not None and least else None,
    }


def _of_counts(host: Mapping[str, Any]) -> Iterator[Disagreement]:
    requests = host["read"]["requests"] + host["write"]["requests"]
    yield from _same("host.requests", host["requests"], requests, "the sum of reads and writes")
    moved = host["read"]["bytes"] + host["write"]["bytes"]
    yield from _same("host.bytes", host["bytes"], moved, "the sum of reads and writes")
    if host["duration_ns"]:
        rate = host["requests"] * 1e9 / host["duration_ns"]
        yield from _same("host.iops", host["iops"], rate, "requests by duration_ns")


def _of_kind(key: str, side: Mapping[str, Any]) -> Iterator[Disagreement]:
    """Yield what contradicts itself in the latencies of a kind of request."""
    latency, requests = side["latency_us"], side["requests"]
    for name, beyond in side["requests_beyond"].items():
        if beyond > requests:
            yield f"{key}.requests_beyond.{name}", beyond, f"at most the {requests} requests"
    for name, value in latency.items():
        if (value is None) != (requests == 0):
            told = "a number where there are requests, else null"
            yield f"{key}.latency_us.{name}", value, told
            return
    if requests == 0:
        return
    rising = [name for name in _RISING if name in latency]
    for less, more in pairwise(rising):
        if latency[less] > latency[more]:
            yield f"{key}.latency_us.{more}", latency[more], f"at least {less}, {latency[less]}"
    if not latency["min"] <= latency["mean"] <= latency["max"]:
        yield f"{key}.latency_us.mean", latency["mean"], "from min to max"
    yield from _of_distribution(key, latency, side.get("cdf", []))
    parts = side.get("attribution_us")
    if parts is not None:
        whole = math.fsum([*parts["service"].values(), *parts["wait"].values()])
        yield from _same(f"{key}.attribution_us.total", parts["total"], whole, "its parts' sum")
        mean, told = parts["total"] / requests, "the attribution's total by requests"
        yield from _same(f"{key}.latency_us.mean", latency["mean"], mean, told)


def _of_distribution(
    key: str, latency: Mapping[str, Any], cdf: Sequence[tuple[float, float]]
) -> Iterator[Disagreement]:
    """Yield the percentiles that do not lie where the distribution has their share."""
    for name, share in _SHARES.items():
        reached = [us for us, part in cdf if part >= share]
        before = [us for us, part in cdf if part < share]
        if reached and name in latency:
            low, high = max(before, default=0), min(reached)
            if not low - _NEAR <= latency[name] <= high + _NEAR:
                told = f"between {low} and {high}, as in {key}.cdf"
                yield f"{key}.latency_us.{name}", latency[name], told


def _of_waf(waf: Mapping[str, Any]) -> Iterator[Disagreement]:
    if waf["total"] is None:
        return
    for name in ("by_cause", "by_mode"):
        told = math.fsum(waf[name].values())
        yield from _same("waf.total", waf["total"], told, f"the sum of waf.{name}")


def _of_pool(key: str, pool: Mapping[str, Any]) -> Iterator[Disagreement]:
    """Yield what contradicts the histogram of a pool's erases."""
    rows = pool["histogram"]
    blocks, erases = sum(n for _, n in rows), sum(times * n for times, n in rows)
    yield from _same(f"{key}.blocks", pool["blocks"], blocks, "those of the histogram")
    yield from _same(f"{key}.erases", pool["erases"], erases, "those of the histogram")
    for name, found in (("min", min), ("max", max)):
        if rows:
            told = found(times for times, _ in rows)
            yield from _same(f"{key}.{name}", pool[name], told, "that of the histogram")
    if blocks:
        yield from _same(f"{key}.mean", pool["mean"], erases / blocks, "erases by blocks")


def _of_series(columns: Mapping[str, Any], host: Mapping[str, Any]) -> Iterator[Disagreement]:
    for kind, name in itertools.product(("read", "write"), ("requests", "bytes")):
        if column := columns.get(f"{kind}_{name}"):
            key = f"the sum of series.columns.{kind}_{name}"
            yield from _same(key, sum(column), host[kind][name], f"the {name} of host.{kind}")
    for kind in ("read", "write"):
        longest = [ns for ns in columns.get(f"{kind}_latency_ns_max", ()) if ns is not None]
        if longest:
            key, most = f"host.{kind}.latency_us.max", host[kind]["latency_us"]["max"]
            yield from _same(key, most, max(longest) / 1000, "the longest of the series")


def _same(key: str, value: float, other: float, told: str) -> Iterator[Disagreement]:
    if not math.isclose(value, other, rel_tol=_NEAR, abs_tol=_NEAR):
        yield key, value, f"{other:.12g}, {told}"
