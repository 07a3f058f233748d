"""Twins of traces: their figures, fitted skews, and what they do not carry."""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from slcache import _core, files, names
from slcache.errors import TraceError, about

Info = Mapping[str, Any]
_PAGE = 4096
#: More sequential than this a twin cannot be.
_MOST_SEQUENTIAL = 0.9
#: Figures of extents; the others have no meaning without the first.
EXTENTS = ("repeated_extent_share", "writers_per_16kib_page", "update_writes")


def measured(info: Info) -> dict[str, Any]:
    """Return the figures that a twin takes as they were measured."""
    figures: dict[str, Any] = {"requests": info["requests"], "write_share": info["write_share"]}
    for side in ("write", "read"):
        if info[f"{side}s"]:
            figures[f"mean_{side}_bytes"] = info[f"mean_{side}_bytes"]
            figures[f"max_{side}_bytes"] = _most_bytes(info, side)
    figures["size_shares_by"] = "count"
    for side in ("write", "read"):
        if info[f"{side}s"]:
            figures[f"{side}_sizes"] = _sizes(info, side)
    if info["writes"]:
        figures["footprint_written_bytes"] = info["written_4kib_pages"] * _PAGE
        figures["update_ratio"] = info["update_ratio"]
    # Where updates fall: nothing where no write overwrites.
    if info["writes"] and info["overwriting_writes"]:
        figures |= {name: info[name] for name in EXTENTS}
    figures["footprint_touched_bytes"] = info["touched_4kib_pages"] * _PAGE
    figures["not_4kib_aligned_share"] = info["not_4kib_aligned_share"]
    figures["sequential_share"] = min(info["sequential_share"], _MOST_SEQUENTIAL)
    figures |= _times(info)
    return figures


def _times(info: Info) -> dict[str, Any]:
    if not info["duration_s"]:
        return {}
    times: dict[str, Any] = {"duration_ns": round(info["duration_s"] * 1e9)}
    if info["gap_classes"]:
        times["gap_classes"] = _classes(info)
        times["short_gap_runs"] = info["short_gap_runs"]
        times["short_pause_runs"] = info["short_pause_runs"]
        times["median_burst_requests"] = info["median_burst_requests"]
    if 0 < info["write_share"] < 1:
        times["write_after_write_share"] = info["write_after_write_share"]
    return times


def _classes(info: Info) -> list[dict[str, float]]:
    """Return the classes of gaps up to the longest; that one fills the duration."""
    classes = [{**gap, "mean_ns": round(gap["mean_ns"])} for gap in info["gap_classes"]]
    while not classes[-1]["share"]:
        classes.pop()
    del classes[-1]["mean_ns"]
    return [
        {key: value for key, value in gap.items() if key != "mean_ns" or gap["share"]}
        for gap in classes
    ]


def _most_bytes(info: Info, side: str) -> int:
    """Return the largest size, above a page in whole pages as twins have them."""
    most = int(info[f"max_{side}_bytes"])
    return most if most <= _PAGE else -(-most // _PAGE) * _PAGE


def _sizes(info: Info, side: str) -> list[dict[str, float]]:
    most, total = _most_bytes(info, side), info[f"{side}s"]
    return [
        {"to_bytes": min(bucket["to_bytes"], most), "share": bucket[f"{side}s"] / total}
        for bucket in info["size_histogram"]
        if bucket[f"{side}s"]
    ]


def not_carried(info: Info) -> list[str]:
    """Return what no twin has of a trace, and what this trace has that no twin has."""
    texts = [
        "phases and popularity that drifts; where in the address space the data lie",
        "which sizes go where, and sizes between powers of two beyond their mean",
    ]
    if info["sequential_share"] > _MOST_SEQUENTIAL:
        share = info["sequential_share"]
        texts.append(f"sequential_share = {share:.4g}: a twin has {_MOST_SEQUENTIAL} at most")
    if info["tight_gap_runs"]:
        # Measured: see "How near a twin comes" in docs/twins.md.
        share = info["tight_gap_runs"]
        why = "with sizes that do not depend on bursts, long bursts get too heavy"
        texts.append(f"tight_gap_runs = {share:.4g}: {why}")
    if info["response"] is not None:
        texts.append("response times")
    if info["hints"]:
        texts.append("hints of the writes")
    for kind in ("flushes", "trims"):
        if info[kind]:
            texts.append(f"{info[kind]:,} {kind}")
    if len(info["streams"]) > 1:
        texts.append(f"{len(info['streams'])} volumes: all are one here")
    return texts


#: Skews are fitted on at most so many requests, in so many steps, up to this.
_FIT_REQUESTS, _FIT_STEPS, _MOST_SKEW = 1_000_000, 8, 3.0
#: The share of the pages on which writes and accesses concentrate as in the trace.
_HOTTEST = 0.1
#: What may be left out where figures conflict, the first of those named first.
_LEAVE_OUT = (
    "writers_per_16kib_page",
    "update_writes",
    "update_ratio",
    "mean_write_bytes",
    "mean_read_bytes",
    "sequential_share",
    "not_4kib_aligned_share",
    "footprint_touched_bytes",
    "median_burst_requests",
    "short_pause_runs",
    "short_gap_runs",
    "write_after_write_share",
    "gap_classes",
    "repeated_extent_share",
)

#: A problem of a twin, by its figure.
_PROBLEM = re.compile(r"^:?\d*: twin\.(\w+)[.\w]*: (.*)$", re.MULTILINE)
#: What a figure can be beside the others.
_POSSIBLE = re.compile(r"(?:from|between|possible:|they lead to) ([\d.]+)(?: (?:to|and) ([\d.]+))?")
_REACHED = re.compile(r"([\d.]+) of the requests come out sequential")


@dataclass
class Twin:
    """A twin's figures, those that were fitted or given up and why, and what it does not carry."""

    of: str
    source: str
    figures: dict[str, Any]
    fitted: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    given_up: dict[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """Return the workload file."""
        lines = [f"# A twin of {_comment(self.of)}, with the figures measured in it."]
        lines += ["", "[twin]", f"of = {_value(self.of)}", f"from = {_value(self.source)}"]
        lines += [f"{name} = {_value(value)}" for name, value in self.figures.items()]
        for name, reason in self.fitted.items():
            value = self.figures[name]
            sweep = sorted({max(0.0, round(value + step, 3)) for step in (-0.2, 0, 0.2)})
            lines += ["", f"[twin.free.{name}]", f"reason = {_value(reason)}"]
            lines.append(f"sweep = {_value(sweep)}")
        lines += ["", "# What it does not carry:"]
        given_up = [f"{name}: {reason}" for name, reason in self.given_up.items()]
        lines += [f"# - {_comment(text)}" for text in (*given_up, *self.left_out)]
        return "\n".join(lines) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """Return the twin as it stands in the JSON document."""
        return {
            "of": self.of,
            "from": self.source,
            "figures": self.figures,
            "fitted": self.fitted,
            "given_up": self.given_up,
            "not_carried": self.left_out,
        }


def of_info(info: Info) -> Twin:
    """Return the twin with a trace's figures; raises TraceError where there can be none."""
    if info["requests"] < 2:
        told = f"{info['file']}: {info['requests']} requests; a twin needs 2 or more"
        raise about(TraceError(told), "requests", file=info["file"])
    volumes = info["summary"]["volumes"]
    name = Path(info["file"]).name
    of = volumes[0]["name"] if len(volumes) == 1 and volumes[0]["name"] else name
    figures, left_out = measured(info), not_carried(info)
    twin = Twin(of, f"measured in {name}", figures, left_out=left_out)
    with files.scratch() as folder:
        path = folder / "twin.toml"
        # What pages are from in the end depends on the skews, which do not depend on it.
        writers = twin.figures.pop("writers_per_16kib_page", None)
        _settle(twin, path)
        _fit(twin, info, path)
        if writers is not None and "repeated_extent_share" in twin.figures:
            twin.figures["writers_per_16kib_page"] = writers
            _settle(twin, path)
    return twin


def save(twin: Twin, output: str, inputs: Sequence[files.Path]) -> None:
    """Write the workload file, whole or not at all and never over one of the inputs."""
    path = Path(output)
    with files.Transaction(path.parent, [path.name], inputs) as written:
        written.write(path.name, twin.text().encode())


def _settle(twin: Twin, path: Path) -> None:
    """Leave out figures, one at a time, until the others do not conflict."""
    while True:
        path.write_text(twin.text(), encoding="utf-8")
        try:
            _core.workload(os.fspath(path), [])
        except TraceError as error:
            _give_way(twin, str(error), path)
        else:
            return


def _give_way(twin: Twin, text: str, path: Path) -> None:
    """Move one of the figures that conflict to the nearest possible value, or leave it out."""
    # The file that was tried is nobody's.
    plain = re.sub(rf"{re.escape(str(path))}(:\d+)?: ", "", text)
    problems = dict(_PROBLEM.findall(text.replace(str(path), "")))
    at_fault = [name for name in _LEAVE_OUT if name in problems]
    mentioned = [name for name in _LEAVE_OUT if name in text]
    name = next((name for name in (*at_fault, *mentioned) if name in twin.figures), None)
    if name is None:
        raise TraceError(f"{twin.source}: no twin can be made: {plain}")
    reason = problems.get(name) or plain.splitlines()[0]
    if name == "sequential_share" and _too_sequential(reason, twin.figures):
        name = "footprint_touched_bytes"
    measured = twin.figures[name]
    is_first = name in problems and name not in twin.given_up
    possible = _POSSIBLE.search(reason) if is_first else None
    if possible is not None and not isinstance(measured, list):
        low, high = (float(end) for end in possible.groups(possible.group(1)))
        nearest = min(max(measured, low), high)
        twin.figures[name] = round(nearest) if isinstance(measured, int) else nearest
        twin.given_up[name] = f"{_value(measured)} as measured, {_value(nearest)} here: {reason}"
        return
    gone = [name, *(EXTENTS[1:] if name == EXTENTS[0] else ())]
    for figure in (figure for figure in gone if figure in twin.figures):
        twin.given_up[figure] = f"{_value(twin.figures.pop(figure))} as measured: {reason}"


def _too_sequential(reason: str, figures: Mapping[str, Any]) -> bool:
    """Return whether pages that are only read, which may lie side by side, make it too many.

    Where nothing is written there are no others.
    """
    reached = _REACHED.search(reason)
    asked = float(figures["sequential_share"])
    too_many = reached is not None and float(reached.group(1)) > asked
    return too_many and "footprint_touched_bytes" in figures and figures["write_share"] > 0


def _fit(twin: Twin, info: Info, path: Path) -> None:
    """Choose the skews so that the hottest pages take what they take in the trace."""
    for name, side, what in (
        ("update_skew", "write_share", "writes on the hottest 10 % of the pages written"),
        ("read_skew", "access_share", "accesses on the hottest 10 % of the pages touched"),
    ):
        if not info["writes" if side == "write_share" else "reads"]:
            continue
        wanted = _hottest(info, side)
        reach = functools.partial(_reached, twin, path, name, side)
        twin.figures[name] = _bisect(reach, wanted)
        reached = reach(twin.figures[name])
        twin.fitted[name] = f"fitted: {100 * wanted:.3g} % of {what}; {100 * reached:.3g} % here"


def _bisect(measure: Callable[[float], float], wanted: float) -> float:
    low, high = 0.0, _MOST_SKEW
    for _ in range(_FIT_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if measure(middle) < wanted else (low, middle)
    return round((low + high) / 2, 3)


def _reached(twin: Twin, path: Path, name: str, side: str, value: float) -> float:
    """Return what the hottest pages take of the twin's own requests with this skew."""
    changed = Twin(twin.of, twin.source, {**twin.figures, name: value})
    path.write_text(changed.text(), encoding="utf-8")
    fewer = min(_FIT_REQUESTS, twin.figures["requests"])
    options = [("workload.requests", str(fewer))]
    return _hottest(json.loads(_core.trace_info(os.fspath(path), options, None)), side)


def _hottest(info: Info, side: str) -> float:
    hottest = info["hot_set"]["hottest"]
    return float(next(hot[side] for hot in hottest if hot["pages_share"] == _HOTTEST))


def _value(value: object) -> str:
    """Return a value as TOML, of a measured number six digits."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_value(v)}" for key, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return f"{value:.6g}" if isinstance(value, float) else names.text(value)


def _comment(text: str) -> str:
    return text if text.isprintable() else json.dumps(text)
