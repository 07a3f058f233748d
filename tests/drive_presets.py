# ruff: noqa: ANN401, E501 - a script that holds texts
"""Make the presets that are like drives: what is published, the laws, and at most five steps each.

    PYTHONPATH=python:tests python tests/drive_presets.py [DRIVE...]

Writes `presets/devices/DRIVE-like.toml` and what was calibrated, with its steps, to
`python/slcache/drives/calibrated.json`. Held-out figures are not read.
"""

from __future__ import annotations

import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slcache.drives import fills, measured

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "python/slcache/drives/calibrated.json"
STATEMENT = "calibrated to published measurements; not made, endorsed or described by the maker"
PAGE, WORDLINES, KEPT = 16384, 256, 32
#: Every size can be divided by so much: `--scale`.
PARTS = 16
#: Blocks of every plane beyond the user's data and those kept, at least: two of a sixteenth.
SPARE = 2 * PARTS
#: Speeds are compared on a part of the device; a step is taken where one is off by more.
SCALE, NEAR, STEPS = 8, 0.01, 5
MEGABYTE = 10**6 // PAGE * PAGE

CONZONE = "ConZone's ssd_config.h (github.com/DingcuiYu/ConZone)"
ISSCC = "throughput of a die as ISSCC gives it (anandtech.com/show/16491)"
SLC_READ_US, ERASE_US = 20, 3500
LINKS = {"pcie3x4": (4, 985, 256, 24), "pcie4x4": (4, 1969, 256, 24), "sata": (1, 600, 8192, 560)}
LINK_GB_S = {
    name: lanes * rate / 1e3 * load / (load + head)
    for name, (lanes, rate, load, head) in LINKS.items()
}


@dataclass(frozen=True)
class Nand:
    """Dense mode of a generation of chips: what one-shot programs and reads take, and who says it."""

    program_us: float
    read_us: float
    said: str


SAMSUNG_128 = Nand(1199, 45, f"Samsung, 128 layers: 82 MB/s of 2 planes, {ISSCC}")
HYNIX_176 = Nand(1170, 50, f"SK hynix, 176 layers: 168 MB/s of 4 planes, {ISSCC}")
KIOXIA_96 = Nand(1725, 58, f"Kioxia, 96 layers: 57 MB/s of 2 planes, {ISSCC}")
KIOXIA_128 = Nand(1489, 56, f"Kioxia, 128 layers: 132 MB/s of 4 planes, {ISSCC}")
KIOXIA_170 = Nand(1229, 50, f"Kioxia, above 170 layers: 160 MB/s of 4 planes, {ISSCC}")
YMTC = Nand(983, 50, f"300 MB/s of 6 planes, {CONZONE}")
SAMSUNG_QLC = Nand(
    7282, 85, "Samsung QLC, 92 layers: 18 MB/s (anandtech.com/show/16136), 2 planes assumed"
)
INTEL_QLC = Nand(
    8738, 85, "Intel/Micron QLC, 96 layers: 30 MB/s (anandtech.com/show/16136), 4 planes assumed"
)


@dataclass(frozen=True)
class Template:
    """What is not measured of a drive: its chips, and which kind of cache it has."""

    planes: int
    channels: int
    mega_transfers: int
    nand: Nand
    own_nand: bool
    rule: str
    title: str
    #: Rated write speed, above what one writer reaches, and who says it.
    rated: tuple[float, str] | None = None
    #: Blocks of every plane that stay SLC.
    static_blocks: int = 0
    never_reopens: bool = False
    busy: bool = False
    lazy: bool = False
    through: bool = False


TPU_RATED = "rated by the maker, as printed at "
TEMPLATES = {
    "samsung-980-1tb": Template(32, 4, 1200, SAMSUNG_128, True, "table", "Samsung 980, 1 TB",
        (3.0, TPU_RATED + "guru3d.com"), never_reopens=True, busy=True),
    "samsung-980-pro-1tb": Template(64, 8, 1200, SAMSUNG_128, True, "table", "Samsung 980 PRO, 1 TB",
        (5.0, TPU_RATED + "pugetsystems.com"), static_blocks=16, busy=True),
    "samsung-970-evo-500gb": Template(32, 8, 800, KIOXIA_96, False, "table", "Samsung 970 EVO, 500 GB",
        static_blocks=32, busy=True),
    "samsung-870-qvo-4tb": Template(64, 8, 800, SAMSUNG_QLC, True, "table", "Samsung 870 QVO, 4 TB",
        static_blocks=16),
    "intel-660p-1tb": Template(32, 4, 800, INTEL_QLC, False, "falling", "Intel 660p, 1 TB", lazy=True),
    "crucial-p1-1tb": Template(32, 4, 800, INTEL_QLC, False, "falling", "Crucial P1, 1 TB"),
    "wd-sn580-1tb": Template(64, 4, 1600, KIOXIA_128, False, "whole", "WD Blue SN580, 1 TB"),
    "crucial-t500-2tb": Template(64, 4, 2400, YMTC, False, "whole", "Crucial T500, 2 TB",
        (7.0, TPU_RATED + "kitguru.net")),
    "corsair-mp600-elite-2tb": Template(64, 4, 2400, KIOXIA_170, True, "table", "Corsair MP600 Elite, 2 TB"),
    "adata-atom-50-1tb": Template(64, 4, 1600, HYNIX_176, False, "free", "ADATA XPG Atom 50, 1 TB"),
    "lexar-nm790-2tb": Template(64, 4, 2400, YMTC, False, "free", "Lexar NM790, 2 TB"),
    "msi-m480-play-2tb": Template(128, 8, 1600, HYNIX_176, False, "free", "MSI Spatium M480 Play, 2 TB"),
    "kioxia-exceria-plus-g3-2tb": Template(64, 4, 1600, KIOXIA_170, True, "free",
        "Kioxia Exceria Plus G3, 2 TB"),
    "hp-fx700-2tb": Template(64, 4, 2400, INTEL_QLC, False, "whole", "HP FX700, 2 TB", through=True),
}  # fmt: skip


class Model:
    """A drive in closed forms: times in microseconds, sizes in GB."""

    def __init__(self, name: str) -> None:
        self.drive, self.template = measured.drives()[name], TEMPLATES[name]
        self.bits = self.drive.bits
        phases = self.drive.phases
        if any(bar.gb_s.use != "calibrate" for bar in phases):
            raise ValueError(f"{name}: a phase may not be used")
        if name == "hp-fx700-2tb":
            # Two speeds within one cache: it has their mean.
            first, second = phases[0], phases[1]
            spent = (
                first.to_gb / first.gb_s.value + (second.to_gb - first.to_gb) / second.gb_s.value
            )
            self.cache_gb, self.first = second.to_gb, second.to_gb / spent
        else:
            self.cache_gb, self.first = phases[0].to_gb, phases[0].gb_s.value
        self.last = phases[-1].gb_s.value
        self.boundary_gb = phases[1].to_gb if len(phases) == 3 and name != "hp-fx700-2tb" else None
        self.second = phases[1].gb_s.value if self.boundary_gb else None

    @property
    def bus_us(self) -> float:
        """A page on the channel."""
        return PAGE / self.template.mega_transfers

    @property
    def row_gb(self) -> float:
        """A dense block of every plane."""
        return self.template.planes * WORDLINES * self.bits * PAGE / 1e9

    @property
    def static_gb(self) -> float:
        """What the blocks that stay SLC would hold as dense ones."""
        return self.template.static_blocks * self.row_gb

    def page_us(self, gb_s: float) -> float:
        """The time of a page of one plane at a speed of all planes."""
        return self.template.planes * PAGE / gb_s / 1e3

    @property
    def usable_rows(self) -> int:
        """Blocks of a plane that hold data when folding begins, as far as `--scale` allows."""
        name, needed = self.drive.name, self.drive.user_gb + SPARE * self.row_gb + self.static_gb
        if self.boundary_gb:
            usable = self.boundary_gb + (self.bits - 1) * self.cache_gb
        elif self.template.rule == "whole" and name != "hp-fx700-2tb":
            usable = self.bits * self.cache_gb
        else:
            usable = needed
        return PARTS * max(
            round(usable / self.row_gb / PARTS), math.ceil(needed / self.row_gb / PARTS)
        )

    def fold_fixed_us(self) -> float:
        """What a folded page costs beside the array's program: read, erase, twice the channel."""
        return SLC_READ_US + ERASE_US / WORDLINES + 2 * self.bus_us

    def start(self) -> dict[str, float]:
        """Return the parameters by the closed forms, in nanoseconds."""
        first_page = self.page_us(
            max(self.first, self.template.rated[0] if self.template.rated else 0)
        )
        found = {"slc_ns": (first_page - self.bus_us) * 1e3}
        if self.drive.link == "sata":
            found["slc_ns"] = 250e3
        turnaround = MEGABYTE / 1e3 * (1 / self.first - 1 / LINK_GB_S[self.drive.link])
        if self.template.rated or self.drive.link == "sata":
            found["turnaround_ns"] = max(turnaround, 0) * 1e3
        slc_page = self.bus_us + found["slc_ns"] / 1e3
        ratio = self.bits / (self.bits - 1)
        fixed = self.fold_fixed_us()
        if self.template.busy:
            shot = (self.page_us(self.last) - self.bus_us - 0.25 * fixed) / 1.25
        elif self.template.rule == "whole":
            shot = (self.page_us(self.last) - slc_page) / ratio - fixed
        else:
            shot = self.page_us(self.second or self.last) - self.bus_us
        found["dense_ns"] = shot * self.bits * 1e3
        if self.second is not None:
            folded = (self.page_us(self.last) - slc_page) / ratio
            found["fold_ns"] = max(folded - fixed - shot, 0) * self.bits * 1e3
        return found

    def targets(self) -> dict[str, float]:
        """Return what each parameter is chosen for, GB per second."""
        wanted = {"slc_ns": self.first, "dense_ns": self.second or self.last}
        start = self.start()
        if "turnaround_ns" in start:
            # The array's own speed is above what one writer sees.
            del wanted["slc_ns"]
            wanted["turnaround_ns"] = self.first
        if "fold_ns" in start:
            wanted["fold_ns"] = self.last
        return wanted

    def cap(self) -> dict[str, Any]:
        """Return the rule of the cache."""
        static_gb = self.template.static_blocks * self.row_gb / self.bits
        if self.template.rule == "table":
            return {"rule": "table", "table": [[0.0, _bytes(self.cache_gb - static_gb)]]}
        if self.template.rule == "falling":
            # What is left at 80 % is printed of one drive; where the line begins follows from the
            # cache of the empty drive, during whose filling it has already fallen.
            least = measured.drives()["intel-660p-1tb"].others["cache_gb_at_80_percent"].value
            held = self.cache_gb / self.drive.user_gb / 0.8
            begin = (self.cache_gb - least * held) / (1 - held)
            return {"rule": "table", "table": [[0.0, _bytes(begin)], [0.8, _bytes(least)]]}
        share = self.bits * self.cache_gb / (self.usable_rows * self.row_gb)
        return {"rule": "free", "share": round(min(share, 1.0), 4)}


def _bytes(gb: float) -> int:
    """Return a size that can be divided."""
    return round(gb * 1e9 / PARTS / PAGE) * PARTS * PAGE


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
    curve = fills.techpowerup(content, scale=SCALE).passes[0]
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
