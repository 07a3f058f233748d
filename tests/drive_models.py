# ruff: noqa: E501 - texts
"""What the presets that are like drives are made of: chips, templates, and the sizes that follow."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from slcache.drives import latency, published

PAGE, UNIT, WORDLINES, KEPT = 16384, 4096, 256, 32
#: Every size can be divided by so much: `--scale`.
PARTS = 16
#: Blocks of every plane beyond the user's data and those kept, at least: two of a sixteenth.
SPARE = 2 * PARTS
MEGABYTE = 10**6 // PAGE * PAGE
CONZONE = "ConZone's ssd_config.h (github.com/DingcuiYu/ConZone)"
ISSCC = "throughput of a die as ISSCC gives it (anandtech.com/show/16491)"
SLC_READ_US, ERASE_US = 20, 3500
LINKS = {"pcie3x4": (4, 985, 256, 24), "pcie4x4": (4, 1969, 256, 24), "sata": (1, 600, 8192, 560)}
LINK_GB_S = {
    name: lanes * rate / 1e3 * load / (load + head)
    for name, (lanes, rate, load, head) in LINKS.items()
}


#: What is held of the map, bytes, and the time of a look-up, by where it lies: all of it in DRAM if not here.
MAPS = {"hmb-64mb": (64 << 20, 1000), "hmb": (64 << 20, 1000), "dram-reduced": (256 << 20, 0)}


#: How much programs differ in time, as a share of it. Planes get out of step by little as by much.
VARIATION = 0.05
#: The controller's own time for a flush, by the maker, microseconds.
FLUSH_US = {"Samsung": 1700}


@dataclass(frozen=True)
class Nand:
    """Dense mode of a generation of chips: what one-shot programs and reads take, and who says it."""

    program_us: float
    read_us: float
    said: str


#: Of a page as it is announced; a program takes all three of a wordline.
SAMSUNG_9X = Nand(
    1500, 50, "Samsung, more than 90 layers: 500 us a page, as announced (cdrlabs.com)"
)
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
    #: Planes of a die that read and program together, as one with pages of so many times the size.
    joined: int = 1
    #: Commands a second that the maker rates, the larger of reads and writes, and who prints it.
    commands: tuple[int, str] | None = None
    #: Read times of the faster pages and of a command, where the depth of reads tells them apart, microseconds.
    reads_us: tuple[float, float] | None = None
    #: What its speeds are calibrated to.
    figures: str = "measurements"


TPU_RATED = "rated by the maker, as printed at "
TEMPLATES = {
    "samsung-980-1tb": Template(32, 4, 1200, SAMSUNG_128, True, "table", "Samsung 980, 1 TB",
        (3.0, TPU_RATED + "guru3d.com"), never_reopens=True, busy=True, commands=(500_000, "guru3d.com")),
    "samsung-980-pro-1tb": Template(64, 8, 1200, SAMSUNG_128, True, "table", "Samsung 980 PRO, 1 TB",
        (5.0, TPU_RATED + "pugetsystems.com"), static_blocks=16, busy=True, joined=2, reads_us=(35, 17),
        commands=(1_000_000, "reviewcentralme.com")),
    "samsung-970-evo-500gb": Template(32, 8, 800, KIOXIA_96, False, "table", "Samsung 970 EVO, 500 GB",
        static_blocks=32, busy=True, joined=2, reads_us=(46, 19), commands=(450_000, "techgage.com")),
    # Not busy: past its cache the drive writes as fast as its chips program, and nothing is left for folding.
    "samsung-970-evo-plus-500gb": Template(32, 8, 800, SAMSUNG_9X, True, "table",
        "Samsung 970 EVO Plus, 500 GB",
        (4.6, "twice what the drive of 250 GB writes, which the link does not limit (digit.in)"),
        static_blocks=32, joined=2, reads_us=(46, 19), commands=(550_000, "digit.in"), figures="ratings"),
    "samsung-870-qvo-4tb": Template(64, 8, 800, SAMSUNG_QLC, True, "table", "Samsung 870 QVO, 4 TB",
        static_blocks=16),
    "intel-660p-1tb": Template(32, 4, 800, INTEL_QLC, False, "falling", "Intel 660p, 1 TB", lazy=True),
    "crucial-p1-1tb": Template(32, 4, 800, INTEL_QLC, False, "falling", "Crucial P1, 1 TB"),
    "wd-sn580-1tb": Template(64, 4, 1600, KIOXIA_128, False, "whole", "WD Blue SN580, 1 TB",
        commands=(750_000, "e-catalog.com")),
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
        self.drive, self.template = published.drives()[name], TEMPLATES[name]
        self.bits = self.drive.bits
        # Planes that act as one count as one.
        self.planes = self.template.planes // self.template.joined
        self.page = PAGE * self.template.joined
        phases = self.drive.phases
        if any(bar.use != "calibrate" for bar in phases):
            raise ValueError(f"{name}: a phase may not be used")
        if name == "hp-fx700-2tb":
            # Two speeds within one cache: it has their mean.
            first, second = phases[0], phases[1]
            spent = first.to_gb / first.value + (second.to_gb - first.to_gb) / second.value
            self.cache_gb, self.first = second.to_gb, second.to_gb / spent
        else:
            self.cache_gb, self.first = phases[0].to_gb, phases[0].value
        self.last = phases[-1].value
        self.boundary_gb = phases[1].to_gb if len(phases) == 3 and name != "hp-fx700-2tb" else None
        self.second = phases[1].value if self.boundary_gb else None

    @property
    def reads_us(self) -> list[float]:
        """The read time of each page of a wordline."""
        own = self.template.reads_us
        return latency.page_reads(own[0] if own else self.template.nand.read_us, self.bits)

    @property
    def controller_us(self) -> dict[str, float]:
        """The controller's own time."""
        own = {op: ns / 1e3 for op, ns in latency.command_ns(self.drive.link).items()}
        own["jitter"] = latency.JITTER_NS / 1e3
        if self.template.reads_us:
            own["read"] = self.template.reads_us[1]
        maker = self.template.title.split()[0]
        if maker in FLUSH_US:
            own["flush"] = FLUSH_US[maker]
        return own

    @property
    def bus_us(self) -> float:
        """A page on the channel."""
        return self.page / self.template.mega_transfers

    @property
    def row_gb(self) -> float:
        """A dense block of every plane."""
        return self.planes * WORDLINES * self.bits * self.page / 1e9

    @property
    def static_gb(self) -> float:
        """What the blocks that stay SLC would hold as dense ones."""
        return self.template.static_blocks * self.row_gb

    def page_us(self, gb_s: float) -> float:
        """The time of a page of one plane at a speed of all planes."""
        return self.planes * self.page / gb_s / 1e3

    @property
    def usable_rows(self) -> int:
        """Blocks of a plane that hold data when folding begins, as far as `--scale` allows."""
        name, needed = self.drive.name, self.drive.user_gb + SPARE * self.row_gb + self.static_gb
        if self.boundary_gb:
            usable: float = self.boundary_gb + (self.bits - 1) * self.cache_gb
        elif self.template.rule == "whole" and name != "hp-fx700-2tb":
            usable = self.bits * self.cache_gb
        elif self.template.rule == "table":
            # A drive of 500 GB has 512 GiB of flash.
            usable = max(needed, self.drive.user_gb / 1000 * 1.024 * 2**30 / 1e6)
        else:
            usable = needed
        return PARTS * max(
            round(usable / self.row_gb / PARTS), math.ceil(needed / self.row_gb / PARTS)
        )

    @property
    def folds_at_once(self) -> bool:
        """Whether all of the drive is SLC at first: what comes after its cache is folded."""
        return self.template.rule == "whole"

    @property
    def direct_us(self) -> float:
        """The time of a page that is written past the cache, by the chips alone."""
        return self.bus_us + self.template.nand.program_us / self.bits

    @property
    def folded_us(self) -> float:
        """The time of a page that is folded through the controller, by the chips alone."""
        fixed = SLC_READ_US + ERASE_US / WORDLINES + 2 * self.bus_us
        return fixed + self.template.nand.program_us / self.bits

    def start(self) -> dict[str, float]:
        """Return the parameters by the closed forms: times in nanoseconds, and planes."""
        first_page = self.page_us(
            max(self.first, self.template.rated[0] if self.template.rated else 0)
        )
        found = {"slc_ns": (first_page - self.bus_us) * 1e3}
        if self.drive.link == "sata":
            found["slc_ns"] = 250e3
        turnaround = MEGABYTE / 1e3 * (1 / self.first - 1 / LINK_GB_S[self.drive.link])
        if self.template.rated or self.drive.link == "sata":
            found["turnaround_ns"] = max(turnaround, 0) * 1e3
        found |= self._behind(found["slc_ns"] / 1e3)
        return found

    def _behind(self, program_us: float) -> dict[str, float]:
        """Return the parameters of what comes after the cache, whose pages take `program_us`."""
        planes, ratio = self.planes, self.bits / (self.bits - 1)
        # What folding has of the time of a page, where it makes room for the host's.
        spent_us = self.page_us(self.last) - self.bus_us - program_us
        if self.folds_at_once:
            rounds = max(math.floor(spent_us / (ratio * self.folded_us)), 1)
            dense = round(planes / rounds)
        else:
            page_us = self.direct_us + (0.25 * self.folded_us if self.template.busy else 0)
            dense = round(planes * page_us / self.page_us(self.second or self.last))
            dense = min(max(dense, 1), planes)
            rounds = planes // dense
        # All planes fold in whole rounds: a round takes as long with fewer planes in it.
        found: dict[str, float] = {"dense_planes": dense, "fold_planes": math.ceil(planes / rounds)}
        if self.folds_at_once or self.second is not None:
            longer_us = spent_us / ratio / rounds - self.folded_us
            found["fold_ns"] = max(longer_us, 0) * self.bits * 1e3
        return found

    def targets(self) -> dict[str, float]:
        """Return what each parameter is chosen for, GB per second."""
        start = self.start()
        # Above what one writer sees is the array's own speed.
        wanted = {"turnaround_ns" if "turnaround_ns" in start else "slc_ns": self.first}
        if not self.folds_at_once:
            wanted["dense_planes"] = self.second or self.last
        if "fold_ns" in start:
            wanted["fold_ns"] = self.last
        return wanted

    def cap(self) -> dict[str, Any]:
        """Return the rule of the cache."""
        static_gb = self.template.static_blocks * self.row_gb / self.bits
        if self.template.rule == "table":
            # It takes free room of the user's, a bit of each cell of it.
            dynamic_gb = self.cache_gb - static_gb
            full = round(1 - self.bits * dynamic_gb / self.drive.user_gb, 4)
            return {"rule": "table", "table": [[full, sized_bytes(dynamic_gb)], [1.0, 0]]}
        if self.template.rule == "falling":
            # What is left at 80 % is printed of one drive; where the line begins follows from the
            # cache of the empty drive, during whose filling it has already fallen.
            least = published.drives()["intel-660p-1tb"].others["cache_gb_at_80_percent"].value
            held = self.cache_gb / self.drive.user_gb / 0.8
            begin = (self.cache_gb - least * held) / (1 - held)
            return {
                "rule": "table",
                "table": [[0.0, sized_bytes(begin)], [0.8, sized_bytes(least)]],
            }
        share = self.bits * self.cache_gb / (self.usable_rows * self.row_gb)
        return {"rule": "free", "share": round(min(share, 1.0), 4)}


def sized_bytes(gb: float) -> int:
    """Return a size that can be divided."""
    return round(gb * 1e9 / PARTS / PAGE) * PARTS * PAGE
