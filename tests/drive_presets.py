# ruff: noqa: ANN401, E501 - a script that holds texts
"""Make the presets that are like drives: what is published, the laws, and at most five steps each.

    make presets DRIVES='DRIVE ...'      # all of them without

Writes `presets/devices/DRIVE-like.toml` and what was calibrated, with its steps, to
`python/slcache/drives/calibrated.json`. Held-out figures are not read.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

from drive_evidence import evidence
from drive_models import (
    ERASE_US,
    KEPT,
    MAPS,
    MEGABYTE,
    PARTS,
    SLC_READ_US,
    TEMPLATES,
    UNIT,
    VARIATION,
    WORDLINES,
    Model,
    Template,
)
from slcache.drives import fills, latency, published

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "python/slcache/drives/calibrated.json"
#: A step is taken where a speed is off by more.
NEAR, STEPS = 0.01, 5
#: Speeds are compared on an eighth of a drive, or on all of one of which an eighth is further off.
SCALE, WHOLE = 8, ("wd-sn580-1tb", "crucial-t500-2tb")


def scale_of(model: Model) -> int:
    """Return on what part of the device speeds are compared."""
    return 1 if model.drive.name in WHOLE else SCALE


def statement(template: Template) -> str:
    """Return what a device file says of itself."""
    return (
        f"calibrated to published {template.figures}; not made, endorsed or described by the maker"
    )


def device(model: Model, found: dict[str, float]) -> dict[str, Any]:
    """Return what the device file holds."""
    template, bits = model.template, model.bits
    dense = {3: "tlc", 4: "qlc"}[bits]
    mode = {"read_ns": [round(us) * 1000 for us in model.reads_us], "program_ns": [round(template.nand.program_us * 1e3)],
            "program_variation": VARIATION, "erase_ns": ERASE_US * 1000, "program": "one-shot", "endurance_cycles": {3: 1500, 4: 900}[bits]}  # fmt: skip
    client: dict[str, Any] = {"placement": "striped", "dynamic": model.cap()}
    if template.static_blocks:
        client["static_blocks"] = template.static_blocks
    client["dense"] = {"parallel": found["dense_planes"]}
    if not template.through:
        client["dense"]["clean_ahead"] = True
    client["fold"] = {"keep_blocks": KEPT, "parallel": found["fold_planes"]}
    if found.get("fold_ns"):
        client["fold"]["overhead_ns"] = round(found["fold_ns"])
    if template.through:
        client["full"] = "through"
    if template.never_reopens:
        client["reopen"] = "never"
    if template.busy:
        client["flush"] = {"busy_ratio": 0.25}
    if template.lazy:
        client["flush"] = {"when": "lazy"}
    table: dict[str, Any] = {}
    if model.drive.map in MAPS:
        held, access_ns = MAPS[model.drive.map]
        table["map"] = {"cache_bytes": held, "entry_bytes": 4, "access_ns": access_ns}
    host: dict[str, Any] = {"link": model.drive.link}
    if "turnaround_ns" in found:
        # Of the laboratory's megabyte, a part of which is the controller's own.
        further_ns = found["turnaround_ns"] - 1e3 * model.controller_us["write"]
        host["turnaround_ps_per_byte"] = max(round(further_ns * 1e3 / (MEGABYTE - UNIT)), 0)
    buffer = {"bytes": 16 << 20, "write_back": "at-once", "flush_after_ns": latency.HELD_NS}
    return {
        "device": {
            "name": model.drive.preset,
            "summary": f"like the {template.title}, {dense.upper()}: {statement(template)}",
            "source": published.url(model.drive.phases[0].source),
            "user_bytes": int(model.drive.user_gb * 1e9) // (PARTS * model.page) * PARTS * model.page,
            "mu_bytes": UNIT,
            "plp": False,
            "stage_timeout_ns": latency.HELD_NS,
            "controller": _controller(model),
            **table,
            "pool": [{
                "name": "nand", "channels": template.channels, "chips": 2, "dies": 1,
                "planes": model.planes // template.channels // 2,
                "blocks": model.usable_rows + KEPT, "wordlines": WORDLINES, "page_bytes": model.page,
                "bus": {"ps_per_byte": round(1e6 / template.mega_transfers)},
                "slc": {"read_ns": [SLC_READ_US * 1000], "program_ns": [round(found["slc_ns"])],
                        "program_variation": VARIATION,
                        "erase_ns": ERASE_US * 1000, "endurance_cycles": 40000},
                dense: mode,
            }],
        },
        "scheme-defaults": {"client": client},
        "host": host,
        "buffer": buffer,
    }  # fmt: skip


def _controller(model: Model) -> dict[str, int]:
    times = {f"{op}_ns": round(us * 1e3) for op, us in model.controller_us.items()}
    rated = model.template.commands
    return times | ({"commands_per_s": rated[0]} if rated else {})


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:_}" if value >= 10_000 else str(value)
    return json.dumps(value, ensure_ascii=False)


def text(content: dict[str, Any], marks: dict[str, tuple[str, str]]) -> str:
    """Return the device file."""
    says = content["device"]["summary"].partition(": ")[2]
    lines = [
        f"# {says.capitalize()}.",
        "# Made by tests/drive_presets.py; every key's ground is below.",
        "",
    ]

    def table(name: str, values: dict[str, Any], head: str = "[{}]") -> None:
        plain = {k: v for k, v in values.items() if not _is_nested(v)}
        if plain or head != "[{}]":
            lines.append(head.format(name))
            lines.extend(f"{key} = {_value(value)}" for key, value in plain.items())
            lines.append("")
        for key, value in values.items():
            if isinstance(value, dict):
                table(f"{name}.{key}", value)
            elif _is_nested(value):
                for each in value:
                    table(f"{name}.{key}", each, "[[{}]]")

    for name, section in content.items():
        table(name, section)
    lines += ["[evidence]", f"statement = {_value(says)}", "", "[evidence.keys]"]
    lines += [
        f'"{key}" = {{ kind = "{kind}", source = {_value(source)} }}'
        for key, (kind, source) in sorted(marks.items())
    ]
    return "\n".join(lines) + "\n"


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and bool(value) and isinstance(value[0], dict)
    )


def observed(model: Model, found: dict[str, float]) -> dict[str, float]:
    """Return the speeds that a part of the device shows, by the parameters chosen for them."""
    content = device(model, found)
    fill = fills.fill("techpowerup", content, scale=scale_of(model))
    curve = fill.passes[0]
    ends = [model.cache_gb]
    if model.boundary_gb:
        usable = model.usable_rows * model.row_gb
        ends.append(usable - (model.bits - 1) * model.cache_gb)
    elif model.template.busy:
        ends.append(min(model.drive.user_gb, 5 * model.cache_gb))
    wanted = model.targets()
    first = "slc_ns" if "slc_ns" in wanted else "turnaround_ns"
    whole = model.drive.user_gb
    seen = {first: curve.between(0.1 * ends[0], 0.9 * ends[0])}
    second = (ends[0], ends[1]) if len(ends) > 1 else (ends[0], whole)
    if "dense_planes" in wanted and second[1] - second[0] > 0.02 * whole:
        span = second[1] - second[0]
        seen["dense_planes"] = curve.between(second[0] + 0.1 * span, second[1] - 0.1 * span)
    if "fold_ns" in wanted:
        span = whole - ends[-1]
        seen["fold_ns"] = curve.between(ends[-1] + 0.1 * span, whole - 0.02 * span)
    return seen


def calibrate(model: Model) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Return the parameters, and the steps: the closed form first, then what is nearer."""
    found, wanted, steps = model.start(), model.targets(), []
    tried: dict[str, dict[float, float]] = {key: {} for key in wanted}
    for step in range(STEPS + 1):
        seen = observed(model, found)
        steps.append({
            key: {"value": round(found[key]), "gb_s": round(seen[key], 4), "wanted": round(wanted[key], 4)}
            for key in seen
        })  # fmt: skip
        print(model.drive.name, step, steps[-1], flush=True)
        before_step = dict(found)
        for key in seen:
            tried[key][found[key]] = seen[key]
            if abs(seen[key] / wanted[key] - 1) > NEAR:
                found[key] = _nearer(model, key, tried[key], wanted[key])
        if found == before_step:
            break
    return before_step, steps


def _nearer(model: Model, key: str, tried: dict[float, float], wanted: float) -> float:
    """Return a parameter for which the speed is nearer: a time by secants of time over speed."""
    (*_, before, now) = [next(iter(tried)), *tried]
    if key == "dense_planes":
        planes = min(max(round(now * wanted / tried[now]), 1), model.planes)
        return min(tried, key=lambda n: abs(tried[n] / wanted - 1)) if planes in tried else planes
    slope = _slope(model, key)
    if before != now:
        slope = (1 / tried[now] - 1 / tried[before]) / (now - before)
    # No time is below 0: then the speed cannot be met.
    return max(now + (1 / wanted - 1 / tried[now]) / slope, 0) if slope > 0 else now


def _slope(model: Model, key: str) -> float:
    """Return how a page's seconds per GB grow with a nanosecond, by the closed forms."""
    page = 1 / model.page_us(1.0) / 1e3
    rounds = math.ceil(model.planes / model.start()["fold_planes"])
    folded = page / (model.bits - 1) * rounds
    return {"slc_ns": page, "turnaround_ns": 1 / MEGABYTE, "fold_ns": folded}[key]


def main(names: list[str]) -> None:
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    for name in names or TEMPLATES:
        model = Model(name)
        found, steps = calibrate(model)
        record[name] = {
            "parameters": {k: round(v) for k, v in found.items()},
            "scale": scale_of(model),
            "steps": steps,
        }
        RECORD.write_text(json.dumps(dict(sorted(record.items())), indent=1) + "\n")
        write(name, record[name]["parameters"])


def write(name: str, found: dict[str, float]) -> None:
    model = Model(name)
    content = device(model, found)
    path = ROOT / "presets/devices" / f"{model.drive.preset}.toml"
    path.write_text(text(content, evidence(model, content)))


if __name__ == "__main__":
    main(sys.argv[1:])
