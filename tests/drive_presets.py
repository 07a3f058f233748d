# ruff: noqa: ANN401, E501 - a script that holds texts
"""Make the presets that are like drives: what is published, the laws, and at most five steps each.

    PYTHONPATH=python:tests python tests/drive_presets.py [DRIVE...]

Writes `presets/devices/DRIVE-like.toml` and what was calibrated, with its steps, to
`python/slcache/drives/calibrated.json`. Held-out figures are not read.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from drive_models import (
    CONZONE,
    ERASE_US,
    KEPT,
    MEGABYTE,
    PAGE,
    PARTS,
    SLC_READ_US,
    SPARE,
    TEMPLATES,
    WORDLINES,
    Model,
)
from slcache.drives import fills, measured

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "python/slcache/drives/calibrated.json"
STATEMENT = "calibrated to published measurements; not made, endorsed or described by the maker"
#: Speeds are compared on a part of the device; a step is taken where one is off by more.
SCALE, NEAR, STEPS = 8, 0.01, 5


def device(model: Model, found: dict[str, float]) -> dict[str, Any]:
    """Return what the device file holds."""
    template, bits = model.template, model.bits
    dense = {3: "tlc", 4: "qlc"}[bits]
    mode = {"read_ns": [round(template.nand.read_us * 1e3)], "program_ns": [round(found["dense_ns"])],
            "erase_ns": ERASE_US * 1000, "program": "one-shot", "endurance_cycles": {3: 1500, 4: 900}[bits]}  # fmt: skip
    client: dict[str, Any] = {"dynamic": model.cap()}
    if template.static_blocks:
        client["static_blocks"] = template.static_blocks
    client["fold"] = {"keep_blocks": KEPT}
    if "fold_ns" in found:
        client["fold"]["overhead_ns"] = round(found["fold_ns"])
    if template.through:
        client["full"] = "through"
    if template.never_reopens:
        client["reopen"] = "never"
    if template.busy:
        client["flush"] = {"busy_ratio": 0.25}
    if template.lazy:
        client["flush"] = {"when": "lazy"}
    host: dict[str, Any] = {"link": model.drive.link}
    if "turnaround_ns" in found:
        host["turnaround_ns"] = round(found["turnaround_ns"])
    return {
        "device": {
            "name": model.drive.preset,
            "summary": f"like the {template.title}, {dense.upper()}: {STATEMENT}",
            "source": measured.url(model.drive.phases[0].gb_s.source),
            "user_bytes": int(model.drive.user_gb * 1e9) // (PARTS * PAGE) * PARTS * PAGE,
            "mu_bytes": PAGE,
            "pool": [{
                "name": "nand", "channels": template.channels, "chips": 2, "dies": 1,
                "planes": template.planes // template.channels // 2,
                "blocks": model.usable_rows + KEPT, "wordlines": WORDLINES, "page_bytes": PAGE,
                "bus": {"ps_per_byte": round(1e6 / template.mega_transfers)},
                "slc": {"read_ns": [SLC_READ_US * 1000], "program_ns": [round(found["slc_ns"])],
                        "erase_ns": ERASE_US * 1000, "endurance_cycles": 40000},
                dense: mode,
            }],
        },
        "scheme-defaults": {"client": client},
        "host": host,
        "buffer": {"bytes": 16 << 20, "write_back": "at-once"},
    }  # fmt: skip


def evidence(model: Model, content: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Return on what each key stands: kind and source."""
    template, drive, pool = model.template, model.drive, "device.pool[0]"
    dense = {3: "tlc", 4: "qlc"}[model.bits]
    page = measured.url(drive.phases[0].gb_s.source)
    printed = "; ".join(f"{bar.to_gb:g} GB at {bar.gb_s.value:g} GB/s" for bar in drive.phases)
    borrowed = "" if template.own_nand else "borrowed from another drive's chips, "
    own = f"NAND alone would take {template.nand.program_us * 1e3:.0f} ns ({borrowed}{template.nand.said})"
    client, cap = content["scheme-defaults"]["client"], "scheme-defaults.client.dynamic"
    marks = {
        "device.user_bytes": ("known", f"{drive.user_gb:g} GB, rounded down so that --scale can divide it"),
        "device.mu_bytes": ("assumed", "a page, so that 1 TB fits into memory; a drive has 4 KiB"),
        f"{pool}.name": ("assumed", "a word for the report"),
        f"{pool}.channels": ("assumed", "as drives of this class have"),
        f"{pool}.chips": ("assumed", "only the number of planes counts for writes"),
        f"{pool}.dies": ("assumed", "only the number of planes counts for writes"),
        f"{pool}.planes": ("assumed", f"{template.planes} planes in all"),
        f"{pool}.blocks": ("derived", _why_blocks(model)),
        f"{pool}.wordlines": ("assumed", "of an order with chips of this age"),
        f"{pool}.page_bytes": ("assumed", "16 KiB, as chips of this age have"),
        f"{pool}.bus": ("assumed", f"{template.mega_transfers} MT/s"),
        f"{pool}.slc.read_ns": ("known", CONZONE),
        f"{pool}.slc.erase_ns": ("known", CONZONE),
        f"{pool}.slc.endurance_cycles": ("assumed", "as papers assume"),
        f"{pool}.{dense}.read_ns": ("known" if template.own_nand else "assumed", template.nand.said),
        f"{pool}.{dense}.erase_ns": ("known", CONZONE),
        f"{pool}.{dense}.endurance_cycles": ("assumed", "as papers assume"),
        f"{pool}.{dense}.program": ("assumed", "chips of this age program a wordline at once"),
        f"{pool}.{dense}.program_ns": ("calibrated", f"to the later speeds of {page}: {printed}. {own}; "
            "the rest is the controller's limit, which this time stands for"),
        f"{cap}.rule": ("derived", "from the kind of cache that the phases show"),
        "scheme-defaults.client.fold.keep_blocks": ("assumed", "the room above what is published"),
        "host.link": ("assumed", "recalled, the maker's interface"),
        "buffer": ("assumed", "16 MiB, written back as pages come"),
    }  # fmt: skip
    speed = f"to the first speed of {page}: {model.first:.3g} GB/s"
    slc = f"{pool}.slc.program_ns"
    if drive.link == "sata":
        marks[slc] = ("assumed", "the link limits the speed in the cache")
    elif template.rated:
        marks[slc] = ("derived", f"from {template.rated[0]:g} GB/s, {template.rated[1]}")
    else:
        marks[slc] = ("calibrated", speed)
    if "turnaround_ns" in content["host"]:
        marks["host.turnaround_ns"] = ("calibrated", speed + ", of one writer")
    size = f"to the end of the first phase of {page}: {model.cache_gb:g} GB"
    for key in ("share", "table"):
        if key in client["dynamic"]:
            marks[f"{cap}.{key}"] = ("calibrated", size + _why_falling(model))
    for key, source in {
        "static_blocks": "a few GB of the cache stay SLC: recalled; the sum is calibrated",
        "full": "two phases only: the drive has no second speed of its own",
        "reopen": "no second burst is printed",
    }.items():
        if key in client:
            marks[f"scheme-defaults.client.{key}"] = ("assumed", source)
    if "overhead_ns" in client["fold"]:
        marks["scheme-defaults.client.fold.overhead_ns"] = ("calibrated",
            f"to the third speed of {page}: {model.last:g} GB/s")  # fmt: skip
    if "flush" in client:
        source = (
            "one value for three drives of the maker, chosen after a look at their averages"
            if template.busy
            else "data stay in SLC until room is needed (anandtech.com/show/13078)"
        )
        marks["scheme-defaults.client.flush"] = ("assumed", source)
    return marks


def _why_blocks(model: Model) -> str:
    if model.boundary_gb:
        how = f"the third phase begins at {model.boundary_gb:g} GB (law 1)"
    elif model.template.rule == "whole" and not model.template.through:
        how = "all of the drive is SLC at first"
    else:
        how = "the user's data"
    return f"{how}, at least the user's data and {SPARE} blocks; a multiple of {PARTS}, and {KEPT} kept"


def _why_falling(model: Model) -> str:
    if model.template.rule != "falling":
        return ""
    own = model.drive.name == "intel-660p-1tb"
    return "; 12 GB at 80 % full are " + ("printed" if own else "borrowed from the Intel 660p")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:_}" if value >= 10_000 else str(value)
    return json.dumps(value, ensure_ascii=False)


def text(content: dict[str, Any], marks: dict[str, tuple[str, str]]) -> str:
    """Return the device file."""
    lines = [
        f"# {STATEMENT.capitalize()}.",
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
    lines += ["[evidence]", f"statement = {_value(STATEMENT)}", "", "[evidence.keys]"]
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
    (fill,) = fills.fills("techpowerup", [content], scale=SCALE)
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
    if second[1] - second[0] > 0.02 * whole:
        span = second[1] - second[0]
        seen["dense_ns"] = curve.between(second[0] + 0.1 * span, second[1] - 0.1 * span)
    if "fold_ns" in wanted:
        span = whole - ends[1]
        seen["fold_ns"] = curve.between(ends[1] + 0.1 * span, whole - 0.02 * span)
    return seen


def calibrate(model: Model) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Return the parameters, and the steps: closed form first, then secants of time over speed."""
    found, wanted, steps = model.start(), model.targets(), []
    previous: dict[str, tuple[float, float]] = {}
    for step in range(STEPS + 1):
        seen = observed(model, found)
        steps.append({
            key: {"value": round(found[key]), "gb_s": round(seen[key], 4), "wanted": round(wanted[key], 4)}
            for key in seen
        })  # fmt: skip
        off = {
            key: seen[key] / wanted[key] - 1
            for key in seen
            if abs(seen[key] / wanted[key] - 1) > NEAR
        }
        print(model.drive.name, step, steps[-1], flush=True)
        if not off or step == STEPS:
            break
        before_step = dict(found)
        for key in off:
            now = found[key], 1 / seen[key]
            before = previous.get(key)
            slope = (
                (now[1] - before[1]) / (now[0] - before[0])
                if before and before[0] != now[0]
                else _slope(model, key)
            )
            previous[key] = now
            if slope > 0:
                found[key] = max(found[key] + (1 / wanted[key] - now[1]) / slope, 0)
        if found == before_step:
            # No time is below 0: the speed cannot be met.
            break
    return found, steps


def _slope(model: Model, key: str) -> float:
    """Return how a page's seconds per GB grow with a nanosecond, by the closed forms."""
    page = 1 / model.page_us(1.0) / 1e3
    ratio = model.bits / (model.bits - 1)
    return {
        "slc_ns": page,
        "turnaround_ns": 1 / MEGABYTE,
        "dense_ns": page / model.bits * (ratio if model.template.rule == "whole" else 1),
        "fold_ns": page / model.bits * ratio,
    }[key]


def main(names: list[str]) -> None:
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    for name in names or TEMPLATES:
        model = Model(name)
        found, steps = calibrate(model)
        record[name] = {
            "parameters": {k: round(v) for k, v in found.items()},
            "scale": SCALE,
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
